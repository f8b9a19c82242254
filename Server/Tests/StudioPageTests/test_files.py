"""The start page, encrypted files, Realm files, files of other formats, and the end of the program."""
import os
import shutil
import time
import unittest

from cases import PageTest, place
from webdriver import free_port

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "Tests", "RealmFileReaderTests", "Fixtures")


class StartTests(PageTest):
    def tearDown(self):
        super().tearDown()
        self.page.open("about:blank")
        self.program.stop()
        self.page.log("browser")

    def studio(self, *arguments, start=None):
        self.program, address = self.all.world.studio(*arguments)
        self.visit(address, start)
        return address

    def test_the_start_page_has_recent_files(self):
        self.studio()
        self.wait_text("h1", "Freehold Studio")
        self.wait_text(".files", "fieldnotes.realm")
        self.page.run("[...document.querySelectorAll('.files button')].find((button) => button.textContent.includes('fieldnotes.realm')).click()")
        self.wait("return document.querySelector('.side .item') !== null")

    def test_a_realm_file_is_read_and_converted(self):
        path = self.all.world.path("old.realm")
        shutil.copy(os.path.join(FIXTURES, "format24-copy.realm"), path)
        with open(path, "rb") as file:
            before = file.read()
        self.studio(path, "--write")
        self.wait_text(".side", "Realm file")
        self.wait_text(".live", "not live")
        self.go("file")
        self.wait_text("section[aria-label=Conversion] h2", "Conversion")
        self.assertFalse(self.page.run("return document.querySelector('section[aria-label=Conversion] .error') !== null"))
        self.assertGreater(len(self.text("section[aria-label=Conversion] pre")), 3)
        self.go("transfer", "realm")
        self.press_button("Dry run")
        self.wait_text("main [role=status]", "can be converted")
        data = self.download(lambda: self.press_button("Convert…"))
        self.assertGreater(len(data), 4096)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), before, "the Realm file was changed")

    def test_a_file_of_an_unknown_format_is_not_opened(self):
        path = self.all.world.path("other.realm")
        with open(path, "wb") as file:
            file.write(b"not a database" * 1000)
        self.studio(path)
        self.wait("return document.querySelector('.empty p')?.textContent.length > 10")
        with open(path, "rb") as file:
            self.assertEqual(file.read(), b"not a database" * 1000)

    def test_two_files_have_addresses(self):
        other = self.all.world.make("other-world.realm", 50)
        self.studio(self.all.world.file, other)
        self.wait("return document.querySelector('.side .item') !== null")
        self.assertIn("file=", self.page.run("return document.querySelector('.rail a').getAttribute('href')"))
        self.press_button("Other files")
        self.page.run("[...document.querySelectorAll('.files button')].find((button) => button.textContent.includes('other-world')).click()")
        self.wait_text(".side h1", "other-world.realm")
        self.go("transfer", "compare")

    def test_the_end_of_the_program_is_shown(self):
        self.expected = ("WebSocket connection",)
        port = str(free_port())
        self.studio(self.all.world.file, "--port", port)
        self.wait("return document.querySelector('.side .item') !== null")
        self.program.stop()
        self.wait_text(".banner", "has ended")
        self.wait_text(".banner", "open the address that it prints")
        self.program, address = self.all.world.studio(self.all.world.file, "--port", port)
        # The page keeps the last state, and sends the program that was started again no wrong key.
        time.sleep(1.5)
        self.wait_text(".banner", "has ended")
        self.assertIsNotNone(self.text(".side .item"))
        self.page.run("location.reload()")
        self.wait_text("main", "isn't valid any more")
        self.visit(address)
        self.wait("return document.querySelector('.side .item') !== null")

    def test_a_lost_connection_is_made_again(self):
        self.expected = ("WebSocket connection", "ERR_CONNECTION_REFUSED")
        port = str(free_port())
        self.studio(self.all.world.file, "--port", port)
        self.wait("return document.querySelector('.side .item') !== null")
        self.program.process.kill()
        self.program.process.wait()
        self.wait_text(".banner", "connection to the program was lost")
        self.program, address = self.all.world.studio(self.all.world.file, "--port", port)
        # A program that was started again has another key.
        self.wait_text("main", "isn't valid any more")
        self.visit(address)
        self.wait("return document.querySelector('.side .item') !== null")

    def test_an_encrypted_file_needs_its_key(self):
        path = self.all.world.make("secret.realm", 20, key=True)
        self.studio(path)
        self.wait_text("h1", "secret.realm")
        self.focus("#file-key")
        self.page.type("00" * 64)
        self.press("Enter")
        self.wait("return document.querySelector('[role=alert]:not([hidden])')?.textContent.length > 3")
        self.focus("#file-key")
        self.page.type("07" * 64)
        self.press("Enter")
        self.wait_text(".side", "encrypted")


if __name__ == "__main__":
    unittest.main()
