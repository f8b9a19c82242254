/// Goes through earlier lines while a line is edited. What was edited first comes back at the end.
struct HistoryBrowser {
    let entries: [String]
    /// Which entry is shown; their count for the line that is new.
    private(set) var position: Int
    private var draft = ""

    init(_ entries: [String]) {
        self.entries = entries
        position = entries.count
    }

    /// The entry before; nil at the first one.
    ///
    /// - Parameter line: what is shown now, which is kept if it is the new line.
    mutating func previous(_ line: String) -> String? {
        guard position > 0 else { return nil }
        if position == entries.count { draft = line }
        position -= 1
        return entries[position]
    }

    /// The entry behind, or the new line at last; nil if that is shown already.
    mutating func next() -> String? {
        guard position < entries.count else { return nil }
        position += 1
        return position == entries.count ? draft : entries[position]
    }
}

/// Looks for earlier lines that contain a text, the latest first.
struct HistorySearch: Equatable {
    private let entries: [String]
    private(set) var pattern = ""
    /// The entry that was found last; nil before there is one.
    private(set) var position: Int?
    /// Whether the pattern is in no entry further back.
    private(set) var hasFailed = false

    init(_ entries: [String]) { self.entries = entries }

    var match: String? { position.map { entries[$0] } }

    mutating func append(_ character: Character) {
        pattern.append(character)
        // The present match may have the longer pattern, too.
        find(from: position ?? entries.count - 1)
    }

    mutating func backspace() {
        if pattern.isEmpty { return }
        pattern.removeLast()
        position = nil
        hasFailed = false
        if !pattern.isEmpty { find(from: entries.count - 1) }
    }

    /// The next one further back.
    mutating func older() {
        if pattern.isEmpty { return }
        find(from: (position ?? entries.count) - 1, isOther: true)
    }

    private mutating func find(from start: Int, isOther: Bool = false) {
        var i = start
        while i >= 0 {
            let isSame = isOther && entries[i] == match
            if entries[i].contains(pattern), !isSame {
                position = i
                hasFailed = false
                return
            }
            i -= 1
        }
        hasFailed = true
    }

    var prompt: String { "(\(hasFailed ? "nothing with" : "search")) '\(pattern)': " }
}
