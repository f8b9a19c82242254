"""Studio for servers: a real server with simulated devices."""
import atexit
import json
import os
import time
import unittest

from cases import PageTest, place, shared
from servers import APP, ServerWorld


class Worlds:
    world = None
    address = None


def server():
    if Worlds.world is None:
        Worlds.world = ServerWorld()
        atexit.register(Worlds.world.close)
        Worlds.world.order(f"write 0 1 {Worlds.world.users[0]}")
        Worlds.world.order("write 2 2 somebody-else")
        Worlds.world.order("conflict 1")
        _, Worlds.address = Worlds.world.studio("--write")
    return Worlds


class ServerTest(PageTest):
    start = place("overview")

    def setUp(self):
        self.server = server()
        self.world = self.server.world
        # The page of the server takes the place of that of the shared file.
        self.all = shared()
        self.page = self.all.browser
        self.page.resize(self.size)
        self.page.log("browser"), self.page.log("performance")
        self.expected = ()
        self.visit(self.server.address, self.start)

    def wait_rows(self, label, number):
        self.wait("return document.querySelectorAll(`table[aria-label='${arguments[0]}'] tbody tr`).length === arguments[1]", label, number)

    def dialog_command(self):
        return self.wait("return document.querySelector('dialog .command code')?.textContent")

    def tile(self, name):
        return self.page.run("return document.querySelector(`[data-figure='${arguments[0]}'] .big`).textContent", name)


class OverviewTests(ServerTest):
    def test_the_overview_is_live(self):
        devices = len(self.world.users)
        self.wait("return document.querySelector(`[data-figure='sessions'] .big`)?.textContent === String(arguments[0])", devices)
        self.wait_text(".live", "running")
        self.wait_rows("Apps", 2)
        # The plots get a sample each second.
        self.wait("return (document.querySelector('[data-figure=sessions] path').getAttribute('d').match(/L/g) ?? []).length >= 2")
        self.assertEqual(self.tile("conflicts"), "1")
        self.assertEqual(self.tile("refusals"), "1")

    def test_a_session_that_ends_leaves_the_list(self):
        world = self.world
        self.go("sessions", app=APP, user=world.users[-1])
        self.wait_rows("Sessions", 1)
        world.order(f"leave {len(world.users) - 1}")
        self.wait_text(".page .empty", "No session is open.")
        world.users.pop()


class ListTests(ServerTest):
    def test_sessions_are_listed_in_parts_and_filtered(self):
        devices = len(self.world.users)
        self.go("sessions")
        self.wait_rows("Sessions", min(100, devices))
        self.wait_text("[role=status]", f"{devices} of {devices} sessions")
        if devices > 100:
            self.press_button("Next")
            self.wait_rows("Sessions", devices - 100)
            self.press_button("First")
            self.wait_rows("Sessions", 100)
        self.focus("input[aria-label='User, SDK or stream']")
        self.page.type("user0")
        self.wait_rows("Sessions", 2)
        self.wait_text("table[aria-label=Sessions]", "Freehold (Linux)")
        self.wait_text("table[aria-label=Sessions]", "live")

    def test_a_refused_write_shows_its_rule(self):
        self.go("refusals")
        self.wait_rows("Refused writes", 1)
        for part in ("user1", "Thing 2", "forbidden", "role owner", "insert: owner =="):
            self.wait_text("table[aria-label='Refused writes']", part)
        self.press_button("Merged conflicts")
        self.wait_rows("Merged conflicts", 1)
        self.wait_text("table[aria-label='Merged conflicts']", "name")
        self.press_button("Client resets")
        self.wait_text("[role=tabpanel]", "No client was reset")

    def test_the_log_is_shown_as_it_is_written(self):
        self.go("logs")
        self.wait_text(".loglines", "listening")
        self.page.run("document.querySelector('input[aria-label=\"A word\"]').focus()")
        self.page.type("disabled")
        self.wait_text("[role=status]", "No line fits")
        self.world.request("/admin/v1/overview")
        # A change by another administrator is in the log, and reaches the page.
        key = self.world.run("studio", self.world.folder, "--print-key").strip()
        self.assertEqual(self.world.request("/admin/v1/overview", key)[0], 200)
        _, address = self.world.studio("--write")
        self.assertIn("/#key=", address)
        self.go("users", self.world.bob, app=APP)
        self.press_button("Disable", ".page")
        self.press_button("Disable", "dialog")
        self.wait_text(".page section", "Enable")
        self.go("logs")
        self.wait_text(".loglines", "an administrator disabled a user")
        self.wait_text(".loglines", self.world.bob)
        self.world.run("user", "enable", self.world.folder, self.world.bob)

    def test_the_page_keeps_a_bounded_number_of_lines(self):
        self.go("logs")
        self.wait_text(".loglines", "listening")
        most = self.page.run_async("""
            const done = arguments[arguments.length - 1];
            import(document.querySelector('script[type=module]').src.replace('main.js', 'logs.js')).then(({ LogsScreen }) => {
                const screen = new LogsScreen();
                for (let part = 0; part < 30; part++) screen.add({ lost: 0, lines: Array.from({ length: 200 }, (_, number) => ({ at: 0, level: 'info', message: `line ${number}`, values: {} })) });
                done(screen.lines.childElementCount);
            });""")
        self.assertEqual(most, 1000)


