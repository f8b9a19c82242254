import FreeholdEngine

/// Objects in groups of those that are equal in one or several properties, with what can be made of each group: live.
///
/// ```swift
/// for group in realm.objects(City.self).grouped(by: \.country?.name) {
///     print(group.key ?? "nowhere", group.count, group.sum(of: \.population), group.max(of: \.elevation) ?? 0)
/// }
/// ```
///
/// The groups stand in the order of their keys, as sorting has it: null first, strings by their bytes. Objects with a
/// link on a path that leads to nothing are in the group of null. The objects are read once for the keys, and once for
/// each property that is aggregated, for all groups together; no objects are made. Belongs to its realm's thread.
public struct GroupedResults<Key, Member: KeypathSortable & RealmCollectionValue>: RandomAccessCollection {
    public typealias Index = Int
    public typealias Element = ResultsGroup<Key, Member>

    let query: GroupQuery
    let makeKey: ([_StoredContent]) -> Key

    /// The realm of the objects.
    public var realm: Realm? { Realm(core: query.source.core) }
    /// Whether the collection that was grouped can't be used any more; there are no groups then.
    public var isInvalidated: Bool { query.isInvalidated }

    public var startIndex: Int { 0 }
    /// - Complexity: O(1); after a change of the realm the objects are grouped anew.
    public var endIndex: Int { query.current()?.count ?? 0 }

    /// The keys of all groups, in order.
    public var allKeys: [Key] { map(\.key) }

    /// - Precondition: there is an i-th group.
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

/// One of ``GroupedResults``, as it was when it was read: its objects only are live.
public struct ResultsGroup<Key, Member: KeypathSortable & RealmCollectionValue> {
    let contents: [_StoredContent]
    let makeKey: ([_StoredContent]) -> Key
    /// What the objects have in common.
    ///
    /// - Precondition: what is stored stands for values of the key's types. `grouped(by:)` with names has keys for all values.
    public var key: Key { makeKey(contents) }
    /// The number of objects.
    public let count: Int
    let query: GroupQuery
    let groups: RowGroups
    let position: Int

    /// The objects, live: those that have the key when they are read, in the order of what was grouped.
    public var objects: Results<Member> { Results(trapping: query.objects(groups.key(position))) }

    private func aggregated(_ aggregate: Aggregate, _ keyPath: String) -> Value {
        guard let current = query.current() else { return aggregate == .sum ? .int(0) : .null }
        if current === groups { return query.aggregate(aggregate, keyPath, position, groups) }
        // The realm has moved on since the group was read.
        let key = groups.key(position)
        for i in 0..<current.count where zip(current.key(i), key).allSatisfy({ Value.areEqual($0, $1) }) {
            return query.aggregate(aggregate, keyPath, i, current)
        }
        return aggregate == .sum ? .int(0) : .null
    }

    /// The least value of a property, also of one that to-one links lead to; nil where there is none.
    ///
    /// - Precondition: the property is a number, a date or a mixed value.
    public func min<T: RealmCollectionValue>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        AggregateValue.convert(aggregated(.minimum, property), to: T.self)
    }

    /// The greatest value, likewise.
    public func max<T: RealmCollectionValue>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
        AggregateValue.convert(aggregated(.maximum, property), to: T.self)
    }

    /// The sum of a property's values; 0 where there is none.
    ///
    /// - Precondition: the property is a number or a mixed value.
    public func sum<T: RealmCollectionValue>(ofProperty property: String) -> T where T.PersistedType: AddableType {
        AggregateValue.sum(aggregated(.sum, property), to: T.self)
    }

    /// The mean, converted to the type asked for (take `Double`); nil where there is none.
    ///
    /// - Precondition: the property is a number or a mixed value.
    public func average<T: RealmCollectionValue>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType {
        AggregateValue.convert(aggregated(.average, property), to: T.self)
    }

    /// The least value of the property; nil where there is none.
    public func min<T: RealmCollectionValue>(of keyPath: KeyPath<Member, T>) -> T? where T.PersistedType: MinMaxType {
        min(ofProperty: placedName(for: keyPath))
    }

    /// The greatest value of the property; nil where there is none.
    public func max<T: RealmCollectionValue>(of keyPath: KeyPath<Member, T>) -> T? where T.PersistedType: MinMaxType {
        max(ofProperty: placedName(for: keyPath))
    }

    /// The sum of the property's values, in the property's type; 0 where there is none.
    public func sum<T: RealmCollectionValue>(of keyPath: KeyPath<Member, T>) -> T where T.PersistedType: AddableType {
        sum(ofProperty: placedName(for: keyPath))
    }

    /// The mean of the property's values as a `Double`; nil where there is none.
    public func average<T: RealmCollectionValue>(of keyPath: KeyPath<Member, T>) -> Double?
    where T.PersistedType: AddableType {
        average(ofProperty: placedName(for: keyPath))
    }
}

extension RealmCollection where Element: KeypathSortable {
    /// The objects in groups of those that are equal in a property, or in one that to-one links lead to. Nil is the key of
    /// those without a value, so that a link to nothing needs a key path with `?`.
    ///
    /// - Precondition: a managed collection.
    /// - Complexity: O(n), once a version of the realm.
    public func grouped<Key: RealmCollectionValue>(by keyPath: KeyPath<Element, Key>) -> GroupedResults<Key, Element> {
        grouped([placedName(for: keyPath)]) { GroupKey.make($0[0], $1) }
    }

    /// The objects in groups of those that are equal in several properties; the key is a tuple.
    ///
    /// ```swift
    /// for group in people.grouped(by: \.city, \.age) { print(group.key.0, group.key.1, group.count) }
    /// ```
    ///
    /// - Precondition: a managed collection.
    /// - Complexity: O(n), once a version of the realm.
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

    /// The objects in groups of those that are equal in properties whose names, or key paths, are known at run time only.
    ///
    /// - Precondition: a managed collection, and at least one name, each of a property with one value an object.
    /// - Complexity: O(n), once a version of the realm.
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
