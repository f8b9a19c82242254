"""Makes the pictures of docs/studio-guide.md and docs/studio-servers.md: pictures.py FOLDER"""
import os
import sys
import time
import urllib.parse

from cases import place
from programs import World
from servers import APP, ServerWorld
from webdriver import Browser

PICTURES = {
    "data": (place("data", "Specimen", query='code > 9007199254740990 AND species.name BEGINSWITH "P"\nSORT(collected DESC)', plan="1", object="10", theme="light"), "return document.querySelectorAll('.plan rect').length > 0 && document.querySelectorAll('.inspector .field').length > 8"),
    "schema": (place("schema", "Specimen", theme="light"), "return document.querySelectorAll('.card').length > 4 && document.querySelector('.swift').textContent.length > 20"),
    "history": (place("history", theme="light"), "return document.querySelectorAll('.diff .change').length > 0"),
    "file": (place("file", theme="dark"), "return document.querySelectorAll('.areas rect').length > 5"),
    "map": (place("data", "Specimen", map="place", values=None, object="10", theme="dark"), "return document.querySelectorAll('.mapview .point').length > 10"),
}


def take(browser, address, name, state, ready, folder):
    base, key = address.split("/#key=")
    browser.open("about:blank")
    browser.open(f"{base}/#key={key}&to={urllib.parse.quote(state[1:], safe='')}")
    browser.wait(ready)
    # Pictures and fonts arrive after the elements.
    time.sleep(0.8)
    browser.picture(os.path.join(folder, f"{name}.png"))
    print(os.path.join(folder, f"{name}.png"))


def files(browser, folder):
    world = World(rows=20_000)
    try:
        _, address = world.studio(world.file, "--write")
        writer = world.writer()
        for number in range(12):
            writer("insert" if number % 5 == 0 else f"bump {number}")
        for name, (state, ready) in PICTURES.items():
            take(browser, address, name, state, ready, folder)
            writer("bump 3")
    finally:
        world.close()


def servers(browser, folder):
    world = ServerWorld(devices=40)
    try:
        for number in range(2, 40):
            world.order(f"write {number} {number} {world.users[number] if number % 4 else 'another-user'}")
        world.order(f"write 0 1 {world.users[0]}")
        world.order("conflict 1")
        # The page shows the folder as it was named.
        os.chdir(world.root)
        world.folder = "server"
        _, address = world.studio("--write")
        lines = "return (document.querySelector('[data-figure=sessions] path')?.getAttribute('d').match(/L/g) ?? []).length >= 12"
        take(browser, address, "server-overview", place("overview", theme="light"), lines, folder)
        take(browser, address, "server-refusals", place("refusals", app=APP, theme="light"), "return document.querySelectorAll('tbody tr').length > 5", folder)
        take(browser, address, "server-sight", place("sight", "Thing", app=APP, user=world.users[5], theme="light"), "return document.querySelectorAll('tbody tr').length > 5", folder)
    finally:
        world.close()


def main(folder):
    folder = os.path.abspath(folder)
    os.makedirs(folder, exist_ok=True)
    browser = Browser((1360, 850))
    try:
        files(browser, folder)
        servers(browser, folder)
    finally:
        browser.close()


main(sys.argv[1])
