/// The objects of a table that match a predicate, in an order, the first so many of them.
///
/// ```swift
/// let query = Query(table: people, predicate: .comparison(PropertyPath(age), .greater, .int(17)),
///     sort: [SortKey(name)], limit: 100)
/// let keys = query.keys(in: snapshot)
/// ```
/// A query holds no state of a database: it can be run on any view that has its columns, on any thread that may use
/// the view. Without `sort`, objects come by rising key; equal ones always do.
public struct Query: Sendable {
    public var table: Table
    public var predicate: Predicate
    /// The first key matters most.
    public var sort: [SortKey]
    /// The most objects that are wanted.
    public var limit: Int?
    /// What is done after that.
    public var stages: [Stage] = []
    /// Whether indexes are used: tests compare both ways.
    var choice = AccessPlan.Choice.cheapest

    public init(table: Table, predicate: Predicate = .constant(true), sort: [SortKey] = [], limit: Int? = nil) {
        self.table = table
        self.predicate = predicate
        self.sort = sort
        self.limit = limit
    }

    /// The matching objects in order. - Complexity: O(objects of the table), O(matches of an indexed condition).
    public func keys(in view: DataView) -> [ObjectKey] {
        if let limit, limit <= 0 { return [] }
        let source = QuerySource(view, table, predicate, wanted: sort.isEmpty ? limit : nil, choice: choice)
        if !sort.isEmpty { return RowSorter(view: view, sort: sort).sorted(source, limit: limit) }
        guard let limit else { return source.keys() }
        var keys: [ObjectKey] = []
        source.forEachUntil { key in
            keys.append(key)
            return keys.count < limit
        }
        return keys
    }

    /// How many objects match, at most `limit`.
    public func count(in view: DataView) -> Int {
        let total = QuerySource(view, table, predicate, isCount: true, choice: choice).count()
        return limit.map { Swift.max(0, Swift.min($0, total)) } ?? total
    }

    /// The first object in order, or nil.
    public func first(in view: DataView) -> ObjectKey? {
        if let limit, limit <= 0 { return nil }
        if sort.isEmpty { return QuerySource(view, table, predicate, wanted: 1, choice: choice).first() }
        var query = self
        query.limit = 1
        return query.keys(in: view).first
    }

    /// Whether one object matches the predicate, sort and limit aside.
    public func matches(_ key: ObjectKey, in view: DataView) -> Bool {
        Planner(view: view).node(predicate, table).test(key)
    }

    // MARK: Aggregates

    /// The sum of a numeric column over the matching objects: of integers an integer, wrapped around on overflow; of
    /// floats and doubles a double; of decimals a decimal. Nulls are left out; 0 of nothing.
    public func sum(of column: Column, in view: DataView) -> Value { aggregate(.sum, column, view) }

    /// The least value of a numeric or timestamp column over the matching objects. Nulls and NaNs are left out; null
    /// of nothing.
    public func min(of column: Column, in view: DataView) -> Value { aggregate(.minimum, column, view) }

    /// The greatest value, likewise.
    public func max(of column: Column, in view: DataView) -> Value { aggregate(.maximum, column, view) }

    /// The mean: a decimal of decimals, else a double; null of nothing.
    public func average(of column: Column, in view: DataView) -> Value { aggregate(.average, column, view) }

    private func aggregate(_ aggregate: Aggregate, _ column: Column, _ view: DataView) -> Value {
        if limit != nil {
            var fold = ColumnFold(aggregate, column, view)
            for key in keys(in: view) { fold.add(view.value(column, key)) }
            return fold.result
        }
        var fold = ColumnFold(aggregate, column, view)
        QuerySource(view, table, predicate, choice: choice).fold(into: &fold)
        return fold.result
    }
}
