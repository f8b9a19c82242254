"""The base of the browser tests: one browser and one world for all of them, and the checks after each test."""
import atexit
import json
import os
import time
import unittest
import urllib.parse

from programs import World
from webdriver import WAIT, Browser

# A folder for pictures of the page at the end of tests that failed.
PICTURES = os.environ.get("FREEHOLD_STUDIO_FAILURES")
ALLOWED = ("data:", "blob:", "about:", "chrome:", "devtools:")


class Shared:
    browser = None
    world = None
    address = None
    writer = None


def shared():
    if Shared.browser is None:
        Shared.world = World()
        atexit.register(Shared.world.close)
        Shared.browser = Browser()
        atexit.register(Shared.browser.close)
        _, Shared.address = Shared.world.studio(Shared.world.file, "--write")
        Shared.writer = Shared.world.writer()
    return Shared


def place(screen, *parts, **options):
    """The address of a state of the page."""
    path = "/".join(urllib.parse.quote(part, safe="") for part in (screen, *parts))
    query = urllib.parse.urlencode({name: value for name, value in options.items() if value is not None})
    return f"#/{path}" + (f"?{query}" if query else "")


class PageTest(unittest.TestCase):
    """A test that begins with the page of the shared file, on the screen of the data."""

    start = place("data", "Specimen")
    size = (1440, 900)

    def setUp(self):
        self.all = shared()
        self.page = self.all.browser
        self.page.resize(self.size)
        self.page.log("browser"), self.page.log("performance")
        self.expected = ()
        self.visit(self.all.address, self.start)

    def tearDown(self):
        if PICTURES and not getattr(self._outcome, "success", True):
            self.page.picture(os.path.join(PICTURES, f"{self.id()}.png"))
        self.check_console()
        self.check_requests()

    def check_console(self):
        """Checks that the console has no error, no warning and no report of the policy."""
        bad = [entry["message"] for entry in self.page.log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        bad = [text for text in bad if not any(part in text for part in self.expected)]
        self.assertEqual(bad, [], "messages in the console")

    def check_requests(self):
        """Checks that the page sent no request to another host."""
        for entry in self.page.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
                address = message["params"].get("request", message["params"])["url"]
                if not address.startswith(ALLOWED):
                    self.assertEqual(urllib.parse.urlsplit(address).hostname, "127.0.0.1", address)

    def visit(self, address, start=None):
        """Opens the address of a program, and then a state of its page."""
        base, key = address.split("/#key=")
        self.base = base
        self.page.open("about:blank")
        self.page.open(f"{base}/#key={key}" + (f"&to={urllib.parse.quote(start[1:], safe='')}" if start else ""))
        self.page.wait("return document.querySelector('main') !== null")

    def go(self, *parts, **options):
        """Shows a state of the page, as a link would."""
        self.page.run("history.pushState(null, '', arguments[0]); dispatchEvent(new PopStateEvent('popstate'))", place(*parts, **options))

    def wait(self, script, *arguments, seconds=None):
        return self.page.wait(script, *arguments, seconds=seconds)

    def text(self, selector):
        return self.page.run("return document.querySelector(arguments[0])?.textContent ?? null", selector)

    def wait_text(self, selector, part):
        try:
            return self.wait("return [...document.querySelectorAll(arguments[0])].some((element) => element.getClientRects().length > 0 && element.textContent.includes(arguments[1]))", selector, part)
        except AssertionError:
            raise AssertionError(f"{part!r} isn't in {selector}: {self.page.run('return [...document.querySelectorAll(arguments[0])].map((element) => element.textContent).join(String.fromCharCode(10)).slice(0, 1500)', selector)!r}") from None

    def press(self, *chords):
        self.page.press(*chords)

    def focus(self, selector):
        self.wait("const element = document.querySelector(arguments[0]); element?.focus(); return document.activeElement === element && element !== null", selector)

    def press_button(self, label, within="body"):
        """Clicks the visible button or link with this text or label."""
        self.wait("""
            const named = (element) => (element.getAttribute('aria-label') ?? element.textContent).trim();
            const all = [...document.querySelectorAll(`${arguments[1]} button, ${arguments[1]} a, ${arguments[1]} summary`)].filter((element) => element.getClientRects().length > 0 && !element.disabled);
            const button = all.find((element) => named(element) === arguments[0]) ?? all.find((element) => named(element).startsWith(arguments[0]));
            button?.click();
            return button !== undefined""", label, within)

    def focus_grid(self):
        self.focus("[role=grid]")
        self.rows()

    def rows(self):
        """Waits until the visible rows have arrived."""
        self.wait("const lines = [...document.querySelectorAll('.line')].filter((line) => !line.hidden); return lines.length > 0 && lines.every((line) => !line.classList.contains('waiting'))")

    def count(self):
        return int(self.page.run("return document.querySelector('[role=grid]').getAttribute('aria-rowcount')")) - 1

    def wait_count(self, number):
        self.wait("return Number(document.querySelector('[role=grid]').getAttribute('aria-rowcount')) - 1 === arguments[0]", number)

    def cell(self, row, column):
        """The text of a cell that is on the screen, by its row (from 1) and the name of its column."""
        return self.page.run("""
            const heads = [...document.querySelectorAll('.head [role=columnheader]')], at = heads.findIndex((head) => head.querySelector('.cut')?.textContent === arguments[1]);
            const line = document.querySelector(`.line[aria-rowindex="${arguments[0] + 1}"]`);
            return line?.children[at]?.textContent ?? null""", row, column)

    def wait_cell(self, row, column, text):
        end = time.time() + WAIT
        while (found := self.cell(row, column)) != text:
            if time.time() > end:
                self.fail(f"{column} of row {row} is {found!r}, not {text!r}")
            time.sleep(0.05)

    def move_to(self, column):
        """Moves the focus of the table to a column, with keys."""
        self.focus_grid()
        position = self.page.run("return [...document.querySelectorAll('.head [role=columnheader]')].findIndex((head) => head.querySelector('.cut')?.textContent === arguments[0]) - 1", column)
        self.assertGreaterEqual(position, 0, f"there is no column {column}")
        self.press("Home", *["Right"] * position)

    def query(self, text, runs=True):
        """Types a query and runs it."""
        self.focus(".editor textarea")
        self.press("Control+a", "Delete")
        self.page.type(text)
        if runs:
            self.press("Control+Enter")

    def download(self, action):
        """Runs an action and returns the contents of the file that the browser saves."""
        folder = self.all.world.path("downloads")
        os.makedirs(folder, exist_ok=True)
        before = set(os.listdir(folder))
        self.page.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
        action()
        end = time.time() + WAIT
        while time.time() < end:
            new = [name for name in set(os.listdir(folder)) - before if not name.endswith(".crdownload") and not name.startswith(".")]
            if new:
                with open(os.path.join(folder, new[0]), "rb") as file:
                    return file.read()
            time.sleep(0.05)
        raise AssertionError("nothing was saved")
