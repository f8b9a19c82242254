// The stored values of enums and custom types, for operators that the types themselves don't have.

// MARK: Enums

extension Query where T: RawRepresentable {
    /// The raw value of an enum.
    public var rawValue: Query<T.RawValue> { Query<T.RawValue>(node) }
}

extension Query where T: OptionalProtocol, T.Wrapped: RawRepresentable {
    /// The raw value of an enum, or null if the value is null.
    public var rawValue: Query<T.Wrapped.RawValue?> { Query<T.Wrapped.RawValue?>(node) }
}

extension Query where T: RealmCollection, T.Element: PersistableEnum, T.Element.RawValue: RealmCollectionValue {
    /// The raw values of the elements.
    public var rawValue: Query<AnyRealmCollection<T.Element.RawValue>> {
        Query<AnyRealmCollection<T.Element.RawValue>>(node)
    }
}

extension Query
where
    T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: PersistableEnum,
    T.Element.Wrapped.RawValue: _RealmCollectionValueInsideOptional
{
    /// The raw values of the elements.
    public var rawValue: Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>> {
        Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>>(node)
    }
}

extension Query where T: RealmKeyedCollection, T.Value: PersistableEnum, T.Value.RawValue: RealmCollectionValue {
    /// The raw values of the map's values.
    public var rawValue: Query<Map<T.Key, T.Value.RawValue>> { Query<Map<T.Key, T.Value.RawValue>>(node) }
}

extension Query
where
    T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: PersistableEnum,
    T.Value.Wrapped.RawValue: _RealmCollectionValueInsideOptional
{
    /// The raw values of the map's values.
    public var rawValue: Query<Map<T.Key, T.Value.Wrapped.RawValue?>> {
        Query<Map<T.Key, T.Value.Wrapped.RawValue?>>(node)
    }
}

// MARK: Custom types

extension Query where T: _CustomPersistable {
    /// The stored value of a custom type. If it is an embedded object, conditions can use its members.
    public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(node) }
}

extension Query where T: OptionalProtocol, T.Wrapped: _CustomPersistable {
    /// The stored value of a custom type, or null if the value is null.
    public var persistableValue: Query<T.Wrapped.PersistedType?> { Query<T.Wrapped.PersistedType?>(node) }
}

extension Query where T: RealmCollection, T.Element: _CustomPersistable, T.Element.PersistedType: RealmCollectionValue {
    /// The stored values of the elements.
    public var persistableValue: Query<AnyRealmCollection<T.Element.PersistedType>> {
        Query<AnyRealmCollection<T.Element.PersistedType>>(node)
    }
}

extension Query
where
    T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: _CustomPersistable,
    T.Element.Wrapped.PersistedType: _RealmCollectionValueInsideOptional
{
    /// The stored values of the elements.
    public var persistableValue: Query<AnyRealmCollection<T.Element.Wrapped.PersistedType?>> {
        Query<AnyRealmCollection<T.Element.Wrapped.PersistedType?>>(node)
    }
}

extension Query
where T: RealmKeyedCollection, T.Value: _CustomPersistable, T.Value.PersistedType: RealmCollectionValue {
    /// The stored values of the map's values.
    public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> {
        Query<Map<T.Key, T.Value.PersistedType>>(node)
    }
}

extension Query
where
    T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: _CustomPersistable,
    T.Value.Wrapped.PersistedType: _RealmCollectionValueInsideOptional
{
    /// The stored values of the map's values.
    public var persistableValue: Query<Map<T.Key, T.Value.Wrapped.PersistedType?>> {
        Query<Map<T.Key, T.Value.Wrapped.PersistedType?>>(node)
    }
}
