import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads lines from a terminal, with keys to edit them, earlier lines and completion.
///
/// What keys do is decided by ``EditLine``, ``HistoryBrowser``, ``HistorySearch`` and ``Completion``, which know no
/// terminal. This reads bytes and draws.
final class LineEditor {
    enum Input: Equatable {
        case line(String)
        /// The line was given up, with the key for it.
        case cancelled
        case end
    }

    private let complete: (_ line: String, _ cursor: Int) -> Completion?
    private var entries: [String]
    private var decoder = KeyDecoder()
    /// Typed ahead.
    private var keys: [Key] = []

    // While a line is read:
    private var prompt = ""
    private var line = EditLine()
    private var browser = HistoryBrowser([])
    private var search: HistorySearch?
    /// At which row of the line the terminal's cursor stands.
    private var cursorRow = 0

    /// - Parameters:
    ///   - history: earlier lines, the latest last.
    ///   - complete: what could stand at a place of a line, in characters.
    init(history: [String], complete: @escaping (_ line: String, _ cursor: Int) -> Completion?) {
        entries = history
        self.complete = complete
    }

    /// Makes a line one of the earlier ones.
    func remember(_ line: String) {
        if entries.last != line { entries.append(line) }
    }

    /// Reads one line. The terminal is as it was before when this returns.
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

    /// Waits until there are keys, or the window has another size.
    ///
    /// - Returns: whether there is a terminal still.
    private func wait() -> Bool {
        while keys.isEmpty {
            var sources = [
                pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
                pollfd(fd: Signals.windowChanges, events: Int16(POLLIN), revents: 0),
            ]
            // The rest of a key's sequence comes at once.
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

    /// - Returns: what ends the line; nil where it goes on.
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

    /// - Returns: whether the key was about the search; else that is over, and its match is the line.
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

    /// Stops the process, as the key does elsewhere, until the shell that started it lets it go on.
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

    /// Shows all of the line, and goes to the row below it.
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
