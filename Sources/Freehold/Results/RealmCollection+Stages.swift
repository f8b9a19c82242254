public import Foundation
public import FreeholdEngine

// The stages of results. Each call applies to the result of the previous calls, in any order.

extension RealmCollection {
    /// Returns the elements that match a condition. See ``Query``.
    ///
    /// The closure is called once, before the method returns. Traps if the condition doesn't fit the class.
    ///
    /// - Precondition: The collection is a managed collection of objects, and the call runs on its realm's thread.
    /// - Complexity: O(condition). The query runs when the results are read.
    public func `where`(_ condition: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        adding("where", .filter(condition(Query<Element>()).node))
    }

    /// Returns the position of the first element that matches the condition, or `nil` if none matches.
    ///
    /// - Precondition: The collection contains objects. Embedded objects must be managed.
    /// - Complexity: That of the query. For an unmanaged collection, O(all objects to which its objects link).
    public func index(matching condition: (Query<Element>) -> Query<Bool>) -> Int? {
        let query = WrittenQuery(condition(Query<Element>()).node)
        return trapping { () throws(QueryError) in try firstIndex(query) }
    }

    /// Returns the elements sorted by a property. It may be reached through to-one links, or be an entry of a map:
    /// `"ages['Rex']"`. For collections of values, its name is `"self"`.
    ///
    /// Elements with equal values keep their order, so a later sort has precedence. In ascending order, null is first,
    /// and elements with a null link on the path are last. Strings are sorted by their bytes.
    ///
    /// - Precondition: The class has the property, which is a number, string, date, Bool, identifier or mixed value.
    /// - Complexity: O(1) for the call. When the results are read, O(n log n), or O(n) with a following limit, or less
    ///   with an index.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// Returns the elements sorted by the first property, those with equal values by the second property, and so on.
    /// See `sorted(byKeyPath:ascending:)`.
    public func sorted<S: Sequence>(by descriptors: S) -> Results<Element> where S.Element == SortDescriptor {
        adding(
            "sorted",
            .sort(descriptors.map { WrittenSortKey(NamedPath(trapping: $0.keyPath), ascending: $0.ascending) })
        )
    }

    /// Returns the first of the elements that are equal in all of these properties, in the present order. Elements with
    /// a null link on a path are left out. For collections of values, the name is `"self"`.
    ///
    /// ```swift
    /// let oldestOfEachName = dogs.sorted(by: \.age, ascending: false).distinct(by: ["name"])
    /// ```
    ///
    /// - Precondition: The preconditions of `sorted(byKeyPath:ascending:)`.
    /// - Complexity: O(1) for the call, and O(n) when the results are read.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element> where S.Element == String {
        adding("distinct", .distinct(keyPaths.map { NamedPath(trapping: $0) }))
    }

    /// Returns live results with at most the first `count` elements. Later stages apply to these elements.
    ///
    /// In contrast, `prefix` returns a slice of the present elements, which the realm can't sort or filter.
    public func limited(to count: Int) -> Results<Element> { adding("limited(to:)", .limit(Swift.max(0, count))) }

    /// Returns live results without the first `count` elements.
    public func offset(by count: Int) -> Results<Element> { adding("offset(by:)", .offset(Swift.max(0, count))) }

    func adding(_ operation: String, _ stage: WrittenStage) -> Results<Element> {
        guard let values = _values else { return Results(trapping: requireSource(operation).adding(stage)) }
        return Results(trapping { () throws(QueryError) in try values.adding(stage) })
    }
}

extension RealmCollection where Element: KeypathSortable {
    /// Returns the elements sorted by a property. See `sorted(byKeyPath:ascending:)`.
    public func sorted<T>(by keyPath: KeyPath<Element, T>, ascending: Bool = true) -> Results<Element> {
        sorted(byKeyPath: placedName(for: keyPath), ascending: ascending)
    }

    /// Returns the first of the elements that are equal in all of these properties. See `distinct(by:)` with names.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Element == PartialKeyPath<Element> {
        distinct(by: keyPaths.map { placedName(for: $0) })
    }
}

/// Results with the objects of a map.
extension RealmCollection where Element: OptionalProtocol, Element.Wrapped: ObjectBase {
    /// Returns the elements sorted by a property. See `sorted(byKeyPath:ascending:)`.
    public func sorted<T>(by keyPath: KeyPath<Element.Wrapped, T>, ascending: Bool = true) -> Results<Element> {
        sorted(byKeyPath: placedName(for: keyPath), ascending: ascending)
    }

    /// Returns the first of the elements that are equal in all of these properties. See `distinct(by:)` with names.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Element == PartialKeyPath<Element.Wrapped> {
        distinct(by: keyPaths.map { placedName(for: $0) })
    }
}

extension RealmCollection where Element.PersistedType: SortableType {
    /// Returns the elements in the order of the file: null first, strings and data by their bytes. Equal elements keep
    /// their order.
    public func sorted(ascending: Bool = true) -> Results<Element> {
        sorted(byKeyPath: "self", ascending: ascending)
    }

    /// Returns the elements without duplicates. Each element is at its first position.
    public func distinct() -> Results<Element> { distinct(by: ["self"]) }
}

extension NamedPath {
    init(trapping keyPath: String) {
        self = trapping { () throws(QueryError) in try NamedPath(keyPath: keyPath) }
    }
}

/// A type by which collections of values can be sorted: numbers, strings, data, dates, and their optionals.
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