class MemoryTests(ServerTest):
    """The screens with the selector of an element that shows that the screen has its data."""

    SCREENS = (("overview", {}, "table[aria-label=Apps]"), ("sessions", {}, "table[aria-label=Sessions]"), ("refusals", {}, "table[aria-label='Refused writes']"),
               ("logs", {}, ".loglines"), ("users", {"app": APP}, "table[aria-label=Users]"), ("data", {"app": APP}, "[role=grid]"), ("sight", {"app": APP}, ".page"),
               ("rules", {"app": APP}, ".page"), ("backups", {}, ".page"))
    MOST = 24 << 20

    def heap(self):
        self.page.command("HeapProfiler.collectGarbage")
        return next(entry["value"] for entry in self.page.command("Performance.getMetrics")["metrics"] if entry["name"] == "JSHeapUsedSize")

    def test_the_memory_of_each_screen_is_bounded(self):
        self.page.command("Performance.enable")
        rounds = []
        for _ in range(4):
            sizes = {}
            for name, options, selector in self.SCREENS:
                parts = (name, "Thing") if name == "data" else (name,)
                self.go(*parts, **options)
                self.wait("return document.querySelector(arguments[0]) !== null", selector)
                sizes[name] = self.heap()
                self.assertLess(sizes[name], self.MOST, name)
            rounds.append(sizes)
        # A screen that is left is released: its second visit needs no more than the first one.
        for name, *_ in self.SCREENS:
            self.assertLess(rounds[3][name] - rounds[1][name], 1 << 20, (name, [sizes[name] for sizes in rounds]))


class UserTests(ServerTest):
    def test_a_user_is_found_and_disabled_and_the_page_shows_the_command(self):
        world = self.world
        self.go("users", app=APP)
        self.wait_rows("Users", 2)
        self.focus("input[aria-label='Email address or id']")
        self.page.type("ann@")
        self.wait_rows("Users", 1)
        self.page.click("table[aria-label=Users] a")
        self.press_button("Disable", ".page")
        self.assertEqual(self.dialog_command(), f"freehold-server user disable {world.folder} {world.ann}")
        self.press_button("Disable", "dialog")
        self.wait_text("table[aria-label=Users]", "disabled")
        self.assertIn(f"{world.ann}\tdisabled", world.run("user", "list", world.folder, APP))
        # The command that the page shows does the same.
        self.press_button("Enable", ".page")
        command = self.dialog_command().split()
        self.press("Escape")
        world.run(*command[1:])
        self.assertIn(f"{world.ann}\tenabled", world.run("user", "list", world.folder, APP))

    def test_custom_data_is_replaced(self):
        world = self.world
        self.go("users", world.ann, app=APP)
        self.press_button("Custom data", ".page")
        self.page.run("const field = document.querySelector('dialog textarea'); field.value = '{\"team\": \"red\"}'; field.dispatchEvent(new Event('input'))")
        self.assertEqual(self.dialog_command(), f"freehold-server user set-data {world.folder} {world.ann} '{{\"team\": \"red\"}}'")
        self.press_button("Replace", "dialog")
        self.wait_text(".page dd", '{"team": "red"}')


