#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import FreeholdEngine

/// A value of a property, an element or an entry, in the form that is sent (sync-design.md, sections 5 and 9).
///
/// Two values are equal (`==`) if all their bits are equal: 0.0 and −0.0, 1 and 1.0, and the decimals 1.0 and 1.00 all
/// differ, and a NaN is equal to itself. `SetElement` decides whether two values are the same element of a set.
public enum SyncValue: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case float(Float)
    case double(Double)
    case string(SyncString)
    case data(Data)
    case date(Timestamp)
    case objectId(ObjectId)
    case uuid(UUID)
    case decimal128(Decimal128)
    /// A link to an object of the stream. The object may be missing or not in view.
    case link(ObjectName)
    /// A list in a mixed value. It is one register, regardless of its length.
    case list([SyncValue])
    /// A dictionary in a mixed value. It merges key by key.
    case dictionary(SyncDictionary)
    /// A new embedded object. Its assignment creates an instance.
    case embedded(EmbeddedValue)
}

/// The entries of a dictionary in a mixed value, in rising order of the bytes of their keys. Each key occurs once.
public struct SyncDictionary: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        public let key: SyncString
        public let value: SyncValue

        public init(key: SyncString, value: SyncValue) {
            self.key = key
            self.value = value
        }
    }

    public private(set) var entries: [Entry]

    /// Creates a dictionary. If several entries have one key, the last one is used.
    ///
    /// - Complexity: O(*n* log *n*)
    public init(_ entries: [(key: SyncString, value: SyncValue)] = []) {
        self.entries = []
        let sorted = entries.enumerated().sorted { ($0.element.key, $0.offset) < ($1.element.key, $1.offset) }
        for entry in sorted.map(\.element) {
            if self.entries.last?.key == entry.key { self.entries.removeLast() }
            self.entries.append(Entry(key: entry.key, value: entry.value))
        }
    }

    /// Creates a dictionary from entries with different keys in rising order.
    init(rising entries: [Entry]) { self.entries = entries }

    /// Returns the dictionary with new values for some keys.
    ///
    /// - Parameter new: The new values, by rising keys. Each key occurs once. A value of `nil` removes the entry.
    /// - Complexity: O(*n* + *k*) for *k* keys
    func replacing(_ new: [(key: SyncString, value: SyncValue?)]) -> SyncDictionary {
        var all: [Entry] = []
        all.reserveCapacity(entries.count + new.count)
        var next = 0
        for (key, value) in new {
            let end = max(entries.partitioned { $0.key >= key }, next)
            all += entries[next..<end]
            next = end
            if next < entries.count, entries[next].key == key { next += 1 }
            if let value { all.append(Entry(key: key, value: value)) }
        }
        all += entries[next...]
        return SyncDictionary(rising: all)
    }

    /// - Complexity: O(log *n*) to read and to replace a value, O(*n*) to add or remove an entry.
    public subscript(key: SyncString) -> SyncValue? {
        get {
            let place = entries.partitioned { $0.key >= key }
            return place < entries.count && entries[place].key == key ? entries[place].value : nil
        }
        set {
            let place = entries.partitioned { $0.key >= key }
            let isPresent = place < entries.count && entries[place].key == key
            switch (newValue, isPresent) {
            case (let value?, true): entries[place] = Entry(key: key, value: value)
            case (let value?, false): entries.insert(Entry(key: key, value: value), at: place)
            case (nil, true): entries.remove(at: place)
            case (nil, false): break
            }
        }
    }
}

/// An embedded object in the form in which its author assigned it.
///
/// The assignment creates an instance whose id is the author's file and `number`. A later assignment creates another
/// instance, and edits of an embedded object name its instance (sync-design.md, section 5).
public struct EmbeddedValue: Hashable, Sendable {
    public let number: OwnNumber
    public let fields: [NewField]

    public init(number: OwnNumber, fields: [NewField]) {
        self.number = number
        self.fields = fields
    }
}

extension SyncValue: Hashable {
    public static func == (a: SyncValue, b: SyncValue) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.int(let a), .int(let b)): a == b
        case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
        case (.string(let a), .string(let b)): a == b
        case (.data(let a), .data(let b)): a == b
        case (.date(let a), .date(let b)): a == b
        case (.objectId(let a), .objectId(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.decimal128(let a), .decimal128(let b)): a.lo == b.lo && a.hi == b.hi
        case (.link(let a), .link(let b)): a == b
        case (.list(let a), .list(let b)): a == b
        case (.dictionary(let a), .dictionary(let b)): a == b
        case (.embedded(let a), .embedded(let b)): a == b
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .float(let value): hasher.combine(value.bitPattern)
        case .double(let value): hasher.combine(value.bitPattern)
        case .string(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .objectId(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .decimal128(let value):
            hasher.combine(value.lo)
            hasher.combine(value.hi)
        case .link(let value): hasher.combine(value)
        case .list(let value): hasher.combine(value)
        case .dictionary(let value): hasher.combine(value)
        case .embedded(let value): hasher.combine(value)
        }
    }
}

extension SyncValue {
    /// Adds to a number in the number's own type. Integers wrap. Values of other types don't change.
    ///
    /// Apps only add to integers. The number can nevertheless have another type, if an app with another version of the
    /// schema wrote it.
    package mutating func add(_ number: Int64) {
        // −0.0, 0 and decimals with trailing zeros don't change.
        guard number != 0 else { return }
        switch self {
        case .int(let value): self = .int(value &+ number)
        case .float(let value): self = .float(value + Float(number))
        case .double(let value): self = .double(value + Double(number))
        case .decimal128(let value): self = .decimal128(value + Decimal128(number))
        default: break
        }
    }
}

extension SyncValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(stringLiteral value: String) { self = .string(SyncString(value)) }
}
