import Foundation
import FreeholdEngine

/// Writes objects as Swift code: initializers of model classes with a dictionary of values. Strings are escaped, so that stored text never becomes
/// code.
struct SwiftLiteral {
    let view: DataView
    let facts: SchemaFacts

    private static let depth = 4

    func object(_ table: Table, _ key: ObjectKey, columns: [Column]? = nil) -> String {
        "\(Self.identifier(table.name))(value: \(fields(table, key, columns: columns ?? table.columns, depth: Self.depth)))"
    }

    private func fields(_ table: Table, _ key: ObjectKey, columns: [Column], depth: Int) -> String {
        let parts = columns.map { "\(Self.string($0.name)): \(property($0, of: key, depth: depth))" }
        return parts.isEmpty ? "[:]" : "[" + parts.joined(separator: ", ") + "] as [String: Any]"
    }

    private func property(_ column: Column, of key: ObjectKey, depth: Int) -> String {
        switch column.collection {
        case .none: return value(view.value(column, key), column, depth: depth)
        case .list, .set:
            let parts = view.listValues(column, key).map { value($0, column, depth: depth) }
            return "[" + parts.joined(separator: ", ") + "] as [Any]"
        case .dictionary:
            let parts = (0..<view.listCount(column, key)).map { i in
                "\(Self.string(view.dictionaryKey(column, key, at: i))): "
                    + value(view.dictionaryValue(column, key, at: i), column, depth: depth)
            }
            return parts.isEmpty ? "[String: Any]()" : "[" + parts.joined(separator: ", ") + "] as [String: Any]"
        }
    }

    private func value(_ value: Value, _ column: Column, depth: Int) -> String {
        switch value {
        case .link(let key): link(column.targetTableID ?? -1, key, depth: depth)
        case .objectLink(let target): link(target.tableID, target.key, depth: depth)
        case .list(let list):
            "[" + list.values.map { self.value($0, column, depth: depth) }.joined(separator: ", ") + "] as [Any]"
        case .dictionary(let map):
            map.entries.isEmpty
                ? "[String: Any]()"
                : "["
                    + map.entries.map { "\(Self.string($0.key)): \(self.value($0.value, column, depth: depth))" }
                    .joined(separator: ", ") + "] as [String: Any]"
        default: Self.scalar(value)
        }
    }

    private func link(_ tableID: Int, _ key: ObjectKey, depth: Int) -> String {
        guard let table = view.schema.table(id: tableID), depth > 0 else { return "NSNull()" }
        let columns = table.primaryKey.map { [$0] } ?? table.columns
        return fields(table, key, columns: columns, depth: depth - 1)
    }

    private static func scalar(_ value: Value) -> String {
        switch value {
        case .bool(let value): return value ? "true" : "false"
        case .int(let value): return String(value)
        case .float(let value): return number(ValueText.number(value), "Float")
        case .double(let value): return number(ValueText.number(value), "Double")
        case .string(let text): return string(text)
        case .data(let data): return "Data(base64Encoded: \(string(data.base64EncodedString())))!"
        case .timestamp(let moment):
            return "Date(timeIntervalSince1970: \(moment.seconds)\(fraction(moment.nanoseconds)))"
        case .decimal128(let value): return "try! Decimal128(string: \(string(value.description)))"
        case .objectId(let id): return "try! ObjectId(string: \(string(id.stringValue)))"
        case .uuid(let id): return "UUID(uuidString: \(string(id.uuidString)))!"
        case .null, .link, .objectLink, .list, .dictionary: return "NSNull()"
        }
    }

    private static func fraction(_ nanoseconds: Int32) -> String {
        nanoseconds == 0 ? "" : " + \(Double(nanoseconds) / 1_000_000_000)"
    }

    private static func number(_ text: String, _ type: String) -> String {
        switch text {
        case "NaN": "\(type).nan"
        case "Infinity": "\(type).infinity"
        case "-Infinity": "-\(type).infinity"
        default: "\(type)(\(text))"
        }
    }

    /// Returns the text as a string literal. All characters except printable ASCII are escapes.
    static func string(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": out += "\\\(scalar)"
            case " "..."~": out.unicodeScalars.append(scalar)
            default: out += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return out + "\""
    }

    /// Returns the name of a class in code, without the characters that an identifier can't have.
    static func identifier(_ name: String) -> String {
        let kept = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" ? $0 : "_" })
        return "`" + (kept.first?.isNumber ?? true ? "_" + kept : kept) + "`"
    }
}
