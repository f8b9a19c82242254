"""Measures Studio and its page, and prints a table in Markdown: measure.py [ROWS]

The times depend on the machine and on the build of the programs. Scripts/test-studio --measure uses a release build.
"""
import statistics
import sys
import time
import urllib.parse

from cases import place
from programs import World
from webdriver import Browser

# Records the time between frames while an action scrolls the table.
FRAMES = """
    const [kind, done] = arguments, grid = document.querySelector('[role=grid]'), frames = [], gaps = [];
    let last = 0, waiting = 0, step = 0;
    const steps = { fling: (at) => { grid.scrollTop += Math.max(2, 90 - at / 3); }, drag: (at) => { grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * (at / 300); }, jumps: (at) => { if (at % 8 === 0) grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * ((at * 7919 % 1000) / 1000); } };
    grid.scrollTop = 0;
    const frame = (now) => {
        if (last) frames.push(now - last);
        last = now;
        const isMissing = document.querySelector('.line.waiting:not([hidden])') !== null;
        if (isMissing && !waiting) waiting = now;
        if (!isMissing && waiting) { gaps.push(now - waiting); waiting = 0; }
        if (step++ < 300) { steps[kind](step); requestAnimationFrame(frame); } else done([frames, gaps]);
    };
    requestAnimationFrame(frame);
"""
# Records the age of each value that another process has written, at the moment at which its cell changes.
AGES = """
    window.ages = [];
    const heads = [...document.querySelectorAll('.head [role=columnheader]')], at = heads.findIndex((head) => head.querySelector('.cut')?.textContent === 'value');
    new MutationObserver((changes) => {
        const now = Date.now();
        for (const cell of new Set(changes.map(({ target }) => (target.nodeType === Node.TEXT_NODE ? target.parentElement : target)?.closest('[role=gridcell]')))) {
            if (!cell || [...cell.parentElement.children].indexOf(cell) !== at) continue;
            const value = Number(cell.textContent);
            if (value > 1e12) ages.push(now - value);
        }
    }).observe(document.querySelector('.pool'), { childList: true, subtree: true, characterData: true });
    return true
"""


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] if values else float("nan")


def summary(values):
    return f"p50 {percentile(values, 0.5):.1f}, p95 {percentile(values, 0.95):.1f}, p99 {percentile(values, 0.99):.1f} ms"


def anonymous_memory(process):
    try:
        with open(f"/proc/{process}/status") as status:
            return next(int(line.split()[1]) / 1024 for line in status if line.startswith("RssAnon"))
    except OSError:
        return float("nan")


def metrics(browser):
    return {entry["name"]: entry["value"] for entry in browser.command("Performance.getMetrics")["metrics"]}


def main(rows):
    lines = []
    world, browser = World(rows=rows), Browser((1440, 900))
    try:
        whole, page = [], []
        for _ in range(10):
            started = time.time()
            program, address = world.studio(world.file)
            base, key = address.split("/#key=")
            browser.open(f"{base}/#key={key}&to=" + urllib.parse.quote(place("data", "Row")[1:], safe=""))
            shown = browser.wait("return performance.getEntriesByName('freehold-rows')[0]?.startTime ?? null")
            origin = browser.run("return performance.timeOrigin") / 1000
            whole.append((origin + shown / 1000 - started) * 1000)
            page.append(shown)
            browser.open("about:blank")
            if len(whole) < 10:
                program.stop()
        lines.append(("start of the program to rows on the screen; the page alone", f"median {statistics.median(whole):.0f}; {statistics.median(page):.0f} ms"))
        browser.open(f"{base}/#key={key}&to=" + urllib.parse.quote(place("data", "Row")[1:], safe=""))
        browser.wait("return document.querySelectorAll('.line').length > 5")
        browser.command("Performance.enable")
        for kind in ("fling", "drag", "jumps"):
            before = metrics(browser)["ScriptDuration"]
            frames, gaps = browser.run_async(FRAMES, kind)
            script = (metrics(browser)["ScriptDuration"] - before) * 1000 / len(frames)
            lines.append((f"frames: {kind}", f"{summary(frames)}; script {script:.2f} ms a frame"))
            lines.append((f"rows missing on the screen: {kind}", f"{len(gaps)} times, longest {max(gaps, default=0):.0f} ms"))
        browser.run("document.querySelector('[role=grid]').scrollTop = 0")
        browser.wait("return document.querySelector('.line[aria-rowindex=\"2\"]:not(.waiting)') !== null")
        browser.run(AGES)
        writer = world.writer()
        for number in range(50):
            writer(f"bump {number % 15}")
            time.sleep(0.05)
        lines.append(("commit of another process to the screen, 20 a second", summary(browser.run("return ages"))))
        browser.run("ages.length = 0")
        commits = int(writer("run 5"))
        time.sleep(0.3)
        lines.append((f"the same, {commits / 5:.0f} a second", summary(browser.run("return ages"))))
        values = metrics(browser)
        lines.append(("memory: heap of the page; of the program without pages of the file", f"{values['JSHeapUsedSize'] / 2**20:.1f} MiB; {anonymous_memory(program.process.pid):.1f} MiB"))
    finally:
        browser.close()
        world.close()
    print(f"| {rows:,} objects | |\n|---|---|")
    for name, value in lines:
        print(f"| {name} | {value} |")


main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
