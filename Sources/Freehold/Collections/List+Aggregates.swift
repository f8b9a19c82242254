import FreeholdEngine

// Aggregates of lists of numbers and dates. Null elements don't count, and NaN is neither the least nor the greatest.

extension List where Element: MinMaxType {
    /// The least element; nil if there is none.
    ///
    /// - Complexity: O(n)
    public func min() -> Element? { AggregateValue.convert(ElementFold.fold(.minimum, self), to: Element.self) }

    /// The greatest element; nil if there is none.
    ///
    /// - Complexity: O(n)
    public func max() -> Element? { AggregateValue.convert(ElementFold.fold(.maximum, self), to: Element.self) }
}

extension List where Element: AddableType {
    /// The sum of the elements; zero if there is none. Of integers the low bits, where it is over the element's type.
    ///
    /// - Complexity: O(n)
    public func sum() -> Element { AggregateValue.sum(ElementFold.fold(.sum, self), to: Element.self) }

    /// The mean of the elements, converted to the type asked for; nil if there is none.
    ///
    /// Ask for a `Double`: an `Int` takes the whole part only.
    ///
    /// - Complexity: O(n)
    public func average<T: RealmCollectionValue>() -> T? where T.PersistedType: AddableType {
        AggregateValue.convert(ElementFold.fold(.average, self), to: T.self)
    }
}

/// Aggregates of the elements of one collection. Nulls are left out, and NaN is neither least nor greatest.
enum ElementFold {
    static func fold<Element: RealmCollectionValue>(
        _ aggregate: Aggregate,
        _ elements: some Sequence<Element>
    ) -> Value {
        let values = elements.map { element in
            if case .value(let value) = Element._rlmContent(element) { value } else { Value.null }
        }
        return ValueFold.fold(aggregate, values, of: Element._rlmShape.type.columnType ?? .double)
    }
}
