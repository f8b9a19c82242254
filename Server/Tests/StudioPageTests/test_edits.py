"""Edits, conflicts, undo, imports and changes of the schema."""
import os
import unittest

from cases import PageTest, place


class EditTests(PageTest):
    start = place("data", "Row")

    def edit(self, row, column, text):
        """Edits a cell with keys, and waits until the edit is staged."""
        self.move_to(column)
        self.press("Control+Home", *["Down"] * (row - 1))
        self.move_right_to(column)
        self.press("F2")
        self.wait("return document.querySelector('.celleditor') === document.activeElement && document.activeElement !== null")
        self.press("Control+a")
        self.page.type(text)
        self.press("Enter")
        self.wait("return document.querySelector('.celleditor') === null")

    def move_right_to(self, column):
        position = self.page.run("return [...document.querySelectorAll('.head [role=columnheader]')].findIndex((head) => head.querySelector('.cut')?.textContent === arguments[0]) - 1", column)
        self.press("Home", *["Right"] * position)

    def write(self):
        self.press("Control+s")
        self.wait("return document.querySelector('dialog .dialogfoot .primary, dialog .dialogfoot .danger') !== null")
        self.press_button("Write", "dialog .dialogfoot")
        self.wait("return document.querySelector('dialog') === null")

    def test_an_edit_is_reviewed_and_written(self):
        self.edit(12, "name", "edited <b>")
        self.wait_text(".write", "1 edit")
        self.wait("return document.querySelector('.line .pending') !== null")
        self.press("Control+s")
        self.wait_text("dialog .was", "row 11")
        self.wait_text("dialog .is", "edited <b>")
        self.press_button("Write", "dialog .dialogfoot")
        self.wait_text(".note", "was written")
        self.wait_cell(12, "name", "edited <b>")
        self.wait("return document.querySelector('.line .pending') === null")
        self.press("Control+z")
        self.wait_text(".note", "taken back")
        self.wait_cell(12, "name", "row 11")

    def test_a_wrong_value_is_refused(self):
        self.move_to("value")
        self.press("F2")
        self.wait("return document.querySelector('.celleditor') !== null")
        self.press("Control+a")
        self.page.type("abc")
        self.press("Enter")
        self.wait("return document.querySelector('.celleditor[aria-invalid=true]') !== null")
        self.press("Escape")
        self.assertTrue(self.page.run("return document.querySelector('.write').hidden"))

    def test_a_conflict_shows_three_values(self):
        self.edit(9, "value", "12345")
        self.wait_text(".write", "1 edit")
        self.all.writer("bump 8")
        self.press("Control+s")
        self.wait_text("dialog h3", "Conflicts")
        self.wait_text("dialog td", "12345")
        self.press_button("Write over", "dialog .dialogfoot")
        self.wait_text(".note", "was written")
        self.wait_cell(9, "value", "12345")

    def test_an_edit_is_discarded(self):
        self.edit(3, "name", "never written")
        self.wait_text(".write", "1 edit")
        self.press_button("Discard", ".write")
        self.wait("return document.querySelector('.write').hidden")
        self.wait_cell(3, "name", "row 2")

    def test_typing_begins_an_edit(self):
        self.move_to("name")
        self.press("x")
        self.wait("return document.querySelector('.celleditor')?.value === 'x'")
        self.press("Escape")
        self.wait("return document.querySelector('.celleditor') === null && document.activeElement.getAttribute('role') === 'grid'")

    def test_objects_are_created_and_deleted(self):
        self.go("data", "Species")
        self.wait("return document.querySelector('[role=grid]').getAttribute('aria-label') === 'Species'")
        self.press_button("New object")
        self.wait("return document.querySelector('dialog fieldset') !== null")
        self.page.run("const field = document.querySelector('dialog fieldset textarea, dialog fieldset input.input'); field.focus(); field.value = 'Zoothera created'")
        self.press_button("Stage", "dialog .dialogfoot")
        self.wait_text(".write", "1 edit")
        self.write()
        self.query('name == "Zoothera created"')
        self.wait_count(1)
        self.focus_grid()
        self.press("Delete")
        self.wait_text(".write", "1 edit")
        self.write()
        self.wait_count(0)

    def test_elements_of_lists_are_edited(self):
        self.go("data", "Specimen", object="20")
        self.wait("return document.querySelectorAll('.inspector .field').length > 8")
        self.page.run("[...document.querySelectorAll('.inspector .toggle')].find((button) => button.getAttribute('aria-label') === 'Show notes').click()")
        self.press_button("Add an element", ".inspector")
        self.wait("return document.querySelector('dialog textarea') !== null")
        self.page.run("document.querySelector('dialog textarea').value = 'a third note'")
        self.press_button("Stage", "dialog .dialogfoot")
        self.wait_text(".write", "1 edit")
        self.write()
        self.wait_text(".inspector .field", "a third note")

    def test_a_large_selection_is_deleted_and_discarded_at_once(self):
        self.query("number < 6000")
        self.wait_count(6000)
        self.focus_grid()
        self.press("Control+a", "Delete")
        self.wait("return document.querySelector('.write b')?.textContent.replace(/\\D/g, '') === '6000'")
        self.press("Control+z")
        self.wait("return document.querySelector('.write').hidden")

    def test_an_object_that_waits_is_linked_to(self):
        self.go("data", "Species")
        self.wait("return document.querySelector('[role=grid]').getAttribute('aria-label') === 'Species'")
        self.press_button("New object")
        self.wait("return document.querySelector('dialog fieldset') !== null")
        self.page.run("const field = document.querySelector('dialog fieldset textarea, dialog fieldset input.input'); field.value = 'Linked novum'")
        self.press_button("Stage", "dialog .dialogfoot")
        self.wait_text(".write", "1 edit")
        self.go("data", "Specimen", object="23")
        self.wait("return document.querySelectorAll('.inspector .field').length > 8")
        self.press_button("Edit species", ".inspector")
        self.wait_text("dialog .results button", "new: Linked novum")
        self.page.run("document.querySelector('dialog .results button').click()")
        self.press_button("Stage", "dialog .dialogfoot")
        self.wait_text(".write", "2 edits")
        self.wait_text(".inspector .field .new", "new: Linked novum")
        self.write()
        self.wait_text(".inspector .field", "Linked novum")

    def test_a_link_is_edited(self):
        self.go("data", "Specimen", object="21")
        self.wait("return document.querySelectorAll('.inspector .field').length > 8")
        self.press_button("Edit species", ".inspector")
        self.focus("dialog input[type=search]")
        self.page.type("Parus")
        self.wait("return document.querySelector('dialog .results button') !== null")
        self.page.run("document.querySelector('dialog .results button').click()")
        self.press_button("Stage", "dialog .dialogfoot")
        self.wait_text(".write", "1 edit")
        self.write()
        self.wait_text(".inspector .field", "Parus major")


