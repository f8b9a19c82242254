"""The screen of the data: classes, the table, queries, the object, copies and exports."""
import unittest

from cases import PageTest, place
from programs import ROWS

HOSTILE = "<img src=x onerror=alert(1)>"


class AddressTests(PageTest):
    def test_the_key_leaves_the_address(self):
        self.wait("return location.hash.startsWith('#/data')")
        self.assertNotIn("key=", self.page.run("return location.href"))

    def test_a_second_tab_gets_the_key_from_the_first(self):
        first = self.page.ask("GET", self.page.session + "/window")
        second = self.page.ask("POST", self.page.session + "/window/new", {"type": "tab"})["handle"]
        try:
            self.page.ask("POST", self.page.session + "/window", {"handle": second})
            self.page.open(self.base + "/" + place("schema", "Species"))
            self.wait("return document.querySelector('.card.lit') !== null")
        finally:
            self.page.ask("DELETE", self.page.session + "/window")
            self.page.ask("POST", self.page.session + "/window", {"handle": first})

    def test_a_page_without_a_key_shows_no_data(self):
        self.page.run("sessionStorage.clear()")
        self.page.open("about:blank")
        self.page.open(self.base + "/")
        self.wait_text("h1", "Freehold Studio")
        self.wait_text("p", "no key")

    def test_a_deep_link_shows_the_same_state(self):
        self.go("data", "Row", query="half == true", sort="number:desc", plan="1")
        self.wait_count((ROWS + 1) // 2)
        self.page.open("about:blank")
        self.page.open(self.base + "/" + place("data", "Row", query="half == true", sort="number:desc", plan="1"))
        self.wait_count((ROWS + 1) // 2)
        self.wait("return document.querySelector('.plan svg rect') !== null")
        self.assertEqual(self.page.run("return document.querySelector('[aria-sort=descending] .cut').textContent"), "number")

    def test_the_files_of_the_page_are_few_and_small(self):
        self.rows()
        sizes = self.page.run("return performance.getEntriesByType('resource').map((entry) => [entry.name, entry.decodedBodySize])")
        self.assertLessEqual(len(sizes), 40, [name for name, _ in sizes])
        self.assertLess(sum(size for _, size in sizes), 400_000)


class TableTests(PageTest):
    start = place("data", "Row")

    def test_keys_lead_to_the_last_and_the_first_row(self):
        self.wait_count(ROWS)
        self.focus_grid()
        self.press("Control+End")
        self.rows()
        last = "const id = document.querySelector('[role=grid]').getAttribute('aria-activedescendant'); return document.getElementById(id)?.parentElement.getAttribute('aria-rowindex')"
        self.wait(last + " === arguments[0]", str(ROWS + 1))
        self.wait_cell(ROWS, "name", f"row {ROWS - 1}")
        self.press("Control+Home", "PageDown", "Down")
        self.rows()
        self.assertEqual(self.cell(1, "name") or "row 0", "row 0")

    def test_the_scroll_bar_reaches_every_part(self):
        self.wait_count(ROWS)
        self.rows()
        for part in (0.5, 1, 0.25, 0):
            self.page.run("const grid = document.querySelector('[role=grid]'); grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * arguments[0]", part)
            self.wait("const first = Number([...document.querySelectorAll('.line:not([hidden])')].map((line) => line.getAttribute('aria-rowindex')).sort((a, b) => a - b)[0]); return Math.abs(first - arguments[0]) < 60", part * ROWS if part < 1 else ROWS - 20)
            self.rows()
        self.assertLess(self.page.run("return document.querySelectorAll('.line').length"), 60)

    def test_a_heading_sorts_with_keys(self):
        self.move_to("number")
        self.press("Up", "Enter")
        self.wait("return document.querySelector('[aria-sort=ascending]') !== null")
        self.focus_grid()
        self.press("Up", "Enter")
        self.wait("return document.querySelector('[aria-sort=descending]') !== null")
        self.rows()
        self.wait_cell(1, "name", f"row {ROWS - 1}")

    def test_commits_of_another_process_are_shown(self):
        self.rows()
        self.all.writer("bump 3")
        self.wait("return document.querySelector('.line[aria-rowindex=\"5\"] .changed') !== null")
        self.all.writer("bump 4")
        self.wait("return document.querySelector('.line[aria-rowindex=\"6\"] .changed') !== null")

    def test_counts_follow_inserts(self):
        self.wait("return [...document.querySelectorAll('.side .item')].length > 3")
        number = "return Number([...document.querySelectorAll('.side a.item')].find((item) => item.title === 'Species').querySelector('.count').textContent)"
        before = self.page.run(number)
        self.all.writer("insert")
        self.wait(number + " === arguments[0]", before + 1)

    def test_the_selection_has_a_sum(self):
        self.move_to("number")
        self.press("Shift+Down", "Shift+Down", "Shift+Down")
        self.wait_text(".status", "sum 6")

    def test_columns_are_hidden_and_remembered(self):
        self.rows()
        self.press_button("Columns")
        self.wait("return document.querySelector('dialog .choices') !== null")
        self.page.run("const box = [...document.querySelectorAll('.choices label')].find((label) => label.dataset.name === 'half').querySelector('input'); box.click()")
        self.press_button("Show", "dialog")
        self.wait("return ![...document.querySelectorAll('.head .cut')].some((head) => head.textContent === 'half')")
        self.page.run("return new Promise((resolve) => setTimeout(resolve, 600))")
        self.visit(self.all.address, place("data", "Row"))
        self.wait("return document.querySelectorAll('.head .cut').length > 2")
        self.assertNotIn("half", self.page.run("return [...document.querySelectorAll('.head .cut')].map((head) => head.textContent)"))
        self.press_button("Columns")
        self.press_button("All", "dialog")
        self.press_button("Show", "dialog")
        self.wait("return [...document.querySelectorAll('.head .cut')].some((head) => head.textContent === 'half')")

    def test_cells_are_copied(self):
        self.page.command("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"], origin=self.base)
        self.move_to("number")
        self.press("Shift+Down", "Control+c")
        self.wait_text(".note", "copied")
        text = self.page.run_async("navigator.clipboard.readText().then(arguments[0], (error) => arguments[0](String(error)))")
        self.assertEqual(text.split(), ["0", "1"])

    def test_a_result_is_exported(self):
        self.query("number < 3")
        self.wait_count(3)
        self.press("Control+e")
        self.wait("return document.querySelector('dialog select') !== null")
        text = self.download(lambda: self.press_button("Export", "dialog .dialogfoot")).decode()
        lines = text.strip().splitlines()
        self.assertEqual(len(lines), 4, text)
        self.assertTrue(lines[0].startswith("number,name"), text)


class QueryTests(PageTest):
    start = place("data", "Row")

    def test_a_query_runs_and_is_coloured(self):
        self.query("number > 5 AND number < 10 SORT(number DESC)")
        self.wait_count(4)
        self.wait_cell(1, "name", "row 9")
        self.wait("return document.querySelector('.code .t-keyword') !== null && document.querySelector('.code .t-number') !== null")

    def test_an_error_is_underlined_with_similar_names(self):
        self.query("nunber > 5")
        self.wait("return document.querySelector('.code .t-error') !== null")
        self.wait_text(".problem", "nunber")
        self.press_button("number", ".problem")
        self.wait("return document.querySelector('.editor textarea').value === 'number > 5'")

    def test_words_are_completed_with_keys(self):
        self.query("nu", runs=False)
        self.wait("return !document.querySelector('.complete').hidden && document.querySelector('.complete [aria-selected=true] code').textContent === 'number'")
        self.press("Enter")
        self.wait("return document.querySelector('.editor textarea').value.startsWith('number')")
        self.assertTrue(self.page.run("return document.querySelector('.complete').hidden"))

    def test_completion_follows_links(self):
        self.query("hub.na", runs=False)
        self.wait("return !document.querySelector('.complete').hidden && [...document.querySelectorAll('.complete code')].some((word) => word.textContent.includes('name'))")

    def test_the_plan_shows_steps_and_times(self):
        self.go("data", "Specimen", query="code > 9007199254740990 AND verified == true", plan="1")
        self.wait("return document.querySelectorAll('.plan svg rect').length > 0")
        rows = self.page.run("return [...document.querySelectorAll('.plan table tr')].map((row) => row.textContent)")
        self.assertGreater(len(rows), 1, rows)

    def test_frequent_values_make_a_query(self):
        self.go("data", "Specimen", values="verified")
        self.wait("return document.querySelectorAll('.values button').length === 2")
        self.assertEqual(sorted(self.page.run("return [...document.querySelectorAll('.values .count')].map((entry) => entry.textContent)")), ["20", "40"])
        self.page.run("document.querySelector('.values button').click()")
        self.wait_count(40)

    def test_a_cell_becomes_a_condition(self):
        self.go("data", "Specimen")
        self.wait_count(60)
        self.move_to("count")
        self.press("Down", "Shift+F10")
        self.wait("return document.querySelector('[role=menu]') !== null")
        self.press_button("Filter by this value", "[role=menu]")
        self.wait("return document.querySelector('.editor textarea').value !== ''")
        self.wait("return document.querySelector('[role=grid]').getAttribute('aria-rowcount') < 20")

    def test_text_in_the_result_is_found(self):
        self.go("data", "Specimen")
        self.wait_count(60)
        self.focus_grid()
        self.press("Control+f")
        self.focus(".searchbox input")
        self.page.type("specimen 5")
        self.press("Enter")
        self.wait("const count = Number(document.querySelector('[role=grid]').getAttribute('aria-rowcount')) - 1; return count > 5 && count < 15")

    def test_a_query_is_saved(self):
        self.query("number == 77")
        self.wait_count(1)
        self.press_button("Save query")
        self.press("Control+a")
        self.page.type("The lucky row")
        self.press_button("Save", "dialog .dialogfoot")
        self.wait_text(".side .list", "The lucky row")
        self.press_button("Delete the saved query The lucky row")


class MapTests(PageTest):
    start = place("data", "Specimen", map="place")

    def test_places_of_the_result_are_points(self):
        self.wait("return document.querySelectorAll('.mapview .point').length === 60")

    def test_a_circle_becomes_a_condition(self):
        self.wait("return document.querySelectorAll('.mapview .point').length === 60")
        self.press_button("Numbers…", ".mapview")
        self.wait("return document.querySelectorAll('dialog input').length === 3")
        self.page.run("const [latitude, longitude, radius] = document.querySelectorAll('dialog input'); latitude.value = '47.68'; longitude.value = '9.17'; radius.value = '5'")
        self.press_button("Add the condition", "dialog")
        self.wait("return document.querySelector('.editor textarea').value.includes('geoWithin')")
        self.wait("const count = Number(document.querySelector('[role=grid]').getAttribute('aria-rowcount')) - 1; return count > 0 && count < 10")

    def test_a_circle_is_drawn_with_the_pointer(self):
        self.wait("return document.querySelectorAll('.mapview .point').length === 60")
        self.press_button("Circle", ".mapview")
        box = self.page.run("const box = document.querySelector('.map.large').getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]")
        x, y = (round(value) for value in box)
        moves = [{"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown", "button": 0}, {"type": "pointerMove", "x": x + 60, "y": y, "duration": 50}, {"type": "pointerUp", "button": 0}]
        self.page.ask("POST", self.page.session + "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": moves}]})
        self.wait("return document.querySelector('.editor textarea').value.includes('geoCircle')")


