import FreeholdEngine

/// A query in the engine's terms. Immutable, so that results compile once.
struct CompiledQuery {
    private let source: _CollectionSource
    private let stages: [Stage]

    init(_ source: _CollectionSource) throws(QueryError) {
        source.core.verifyThread()
        self.source = source
        stages = try QueryCompiler(source.table).stages(source.stages)
    }

    func keys(in view: DataView) -> [ObjectKey] { query(in: view).keys(in: view) }
    func explain(in view: DataView) -> QueryPlan { query(in: view).explain(in: view) }
    func count(in view: DataView) -> Int { query(in: view).count(in: view) }
    func first(in view: DataView) -> ObjectKey? { query(in: view).first(in: view) }

    func aggregate(_ aggregate: Aggregate, _ keyPath: String, in view: DataView) -> Value {
        let path = trapping { () throws(QueryError) in
            try QueryCompiler(source.table).aggregatedPath(NamedPath(keyPath: keyPath), aggregate)
        }
        return query(in: view).aggregate(aggregate, of: path, in: view)
    }

    private func query(in view: DataView) -> FreeholdEngine.Query {
        let table = source.table.table
        return switch source.base {
        case .table: FreeholdEngine.Query(table: table, stages: stages)
        case .list(let column, let owner):
            FreeholdEngine.Query(table: table, source: .keys(view.listLinks(column, owner)), stages: stages)
        case .backlinks(let column, let target):
            FreeholdEngine.Query(table: table, source: .keys(view.backlinks(column, target)), stages: stages)
        }
    }
}
