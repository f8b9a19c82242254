"""The other screens, the palette, keys, themes and accessibility."""
import os
import unittest

from cases import PageTest, place

HOSTILE = "<img src=x onerror=alert(1)>"
SCREENS = {
    "data": place("data", "Specimen", object="1", plan="1", query="count > 1"),
    "facets": place("data", "Specimen", values="species"),
    "linked": place("data", "Hub", object="0", tab="linked"),
    "history of an object": place("data", "Row", object="3", tab="history"),
    "JSON": place("data", "Specimen", object="2", tab="json"),
    "hostile": place("data", HOSTILE, object="0"),
    "missing class": place("data", "Nothing"),
    "schema": place("schema", "Specimen"),
    "history": place("history"),
    "file": place("file"),
    "export": place("transfer", "export"),
    "import": place("transfer", "import"),
    "compare": place("transfer", "compare"),
}


class ShellTests(PageTest):
    def test_the_palette_finds_classes_and_runs_commands(self):
        self.wait("return document.querySelector('.side .item') !== null")
        self.press("Control+k")
        self.wait("return document.activeElement.getAttribute('role') === 'combobox'")
        self.page.type("Species")
        self.wait("return [...document.querySelectorAll('.hit')].some((hit) => hit.textContent.startsWith('Species'))")
        self.page.run("document.querySelector('.palette input').value = ''")
        self.page.type("Schema")
        self.wait("return document.querySelector('.hit[aria-selected=true]')?.textContent.startsWith('Schema')")
        self.press("Enter")
        self.wait("return location.hash.startsWith('#/schema')")

    def test_the_palette_finds_objects(self):
        self.press("Control+k")
        self.wait("return document.activeElement.getAttribute('role') === 'combobox'")
        self.page.type("Parus major")
        self.wait("return [...document.querySelectorAll('.hit')].some((hit) => hit.textContent.includes('Parus major'))")
        self.press("Enter")
        self.wait("return document.querySelector('.inspector .name')?.textContent === 'Parus major'")

    def test_keys_are_listed(self):
        self.focus_grid()
        self.press("?")
        self.wait_text("dialog h2", "Keys")
        self.press("Escape")
        self.wait("return document.querySelector('dialog') === null")

    def test_a_slash_finds_a_class(self):
        self.focus_grid()
        self.press("/")
        self.wait("return document.activeElement.getAttribute('aria-label') === 'Find a class'")
        self.page.type("Hub")
        self.press("Enter")
        self.wait("return location.hash.startsWith('#/data/Hub')")

    def test_every_control_is_reached_with_tab(self):
        for screen in SCREENS.values():
            self.page.run("history.pushState(null, '', arguments[0]); dispatchEvent(new PopStateEvent('popstate'))", screen)
            self.wait("return document.querySelector('main').textContent.length > 3")
        self.go("transfer", "export")
        self.wait("return document.querySelector('.parts') !== null")
        self.page.run("document.activeElement.blur()")
        seen = set()
        for _ in range(60):
            self.press("Tab")
            seen.add(self.page.run("const element = document.activeElement; return element.getAttribute('aria-label') ?? element.textContent.trim()"))
        for name in ("Skip to the content", "Schema", "Find a class", "Export", "Keys ?"):
            self.assertIn(name, seen)

    def test_f6_moves_between_the_parts(self):
        self.focus_grid()
        self.press("F6")
        self.assertNotEqual(self.page.run("return document.activeElement.getAttribute('role')"), "grid")

    def test_the_theme_is_changed(self):
        before = self.page.run("return getComputedStyle(document.body).backgroundColor")
        self.press_button("Light or dark")
        self.wait("return getComputedStyle(document.body).backgroundColor !== arguments[0]", before)
        self.press_button("Light or dark")

    def test_a_narrow_window_has_the_object_below_the_table(self):
        self.page.resize((820, 900))
        self.go("data", "Specimen", object="1")
        self.wait("const object = document.querySelector('.inspector'), table = document.querySelector('.tablebox'); return !object.hidden && object.getBoundingClientRect().top >= table.getBoundingClientRect().bottom - 1")

    def test_the_time_zone_is_chosen(self):
        self.wait_count(60)
        self.rows()
        self.page.run("document.querySelector('.status button').click()")
        self.wait("return document.querySelector('dialog select') !== null")
        self.page.run("document.querySelector('dialog select').value = 'Asia/Tokyo'")
        self.press_button("Use", "dialog .dialogfoot")
        self.wait_text(".status", "Asia/Tokyo")
        self.wait_count(60)
        # Cells outside of the window are empty.
        self.move_to("collected")
        self.wait_cell(1, "collected", "2026-11-11 06:40:00.169")


