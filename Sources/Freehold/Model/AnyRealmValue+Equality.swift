import FreeholdEngine

extension AnyRealmValue: Hashable {
    /// Compares values of any depth without recursion.
    public static func == (a: AnyRealmValue, b: AnyRealmValue) -> Bool {
        var open = [(a, b)]
        while let (a, b) = open.popLast() {
            switch (a, b) {
            case (.object(let a), .object(let b)): if a != b { return false }
            case (.list(let a), .list(let b)):
                if a.isSame(as: b) { continue }
                let (x, y) = (a.elements_, b.elements_)
                if x.count != y.count { return false }
                open += zip(x, y)
            case (.dictionary(let a), .dictionary(let b)):
                if a.isSame(as: b) { continue }
                if a.count != b.count { return false }
                for (x, y) in zip(a.asKeyValueSequence(), b.asKeyValueSequence()) {
                    if !x.key.utf8.elementsEqual(y.key.utf8) { return false }
                    open.append((x.value, y.value))
                }
            default:
                guard let a = a.scalar, let b = b.scalar, FreeholdEngine.Value.areEqual(a, b) else { return false }
            }
        }
        return true
    }

    /// Hashes the value. The hash of a list or a dictionary is a constant, because its contents can change.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .object(let object): hasher.combine(object)
        case .list: hasher.combine(1)
        case .dictionary: hasher.combine(2)
        default: scalar?.hashEqual(into: &hasher)
        }
    }
}

extension AnyRealmValue {
    /// Returns a Boolean value that indicates whether the first value is before the second in a sort.
    ///
    /// The order is: null, booleans, numbers by value (NaN first), strings by their bytes, data, dates, object ids,
    /// UUIDs, objects, lists, dictionaries. In this order, all objects are equal, all lists are equal, and all
    /// dictionaries are equal.
    public static func isOrderedBefore(_ a: AnyRealmValue, _ b: AnyRealmValue) -> Bool {
        FreeholdEngine.Value.compare(a.orderKey, with: b.orderKey) < 0
    }

    /// A value that represents this one in the order.
    var orderKey: FreeholdEngine.Value {
        switch self {
        case .object: .objectLink(ObjectLink(tableID: 0, key: ObjectKey(0)))
        case .list: .list(NestedList([]))
        case .dictionary: .dictionary(NestedDictionary([]))
        default: scalar ?? .null
        }
    }

    /// The plain value, or nil for objects, lists and dictionaries.
    var scalar: FreeholdEngine.Value? {
        switch self {
        case .none: .null
        case .int(let value): .int(Int64(value))
        case .bool(let value): .bool(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .data(let value): .data(value)
        case .date(let value): .timestamp(Timestamp(value))
        case .objectId(let value): .objectId(value)
        case .decimal128(let value): .decimal128(value)
        case .uuid(let value): .uuid(value)
        case .object, .list, .dictionary: nil
        }
    }

    /// Creates a value from a plain value. Returns nil for other values.
    init?(scalar value: FreeholdEngine.Value) {
        switch value {
        case .null: self = .none
        case .int(let value): self = .int(Int(value))
        case .bool(let value): self = .bool(value)
        case .float(let value): self = .float(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .data(let value): self = .data(value)
        case .timestamp(let value): self = .date(value.date)
        case .objectId(let value): self = .objectId(value)
        case .decimal128(let value): self = .decimal128(value)
        case .uuid(let value): self = .uuid(value)
        case .link, .objectLink, .list, .dictionary: return nil
        }
    }
}
