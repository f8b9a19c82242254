import FreeholdEngine

/// A live collection of groups of objects that have equal values in one or several properties, with aggregates for each
/// group.
///
/// ```swift
/// for group in realm.objects(City.self).grouped(by: \.country?.name) {
///     print(group.key ?? "nowhere", group.count, group.sum(of: \.population), group.max(of: \.elevation) ?? 0)
/// }
/// ```
///
/// The groups are in the order of their keys, like in a sort: null first, strings by their bytes. Objects with a null
/// link on a path are in the group of null. The objects are read once for the keys, and once for each aggregated
/// property for all groups together. No objects are created. Grouped results belong to their realm's thread.
public struct GroupedResults<Key, Member: KeypathSortable & RealmCollectionValue>: RandomAccessCollection {
    public typealias Index = Int
    public typealias Element = ResultsGroup<Key, Member>

    let query: GroupQuery
    let makeKey: ([_StoredContent]) -> Key

    /// The realm of the objects.
    public var realm: Realm? { Realm(core: query.source.core) }
    /// A Boolean value that indicates whether the grouped collection can't be used any more. It then has no groups.
    public var isInvalidated: Bool { query.isInvalidated }

    public var startIndex: Int { 0 }
    /// The number of groups.
    ///
    /// - Complexity: O(1). After a change of the realm, the objects are grouped again.
    public var endIndex: Int { query.current()?.count ?? 0 }

    /// The keys of all groups, in order.
    public var allKeys: [Key] { map(\.key) }

    /// Returns the i-th group.
    ///
    /// - Precondition: The collection has an i-th group.
    public subscript(i: Int) -> ResultsGroup<Key, Member> {
        guard let groups = query.current(), i >= 0, i < groups.count else {
            programmerError("Index \(i) is out of bounds: there are \(count) groups. Check `count` first.")
        }
        let values = groups.key(i)
        let contents = values.enumerated().map { query.content(of: $1, $0) }
        return ResultsGroup(
            contents: contents,
            makeKey: makeKey,
            count: groups.count(i),
            query: query,
            groups: groups,
            position: i
        )
    }
}

/// An element of ``GroupedResults``. It keeps its state from the time of the read, but its objects are live.
public struct ResultsGroup<Key, Member: KeypathSortable & RealmCollectionValue> {
    let contents: [_StoredContent]
    let makeKey: ([_StoredContent]) -> Key
    /// The common value of the objects.
    ///
    /// - Precondition: The stored values represent values of the key's types. `grouped(by:)` with names has keys for
    ///   all values.
    public var key: Key { makeKey(contents) }
    /// The number of objects.
    public let count: Int
    let query: GroupQuery
    let groups: RowGroups
    let position: Int

    /// The live results of the objects. They contain the objects that have the key at the time of the read, in the
    /// order of the grouped collection.
    public var objects: Results<Member> { Results(trapping: query.objects(groups.key(position))) }

    private func aggregated(_ aggregate: Aggregate, _ keyPath: String) -> Value {
        guard let current = query.current() else { return aggregate == .sum ? .int(0) : .null }
        if current === groups { return query.aggregate(aggregate, keyPath, group: position, groups: groups) }
        // The realm has moved to another version since the group was read.
        let key = groups.key(position)
        for i in 0..<current.count where zip(current.key(i), key).allSatisfy({ Value.areEqual($0, $1) }) {
            return query.aggregate(aggregate, keyPath, group: i, groups: current)
        }
        return aggregate == .sum ? .int(0) : .null
    }

