import Foundation
import FreeholdBSON
import FreeholdEngine

/// The conversion of plain JSON, in the form of the column `json`, to values: a text for a date, an id, a UUID, a decimal or bytes becomes a value of
/// that type.
///
/// A value that can't be converted isn't changed. The later comparison with the class then refuses it with a reason.
struct PlainValues {
    private let tables: [String: TableSpec]

    init(_ tables: [TableSpec]) {
        self.tables = Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the `_id` for a key in the form of a text. Returns `nil` if it isn't a key of the class.
    func key(_ text: String?, of className: String) -> BSONValue? {
        guard let table = tables[className], let column = table.columns.first(where: { $0.name == table.primaryKey })
        else { return nil }
        guard let text else { return .null }
        return column.type == .int ? Int64(text).map { .int64($0) } : value(.string(text), column)
    }

    /// Returns a document whose fields are those of a class. Keys with dots are paths.
    func fields(_ document: BSONDocument, of className: String) -> BSONDocument {
        BSONDocument(
            document.map { key, value in
                let path = key.split(separator: ".").map(String.init)
                guard let column = column(path[...], in: className) else { return (key: key, value: value) }
                return (
                    key: key, value: column.isElement ? element(value, column.spec) : self.value(value, column.spec)
                )
            }
        )
    }

    /// Returns the property to which a path leads, or `nil` if it is unknown.
    private func column(_ path: ArraySlice<String>, in className: String) -> (spec: ColumnSpec, isElement: Bool)? {
        guard let name = path.first, let spec = tables[className]?.columns.first(where: { $0.name == name }) else {
            return nil
        }
        var rest = path.dropFirst()
        guard !rest.isEmpty else { return (spec, false) }
        if spec.collection != .none { rest = rest.dropFirst() }
        guard !rest.isEmpty else { return (spec, true) }
        guard spec.type == .link, let target = spec.target else { return nil }
        return column(rest, in: target)
    }

    /// Returns the value of a property.
    func value(_ value: BSONValue, _ column: ColumnSpec) -> BSONValue {
        switch (column.collection, value) {
        case (.none, _): element(value, column)
        case (.list, .array(let values)), (.set, .array(let values)): .array(values.map { element($0, column) })
        case (.dictionary, .document(let document)):
            .document(BSONDocument(document.map { (key: $0.key, value: element($0.value, column)) }))
        default: value
        }
    }

    private func element(_ value: BSONValue, _ column: ColumnSpec) -> BSONValue {
        if column.type == .link {
            guard let target = column.target.flatMap({ tables[$0] }) else { return value }
            guard target.isEmbedded else {
                guard let key = target.columns.first(where: { $0.name == target.primaryKey }) else { return value }
                return element(value, key)
            }
            guard case .document(let document) = value else { return value }
            return .document(
                BSONDocument(
                    document.map { name, value in
                        let inner = target.columns.first { $0.name == name }
                        return (key: name, value: inner.map { self.value(value, $0) } ?? value)
                    }
                )
            )
        }
        guard case .string(let text) = value else { return value }
        switch column.type {
        case .timestamp: return Self.wrapped(text, "$date", limit: 64) ?? value
        case .objectId: return Self.wrapped(text, "$oid", limit: 24) ?? value
        case .decimal128: return Self.wrapped(text, "$numberDecimal", limit: 64) ?? value
        case .uuid: return UUID(uuidString: text).map { .binary(BSONBinary($0)) } ?? value
        case .data: return Data(base64Encoded: text).map { .binary(BSONBinary($0)) } ?? value
        case .float, .double:
            let special = ["NaN": Double.nan, "Infinity": .infinity, "-Infinity": -.infinity]
            return special[text].map { .double($0) } ?? value
        case .bool, .int, .string, .link, .mixed: return value
        }
    }

    /// Returns the value of Extended JSON with a wrapper.
    private static func wrapped(_ text: String, _ wrapper: String, limit: Int) -> BSONValue? {
        guard text.utf8.count <= limit,
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }),
            let value = try? BSONValue(extendedJSON: "{\"\(wrapper)\": \"\(text)\"}")
        else { return nil }
        if case .document = value { return nil }
        return value
    }
}
