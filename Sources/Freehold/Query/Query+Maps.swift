import FreeholdEngine

// A condition on the values of a map matches if it matches any of them.

extension Query where T: RealmKeyedCollection {
    /// The keys of the map. A condition matches if any key matches.
    public var keys: Query<T.Key> { Query<T.Key>(path.appending(.keys).quantified(.any)) }

    /// The values of the map. A condition matches if any value matches.
    public var values: Query<T.Value> { Query<T.Value>(path.appending(.all).throughCollection()) }

    /// The value for the key, or null if the map doesn't contain the key.
    public subscript(key: T.Key) -> Query<T.Value> { Query<T.Value>(path.appending(.key(key._rlmMapKey))) }

    /// The number of entries.
    public var count: Query<Int> { Query<Int>(path.with(.count)) }

    /// Matches if the map contains the value under any key.
    public func contains(_ value: T.Value) -> Query<Bool> { has(value) }

    /// Matches if the map contains any of the values.
    public func containsAny<S: Sequence>(in values: S) -> Query<Bool> where S.Element == T.Value {
        anyElement.isOne(of: values)
    }

    /// Matches if any value equals the given one.
    public static func == (a: Query, b: T.Value) -> Query<Bool> { a.anyElement.compared(.equal, to: b) }
    /// Matches if any value differs from the given one.
    public static func != (a: Query, b: T.Value) -> Query<Bool> { a.anyElement.compared(.notEqual, to: b) }
}

extension Query where T: RealmKeyedCollection, T.Value: _HasPersistedType, T.Value.PersistedType: _QueryNumeric {
    /// Matches if any value is greater than the given one.
    public static func > (a: Query, b: T.Value) -> Query<Bool> { a.anyElement.compared(.greater, to: b) }
    public static func >= (a: Query, b: T.Value) -> Query<Bool> { a.anyElement.compared(.greaterOrEqual, to: b) }
    public static func < (a: Query, b: T.Value) -> Query<Bool> { a.anyElement.compared(.less, to: b) }
    public static func <= (a: Query, b: T.Value) -> Query<Bool> { a.anyElement.compared(.lessOrEqual, to: b) }

    /// The smallest value, or null if the map is empty.
    public var min: Query<T.Value> { aggregated(.minimum) }
    /// The greatest value, or null if the map is empty.
    public var max: Query<T.Value> { aggregated(.maximum) }
    /// The mean of the values, or null if the map is empty.
    public var avg: Query<T.Value> { aggregated(.average) }
    /// The sum of the values, or 0 if the map is empty.
    public var sum: Query<T.Value> { aggregated(.sum) }
}

extension Query where T: RealmKeyedCollection, T.Value: _HasPersistedType, T.Value.PersistedType: AddableType {
    /// The mean of the values as a `Double`, for integer values: `$0.ages.avg > 2.5`.
    @_disfavoredOverload
    public var avg: Query<Double?> { aggregated(.average) }
}

extension Query where T: RealmKeyedCollection, T.Value: Comparable {
    /// Matches if the smallest and the greatest value are in the range, so that all values are.
    public func contains(_ range: Range<T.Value>) -> Query<Bool> {
        lies(from: range.lowerBound, to: range.upperBound, isClosed: false)
    }

    /// Matches if the smallest and the greatest value are in the range, so that all values are.
    public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> {
        lies(from: range.lowerBound, to: range.upperBound, isClosed: true)
    }
}

extension Query where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: Comparable {
    /// Matches if the map has values that aren't null, and the smallest and the greatest of them are in the range.
    public func contains(_ range: Range<T.Value.Wrapped>) -> Query<Bool> {
        lies(from: range.lowerBound, to: range.upperBound, isClosed: false)
    }

    /// Matches if the map has values that aren't null, and the smallest and the greatest of them are in the range.
    public func contains(_ range: ClosedRange<T.Value.Wrapped>) -> Query<Bool> {
        lies(from: range.lowerBound, to: range.upperBound, isClosed: true)
    }
}
