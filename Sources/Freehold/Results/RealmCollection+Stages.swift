import FreeholdEngine

// What a collection of objects is made into: each call applies to what the ones before it give, in any order.

extension RealmCollection where Element: ObjectBase {
    /// The elements by that property, or by one that to-one links lead to, or by an element of a map: `"ages['Rex']"`.
    ///
    /// Elements with equal values keep their order, so that a later sort is the primary one. Ascending, null comes
    /// first, and last come elements with a link on the path that leads to nothing. Strings go by their bytes.
    ///
    /// - Precondition: the class has such a property, which is a number, string, date, Bool, identifier or mixed value.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// The elements by a property: see `sorted(byKeyPath:ascending:)`.
    public func sorted<T>(by keyPath: KeyPath<Element, T>, ascending: Bool = true) -> Results<Element> {
        sorted(byKeyPath: _name(for: keyPath), ascending: ascending)
    }

    /// The elements by the first property, where that is equal by the second, and so on: see
    /// `sorted(byKeyPath:ascending:)`.
    public func sorted<S: Sequence>(by descriptors: S) -> Results<Element> where S.Element == SortDescriptor {
        let keys = descriptors.map { (path: namedPath($0.keyPath), ascending: $0.ascending) }
        return Results(trapping: requireSource("sorted").adding(.sort(keys)))
    }

    /// Of those elements that are equal in all of these properties the first, in the present order. Elements with a
    /// link on a path that leads to nothing are left out.
    ///
    /// ```swift
    /// let oldestOfEachName = dogs.sorted(by: \.age, ascending: false).distinct(by: ["name"])
    /// ```
    ///
    /// - Precondition: as for `sorted(byKeyPath:ascending:)`.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element> where S.Element == String {
        Results(trapping: requireSource("distinct").adding(.distinct(keyPaths.map(namedPath))))
    }

    /// The first of the elements that are equal in all of these properties: see the other `distinct`.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Element == PartialKeyPath<Element> {
        distinct(by: keyPaths.map { _name(for: $0) })
    }

    /// At most the first `count` elements, live: what comes after it counts from there.
    ///
    /// Unlike `prefix`, which is a slice of what is there now, and which can't be sorted or filtered by the realm.
    public func limited(to count: Int) -> Results<Element> {
        Results(trapping: requireSource("limited(to:)").adding(.limit(Swift.max(0, count))))
    }

    /// All but the first `count` elements, live.
    public func offset(by count: Int) -> Results<Element> {
        Results(trapping: requireSource("offset(by:)").adding(.offset(Swift.max(0, count))))
    }

    private func namedPath(_ keyPath: String) -> NamedPath {
        trapping { () throws(QueryError) in try NamedPath(keyPath: keyPath) }
    }
}
