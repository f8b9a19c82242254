"""A client of WebDriver for Chromium, with Python's standard library."""
import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

# The codes of keys that WebDriver names by characters.
KEYS = {
    "Control": "\ue009", "Shift": "\ue008", "Alt": "\ue00a", "Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "Space": " ", "Backspace": "\ue003",
    "Delete": "\ue017", "Up": "\ue013", "Down": "\ue015", "Left": "\ue012", "Right": "\ue014", "Home": "\ue011", "End": "\ue010", "PageUp": "\ue00e", "PageDown": "\ue00f",
    "F2": "\ue032", "F6": "\ue036", "F10": "\ue03a",
}
# The seconds after which a condition has failed. Tests run on loaded machines.
WAIT = float(os.environ.get("FREEHOLD_STUDIO_WAIT", "60"))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def chromium():
    """Returns the paths of the browser and its driver, or None if one of them is missing."""
    browser = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class Browser:
    """A browser without a window, in a profile of its own."""

    def __init__(self, size=(1440, 900), scale=1):
        path, driver = chromium()
        self.home = tempfile.mkdtemp(prefix="freehold-browser-")
        port = free_port()
        self.driver = subprocess.Popen([driver, f"--port={port}", "--allowed-ips=127.0.0.1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        self.size, self.scale = size, scale
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
                     "--disable-dev-shm-usage", f"--user-data-dir={self.home}", f"--window-size={size[0]},{size[1]}"]
        self.await_driver()
        wanted = {"goog:chromeOptions": {"args": arguments, "binary": path, "prefs": {"download.default_directory": self.home, "download.prompt_for_download": False}},
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}, "unhandledPromptBehavior": "ignore"}
        self.session = "/session/" + self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        self.resize(size)

    def await_driver(self):
        for _ in range(600):
            try:
                return self.ask("GET", "/status")
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("chromedriver doesn't answer")

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=180) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"].split("\n")[0]) from None

    def command(self, name, **parameters):
        """Runs a command of the DevTools protocol."""
        return self.ask("POST", self.session + "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def resize(self, size):
        self.command("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=self.scale, mobile=False)

    def open(self, address):
        self.ask("POST", self.session + "/url", {"url": address})

    def run(self, script, *arguments):
        return self.ask("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        return self.ask("POST", self.session + "/execute/async", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments, seconds=None):
        """Waits until the script returns a true value, and returns it. A script that fails, because an element isn't there yet, is run again."""
        end = time.time() + (seconds or WAIT)
        while True:
            reason = ""
            try:
                value = self.run(script, *arguments)
                if value:
                    return value
            except RuntimeError as error:
                if not str(error).startswith("javascript error"):
                    raise
                reason = f" ({error})"
            if time.time() > end:
                raise AssertionError(f"not true after {seconds or WAIT} s{reason}: {script} {arguments}")
            time.sleep(0.03)

    def press(self, *chords):
        """Presses keys, such as "Control+Enter", "Down" or "a"."""
        actions = []
        for chord in chords:
            names = [chord] if len(chord) == 1 else chord.split("+")
            keys = [KEYS.get(name, name) for name in names]
            held, last = keys[:-1], keys[-1]
            actions += [{"type": "keyDown", "value": key} for key in held] + [{"type": "keyDown", "value": last}, {"type": "keyUp", "value": last}]
            actions += [{"type": "keyUp", "value": key} for key in reversed(held)]
        self.ask("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def type(self, text):
        actions = [{"type": kind, "value": character} for character in text for kind in ("keyDown", "keyUp")]
        self.ask("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def element(self, selector):
        return next(iter(self.ask("POST", self.session + "/element", {"using": "css selector", "value": selector}).values()))

    def upload(self, selector, path):
        self.ask("POST", f"{self.session}/element/{self.element(selector)}/value", {"text": path})

    def click(self, selector):
        self.ask("POST", f"{self.session}/element/{self.element(selector)}/click", {})

    def log(self, kind="browser"):
        return self.ask("POST", self.session + "/se/log", {"type": kind})

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("GET", self.session + "/screenshot")))

    def close(self):
        try:
            self.ask("DELETE", self.session)
        except (OSError, RuntimeError):
            pass
        self.driver.terminate()
        self.driver.wait(20)
        lock = os.path.join(self.home, "SingletonLock")
        if os.path.islink(lock):
            # A page that hangs outlives its driver.
            try:
                os.kill(int(os.readlink(lock).rsplit("-", 1)[1]), 15)
            except (OSError, ValueError):
                pass
        shutil.rmtree(self.home, ignore_errors=True)
