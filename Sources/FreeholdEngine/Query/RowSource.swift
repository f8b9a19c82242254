/// The objects that a stage of a query receives, in order.
enum RowSource {
    /// The objects of a table, which are found when they are requested.
    case scan(QuerySource)
    /// Given objects, with repetitions.
    case keys([ObjectKey])

    func keys() -> [ObjectKey] {
        switch self {
        case .scan(let source): source.keys()
        case .keys(let keys): keys
        }
    }

    func count() -> Int {
        switch self {
        case .scan(let source): source.count()
        case .keys(let keys): keys.count
        }
    }

    func forEach(_ body: (ObjectKey) -> Void) {
        switch self {
        case .scan(let source): source.forEach(body)
        case .keys(let keys): keys.forEachWithinLimit(body)
        }
    }

    /// Calls the body with each object until the body returns false.
    func forEachUntil(_ body: (ObjectKey) -> Bool) {
        switch self {
        case .scan(let source): source.forEachUntil(body)
        case .keys(let keys): keys.forEachWithinLimitUntil(body)
        }
    }

    func keys(in window: Window) -> [ObjectKey] {
        guard let end = window.end, case .scan(let source) = self else { return window.slice(keys()) }
        if end == 0 || window.limit == 0 { return [] }
        if end == 1 { return source.first().map { [$0] } ?? [] }
        var keys: [ObjectKey] = []
        source.forEachUntil { key in
            keys.append(key)
            return keys.count < end
        }
        return window.slice(keys)
    }

    /// Adds a path's value of each object. Columns of the table itself are added leaf by leaf.
    func fold(_ path: PropertyPath, into fold: inout ColumnFold, _ view: DataView) {
        if case .scan(let source) = self, path.steps.isEmpty, path.subscripts.isEmpty {
            return source.fold(into: &fold)
        }
        let cursor = PathCursor(path, in: view)
        forEach { key in
            if let value = cursor.value(key.raw) { fold.add(value) }
        }
    }
}
