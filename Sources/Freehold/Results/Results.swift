import FreeholdEngine

/// A live and lazy collection of all objects of a class, of the objects that match a query, or of the sorted values of
/// a collection.
///
/// ```swift
/// let dogs = realm.objects(Dog.self).where { $0.age > 5 }.sorted(by: \.name)
/// for dog in dogs { … }
/// let lowest = person.numbers.sorted(ascending: true).limited(to: 3)
/// ```
///
/// Conditions, sorts, distinct, limits and offsets apply in the order in which they are written. Results are computed
/// when they are first read. They are computed again only after the realm has moved to another version or, inside a
/// write transaction, after a change. Results belong to their realm's thread. To read them elsewhere, run the query
/// there. Results of an unmanaged collection of values contain its values at the time of their creation.
public struct Results<Element: RealmCollectionValue>: RealmCollection {
    private enum Content {
        case objects(ResultsQuery)
        case values(ValueResults<Element>)
    }

    private let content: Content
    /// A Boolean value that indicates whether the elements are values that represent objects.
    private let isMapped: Bool

    init(_ source: _CollectionSource) throws(QueryError) { self.init(try ResultsQuery(source)) }

    /// Traps if the query doesn't fit the class.
    init(trapping source: _CollectionSource) { self.init(ResultsQuery(trapping: source)) }

    private init(_ query: ResultsQuery) {
        content = .objects(query)
        isMapped = Element._rlmShape.isMapped
    }

    init(_ values: _ValueSource<Element>) {
        content = .values(ValueResults(values))
        isMapped = false
    }

    /// The query, for results of objects.
    var query: ResultsQuery {
        guard case .objects(let query) = content else { preconditionFailure("Values have no query") }
        return query
    }

    public var realm: Realm? {
        switch content {
        case .objects(let query): Realm(core: query.core)
        case .values(let values): values.source.core.map { Realm(core: $0) }
        }
    }

    public var isInvalidated: Bool {
        switch content {
        case .objects(let query): query.isInvalidated
        case .values(let values): values.isInvalidated
        }
    }

    public var _rlmLocation: _Location {
        switch content {
        case .objects(let query):
            let find = query.source.location()
            return _Location { find($0).map { Results(trapping: $0) } }
        case .values(let values):
            let find = values.source.location()
            return _Location { find($0).map { Results($0) } }
        }
    }

    public var _source: _CollectionSource? { if case .objects(let query) = content { query.source } else { nil } }
    public var _values: _ValueSource<Element>? { if case .values(let values) = content { values.source } else { nil } }

    /// The state for which cached answers are valid.
    var evaluationState: EvaluationState {
        switch content {
        case .objects(let query): query.core.evaluationState
        case .values(let values): values.source.core?.evaluationState ?? EvaluationState()
        }
    }

    /// The number of elements.
    ///
    /// - Complexity: O(1) for all objects of a class. Otherwise the query runs once for each version.
    public var count: Int {
        switch content {
        case .objects(let query): query.count
        case .values(let values): values.count
        }
    }

    public var isEmpty: Bool {
        switch content {
        case .objects(let query): query.first() == nil
        case .values(let values): values.count == 0
        }
    }

    public var first: Element? {
        switch content {
        case .objects(let query): query.first().map { element($0, query) }
        case .values(let values): values.count == 0 ? nil : values.element(at: 0)
        }
    }

    public var last: Element? {
        let count = count
        return count == 0 ? nil : self[count - 1]
    }

    /// Returns the i-th element. Traps if it doesn't exist.
    public subscript(i: Int) -> Element {
        let count = count
        if i < 0 || i >= count {
            programmerError("Index \(i) is out of bounds: \(typeName) has \(count) elements. Check `count` first.")
        }
        return switch content {
        case .objects(let query): element(query.key(at: i), query)
        case .values(let values): values.element(at: i)
        }
    }

    /// Returns the position of the object, or of the first equal value. Returns `nil` if the results don't contain it,
    /// or if it isn't managed.
    public func index(of object: Element) -> Int? {
        let query: ResultsQuery
        switch content {
        case .values(let values): return values.index(of: object)
        case .objects(let found): query = found
        }
        let root = (object as? any AnyProjection)?.root
        if isMapped && root == nil { return Array(self).firstIndex(of: object) }
        guard let object = root ?? object as? ObjectBase, let table = object._table else { return nil }
        query.core.verifyThread()
        guard object._core === query.core else {
            programmerError("index(of:) was given an object of another realm. Pass one of \(query.core).")
        }
        guard table === query.table, !object.isInvalidated else { return nil }
        return query.index(of: object._key)
    }

    public func makeIterator() -> RLMIterator<Element> {
        switch content {
        case .objects(let query) where isMapped: RLMIterator(query.snapshotKeys(), query.table) { Self.mapped($0) }
        case .objects(let query): RLMIterator(query.snapshotKeys(), query.table)
        case .values(let values): RLMIterator(values: values.elements)
        }
    }

    private func element(_ key: FreeholdEngine.ObjectKey, _ query: ResultsQuery) -> Element {
        if isMapped { return Self.mapped(query.table.object(key)) }
        // The table belongs to the class `Element`, or to the wrapped class of an optional `Element`.
        return unsafeBitCast(query.table.object(key), to: Element.self)
    }

    /// Returns the value that represents an object.
    private static func mapped(_ object: ObjectBase) -> Element {
        let content = _StoredContent.object(object)
        return Element._element(content, in: object._table?.core)
    }

    /// The stored objects, for results of objects.
    var objectContents: [_StoredContent] {
        guard case .objects(let query) = content else { return [] }
        let keys = query.snapshotKeys()
        return (0..<keys.count).map { .object(query.table.object(keys[$0])) }
    }

    private var typeName: String { "Results<\(Element.self)>" }

    /// Returns a Boolean value that indicates whether both have the same query object.
    public static func == (a: Results, b: Results) -> Bool {
        switch (a.content, b.content) {
        case (.objects(let a), .objects(let b)): a === b
        case (.values(let a), .values(let b)): a === b
        default: false
        }
    }

    /// A text with the first 100 elements.
    public var description: String {
        CollectionDescription.text(typeName, count: count, element: textOfElement)
    }
}

extension RealmCollection {
    /// A closure that describes the elements by position. Elements whose content isn't a value of the type are shown in
    /// their stored form.
    var textOfElement: (Int) -> String {
        guard let contents = partialContents else { return { "\(self[$0])" } }
        return { Element.text(contents[$0]) }
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
