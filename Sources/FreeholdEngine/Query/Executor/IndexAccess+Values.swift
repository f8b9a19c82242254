/// An access to the objects whose value of an indexed column (or of a primary key) is one of given values or in given ranges.
struct ValuesAccess: IndexAccess {
    let view: DataView
    let table: Table
    let tree: IndexTree
    let subject: String
    let index: QueryIndex?
    let values: EncodedValues
    let ranges: [EncodedRange]
    let isExact: Bool
    let estimate: Int

    init(
        view: DataView,
        table: Table,
        tree: IndexTree,
        subject: String,
        index: QueryIndex,
        values: EncodedValues,
        ranges: [EncodedRange],
        isExact: Bool
    ) {
        self.view = view
        self.table = table
        self.tree = tree
        self.subject = subject
        self.index = index
        self.values = values
        self.ranges = ranges
        self.isExact = isExact
        var estimate = 0
        for range in ranges { estimate += range.withBounds { tree.estimate(lower: $0, upper: $1, in: view) } }
        if !values.isEmpty {
            // For many values, the estimate uses a sample.
            let step = max(1, values.count / 12)
            var sampled = 0
            var sum = 0
            for i in stride(from: 0, to: values.count, by: step) {
                sum += values.with(i) { value in
                    let bound = IndexTree.Bound(value, inclusive: true)
                    return tree.estimate(lower: bound, upper: bound, in: view)
                }
                sampled += 1
            }
            estimate += sum * values.count / sampled
        }
        self.estimate = min(estimate, tree.count)
    }

    var operation: QueryPlan.Operation { .index }
    private var isOneRun: Bool { values.count + ranges.count <= 1 && ranges.isEmpty }

    var cost: Double {
        let runs = Double(ranges.count) * 2 + Double(values.count) * 0.4 + 1
        let order = isOneRun ? 0 : AccessCost.order(estimate, keySpace: view.clusterCount(table) * view.clusterSpan)
        return runs * AccessCost.descent + Double(estimate) * AccessCost.entry + order
    }

    func keys() -> [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(estimate)
        tree.forEach(values, in: view) { keys.append(ObjectKey($0)) }
        for range in ranges {
            range.withBounds { lower, upper in
                tree.keys(lower: lower, upper: upper, in: view) { key in
                    keys.append(ObjectKey(key))
                    return true
                }
            }
        }
        if !isOneRun { keys.restoreOrder(in: table, view, isUnique: true) }
        return keys
    }

    func count() -> Int {
        var total = 0
        tree.forEach(values, in: view) { _ in total &+= 1 }
        for range in ranges { total += range.withBounds { tree.count(lower: $0, upper: $1, in: view) } }
        return total
    }
}
