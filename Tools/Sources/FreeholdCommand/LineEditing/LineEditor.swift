import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A reader of lines from a terminal, with editing keys, earlier lines and completion.
///
/// ``EditLine``, ``HistoryBrowser``, ``HistorySearch`` and ``Completion`` implement the keys independently of a
/// terminal. This class reads bytes and draws.
final class LineEditor {
    enum Input: Equatable {
        case line(String)
        /// The line was discarded with the corresponding key.
        case cancelled
        case end
    }

    private let complete: (_ line: String, _ cursor: Int) -> Completion?
    private var entries: [String]
    private var decoder = KeyDecoder()
    /// The keys that were typed ahead.
    private var keys: [Key] = []

    // The state while a line is read:
    private var prompt = ""
    private var line = EditLine()
    private var browser = HistoryBrowser([])
    private var search: HistorySearch?
    /// The row of the line in which the terminal's cursor is.
    private var cursorRow = 0

    /// Creates an editor.
    ///
    /// - Parameters:
    ///   - history: The earlier lines, the latest last.
    ///   - complete: Returns the possible texts at a position of a line, in characters.
    init(history: [String], complete: @escaping (_ line: String, _ cursor: Int) -> Completion?) {
        entries = history
        self.complete = complete
    }

    /// Adds a line to the earlier lines.
    func remember(_ line: String) {
        if entries.last != line { entries.append(line) }
    }

    /// Reads one line. The terminal has its former state when this returns.
    func read(prompt: String) -> Input {
        guard TerminalMode.readKeys() else { return .end }
        TerminalOutput.write("\u{1B}[?2004h")
        defer { TerminalMode.restore() }
        self.prompt = prompt
        line = EditLine()
        browser = HistoryBrowser(entries)
        search = nil
        cursorRow = 0
        while true {
            while !keys.isEmpty {
                if let input = take(keys.removeFirst()) { return input }
            }
            draw()
            guard wait() else {
                leaveLine()
                return .end
            }
        }
    }

    // MARK: Bytes

    /// Waits for keys, or for a change of the window's size.
    ///
    /// - Returns: A Boolean value that indicates whether the terminal still exists.
    private func wait() -> Bool {
        while keys.isEmpty {
            var sources = [
                pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
                pollfd(fd: Signals.windowChanges, events: Int16(POLLIN), revents: 0),
            ]
            // The remaining bytes of a key's sequence arrive immediately.
            let ready = poll(&sources, nfds_t(sources.count), decoder.isWaiting ? 50 : -1)
            if ready < 0 {
                if errno == EINTR { continue }
                return false
            }
            if ready == 0 {
                keys += decoder.flush()
                continue
            }
            if sources[1].revents != 0 {
                Signals.takeWindowChanges()
                return true
            }
            if sources[0].revents != 0, !readKeys() { return false }
        }
        return true
    }

    private func readKeys() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = systemRead(&bytes)
        if count < 0, errno == EINTR || errno == EAGAIN { return true }
        guard count > 0 else { return false }
        keys += decoder.feed(bytes[..<count])
        return true
    }

    private func systemRead(_ bytes: inout [UInt8]) -> Int {
        #if canImport(Glibc)
            Glibc.read(0, &bytes, bytes.count)
        #elseif canImport(Musl)
            Musl.read(0, &bytes, bytes.count)
        #else
            Darwin.read(0, &bytes, bytes.count)
        #endif
    }

    // MARK: Keys

    /// - Returns: The result that ends the line, or nil if the line continues.
    private func take(_ key: Key) -> Input? {
        if search != nil, takeSearching(key) { return nil }
        switch key {
        case .enter:
            leaveLine()
            return .line(line.text)
        case .control("c"):
            leaveLine(with: "^C")
            return .cancelled
        case .control("d") where line.isEmpty:
            leaveLine()
            return .end
        case .control("d"): line.delete()
        case .up, .control("p"):
            if let earlier = browser.previous(line.text) { line.set(earlier) }
        case .down, .control("n"):
            if let later = browser.next() { line.set(later) }
        case .control("r"): search = HistorySearch(entries)
        case .control("l"):
            TerminalOutput.write("\u{1B}[H\u{1B}[2J")
            cursorRow = 0
        case .control("z"): suspend()
        case .tab: completeLine()
        default: _ = line.apply(key)
        }
        return nil
    }

    /// - Returns: A Boolean value that indicates whether the key belongs to the search. Otherwise the search ends, and
    ///   its match is the line.
    private func takeSearching(_ key: Key) -> Bool {
        switch key {
        case .character(let character): search?.append(character)
        case .backspace: search?.backspace()
        case .control("r"): search?.older()
        case .control("g"), .control("c"), .escape: search = nil
        default:
            if let match = search?.match { line.set(match) }
            search = nil
            return false
        }
        return true
    }

    private func completeLine() {
        guard let completion = complete(line.text, line.cursor) else { return TerminalOutput.write("\u{7}") }
        let (changed, list) = completion.applied(to: line)
        if list.isEmpty {
            if changed == line { TerminalOutput.write("\u{7}") }
            line = changed
            return
        }
        let rows = Completion.table(list, columns: TerminalOutput.size.columns)
        leaveLine()
        TerminalOutput.write(rows.map { $0 + "\r\n" }.joined())
    }

    /// Stops the process, like the key does elsewhere, until the shell that started it continues it.
    private func suspend() {
        leaveLine()
        TerminalMode.restore()
        kill(getpid(), SIGTSTP)
        _ = TerminalMode.readKeys()
        TerminalOutput.write("\u{1B}[?2004h")
    }

    // MARK: Drawing

    private func draw() {
        let size = TerminalOutput.size
        let layout: LineLayout
        if let search {
            layout = LineLayout(prompt: search.prompt, line: EditLine(search.match ?? ""), columns: size.columns)
        } else {
            layout = LineLayout(prompt: prompt, line: line, columns: size.columns)
        }
        let drawing = layout.drawing(from: cursorRow, height: size.rows)
        cursorRow = drawing.cursorRow
        TerminalOutput.write(drawing.text)
    }

    /// Shows the whole line, and moves to the row below it.
    private func leaveLine(with mark: String = "") {
        var whole = line
        whole.end()
        let layout = LineLayout(prompt: prompt, line: whole, columns: TerminalOutput.size.columns)
        TerminalOutput.write(
            layout.drawing(from: cursorRow, height: TerminalOutput.size.rows).text + mark + "\r\n"
        )
        cursorRow = 0
    }
}
