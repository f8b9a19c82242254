/// The objects of a table that meet a condition. The objects are checked one by one, until a set of all matches is cheaper.
final class TargetSet {
    let view: DataView
    let table: Table
    let node: PlanNode
    private var made: KeySet?
    /// The number of objects that were checked one by one.
    private var lookups = 0
    private lazy var limit = max(16, view.count(table) / 8)

    init(view: DataView, table: Table, node: PlanNode) {
        self.view = view
        self.table = table
        self.node = node
    }

    func contains(_ key: ObjectKey) -> Bool {
        if let made { return made.contains(key) }
        lookups += 1
        guard lookups > limit else { return node.test(key) }
        return set.contains(key)
    }

    /// Returns the set, or `nil` if it costs more than checking this number of objects one by one.
    func set(for lookups: Int) -> KeySet? {
        if let made { return made }
        if self.lookups + lookups <= limit {
            self.lookups += lookups
            return nil
        }
        return set
    }

    var set: KeySet {
        if let made { return made }
        let set = KeySet(table, in: view)
        TableScan(view: view, table: table, node: node).forEachKey { set.insert($0) }
        made = set
        return set
    }
}

/// A node that tests whether the object itself is in a set.
final class ObjectNode: PlanNode {
    private let make: () -> KeySet
    private let contains: ((ObjectKey) -> Bool)?
    private lazy var set = make()

    /// - Parameters:
    ///   - contains: returns the result for one object without the set.
    ///   - make: returns the set of all matching objects.
    init(view: DataView, contains: ((ObjectKey) -> Bool)? = nil, _ make: @escaping () -> KeySet) {
        self.make = make
        self.contains = contains
        super.init(view: view)
    }

    override var cost: Int { 50 }

    override func fill(_ cluster: Int, _ mask: Mask, count n: Int) {
        set.fill(mask, first: cluster * view.clusterSpan + 1, n)
    }

    override func test(_ key: ObjectKey) -> Bool { contains?(key) ?? set.contains(key) }
}

/// A node that tests whether the target of a single link matches.
final class LinkNode: ColumnScan {
    private let targets: TargetSet
    private let matchesNoLink: Bool
    private let table: Table

    init(view: DataView, column: Column, targets: TargetSet, matchesNoLink: Bool) {
        self.targets = targets
        self.matchesNoLink = matchesNoLink
        table = view.schema.table(of: column)
        // Slots without a stored value have no link.
        let condition = ValueTest(matchesNoLink ? .comparison(.equal, .null) : .oneOf([]))
        super.init(view: view, column: column, condition: condition)
    }

    override var cost: Int { 60 + targets.node.cost }

    override func fill(_ cluster: Int, _ mask: Mask, count n: Int) {
        if targets.set(for: n) != nil { return super.fill(cluster, mask, count: n) }
        let presence = view.presence(table, cluster: cluster)
        let first = Int64(cluster * view.clusterSpan)
        for slot in 0..<n {
            let isLive = presence.map { LeafEncoder.bit($0, slot) } ?? true
            mask[slot] = isLive && test(ObjectKey(first + Int64(slot))) ? 1 : 0
        }
    }

    override func fillValues(_ leaf: Leaf, _ mask: Mask, count n: Int) {
        targets.set.fill(mask, leaf: leaf, matchesNoLink: matchesNoLink, n)
    }

    override func test(_ key: ObjectKey) -> Bool {
        view.readLink(column, key).map { targets.node.test($0) } ?? matchesNoLink
    }
}

/// A scan for the objects of a table that match a node.
struct TableScan {
    let view: DataView
    let table: Table
    let node: PlanNode

    /// Calls `body` for each cluster that contains objects. The mask has a byte for each of the first `n` slots. The byte is 1 for a live object that
    /// matches.
    func forEachCluster(_ body: (_ cluster: Int, _ mask: Mask, _ n: Int) -> Bool) {
        let buffer = MaskBuffer(span: view.clusterSpan)
        for cluster in 0..<view.clusterCount(table) {
            let live = view.liveCount(table, cluster: cluster)
            if live == 0 { continue }
            if WorkLimit.cutsHere { return }
            let presence = view.presence(table, cluster: cluster)
            let n = presence == nil ? live : view.clusterSpan
            node.fill(cluster, buffer.mask, count: n)
            if let presence { MaskKernels.and(buffer.mask, bits: presence, n) }
            if !body(cluster, buffer.mask, n) { return }
        }
    }

    func forEachKey(_ body: (ObjectKey) -> Void) {
        let span = Int64(view.clusterSpan)
        forEachCluster { cluster, mask, n in
            let first = Int64(cluster) &* span
            MaskKernels.forEach(mask, count: n) { body(ObjectKey(first &+ Int64($0))) }
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
