/// A condition as it was written, with names that haven't been looked up in a schema.
///
/// The typed `where` closure and the parser of query strings create conditions. `QueryPrinter` writes them as text, and `QueryCompiler` turns them
/// into predicates.
package indirect enum Condition {
    case truth(Bool)
    /// - Parameter closings: the number of pairs of parentheses that close after each condition, as the closure had them. Only `PredicateFormat` uses
    ///   this. If the array is empty, the conditions are paired from the left.
    case and([Condition], closings: [Int] = [])
    case or([Condition], closings: [Int] = [])
    case not(Condition)
    case compare(Term, ConditionOperator, Term, TextOptions)
    /// `lower <= term <= upper` (closed) or `lower <= term < upper`. The same element must meet both bounds.
    case between(Term, lower: Constant, upper: Constant, isClosed: Bool)
    /// A string with a full-text index contains the words.
    case fullText(NamedPath, Constant)
    /// The path leads to a place inside the shape.
    case within(NamedPath, Constant)
    /// A value that isn't a condition yet, such as `$0.age`, or `$0.isGood` before `&&`. Used as a condition, it means that the value is true.
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
    /// The right side is a constant regular expression.
    case matches = "MATCHES"
    /// The right side is a list of constants, or a path to several values.
    case isIn = "IN"
}

/// One side of a comparison.
package indirect enum Term {
    case constant(Constant)
    case path(NamedPath)
    /// The number of the path's objects that meet the condition. In the condition, the properties of the objects follow the variable's name.
    case subquery(NamedPath, variable: String, Condition)
    case arithmetic(ArithmeticOperator, Term, Term)
}

/// A constant as it was written.
package indirect enum Constant {
    case value(Value)
    /// A number as it was written. The type of the other side decides whether it is an integer, a float or a decimal.
    case number(String)
    /// `{1, 2}`, or a list that is an argument.
    case list([Constant], Quantifier? = nil)
    /// A value of the calling language. `QueryNames` converts it when the type of the other side is known.
    case argument(Any)
    /// `O3` or `L2:3`: an object by its key. The table has a number, or it is the table that the other side links to.
    case object(tableID: Int?, ObjectKey)
    /// `obj('Dog', 7)`
    case objectWithPrimaryKey(className: String, Value)
    case shape(GeoShape)
}

/// A path of names and subscripts, with a suffix such as `@count`.
package struct NamedPath {
    package enum Step: Hashable {
        case name(String)
        case place(Subscript)
        /// `@links.Class.property`
        case links(className: String, property: String)
    }

    /// An operation on the values of the path.
    package enum Suffix: Hashable {
        case count
        case aggregate(Aggregate)
        case type
        case length
        /// `@links.@count`: the number of all incoming links.
        case incomingLinks
    }

    package var steps: [Step]
    package var suffix: Suffix?
    /// The quantifier, or `nil` if none was written, which means `any`.
    package var quantifier: Quantifier?
    /// The position of the path in the query's text, in characters.
    package var position: Int?
    /// The position of each step in the query's text, in characters. The array is empty if the path wasn't parsed from text.
    package var stepPositions: [Int] = []
    /// The numbers of steps after which the path continued from a collection of objects. Only typed closures set this; they make subqueries of such
    /// paths.
    package var collections: [Int] = []

    package init(_ steps: [Step] = [], suffix: Suffix? = nil, quantifier: Quantifier? = nil, position: Int? = nil) {
        self.steps = steps
        self.suffix = suffix
        self.quantifier = quantifier
        self.position = position
    }
}

/// A sort criterion as it was written.
package struct WrittenSortKey {
    package var path: NamedPath
    package var ascending: Bool
    /// The point for sorting by distance. The path then leads to places.
    package var point: GeoPoint?

    package init(_ path: NamedPath, ascending: Bool, distanceTo point: GeoPoint? = nil) {
        self.path = path
        self.ascending = ascending
        self.point = point
    }
}

/// A query as it was written.
package struct WrittenQuery {
    package enum Stage {
        case sort([WrittenSortKey])
        case distinct([NamedPath])
        case limit(Int)
        case offset(Int)
    }

    package var condition: Condition
    /// The stages in the order in which they were written.
    package var stages: [Stage]
    /// The query's text, for error messages, or `nil` if the query wasn't parsed from text.
    package var text: String?

    package init(_ condition: Condition = .truth(true), stages: [Stage] = []) {
        self.condition = condition
        self.stages = stages
    }
}

extension Condition {
    /// Returns the conjunction of two conditions. Chains of AND are flattened into one list, so that parentheses don't add depth.
    package static func conjunction(_ a: Condition, and b: Condition) -> Condition {
        switch (a, b) {
        case (.and(let x, let closings), .and(let y, let others)):
            .and(x + y, closings: closed(closings, count: x.count, with: others, count: y.count))
        case (.and(let x, let closings), _): .and(x + [b], closings: closings.isEmpty ? [] : closings + [1])
        case (_, .and(let y, let others)): .and([a] + y, closings: closed([], count: 1, with: others, count: y.count))
        default: .and([a, b])
        }
    }

    package static func disjunction(_ a: Condition, or b: Condition) -> Condition {
        switch (a, b) {
        case (.or(let x, let closings), .or(let y, let others)):
            .or(x + y, closings: closed(closings, count: x.count, with: others, count: y.count))
        case (.or(let x, let closings), _): .or(x + [b], closings: closings.isEmpty ? [] : closings + [1])
        case (_, .or(let y, let others)): .or([a] + y, closings: closed([], count: 1, with: others, count: y.count))
        default: .or([a, b])
        }
    }

    /// Returns the conjunction of the conditions. Chains of AND among them are flattened.
    package static func conjunction(_ all: [Condition]) -> Condition {
        .and(all.flatMap { if case .and(let inner, _) = $0 { inner } else { [$0] } })
    }

    package static func disjunction(_ all: [Condition]) -> Condition {
        .or(all.flatMap { if case .or(let inner, _) = $0 { inner } else { [$0] } })
    }

    private static func closed(_ a: [Int], count: Int, with b: [Int], count otherCount: Int) -> [Int] {
        func closings(_ given: [Int], _ count: Int) -> [Int] {
            given.isEmpty ? (0..<count).map { $0 == 0 ? 0 : 1 } : given
        }
        var all = closings(a, count) + closings(b, otherCount)
        all[all.count - 1] += 1
        return all
    }
}

extension NamedPath {
    /// Returns whether a property can have this name. Key paths can write only such names.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix("@") && !text.utf8.contains { ".[]".utf8.contains($0) }
    }

    /// The text of the path without its quantifier.
    package var text: String { QueryPrinter.text(self, variable: nil) }

    /// Returns the path followed by one property, or by several that are separated by dots.
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

    /// Returns the path continued from the elements of the collection that it leads to.
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
