import FreeholdEngine

/// The objects of a class, or those of them that a query finds: live and lazy.
///
/// ```swift
/// let dogs = realm.objects(Dog.self).where { $0.age > 5 }.sorted(by: \.name)
/// for dog in dogs { … }
/// ```
///
/// Nothing is evaluated before it is needed, and again only when the realm has moved to another version or, inside a
/// write transaction, when something has changed. Belongs to its realm's thread; to read it elsewhere, query there.
public struct Results<Element: RealmCollectionValue>: RealmCollection {
    let query: ResultsQuery

    init(_ source: _CollectionSource) throws(QueryError) { query = try ResultsQuery(source) }

    /// Traps where the query doesn't fit the class.
    init(trapping source: _CollectionSource) { query = ResultsQuery(trapping: source) }

    public var realm: Realm? { Realm(core: query.core) }
    public var isInvalidated: Bool { query.isInvalidated }
    public var _source: _CollectionSource? { query.source }

    /// - Complexity: O(1) for all objects of a class; else the query is run once a version.
    public var count: Int { query.count }

    public var isEmpty: Bool { query.first() == nil }

    public var first: Element? { query.first().map(element) }

    public var last: Element? {
        let count = query.count
        return count == 0 ? nil : element(query.key(at: count - 1))
    }

    /// The i-th object. Traps if there is none.
    public subscript(i: Int) -> Element {
        let count = query.count
        if i < 0 || i >= count {
            programmerError("Index \(i) is out of bounds: \(typeName) has \(count) elements. Check `count` first.")
        }
        return element(query.key(at: i))
    }

    /// The position of the object; nil if it isn't among the results, or isn't managed.
    public func index(of object: Element) -> Int? {
        guard let object = object as? ObjectBase, let table = object._table else { return nil }
        query.core.verifyThread()
        guard object._core === query.core else {
            programmerError("index(of:) was given an object of another realm. Pass one of \(query.core).")
        }
        guard table === query.table, !object.isInvalidated else { return nil }
        return query.index(of: object._key)
    }

    public func makeIterator() -> RLMIterator<Element> { RLMIterator(query.snapshotKeys(), query.table) }

    private func element(_ key: FreeholdEngine.ObjectKey) -> Element {
        // The table is that of the class `Element`.
        unsafeBitCast(query.table.object(key), to: Element.self)
    }

    private var typeName: String { "Results<\(Element.self)>" }

    /// Whether both are the same query, made once.
    public static func == (a: Results, b: Results) -> Bool { a.query === b.query }

    /// The first 100 objects.
    public var description: String {
        CollectionDescription.text(typeName, count: count) { "\(self[$0])" }
    }
}

enum CollectionDescription {
    static let limit = 100

    static func text(_ type: String, count: Int, element: (Int) -> String) -> String {
        var lines = (0..<Swift.min(count, limit)).map { i in
            "\t[\(i)] " + element(i).split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n\t")
        }
        if count > limit { lines.append("\t... \(count - limit) objects skipped.") }
        return "\(type) (\n\(lines.joined(separator: ",\n"))\n)"
    }
}
