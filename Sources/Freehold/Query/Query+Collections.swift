import FreeholdEngine

extension Query where T: RealmCollection {
    /// The number of elements.
    public var count: Query<Int> { Query<Int>(path.with(.count)) }

    /// Matches if the collection contains the element.
    public func contains(_ element: T.Element) -> Query<Bool> { has(element) }

    /// Matches if the collection contains any of the elements.
    public func containsAny<S: Sequence>(in elements: S) -> Query<Bool> where S.Element == T.Element {
        anyElement.isOne(of: elements)
    }

    /// Matches if any element equals the value.
    public static func == (a: Query, b: T.Element) -> Query<Bool> { a.anyElement.compared(.equal, to: b) }
    /// Matches if any element differs from the value.
    public static func != (a: Query, b: T.Element) -> Query<Bool> { a.anyElement.compared(.notEqual, to: b) }
}

extension Query where T: RealmCollection, T.Element: _HasPersistedType, T.Element.PersistedType: _QueryNumeric {
    /// Matches if any element is greater than the value.
    public static func > (a: Query, b: T.Element) -> Query<Bool> { a.anyElement.compared(.greater, to: b) }
    public static func >= (a: Query, b: T.Element) -> Query<Bool> { a.anyElement.compared(.greaterOrEqual, to: b) }
    public static func < (a: Query, b: T.Element) -> Query<Bool> { a.anyElement.compared(.less, to: b) }
    public static func <= (a: Query, b: T.Element) -> Query<Bool> { a.anyElement.compared(.lessOrEqual, to: b) }

    /// The smallest element, or null if the collection is empty.
    public var min: Query<T.Element> { aggregated(.minimum) }
    /// The greatest element, or null if the collection is empty.
    public var max: Query<T.Element> { aggregated(.maximum) }
    /// The mean of the elements, or null if the collection is empty.
    public var avg: Query<T.Element> { aggregated(.average) }
    /// The sum of the elements, or 0 if the collection is empty.
    public var sum: Query<T.Element> { aggregated(.sum) }
}

extension Query where T: RealmCollection, T.Element: _HasPersistedType, T.Element.PersistedType: AddableType {
    /// The mean of the elements as a `Double`, for collections of integers: `$0.ages.avg > 2.5`.
    @_disfavoredOverload
    public var avg: Query<Double?> { aggregated(.average) }
}

extension Query where T: RealmCollection, T.Element: Comparable & _HasPersistedType {
    /// Matches if the smallest and the greatest element are in the range, so that all elements are.
    public func contains(_ range: Range<T.Element>) -> Query<Bool> {
        lies(from: range.lowerBound, to: range.upperBound, isClosed: false)
    }

    /// Matches if the smallest and the greatest element are in the range, so that all elements are.
    public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> {
        lies(from: range.lowerBound, to: range.upperBound, isClosed: true)
    }
}

extension Query where T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: Comparable {
    /// Matches if the collection has elements that aren't null, and the smallest and the greatest of them are in the
    /// range.
    public func contains(_ range: Range<T.Element.Wrapped>) -> Query<Bool> {
        lies(from: range.lowerBound, to: range.upperBound, isClosed: false)
    }

    /// Matches if the collection has elements that aren't null, and the smallest and the greatest of them are in the
    /// range.
    public func contains(_ range: ClosedRange<T.Element.Wrapped>) -> Query<Bool> {
        lies(from: range.lowerBound, to: range.upperBound, isClosed: true)
    }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryNumeric {
    /// The smallest value on the path, such as `$0.dogs.age.min`, or null if the path has no values.
    public var min: Query { aggregated(.minimum) }
    /// The greatest value on the path, or null if the path has no values.
    public var max: Query { aggregated(.maximum) }
    /// The mean of the values on the path, or null if the path has no values.
    public var avg: Query { aggregated(.average) }
    /// The sum of the values on the path, or 0 if the path has no values.
    public var sum: Query { aggregated(.sum) }
}

extension Query where T: _HasPersistedType, T.PersistedType: AddableType {
    /// The mean as a `Double`, for integer values: `$0.dogs.age.avg > 2.5`.
    @_disfavoredOverload
    public var avg: Query<Double?> { aggregated(.average) }
}
