/// A line of text that is being edited, with the position of the cursor.
///
/// A character is what users see as one: an accent that is typed after its letter becomes part of it.
struct EditLine: Equatable {
    private(set) var characters: [Character]
    /// The position of the cursor: the number of characters before it.
    private(set) var cursor: Int
    /// The last cut text.
    private(set) var killed: [Character] = []

    /// The largest length of a line.
    static let limit = 1 << 20

    init(_ text: String = "") {
        characters = Array(text)
        cursor = characters.count
    }

    var text: String { String(characters) }
    var isEmpty: Bool { characters.isEmpty }
    var beforeCursor: String { String(characters[..<cursor]) }

    // MARK: Text

    /// Inserts a text. Line breaks and tabs become spaces, because a line is one command. Other control characters are
    /// omitted.
    mutating func insert(_ text: String) {
        var clean = String.UnicodeScalarView()
        for scalar in text.replacingLineBreaks.unicodeScalars {
            switch scalar.value {
            case 0x09: clean.append(" ")
            case 0..<0x20, 0x7F..<0xA0: continue
            default: clean.append(scalar)
            }
        }
        let added = String(clean)
        guard !added.isEmpty, characters.count + added.count <= Self.limit else { return }
        let tail = characters[cursor...]
        // The first character may combine with the one before it.
        let head = Array(beforeCursor + added)
        characters = Array(String(head) + String(tail))
        cursor = min(head.count, characters.count)
    }

    /// Replaces some characters with another text, and moves the cursor after it.
    mutating func replace(_ range: Range<Int>, with text: String) {
        characters.removeSubrange(range)
        cursor = range.lowerBound
        insert(text)
    }

    mutating func set(_ text: String) {
        characters = Array(text)
        cursor = characters.count
    }

    mutating func backspace() {
        guard cursor > 0 else { return }
        cursor -= 1
        characters.remove(at: cursor)
    }

    mutating func delete() {
        if cursor < characters.count { characters.remove(at: cursor) }
    }

    /// Exchanges the characters around the cursor, or the last two at the end.
    mutating func transpose() {
        guard characters.count > 1, cursor > 0 else { return }
        if cursor == characters.count { cursor -= 1 }
        characters.swapAt(cursor - 1, cursor)
        cursor += 1
    }

    // MARK: Moving

    mutating func left() { cursor = max(0, cursor - 1) }
    mutating func right() { cursor = min(characters.count, cursor + 1) }
    mutating func home() { cursor = 0 }
    mutating func end() { cursor = characters.count }
    mutating func wordLeft() { cursor = startOfWord }
    mutating func wordRight() { cursor = endOfWord }

    private var startOfWord: Int {
        var i = cursor
        while i > 0, !characters[i - 1].isWordPart { i -= 1 }
        while i > 0, characters[i - 1].isWordPart { i -= 1 }
        return i
    }

    private var endOfWord: Int {
        var i = cursor
        while i < characters.count, !characters[i].isWordPart { i += 1 }
        while i < characters.count, characters[i].isWordPart { i += 1 }
        return i
    }

    // MARK: Cutting

    mutating func killToEnd() { kill(cursor..<characters.count) }
    mutating func killToStart() { kill(0..<cursor) }
    mutating func killWordLeft() { kill(startOfWord..<cursor) }
    mutating func killWordRight() { kill(cursor..<endOfWord) }

    /// Cuts the text back to the last space, like the terminal's own word erasure.
    mutating func killToSpace() {
        var i = cursor
        while i > 0, characters[i - 1] == " " { i -= 1 }
        while i > 0, characters[i - 1] != " " { i -= 1 }
        kill(i..<cursor)
    }

    private mutating func kill(_ range: Range<Int>) {
        if range.isEmpty { return }
        killed = Array(characters[range])
        characters.removeSubrange(range)
        cursor = range.lowerBound
    }

    /// Inserts the last cut text.
    mutating func yank() { insert(String(killed)) }
}

extension EditLine {
    /// Applies a key that edits the line or moves the cursor.
    ///
    /// - Returns: A Boolean value that indicates whether the key is of this kind.
    mutating func apply(_ key: Key) -> Bool {
        switch key {
        case .character(let character): insert(String(character))
        case .paste(let text): insert(text)
        case .backspace, .control("h"): backspace()
        case .delete: delete()
        case .left, .control("b"): left()
        case .right, .control("f"): right()
        case .home, .control("a"): home()
        case .end, .control("e"): end()
        case .wordLeft, .meta("b"): wordLeft()
        case .wordRight, .meta("f"): wordRight()
        case .control("k"): killToEnd()
        case .control("u"): killToStart()
        case .control("w"): killToSpace()
        case .meta("\u{7F}"): killWordLeft()
        case .meta("d"): killWordRight()
        case .control("y"): yank()
        case .control("t"): transpose()
        default: return false
        }
        return true
    }
}

extension Character {
    fileprivate var isWordPart: Bool { isLetter || isNumber || self == "_" }
}

extension String {
    /// The text with each line break of any system replaced by one space.
    fileprivate var replacingLineBreaks: String {
        String(map { $0 == "\r\n" || $0 == "\n" || $0 == "\r" ? " " : $0 })
    }
}
