/// What a `where` closure builds: conditions over named paths, before any schema is known.
///
/// Only `QueryCompiler` knows how these become the engine's predicates.
indirect enum QueryNode {
    case truth(Bool)
    case and([QueryNode])
    case or([QueryNode])
    case not(QueryNode)
    case compare(QueryOperand, QueryComparison, QueryOperand, StringOptions)
    /// `lower <= operand`, and `operand <= upper` (closed) or `operand < upper`, both for the same element.
    case range(QueryOperand, lower: Any, upper: Any, closed: Bool)
    case oneOf(QueryOperand, [Any?])
    /// A value that isn't a condition yet: `$0.age`, or `$0.isGood` before `&&`.
    case operand(QueryOperand)

    /// The node as a condition: a bare path to a Bool means that it is true.
    var condition: QueryNode {
        guard case .operand(let operand) = self else { return self }
        return .compare(operand, .equal, .constant(true), [])
    }

    var asOperand: QueryOperand {
        guard case .operand(let operand) = self else {
            programmerError("A condition was compared with a value in a query. Compare properties with values only.")
        }
        return operand
    }

    static func conjunction(_ a: QueryNode, _ b: QueryNode) -> QueryNode {
        switch (a.condition, b.condition) {
        case (.and(let x), .and(let y)): .and(x + y)
        case (.and(let x), let y): .and(x + [y])
        case (let x, let y): .and([x, y])
        }
    }

    static func disjunction(_ a: QueryNode, _ b: QueryNode) -> QueryNode {
        switch (a.condition, b.condition) {
        case (.or(let x), .or(let y)): .or(x + y)
        case (.or(let x), let y): .or(x + [y])
        case (let x, let y): .or([x, y])
        }
    }
}

enum QueryComparison {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    case contains, beginsWith, endsWith, like
}

/// One side of a comparison.
enum QueryOperand {
    case path(QueryPath)
    case constant(Any?)
}

/// Property names from the queried class on. Steps through a list or backlinks mean: any element.
struct QueryPath {
    var names: [String] = []
    var aggregate: QueryAggregate?

    func appending(_ name: String) -> QueryPath {
        var path = self
        path.names += name.split(separator: ".").map(String.init)
        return path
    }

    func with(_ aggregate: QueryAggregate) -> QueryPath {
        var path = self
        path.aggregate = aggregate
        return path
    }
}

/// One value made of a collection.
enum QueryAggregate: String {
    case count, min, max, sum, average
}

/// How strings are compared in a query.
public struct StringOptions: OptionSet, Sendable {
    public let rawValue: Int8

    public init(rawValue: Int8) { self.rawValue = rawValue }

    /// Ignores the case of letters.
    public static let caseInsensitive = StringOptions(rawValue: 1)
    /// Ignores accents.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)
}
