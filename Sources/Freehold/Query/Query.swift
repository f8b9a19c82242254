import FreeholdEngine

/// The argument of a `where` closure: stands for an object, or a value, of type `T` in a condition.
///
/// ```swift
/// realm.objects(Person.self).where { $0.age > 5 && $0.dogs.name.starts(with: "A") }
/// ```
///
/// Members of links are reached through the link (`$0.dog.age`), also where it is null: then the value is null.
/// Members of a list's or of backlinks' elements mean: of any element. Nothing is read while the closure runs; it
/// only builds the condition. What can't be asked mostly doesn't compile; the rest (two collections compared as wholes,
/// say) traps when the query is made. Belongs to the closure: don't keep it. See <doc:QueryLanguage> for all operators.
@dynamicMemberLookup
public struct Query<T> {
    let node: Condition
    /// How deeply the condition nests.
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

    /// The object a query is over.
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

    func compared(_ op: ConditionOperator, _ value: Any?, _ options: StringOptions = []) -> Query<Bool> {
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

    /// The elements of a collection, any of which may meet a condition.
    var anyElement: Query { Query(path.quantified(.any)) }

    /// Whether the collection has the element.
    func has(_ element: Any?) -> Query<Bool> {
        Query<Bool>(.compare(.constant(.argument(element as Any)), .isIn, term, []))
    }

    func aggregated<V>(_ aggregate: Aggregate) -> Query<V> { Query<V>(path.with(.aggregate(aggregate))) }

    /// Whether the least and the greatest value of a collection do.
    func lies(from lower: Any, to upper: Any, isClosed: Bool) -> Query<Bool> {
        let least: Query<T> = aggregated(.minimum)
        let greatest: Query<T> = aggregated(.maximum)
        return least.compared(.greaterOrEqual, lower) && greatest.compared(isClosed ? .lessOrEqual : .less, upper)
    }

    func between(_ lower: Any, _ upper: Any, isClosed: Bool) -> Query<Bool> {
        Query<Bool>(.between(term, lower: .argument(lower), upper: .argument(upper), isClosed: isClosed))
    }
}

// MARK: Members

extension Query where T: KeypathSortable {
    /// A property of the object; of a projection: what the projected property stands for.
    public subscript<V>(dynamicMember member: KeyPath<T, V>) -> Query<V> { self.member(_name(for: member)) }
}

extension Query where T: OptionalProtocol, T.Wrapped: ObjectBase {
    /// A property of the linked object; null where there is none.
    public subscript<V>(dynamicMember member: KeyPath<T.Wrapped, V>) -> Query<V> { self.member(_name(for: member)) }
}

extension Query where T: RealmCollection, T.Element: ObjectBase {
    /// A property of any of the elements.
    public subscript<V>(dynamicMember member: KeyPath<T.Element, V>) -> Query<V> {
        Query<V>(path.throughCollection().appending(_name(for: member)))
    }
}

extension Query where T: ObjectBase {
    /// A property by its name, or names joined by dots where links lead to it, for classes whose properties are known
    /// at run time only.
    ///
    /// ```swift
    /// realm.dynamicObjects("Dog").where { $0["age", as: Int.self] > 5 && $0["owner.name", as: String.self] == "Ada" }
    /// ```
    ///
    /// - Precondition: the class has a property of that name and type.
    public subscript<V>(name: String, as type: V.Type) -> Query<V> { member(name) }
}

// MARK: Logic

extension Query where T == Bool {
    /// Whether the condition doesn't hold: the plain complement, whatever is null.
    public static prefix func ! (query: Query) -> Query { Query(.not(query.node), height: query.height + 1) }
    /// Whether both conditions hold.
    public static func && (a: Query, b: Query) -> Query {
        Query(.conjunction(a.node, b.node), height: height(a, b) { if case .and = $0 { true } else { false } })
    }
    /// Whether one of the conditions holds, or both.
    public static func || (a: Query, b: Query) -> Query {
        Query(.disjunction(a.node, b.node), height: height(a, b) { if case .or = $0 { true } else { false } })
    }

    /// How many of the elements that the condition's paths go through meet it.
    var counted: Query<Int> { Query<Int>(.term(Subquery.term(node)), height: height + Condition.subqueryWeight) }

    /// Of a chain, which a chain of its own kind is part of.
    private static func height(_ a: Query, _ b: Query, _ isChain: (Condition) -> Bool) -> Int {
        Swift.max(a.height + (isChain(a.node) ? 0 : 1), b.height + (isChain(b.node) ? 0 : 1))
    }
}
