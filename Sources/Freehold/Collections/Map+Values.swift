import Foundation
import FreeholdEngine

// Queries, sorts and aggregates of a map's values, which are in the order of their keys.

extension Map {
    /// The source, for a managed map of objects.
    var source: _CollectionSource? {
        guard let at = place(), let elementTable = at.elementTable else { return nil }
        return _CollectionSource(.list(at.column, at.owner), of: elementTable, isLive: { !self.isInvalidated }) {
            let location = self._rlmLocation
            return { (location.find($0) as! Map?)?.source }
        }
    }

    /// The source, for a map of values.
    private var valueSource: _ValueSource<Value>? {
        if Value._rlmShape.type == .object { return nil }
        guard let home else { return _ValueSource(unmanagedEntries.map(\.value)) }
        return _ValueSource(
            home.core,
            isLive: { !self.isInvalidated },
            locate: {
                let location = self._rlmLocation
                return { (location.find($0) as! Map?)?.valueSource }
            },
            stored: { self.place()?.stored }
        ) {
            let at = self.place()
            let entries = at?.entries ?? []
            return ValueSnapshot(values: entries.map(\.value)) {
                at!.element(entries[$0].value, forKey: entries[$0].key)
            }
        }
    }

    /// Returns live results of all values in the order of the keys. Entries without an object are left out.
    func all(_ operation: String) -> Results<Value> {
        if let values = valueSource { return Results(values) }
        guard let source else {
            programmerError("\(operation) was used on an unmanaged \(typeName). Add its object to a realm first.")
        }
        return Results(trapping: source)
    }

    // MARK: Sorting

    /// Returns the objects that match a condition. See ``Query``.
    ///
    /// - Precondition: The map is a managed map of objects.
    public func `where`(_ condition: (Query<Value>) -> Query<Bool>) -> Results<Value> {
        all("where").where(condition)
    }

    /// Returns the objects sorted by a property, which may be reached through links. For values, the name is `"self"`.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        all("sorted").sorted(byKeyPath: keyPath, ascending: ascending)
    }

    /// Returns the objects sorted by the first property, those with equal values by the second property, and so on.
    public func sorted<S: Sequence>(by descriptors: S) -> Results<Value> where S.Element == SortDescriptor {
        all("sorted").sorted(by: descriptors)
    }

    /// Returns the first of the objects that are equal in all of these properties. For values, the name is `"self"`.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Value> where S.Element == String {
        all("distinct").distinct(by: keyPaths)
    }

    /// Returns live results with at most the first `count` values.
    public func limited(to count: Int) -> Results<Value> { all("limited(to:)").limited(to: count) }

    /// Returns live results without the first `count` values.
    public func offset(by count: Int) -> Results<Value> { all("offset(by:)").offset(by: count) }

    // MARK: Aggregates

    /// Returns the smallest value of the objects' property, or of the values (`"self"`). Returns `nil` if no value
    /// exists.
    public func min<T: RealmCollectionValue>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        AggregateValue.convert(aggregated(.minimum, property), to: T.self)
    }

    /// Returns the greatest value. See `min(ofProperty:)`.
    public func max<T: RealmCollectionValue>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        AggregateValue.convert(aggregated(.maximum, property), to: T.self)
    }

    /// Returns the sum of the objects' property, or of the values (`"self"`). Returns 0 if no value exists.
    public func sum<T: RealmCollectionValue>(ofProperty property: String) -> T where T.PersistedType: AddableType {
        AggregateValue.sum(aggregated(.sum, property), to: T.self)
    }

    /// Returns the mean in the requested type, or `nil` if no value exists.
    public func average<T: RealmCollectionValue>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType {
        AggregateValue.convert(aggregated(.average, property), to: T.self)
    }

    fileprivate func aggregated(_ aggregate: Aggregate, _ property: String) -> FreeholdEngine.Value {
        if home == nil, Value._rlmShape.type == .object {
            return UnmanagedFold.fold(aggregate, values, type: Value._rlmShape.target, keyPath: property)
        }
        return all("An aggregate").aggregated(aggregate, property)
    }
}

extension Map where Value.PersistedType: SortableType {
    /// Returns the values in the order of the file: null first, strings and data by their bytes. Equal values are in
    /// the order of their keys.
    public func sorted(ascending: Bool = true) -> Results<Value> { all("sorted").sorted(ascending: ascending) }

    /// Returns the values without duplicates, at their first positions in the order of the keys.
    public func distinct() -> Results<Value> { all("distinct").distinct() }
}

extension Map where Value.PersistedType: MinMaxType {
    /// Returns the smallest value, or `nil` if the map has no values.
    ///
    /// - Complexity: O(n)
    public func min() -> Value? { min(ofProperty: "self") }

