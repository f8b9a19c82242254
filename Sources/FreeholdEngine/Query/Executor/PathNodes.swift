/// The object itself is in a set.
final class ObjectNode: PlanNode {
    private let make: () -> KeySet
    private lazy var set = make()

    init(view: DataView, _ make: @escaping () -> KeySet) {
        self.make = make
        super.init(view: view)
    }

    override var cost: Int { 50 }

    override func fill(_ cluster: Int, _ mask: Mask, _ n: Int) {
        set.fill(mask, first: cluster * view.clusterSpan + 1, n)
    }

    override func test(_ key: ObjectKey) -> Bool { set.contains(key) }
}

/// The target of a single link matches: the set of matching targets is made once.
final class LinkNode: ColumnScan {
    private let target: PlanNode
    private let table: Table
    private let matchesNoLink: Bool
    private lazy var set: KeySet = {
        let set = KeySet(table, in: view)
        TableScan(view: view, table: table, node: target).forEachKey { set.insert($0) }
        if matchesNoLink { set.insert(stored: 0) }
        return set
    }()

    init(view: DataView, column: Column, table: Table, target: PlanNode, matchesNoLink: Bool) {
        self.target = target
        self.table = table
        self.matchesNoLink = matchesNoLink
        // Decides what slots without a stored value give: no link.
        let condition = ValueTest(matchesNoLink ? .comparison(.equal, .null) : .oneOf([]))
        super.init(view: view, column: column, condition: condition)
    }

    override var cost: Int { 60 + target.cost }

    override func fillValues(_ leaf: Leaf, _ mask: Mask, _ n: Int) { set.fill(mask, leaf: leaf, n) }

    override func test(_ key: ObjectKey) -> Bool {
        guard case .link(let link) = view.value(column, key) else { return matchesNoLink }
        return target.test(link)
    }
}

/// A node's matching objects of a table.
struct TableScan {
    let view: DataView
    let table: Table
    let node: PlanNode

    /// Runs over the clusters that hold objects. The mask has a byte for each of the `n` first slots: 1 = a live
    /// object that matches.
    func forEachCluster(_ body: (_ cluster: Int, _ mask: Mask, _ n: Int) -> Bool) {
        let buffer = MaskBuffer(span: view.clusterSpan)
        for cluster in 0..<view.clusterCount(table) {
            let live = view.liveCount(table, cluster: cluster)
            if live == 0 { continue }
            let presence = view.presence(table, cluster: cluster)
            let n = presence == nil ? live : view.clusterSpan
            node.fill(cluster, buffer.mask, n)
            if let presence { MaskKernels.and(buffer.mask, bits: presence, n) }
            if !body(cluster, buffer.mask, n) { return }
        }
    }

    func forEachKey(_ body: (ObjectKey) -> Void) {
        let span = Int64(view.clusterSpan)
        forEachCluster { cluster, mask, n in
            let first = Int64(cluster) &* span
            MaskKernels.forEach(mask, n) { body(ObjectKey(first &+ Int64($0))) }
            return true
        }
    }

    func count() -> Int {
        if let constant = node.constant {
            guard constant else { return 0 }
            return (0..<view.clusterCount(table)).reduce(0) { $0 + view.liveCount(table, cluster: $1) }
        }
        var total = 0
        forEachCluster { _, mask, n in
            total &+= MaskKernels.count(mask, n)
            return true
        }
        return total
    }

    func keys() -> [ObjectKey] {
        var keys: [ObjectKey] = []
        if node.constant == true { keys.reserveCapacity(count()) }
        forEachKey { keys.append($0) }
        return keys
    }

    func first() -> ObjectKey? {
        var found: ObjectKey?
        forEachCluster { cluster, mask, n in
            for slot in 0..<n where mask[slot] != 0 {
                found = ObjectKey(Int64(cluster * view.clusterSpan + slot))
                return false
            }
            return true
        }
        return found
    }
}
