import Foundation

/// An output that passes JSON on in chunks.
struct JSONOutput {
    private let write: (Data) throws -> Void
    private let isPretty: Bool
    private var bytes: [UInt8] = []
    private var depth = 0
    /// The bytes that haven't been passed on yet.
    var pending: [UInt8] { bytes }
    /// A Boolean value that indicates whether the open container is still empty.
    private var isEmpty = true

    init(isPretty: Bool, _ write: @escaping (Data) throws -> Void) {
        self.isPretty = isPretty
        self.write = write
    }

    // MARK: Containers

    mutating func open(_ mark: Unicode.Scalar) {
        bytes.append(UInt8(ascii: mark))
        depth += 1
        isEmpty = true
    }

    mutating func close(_ mark: Unicode.Scalar) {
        depth -= 1
        if !isEmpty { breakLine() }
        bytes.append(UInt8(ascii: mark))
        isEmpty = false
    }

    /// Starts an element, or a member before its key.
    mutating func next() {
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        breakLine()
        isEmpty = false
    }

    mutating func key(_ name: String) {
        next()
        string(name)
        bytes.append(UInt8(ascii: ":"))
        if isPretty { bytes.append(UInt8(ascii: " ")) }
    }

    private mutating func breakLine() {
        guard isPretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }

    // MARK: Values

    /// Appends a text that is already JSON.
    mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0A: bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
            case 0x0D: bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "r")])
            case 0x09: bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "t")])
            case 0..<0x20:
                raw("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16))
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a value that was read, in the same form.
    mutating func value(_ value: JSONValue) {
        switch value {
        case .null: raw("null")
        case .bool(let value): raw(value ? "true" : "false")
        case .number(let text): raw(text)
        case .string(let text): string(text)
        case .array(let elements):
            open("[")
            for element in elements {
                next()
                self.value(element)
            }
            close("]")
        case .object(let members):
            open("{")
            for member in members {
                key(member.key)
                self.value(member.value)
            }
            close("}")
        }
    }

    // MARK: Chunks

    /// Passes the pending bytes on. The method is called between objects.
    mutating func flush(over limit: Int = 64 * 1024) throws(JSONError) {
        if bytes.count <= limit || bytes.isEmpty { return }
        do {
            try write(Data(bytes))
        } catch {
            throw JSONError(.io, "the output can't be written: \(error)")
        }
        bytes.removeAll(keepingCapacity: true)
    }
}
