import FreeholdEngine

// Aggregates of lists of numbers and dates. Null elements don't count.

extension List where Element: MinMaxType {
    /// The least element; nil if there is none.
    ///
    /// - Complexity: O(n)
    public func min() -> Element? { extreme { Value.compare($0, $1) < 0 } }

    /// The greatest element; nil if there is none.
    ///
    /// - Complexity: O(n)
    public func max() -> Element? { extreme { Value.compare($0, $1) > 0 } }

    private func extreme(_ isBetter: (Value, Value) -> Bool) -> Element? {
        var best: Value?
        for value in storedNumbers where best.map({ isBetter(value, $0) }) ?? true { best = value }
        return best.flatMap { Element._rlmFromContent(.value($0)) }
    }
}

extension List where Element: AddableType {
    /// The sum of the elements; zero if there is none.
    ///
    /// - Precondition: the sum of integers fits into the element's type.
    /// - Complexity: O(n)
    public func sum() -> Element {
        let total = total
        guard let sum = Element._rlmFromContent(.value(total.isNull ? zero : total)) else {
            programmerError("The sum of a \(typeName) doesn't fit into \(Element.self)")
        }
        return sum
    }

    /// The mean of the elements; nil if there is none.
    ///
    /// - Complexity: O(n)
    public func average<T: RealmCollectionValue>() -> T? where T.PersistedType: AddableType {
        let count = storedNumbers.count
        guard count > 0 else { return nil }
        let mean: Any =
            switch total {
            case .int(let sum): Double(sum) / Double(count)
            case .float(let sum): Double(sum) / Double(count)
            case .double(let sum): sum / Double(count)
            case .decimal128(let sum): sum / Decimal128(count)
            default: 0.0
            }
        return T._rlmConvert(mean).flatMap { T._rlmFromContent(.value($0)) }
    }

    private var zero: Value {
        switch Element._rlmShape.type {
        case .float: .float(0)
        case .double: .double(0)
        case .decimal128: .decimal128(Decimal128())
        default: .int(0)
        }
    }

    private var total: Value {
        storedNumbers.reduce(.null) { sum, value in
            switch (sum, value) {
            case (.null, _): return value
            case (.int(let a), .int(let b)):
                let (result, overflows) = a.addingReportingOverflow(b)
                if overflows { programmerError("The sum of a \(typeName) is over 64 bits") }
                return .int(result)
            case (.float(let a), .float(let b)): return .float(a + b)
            case (.double(let a), .double(let b)): return .double(a + b)
            case (.decimal128(let a), .decimal128(let b)): return .decimal128(a + b)
            default: return sum
            }
        }
    }
}

extension List {
    fileprivate var storedNumbers: [Value] {
        guard case .values(let values) = content else { return [] }
        return values.filter { !$0.isNull }
    }
}