class DataTests(ServerTest):
    def insert(self, numbers):
        key = self.world.run("studio", self.world.folder, "--print-key").strip()
        documents = json.dumps([{"_id": number, "owner": "many", "name": f"thing {number}", "stars": number % 50} for number in numbers])
        status, text = self.world.request(f"/admin/v1/data/{APP}/Thing?mode=upsert", key, documents)
        self.assertIn(status, (200, 201), text)

    def test_a_document_is_found_and_changed(self):
        self.go("data", "Thing", app=APP, query="_id == 1")
        self.wait_count(1)
        self.move_to("name")
        self.press("F2")
        self.wait("return document.activeElement.classList.contains('celleditor')")
        self.press("Control+a")
        self.page.type("by Studio")
        self.press("Enter")
        self.wait_text(".write", "1 edit not written")
        self.press("Control+s")
        self.wait_text("dialog", "The dry run succeeded")
        self.assertEqual(self.dialog_command(), f"freehold-server document update {self.world.folder} {APP} Thing 1 '" + '{"$set":{"name":"by Studio"}}' + "'")
        self.press_button("Write", "dialog")
        self.wait_cell(1, "name", "by Studio")
        # The command does the same, and the table follows it.
        self.world.run("document", "update", self.world.folder, APP, "Thing", "1", '{"$set": {"name": "by a command"}}')
        self.wait_cell(1, "name", "by a command")
        self.assertIn('"by a command"', self.world.run("document", "get", self.world.folder, APP, "Thing", "1"))
        # A condition that isn't valid is an error at its place, and the page goes on.
        self.query("owner ==")
        self.wait_text(".problem", "")
        self.wait("return document.querySelector('.editor textarea').getAttribute('aria-invalid') === 'true'")
        self.query("_id == 1")
        self.wait_count(1)
        self.go("logs")
        self.wait_text(".loglines", "an administrator changed a document")

    def test_an_object_has_fields_links_and_edits_of_lists(self):
        self.insert([700])
        self.go("data", "Thing", app=APP, query="_id == 700", object="700")
        self.wait_text(".inspector h2", "thing 700")
        self.assertFalse(self.page.run("return [...document.querySelectorAll('.inspector [role=tab]')].some((tab) => tab.textContent === 'History')"))
        self.press_button("Show tags", ".inspector")
        self.press_button("Add an element", ".inspector")
        self.wait("return document.querySelector('dialog textarea') !== null")
        self.page.type("red")
        self.press_button("Stage", "dialog")
        self.wait_text(".write", "1 edit not written")
        self.press_button("Review", ".write")
        self.assertIn("--mode upsert", self.dialog_command())
        self.press_button("Write", "dialog")
        self.wait_text(".inspector .field", "red")
        self.press_button("JSON", ".inspector")
        self.wait_text(".inspector .json", '"red"')
        self.press_button("Delete the object", ".inspector")
        self.press("Control+s")
        self.assertEqual(self.dialog_command(), f"freehold-server document delete {self.world.folder} {APP} Thing 700")
        self.press_button("Write", "dialog")
        self.wait_text(".inspector", "The object was deleted")

    def test_a_document_is_created(self):
        self.go("data", "Thing", app=APP)
        self.rows()
        self.press_button("New object")
        self.wait("return document.querySelector('dialog input') !== null")
        self.page.run("const field = document.querySelector('dialog fieldset input.input'); field.focus()")
        self.page.type("701")
        self.press_button("Stage", "dialog")
        self.wait_text(".write", "new Thing")
        self.press_button("Review", ".write")
        self.assertIn("document insert", self.dialog_command())
        self.press_button("Write", "dialog")
        self.query("_id == 701")
        self.wait_count(1)
        self.world.run("document", "delete", self.world.folder, APP, "Thing", "701")
        self.wait_count(0)

    def test_a_class_of_many_documents_is_read_in_parts(self):
        self.insert(range(1000, 4000))
        self.go("data", "Thing", app=APP, query="owner == 'many'")
        self.wait_text(".facts", "+")
        first = self.count()
        self.assertLess(first, 1000)
        # The number before the plus sign is that of the rows that were read.
        self.assertIn(self.page.run("return document.querySelector('.facts b').textContent"), ("200+", "400+"))
        self.focus_grid()
        end = time.time() + 60
        # Each key moves to the last known row, behind which the next part is read.
        while self.page.run("return document.querySelector('.facts').textContent.includes('+')") and time.time() < end:
            self.press("Control+End")
            self.rows()
        self.wait_count(3000)
        self.wait_cell(3000, "name", "thing 3999")
        # The page holds a bounded number of rows and elements, whatever the class has.
        self.assertLess(self.page.run("return document.querySelectorAll('.line').length"), 100)
        self.press("Control+Home")
        self.wait_cell(1, "name", "thing 1000")
        # A sort by a property works for results of a bounded size.
        self.go("data", "Thing", app=APP, query="owner == 'many' AND stars == 7", sort="_id:desc")
        self.wait_count(60)
        self.wait_cell(1, "name", "thing 3957")

    def test_what_a_user_sees_has_reasons(self):
        self.go("sight", "Thing", app=APP, user=self.world.users[0])
        self.wait_text("table td .pill", "on the device")
        self.wait_text("pre.swift", "role 'owner': applies")
        self.go("sight", "Thing", app=APP, user="user7")
        self.wait_text("table td .pill", "not seen")
        self.wait_text("table td", "It can't be read")
        # Other rules are tried, and aren't stored.
        self.page.click("details summary")
        self.wait("return document.querySelector('textarea[aria-label=\"Other rules\"]').value.includes('owner')")
        self.page.run("const field = document.querySelector('textarea[aria-label=\"Other rules\"]'); field.value = field.value.replaceAll('\"%%user.id\"', JSON.stringify(arguments[0]))", self.world.users[0])
        self.page.click("details input[type=checkbox]")
        self.wait_text("table td .pill", "would be seen")
        self.assertIn("%%user.id", self.world.run("rules", "pull", self.world.folder, APP))

    def test_rules_have_a_dry_run_before_the_push(self):
        world = self.world
        self.go("rules", app=APP)
        self.wait("return document.querySelector(\"textarea[aria-label=Rules]\")?.value.includes('owner')")
        self.assertTrue(self.page.run("return [...document.querySelectorAll('.page button')].find((button) => button.textContent.startsWith('Push')).disabled"))
        self.page.run("const field = document.querySelector('textarea[aria-label=Rules]'); field.dataset.before = field.value; field.value = field.value.replaceAll('secret', 'missing'); field.dispatchEvent(new Event('input'))")
        self.press_button("Dry run")
        self.wait_text("[aria-label='Result of Rules'] .error", "missing")
        self.page.run("const field = document.querySelector('textarea[aria-label=Rules]'); field.value = field.dataset.before; field.dispatchEvent(new Event('input'))")
        self.press_button("Dry run")
        self.wait_text("[aria-label='Result of Rules']", "All roles fit")
        self.press_button("Push")
        self.assertEqual(self.dialog_command(), f"freehold-server rules push {world.folder} {APP} rules.json")
        self.press_button("Push", "dialog .dialogfoot")
        self.wait_text(".note", "Rules: pushed.")

    def test_a_class_that_a_client_declared_is_accepted(self):
        world = self.world
        world.order("declare Draft")
        self.go("rules", app=APP)
        self.wait_rows("Declared by clients", 1)
        for part in ("Draft", "pending"):
            self.wait_text("table[aria-label='Declared by clients']", part)
        self.press_button("Accept Draft")
        self.wait_text("dialog [role=status]", "Draft")
        self.assertEqual(self.dialog_command(), f"freehold-server schema push {world.folder} {APP} Draft.json")
        self.press_button("Accept", "dialog .dialogfoot")
        self.wait_text(".note", "Draft: pushed.")
        self.assertIn("Draft", world.run("schema", "pull", world.folder, APP))
        # The page shows the class as adopted when the server has read the schema.
        def is_adopted():
            self.go("overview")
            self.go("rules", app=APP)
            self.wait_rows("Declared by clients", 1)
            return self.page.run("return document.querySelector(\"table[aria-label='Declared by clients']\").textContent.includes('adopted')")
        end = time.time() + 20
        while not is_adopted() and time.time() < end:
            pass
        self.assertTrue(is_adopted())


