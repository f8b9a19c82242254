import Foundation

/// A reader of JSON according to RFC 8259, value by value: the elements of one array, or values separated by white
/// space.
///
/// The text arrives in chunks of any size. Only the value that is being read is in memory.
struct JSONTextReader {
    private let next: () throws -> Data
    private var chunk: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    private(set) var line = 1
    private var state = State.start
    /// The name under which each element receives its key, if the elements are the entries of an object.
    private let entries: String?

    private enum State { case start, lines, array, object, done }

    /// The limit of the nesting of values, which is that of the library.
    static let maximumDepth = 200

    /// - Parameter entries: If it is given, the members of the text's objects are read as elements. Each must be an
    ///   object, which receives its key under this name.
    init(_ next: @escaping () throws -> Data, entries: String? = nil) {
        (self.next, self.entries) = (next, entries)
    }

    // MARK: Elements

    /// Reads the next element of the text's array, or its next value. Returns nil at the end.
    ///
    /// - Returns: The value, and the line on which it begins.
    /// - Throws: `Failure` with the line.
    mutating func element() throws -> (value: JSONNode, line: Int)? {
        if state == .start {
            try skipByteOrderMark()
            guard let first = try token() else { return nil }
            if entries != nil { return try beginObject() }
            state = first == UInt8(ascii: "[") ? .array : .lines
            if state == .array {
                position += 1
                if try token() == UInt8(ascii: "]") { return try end() }
                return try placed()
            }
        }
        switch state {
        case .start, .done: return nil
        case .object:
            let mark = try token()
            if mark == UInt8(ascii: "}") { return try endObject() }
            guard mark == UInt8(ascii: ",") else { throw unexpected("a comma, or the object's end") }
            position += 1
            return try entry()
        case .lines: return try token() == nil ? nil : placed()
        case .array:
            let mark = try token()
            if mark == UInt8(ascii: "]") { return try end() }
            guard mark == UInt8(ascii: ",") else { throw unexpected("a comma, or the array's end") }
            position += 1
            return try placed()
        }
    }

    private mutating func placed() throws -> (value: JSONNode, line: Int) {
        _ = try token()
        let start = line
        return (try value(0), start)
    }

    // MARK: Entries

    private mutating func beginObject() throws -> (value: JSONNode, line: Int)? {
        guard try token() == UInt8(ascii: "{") else {
            throw unexpected("an object of entries")
        }
        state = .object
        position += 1
        return try token() == UInt8(ascii: "}") ? endObject() : entry()
    }

    private mutating func endObject() throws -> (value: JSONNode, line: Int)? {
        position += 1
        state = .done
        return try token() == nil ? nil : beginObject()
    }

    private mutating func entry() throws -> (value: JSONNode, line: Int) {
        guard try token() == UInt8(ascii: "\"") else { throw unexpected("a key in quotation marks") }
        let start = line
        let key = try string()
        guard try token() == UInt8(ascii: ":") else { throw unexpected("a colon") }
        position += 1
        let (name, node) = (entries ?? "", try value(1))
        guard case .object(let members) = node else {
            throw Failure(.data, "line \(start): \"\(key)\" leads to \(node.summary), and --entries reads objects")
        }
        guard node[name] == nil else {
            throw Failure(.data, "line \(start): \"\(key)\" has a key '\(name)' already: --entries takes another name")
        }
        return (.object([JSONNode.Member(key: name, value: .string(key))] + members), start)
    }

    private mutating func end() throws -> (value: JSONNode, line: Int)? {
        position += 1
        state = .done
        if try token() != nil { throw failure("something follows the array") }
        return nil
    }

    /// Reads the next value of any kind. Returns nil at the end.
    mutating func value() throws -> JSONNode? {
        try token() == nil ? nil : value(0)
    }

    // MARK: Bytes

    private mutating func peek() throws -> UInt8? {
        if position < chunk.count { return chunk[position] }
        if isAtEnd { return nil }
        chunk = [UInt8](try next())
        position = 0
        isAtEnd = chunk.isEmpty
        return chunk.first
    }

