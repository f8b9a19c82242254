#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A value of any column.
///
/// `==` and hashing depend on the case and the payload: `.int(1) != .double(1)`, strings are equal if their bytes are, and NaN equals itself.
/// `Value.compare` orders values of different cases, and compares numbers by their exact value.
public enum Value: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case float(Float)
    case double(Double)
    case string(String)
    case data(Data)
    case timestamp(Timestamp)
    case decimal128(Decimal128)
    case objectId(ObjectId)
    case uuid(UUID)
    case link(ObjectKey)
    // The following cases occur only in mixed columns.
    case objectLink(ObjectLink)
    case list(NestedList)
    case dictionary(NestedDictionary)

    /// The type of a column that contains such values, or `nil` for null. A mixed column can contain all of them except `link`.
    public var type: ColumnType? {
        switch self {
        case .null: nil
        case .bool: .bool
        case .int: .int
        case .float: .float
        case .double: .double
        case .string: .string
        case .data: .data
        case .timestamp: .timestamp
        case .decimal128: .decimal128
        case .objectId: .objectId
        case .uuid: .uuid
        case .link: .link
        case .objectLink, .list, .dictionary: .mixed
        }
    }

    @inlinable public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension Value: Hashable {
    public static func == (a: Value, b: Value) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.int(let a), .int(let b)): a == b
        case (.float(let a), .float(let b)): a == b || (a.isNaN && b.isNaN)
        case (.double(let a), .double(let b)): a == b || (a.isNaN && b.isNaN)
        case (.string(let a), .string(let b)): compareBytes(a, with: b) == 0
        case (.data(let a), .data(let b)): a == b
        case (.timestamp(let a), .timestamp(let b)): a == b
        case (.decimal128(let a), .decimal128(let b)): a == b
        case (.objectId(let a), .objectId(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.link(let a), .link(let b)): a == b
        case (.objectLink(let a), .objectLink(let b)): a == b
        case (.list(let a), .list(let b)): a == b
        case (.dictionary(let a), .dictionary(let b)): a == b
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(type?.rawValue ?? 0)
        switch self {
        case .null: break
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .float(let value): hasher.combine(value.isNaN ? .nan : value)
        case .double(let value): hasher.combine(value.isNaN ? .nan : value)
        case .string(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .timestamp(let value): hasher.combine(value)
        case .decimal128(let value): hasher.combine(value)
        case .objectId(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .link(let value): hasher.combine(value)
        case .objectLink(let value): hasher.combine(value)
        case .list(let value): hasher.combine(value)
        case .dictionary(let value): hasher.combine(value)
        }
    }
}

extension Value: CustomStringConvertible {
    public var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): value.description
        case .int(let value): value.description
        case .float(let value): value.description
        case .double(let value): value.description
        case .string(let value): value.debugDescription
        case .data(let value): Self.describe(value)
        case .timestamp(let value): "T\(value)"
        case .decimal128(let value): "decimal(\(value))"
        case .objectId(let value): "oid(\(value))"
        case .uuid(let value): "uuid(\(value.uuidString))"
        case .link(let value): value.description
        case .objectLink(let value): value.description
        case .list(let value): "\(value.values)"
        case .dictionary(let value):
            "{" + value.entries.map { "\($0.key.debugDescription): \($0.value)" }.joined(separator: ", ") + "}"
        }
    }

    private static func describe(_ data: Data) -> String {
        let shown = data.prefix(32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return data.count > 32 ? "data(\(shown)… \(data.count) bytes)" : "data(\(shown))"
    }
}
