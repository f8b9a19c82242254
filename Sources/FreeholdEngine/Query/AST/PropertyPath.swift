/// One step from an object to others.
public enum PathStep: Sendable {
    /// Along a link column: one object or none; along a collection of links: each of its objects.
    case link(Column)
    /// To each object whose link column (single or collection) points here.
    case backlink(Column)
    /// Along a list of links or a dictionary of them: to the one object at that place, or none.
    case element(Column, Subscript)

    /// A Boolean value that indicates whether the step can lead to several objects.
    var isToMany: Bool {
        switch self {
        case .link(let column): column.collection != .none
        case .backlink: true
        case .element(_, let place): place.isToMany
        }
    }
}

/// A place in a collection, or in a collection inside a mixed value.
public enum Subscript: Sendable, Hashable {
    /// Of a list, from 0. Outside of its bounds is null.
    case index(Int)
    case first, last
    /// Of a dictionary: the value under that key.
    case key(String)
    /// Every element, or every value of a dictionary.
    case all
    /// The keys of a dictionary, as strings.
    case keys

    var isToMany: Bool { self == .all || self == .keys }
}

/// For how many of a path's values a condition has to hold.
public enum Quantifier: Sendable {
    case any
    /// True of no values.
    case all
    /// True of no values.
    case none
}

/// From an object of the queried table to values: any number of steps, then a column of the table reached, or the
/// object reached itself.
///
/// Where a step or the column is a collection, a condition on the path holds if it holds for any (all, none: see
/// `quantifier`) of the values. Where a single link on the path is null, the value is null.
public struct PropertyPath: Sendable {
    public var steps: [PathStep]
    /// Nil for the reached object itself, a value of type link.
    public var column: Column?
    /// Places inside the column's value, from the outside in: at most one of a collection column; of a mixed column
    /// (or after one subscript of a collection of mixed values) any number. At a place that isn't there is null.
    public var subscripts: [Subscript]
    public var quantifier: Quantifier

    public init(
        _ steps: [PathStep] = [],
        _ column: Column?,
        subscripts: [Subscript] = [],
        quantifier: Quantifier = .any
    ) {
        self.steps = steps
        self.column = column
        self.subscripts = subscripts
        self.quantifier = quantifier
    }

    /// A column of the queried table.
    public init(_ column: Column) { self.init([], column) }

    /// Columns of which all but the last are links or lists of links.
    public init(columns: [Column]) { self.init(columns.dropLast().map { .link($0) }, columns.last) }

    /// A Boolean value that indicates whether the path can have several values.
    public var isToMany: Bool { isToMany(from: 0) }

    /// A Boolean value that indicates whether the path's condition is what the vectorised scans answer: any value, no subscripts.
    var isPlain: Bool { subscripts.isEmpty && quantifier == .any }
}
