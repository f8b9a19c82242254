/// The operator that compares two values in a condition.
public enum Comparison: Sendable, CaseIterable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

extension Comparison {
    /// Returns whether the comparison of two values holds.
    public func holds(between a: Value, and b: Value) -> Bool {
        switch self {
        case .equal: Self.areEqual(a, b)
        case .notEqual: !Self.areEqual(a, b)
        case .less: Self.isLess(a, than: b)
        case .greater: Self.isLess(b, than: a)
        case .lessOrEqual: Self.isLess(a, than: b) || Self.areEqual(a, b)
        case .greaterOrEqual: Self.isLess(b, than: a) || Self.areEqual(a, b)
        }
    }

    private static func areEqual(_ a: Value, _ b: Value) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.null, _), (_, .null): false
        // Unlike in the order of values, lists and dictionaries are compared by their content.
        case (.list(let a), .list(let b)): a.values.elementsEqual(b.values, by: areEqual)
        case (.dictionary(let a), .dictionary(let b)):
            a.entries.elementsEqual(b.entries) {
                Value.compareBytes($0.key, with: $1.key) == 0 && areEqual($0.value, $1.value)
            }
        default: comparable(a, b) && Value.compare(a, with: b) == 0
        }
    }

    private static func isLess(_ a: Value, than b: Value) -> Bool {
        if a.isNull || b.isNull || a.type == .link || a.type == .mixed { return false }
        return comparable(a, b) && Value.compare(a, with: b) < 0
    }

    private static func comparable(_ a: Value, _ b: Value) -> Bool {
        if a.isNaN || b.isNaN { return false }
        return a.type == b.type || (a.isNumber && b.isNumber)
    }
}

extension Value {
    /// A Boolean value that indicates whether the value contains NaN, so that it equals nothing.
    var holdsNaN: Bool {
        var found = false
        forEachScalar { if $0.isNaN { found = true } }
        return found
    }

    var isNaN: Bool {
        switch self {
        case .float(let value): value.isNaN
        case .double(let value): value.isNaN
        case .decimal128(let value): value.isNaN
        default: false
        }
    }

    var isNumber: Bool {
        switch self {
        case .int, .float, .double, .decimal128: true
        default: false
        }
    }
}
