/// An update of rows from one version to another, object by object. The rows are ordered by key or by one sort.
struct RowStep {
    private let plan: ObservedPlan
    private let rows: OrderedKeys
    private let new: Snapshot
    private let before: RowPlaces
    private let after: RowPlaces

    init(_ plan: ObservedPlan, _ rows: OrderedKeys, new: Snapshot, before: RowPlaces, after: RowPlaces) {
        self.plan = plan
        self.rows = rows
        self.new = new
        self.before = before
        self.after = after
    }

    /// The rows that are removed, and those that are added.
    private struct Edit {
        var removed: [Int] = []
        /// `from` is the old position of a row that may remain at its place.
        var added: [(key: ObjectKey, from: Int?)] = []
    }

    func advance(_ touched: ObservedPlan.Touched) -> (OrderedKeys, CollectionChanges) {
        let edit = edit(touched)
        var out = CollectionChanges()
        if edit.removed.isEmpty, edit.added.isEmpty { return (rows, out) }
        let rest = rows.removing(edit.removed)
        let added = after.sorted(edit.added) { $0.key }
        let ranks = added.map { after.rank(of: $0.key, in: rest) }
        // As many rows as possible remain at their places, with the same neighbours and in the same order.
        var candidates: [(place: Int, from: Int)] = []
        for (i, row) in added.enumerated() {
            guard let from = row.from, from - edit.removed.partitionIndex({ $0 < from }) == ranks[i] else { continue }
            candidates.append((i, from))
        }
        let run = SequenceDifference.risingRun(candidates.map(\.from))
        let stay = Set(run.map { candidates[$0].from })
        let stayPlaces = Set(run.map { candidates[$0].place })
        out.deletions = stay.isEmpty ? edit.removed : edit.removed.filter { !stay.contains($0) }
        for i in added.indices where !stayPlaces.contains(i) { out.insertions.append(ranks[i] + i) }
        let next = rest.inserting(zip(ranks, added).map { (position: $0, key: $1.key) })
        return (next, out)
    }

    private func edit(_ touched: ObservedPlan.Touched) -> Edit {
        var edit = Edit()
        let node = Planner(view: new).node(Pipeline(plan.query).predicate, plan.query.table)
        for key in touched.deleted {
            if let i = before.position(of: key, in: rows) { edit.removed.append(i) }
        }
        var isOrdered = touched.ordered[...]
        for key in merged(touched.tested, with: touched.ordered) {
            while let first = isOrdered.first, first < key { isOrdered.removeFirst() }
            let mayMove = isOrdered.first == key
            let place = before.position(of: key, in: rows)
            switch (place, node.test(key)) {
            case (nil, false): break
            case (nil, true): edit.added.append((key, nil))
            case (let place?, false): edit.removed.append(place)
            case (let place?, true):
                guard mayMove else { continue }
                edit.removed.append(place)
                edit.added.append((key, place))
            }
        }
        for key in touched.inserted where node.test(key) { edit.added.append((key, nil)) }
        edit.removed.sort()
        return edit
    }

    private func merged(_ a: [ObjectKey], with b: [ObjectKey]) -> [ObjectKey] {
        if b.isEmpty { return a }
        if a.isEmpty { return b }
        var all = a + b
        all.sortUnique()
        return all
    }
}