    private mutating func skipByteOrderMark() throws {
        while chunk.count < 3, !isAtEnd {
            let more = try next()
            chunk += more
            isAtEnd = more.isEmpty
        }
        if chunk.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// Returns the first byte that isn't white space.
    private mutating func token() throws -> UInt8? {
        while let byte = try peek() {
            switch byte {
            case 0x0A: line += 1
            case 0x20, 0x09, 0x0D: break
            default: return byte
            }
            position += 1
        }
        return nil
    }

    // MARK: Values

    private mutating func value(_ depth: Int) throws -> JSONNode {
        guard depth <= Self.maximumDepth else {
            throw failure("values are nested deeper than \(Self.maximumDepth) levels")
        }
        switch try token() {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case let mark? where Self.isNumberPart(mark): return .number(try number())
        default: throw unexpected("a value")
        }
    }

    private mutating func object(_ depth: Int) throws -> JSONNode {
        position += 1
        var members: [JSONNode.Member] = []
        var keys: Set<String> = []
        if try token() == UInt8(ascii: "}") {
            position += 1
            return .object([])
        }
        while true {
            guard try token() == UInt8(ascii: "\"") else { throw unexpected("a key in quotation marks") }
            let key = try string()
            guard keys.insert(key).inserted else { throw failure("the key \"\(key)\" occurs twice") }
            guard try token() == UInt8(ascii: ":") else { throw unexpected("a colon") }
            position += 1
            members.append(JSONNode.Member(key: key, value: try value(depth + 1)))
            let mark = try token()
            if mark != UInt8(ascii: ","), mark != UInt8(ascii: "}") { throw unexpected("a comma, or the object's end") }
            position += 1
            if mark == UInt8(ascii: "}") { return .object(members) }
        }
    }

    private mutating func array(_ depth: Int) throws -> JSONNode {
        position += 1
        var elements: [JSONNode] = []
        if try token() == UInt8(ascii: "]") {
            position += 1
            return .array([])
        }
        while true {
            elements.append(try value(depth + 1))
            let mark = try token()
            if mark != UInt8(ascii: ","), mark != UInt8(ascii: "]") { throw unexpected("a comma, or the array's end") }
            position += 1
            if mark == UInt8(ascii: "]") { return .array(elements) }
        }
    }

    private mutating func word(_ word: String, _ value: JSONNode) throws -> JSONNode {
        for byte in word.utf8 {
            guard try peek() == byte else { throw unexpected("a value") }
            position += 1
        }
        return value
    }

    private mutating func number() throws -> String {
        var bytes: [UInt8] = []
        while let byte = try peek(), Self.isNumberPart(byte) {
            bytes.append(byte)
            position += 1
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard JSONString.isNumber(text) else { throw failure("'\(text.prefix(40))' isn't a JSON number") }
        return text
    }

    private static func isNumberPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    // MARK: Strings

    private mutating func string() throws -> String {
        let start = line
        position += 1
        var bytes: [UInt8] = []
        while true {
            guard let byte = try peek() else {
                throw Failure(.data, "line \(start): the text ends inside a string that begins here")
            }
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw failure("these bytes aren't UTF-8")
                }
                return text
            case UInt8(ascii: "\\"): try escape(&bytes)
            case 0..<0x20: throw failure("a control character stands in a string; it is written as an escape")
            default: bytes.append(byte)
            }
        }
    }

    private mutating func escape(_ bytes: inout [UInt8]) throws {
        guard let byte = try peek() else { throw failure("the text ends inside a string") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"): bytes.append(contentsOf: String(Character(try scalar())).utf8)
        default: throw failure("'\\\(Character(Unicode.Scalar(byte)))' isn't a JSON escape")
        }
    }

    /// Reads `XXXX`, or both halves of a surrogate pair.
    private mutating func scalar() throws -> Unicode.Scalar {
        let first = try unit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), try peek() == UInt8(ascii: "\\") else {
            throw failure("half of a surrogate pair stands alone")
        }
        position += 1
        guard try peek() == UInt8(ascii: "u") else { throw failure("half of a surrogate pair stands alone") }
        position += 1
        let second = try unit()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw failure("half of a surrogate pair stands alone") }
        return scalar
    }

    private mutating func unit() throws -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = try peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw failure("four hexadecimal digits follow \\u")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    // MARK: Errors

    private mutating func unexpected(_ expected: String) -> Failure {
        guard position < chunk.count else { return failure("the text ends where \(expected) is expected") }
        let found = TerminalText.escaped(String(decoding: chunk[position...].prefix(1), as: UTF8.self))
        return failure("'\(found)' stands where \(expected) is expected")
    }

    private func failure(_ message: String) -> Failure { Failure(.data, "line \(line): \(message)") }
}