class BackupTests(ServerTest):
    def test_a_backup_is_made_and_the_page_shows_the_command(self):
        backups = os.path.join(self.world.root, "backups")
        _, address = self.world.studio("--write", "--backups", backups)
        self.visit(address, place("backups"))
        self.wait_text(".page", "The folder has no backup.")
        self.press_button("Back up…")
        command = self.dialog_command()
        self.assertTrue(command.startswith(f"freehold-server backup {self.world.folder} {os.path.realpath(self.world.root)}/backups/2"), command)
        self.press_button("Back up", "dialog .dialogfoot")
        self.wait_rows("Backups", 1)
        made = os.listdir(backups)
        self.assertTrue(os.path.exists(os.path.join(backups, made[0], "server.json")))
        self.wait_text("table[aria-label=Backups]", f"restore {os.path.realpath(backups)}/{made[0]} NEW-FOLDER")
        # The command does the same.
        self.world.run(*command.replace(made[0], "by-command").split()[1:])
        self.go("overview")
        self.go("backups")
        self.wait_rows("Backups", 2)

    def test_without_write_no_backup_is_made(self):
        _, address = self.world.studio("--backups", os.path.join(self.world.root, "others"))
        self.visit(address, place("backups"))
        self.wait_text(".page", "The folder has no backup.")
        self.assertTrue(self.page.run("return document.querySelector('.page button').disabled"))
        # Without the option, the page shows the command.
        self.visit(self.server.address, place("backups"))
        self.wait_text(".page .command", f"freehold-server backup {self.world.folder} TARGET")


