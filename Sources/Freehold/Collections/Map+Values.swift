import Foundation
import FreeholdEngine

// Queries, orders and aggregates of a map's values, which stand in the order of their keys.

extension Map {
    /// Of a managed map of objects.
    var source: _CollectionSource? {
        guard let at = place(), let elementTable = at.elementTable else { return nil }
        return _CollectionSource(.list(at.column, at.owner), of: elementTable, isLive: { !self.isInvalidated }) {
            let location = self._rlmLocation
            return { (location.find($0) as! Map?)?.source }
        }
    }

    /// Of a map of values.
    private var valueSource: _ValueSource<Value>? {
        if Value._rlmShape.type == .object { return nil }
        guard let home else { return _ValueSource(items.sorted.map(\.value)) }
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

    /// All values, live, in the order of the keys. Entries without an object are left out.
    func all(_ operation: String) -> Results<Value> {
        if let values = valueSource { return Results(values) }
        guard let source else {
            programmerError("\(operation) was used on an unmanaged \(typeName). Add its object to a realm first.")
        }
        return Results(trapping: source)
    }

    // MARK: Orders

    /// The objects that meet a condition: see ``Query``.
    ///
    /// - Precondition: a managed map of objects.
    public func `where`(_ condition: (Query<Value>) -> Query<Bool>) -> Results<Value> {
        all("where").where(condition)
    }

    /// The objects by that property, or by one that links lead to; values by `"self"`.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        all("sorted").sorted(byKeyPath: keyPath, ascending: ascending)
    }

    /// The objects by the first property, where that is equal by the second, and so on.
    public func sorted<S: Sequence>(by descriptors: S) -> Results<Value> where S.Element == SortDescriptor {
        all("sorted").sorted(by: descriptors)
    }

    /// Of the objects that are equal in all of these properties the first; values by `"self"`.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Value> where S.Element == String {
        all("distinct").distinct(by: keyPaths)
    }

    /// At most the first `count` values, live.
    public func limited(to count: Int) -> Results<Value> { all("limited(to:)").limited(to: count) }

    /// All but the first `count` values, live.
    public func offset(by count: Int) -> Results<Value> { all("offset(by:)").offset(by: count) }

    // MARK: Aggregates

    /// The least value of the objects' property, or of the values (`"self"`); nil where there is none.
    public func min<T: RealmCollectionValue>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        AggregateValue.convert(aggregated(.minimum, property), to: T.self)
    }

    /// The greatest value, likewise.
    public func max<T: RealmCollectionValue>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        AggregateValue.convert(aggregated(.maximum, property), to: T.self)
    }

    /// The sum of the objects' property, or of the values (`"self"`); 0 where there is none.
    public func sum<T: RealmCollectionValue>(ofProperty property: String) -> T where T.PersistedType: AddableType {
        AggregateValue.sum(aggregated(.sum, property), to: T.self)
    }

    /// The mean, converted to the type asked for; nil where there is none.
    public func average<T: RealmCollectionValue>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType {
        AggregateValue.convert(aggregated(.average, property), to: T.self)
    }

    fileprivate func aggregated(_ aggregate: Aggregate, _ property: String) -> FreeholdEngine.Value {
        if home == nil, Value._rlmShape.type == .object {
            return UnmanagedFold.fold(aggregate, values, Value._rlmShape.target, property)
        }
        return all("An aggregate").aggregated(aggregate, property)
    }
}

extension Map where Value.PersistedType: SortableType {
    /// The values in the order of the file: null first, strings and data by their bytes. Equal ones by their keys.
    public func sorted(ascending: Bool = true) -> Results<Value> { all("sorted").sorted(ascending: ascending) }

    /// Each value once, where it first occurs in the order of the keys.
    public func distinct() -> Results<Value> { all("distinct").distinct() }
}

extension Map where Value.PersistedType: MinMaxType {
    /// The least value; nil if there is none. - Complexity: O(n)
    public func min() -> Value? { min(ofProperty: "self") }