    /// Returns the greatest value, or `nil` if the map has no values.
    ///
    /// - Complexity: O(n)
    public func max() -> Value? { max(ofProperty: "self") }
}

extension Map where Value.PersistedType: AddableType {
    /// Returns the sum of the values, or zero if the map is empty. If an integer type is too small, it receives the low
    /// bits.
    ///
    /// - Complexity: O(n)
    public func sum() -> Value { sum(ofProperty: "self") }

    /// Returns the mean of the values in the requested type, or `nil` if the map has no values.
    ///
    /// Request a `Double`. An `Int` receives only the integral part.
    ///
    /// - Complexity: O(n)
    public func average<T: RealmCollectionValue>() -> T? where T.PersistedType: AddableType {
        average(ofProperty: "self")
    }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    /// Returns the objects sorted by a property. See `sorted(byKeyPath:ascending:)`.
    public func sorted<T>(by keyPath: KeyPath<Value.Wrapped, T>, ascending: Bool = true) -> Results<Value> {
        sorted(byKeyPath: placedName(for: keyPath), ascending: ascending)
    }

    /// Returns the smallest value of the property, or `nil` if no value exists.
    public func min<T: RealmCollectionValue>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: MinMaxType {
        min(ofProperty: placedName(for: keyPath))
    }

    /// Returns the greatest value of the property, or `nil` if no value exists.
    public func max<T: RealmCollectionValue>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: MinMaxType {
        max(ofProperty: placedName(for: keyPath))
    }

    /// Returns the sum of the property's values in the type of the property, or 0 if no value exists.
    public func sum<T: RealmCollectionValue>(of keyPath: KeyPath<Value.Wrapped, T>) -> T
    where T.PersistedType: AddableType {
        sum(ofProperty: placedName(for: keyPath))
    }

    /// Returns the mean of the property's values in the type of the property, or `nil` if no value exists.
    public func average<T: RealmCollectionValue>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: AddableType {
        average(ofProperty: placedName(for: keyPath))
    }
}

extension Realm {
    /// Deletes all objects of a map. Its entries stay, and their values become null.
    public func delete<Key, Element: ObjectBase>(_ map: Map<Key, Element?>) where Element: RealmCollectionValue {
        delete(map.values.compactMap { $0 })
    }
}

// MARK: Names known only at run time

extension Map {
    /// Returns the value of the key as plain data, or `nil` if the value is null or the map doesn't contain the key.
    public func value(forKey key: String) -> Any? {
        self[Key(_rlmMapKey: key)].flatMap { Value._rlmAny($0) }
    }

    /// Returns the value at a key path that begins with a key, or the result of an operator on the values: `"@count"`,
    /// `"@min.age"`, `"@max.age"`, `"@sum.age"` and `"@avg.age"`. `self` stands for values that are numbers or dates.
    public func value(forKeyPath keyPath: String) -> Any? {
        value(forKeys: KeyValueCoding.keys(keyPath), keyPath)
    }

    /// Returns the value of the key as a reference, or `NSNull` for null, for programs that need `AnyObject?`.
    @_disfavoredOverload
    public func value(forKey key: String) -> AnyObject? {
        guard let value = self[Key(_rlmMapKey: key)] else { return nil }
        return Value._rlmAny(value).map { $0 as AnyObject } ?? NSNull()
    }

    /// Returns the value at the key path as a reference, for programs that need `AnyObject?`.
    @_disfavoredOverload
    public func value(forKeyPath keyPath: String) -> AnyObject? {
        (value(forKeyPath: keyPath) as Any?).map { $0 as AnyObject }
    }

    /// Sets the value of a key, with the conversions of `Object(value:)`. `nil` removes the entry. `NSNull`, or an
    /// optional without a value, sets null if the map's values can be null. For a value that doesn't fit, the write
    /// throws, and an unmanaged map traps.
    public func setValue(_ value: Any?, forKey key: String) {
        let mapKey = Key(_rlmMapKey: key)
        guard let given = PlainValue.unwrap(value) else {
            if value != nil, let null = Value._rlmFromContent(.null) {
                set(null, mapKey)
                return
            }
            removeObject(for: mapKey)
            return
        }
        if let typed = given as? Value ?? Value._rlmConvert(given).flatMap({ Value._rlmFromContent($0) }) {
            set(typed, mapKey)
            return
        }
        guard let at = place() else {
            programmerError("\(PlainValue.describe(given)) can't be a value of \(typeName)")
        }
        _ = at.table.core.requireWrite()
        do throws(Realm.Error) {
            // Objects are created from dictionaries and arrays.
            let content = try ValueConversion.element(given, of: at.info, in: at.table.info, copiesOthers: false)
            set(content, forKey: key, at)
        } catch {
            at.record(error)
        }
    }
}