class ImportTests(PageTest):
    start = place("transfer", "import", "Species")

    def test_csv_is_previewed_checked_and_imported(self):
        path = self.all.world.path("species.csv")
        with open(path, "w") as file:
            file.write("name,family\nImported one,<b>family</b>\nImported two,other\n")
        self.wait("return document.querySelector('input[type=file]') !== null")
        self.page.run("[...document.querySelectorAll('select')].find((list) => [...list.options].some((option) => option.value === 'Species')).value = 'Species'")
        self.page.upload("input[type=file]", path)
        self.press_button("Preview", "main")
        self.wait_text(".previewtable td", "<b>family</b>")
        self.press_button("Dry run", "main")
        self.wait_text("main", "2 created")
        self.press_button("Import", "main [role=status]")
        self.wait("return location.hash.startsWith('#/data/Species')")
        self.query('name BEGINSWITH "Imported"')
        self.wait_count(2)

    def test_errors_have_their_lines(self):
        path = self.all.world.path("rows.csv")
        with open(path, "w") as file:
            file.write("number,name,value,half\n1000001,a,1,true\n1000002,b,not a number,true\n")
        self.wait("return document.querySelector('input[type=file]') !== null")
        self.page.run("[...document.querySelectorAll('select')].find((list) => [...list.options].some((option) => option.value === 'Row')).value = 'Row'")
        self.page.upload("input[type=file]", path)
        self.press_button("Preview", "main")
        self.wait("return document.querySelector('.previewtable') !== null")
        self.press_button("Dry run", "main")
        self.wait_text("main .error, main li", "not a number")


class MigrationTests(PageTest):
    start = place("schema", "Species")

    def test_a_property_is_added_after_its_plan(self):
        self.press_button("Change…", ".tools")
        self.wait("return document.querySelector('dialog .pairs') !== null")
        self.page.run("""
            const fields = [...document.querySelectorAll('dialog .pairs')].at(-1);
            const list = fields.querySelector('select'); list.value = 'Species';
            fields.querySelector('input.input').value = 'wingspan'""")
        self.press_button("Add the step", "dialog")
        self.wait_text("dialog .steps", "wingspan")
        self.press_button("Show the plan", "dialog .dialogfoot")
        self.wait_text("dialog h3", "Plan")
        self.press_button("Migrate", "dialog .dialogfoot")
        self.wait_text(".note", "schema was changed")
        self.wait_text(".card", "wingspan")


class ReadOnlyTests(PageTest):
    def setUp(self):
        super().setUp()
        self.program, address = self.all.world.studio(self.all.world.file)
        self.visit(address, place("data", "Row"))

    def tearDown(self):
        super().tearDown()
        self.page.open("about:blank")
        self.program.stop()
        self.page.log("browser")

    def test_nothing_can_be_edited_without_write(self):
        self.wait_text(".side", "read only")
        self.move_to("name")
        self.press("F2")
        self.wait_text(".note", "without --write")
        self.assertFalse(self.page.run("return [...document.querySelectorAll('main button')].some((button) => button.getClientRects().length > 0 && /New object|Delete|Edit/.test(button.getAttribute('aria-label') ?? button.textContent))"))

    def test_a_file_opened_read_only_is_live(self):
        self.rows()
        self.all.writer("bump 2")
        self.wait("return document.querySelector('.line[aria-rowindex=\"4\"] .changed') !== null")


if __name__ == "__main__":
    unittest.main()
