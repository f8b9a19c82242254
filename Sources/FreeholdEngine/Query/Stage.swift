/// A sort criterion of a query: a column with a single value, a column at the end of single links, or a value in a dictionary.
///
/// In ascending order, nulls are first and objects with a null link on the path are last. NaN is the lowest number. Strings are compared by their
/// bytes. The descending order is the reverse.
public struct SortKey: Sendable {
    /// The links, followed by the sorted column.
    public var path: PropertyPath
    public var ascending: Bool
    /// The distance by which the objects are sorted. The path then leads to places. Objects without a place are last in both orders.
    public let distance: DistanceKey?

    public init(_ path: PropertyPath, ascending: Bool = true) {
        self.path = path
        self.ascending = ascending
        distance = nil
    }

    /// - Parameter path: a path of to-one steps to objects of the table with the columns.
    /// - Parameter ascending: whether the nearest objects are first.
    /// - Parameter columns: the columns that store a place.
    /// - Parameter point: the point from which distances are measured.
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

/// The distance of places from a point.
public struct DistanceKey: Sendable {
    public let columns: GeoColumns
    public let point: GeoPoint
}

/// An operation on the sequence of objects that the previous stages return.
public enum Stage: Sendable {
    /// Keeps the objects that meet the condition, in their order.
    case filter(Predicate)
    /// Sorts the objects. The first key is the primary one. The sort is stable, so a later sort has precedence.
    case sort([SortKey])
    /// Keeps the first of the objects that are equal at all paths (with the rules of `SortKey`), in their order. Objects with a null link on a path
    /// are omitted.
    case distinct([PropertyPath])
    /// Keeps at most this number of objects from the start.
    case limit(Int)
    /// Skips this number of objects at the start.
    case offset(Int)
}
