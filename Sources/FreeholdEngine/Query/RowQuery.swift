/// A query for the objects of a table, with stages that are applied in the order in which they are written.
///
/// ```swift
/// let query = RowQuery(table: people, predicate: .comparison(PropertyPath(age), .greater, .int(17)),
///     sort: [SortKey(name)], limit: 100)
/// let keys = query.keys(in: snapshot)
/// ```
/// A query doesn't refer to a database. It can be run on any view that has its columns, on each thread that may use the view. The objects of a table
/// are in ascending order of keys until they are sorted. All sorts are stable.
public struct RowQuery: Sendable {
    /// The input of the first stage.
    public enum Source: Sendable {
        /// All objects of the table, in ascending order of keys.
        case table
        /// The given objects in the given order, with repetitions, such as the elements of a list.
        case keys([ObjectKey])
    }

    public var table: Table
    public var source: Source
    public var stages: [Stage]
    /// The accesses that the planner may use. Tests compare them.
    var choice = AccessPlan.Choice.cheapest
    /// Receives the indexes that the query uses when it runs.
    public var uses: IndexUses?

    public init(table: Table, source: Source = .table, stages: [Stage]) {
        self.table = table
        self.source = source
        self.stages = stages
    }

    /// - Parameters:
    ///   - sort: the sort keys. The first key is the primary one.
    ///   - limit: the maximum number of objects.
    ///   - predicate: The condition.
    ///   - table: the table of the objects.
    public init(table: Table, predicate: Predicate = .constant(true), sort: [SortKey] = [], limit: Int? = nil) {
        self.init(table: table, stages: [.filter(predicate)])
        if !sort.isEmpty { stages.append(.sort(sort)) }
        if let limit { stages.append(.limit(limit)) }
    }

    /// Returns the objects in order.
    /// - Complexity: O(objects of the source), O(matches of an indexed condition), and O(n log n) for sorts.
    public func keys(in view: DataView) -> [ObjectKey] {
        let found = Pipeline(self).rows(in: view).keys()
        return WorkLimit.hasCutQueries ? [] : found
    }

    /// Returns the number of objects.
    /// - Complexity: like `keys`, without the last sorts.
    public func count(in view: DataView) -> Int {
        let count = Pipeline(self).count(in: view)
        return WorkLimit.hasCutQueries ? 0 : count
    }

    /// Returns the first object in order, or `nil` if no object matches.
    public func first(in view: DataView) -> ObjectKey? {
        let first = Pipeline(self).first(in: view)
        return WorkLimit.hasCutQueries ? nil : first
    }

    /// Returns whether an object meets the conditions that precede the first distinct, limit or offset.
    public func matches(_ key: ObjectKey, in view: DataView) -> Bool {
        Planner(view: view).node(Pipeline(self).predicate, table).test(key)
    }

    // MARK: Aggregates

    /// Returns an aggregate of a path's values. Each object has one value, because the path has to-one steps only. Nulls and values behind a null
    /// link are ignored.
    ///
    /// - `minimum`, `maximum`: for numbers, timestamps and mixed values. NaNs are ignored. The result of no values is null.
    /// - `sum`: an integer for integers, which wraps around on overflow. A double for floats and doubles, and a decimal for decimals and for the
    ///   numbers among mixed values. The result of no values is 0.
    /// - `average`: a decimal for decimals and mixed values, otherwise a double. The result of no values is null.
    ///
    /// - Complexity: O(objects)
    public func aggregate(_ aggregate: Aggregate, of path: PropertyPath, in view: DataView) -> Value {
        let value = Pipeline(self).aggregate(aggregate, path, in: view)
        return WorkLimit.hasCutQueries ? ColumnFold(aggregate, path.column!, in: view).result : value
    }

    /// Returns the sum of a column: see `aggregate`.
    public func sum(of column: Column, in view: DataView) -> Value {
        aggregate(.sum, of: PropertyPath(column), in: view)
    }

    /// Returns the least value of a column: see `aggregate`.
    public func min(of column: Column, in view: DataView) -> Value {
        aggregate(.minimum, of: PropertyPath(column), in: view)
    }

    /// Returns the greatest value of a column: see `aggregate`.
    public func max(of column: Column, in view: DataView) -> Value {
        aggregate(.maximum, of: PropertyPath(column), in: view)
    }

    /// Returns the mean of a column: see `aggregate`.
    public func average(of column: Column, in view: DataView) -> Value {
        aggregate(.average, of: PropertyPath(column), in: view)
    }
}
