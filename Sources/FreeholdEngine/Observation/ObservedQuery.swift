/// A query's objects at one version of a database, and how they change from version to version.
///
/// ```swift
/// var observed = ObservedQuery(query, watching: .deep, in: snapshot)
/// let changes = log.changes(from: observed.snapshot, to: newer)
/// if let changeset = observed.advance(to: newer, changes) { … }
/// ```
/// A value: a copy stays at its version. It holds its snapshot; whoever needs the old state for a delivery keeps
/// `snapshot` and `keys` of before (both are shared, not copied). One thread at a time.
public struct ObservedQuery: Sendable {
    /// Where a query's objects come from.
    public enum Origin: Sendable, Equatable {
        /// The query's own source, which is its table.
        case table
        /// The elements of a list or set of links, or the objects in a dictionary, of an object.
        case collection(Column, ObjectKey)
        /// The objects whose column links to an object, once for each link (of a mixed column as `Column.asBacklinkColumn(to:)`).
        case backlinks(Column, ObjectKey)
    }

    public let query: RowQuery
    public let origin: Origin
    /// The version that the objects are of.
    public private(set) var snapshot: Snapshot
    /// The objects in order.
    public private(set) var keys: OrderedKeys
    /// A Boolean value that indicates whether the object whose collection or backlinks these are is gone; then there are no more objects.
    public private(set) var isOwnerDeleted = false

    let plan: ObservedPlan
    /// Of a plan that goes on step by step: the objects before the window.
    private(set) var rows: OrderedKeys

    /// - Parameters:
    ///   - query: With `origin` other than `.table` its source is left out of account.
    ///   - watched: when an object counts as modified.
    ///   - origin: Where the objects come from.
    ///   - snapshot: The version that it begins with.
    /// - Complexity: that of running the query.
    public init(
        _ query: RowQuery,
        from origin: Origin = .table,
        watching watched: WatchedPaths = .deep,
        in snapshot: Snapshot
    ) {
        self.init(query, from: origin, watching: watched, in: snapshot, limits: ObservationLimits())
    }

    init(
        _ query: RowQuery,
        from origin: Origin,
        watching watched: WatchedPaths,
        in snapshot: Snapshot,
        limits: ObservationLimits
    ) {
        self.query = query
        self.origin = origin
        self.snapshot = snapshot
        plan = ObservedPlan(query, origin, watched, snapshot.schema, limits)
        isOwnerDeleted = !origin.exists(in: snapshot)
        rows = plan.run(in: snapshot)
        keys = plan.window(rows)
    }

    /// Moves on to a later version.
    ///
    /// - Parameter changes: what lies between this version and that one.
    /// - Parameter next: the later version.
    /// - Returns: how the objects changed, or `nil` if none was inserted, deleted, moved or modified.
    /// - Complexity: O(changes · log n) where the order is that of the table, or of one sort, with conditions before it
    ///   and limit and offset after it; the query is run anew where much changed, or where another stage has to see
    ///   what did.
    public mutating func advance(to next: Snapshot, _ changes: VersionChanges) -> CollectionChanges? {
        precondition(changes.from == snapshot.version && changes.to == next.version, "changes of other versions")
        let old = snapshot
        snapshot = next
        if isOwnerDeleted || changes.isEmpty { return nil }
        if !origin.exists(in: next) {
            isOwnerDeleted = true
            var out = CollectionChanges()
            out.deletions = Array(0..<keys.count)
            rows = OrderedKeys()
            keys = rows
            return out.isEmpty ? nil : out
        }
        let (newRows, rowChanges) = plan.advance(rows, from: old, to: next, changes)
        let (newKeys, out) = plan.window(rows, newRows, rowChanges)
        rows = newRows
        keys = newKeys
        return out.isEmpty ? nil : out
    }
}

extension ObservedQuery.Origin {
    public static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.table, .table): true
        case (.collection(let a, let x), .collection(let b, let y)),
            (.backlinks(let a, let x), .backlinks(let b, let y)):
            a.id == b.id && a.tableID == b.tableID && a.targetTableID == b.targetTableID && x == y
        default: false
        }
    }

    /// Returns whether the object that they belong to is there.
    func exists(in view: DataView) -> Bool {
        switch self {
        case .table: true
        case .collection(let column, let key):
            view.schema.table(id: column.tableID).map { view.contains($0, key) } ?? false
        case .backlinks(let column, let key):
            view.schema.table(id: column.targetTableID!).map { view.contains($0, key) } ?? false
        }
    }

    /// What the query starts from.
    func source(in view: DataView) -> RowQuery.Source {
        switch self {
        case .table: .table
        case .collection(let column, let key): exists(in: view) ? .keys(view.listLinks(column, key)) : .keys([])
        case .backlinks(let column, let key): exists(in: view) ? .keys(view.backlinks(column, key)) : .keys([])
        }
    }

    /// Returns whether the changes may give it other objects, or another order.
    func isAffected(by changes: VersionChanges) -> Bool {
        switch self {
        case .table: false
        case .collection(let column, let key):
            changes.tables[column.tableID]?.modified[column.id]?.containsSorted(key) ?? false
        case .backlinks(let column, let key):
            changes.tables[column.tableID]?.links.contains {
                $0.column == column.id && $0.target == key && $0.targetTable == column.targetTableID
            } ?? false
        }
    }
}
