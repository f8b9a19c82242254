/// By what a query's objects are sorted: a single-valued column, or one across single links, or a value in a dictionary.
///
/// Ascending, nulls come first and objects with a null link on the path last; NaN is the lowest number; strings go by
/// their bytes. Descending is the reverse of all that.
public struct SortKey: Sendable {
    /// Links, then the column to sort by.
    public var path: PropertyPath
    public var ascending: Bool

    public init(_ path: PropertyPath, ascending: Bool = true) {
        self.path = path
        self.ascending = ascending
    }

    public init(_ path: [Column], ascending: Bool = true) {
        self.init(PropertyPath(columns: path), ascending: ascending)
    }

    public init(_ column: Column, ascending: Bool = true) { self.init(PropertyPath(column), ascending: ascending) }
}

/// What is done to the sequence of objects that the stages before it give.
public enum Stage: Sendable {
    /// Those that meet the condition, in their order.
    case filter(Predicate)
    /// The first key matters most. Equal objects keep their order, so that a later sort is the primary one.
    case sort([SortKey])
    /// Of those that are equal in all the paths (as in `SortKey`) the first, in their order. Objects with a null link
    /// on a path are left out.
    case distinct([PropertyPath])
    /// The first so many.
    case limit(Int)
    /// All but the first so many.
    case offset(Int)
}
