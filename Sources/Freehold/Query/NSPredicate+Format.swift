public import Foundation
import FreeholdEngine

extension NSPredicate {
    /// Creates a predicate from a text in the language of NSPredicate or in RQL, for the queries of this library.
    ///
    /// ```swift
    /// people.filter(NSPredicate(format: "age > %@ AND name BEGINSWITH %@", 17, "A"))
    /// ```
    ///
    /// Foundation doesn't have such predicates on Linux. Use this one with `filter` and `index(matching:)`, alone or
    /// inside an `NSCompoundPredicate`. The predicate can also be evaluated, with managed objects. Traps if the text
    /// isn't a valid query.
    public convenience init(format predicateFormat: String, _ args: Any?...) {
        self.init(parsing: predicateFormat, args)
    }

    /// Creates a predicate like `init(format:_:)`, with the arguments in an array.
    public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        self.init(parsing: predicateFormat, arguments ?? [])
    }

    private convenience init(parsing text: String, _ arguments: [Any?]) {
        let query = trapping { () throws(QueryError) in try WrittenQuery.parse(text, arguments) }
        self.init { object, _ in
            if let probe = object as? PredicateProbe {
                probe.query = query
                return true
            }
            guard let object = object as? ObjectBase, let table = object._table, !object.isInvalidated else {
                programmerError(
                    "A predicate with a format can only be evaluated on managed objects. Use it with `filter`."
                )
            }
            table.core.verifyThread()
            let predicate = trapping { () throws(QueryError) in try QueryCompiler(table).compile(query).predicate }
            let found = FreeholdEngine.RowQuery(table: table.table, predicate: predicate)
            return found.matches(object._key, in: table.core.view)
        }
    }

    /// Returns the predicate in the query language.
    ///
    /// - Throws: `.argument` for predicates that weren't created from text and aren't composed of such predicates.
    func writtenQuery() throws(QueryError) -> WrittenQuery { try writtenQuery(depth: 0) }

    private func writtenQuery(depth: Int) throws(QueryError) -> WrittenQuery {
        if depth > Condition.maximumDepth { throw QueryError(.syntax, Condition.tooDeep) }
        if let compound = self as? NSCompoundPredicate {
            var conditions: [Condition] = []
            for part in compound.subpredicates {
                let query = try part.writtenQuery(depth: depth + 1)
                if !query.stages.isEmpty {
                    throw QueryError(
                        .argument,
                        "A predicate inside another can't sort or limit: '\(query.text ?? "")'."
                    )
                }
                conditions.append(query.condition)
            }
            switch compound.compoundPredicateType {
            case .and: return WrittenQuery(.conjunction(conditions))
            case .or: return WrittenQuery(.disjunction(conditions))
            case .not: return WrittenQuery(.not(conditions.count == 1 ? conditions[0] : .conjunction(conditions)))
            @unknown default: throw QueryError(.argument, "A compound predicate is and, or, or not.")
            }
        }
        let probe = PredicateProbe()
        let value = evaluate(with: probe)
        if let query = probe.query { return query }
        // `NSPredicate(value:)` is equal to every predicate with the same value.
        if self == NSPredicate(value: value) { return WrittenQuery(.truth(value)) }
        throw QueryError(
            .argument,
            "A predicate with a block of code can't be used in a query. Make it with NSPredicate(format:)."
        )
    }
}

/// A probe that is passed to a predicate's block, which stores its query in it.
private final class PredicateProbe: NSObject {
    var query: WrittenQuery?
}
