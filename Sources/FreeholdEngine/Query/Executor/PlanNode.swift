/// A part of a predicate, prepared for a view.
///
/// `fill` writes a byte for each of a cluster's first `n` slots, with any value for dead slots. `test` returns the result for one live object. A node
/// is used by one thread.
class PlanNode {
    let view: DataView

    init(view: DataView) { self.view = view }

    /// The estimated time for a row, in tenths of nanoseconds. Cheap conditions run first.
    var cost: Int { 0 }

    func fill(_ cluster: Int, _ mask: Mask, count n: Int) { fatalError("abstract") }
    func test(_ key: ObjectKey) -> Bool { fatalError("abstract") }

    /// Clears the bytes of slots that don't match.
    /// - Parameter scratch: memory for a second mask.
    func narrow(_ cluster: Int, _ mask: Mask, count n: Int, scratch: Mask) {
        fill(cluster, scratch, count: n)
        MaskKernels.and(mask, with: scratch, count: n)
    }

    /// The result if it is the same for all objects, and `nil` otherwise.
    var constant: Bool? { nil }
}

final class ConstantNode: PlanNode {
    let value: Bool

    init(view: DataView, _ value: Bool) {
        self.value = value
        super.init(view: view)
    }

    override var constant: Bool? { value }
    override func fill(_ cluster: Int, _ mask: Mask, count n: Int) { MaskKernels.set(mask, count: n, to: value) }
    override func test(_ key: ObjectKey) -> Bool { value }
}

/// The memory for masks of one cluster.
final class MaskBuffer {
    let mask: Mask

    init(span: Int) { mask = .allocate(capacity: (span + 63) & ~63 + 64) }
    deinit { mask.deallocate() }
}

/// A combination of several conditions, with the cheapest first.
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
    override func fill(_ cluster: Int, _ mask: Mask, count n: Int) {
        children[0].fill(cluster, mask, count: n)
        for child in children.dropFirst() {
            if MaskKernels.isEmpty(mask, n) { return }
            child.narrow(cluster, mask, count: n, scratch: scratch.mask)
        }
    }

    override func test(_ key: ObjectKey) -> Bool { children.allSatisfy { $0.test(key) } }
}

final class OrNode: CombinedNode {
    override func fill(_ cluster: Int, _ mask: Mask, count n: Int) {
        children[0].fill(cluster, mask, count: n)
        for child in children.dropFirst() {
            child.fill(cluster, scratch.mask, count: n)
            MaskKernels.or(mask, with: scratch.mask, count: n)
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

    override func fill(_ cluster: Int, _ mask: Mask, count n: Int) {
        child.fill(cluster, mask, count: n)
        MaskKernels.complement(mask, n)
    }

    override func test(_ key: ObjectKey) -> Bool { !child.test(key) }
}

/// A condition without a kernel, which is tested for each live row.
class RowsNode: PlanNode {
    let table: Table

    init(view: DataView, table: Table) {
        self.table = table
        super.init(view: view)
    }

    override var cost: Int { 2000 }

    override final func fill(_ cluster: Int, _ mask: Mask, count n: Int) {
        let presence = view.presence(table, cluster: cluster)
        let first = Int64(cluster * view.clusterSpan)
        for slot in 0..<n {
            let isLive = presence.map { LeafEncoder.bit($0, slot) } ?? true
            mask[slot] = isLive && test(ObjectKey(first + Int64(slot))) ? 1 : 0
        }
    }

    override final func narrow(_ cluster: Int, _ mask: Mask, count n: Int, scratch: Mask) {
        let presence = view.presence(table, cluster: cluster)
        let first = Int64(cluster * view.clusterSpan)
        MaskKernels.forEach(mask, count: n) { slot in
            let isLive = presence.map { LeafEncoder.bit($0, slot) } ?? true
            if !isLive || !test(ObjectKey(first + Int64(slot))) { mask[slot] = 0 }
        }
    }
}

/// A node that calls a closure for each row.
final class RowNode: RowsNode {
    private let condition: (ObjectKey) -> Bool

    init(view: DataView, table: Table, _ condition: @escaping (ObjectKey) -> Bool) {
        self.condition = condition
        super.init(view: view, table: table)
    }

    override func test(_ key: ObjectKey) -> Bool { condition(key) }
}
