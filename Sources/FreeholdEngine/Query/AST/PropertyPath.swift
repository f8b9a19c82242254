/// One step from an object to other objects.
public enum PathStep: Sendable {
    /// The targets of a link column: at most one object for a single link, and each object of a collection of links.
    case link(Column)
    /// Each object whose link column (single or collection) points to this object.
    case backlink(Column)
    /// The object at a place in a list or dictionary of links, if there is one.
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
    /// A position in a list, from 0. The value is null if the position is out of bounds.
    case index(Int)
    case first, last
    /// The value of a key of a dictionary.
    case key(String)
    /// Every element, or every value of a dictionary.
    case all
    /// The keys of a dictionary, as strings.
    case keys

    var isToMany: Bool { self == .all || self == .keys }
}

/// The number of a path's values for which a condition has to hold: one, all or none.
public enum Quantifier: Sendable {
    case any
    /// A path without values meets the condition.
    case all
    /// A path without values meets the condition.
    case none
}

/// A path from an object of the queried table to values: any number of steps, and then a column of the last table or the last object itself.
///
/// If a step or the column is a collection, a condition on the path holds if it holds for any of the values. `quantifier` can require all or none. If
/// a single link on the path is null, the value is null.
public struct PropertyPath: Sendable {
    public var steps: [PathStep]
    /// The column of the values, or `nil` for the last object itself, which is a value of type link.
    public var column: Column?
    /// The places inside the column's value, from the outermost to the innermost. A column of a collection has at most one. A mixed column, or one
    /// subscript of a collection of mixed values, can be followed by any number. The value at a missing place is null.
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

    /// Creates a path to a column of the queried table.
    public init(_ column: Column) { self.init([], column) }

    /// Creates a path along several columns, all of which except the last are links or lists of links.
    public init(columns: [Column]) { self.init(columns.dropLast().map { .link($0) }, columns.last) }

    /// A Boolean value that indicates whether the path can have several values.
    public var isToMany: Bool { isToMany(from: 0) }

    /// A Boolean value that indicates whether the vectorised scans can test the path: it has the quantifier `any` and no subscripts.
    var isPlain: Bool { subscripts.isEmpty && quantifier == .any }
}
