#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import FreeholdEngine

/// The name of an object on all clients: its class and its primary key (sync-design.md, section 5, "create" and
/// "link").
public struct ObjectName: Hashable, Sendable {
    public let className: SyncString
    public let key: PrimaryKey

    public init(_ className: SyncString, _ key: PrimaryKey) {
        self.className = className
        self.key = key
    }

    public static func == (a: ObjectName, b: ObjectName) -> Bool {
        // Keys are compared first, because they differ more often.
        a.key == b.key && a.className == b.className
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(className)
        hasher.combine(key)
    }

    /// Returns the hash of the name: see `WordHasher`.
    public func _rawHashValue(seed: Int) -> Int {
        var hasher = WordHasher(seed: seed)
        hasher.combine(className)
        hasher.combine(key)
        return hasher.finished()
    }
}

/// The value of `_id`. If the property is optional, null is a valid key.
public enum PrimaryKey: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    case null
    case int(Int64)
    case string(SyncString)
    case objectId(ObjectId)
    case uuid(UUID)

    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(stringLiteral value: String) { self = .string(SyncString(value)) }
}

extension PrimaryKey {
    /// The maximum size of the key of a new object, in bytes. Existing objects with longer keys aren't changed.
    public static let mostBytes = 1_024

    /// The size of a text in UTF-8, in bytes. 0 for keys of other types, which are short.
    public var textBytes: Int { if case .string(let text) = self { text.string.utf8.count } else { 0 } }

    /// A Boolean value that indicates whether no new object may have the key.
    public var isTooLong: Bool { textBytes > Self.mostBytes }
}

extension SyncString {
    /// The maximum size of the name of a class or of a property, in bytes. The server keeps names in memory.
    public static let mostNameBytes = 1_024

    /// A Boolean value that indicates whether no class and no property may have the name.
    public var isTooLongName: Bool { string.utf8.count > Self.mostNameBytes }
}

extension Change {
    /// A Boolean value that indicates whether the name of the class, or of a property that is written, is too long.
    var hasLongName: Bool {
        if object.className.isTooLongName { return true }
        if case .create(_, let fields) = self { return fields.contains { $0.name.isTooLongName } }
        return property?.isTooLongName ?? false
    }
}

/// The order of the keys of a class: null, then integers, then texts, object ids and UUIDs, each by their bytes.
extension PrimaryKey: Comparable {
    public static func < (a: PrimaryKey, b: PrimaryKey) -> Bool {
        switch (a, b) {
        case (.int(let a), .int(let b)): a < b
        case (.string(let a), .string(let b)): a < b
        case (.objectId(let a), .objectId(let b)): a < b
        case (.uuid(let a), .uuid(let b)):
            withUnsafeBytes(of: a.uuid) { a in withUnsafeBytes(of: b.uuid) { a.lexicographicallyPrecedes($0) } }
        default: a.kind < b.kind
        }
    }

    private var kind: Int {
        switch self {
        case .null: 0
        case .int: 1
        case .string: 2
        case .objectId: 3
        case .uuid: 4
        }
    }
}

/// Names are ordered by class name, and then by key.
extension ObjectName: Comparable {
    public static func < (a: ObjectName, b: ObjectName) -> Bool { (a.className, a.key) < (b.className, b.key) }
}