class RightsTests(ServerTest):
    def test_a_page_without_the_key_sees_nothing(self):
        base = self.server.address.split("/#key=")[0]
        self.page.open("about:blank")
        self.page.open(f"{base}/#key={'0' * 64}")
        self.wait_text("main", "This address isn't valid any more")
        self.assertIsNone(self.page.run("return document.querySelector('.tiles')"))
        # The key of the page isn't the administrator's key, and a user's token isn't, either.
        page_key = self.server.address.split("/#key=")[1]
        for key in (None, page_key, self.world.token("user1")):
            status, text = self.world.request("/admin/v1/overview", key)
            self.assertEqual(status, 401)
            self.assertNotIn("sessions", text)

    def test_without_write_nothing_can_be_changed(self):
        _, address = self.world.studio()
        self.visit(address, place("users", self.world.ann, app=APP))
        self.wait_text(".page section", "Start Studio with --write")
        self.assertTrue(self.page.run("return [...document.querySelectorAll('.page section[aria-label=User] button')].every((button) => button.disabled)"))

    def test_the_page_says_that_the_server_has_ended(self):
        world = ServerWorld(devices=0)
        try:
            _, address = world.studio()
            self.visit(address, place("overview"))
            self.wait_text(".live", "running")
            world.server.stop()
            self.wait_text(".live.off", "No server answers")
            world.start()
            self.wait_text(".live", "running")
        finally:
            world.close()


@unittest.skipUnless(os.environ.get("FREEHOLD_STUDIO_AXE"), "axe-core isn't installed")
class AccessibilityTests(ServerTest):
    def test_no_screen_has_a_finding(self):
        with open(os.environ["FREEHOLD_STUDIO_AXE"]) as file:
            axe = file.read()
        screens = {"overview": (), "sessions": (), "refusals": (), "logs": (), "users": (self.world.ann,), "data": ("Thing",), "sight": ("Thing",), "rules": (), "backups": ()}
        for theme in ("light", "dark"):
            self.visit(self.server.address, place("overview"))
            self.wait_text(".live", "running")
            self.page.run("document.documentElement.dataset.theme = arguments[0]", theme)
            self.page.run(axe + "; window.axe = axe")
            for name, parts in screens.items():
                self.go(name, *parts, app=APP, user=self.world.users[0] if name == "sight" else None, object="1" if name == "data" else None)
                self.wait("return document.querySelector('.rail a[aria-current]')?.getAttribute('href').startsWith(`#/${arguments[0]}`) && document.querySelector('.page, .datapage').textContent.length > 20", name)
                found = self.page.run_async("const done = arguments[arguments.length - 1]; axe.run(document, { resultTypes: ['violations'] }).then((result) => done(result.violations.map((finding) => `${finding.id}: ${finding.nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`)))")
                self.assertEqual(found, [], f"{name} in {theme}")


if __name__ == "__main__":
    unittest.main()
