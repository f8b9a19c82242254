/// By what a query's objects are sorted: a single-valued column, or one across single links, or a value in a dictionary.
///
/// Ascending, nulls come first and objects with a null link on the path last; NaN is the lowest number; strings go by
/// their bytes. Descending is the reverse of all that.
public struct SortKey: Sendable {
    /// Links, then the column to sort by.
    public var path: PropertyPath
    public var ascending: Bool
    /// The path leads to places, by whose distances from a point the objects are sorted. Those without a place come last,
    /// ascending or not.
    public let distance: DistanceKey?

    public init(_ path: PropertyPath, ascending: Bool = true) {
        self.path = path
        self.ascending = ascending
        distance = nil
    }

    /// - Parameter path: to-one, to objects of the table that has the columns.
    /// - Parameter ascending: whether the nearest come first.
    /// - Parameter columns: the columns that a place is stored in.
    /// - Parameter point: where distances are measured from.
    public init(distanceTo point: GeoPoint, at path: PropertyPath, _ columns: GeoColumns, ascending: Bool = true) {
        self.path = path
        self.ascending = ascending
        distance = DistanceKey(columns: columns, point: point)
    }

    public init(_ path: [Column], ascending: Bool = true) {
        self.init(PropertyPath(columns: path), ascending: ascending)
    }

    public init(_ column: Column, ascending: Bool = true) { self.init(PropertyPath(column), ascending: ascending) }
}

/// How far places are from a point.
public struct DistanceKey: Sendable {
    public let columns: GeoColumns
    public let point: GeoPoint
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
