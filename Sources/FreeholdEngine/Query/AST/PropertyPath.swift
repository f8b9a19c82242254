/// One step from an object to others.
public enum PathStep: Sendable {
    /// Along a link column: one object or none; along a list of links: each of its objects.
    case link(Column)
    /// To each object whose link column (single or list) points here.
    case backlink(Column)

    /// Whether the step can lead to several objects.
    var isToMany: Bool {
        switch self {
        case .link(let column): column.collection != .none
        case .backlink: true
        }
    }
}

/// From an object of the queried table to values: any number of steps, then a column of the table reached, or the
/// object reached itself.
///
/// Where a step or the column is a collection, a condition on the path holds if it holds for any of the values. Where
/// a single link on the path is null, the value is null.
public struct PropertyPath: Sendable {
    public var steps: [PathStep]
    /// Nil for the reached object itself, a value of type link.
    public var column: Column?

    public init(_ steps: [PathStep] = [], _ column: Column?) {
        self.steps = steps
        self.column = column
    }

    /// A column of the queried table.
    public init(_ column: Column) { self.init([], column) }

    /// Columns of which all but the last are links or lists of links.
    public init(columns: [Column]) { self.init(columns.dropLast().map { .link($0) }, columns.last) }

    /// Whether the path can have several values.
    public var isToMany: Bool {
        steps.contains { $0.isToMany } || (column.map { $0.collection != .none } ?? false)
    }
}

/// One side of a comparison between paths.
public enum Operand: Sendable {
    /// The path's value, or any of its values.
    case path(PropertyPath)
    /// The number of the path's values (elements, or objects reached), nulls included.
    case count(PropertyPath)
    /// One value of all of the path's values.
    case aggregate(Aggregate, PropertyPath)
}

/// One value made of many. Nulls are left out.
public enum Aggregate: Sendable {
    /// Of nothing: null. NaNs are left out.
    case minimum, maximum
    /// Of nothing: 0. Integers wrap around.
    case sum
    /// Of nothing: null.
    case average
}
