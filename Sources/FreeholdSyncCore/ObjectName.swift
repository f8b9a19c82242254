#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import FreeholdEngine

/// What every client calls an object: its class and its primary key (SYNC.md, section 5, "create" and "link").
public struct ObjectName: Hashable, Sendable {
    public let className: SyncString
    public let key: PrimaryKey

    public init(_ className: SyncString, _ key: PrimaryKey) {
        self.className = className
        self.key = key
    }
}

/// The value of `_id`. Null is a key like others where the property is optional.
public enum PrimaryKey: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    case null
    case int(Int64)
    case string(SyncString)
    case objectId(ObjectId)
    case uuid(UUID)

    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(stringLiteral value: String) { self = .string(SyncString(value)) }
}
