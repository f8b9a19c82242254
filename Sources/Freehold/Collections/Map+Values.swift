import FreeholdEngine

// Aggregates, sorting and queries of a map's values.

extension Map where Value: MinMaxType {
    /// The least value; nil if there is none. - Complexity: O(n)
    public func min() -> Value? { AggregateValue.convert(ElementFold.fold(.minimum, values), to: Value.self) }

    /// The greatest value; nil if there is none. - Complexity: O(n)
    public func max() -> Value? { AggregateValue.convert(ElementFold.fold(.maximum, values), to: Value.self) }
}

extension Map where Value: AddableType {
    /// The sum of the values; zero if there is none. Of integers the low bits, where it is over the values' type.
    ///
    /// - Complexity: O(n)
    public func sum() -> Value { AggregateValue.sum(ElementFold.fold(.sum, values), to: Value.self) }

    /// The mean of the values, converted to the type asked for; nil if there is none.
    ///
    /// Ask for a `Double`: an `Int` takes the whole part only.
    ///
    /// - Complexity: O(n)
    public func average<T: RealmCollectionValue>() -> T? where T.PersistedType: AddableType {
        AggregateValue.convert(ElementFold.fold(.average, values), to: T.self)
    }
}

/// Of a managed map of objects. Entries without an object are left out.
extension Map where Value: OptionalProtocol, Value.Wrapped: ObjectBase & RealmCollectionValue {
    func objects(_ operation: String) -> Results<Value.Wrapped> {
        guard let at = place(), let elementTable = at.elementTable else {
            programmerError("\(operation) was used on an unmanaged \(typeName). Add its object to a realm first.")
        }
        return Results(
            trapping: _CollectionSource(.list(at.column, at.owner), of: elementTable, isLive: { !self.isInvalidated })
        )
    }

    /// The objects that meet a condition: see ``Query``.
    public func `where`(_ condition: (Query<Value.Wrapped>) -> Query<Bool>) -> Results<Value.Wrapped> {
        objects("where").where(condition)
    }

    /// The objects by that property, or by one that links lead to.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value.Wrapped> {
        objects("sorted").sorted(byKeyPath: keyPath, ascending: ascending)
    }

    public func sorted<T>(by keyPath: KeyPath<Value.Wrapped, T>, ascending: Bool = true) -> Results<Value.Wrapped> {
        objects("sorted").sorted(by: keyPath, ascending: ascending)
    }

    /// The objects by the first property, where that is equal by the second, and so on.
    public func sorted<S: Sequence>(by descriptors: S) -> Results<Value.Wrapped> where S.Element == SortDescriptor {
        objects("sorted").sorted(by: descriptors)
    }

    /// The least value of the property; nil where there is none.
    public func min<T: RealmCollectionValue>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        objects("min").min(ofProperty: property)
    }

    /// The greatest value of the property; nil where there is none.
    public func max<T: RealmCollectionValue>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        objects("max").max(ofProperty: property)
    }

    /// The sum of the property's values; 0 where there is none.
    public func sum<T: RealmCollectionValue>(ofProperty property: String) -> T where T.PersistedType: AddableType {
        objects("sum").sum(ofProperty: property)
    }

    /// The mean of the property's values, converted to the type asked for; nil where there is none.
    public func average<T: RealmCollectionValue>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType {
        objects("average").average(ofProperty: property)
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

    /// Sets the value of a key, converted as in `Object(value:)`; nil removes the entry. A value that doesn't fit is
    /// an error that the write throws; of an unmanaged map it traps.
    public func setValue(_ value: Any?, forKey key: String) {
        let mapKey = Key(_rlmMapKey: key)
        guard let given = PlainValue.unwrap(value) else {
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
            set(try ValueConversion.element(given, at.info, at.table.info), forKey: key, at)
        } catch {
            at.record(error)
        }
    }
}
