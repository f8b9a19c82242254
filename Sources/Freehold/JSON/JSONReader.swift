/// A strict reader of JSON values from a stream, one value at a time. It accepts RFC 8259 in UTF-8 with unique keys and
/// at most 512 levels.
///
/// The reader never traps. Invalid input is an error with line and column. The reader can't be used after an error.
struct JSONReader {
    static let maximumDepth = 512

    private var input: JSONInput

    init(_ input: JSONInput) { self.input = input }

    var place: JSONPlace { input.place }

    /// Returns the first byte of the next token without consuming it, or nil at the end.
    mutating func nextToken() throws(JSONError) -> UInt8? {
        while let byte = try input.peek() {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): input.advance()
            default: return byte
            }
        }
        return nil
    }

    /// Reads an array whose opening bracket is the next token. The body reads one element at each call.
    mutating func forEachElement(_ body: (inout JSONReader) throws -> Void) throws {
        skipToken()
        if try nextToken() == UInt8(ascii: "]") { return skipToken() }
        while true {
            _ = try nextToken()
            try body(&self)
            switch try nextToken() {
            case UInt8(ascii: ","): skipToken()
            case UInt8(ascii: "]"): return skipToken()
            case nil: throw error("the text ends inside the array")
            case let mark?: throw unexpected(mark, "a comma or the array's end")
            }
        }
    }

    /// Skips a byte order mark. The standard allows a reader to ignore it at the beginning.
    mutating func skipByteOrderMark() throws(JSONError) {
        guard try input.peek() == 0xEF else { return }
        for byte: UInt8 in [0xEF, 0xBB, 0xBF] {
            guard try input.peek() == byte else { throw error("the text begins with bytes that are no JSON") }
            input.advance()
        }
    }

    /// Skips a punctuation mark that was peeked.
    mutating func skipToken() { input.advance() }

    /// A container that is being read.
    private struct Frame {
        let isArray: Bool
        var elements: [JSONValue] = []
        var members: [JSONValue.Member] = []
        /// The keys of the members, if the container has many.
        var keys: Set<String> = []
        /// The key of the member whose value is next, and the position of that value.
        var key = ""
        var place = JSONPlace(line: 0, column: 0)

        /// Returns a Boolean value that indicates whether the object already contains the key.
        mutating func repeats(_ key: String) -> Bool {
            if members.count < 16 { return members.contains { $0.key == key } }
            if keys.isEmpty { keys = Set(members.map(\.key)) }
            return !keys.insert(key).inserted
        }
    }

    /// Reads one value after optional white space.
    ///
    /// Open containers are kept on an explicit stack, because 512 levels could exceed the stack of a thread.
    mutating func value() throws(JSONError) -> JSONValue {
        var frames: [Frame] = []
        while true {
            guard let complete = try scalarOrOpening(&frames) else { continue }
            var value = complete
            unwinding: while true {
                guard !frames.isEmpty else { return value }
                let isArray = frames[frames.count - 1].isArray
                if isArray {
                    frames[frames.count - 1].elements.append(value)
                } else {
                    let (key, place) = (frames[frames.count - 1].key, frames[frames.count - 1].place)
                    frames[frames.count - 1].members.append(JSONValue.Member(key: key, value: value, place: place))
                }
                guard let mark = try nextToken() else { throw endInside(isArray) }
                switch mark {
                case UInt8(ascii: ","):
                    input.advance()
                    if !isArray { try key(&frames[frames.count - 1]) }
                    break unwinding
                case UInt8(ascii: "]") where isArray:
                    input.advance()
                    value = .array(frames.removeLast().elements)
                case UInt8(ascii: "}") where !isArray:
                    input.advance()
                    value = .object(frames.removeLast().members)
                default: throw unexpected(mark, isArray ? "a comma or the array's end" : "a comma or the object's end")
                }
            }
        }
    }

    /// Reads a scalar or an empty container. Returns nil if a container was opened, whose first value is next.
    private mutating func scalarOrOpening(_ frames: inout [Frame]) throws(JSONError) -> JSONValue? {
        guard let first = try nextToken() else {
            throw frames.isEmpty
                ? error("the text ends where a value is expected") : endInside(frames[frames.count - 1].isArray)
        }
        switch first {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let isArray = first == UInt8(ascii: "[")
            if frames.count == Self.maximumDepth {
                throw JSONError(.tooDeep, "values are nested deeper than \(Self.maximumDepth) levels", at: place)
            }
            input.advance()
            if try nextToken() == (isArray ? UInt8(ascii: "]") : UInt8(ascii: "}")) {
                input.advance()
                return isArray ? .array([]) : .object([])
            }
            var frame = Frame(isArray: isArray)
            if !isArray { try key(&frame) }
            frames.append(frame)
            return nil
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        case UInt8(ascii: "t"):
            try word("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try word("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try word("null")
            return .null
        default: throw unexpected(first, "a value")
        }
    }

    /// Reads the key and the colon of the next member.
    private mutating func key(_ frame: inout Frame) throws(JSONError) {
        guard let first = try nextToken() else { throw endInside(false) }
        guard first == UInt8(ascii: "\"") else { throw unexpected(first, "a key in quotation marks") }
        let keyPlace = place
        let key = try string()
        if frame.repeats(key) {
            throw JSONError(.duplicateKey, "the object has the key \"\(key)\" twice", at: keyPlace)
        }
        guard let colon = try nextToken() else { throw endInside(false) }
        guard colon == UInt8(ascii: ":") else { throw unexpected(colon, "a colon") }
        input.advance()
        _ = try nextToken()
        frame.key = key
        frame.place = place
    }

    private func endInside(_ isArray: Bool) -> JSONError {
        error("the text ends inside an \(isArray ? "array" : "object")")
    }

    // MARK: Scalars

    private mutating func word(_ expected: StaticString) throws(JSONError) {
        let start = place
        let count = expected.utf8CodeUnitCount
        for i in 0..<count {
            guard try input.peek() == expected.utf8Start[i] else {
                throw JSONError(.malformed, "the word \(expected) is expected", at: start)
            }
            input.advance()
        }
        if let byte = try input.peek(), isWordByte(byte) {
            throw JSONError(.malformed, "the word \(expected) is expected", at: start)
        }
    }

    private func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    private mutating func number() throws(JSONError) -> String {
        let start = place
        var bytes: [UInt8] = []
        if try input.peek() == UInt8(ascii: "-") { take(&bytes) }
        let whole = bytes.count
        try digits(&bytes, start)
        if bytes[whole] == UInt8(ascii: "0") && bytes.count > whole + 1 {
            throw JSONError(.malformed, "a number can't begin with a zero and another digit", at: start)
        }
        if try input.peek() == UInt8(ascii: ".") {
            take(&bytes)
            try digits(&bytes, start)
        }
        if let byte = try input.peek(), byte | 0x20 == UInt8(ascii: "e") {
            take(&bytes)
            if let sign = try input.peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { take(&bytes) }
            try digits(&bytes, start)
        }
        if let byte = try input.peek(), isWordByte(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "+") {
            throw unexpected(byte, "the end of the number")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func digits(_ bytes: inout [UInt8], _ start: JSONPlace) throws(JSONError) {
        let before = bytes.count
        while let byte = try input.peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { take(&bytes) }
        if bytes.count == before { throw JSONError(.malformed, "a digit is missing in the number", at: start) }
    }

    private mutating func take(_ bytes: inout [UInt8]) {
        // The byte was peeked before, so it isn't missing.
        if let byte = try? input.peek() { bytes.append(byte) }
        input.advance()
    }

    // MARK: Strings

    private mutating func string() throws(JSONError) -> String {
        let start = place
        input.advance()
        var bytes: [UInt8] = []
        while let byte = try input.peek() {
            switch byte {
            case UInt8(ascii: "\""):
                input.advance()
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw JSONError(.invalidText, "the string has bytes that are no UTF-8", at: start)
                }
                return text
            case UInt8(ascii: "\\"): try escape(&bytes)
            case 0..<0x20:
                throw error("a string has the control character \(byte): it must be written as an escape")
            default: input.takePlainBytes(&bytes)
            }
        }
        throw JSONError(.malformed, "the text ends inside a string", at: start)
    }

    private mutating func escape(_ bytes: inout [UInt8]) throws(JSONError) {
        let start = place
        input.advance()
        guard let mark = try input.peek() else { throw error("the text ends inside a string") }
        input.advance()
        switch mark {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(mark)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"):
            let first = try codeUnit(start)
            var scalar = UInt32(first)
            if first & 0xFC00 == 0xD800 {
                guard try input.peek() == UInt8(ascii: "\\") else { throw loneSurrogate(start) }
                input.advance()
                guard try input.peek() == UInt8(ascii: "u") else { throw loneSurrogate(start) }
                input.advance()
                let second = try codeUnit(start)
                guard second & 0xFC00 == 0xDC00 else { throw loneSurrogate(start) }
                scalar = 0x10000 + (UInt32(first) & 0x3FF) << 10 + UInt32(second) & 0x3FF
            }
            guard let character = Unicode.Scalar(scalar) else { throw loneSurrogate(start) }
            bytes.append(contentsOf: Array(String(Character(character)).utf8))
        default: throw JSONError(.malformed, "the string has an escape that doesn't exist", at: start)
        }
    }

    private func loneSurrogate(_ start: JSONPlace) -> JSONError {
        JSONError(.invalidText, "the string has half of a surrogate pair", at: start)
    }

    private mutating func codeUnit(_ start: JSONPlace) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = try input.peek(), let digit = hexDigit(byte) else {
                throw JSONError(.malformed, "an escape \\u needs four hexadecimal digits", at: start)
            }
            unit = unit << 4 | digit
            input.advance()
        }
        return unit
    }

    private func hexDigit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    // MARK: Errors

    func error(_ message: String) -> JSONError { JSONError(.malformed, message, at: place) }

    func unexpected(_ byte: UInt8, _ expected: String) -> JSONError {
        let shown = byte > 0x20 && byte < 0x7F ? "'\(Character(Unicode.Scalar(byte)))'" : "the byte \(byte)"
        return error("\(shown) stands where \(expected) is expected")
    }
}
