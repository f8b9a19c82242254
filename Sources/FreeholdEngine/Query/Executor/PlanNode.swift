/// One part of a predicate, ready to run over a view.
///
/// `fill` writes a byte for each of a cluster's first `n` slots, for dead slots any; `test` answers for one live
/// object. A node is used by one thread.
class PlanNode {
    let view: DataView

    init(view: DataView) { self.view = view }

    /// About how long a row takes, in tenths of nanoseconds: cheap conditions go first.
    var cost: Int { 0 }

    func fill(_ cluster: Int, _ mask: Mask, _ n: Int) { fatalError("abstract") }
    func test(_ key: ObjectKey) -> Bool { fatalError("abstract") }

    /// Clears the bytes of slots that don't match. - Parameter scratch: room for another mask.
    func narrow(_ cluster: Int, _ mask: Mask, _ n: Int, _ scratch: Mask) {
        fill(cluster, scratch, n)
        MaskKernels.and(mask, scratch, n)
    }

    /// Nil unless the node holds for all objects or for none.
    var constant: Bool? { nil }
}

final class ConstantNode: PlanNode {
    let value: Bool

    init(view: DataView, _ value: Bool) {
        self.value = value
        super.init(view: view)
    }

    override var constant: Bool? { value }
    override func fill(_ cluster: Int, _ mask: Mask, _ n: Int) { MaskKernels.set(mask, n, value) }
    override func test(_ key: ObjectKey) -> Bool { value }
}

/// Memory for masks of one cluster.
final class MaskBuffer {
    let mask: Mask

    init(span: Int) { mask = .allocate(capacity: (span + 63) & ~63 + 64) }
    deinit { mask.deallocate() }
}

/// Conditions combined into one, the cheapest first.
class CombinedNode: PlanNode {
    let children: [PlanNode]
    let scratch: MaskBuffer

    init(view: DataView, _ children: [PlanNode]) {
        self.children = children.sorted { $0.cost < $1.cost }
        scratch = MaskBuffer(span: view.clusterSpan)
        super.init(view: view)
    }

    override var cost: Int { children.reduce(0) { $0 + $1.cost } }
}

final class AndNode: CombinedNode {
    override func fill(_ cluster: Int, _ mask: Mask, _ n: Int) {
        children[0].fill(cluster, mask, n)
        for child in children.dropFirst() {
            if MaskKernels.isEmpty(mask, n) { return }
            child.narrow(cluster, mask, n, scratch.mask)
        }
    }

    override func test(_ key: ObjectKey) -> Bool { children.allSatisfy { $0.test(key) } }
}

final class OrNode: CombinedNode {
    override func fill(_ cluster: Int, _ mask: Mask, _ n: Int) {
        children[0].fill(cluster, mask, n)
        for child in children.dropFirst() {
            child.fill(cluster, scratch.mask, n)
            MaskKernels.or(mask, scratch.mask, n)
        }
    }

    override func test(_ key: ObjectKey) -> Bool { children.contains { $0.test(key) } }
}

final class NotNode: PlanNode {
    let child: PlanNode

    init(view: DataView, _ child: PlanNode) {
        self.child = child
        super.init(view: view)
    }

    override var cost: Int { child.cost + 1 }

    override func fill(_ cluster: Int, _ mask: Mask, _ n: Int) {
        child.fill(cluster, mask, n)
        MaskKernels.complement(mask, n)
    }

    override func test(_ key: ObjectKey) -> Bool { !child.test(key) }
}

/// What has no kernel: each live row is asked.
class RowsNode: PlanNode {
    let table: Table

    init(view: DataView, table: Table) {
        self.table = table
        super.init(view: view)
    }

    override var cost: Int { 2000 }

    override final func fill(_ cluster: Int, _ mask: Mask, _ n: Int) {
        let presence = view.presence(table, cluster: cluster)
        let first = Int64(cluster * view.clusterSpan)
        for slot in 0..<n {
            let isLive = presence.map { LeafEncoder.bit($0, slot) } ?? true
            mask[slot] = isLive && test(ObjectKey(first + Int64(slot))) ? 1 : 0
        }
    }

    override final func narrow(_ cluster: Int, _ mask: Mask, _ n: Int, _ scratch: Mask) {
        let presence = view.presence(table, cluster: cluster)
        let first = Int64(cluster * view.clusterSpan)
        MaskKernels.forEach(mask, n) { slot in
            let isLive = presence.map { LeafEncoder.bit($0, slot) } ?? true
            if !isLive || !test(ObjectKey(first + Int64(slot))) { mask[slot] = 0 }
        }
    }
}

/// Asks a closure.
final class RowNode: RowsNode {
    private let condition: (ObjectKey) -> Bool

    init(view: DataView, table: Table, _ condition: @escaping (ObjectKey) -> Bool) {
        self.condition = condition
        super.init(view: view, table: table)
    }

    override func test(_ key: ObjectKey) -> Bool { condition(key) }
}
