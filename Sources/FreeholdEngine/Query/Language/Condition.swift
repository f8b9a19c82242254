/// A condition as it is written: in names, before any schema is known.
///
/// The typed `where` closure and the parser of query strings both make these; `QueryPrinter` writes them out and
/// `QueryCompiler` turns them into the engine's predicates.
package indirect enum Condition {
    case truth(Bool)
    /// - Parameter closings: how those of a closure were put in parentheses, which matters to `PredicateFormat` only:
    ///   how many pairs close after each. Empty: all by twos, to the left.
    case and([Condition], closings: [Int] = [])
    case or([Condition], closings: [Int] = [])
    case not(Condition)
    case compare(Term, ConditionOperator, Term, TextOptions)
    /// `lower <= term <= upper` (closed) or `lower <= term < upper`, both for the same element.
    case between(Term, lower: Constant, upper: Constant, isClosed: Bool)
    /// The words are in a string with a full-text index.
    case fullText(NamedPath, Constant)
    /// The path leads to a place inside the shape.
    case within(NamedPath, Constant)
    /// A value that isn't a condition yet: `$0.age`, or `$0.isGood` before `&&`. As a condition: it is true.
    case term(Term)
}

package enum ConditionOperator: String {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case like = "LIKE"
    /// The right side is a constant: a regular expression.
    case matches = "MATCHES"
    /// The right side is a list of constants, or a path to several values.
    case isIn = "IN"
}

/// One side of a comparison.
package indirect enum Term {
    case constant(Constant)
    case path(NamedPath)
    /// How many of the path's objects meet the condition, in which their properties follow the variable's name.
    case subquery(NamedPath, variable: String, Condition)
    case arithmetic(ArithmeticOperator, Term, Term)
}

/// A constant as it is written.
package indirect enum Constant {
    case value(Value)
    /// A number as it is written, which the type of the other side makes an integer, a float or a decimal.
    case number(String)
    /// `{1, 2}`, or a list given as an argument.
    case list([Constant], Quantifier? = nil)
    /// A value of the caller's language: `QueryNames` says what it is once the type of the other side is known.
    case argument(Any)
    /// `O3`, `L2:3`: an object by its key, in a table by number or the one that the other side links to.
    case object(tableID: Int?, ObjectKey)
    /// `obj('Dog', 7)`
    case objectWithPrimaryKey(className: String, Value)
    case shape(GeoShape)
}

/// Names, and what stands between and after them.
package struct NamedPath {
    package enum Step: Hashable {
        case name(String)
        case place(Subscript)
        /// `@links.Class.property`
        case links(className: String, property: String)
    }

    /// What is made of the path's values.
    package enum Suffix: Hashable {
        case count
        case aggregate(Aggregate)
        case type
        case length
        /// `@links.@count`: all incoming links.
        case incomingLinks
    }

    package var steps: [Step]
    package var suffix: Suffix?
    /// Nil where none is written, which means `any`.
    package var quantifier: Quantifier?
    /// Where it stands in the query's text, in characters.
    package var position: Int?
    /// Where each of its steps stands; empty for paths that were never text.
    package var stepPositions: [Int] = []
    /// After how many steps the path has come to a collection of objects and gone on: known to typed closures only,
    /// which make subqueries of it.
    package var collections: [Int] = []

    package init(_ steps: [Step] = [], suffix: Suffix? = nil, quantifier: Quantifier? = nil, position: Int? = nil) {
        self.steps = steps
        self.suffix = suffix
        self.quantifier = quantifier
        self.position = position
    }
}

/// What is sorted by, as it is written.
package struct WrittenSortKey {
    package var path: NamedPath
    package var ascending: Bool
    /// The path leads to places, by whose distances from this point objects are sorted.
    package var point: GeoPoint?

    package init(_ path: NamedPath, ascending: Bool, distanceTo point: GeoPoint? = nil) {
        self.path = path
        self.ascending = ascending
        self.point = point
    }
}

/// A query as it is written.
package struct WrittenQuery {
    package enum Stage {
        case sort([WrittenSortKey])
        case distinct([NamedPath])
        case limit(Int)
        case offset(Int)
    }

    package var condition: Condition
    /// In written order.
    package var stages: [Stage]
    /// For errors, or `nil` if the query was never text.
    package var text: String?

    package init(_ condition: Condition = .truth(true), stages: [Stage] = []) {
        self.condition = condition
        self.stages = stages
    }
}

extension Condition {
    /// Both conditions, as one list with those that either of them is a list of: a chain doesn't nest, however it is
    /// put in parentheses.
    package static func conjunction(_ a: Condition, _ b: Condition) -> Condition {
        switch (a, b) {
        case (.and(let x, let closings), .and(let y, let others)):
            .and(x + y, closings: closed(closings, x.count, others, y.count))
        case (.and(let x, let closings), _): .and(x + [b], closings: closings.isEmpty ? [] : closings + [1])
        case (_, .and(let y, let others)): .and([a] + y, closings: closed([], 1, others, y.count))
        default: .and([a, b])
        }
    }

    package static func disjunction(_ a: Condition, _ b: Condition) -> Condition {
        switch (a, b) {
        case (.or(let x, let closings), .or(let y, let others)):
            .or(x + y, closings: closed(closings, x.count, others, y.count))
        case (.or(let x, let closings), _): .or(x + [b], closings: closings.isEmpty ? [] : closings + [1])
        case (_, .or(let y, let others)): .or([a] + y, closings: closed([], 1, others, y.count))
        default: .or([a, b])
        }
    }

    /// Returns all of the conditions, chains among them flattened.
    package static func conjunction(_ all: [Condition]) -> Condition {
        .and(all.flatMap { if case .and(let inner, _) = $0 { inner } else { [$0] } })
    }

    package static func disjunction(_ all: [Condition]) -> Condition {
        .or(all.flatMap { if case .or(let inner, _) = $0 { inner } else { [$0] } })
    }

    private static func closed(_ a: [Int], _ count: Int, _ b: [Int], _ otherCount: Int) -> [Int] {
        func closings(_ given: [Int], _ count: Int) -> [Int] {
            given.isEmpty ? (0..<count).map { $0 == 0 ? 0 : 1 } : given
        }
        var all = closings(a, count) + closings(b, otherCount)
        all[all.count - 1] += 1
        return all
    }
}

extension NamedPath {
    /// Returns whether a property can have the name, so that key paths can write it.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix("@") && !text.utf8.contains { ".[]".utf8.contains($0) }
    }

    /// As it is written, without a quantifier.
    package var text: String { QueryPrinter.text(self, variable: nil) }

    /// Followed by a property, or by several with dots between them.
    package func appending(_ names: String) -> NamedPath {
        var path = self
        path.steps += names.split(separator: ".").map { .name(String($0)) }
        return path
    }

    package func appending(_ place: Subscript) -> NamedPath {
        var path = self
        path.steps.append(.place(place))
        return path
    }

    /// Going on from the elements of the collection that the path leads to.
    package func throughCollection() -> NamedPath {
        var path = self
        path.collections.append(steps.count)
        return path
    }

    package func quantified(_ quantifier: Quantifier) -> NamedPath {
        var path = self
        path.quantifier = quantifier
        return path
    }

    package func with(_ suffix: Suffix) -> NamedPath {
        var path = self
        path.suffix = suffix
        return path
    }
}
