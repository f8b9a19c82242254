/// JSON that is being written.
struct JSONText {
    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    mutating func mark(_ mark: Unicode.Scalar) { bytes.append(UInt8(ascii: mark)) }
    mutating func plain(_ text: String) { bytes.append(contentsOf: text.utf8) }
    mutating func raw(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    /// Writes a member's name and the colon.
    mutating func key(_ name: String) {
        string(name)
        mark(":")
    }

    /// Writes a string with its quotation marks. Control characters and direction marks are written as escapes.
    mutating func string(_ text: String) {
        mark("\"")
        var text = text
        text.withUTF8 { escape(UnsafeRawBufferPointer($0)) }
        mark("\"")
    }

    private mutating func escape(_ text: UnsafeRawBufferPointer) {
        bytes.reserveCapacity(bytes.count + text.count)
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                mark("\\")
                bytes.append(byte)
            case 0x0A: plain("\\n")
            case 0x0D: plain("\\r")
            case 0x09: plain("\\t")
            case 0..<0x20, 0x7F:
                plain("\\u00")
                bytes.append(Self.digit(byte >> 4))
                bytes.append(Self.digit(byte & 15))
            default: bytes.append(byte)
            }
        }
    }

    private static func digit(_ half: UInt8) -> UInt8 { half < 10 ? 0x30 + half : 0x57 + half }

    mutating func int(_ number: some BinaryInteger) { plain(String(number)) }

    mutating func bool(_ flag: Bool) { plain(flag ? "true" : "false") }

    /// Writes elements with commas between them, in brackets.
    mutating func array<Elements: Sequence>(
        _ elements: Elements,
        each body: (Elements.Element, inout JSONText) throws -> Void
    ) rethrows {
        mark("[")
        var isFirst = true
        for element in elements {
            if !isFirst { mark(",") }
            isFirst = false
            try body(element, &self)
        }
        mark("]")
    }

    mutating func write(_ value: StudioJSON) {
        switch value {
        case .null: plain("null")
        case .bool(let flag): bool(flag)
        case .number(let text): plain(text)
        case .string(let text): string(text)
        case .raw(let bytes): raw(bytes)
        case .array(let elements): array(elements) { $1.write($0) }
        case .object(let members):
            mark("{")
            for (i, member) in members.enumerated() {
                if i > 0 { mark(",") }
                key(member.key)
                write(member.value)
            }
            mark("}")
        }
    }
}
