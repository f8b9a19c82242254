/// A browser of earlier lines during the editing of a line. The edited line is restored at the end.
struct HistoryBrowser {
    let entries: [String]
    /// The shown entry, or the number of entries for the new line.
    private(set) var position: Int
    private var draft = ""

    init(_ entries: [String]) {
        self.entries = entries
        position = entries.count
    }

    /// Returns the previous entry, or nil at the first one.
    ///
    /// - Parameter line: The shown line, which is kept if it is the new line.
    mutating func previous(_ line: String) -> String? {
        guard position > 0 else { return nil }
        if position == entries.count { draft = line }
        position -= 1
        return entries[position]
    }

    /// Returns the next entry or finally the new line, or nil if that is already shown.
    mutating func next() -> String? {
        guard position < entries.count else { return nil }
        position += 1
        return position == entries.count ? draft : entries[position]
    }
}

/// A search for earlier lines that contain a text, beginning with the latest.
struct HistorySearch: Equatable {
    private let entries: [String]
    private(set) var pattern = ""
    /// The entry that was found last, or nil before the first match.
    private(set) var position: Int?
    /// A Boolean value that indicates whether no earlier entry contains the pattern.
    private(set) var hasFailed = false

    init(_ entries: [String]) { self.entries = entries }

    var match: String? { position.map { entries[$0] } }

    mutating func append(_ character: Character) {
        pattern.append(character)
        // The present match may also contain the longer pattern.
        find(from: position ?? entries.count - 1)
    }

    mutating func backspace() {
        if pattern.isEmpty { return }
        pattern.removeLast()
        position = nil
        hasFailed = false
        if !pattern.isEmpty { find(from: entries.count - 1) }
    }

    /// Finds the next earlier match.
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