class HostileTests(PageTest):
    start = place("data", HOSTILE)

    def test_hostile_names_are_texts(self):
        self.wait_count(2)
        self.rows()
        names = self.page.run("return [...document.querySelectorAll('.head .cut')].map((head) => head.textContent)")
        self.assertIn("a\"'<b>\\u{202E}", names)
        self.wait_text(".line", "<script>alert(1)</script>")
        self.wait_text(".line .escape", "\\u{2066}")
        self.assertEqual(self.page.run("return document.querySelectorAll('#app script, #app img[src=x], #app b > *').length"), 0)

    def test_hostile_names_are_on_every_screen(self):
        for screen in (("schema", HOSTILE), ("history",), ("file",), ("transfer", "export")):
            self.go(*screen)
            self.wait("return document.querySelector('main').textContent.length > 20")
            self.assertEqual(self.page.run("return document.querySelectorAll('#app script, #app img[src=x]').length"), 0)


class ObjectTests(PageTest):
    start = place("data", "Specimen")

    def open_row(self, row):
        self.wait_count(60)
        self.focus_grid()
        self.press("Control+Home", *["Down"] * (row - 1), "Enter")
        self.wait("return document.querySelectorAll('.inspector .field').length > 8")

    def test_an_object_has_all_fields(self):
        self.open_row(1)
        names = self.page.run("return [...document.querySelectorAll('.inspector .field .k')].map((field) => field.textContent)")
        for name in ("_id", "name", "code", "mass", "photo", "traits", "anything", "place", "tags"):
            self.assertIn(name, names)

    def test_integers_are_exact(self):
        self.open_row(10)
        self.wait_text(".inspector .field", "9223372036854775807")

    def test_an_image_is_shown(self):
        self.open_row(1)
        self.wait("const image = document.querySelector('.inspector img.photo'); return image !== null && image.naturalWidth === 120")

    def test_an_svg_is_shown_as_bytes(self):
        self.open_row(5)
        self.page.run("[...document.querySelectorAll('.inspector .toggle')].find((button) => button.getAttribute('aria-label') === 'Show photo').click()")
        self.wait_text(".hex", "<svg")

    def test_a_long_text_is_read_in_parts(self):
        self.open_row(4)
        self.page.run("[...document.querySelectorAll('.inspector .toggle')].find((button) => button.getAttribute('aria-label') === 'Show name').click()")
        self.wait("return (document.querySelector('.bytes .json')?.textContent.length ?? 0) > 60000")
        self.wait_text(".bytes", "more bytes")

    def test_mixed_values_are_trees(self):
        self.open_row(1)
        self.page.run("[...document.querySelectorAll('.inspector .toggle')].find((button) => button.getAttribute('aria-label') === 'Show traits').click()")
        self.wait_text(".inspector .field", "moult")
        self.page.run("[...document.querySelectorAll('.inspector .toggle')].find((button) => button.getAttribute('aria-label') === 'Show deep').click()")
        self.page.run("[...document.querySelectorAll('.inspector .toggle')].find((button) => button.getAttribute('aria-label') === 'Show a').click()")
        self.page.run("[...document.querySelectorAll('.inspector .toggle')].find((button) => button.getAttribute('aria-label') === 'Show b').click()")
        self.wait_text(".inspector .field", "two")

    def test_places_are_on_a_map(self):
        self.open_row(1)
        self.wait("return document.querySelector('.inspector svg.map .point') !== null")

    def test_a_link_leads_to_its_object_and_back(self):
        self.open_row(1)
        self.page.run("[...document.querySelectorAll('.inspector .field a.to')].find((link) => link.getAttribute('href').includes('Species')).click()")
        self.wait("return document.querySelector('.inspector .name')?.textContent === 'Parus major'")
        self.assertEqual(self.page.run("return document.querySelectorAll('.trail a').length"), 2)
        self.page.run("history.back()")
        self.wait("return document.querySelectorAll('.trail a').length === 1 && location.hash.includes('Specimen')")

    def test_incoming_links_have_pages(self):
        self.go("data", "Hub", object="0", tab="linked")
        self.wait_text(".inspector .back", f"{ROWS:,}")
        self.wait("return document.querySelectorAll('.linked .entry').length === 100")
        self.press_button(f"{ROWS - 100:,} more")
        self.wait("return document.querySelectorAll('.linked .entry').length === 200")

    def test_a_list_of_links_is_a_table(self):
        self.go("data", "Hub", object="0")
        self.wait("return document.querySelector('.inspector .toggle') !== null")
        self.page.run("[...document.querySelectorAll('.inspector .toggle')].find((button) => button.getAttribute('aria-label') === 'Show rows').click()")
        self.press_button("Show as a table")
        self.wait_count(ROWS)
        self.wait_text(".facts", "elements of")

    def test_an_object_is_json(self):
        self.open_row(2)
        self.press("Right", "Right", "Right")
        self.wait_text(".inspector .json", "<script>alert(1)</script>")

    def test_an_object_follows_its_changes(self):
        self.go("data", "Row", object="7")
        self.wait("return document.querySelectorAll('.inspector .field').length > 3")
        value = "return [...document.querySelectorAll('.inspector .field')].find((field) => field.firstChild.textContent === 'value').querySelector('.num').textContent"
        before = self.page.run(value)
        self.all.writer("bump 7")
        self.wait(value + " !== arguments[0]", before)


if __name__ == "__main__":
    unittest.main()
