import FreeholdEngine

/// A query in the engine's terms. Immutable, so that results compile once.
struct CompiledQuery {
    private let source: _CollectionSource
    private let predicate: Predicate?
    private let sort: [SortKey]

    init(_ source: _CollectionSource) {
        source.core.verifyThread()
        self.source = source
        let compiler = QueryCompiler(source.table)
        predicate = source.condition.map { condition in
            trapping { () throws(QueryError) in try compiler.predicate(condition) }
        }
        sort = source.sorts.map { compiler.sort($0) }
    }

    func keys(in view: DataView) -> [ObjectKey] {
        if case .table = source.base { return query().keys(in: view) }
        var elements = self.elements(in: view)
        if let predicate {
            let members = Predicate.objects(Array(Set(elements)).sorted())
            let query = FreeholdEngine.Query(table: source.table.table, predicate: .and([members, predicate]))
            let kept = Set(query.keys(in: view))
            elements = elements.filter { kept.contains($0) }
        }
        return sort.isEmpty ? elements : ListSorter(view: view, sort: sort).sorted(elements)
    }

    func count(in view: DataView) -> Int {
        if case .table = source.base { return query().count(in: view) }
        return keys(in: view).count
    }

    func first(in view: DataView) -> ObjectKey? {
        if case .table = source.base { return query().first(in: view) }
        return keys(in: view).first
    }

    func aggregate(_ aggregate: Aggregate, _ property: String, in view: DataView) -> Value {
        let column = QueryCompiler(source.table).aggregated(property, aggregate)
        guard case .table = source.base else {
            return ListFold.fold(aggregate, keys(in: view).map { view.value(column, $0) }, column.type)
        }
        var query = query()
        query.sort = []
        return switch aggregate {
        case .minimum: query.min(of: column, in: view)
        case .maximum: query.max(of: column, in: view)
        case .sum: query.sum(of: column, in: view)
        case .average: query.average(of: column, in: view)
        }
    }

    private func query() -> FreeholdEngine.Query {
        FreeholdEngine.Query(table: source.table.table, predicate: predicate ?? .constant(true), sort: sort)
    }

    /// The source's objects in its own order.
    private func elements(in view: DataView) -> [ObjectKey] {
        switch source.base {
        case .table: view.keys(source.table.table)
        case .list(let column, let owner): view.listValues(column, owner).compactMap { $0.linkTarget }
        case .backlinks(let column, let target): view.backlinks(column, target)
        }
    }
}

extension Value {
    var linkTarget: ObjectKey? {
        if case .link(let key) = self { key } else { nil }
    }
}

extension QueryCompiler<ModelNames> {
    fileprivate func sort(_ descriptor: SortDescriptor) -> SortKey {
        let path = self.path(descriptor.keyPath)
        guard let column = path.column, !path.isToMany, column.type != .link, column.type != .data else {
            programmerError(
                "Class \(cls.info.className) can't be sorted by '\(descriptor.keyPath)'. Sort by a property that is a "
                    + "number, string, date, Bool or identifier, reached through to-one links only."
            )
        }
        return SortKey(path, ascending: descriptor.ascending)
    }

    /// The column of a property whose values are made into one.
    func aggregated(_ property: String, _ aggregate: Aggregate) -> Column {
        let path = self.path(property)
        let fits =
            switch path.column?.type {
            case .int, .float, .double, .decimal128, .mixed: true
            case .timestamp: aggregate == .minimum || aggregate == .maximum
            default: false
            }
        if fits, path.steps.isEmpty, !path.isToMany, let column = path.column { return column }
        programmerError(
            "'\(cls.info.className).\(property)' can't be aggregated. Take the least or greatest of a property that "
                + "is a number or date, the sum or mean of one that is a number."
        )
    }

    private func path(_ keyPath: String) -> PropertyPath {
        trapping { () throws(QueryError) in try resolve(NamedPath().appending(keyPath)) }.path
    }
}
