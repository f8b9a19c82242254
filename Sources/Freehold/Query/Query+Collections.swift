import FreeholdEngine

extension Query where T: RealmCollection {
    /// The number of elements.
    public var count: Query<Int> { Query<Int>(path.with(.count)) }

    /// Whether the collection has this element.
    public func contains(_ element: T.Element) -> Query<Bool> { has(element) }

    /// Whether the collection has any of these elements.
    public func containsAny<S: Sequence>(in elements: S) -> Query<Bool> where S.Element == T.Element {
        anyElement.isOne(of: elements)
    }

    /// Whether any element equals the value.
    public static func == (a: Query, b: T.Element) -> Query<Bool> { a.anyElement.compared(.equal, b) }
    /// Whether any element differs from the value.
    public static func != (a: Query, b: T.Element) -> Query<Bool> { a.anyElement.compared(.notEqual, b) }
}

extension Query where T: RealmCollection, T.Element: _HasPersistedType, T.Element.PersistedType: _QueryNumeric {
    /// Whether any element is greater than the value.
    public static func > (a: Query, b: T.Element) -> Query<Bool> { a.anyElement.compared(.greater, b) }
    public static func >= (a: Query, b: T.Element) -> Query<Bool> { a.anyElement.compared(.greaterOrEqual, b) }
    public static func < (a: Query, b: T.Element) -> Query<Bool> { a.anyElement.compared(.less, b) }
    public static func <= (a: Query, b: T.Element) -> Query<Bool> { a.anyElement.compared(.lessOrEqual, b) }

    /// The least element; null where there is none.
    public var min: Query<T.Element> { aggregated(.minimum) }
    /// The greatest element; null where there is none.
    public var max: Query<T.Element> { aggregated(.maximum) }
    /// The mean of the elements; null where there is none.
    public var avg: Query<T.Element> { aggregated(.average) }
    /// The sum of the elements; 0 where there is none.
    public var sum: Query<T.Element> { aggregated(.sum) }
}

extension Query where T: RealmCollection, T.Element: _HasPersistedType, T.Element.PersistedType: AddableType {
    /// The mean of the elements as what it is, where they are whole numbers: `$0.ages.avg > 2.5`.
    @_disfavoredOverload
    public var avg: Query<Double?> { aggregated(.average) }
}

extension Query where T: RealmCollection, T.Element: Comparable & _HasPersistedType {
    /// Whether all elements lie in the range: the least and the greatest do.
    public func contains(_ range: Range<T.Element>) -> Query<Bool> {
        lies(from: range.lowerBound, to: range.upperBound, isClosed: false)
    }

    /// Whether all elements lie in the range: the least and the greatest do.
    public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> {
        lies(from: range.lowerBound, to: range.upperBound, isClosed: true)
    }
}

extension Query where T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: Comparable {
    /// Whether all elements that aren't null lie in the range, and there is one: the least and the greatest do.
    public func contains(_ range: Range<T.Element.Wrapped>) -> Query<Bool> {
        lies(from: range.lowerBound, to: range.upperBound, isClosed: false)
    }

    /// Whether all elements that aren't null lie in the range, and there is one: the least and the greatest do.
    public func contains(_ range: ClosedRange<T.Element.Wrapped>) -> Query<Bool> {
        lies(from: range.lowerBound, to: range.upperBound, isClosed: true)
    }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryNumeric {
    /// The least value of those that the path leads to: `$0.dogs.age.min`; null where there is none.
    public var min: Query { aggregated(.minimum) }
    /// The greatest value; null where there is none.
    public var max: Query { aggregated(.maximum) }
    /// The mean of the values; null where there is none.
    public var avg: Query { aggregated(.average) }
    /// The sum of the values; 0 where there is none.
    public var sum: Query { aggregated(.sum) }
}

extension Query where T: _HasPersistedType, T.PersistedType: AddableType {
    /// The mean as what it is, where the values are whole numbers: `$0.dogs.age.avg > 2.5`.
    @_disfavoredOverload
    public var avg: Query<Double?> { aggregated(.average) }
}
