import FreeholdEngine

// Conditions on the values of a map hold if they do for any of them.

extension Query where T: RealmKeyedCollection {
    /// The keys: any of them.
    public var keys: Query<T.Key> { Query<T.Key>(path.appending(.keys)) }

    /// The values: any of them.
    public var values: Query<T.Value> { Query<T.Value>(path.appending(.all).throughCollection()) }

    /// The value under the key; null where there is none.
    public subscript(key: T.Key) -> Query<T.Value> { Query<T.Value>(path.appending(.key(key._rlmMapKey))) }

    /// The number of entries.
    public var count: Query<Int> { Query<Int>(path.with(.count)) }

    /// Whether the map has this value under any key.
    public func contains(_ value: T.Value) -> Query<Bool> { compared(.equal, value) }

    /// Whether the map has any of these values.
    public func containsAny<S: Sequence>(in values: S) -> Query<Bool> where S.Element == T.Value { isOne(of: values) }

    /// Whether any value equals this one.
    public static func == (a: Query, b: T.Value) -> Query<Bool> { a.compared(.equal, b) }
    /// Whether any value differs from this one.
    public static func != (a: Query, b: T.Value) -> Query<Bool> { a.compared(.notEqual, b) }

    private func aggregated<V>(_ aggregate: Aggregate) -> Query<V> { Query<V>(path.with(.aggregate(aggregate))) }
}

extension Query where T: RealmKeyedCollection, T.Value: _HasPersistedType, T.Value.PersistedType: _QueryNumeric {
    /// Whether any value is greater than this one.
    public static func > (a: Query, b: T.Value) -> Query<Bool> { a.compared(.greater, b) }
    public static func >= (a: Query, b: T.Value) -> Query<Bool> { a.compared(.greaterOrEqual, b) }
    public static func < (a: Query, b: T.Value) -> Query<Bool> { a.compared(.less, b) }
    public static func <= (a: Query, b: T.Value) -> Query<Bool> { a.compared(.lessOrEqual, b) }

    /// The least value; null where there is none.
    public var min: Query<T.Value> { aggregated(.minimum) }
    /// The greatest value; null where there is none.
    public var max: Query<T.Value> { aggregated(.maximum) }
    /// The mean of the values; null where there is none.
    public var avg: Query<Double?> { aggregated(.average) }
    /// The sum of the values; 0 where there is none.
    public var sum: Query<T.Value> { aggregated(.sum) }
}

extension Query where T: RealmKeyedCollection, T.Value: Comparable {
    /// Whether all values lie in the range: the least and the greatest do.
    public func contains(_ range: Range<T.Value>) -> Query<Bool> {
        let least: Query<T.Value> = aggregated(.minimum)
        let greatest: Query<T.Value> = aggregated(.maximum)
        return least.compared(.greaterOrEqual, range.lowerBound) && greatest.compared(.less, range.upperBound)
    }

    /// Whether all values lie in the range: the least and the greatest do.
    public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> {
        let least: Query<T.Value> = aggregated(.minimum)
        let greatest: Query<T.Value> = aggregated(.maximum)
        return least.compared(.greaterOrEqual, range.lowerBound) && greatest.compared(.lessOrEqual, range.upperBound)
    }
}
