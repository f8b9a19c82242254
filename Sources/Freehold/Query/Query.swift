import FreeholdEngine

/// The argument of a `where` closure. It represents an object or a value of type `T` in a condition.
///
/// ```swift
/// realm.objects(Person.self).where { $0.age > 5 && $0.dogs.name.starts(with: "A") }
/// ```
///
/// Members of a link are reached through the link (`$0.dog.age`). If the link is null, the value is null. A condition
/// on members of the elements of a list, or of backlinks, matches if any element matches. The closure builds the
/// condition and reads no data. Most invalid conditions don't compile. The remaining ones, such as a comparison of two
/// whole collections, trap when the query is made. Don't keep the argument after the closure returns. See
/// <doc:QueryLanguage> for all operators.
@dynamicMemberLookup
public struct Query<T> {
    let node: Condition
    /// The nesting depth of the condition.
    private let height: Int

    init(_ node: Condition, height: Int = 0) {
        self.node = node
        self.height = height
        if height > Condition.maximumDepth { Self.tooDeep() }
    }

    private static func tooDeep() -> Never {
        programmerError(
            "A condition nests deeper than \(Condition.maximumDepth) levels. Make it flatter: chains of && and || of any "
                + "length don't nest."
        )
    }

    /// Creates a query for an object.
    init() { self.init(NamedPath()) }

    init(_ path: NamedPath) { self.init(.term(.path(path))) }

    var term: Term {
        guard case .term(let term) = node else {
            programmerError("A condition was compared with a value in a query. Compare properties with values only.")
        }
        return term
    }

    var path: NamedPath {
        guard case .path(let path) = term else {
            programmerError("A query reached for a member of a constant. Start from the closure's argument.")
        }
        return path
    }

    func member<V>(_ name: String) -> Query<V> { Query<V>(path.appending(name)) }

    func compared(_ op: ConditionOperator, to value: Any?, options: StringOptions = []) -> Query<Bool> {
        let argument = value ?? (Any?.none as Any)
        return Query<Bool>(.compare(term, op, .constant(.argument(argument)), options.textOptions), height: height)
    }

    func compared<U>(_ op: ConditionOperator, to column: Query<U>, _ options: StringOptions = []) -> Query<Bool> {
        if Self.isCollection, Query<U>.isCollection {
            programmerError(
                "Two collections were compared in a query. Compare one with an element, or with a count of the other."
            )
        }
        return Query<Bool>(
            .compare(term, op, column.term, options.textOptions),
            height: Swift.max(height, column.height)
        )
    }

    private static var isCollection: Bool { T.self is any RealmCollectionBase.Type }

    /// The elements of a collection. A condition matches if any of them matches.
    var anyElement: Query { Query(path.quantified(.any)) }

    /// Matches if the collection contains the element.
    func has(_ element: Any?) -> Query<Bool> {
        Query<Bool>(.compare(.constant(.argument(element as Any)), .isIn, term, []))
    }

    func aggregated<V>(_ aggregate: Aggregate) -> Query<V> { Query<V>(path.with(.aggregate(aggregate))) }

    /// Matches if the smallest and the greatest value of a collection are between the bounds.
    func lies(from lower: Any, to upper: Any, isClosed: Bool) -> Query<Bool> {
        let least: Query<T> = aggregated(.minimum)
        let greatest: Query<T> = aggregated(.maximum)
        return least.compared(.greaterOrEqual, to: lower)
            && greatest.compared(isClosed ? .lessOrEqual : .less, to: upper)
    }

    func between(from lower: Any, through upper: Any, isClosed: Bool) -> Query<Bool> {
        Query<Bool>(.between(term, lower: .argument(lower), upper: .argument(upper), isClosed: isClosed))
    }
}

// MARK: Members

extension Query where T: KeypathSortable {
    /// The property of the object. For a projection, it is the property that the projected property shows.
    public subscript<V>(dynamicMember member: KeyPath<T, V>) -> Query<V> { self.member(_name(for: member)) }
}

extension Query where T: OptionalProtocol, T.Wrapped: ObjectBase {
    /// The property of the linked object, or null if the link is null.
    public subscript<V>(dynamicMember member: KeyPath<T.Wrapped, V>) -> Query<V> { self.member(_name(for: member)) }
}

extension Query where T: RealmCollection, T.Element: ObjectBase {
    /// The property of the elements. A condition matches if any element matches.
    public subscript<V>(dynamicMember member: KeyPath<T.Element, V>) -> Query<V> {
        Query<V>(path.throughCollection().appending(_name(for: member)))
    }
}

extension Query where T: ObjectBase {
    /// The property with the name, or with names joined by dots that lead through links. Use it for classes whose
    /// properties are known only at run time.
    ///
    /// ```swift
    /// realm.dynamicObjects("Dog").where { $0["age", as: Int.self] > 5 && $0["owner.name", as: String.self] == "Ada" }
    /// ```
    ///
    /// - Precondition: The class has a property of that name and type.
    public subscript<V>(name: String, as type: V.Type) -> Query<V> { member(name) }
}

// MARK: Logic

extension Query where T == Bool {
    /// Matches if the condition doesn't match. This is the exact complement, including null values.
    public static prefix func ! (query: Query) -> Query { Query(.not(query.node), height: query.height + 1) }
    /// Matches if both conditions match.
    public static func && (a: Query, b: Query) -> Query {
        Query(
            .conjunction(a.node, and: b.node),
            height: height(a, and: b) { if case .and = $0 { true } else { false } }
        )
    }
    /// Matches if at least one of the conditions matches.
    public static func || (a: Query, b: Query) -> Query {
        Query(.disjunction(a.node, or: b.node), height: height(a, and: b) { if case .or = $0 { true } else { false } })
    }

    /// The number of elements on the condition's paths that match it.
    var counted: Query<Int> { Query<Int>(.term(Subquery.term(node)), height: height + Condition.subqueryWeight) }

    /// Returns the depth of a chain. A chain of the same kind inside it adds no depth.
    private static func height(_ a: Query, and b: Query, isChain: (Condition) -> Bool) -> Int {
        Swift.max(a.height + (isChain(a.node) ? 0 : 1), b.height + (isChain(b.node) ? 0 : 1))
    }
}
