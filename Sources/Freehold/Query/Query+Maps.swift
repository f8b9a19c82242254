import FreeholdEngine

// Conditions on the values of a map hold if they do for any of them.

extension Query where T: RealmKeyedCollection {
    /// The keys: any of them.
    public var keys: Query<T.Key> { Query<T.Key>(path.appending(.keys).quantified(.any)) }

    /// The values: any of them.
    public var values: Query<T.Value> { Query<T.Value>(path.appending(.all).throughCollection()) }

    /// The value under the key; null where there is none.
    public subscript(key: T.Key) -> Query<T.Value> { Query<T.Value>(path.appending(.key(key._rlmMapKey))) }

    /// The number of entries.
    public var count: Query<Int> { Query<Int>(path.with(.count)) }

    /// Whether the map has this value under any key.
    public func contains(_ value: T.Value) -> Query<Bool> { has(value) }

    /// Whether the map has any of these values.
    public func containsAny<S: Sequence>(in values: S) -> Query<Bool> where S.Element == T.Value {
        anyElement.isOne(of: values)
    }

    /// Whether any value equals this one.
    public static func == (a: Query, b: T.Value) -> Query<Bool> { a.anyElement.compared(.equal, b) }
    /// Whether any value differs from this one.
    public static func != (a: Query, b: T.Value) -> Query<Bool> { a.anyElement.compared(.notEqual, b) }
}

extension Query where T: RealmKeyedCollection, T.Value: _HasPersistedType, T.Value.PersistedType: _QueryNumeric {
    /// Whether any value is greater than this one.
    public static func > (a: Query, b: T.Value) -> Query<Bool> { a.anyElement.compared(.greater, b) }
    public static func >= (a: Query, b: T.Value) -> Query<Bool> { a.anyElement.compared(.greaterOrEqual, b) }
    public static func < (a: Query, b: T.Value) -> Query<Bool> { a.anyElement.compared(.less, b) }
    public static func <= (a: Query, b: T.Value) -> Query<Bool> { a.anyElement.compared(.lessOrEqual, b) }

    /// The least value; null where there is none.
    public var min: Query<T.Value> { aggregated(.minimum) }
    /// The greatest value; null where there is none.
    public var max: Query<T.Value> { aggregated(.maximum) }
    /// The mean of the values; null where there is none.
    public var avg: Query<T.Value> { aggregated(.average) }
    /// The sum of the values; 0 where there is none.
    public var sum: Query<T.Value> { aggregated(.sum) }
}

extension Query where T: RealmKeyedCollection, T.Value: _HasPersistedType, T.Value.PersistedType: AddableType {
    /// The mean of the values as what it is, where the values are whole numbers: `$0.ages.avg > 2.5`.
    @_disfavoredOverload
    public var avg: Query<Double?> { aggregated(.average) }
}

extension Query where T: RealmKeyedCollection, T.Value: Comparable {
    /// Whether all values lie in the range: the least and the greatest do.
    public func contains(_ range: Range<T.Value>) -> Query<Bool> {
        lies(from: range.lowerBound, to: range.upperBound, isClosed: false)
    }

    /// Whether all values lie in the range: the least and the greatest do.
    public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> {
        lies(from: range.lowerBound, to: range.upperBound, isClosed: true)
    }
}

extension Query where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: Comparable {
    /// Whether all values that aren't null lie in the range, and there is one: the least and the greatest do.
    public func contains(_ range: Range<T.Value.Wrapped>) -> Query<Bool> {
        lies(from: range.lowerBound, to: range.upperBound, isClosed: false)
    }

    /// Whether all values that aren't null lie in the range, and there is one: the least and the greatest do.
    public func contains(_ range: ClosedRange<T.Value.Wrapped>) -> Query<Bool> {
        lies(from: range.lowerBound, to: range.upperBound, isClosed: true)
    }
}
