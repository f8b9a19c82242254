import Foundation

/// A JSON value as it was written. A number keeps its digits, and an object the order of its members.
indirect enum JSONNode: Equatable {
    struct Member: Equatable {
        let key: String
        var value: JSONNode
    }

    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONNode])
    case object([Member])

    /// The value of an object's member.
    subscript(key: String) -> JSONNode? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// The tag and value of an object with one member whose key begins with `$`. It is a value with an explicit type,
    /// like in MongoDB's Extended JSON.
    var tagged: (tag: String, value: JSONNode)? {
        guard case .object(let members) = self, members.count == 1, members[0].key.hasPrefix("$") else { return nil }
        return (members[0].key, members[0].value)
    }

    func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text): JSONString.append(text, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (i, element) in elements.enumerated() {
                if i > 0 { bytes.append(UInt8(ascii: ",")) }
                element.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (i, member) in members.enumerated() {
                if i > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONString.append(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    var text: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The kind of the value for messages, and a short value itself.
    var summary: String {
        switch self {
        case .null, .bool, .number: text
        case .string: text.count <= 60 ? text : text.prefix(60) + "…\""
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONNode {
    /// Reads the single value of a text.
    ///
    /// - Throws: `Failure`.
    static func read(_ text: String) throws -> JSONNode {
        var data: Data? = Data(text.utf8)
        var reader = JSONTextReader {
            defer { data = nil }
            return data ?? Data()
        }
        guard let value = try reader.value() else { throw Failure(.data, "there is no value") }
        if try reader.value() != nil { throw Failure(.data, "something follows the value") }
        return value
    }
}