    /// Returns the smallest value of a property, or `nil` if no value exists. The property may be reached through
    /// to-one links.
    ///
    /// - Precondition: The property is a number, a date or a mixed value.
    public func min<T: RealmCollectionValue>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        AggregateValue.convert(aggregated(.minimum, property), to: T.self)
    }

    /// Returns the greatest value of a property. See `min(ofProperty:)`.
    public func max<T: RealmCollectionValue>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        AggregateValue.convert(aggregated(.maximum, property), to: T.self)
    }

    /// Returns the sum of a property's values, or 0 if no value exists.
    ///
    /// - Precondition: The property is a number or a mixed value.
    public func sum<T: RealmCollectionValue>(ofProperty property: String) -> T where T.PersistedType: AddableType {
        AggregateValue.sum(aggregated(.sum, property), to: T.self)
    }

    /// Returns the mean in the requested type, usually `Double`, or `nil` if no value exists.
    ///
    /// - Precondition: The property is a number or a mixed value.
    public func average<T: RealmCollectionValue>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType {
        AggregateValue.convert(aggregated(.average, property), to: T.self)
    }

    /// Returns the smallest value of the property, or `nil` if no value exists.
    public func min<T: RealmCollectionValue>(of keyPath: KeyPath<Member, T>) -> T? where T.PersistedType: MinMaxType {
        min(ofProperty: placedName(for: keyPath))
    }

    /// Returns the greatest value of the property, or `nil` if no value exists.
    public func max<T: RealmCollectionValue>(of keyPath: KeyPath<Member, T>) -> T? where T.PersistedType: MinMaxType {
        max(ofProperty: placedName(for: keyPath))
    }

    /// Returns the sum of the property's values in the type of the property, or 0 if no value exists.
    public func sum<T: RealmCollectionValue>(of keyPath: KeyPath<Member, T>) -> T where T.PersistedType: AddableType {
        sum(ofProperty: placedName(for: keyPath))
    }

    /// Returns the mean of the property's values as a `Double`, or `nil` if no value exists.
    public func average<T: RealmCollectionValue>(of keyPath: KeyPath<Member, T>) -> Double?
    where T.PersistedType: AddableType {
        average(ofProperty: placedName(for: keyPath))
    }
}

extension RealmCollection where Element: KeypathSortable {
    /// Returns the objects in groups with equal values of a property, which may be reached through to-one links. The
    /// key of objects without a value is `nil`, so a path with an optional link needs a key path with `?`.
    ///
    /// - Precondition: The collection is managed.
    /// - Complexity: O(n), once for each version of the realm.
    public func grouped<Key: RealmCollectionValue>(by keyPath: KeyPath<Element, Key>) -> GroupedResults<Key, Element> {
        grouped([placedName(for: keyPath)]) { GroupKey.make($0[0], $1) }
    }

    /// Returns the objects in groups with equal values of several properties. The key is a tuple.
    ///
    /// ```swift
    /// for group in people.grouped(by: \.city, \.age) { print(group.key.0, group.key.1, group.count) }
    /// ```
    ///
    /// - Precondition: The collection is managed.
    /// - Complexity: O(n), once for each version of the realm.
    public func grouped<First: RealmCollectionValue, each Rest: RealmCollectionValue>(
        by first: KeyPath<Element, First>,
        _ rest: repeat KeyPath<Element, each Rest>
    ) -> GroupedResults<(First, repeat each Rest), Element> {
        var names = [placedName(for: first)]
        for keyPath in repeat each rest { names.append(placedName(for: keyPath)) }
        return grouped(names) { contents, core in
            var rest = contents.dropFirst()
            return (GroupKey.make(contents[0], core), repeat GroupKey.next((each Rest).self, &rest, in: core))
        }
    }

    /// Returns the objects in groups with equal values of properties whose names or key paths are known only at run
    /// time.
    ///
    /// - Precondition: The collection is managed. At least one name is given, and each property has one value for each
    ///   object.
    /// - Complexity: O(n), once for each version of the realm.
    public func grouped<S: Sequence>(by keyPaths: S) -> GroupedResults<[AnyRealmValue], Element>
    where S.Element == String {
        grouped(Array(keyPaths)) { contents, core in contents.map { GroupKey.make($0, core) } }
    }

    private func grouped<Key>(
        _ keyPaths: [String],
        _ makeKey: @escaping ([_StoredContent], RealmCore) -> Key
    ) -> GroupedResults<Key, Element> {
        let source = requireSource("grouped(by:)")
        let core = source.core
        return GroupedResults(query: GroupQuery(source, by: keyPaths)) { makeKey($0, core) }
    }
}

private enum GroupKey {
    static func make<Key: RealmCollectionValue>(_ content: _StoredContent, _ core: RealmCore) -> Key {
        Key._element(content, in: core)
    }

    static func next<Key: RealmCollectionValue>(
        _ type: Key.Type,
        _ contents: inout ArraySlice<_StoredContent>,
        in core: RealmCore
    ) -> Key {
        make(contents.removeFirst(), core)
    }
}
