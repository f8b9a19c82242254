import FreeholdEngine

// Aggregates of lists of numbers and dates. Null elements don't count, and NaN is neither the least nor the greatest.

extension List where Element: MinMaxType {
    /// The least element; nil if there is none.
    ///
    /// - Complexity: O(n)
    public func min() -> Element? { AggregateValue.convert(folded(.minimum), to: Element.self) }

    /// The greatest element; nil if there is none.
    ///
    /// - Complexity: O(n)
    public func max() -> Element? { AggregateValue.convert(folded(.maximum), to: Element.self) }
}

extension List where Element: AddableType {
    /// The sum of the elements; zero if there is none. Of integers the low bits, where it is over the element's type.
    ///
    /// - Complexity: O(n)
    public func sum() -> Element { AggregateValue.sum(folded(.sum), to: Element.self) }

    /// The mean of the elements, converted to the type asked for; nil if there is none.
    ///
    /// Ask for a `Double`: an `Int` takes the whole part only.
    ///
    /// - Complexity: O(n)
    public func average<T: RealmCollectionValue>() -> T? where T.PersistedType: AddableType {
        AggregateValue.convert(folded(.average), to: T.self)
    }
}

extension List {
    private func folded(_ aggregate: Aggregate) -> Value {
        let values = elements_.map { if case .value(let value) = Element._rlmContent($0) { value } else { Value.null } }
        let type: ColumnType =
            switch Element._rlmShape.type {
            case .int: .int
            case .float: .float
            case .decimal128: .decimal128
            case .date: .timestamp
            case .any: .mixed
            default: .double
            }
        return ListFold.fold(aggregate, values, type)
    }
}
