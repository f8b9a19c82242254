"""Functions of the page's modules, which run in the browser."""
import os
import re
import unittest

from cases import PageTest

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Sources", "StudioPage", "Page")


class SourceTests(unittest.TestCase):
    """Rules for the files of the page that no browser checks."""

    def files(self, kind):
        folder = os.path.join(PAGE, kind)
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name)) as file:
                yield name, file.read()

    def test_elements_are_created_in_one_module(self):
        for name, text in self.files("js"):
            if name != "dom.js":
                self.assertNotRegex(text, r"createElement|createDocumentFragment|importNode", name)

    def test_no_text_becomes_markup_or_code(self):
        for name, text in self.files("js"):
            self.assertNotRegex(text, r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|setAttribute\(\"style|setTimeout\(\"|DOMParser|srcdoc", name)

    def test_no_file_names_another_host(self):
        for kind in ("js", "css"):
            for name, text in self.files(kind):
                for address in re.findall(r"https?://[\w.]+", text):
                    self.assertEqual(address, "http://www.w3.org", name)

    def test_modules_of_the_start_are_loaded_at_once(self):
        texts, needed, waiting = dict(self.files("js")), set(), ["main.js"]
        while waiting:
            name = waiting.pop()
            if name not in needed:
                needed.add(name)
                waiting += re.findall(r'^import [^;]*? from "\./(\w+\.js)";', texts[name], re.M)
        with open(os.path.join(PAGE, "index.html")) as file:
            loaded = re.findall(r'<(?:link rel="modulepreload" href|script type="module" src)="/_/js/(\w+\.js)"', file.read())
        self.assertEqual(sorted(loaded), sorted(needed))

    def test_modules_are_short(self):
        for name, text in self.files("js"):
            self.assertLessEqual(len(text.splitlines()), 400, name)


class ModuleTests(PageTest):
    def module(self, name, expression, *arguments):
        """Imports a module of the page and evaluates an expression with its exports as `m`."""
        # The policy of the page forbids `Function`, so the expression is a part of the script.
        result = self.page.run_async(f"""
            const [name, a, done] = arguments, base = document.querySelector('script[type=module]').src.replace(/[^/]*$/, '');
            import(`${{base}}${{name}}.js`).then((m) => done({{ value: ({expression}) }})).catch((error) => done({{ error: String(error) }}))""", name, list(arguments))
        self.assertNotIn("error", result, result)
        return result["value"]

    def test_values_of_extended_json_are_short_texts(self):
        for value, text in (({"$date": {"$numberLong": "0"}}, "1970-01-01T00:00:00.000Z"), ({"$oid": "0" * 24}, "0" * 24), (None, "null"), ("a\u202e", "a\\u{202E}"), ({"a": 1}, '{"a":1}')):
            self.assertEqual(self.module("extended", "m.shortValue(a[0])", value), text)

    def test_dates_of_all_years(self):
        for value, text in ((["0", 0], "1970-01-01 00:00:00"), (["-62135596800", 0], "0001-01-01 00:00:00"), (["253402300799", 999999999], "9999-12-31 23:59:59.999999999"), (["-1", 500000000], "1969-12-31 23:59:59.500"), (["1700000000", 123456000], "2023-11-14 22:13:20.123456"), (["-62135596801", 0], "0000-12-31 23:59:59"), (["9223372036854775807", 0], "9223372036854775807 s since 1970")):
            self.assertEqual(self.module("format", "m.moment(a[0], 'UTC')", value), text)

    def test_dates_in_time_zones(self):
        for zone in ("Europe/Paris", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Africa/Monrovia", "Pacific/Apia"):
            different = self.module("format", """(() => {
                const format = new Intl.DateTimeFormat('sv-SE', { timeZone: a[0], dateStyle: 'short', timeStyle: 'medium' });
                return Array.from({ length: 4000 }, (_, i) => Math.floor((i * 2654435761 % 4294967296) * 0.99)).map((at) => [m.moment([String(at), 0], a[0]), format.format(new Date(at * 1000))]).filter(([x, y]) => x !== y).slice(0, 3);
            })()""", zone)
            self.assertEqual(different, [], zone)

    def test_invisible_characters_are_escapes(self):
        for text, shown in (("a\u202eb", "a\\u{202E}b"), ("a\nb\tc", "a\\nb\\tc"), ("\u0000", "\\0"), ("\u200b\ufeff", "\\u{200B}\\u{FEFF}"), ("plain ü 👩‍👩‍👧", "plain ü 👩‍👩‍👧")):
            self.assertEqual(self.module("format", "m.plain(a[0])", text), shown)

    def test_numbers_keep_their_digits(self):
        self.assertEqual(self.module("format", "m.grouped(a[0])", "-9223372036854775808").replace("\u2009", ""), "-9223372036854775808")
        self.assertEqual(self.module("format", "m.bytes(476000000)"), "476 MB")
        self.assertEqual(self.module("format", "m.duration(0.123)"), "0.12 ms")

    def test_addresses_are_read_back(self):
        for name in ("Person", "<b>/?#&", "a b+c%", "\u202e", "."):
            self.assertEqual(self.module("address", "m.parsed(m.address('data', [a[0]], { query: a[0], of: a[0] })).parts[0]", name), name)
            self.assertEqual(self.module("address", "m.parsed(m.address('data', [a[0]], { query: a[0] })).options.get('query')", name), name)

    def test_areas_fill_the_rectangle(self):
        areas = self.module("treemap", "m.treemap(a[0].map((size) => ({ size })), { x: 0, y: 0, width: 300, height: 200 })", [60, 30, 20, 10, 5, 1, 1])
        self.assertEqual(len(areas), 7)
        self.assertAlmostEqual(sum(area["width"] * area["height"] for area in areas), 60_000, delta=1)
        for area in areas:
            self.assertLessEqual(area["x"] + area["width"], 300.001)
            self.assertLessEqual(area["y"] + area["height"], 200.001)
            self.assertAlmostEqual(area["width"] * area["height"] / 60_000, area["item"]["size"] / 127, delta=0.001)

    def test_cards_of_any_schema_are_apart(self):
        for number in (1, 2, 7, 40):
            overlaps = self.module("layout", """(() => {
                const entries = Array.from({ length: a[0] }, (_, i) => ({ name: `C${i}`, lines: Array.from({ length: 1 + (i * 7) % 20 }), links: [{ line: 0, to: `C${(i * 3 + 1) % a[0]}`, isMany: false, isOwned: false }] }));
                const { place, ...rest } = m.placed(entries, { width: 1100, height: 800 }), boxes = [...place.values()].map((box) => ({ left: box.x, right: box.x + m.CARD, top: box.y, bottom: box.y + box.height }));
                const paths = m.routes(entries, { place, ...rest });
                return [boxes.length, paths.length, boxes.flatMap((p, i) => boxes.slice(i + 1).filter((q) => p.left < q.right && q.left < p.right && p.top < q.bottom && q.top < p.bottom)).length];
            })()""", number)
            self.assertEqual(overlaps, [number, number, 0])


if __name__ == "__main__":
    unittest.main()
