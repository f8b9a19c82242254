import Foundation
import Testing

@testable import FreeholdCommand

/// Tests of the shell's line editor without a terminal.
struct LineEditingTests {
    private func keys(_ text: String) -> [Key] {
        var decoder = KeyDecoder()
        return decoder.feed(Array(text.utf8)) + decoder.flush()
    }

    /// Returns the line after some keys.
    private func line(_ text: String) -> EditLine {
        var line = EditLine()
        for key in keys(text) { _ = line.apply(key) }
        return line
    }

    // MARK: Keys

    @Test(
        arguments: [
            ("a", [.character("a")]),
            ("é漢👩‍👩", [.character("é"), .character("漢"), .character("👩"), .character("\u{200D}"), .character("👩")]),
            ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]), ("\u{7F}", [.backspace]), ("\u{8}", [.backspace]),
            ("\u{1}\u{1A}", [.control("a"), .control("z")]), ("\u{1B}", [.escape]),
            ("\u{1B}\u{1B}", [.escape, .escape]),
            ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]), ("\u{1B}OA\u{1B}OH", [.up, .home]),
            ("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~\u{1B}[3~", [.home, .end, .home, .end, .delete]),
            ("\u{1B}[1;5C\u{1B}[1;3D", [.wordRight, .wordLeft]),
            ("\u{1B}b\u{1B}\u{7F}", [.meta("b"), .meta("\u{7F}")]),
            ("\u{1B}[200~a\nb\u{1B}[Ac\u{1B}[201~d", [.paste("a\nb\u{1B}[Ac"), .character("d")]),
            ("\u{1B}[99;99;99~x", [.unknown, .character("x")]), ("\u{85}x", [.unknown, .character("x")]),
        ] as [(String, [Key])]
    )
    func `bytes become keys`(text: String, expected: [Key]) {
        expectEqual(keys(text), expected)
    }

    @Test func `bytes may come in pieces of any size`() {
        let text = "é漢\u{1B}[1;5C\u{1B}[200~1\u{1B}2\u{1B}[201~\u{1B}OAz"
        let bytes = Array(text.utf8)
        let whole = keys(text)
        for size in 1..<bytes.count {
            var decoder = KeyDecoder()
            var found: [Key] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                found += decoder.feed(bytes[start..<min(start + size, bytes.count)])
            }
            expect(found == whole && !decoder.isWaiting, "pieces of \(size)")
        }
    }

    @Test func `any bytes are decoded to their end`() {
        var random = SeededRandom(test: "bytes of keys")
        let count = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] == nil ? 100 : 5_000
        var cases = 0
        for _ in 0..<count {
            cases += 1
            var decoder = KeyDecoder()
            var line = EditLine()
            let bytes = (0..<200).map { _ in
                // Escape characters, and characters that often follow them.
                Bool.random(using: &random)
                    ? UInt8.random(in: 0...255, using: &random)
                    : Array("\u{1B}[O;1~ACé".utf8).randomElement(using: &random)!
            }
            for key in decoder.feed(bytes) + decoder.flush() { _ = line.apply(key) }
            expect(line.cursor <= line.characters.count)
            expect(!line.text.unicodeScalars.contains { $0.value < 0x20 })
            let layout = LineLayout(prompt: "> ", line: line, columns: 7)
            expect(layout.cursorColumn < 7 && layout.cursorRow < layout.rows.count)
        }
        print("LineEditingTests: \(cases) inputs")
        expectEqual(cases, count)
    }

    @Test func `bytes that aren't text become replacement characters`() {
        var decoder = KeyDecoder()
        expectEqual(decoder.feed([0xFF, 0x41, 0xC3]), [.character("\u{FFFD}"), .character("A")])
        expect(decoder.isWaiting)
        expectEqual(decoder.feed([0x41]), [.character("\u{FFFD}"), .character("A")])
        expect(
            decoder.feed([0xE6, 0xBC]) == [] && decoder.flush() == [.character("\u{FFFD}"), .character("\u{FFFD}")]
        )
    }

    // MARK: Editing

    @Test(
        arguments: [
            ("abc", "abc", 3), ("abc\u{7F}", "ab", 2), ("abc\u{1}x", "xabc", 1), ("abc\u{2}\u{2}\u{4}", "abc", 1),
            ("abc\u{1B}[D\u{1B}[3~", "ab", 2), ("one two\u{17}", "one ", 4), ("one two\u{1B}b\u{B}", "one ", 4),
            ("one two\u{15}", "", 0), ("one two\u{15}x\u{19}", "xone two", 8), ("ab\u{14}", "ba", 2),
            ("one.two\u{1B}\u{7F}", "one.", 4), ("one two\u{1}\u{1B}d", " two", 0), ("ab\u{1}\u{14}", "ab", 0),
            ("\u{7F}\u{4}\u{14}\u{17}\u{1B}d", "", 0), ("\u{1B}[200~x\r\ny\u{7}\tz\u{1B}[201~", "x y z", 5),
            // An accent is combined with its letter, and both are deleted together.
            ("e\u{301}x", "e\u{301}x", 2), ("e\u{301}\u{7F}", "", 0), ("👩‍👩\u{7F}", "", 0), ("🇩🇪\u{7F}x", "x", 1),
        ]
    )
    func `keys edit the line`(typed: String, text: String, cursor: Int) {
        let line = line(typed)
        expect(line.text == text && line.cursor == cursor)
    }

    @Test func `a line has a limit`() {
        var line = EditLine(String(repeating: "x", count: EditLine.limit - 1))
        line.insert("ab")
        expectEqual(line.characters.count, EditLine.limit - 1)
        line.insert("a")
        expectEqual(line.characters.count, EditLine.limit)
    }

    // MARK: On the terminal

    @Test(
        arguments: [
            ("> ", "abc", 3, 10, ["> abc"], 0, 5), ("> ", "abcdef", 6, 5, ["> abc", "def"], 1, 3),
            // The cursor is after a full row.
            ("> ", "abc", 3, 5, ["> abc", ""], 1, 0), ("> ", "abc", 0, 5, ["> abc"], 0, 2),
            // A wide character that doesn't fit leaves a column empty.
            ("> ", "ab漢c", 4, 5, ["> ab", "漢c"], 1, 3), ("> ", "ab漢c", 2, 5, ["> ab", "漢c"], 1, 0),
            ("", "漢漢", 2, 3, ["漢", "漢"], 1, 2), ("> ", "e\u{301}x", 2, 10, ["> e\u{301}x"], 0, 4),
            // A mark that would reverse the direction of the line is shown as an escape.
            ("", "\u{202E}x", 2, 20, ["\\u{202e}x"], 0, 9),
        ] as [(String, String, Int, Int, [String], Int, Int)]
    )
    func `a line is laid out in rows`(
        prompt: String,
        text: String,
        cursor: Int,
        columns: Int,
        rows: [String],
        row: Int,
        column: Int
    ) {
        var line = EditLine(text)
        while line.cursor > cursor { line.left() }
        let layout = LineLayout(prompt: prompt, line: line, columns: columns)
        expect(layout.rows == rows && layout.cursorRow == row && layout.cursorColumn == column, "\(layout)")
    }

    @Test func `a drawing begins at the first row, and leaves the cursor at its place`() {
        var line = EditLine("abcdef")
        line.left()
        let layout = LineLayout(prompt: "> ", line: line, columns: 5)
        expect(layout.drawing(from: 2, height: 24) == ("\u{1B}[2A\r\u{1B}[J> abc\r\ndef\r\u{1B}[2C", 1))
        line.home()
        let above = LineLayout(prompt: "> ", line: line, columns: 5)
        expect(above.drawing(from: 0, height: 24) == ("\r\u{1B}[J> abc\r\ndef\u{1B}[1A\r\u{1B}[2C", 0))
        // If a line is higher than the window, the part with the cursor is drawn.
        let high = LineLayout(prompt: "", line: EditLine("aabbccd"), columns: 2)
        expect(high.drawing(from: 0, height: 2) == ("\r\u{1B}[Jcc\r\nd\r\u{1B}[1C", 1))
    }

    // MARK: History

    @Test func `earlier lines come and go, and the new one comes back`() {
        var browser = HistoryBrowser(["one", "two"])
        expect(browser.previous("new") == "two" && browser.previous("two") == "one" && browser.previous("one") == nil)
        expect(browser.next() == "two" && browser.next() == "new" && browser.next() == nil)
        var empty = HistoryBrowser([])
        expect(empty.previous("x") == nil && empty.next() == nil)
    }

    @Test func `a search finds the latest line first, then older ones`() {
        var search = HistorySearch(["Dog age > 3", "Person", "Dog name"])
        search.append("D")
        search.append("o")
        expectEqual(search.match, "Dog name")
        search.append("g")
        search.older()
        expectEqual(search.match, "Dog age > 3")
        search.older()
        expect(search.hasFailed && search.match == "Dog age > 3" && search.prompt.contains("nothing"))
        search.backspace()
        expect(search.match == "Dog name" && !search.hasFailed)
    }

    // MARK: Completion

    @Test func `a tab completes what is certain, and lists what isn't`() {
        func applied(_ text: String, _ start: Int, candidates: [String]) -> (String, [String]) {
            let completion = Completion(start: start, candidates: candidates.map { Completion.Candidate(text: $0) })
            let (line, list) = completion.applied(to: EditLine(text))
            return (line.text, list)
        }
        expect(applied("Per", 0, candidates: ["Person"]) == ("Person ", []))
        expect(applied("Person na", 7, candidates: ["name", "nameless"]) == ("Person name", []))
        expect(applied("Person name", 7, candidates: ["name", "nameless"]) == ("Person name", ["name", "nameless"]))
        expect(applied("Person b", 7, candidates: ["BEGINSWITH", "BETWEEN"]) == ("Person BE", []))
        expectEqual(Completion.table(["aa", "b", "c", "d", "e"], columns: 8), ["aa  d", "b   e", "c"])
        expectEqual(Completion.table((0..<250).map { "\($0)" }, columns: 4).last, "… and 50 more")
    }
}
