/// A key press or other input at the keyboard of a terminal.
enum Key: Equatable {
    /// A typed character.
    case character(Character)
    /// A text between the marks of a bracketed paste.
    case paste(String)
    case enter, tab, backspace, delete, escape
    case left, right, up, down, home, end
    case wordLeft, wordRight
    /// A letter with the control key, in lower case.
    case control(Character)
    /// A character with the meta key, which terminals send after an escape.
    case meta(Character)
    /// A sequence of an unknown key.
    case unknown
}

/// A decoder of the bytes of a terminal to keys.
///
/// The bytes may arrive in pieces of any size. An incomplete sequence is kept for the next piece. ``flush()`` ends it
/// without a further piece.
struct KeyDecoder {
    private var bytes: [UInt8] = []
    /// The text of a bracketed paste that hasn't ended.
    private var paste: [UInt8]?

    private static let pasteStart = Array("\u{1B}[200~".utf8)
    private static let pasteEnd = Array("\u{1B}[201~".utf8)
    /// The largest length of a key's sequence.
    private static let longestSequence = 32

    /// A Boolean value that indicates whether a sequence is incomplete.
    var isWaiting: Bool { !bytes.isEmpty }

    mutating func feed(_ more: some Sequence<UInt8>) -> [Key] {
        bytes += more
        var keys: [Key] = []
        while let key = next(isComplete: false) { keys.append(key) }
        return keys
    }

    /// Returns the keys of the received bytes if no bytes follow. A single escape is the escape key.
    mutating func flush() -> [Key] {
        var keys: [Key] = []
        while let key = next(isComplete: true) { keys.append(key) }
        return keys
    }

    private mutating func next(isComplete: Bool) -> Key? {
        if paste != nil { return pasted() }
        guard let first = bytes.first else { return nil }
        switch first {
        case 0x1B: return escape(isComplete)
        case 0x0D, 0x0A: return take(1, .enter)
        case 0x09: return take(1, .tab)
        case 0x7F, 0x08: return take(1, .backspace)
        case 0: return take(1, .unknown)
        case 1..<0x1B: return take(1, .control(Character(Unicode.Scalar(first + 0x60))))
        case 0x1C..<0x20: return take(1, .control(Character(Unicode.Scalar(first + 0x40))))
        case 0x20..<0x7F: return take(1, .character(Character(Unicode.Scalar(first))))
        default: return scalar(isComplete)
        }
    }

    private mutating func take(_ count: Int, _ key: Key) -> Key {
        bytes.removeFirst(count)
        return key
    }

    // MARK: Text

    /// Returns a character of several bytes. Bytes that aren't UTF-8 become replacement characters.
    private mutating func scalar(_ isComplete: Bool) -> Key? {
        let length =
            switch bytes[0] {
            case 0xC2..<0xE0: 2
            case 0xE0..<0xF0: 3
            case 0xF0..<0xF5: 4
            default: 1
            }
        let given = bytes.prefix(length)
        let isStart = given.dropFirst().allSatisfy { $0 & 0xC0 == 0x80 }
        if given.count < length, isStart, !isComplete { return nil }
        guard length > 1, let text = String(validating: given, as: UTF8.self), let character = text.first else {
            return take(1, .character("\u{FFFD}"))
        }
        // Control characters of the second set aren't text.
        let isControl = (0x80..<0xA0).contains(text.unicodeScalars.first!.value)
        return take(length, isControl ? .unknown : .character(character))
    }

    private mutating func pasted() -> Key? {
        guard var text = paste else { return nil }
        while !bytes.isEmpty {
            if bytes[0] == 0x1B {
                if bytes.starts(with: Self.pasteEnd) {
                    bytes.removeFirst(Self.pasteEnd.count)
                    paste = nil
                    return .paste(String(decoding: text, as: UTF8.self))
                }
                if Self.pasteEnd.starts(with: bytes) { break }
            }
            // All bytes up to the next escape are processed together, because a paste may be large.
            let count = max(1, bytes.dropFirst().firstIndex(of: 0x1B) ?? bytes.count)
            text += bytes[..<count]
            bytes.removeFirst(count)
        }
        paste = text
        return nil
    }

    // MARK: Sequences

    private mutating func escape(_ isComplete: Bool) -> Key? {
        guard bytes.count > 1 else { return isComplete ? take(1, .escape) : nil }
        switch bytes[1] {
        case UInt8(ascii: "["), UInt8(ascii: "O"): return sequence(isComplete)
        case 0x1B: return take(1, .escape)
        case 0x7F, 0x08: return take(2, .meta("\u{7F}"))
        case 0x20..<0x7F: return take(2, .meta(Character(Unicode.Scalar(bytes[1]))))
        default: return take(1, .escape)
        }
    }

    /// Parses `ESC [ parameters final` and `ESC O final`.
    private mutating func sequence(_ isComplete: Bool) -> Key? {
        if bytes.starts(with: Self.pasteStart) {
            bytes.removeFirst(Self.pasteStart.count)
            paste = []
            return pasted()
        }
        let rest = bytes.dropFirst(2)
        guard let end = rest.firstIndex(where: { (0x40...0x7E).contains($0) }) else {
            let isBroken = bytes.count > Self.longestSequence || rest.contains { $0 < 0x20 }
            if isBroken || isComplete { return take(isBroken ? 2 : bytes.count, .unknown) }
            return nil
        }
        guard !rest[..<end].contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return take(2, .unknown) }
        let parameters = String(decoding: rest[..<end], as: UTF8.self).split(
            separator: ";",
            omittingEmptySubsequences: false
        )
        let final = bytes[end]
        bytes.removeFirst(end + 1)
        // 5 is the control key, and 3 the meta key.
        let isModified = parameters.count > 1 && ["3", "5", "7"].contains(parameters[1])
        return Self.key(final, parameters.first.map(String.init) ?? "", isModified: isModified)
    }

    private static func key(_ final: UInt8, _ parameter: String, isModified: Bool) -> Key {
        switch final {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): isModified ? .wordRight : .right
        case UInt8(ascii: "D"): isModified ? .wordLeft : .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "M"): .enter
        case UInt8(ascii: "~"):
            switch parameter {
            case "1", "7": .home
            case "4", "8": .end
            case "3": .delete
            default: .unknown
            }
        default: .unknown
        }
    }
}
