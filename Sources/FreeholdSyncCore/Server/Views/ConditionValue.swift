package import FreeholdEngine

/// A value of an object that a condition tests.
enum ConditionValue {
    case plain(Value)
    case link(ObjectName)
    /// An embedded object. A condition can only test whether it exists.
    case object

    init(_ value: SyncValue) {
        if case .link(let name) = value { self = .link(name) } else { self = .plain(Value(value)) }
    }

    static let null = ConditionValue.plain(.null)

    /// The value for operators that only use the kind of the value.
    var value: Value {
        switch self {
        case .plain(let value): value
        case .link(let name): .objectLink(ObjectLink(name))
        case .object: .objectLink(ObjectLink(tableID: -1, key: ObjectKey(0)))
        }
    }

    /// The number of bytes that an operator reads. 0 for values of a fixed size.
    var bytes: Int {
        if case .plain(let value) = self { value.bytes } else { 0 }
    }

    /// Returns whether a comparison of two values of an object holds.
    static func holds(_ a: ConditionValue, _ comparison: Comparison, _ b: ConditionValue) -> Bool {
        switch (a, b) {
        case (.plain(let x), .plain(let y)): return comparison.holds(between: x, and: y)
        case (.link(let x), .link(let y)):
            return comparison == .equal ? x == y : comparison == .notEqual && x != y
        default: return comparison == .notEqual
        }
    }
}

extension ObjectLink {
    /// Creates a value that stands for a link in a list inside of a mixed value. Other links are compared by their
    /// names.
    fileprivate init(_ name: ObjectName) {
        var (table, key) = (WordHasher(seed: 1), WordHasher(seed: 2))
        table.combine(name.className)
        key.combine(name.key)
        self.init(tableID: table.finished(), key: ObjectKey(Int64(key.finished() & 0xfff_ffff_ffff)))
    }
}

extension Value {
    /// The number of bytes of a text, data or a collection. 0 for values of a fixed size.
    ///
    /// - Complexity: O(elements) for collections, otherwise O(1)
    var bytes: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let data): data.count
        case .list(let list): list.values.reduce(64) { $0 + 64 + $1.bytes }
        case .dictionary(let dictionary):
            dictionary.entries.reduce(64) { $0 + 64 + $1.key.utf8.count + $1.value.bytes }
        default: 0
        }
    }

    /// Creates a value of the same type. Returns `nil` for links and collections.
    package init?(scalar value: SyncValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(value)
        case .float(let value): self = .float(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value.string)
        case .data(let value): self = .data(value)
        case .date(let value): self = .timestamp(value)
        case .objectId(let value): self = .objectId(value)
        case .uuid(let value): self = .uuid(value)
        case .decimal128(let value): self = .decimal128(value)
        case .link, .list, .dictionary, .embedded: return nil
        }
    }

    /// - Complexity: O(size) for collections, otherwise O(1)
    init(_ value: SyncValue) {
        switch value {
        case .link(let name): self = .objectLink(ObjectLink(name))
        case .list(let values): self = .list(NestedList(values.map { Value($0) }))
        case .dictionary(let dictionary):
            self = .dictionary(
                NestedDictionary(dictionary.entries.map { .init($0.key.string, Value($0.value)) })
            )
        case .embedded: self = .objectLink(ObjectLink(tableID: -1, key: ObjectKey(0)))
        default: self = Value(scalar: value) ?? .null
        }
    }
}
