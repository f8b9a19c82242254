public import Foundation
public import FreeholdEngine

// What a collection is made into: each call applies to what the ones before it give, in any order.

extension RealmCollection {
    /// The elements that meet a condition: see ``Query``.
    ///
    /// The closure is called once, at once. Traps where the condition doesn't fit the class.
    ///
    /// - Precondition: a managed collection of objects, on its realm's thread.
    /// - Complexity: O(condition); what it finds is looked for when the results are read.
    public func `where`(_ condition: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        adding("where", .filter(condition(Query<Element>()).node))
    }

    /// The position of the first element that meets the condition; nil if there is none.
    ///
    /// - Precondition: a collection of objects. Embedded ones must be managed.
    /// - Complexity: that of the query; of an unmanaged collection O(all that its objects link to).
    public func index(matching condition: (Query<Element>) -> Query<Bool>) -> Int? {
        let query = WrittenQuery(condition(Query<Element>()).node)
        return trapping { () throws(QueryError) in try firstIndex(query) }
    }

    /// The elements by that property, or by one that to-one links lead to, or by an element of a map: `"ages['Rex']"`.
    /// Values by `"self"`.
    ///
    /// Elements with equal values keep their order, so that a later sort is the primary one. Ascending, null comes
    /// first, and last come elements with a link on the path that leads to nothing. Strings go by their bytes.
    ///
    /// - Precondition: the class has such a property, which is a number, string, date, Bool, identifier or mixed value.
    /// - Complexity: O(1); when the results are read, O(n log n), with a limit after it O(n), by an index less.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// The elements by the first property, where that is equal by the second, and so on: see
    /// `sorted(byKeyPath:ascending:)`.
    public func sorted<S: Sequence>(by descriptors: S) -> Results<Element> where S.Element == SortDescriptor {
        adding(
            "sorted",
            .sort(descriptors.map { WrittenSortKey(NamedPath(trapping: $0.keyPath), ascending: $0.ascending) })
        )
    }

    /// Of those elements that are equal in all of these properties the first, in the present order. Elements with a
    /// link on a path that leads to nothing are left out. Values by `"self"`.
    ///
    /// ```swift
    /// let oldestOfEachName = dogs.sorted(by: \.age, ascending: false).distinct(by: ["name"])
    /// ```
    ///
    /// - Precondition: as for `sorted(byKeyPath:ascending:)`.
    /// - Complexity: O(1); when the results are read, O(n).
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element> where S.Element == String {
        adding("distinct", .distinct(keyPaths.map { NamedPath(trapping: $0) }))
    }

    /// At most the first `count` elements, live: what comes after it counts from there.
    ///
    /// Unlike `prefix`, which is a slice of what is there now, and which can't be sorted or filtered by the realm.
    public func limited(to count: Int) -> Results<Element> { adding("limited(to:)", .limit(Swift.max(0, count))) }

    /// All but the first `count` elements, live.
    public func offset(by count: Int) -> Results<Element> { adding("offset(by:)", .offset(Swift.max(0, count))) }

    func adding(_ operation: String, _ stage: WrittenStage) -> Results<Element> {
        guard let values = _values else { return Results(trapping: requireSource(operation).adding(stage)) }
        return Results(trapping { () throws(QueryError) in try values.adding(stage) })
    }
}

extension RealmCollection where Element: KeypathSortable {
    /// The elements by a property: see `sorted(byKeyPath:ascending:)`.
    public func sorted<T>(by keyPath: KeyPath<Element, T>, ascending: Bool = true) -> Results<Element> {
        sorted(byKeyPath: placedName(for: keyPath), ascending: ascending)
    }

    /// The first of the elements that are equal in all of these properties: see `distinct(by:)` with names.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Element == PartialKeyPath<Element> {
        distinct(by: keyPaths.map { placedName(for: $0) })
    }
}

/// Results of a map's objects.
extension RealmCollection where Element: OptionalProtocol, Element.Wrapped: ObjectBase {
    /// The elements by a property: see `sorted(byKeyPath:ascending:)`.
    public func sorted<T>(by keyPath: KeyPath<Element.Wrapped, T>, ascending: Bool = true) -> Results<Element> {
        sorted(byKeyPath: placedName(for: keyPath), ascending: ascending)
    }

    /// The first of the elements that are equal in all of these properties: see `distinct(by:)` with names.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Element == PartialKeyPath<Element.Wrapped> {
        distinct(by: keyPaths.map { placedName(for: $0) })
    }
}

extension RealmCollection where Element.PersistedType: SortableType {
    /// The elements in the order of the file: null first, strings and data by their bytes. Equal elements keep their
    /// order.
    public func sorted(ascending: Bool = true) -> Results<Element> {
        sorted(byKeyPath: "self", ascending: ascending)
    }

    /// Each element once, where it first occurs.
    public func distinct() -> Results<Element> { distinct(by: ["self"]) }
}

extension NamedPath {
    init(trapping keyPath: String) {
        self = trapping { () throws(QueryError) in try NamedPath(keyPath: keyPath) }
    }
}

/// Types that collections of values can be sorted by: numbers, texts, data, dates, and their optionals.
public protocol SortableType {}
extension Int: SortableType {}
extension Int8: SortableType {}
extension Int16: SortableType {}
extension Int32: SortableType {}
extension Int64: SortableType {}
extension Bool: SortableType {}
extension Float: SortableType {}
extension Double: SortableType {}
extension Decimal128: SortableType {}
extension ObjectId: SortableType {}
extension String: SortableType {}
extension Data: SortableType {}
extension Date: SortableType {}
extension UUID: SortableType {}
extension AnyRealmValue: SortableType {}
extension Optional: SortableType where Wrapped: SortableType {}
