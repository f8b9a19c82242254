import FreeholdEngine

/// The state of grouped results, and their groups for the realm's present state.
final class GroupQuery {
    let source: _CollectionSource
    private let paths: [NamedPath]
    private var resolved: [QueryCompiler<ModelNames>.ResolvedPath] = []
    private var stages: [Stage] = []
    private var compiledGeneration = -1
    private var groups: RowGroups?
    private var groupedAt = EvaluationState()
    /// The last aggregate. The next group usually requests the same.
    private var aggregated: (aggregate: Aggregate, keyPath: String, path: PropertyPath)?

    init(_ source: _CollectionSource, by keyPaths: [String]) {
        if keyPaths.isEmpty { programmerError("grouped(by:) was given no property. Name at least one.") }
        self.source = source
        paths = keyPaths.map { NamedPath(trapping: $0) }
        compile()
    }

    var isInvalidated: Bool { source.isInvalidated }

    private func compile() {
        let compiler = QueryCompiler(source.table)
        aggregated = nil
        trapping { () throws(QueryError) in
            stages = try compiler.stages(source.stages)
            resolved = []
            for path in paths {
                var found = try compiler.resolve(path)
                found.path = try compiler.singlePath(path)
                resolved.append(found)
            }
        }
        compiledGeneration = source.core.schemaGeneration
    }

    /// Returns the groups, or nil for invalidated results.
    func current() -> RowGroups? {
        if isInvalidated { return nil }
        return source.core.exclusively { evaluated() }
    }

    private func evaluated() -> RowGroups {
        let state = source.core.evaluationState
        if let groups, groupedAt == state { return groups }
        if compiledGeneration != source.core.schemaGeneration { compile() }
        let view = source.core.view
        let query = FreeholdEngine.RowQuery(table: source.table.table, source: source.rows(in: view), stages: stages)
        let found = query.groups(by: resolved.map(\.path), in: view)
        groups = found
        groupedAt = source.core.answerState
        return found
    }

    /// Returns the content of the i-th value of a group's key.
    func content(of value: Value, _ i: Int) -> _StoredContent {
        switch value {
        case .null where resolved[i].path.column?.type == .link: return .object(nil)
        case .link(let key): return .object(resolved[i].target?.object(key))
        case .objectLink(let link): return source.table.linked(link).map { .object($0) } ?? .value(value)
        default: return .value(value)
        }
    }

    func aggregate(_ aggregate: Aggregate, _ keyPath: String, group: Int, groups: RowGroups) -> Value {
        source.core.exclusively { folded(aggregate, keyPath, group: group, groups: groups) }
    }

    private func folded(_ aggregate: Aggregate, _ keyPath: String, group: Int, groups: RowGroups) -> Value {
        if let last = aggregated, last.aggregate == aggregate, last.keyPath == keyPath {
            return groups.aggregate(aggregate, of: last.path, group)
        }
        let path = trapping { () throws(QueryError) in
            try QueryCompiler(source.table).aggregatedPath(NamedPath(keyPath: keyPath), aggregate)
        }
        aggregated = (aggregate, keyPath, path)
        return groups.aggregate(aggregate, of: path, group)
    }

    /// Returns the objects of a group.
    func objects(_ key: [Value]) -> _CollectionSource {
        zip(paths, key).reduce(source) { source, part in
            let (path, value) = part
            if !FreeholdEngine.Comparison.equal.holds(between: value, and: value) {
                // NaN is the only value that differs from itself.
                return source.adding(.filter(.compare(.path(path), .notEqual, .path(path), [])))
            }
            return source.adding(.filter(.compare(.path(path), .equal, .constant(.value(value)), [])))
        }
    }
}