    /// The greatest value; nil if there is none. - Complexity: O(n)
    public func max() -> Value? { max(ofProperty: "self") }
}

extension Map where Value.PersistedType: AddableType {
    /// The sum of the values; zero if there is none. Of integers the low bits, where it is over the values' type.
    ///
    /// - Complexity: O(n)
    public func sum() -> Value { sum(ofProperty: "self") }

    /// The mean of the values, converted to the type asked for; nil if there is none.
    ///
    /// Ask for a `Double`: an `Int` takes the whole part only.
    ///
    /// - Complexity: O(n)
    public func average<T: RealmCollectionValue>() -> T? where T.PersistedType: AddableType {
        average(ofProperty: "self")
    }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    /// The objects by a property: see `sorted(byKeyPath:ascending:)`.
    public func sorted<T>(by keyPath: KeyPath<Value.Wrapped, T>, ascending: Bool = true) -> Results<Value> {
        sorted(byKeyPath: placedName(for: keyPath), ascending: ascending)
    }

    /// The least value of the property; nil where there is none.
    public func min<T: RealmCollectionValue>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: MinMaxType {
        min(ofProperty: placedName(for: keyPath))
    }

    /// The greatest value of the property; nil where there is none.
    public func max<T: RealmCollectionValue>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: MinMaxType {
        max(ofProperty: placedName(for: keyPath))
    }

    /// The sum of the property's values, in the property's type; 0 where there is none.
    public func sum<T: RealmCollectionValue>(of keyPath: KeyPath<Value.Wrapped, T>) -> T
    where T.PersistedType: AddableType {
        sum(ofProperty: placedName(for: keyPath))
    }

    /// The mean of the property's values, in the property's type; nil where there is none.
    public func average<T: RealmCollectionValue>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: AddableType {
        average(ofProperty: placedName(for: keyPath))
    }
}

extension Realm {
    /// Deletes all objects that a map holds; its entries stay and hold null.
    public func delete<Key, Element: ObjectBase>(_ map: Map<Key, Element?>) where Element: RealmCollectionValue {
        delete(map.values.compactMap { $0 })
    }
}

// MARK: Names known at run time only

extension Map {
    /// The value of that key as plain data; nil where there is none, and for null.
    public func value(forKey key: String) -> Any? {
        self[Key(_rlmMapKey: key)].flatMap { Value._rlmAny($0) }
    }

    /// `"@count"`, `"@min.age"`, `"@max.age"`, `"@sum.age"` and `"@avg.age"` of the values (`self` for values that are
    /// numbers or dates), or what a key path that begins with a key leads to.
    public func value(forKeyPath keyPath: String) -> Any? {
        value(forKeys: KeyValueCoding.keys(keyPath), keyPath)
    }

    /// The value of that key as a reference, `NSNull` for null: where a program asks for `AnyObject?`.
    @_disfavoredOverload
    public func value(forKey key: String) -> AnyObject? {
        guard let value = self[Key(_rlmMapKey: key)] else { return nil }
        return Value._rlmAny(value).map { $0 as AnyObject } ?? NSNull()
    }

    /// What the key path leads to, as a reference: where a program asks for `AnyObject?`.
    @_disfavoredOverload
    public func value(forKeyPath keyPath: String) -> AnyObject? {
        (value(forKeyPath: keyPath) as Any?).map { $0 as AnyObject }
    }

    /// Sets the value of a key, converted as in `Object(value:)`; nil removes the entry. `NSNull`, or an optional without
    /// a value, makes it null where the map's values can be. A value that doesn't fit is an error that the write throws;
    /// of an unmanaged map it traps.
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
            // Objects from dictionaries and arrays.
            let content = try ValueConversion.element(given, at.info, at.table.info, copiesOthers: false)
            set(content, forKey: key, at)
        } catch {
            at.record(error)
        }
    }
}
