import FreeholdEngine

extension Query where T: RealmCollection {
    func aggregated<V>(_ aggregate: Aggregate) -> Query<V> { Query<V>(path.with(.aggregate(aggregate))) }

    /// The number of elements.
    public var count: Query<Int> { Query<Int>(path.with(.count)) }

    /// Whether the collection has this element.
    public func contains(_ element: T.Element) -> Query<Bool> { compared(.equal, element) }

    /// Whether the collection has any of these elements.
    public func containsAny<S: Sequence>(in elements: S) -> Query<Bool> where S.Element == T.Element {
        isOne(of: elements)
    }

    /// Whether any element equals the value.
    public static func == (a: Query, b: T.Element) -> Query<Bool> { a.compared(.equal, b) }
    /// Whether any element differs from the value.
    public static func != (a: Query, b: T.Element) -> Query<Bool> { a.compared(.notEqual, b) }
}

extension Query where T: RealmCollection, T.Element: _HasPersistedType, T.Element.PersistedType: _QueryNumeric {
    /// Whether any element is greater than the value.
    public static func > (a: Query, b: T.Element) -> Query<Bool> { a.compared(.greater, b) }
    public static func >= (a: Query, b: T.Element) -> Query<Bool> { a.compared(.greaterOrEqual, b) }
    public static func < (a: Query, b: T.Element) -> Query<Bool> { a.compared(.less, b) }
    public static func <= (a: Query, b: T.Element) -> Query<Bool> { a.compared(.lessOrEqual, b) }

    /// The least element; null where there is none.
    public var min: Query<T.Element> { aggregated(.minimum) }
    /// The greatest element; null where there is none.
    public var max: Query<T.Element> { aggregated(.maximum) }
    /// The mean of the elements; null where there is none.
    public var avg: Query<Double?> { aggregated(.average) }
    /// The sum of the elements; 0 where there is none.
    public var sum: Query<T.Element> { aggregated(.sum) }
}

extension Query where T: RealmCollection, T.Element: Comparable & _HasPersistedType {
    /// Whether all elements lie in the range: the least and the greatest do.
    public func contains(_ range: Range<T.Element>) -> Query<Bool> {
        let least: Query<T.Element> = aggregated(.minimum)
        let greatest: Query<T.Element> = aggregated(.maximum)
        return least.compared(.greaterOrEqual, range.lowerBound) && greatest.compared(.less, range.upperBound)
    }

    /// Whether all elements lie in the range: the least and the greatest do.
    public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> {
        let least: Query<T.Element> = aggregated(.minimum)
        let greatest: Query<T.Element> = aggregated(.maximum)
        return least.compared(.greaterOrEqual, range.lowerBound) && greatest.compared(.lessOrEqual, range.upperBound)
    }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryNumeric {
    /// The least value of those that the path leads to: `$0.dogs.age.min`; null where there is none.
    public var min: Query { Query(path.with(.aggregate(.minimum))) }
    /// The greatest value; null where there is none.
    public var max: Query { Query(path.with(.aggregate(.maximum))) }
    /// The mean of the values; null where there is none.
    public var avg: Query<Double?> { Query<Double?>(path.with(.aggregate(.average))) }
    /// The sum of the values; 0 where there is none.
    public var sum: Query { Query(path.with(.aggregate(.sum))) }
}
