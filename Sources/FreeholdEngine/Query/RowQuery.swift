/// Objects of a table, and what is done to them, stage by stage, in the order written.
///
/// ```swift
/// let query = RowQuery(table: people, predicate: .comparison(PropertyPath(age), .greater, .int(17)),
///     sort: [SortKey(name)], limit: 100)
/// let keys = query.keys(in: snapshot)
/// ```
/// A query holds no state of a database: it can be run on any view that has its columns, on any thread that may use
/// the view. Objects of a table come by rising key until they are sorted; equal ones always keep their order.
public struct RowQuery: Sendable {
    /// What the first stage gets.
    public enum Source: Sendable {
        /// All objects of the table, by rising key.
        case table
        /// These, in this order, each as often as it occurs: the elements of a list.
        case keys([ObjectKey])
    }

    public var table: Table
    public var source: Source
    public var stages: [Stage]
    /// Whether indexes are used: tests compare both ways.
    var choice = AccessPlan.Choice.cheapest

    public init(table: Table, source: Source = .table, stages: [Stage]) {
        self.table = table
        self.source = source
        self.stages = stages
    }

    /// - Parameters:
    ///   - sort: The first key matters most.
    ///   - limit: The most objects that are wanted.
    ///   - predicate: The condition.
    ///   - table: The table whose objects are asked for.
    public init(table: Table, predicate: Predicate = .constant(true), sort: [SortKey] = [], limit: Int? = nil) {
        self.init(table: table, stages: [.filter(predicate)])
        if !sort.isEmpty { stages.append(.sort(sort)) }
        if let limit { stages.append(.limit(limit)) }
    }

    /// Returns the objects in order. - Complexity: O(objects of the source), O(matches of an indexed condition) and O(n log n) for sorts.
    public func keys(in view: DataView) -> [ObjectKey] {
        let found = Pipeline(self).rows(in: view).keys()
        return WorkLimit.hasCutQueries ? [] : found
    }

    /// How many objects there are. - Complexity: as `keys`, without the last sorts.
    public func count(in view: DataView) -> Int {
        let count = Pipeline(self).count(in: view)
        return WorkLimit.hasCutQueries ? 0 : count
    }

    /// Returns the first object in order, or nil.
    public func first(in view: DataView) -> ObjectKey? {
        let first = Pipeline(self).first(in: view)
        return WorkLimit.hasCutQueries ? nil : first
    }

    /// Returns whether one object meets the conditions that come before any distinct, limit and offset.
    public func matches(_ key: ObjectKey, in view: DataView) -> Bool {
        Planner(view: view).node(Pipeline(self).predicate, table).test(key)
    }

    // MARK: Aggregates

    /// One value made of a path's value of each object; the path has to-one steps only. Nulls are left out, and so is
    /// what lies behind a null link.
    ///
    /// - `minimum`, `maximum`: of numbers, timestamps and mixed values; NaNs are left out. Null of nothing.
    /// - `sum`: of integers an integer, wrapped around on overflow; of floats and doubles a double; of decimals and of
    ///   the numbers among mixed values a decimal. 0 of nothing.
    /// - `average`: a decimal of decimals and mixed values, else a double; null of nothing.
    ///
    /// - Complexity: O(objects)
    public func aggregate(_ aggregate: Aggregate, of path: PropertyPath, in view: DataView) -> Value {
        let value = Pipeline(self).aggregate(aggregate, path, in: view)
        return WorkLimit.hasCutQueries ? ColumnFold(aggregate, path.column!, view).result : value
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
