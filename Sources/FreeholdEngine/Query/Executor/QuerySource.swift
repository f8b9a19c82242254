/// The matching objects of a table by rising key: by scanning, or through an index.
struct QuerySource {
    let scan: TableScan
    /// Where an index was used: every match.
    private let found: [ObjectKey]?

    init(_ view: DataView, _ table: Table, _ predicate: Predicate) {
        let planner = Planner(view: view)
        let conjuncts = Self.conjuncts(predicate)
        if let (index, keys) = Self.lookUp(conjuncts, view) {
            var rest = conjuncts
            rest.remove(at: index)
            let node = planner.node(.and(rest), table)
            scan = TableScan(view: view, table: table, node: node)
            found = node.constant == true ? keys : keys.filter { node.test($0) }
        } else {
            scan = TableScan(view: view, table: table, node: planner.node(predicate, table))
            found = nil
        }
    }

    private static func conjuncts(_ predicate: Predicate) -> [Predicate] {
        if case .and(let all) = predicate { return all.flatMap(conjuncts) }
        return [predicate]
    }

    /// The indexed conjunct with the fewest objects.
    private static func lookUp(_ conjuncts: [Predicate], _ view: DataView) -> (index: Int, keys: [ObjectKey])? {
        var best: (index: Int, keys: [ObjectKey])?
        for (i, predicate) in conjuncts.enumerated() {
            guard let (column, values) = indexable(predicate) else { continue }
            var keys: [ObjectKey] = []
            var isComplete = true
            for value in values {
                guard let found = view.indexLookup(column, value) else {
                    isComplete = false
                    break
                }
                keys += found
            }
            guard isComplete else { continue }
            if values.count > 1 { keys.sort() }
            if best == nil || keys.count < best!.keys.count { best = (i, keys) }
            if keys.count < 100 { break }
        }
        return best
    }

    /// The column and the distinct values of a condition that an index answers.
    private static func indexable(_ predicate: Predicate) -> (Column, [Value])? {
        let path: PropertyPath
        let values: [Value]
        switch predicate {
        case .comparison(let p, .equal, let value): (path, values) = (p, [value])
        case .oneOf(let p, let all): (path, values) = (p, Array(Set(all)))
        case .text(let p, .equal, let text, []): (path, values) = (p, [text])
        default: return nil
        }
        guard path.steps.isEmpty, path.isPlain, let column = path.column, column.collection == .none,
            column.isIndexed || column.isPrimaryKey,
            values.allSatisfy({ column.type == .mixed ? !$0.holdsNaN : $0.isNull || $0.type == column.type })
        else { return nil }
        if column.type == .mixed, values.count > 1 { return (column, Self.distinct(values)) }
        return (column, values)
    }

    /// Without values that are found by one before, such as 1.0 by 1.
    private static func distinct(_ values: [Value]) -> [Value] {
        var out: [Value] = []
        for value in values where !out.contains(where: { Value.areEqual($0, value) }) { out.append(value) }
        return out
    }

    func keys() -> [ObjectKey] { found ?? scan.keys() }
    func count() -> Int { found?.count ?? scan.count() }
    func first() -> ObjectKey? { found != nil ? found!.first : scan.first() }

    func forEach(_ body: (ObjectKey) -> Void) {
        if let found { found.forEach(body) } else { scan.forEachKey(body) }
    }

    func forEachUntil(_ body: (ObjectKey) -> Bool) {
        if let found {
            for key in found where !body(key) { return }
            return
        }
        scan.forEachCluster { cluster, mask, n in
            for slot in 0..<n where mask[slot] != 0 {
                if !body(ObjectKey(Int64(cluster * scan.view.clusterSpan + slot))) { return false }
            }
            return true
        }
    }

    func fold(into fold: inout ColumnFold) {
        if let found {
            for key in found { fold.add(scan.view.value(fold.column, key)) }
            return
        }
        let view = scan.view
        if scan.node.constant == true {
            for cluster in 0..<view.clusterCount(scan.table) {
                let live = view.liveCount(scan.table, cluster: cluster)
                if live == 0 { continue }
                if let presence = view.presence(scan.table, cluster: cluster) {
                    fold.add(cluster, present: presence)
                } else {
                    fold.add(cluster, nil, live)
                }
            }
            return
        }
        scan.forEachCluster { cluster, mask, n in
            if !MaskKernels.isEmpty(mask, n) { fold.add(cluster, mask, n) }
            return true
        }
    }
}
