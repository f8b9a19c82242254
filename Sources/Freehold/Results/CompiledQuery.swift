import FreeholdEngine

/// A query in the engine's terms. Immutable, so that results compile once.
struct CompiledQuery {
    private let source: _CollectionSource
    private let predicate: Predicate?
    private let sort: [Sort]

    fileprivate init(_ source: _CollectionSource, _ predicate: Predicate?, _ sort: [Sort]) {
        self.source = source
        self.predicate = predicate
        self.sort = sort
    }

    func keys(in view: DataView) -> [ObjectKey] {
        switch source.base {
        case .table: return query(predicate).keys(in: view)
        case .list, .backlinks: break
        }
        let elements = self.elements(in: view)
        guard predicate != nil || !sort.isEmpty else { return elements }
        let found = query(predicate, among: elements).keys(in: view)
        let times = repetitions(elements)
        // A list can hold an object more than once.
        if sort.isEmpty {
            if found.count == elements.count && times == nil { return elements }
            let kept = Set(found)
            return elements.filter { kept.contains($0) }
        }
        guard let times else { return found }
        return found.flatMap { Array(repeating: $0, count: times[$0]!) }
    }

    func count(in view: DataView) -> Int {
        if case .table = source.base { return query(predicate).count(in: view) }
        return keys(in: view).count
    }

    func first(in view: DataView) -> ObjectKey? {
        if case .table = source.base { return query(predicate).first(in: view) }
        return keys(in: view).first
    }

    func aggregate(_ aggregate: Aggregate, _ name: String, in view: DataView) -> Value {
        let path = QueryCompiler(core: source.core, table: source.table).aggregatePath(name, aggregate)
        return view.aggregate(aggregate, path, over: keys(in: view))
    }

    private func query(_ predicate: Predicate?) -> FreeholdEngine.Query {
        FreeholdEngine.Query(table: source.table.table, predicate: predicate ?? .constant(true), sort: sort)
    }

    private func query(_ predicate: Predicate?, among keys: [ObjectKey]) -> FreeholdEngine.Query {
        let members = Predicate.objects(keys)
        return query(predicate.map { .and([members, $0]) } ?? members)
    }

    /// The source's objects in its own order.
    private func elements(in view: DataView) -> [ObjectKey] {
        switch source.base {
        case .table: view.keys(source.table.table)
        case .list(let column, let owner): view.listValues(column, owner).compactMap { $0.linkTarget }
        case .backlinks(let column, let target): view.backlinks(column, target)
        }
    }

    /// How often each element occurs; nil if none does twice.
    private func repetitions(_ elements: [ObjectKey]) -> [ObjectKey: Int]? {
        var times: [ObjectKey: Int] = [:]
        for key in elements { times[key, default: 0] += 1 }
        return times.count == elements.count ? nil : times
    }
}

extension Value {
    var linkTarget: ObjectKey? {
        if case .link(let key) = self { key } else { nil }
    }
}

extension QueryCompiler {
    static func compile(_ source: _CollectionSource) -> CompiledQuery {
        source.core.verifyThread()
        let compiler = QueryCompiler(core: source.core, table: source.table)
        return CompiledQuery(
            source, source.condition.map { compiler.predicate($0) }, source.sorts.map { compiler.sort($0) })
    }

    private func sort(_ descriptor: SortDescriptor) -> Sort {
        let path = self.path(names(descriptor.keyPath))
        guard let column = path.column, !path.isToMany, column.type != .link, column.type != .data else {
            programmerError(
                "Class \(table.info.className) can't be sorted by '\(descriptor.keyPath)'. Sort by a property that is a "
                    + "number, string, date, Bool or identifier, reached through to-one links only.")
        }
        return Sort(path, ascending: descriptor.ascending)
    }

    func aggregatePath(_ name: String, _ aggregate: Aggregate) -> PropertyPath {
        let path = self.path(names(name))
        let isNumber: Bool
        switch path.column?.type {
        case .int, .float, .double, .decimal128: isNumber = true
        case .timestamp: isNumber = aggregate == .minimum || aggregate == .maximum
        default: isNumber = false
        }
        if isNumber && !path.isToMany { return path }
        programmerError(
            "'\(table.info.className).\(name)' can't be aggregated. Take the least or greatest of numbers and dates, "
                + "the sum or mean of numbers.")
    }

    private func names(_ keyPath: String) -> [String] { keyPath.split(separator: ".").map(String.init) }
}
