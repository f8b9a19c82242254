import FreeholdEngine

/// A query in the form of the engine. It is immutable, so results compile it once.
struct CompiledQuery {
    private let source: _CollectionSource
    private let stages: [Stage]

    init(_ source: _CollectionSource) throws(QueryError) {
        source.core.verifyThread()
        self.source = source
        stages = try QueryCompiler(source.table).stages(source.stages)
    }

    /// Reports the reads of all data that the query uses.
    func track(_ tracker: RealmTracker) {
        let table = source.table.table
        let stored = source.core.view.schema
        switch source.base {
        case .table: break
        case .list(let column, let owner):
            tracker.accessProperty(column.tableID, object: owner.raw, property: column.id)
        case .backlinks(let column, _): tracker.accessTable(column.tableID)
        }
        let query = FreeholdEngine.RowQuery(table: table, source: .table, stages: stages)
        for id in query.tables(of: stored) { tracker.accessTable(id) }
    }

    func keys(in view: DataView) -> [ObjectKey] { told(.objects) { query(in: view).keys(in: view) } }
    func explain(in view: DataView) -> QueryPlan { query(in: view).explain(in: view) }
    func count(in view: DataView) -> Int { told(.count) { query(in: view).count(in: view) } }
    func first(in view: DataView) -> ObjectKey? { told(.first) { query(in: view).first(in: view) } }

    /// - Parameter keys: The objects, if they are already known.
    func aggregate(_ aggregate: Aggregate, _ keyPath: String, of keys: [ObjectKey]?, in view: DataView) -> Value {
        let path = trapping { () throws(QueryError) in
            try QueryCompiler(source.table).aggregatedPath(NamedPath(keyPath: keyPath), aggregate)
        }
        let known = keys.map { FreeholdEngine.RowQuery(table: source.table.table, source: .keys($0), stages: []) }
        return told(.aggregate) { (known ?? query(in: view)).aggregate(aggregate, of: path, in: view) }
    }

    /// Runs a query, and reports its duration to diagnostics.
    @inline(__always)
    private func told<R>(_ operation: DiagnosticEvent.Query.Operation, _ run: () -> R) -> R {
        guard let start = Diagnostics.start(.queries) else { return run() }
        let result = run()
        tell(operation, .now - start)
        return result
    }

    @inline(never)
    private func tell(_ operation: DiagnosticEvent.Query.Operation, _ duration: Duration) {
        let query = DiagnosticEvent.Query(
            path: source.core.database.path,
            className: source.table.info.className,
            operation: operation,
            lasted: duration,
            text: source.stages.map(\.outline).joined(separator: " ")
        )
        Diagnostics.send(.queried(query))
    }

    private func query(in view: DataView) -> FreeholdEngine.RowQuery {
        FreeholdEngine.RowQuery(table: source.table.table, source: source.rows(in: view), stages: stages)
    }
}

extension _CollectionSource {
    /// Returns the input of the first stage.
    func rows(in view: DataView) -> FreeholdEngine.RowQuery.Source {
        switch base {
        case .table: .table
        case .list(let column, let owner): .keys(view.listLinks(column, owner))
        case .backlinks(let column, let target): .keys(view.backlinks(column, target))
        }
    }
}