class SchemaTests(PageTest):
    start = place("schema", "Specimen")

    def test_classes_and_links_are_drawn(self):
        self.wait("return document.querySelectorAll('.card').length >= 6")
        self.assertGreaterEqual(self.page.run("return document.querySelectorAll('.graph path.edge').length"), 5)
        self.wait_text(".panel dd", "60")
        self.assertEqual(self.page.run("return document.querySelectorAll('.card.embedded').length"), 1)

    def test_cards_dont_overlap(self):
        self.wait("return document.querySelectorAll('.card').length >= 6")
        self.assertEqual(self.page.run("""
            const boxes = [...document.querySelectorAll('.card')].map((card) => card.getBoundingClientRect());
            return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length"""), 0)

    def test_code_is_written_in_several_languages(self):
        self.wait_text(".swift", "Specimen")
        languages = self.page.run("return [...document.querySelectorAll('.panel select option')].map((option) => option.value)")
        self.assertGreaterEqual(len(languages), 10)
        self.page.run("const list = document.querySelector('.panel select'); list.value = 'kotlin'; list.dispatchEvent(new Event('change'))")
        self.wait_text(".swift", "RealmObject")

    def test_the_graph_is_saved_as_svg(self):
        self.wait("return document.querySelectorAll('.card').length >= 6")
        text = self.download(lambda: self.press_button("SVG", ".tools")).decode()
        self.assertIn("Specimen", text)
        self.assertNotIn("<script", text)


class HistoryTests(PageTest):
    start = place("history")

    def test_commits_are_listed_and_shown(self):
        version = int(self.all.writer("bump 5"))
        self.wait("return document.querySelector(`#commit${arguments[0]}`) !== null", version)
        self.go("history", str(version))
        self.wait_text(".diff h2", f"{version:,}")
        self.wait_text(".diff", "value")

    def test_keys_move_between_commits(self):
        self.all.writer("bump 5"), self.all.writer("bump 6")
        self.wait("return document.querySelectorAll('.commit').length > 1")
        self.focus(".commitlist")
        first = self.page.run("return document.querySelector('.commit[aria-selected=true]')?.id ?? ''")
        self.press("Down")
        self.wait("const chosen = document.querySelector('.commit[aria-selected=true]')?.id; return chosen !== undefined && chosen !== arguments[0]", first)


class FileTests(PageTest):
    start = place("file")

    def test_bytes_and_pages_are_shown(self):
        self.wait("return document.querySelectorAll('.areas rect').length > 5")
        self.wait_text(".tile", "file")
        self.press_button("As a table")
        self.wait_text("main table", "Row")
        self.wait_text(".legendline", "free")

    def test_readers_are_listed(self):
        self.wait("return document.querySelector('[aria-label=Readers] table, [aria-label=Readers] p') !== null")

    def test_the_file_is_verified(self):
        self.press_button("Verify")
        self.wait_text("main [role=status]", "No damage")

    def test_a_backup_is_saved(self):
        data = self.download(lambda: self.press_button("Back up…"))
        self.assertGreater(len(data), 100_000)


class CompareTests(PageTest):
    def setUp(self):
        super().setUp()
        path = self.all.world.make("compared.realm", 200)
        self.program, address = self.all.world.studio(path, "--write")
        self.writer = self.all.world.writer(path)
        self.visit(address, place("transfer", "compare"))

    def tearDown(self):
        super().tearDown()
        self.page.open("about:blank")
        self.program.stop()
        self.page.log("browser")

    def test_differences_of_a_copy_are_shown(self):
        self.go("transfer", "backup")
        data = self.download(lambda: self.press_button("Back up", "main .sheet"))
        copy = self.all.world.path("copy.realm")
        with open(copy, "wb") as file:
            file.write(data)
        self.writer("bump 1")
        self.go("transfer", "compare")
        self.page.upload("main input[type=file]", copy)
        self.press_button("Upload and compare")
        self.wait_text("main [role=status]", "1 class")
        self.wait_text(".property", "value")


class AccessibilityTests(PageTest):
    """No finding of axe-core on any screen in both themes."""

    @unittest.skipUnless(os.environ.get("FREEHOLD_STUDIO_AXE"), "axe-core isn't installed")
    def test_axe_finds_nothing(self):
        with open(os.environ["FREEHOLD_STUDIO_AXE"]) as file:
            self.page.run(file.read() + "; window.axe = axe; return true")
        for theme in ("light", "dark"):
            self.page.run("document.documentElement.dataset.theme = arguments[0]", theme)
            for name, address in SCREENS.items():
                with self.subTest(screen=name, theme=theme):
                    self.page.run("history.pushState(null, '', arguments[0]); dispatchEvent(new PopStateEvent('popstate'))", address)
                    self.settle(address)
                    self.check(name)
            for name, keys in {"palette": ["Control+k"], "keys": ["?"], "export": ["Control+e"]}.items():
                with self.subTest(screen=name, theme=theme):
                    self.go("data", "Specimen")
                    self.focus_grid()
                    self.press(*keys)
                    self.wait("return document.querySelector('dialog') !== null")
                    self.check(name)
                    self.page.run("document.querySelector('dialog').close()")

    def settle(self, address):
        self.wait("return document.querySelector('main') !== null && location.hash === arguments[0]", address)
        self.page.run("return new Promise((resolve) => setTimeout(resolve, 500))")

    def check(self, name):
        found = self.page.run_async("""
            const done = arguments[0];
            axe.run(document, { resultTypes: ['violations'] }).then((result) => done(result.violations.map((entry) => `${entry.id}: ${entry.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`)), (error) => done([String(error)]))""")
        self.assertEqual(found, [], name)


if __name__ == "__main__":
    unittest.main()
