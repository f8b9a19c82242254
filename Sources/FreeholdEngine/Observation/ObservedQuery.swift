/// The objects of a query at one version of a database, with their changes from version to version.
///
/// ```swift
/// var observed = ObservedQuery(query, watching: .deep, in: snapshot)
/// let changes = log.changes(from: observed.snapshot, to: newer)
/// if let changeset = observed.advance(to: newer, changes) { … }
/// ```
/// It is a value. A copy remains at its version. It holds its snapshot. A caller that needs the old state for a delivery keeps the previous
/// `snapshot` and `keys` (both are shared and not copied). Only one thread at a time may use it.
public struct ObservedQuery: Sendable {
    /// The origin of a query's objects.
    public enum Origin: Sendable, Equatable {
        /// The query's own source, which is its table.
        case table
        /// The elements of a list or set of links, or the objects in a dictionary, of an object.
        case collection(Column, ObjectKey)
        /// The objects whose column links to an object, once for each link (for a mixed column, in the form of `Column.asBacklinkColumn(to:)`).
        case backlinks(Column, ObjectKey)
    }

    public let query: RowQuery
    public let origin: Origin
    /// The version of the objects.
    public private(set) var snapshot: Snapshot
    /// The objects in order.
    public private(set) var keys: OrderedKeys
    /// A Boolean value that indicates whether the owner of the collection or the target of the backlinks has been deleted. The query doesn't have
    /// objects then.
    public private(set) var isOwnerDeleted = false

    let plan: ObservedPlan
    /// The objects without the window, for a plan that is updated step by step.
    private(set) var rows: OrderedKeys

    /// - Parameters:
    ///   - query: the query. If `origin` isn't `.table`, its source is ignored.
    ///   - watched: determines whether an object counts as modified.
    ///   - origin: the origin of the objects.
    ///   - snapshot: the first version.
    /// - Complexity: like running the query.
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
        plan = ObservedPlan(query, origin, watched: watched, in: snapshot.schema, limits: limits)
        isOwnerDeleted = !origin.exists(in: snapshot)
        rows = plan.run(in: snapshot)
        keys = plan.window(rows)
    }

    /// Advances to a later version and returns the changes.
    ///
    /// - Parameter changes: the changes between this version and the later one.
    /// - Parameter next: the later version.
    /// - Returns: the changes of the objects, or `nil` if no object was inserted, deleted, moved or modified.
    /// - Complexity: O(changes · log n) if the order is that of the table or of one sort, with conditions before it and limit and offset after it.
    ///   The query is run again after many changes, or if a change affects another stage.
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
        let (newKeys, out) = plan.window(from: rows, to: newRows, changes: rowChanges)
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

    /// Returns whether the object of the collection or backlinks exists.
    func exists(in view: DataView) -> Bool {
        switch self {
        case .table: true
        case .collection(let column, let key):
            view.schema.table(id: column.tableID).map { view.contains($0, key) } ?? false
        case .backlinks(let column, let key):
            view.schema.table(id: column.targetTableID!).map { view.contains($0, key) } ?? false
        }
    }

    /// Returns the source of the query.
    func source(in view: DataView) -> RowQuery.Source {
        switch self {
        case .table: .table
        case .collection(let column, let key): exists(in: view) ? .keys(view.listLinks(column, key)) : .keys([])
        case .backlinks(let column, let key): exists(in: view) ? .keys(view.backlinks(column, key)) : .keys([])
        }
    }

    /// Returns whether the changes may affect the objects of the origin or their order.
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
