#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Value {
    /// The value as a constant of the query language, which the parser reads back as the same value.
    var queryText: String {
        switch self {
        case .null: "NULL"
        case .bool(let value): value ? "true" : "false"
        case .int(let value): value.description
        case .float(let value): value.isFinite ? "\(value)f" : Self.text(Double(value))
        case .double(let value): Self.text(value)
        case .string(let text): Self.quoted(text)
        case .data(let data): "B64\"\(data.base64EncodedString())\""
        case .timestamp(let timestamp): Self.text(timestamp)
        case .decimal128(let value): "decimal(\"\(value)\")"
        case .objectId(let id): "oid(\(id))"
        case .uuid(let id): "uuid(\(id.uuidString.lowercased()))"
        case .link(let key): "O\(key.raw)"
        case .objectLink(let link): "L\(link.tableID):\(link.key.raw)"
        case .list(let list): "{" + list.values.map(\.queryText).joined(separator: ", ") + "}"
        // The language has no spelling for dictionaries, and the parser rejects this text.
        case .dictionary(let dictionary):
            "{" + dictionary.entries.map { "\(Self.quoted($0.key)): \($0.value.queryText)" }.joined(separator: ", ")
                + "}"
        }
    }

    private static func text(_ value: Double) -> String {
        value.isNaN ? "nan" : value.isInfinite ? (value < 0 ? "-inf" : "inf") : value.description
    }

    /// Returns the text of a timestamp. Its nanoseconds have the sign of the seconds, unlike in `Timestamp`.
    private static func text(_ timestamp: Timestamp) -> String {
        if timestamp.seconds < 0, timestamp.nanoseconds > 0 {
            return "T\(timestamp.seconds + 1):\(timestamp.nanoseconds - 1_000_000_000)"
        }
        return "T\(timestamp.seconds):\(timestamp.nanoseconds)"
    }

    private static func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            case _ where scalar.value < 32 || scalar.value == 127:
                let digits = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}
