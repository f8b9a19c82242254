/// A condition on two columns of strings or data of one object.
final class BytesPairScan: PlanNode {
    typealias Bytes = UnsafeRawBufferPointer

    private let table: Table
    private let a: Column
    private let b: Column
    private let condition: (Bytes?, Bytes?) -> Bool
    private let left: UnsafeMutablePointer<Field>
    private let right: UnsafeMutablePointer<Field>

    /// The position and length of a slot's bytes.
    private struct Field {
        static let null = -1
        static let elsewhere = -2

        var start: UnsafeRawPointer?
        var count: Int

        var bytes: Bytes? { count < 0 ? nil : Bytes(start: start, count: count) }
    }

    /// - Parameter condition: a condition on the bytes of both values, where `nil` stands for null.
    init(view: DataView, table: Table, left a: Column, right b: Column, condition: @escaping (Bytes?, Bytes?) -> Bool) {
        self.table = table
        self.a = a
        self.b = b
        self.condition = condition
        left = .allocate(capacity: view.clusterSpan)
        right = .allocate(capacity: view.clusterSpan)
        super.init(view: view)
    }

    deinit {
        left.deallocate()
        right.deallocate()
    }

    override var cost: Int { 200 }

    override func test(_ key: ObjectKey) -> Bool {
        view.withBytes(a, key) { x in view.withBytes(b, key) { condition(x, $0) } }
    }

    override func fill(_ cluster: Int, _ mask: Mask, count n: Int) {
        read(a, cluster, count: n, into: left)
        read(b, cluster, count: n, into: right)
        let presence = view.presence(table, cluster: cluster)
        let first = Int64(cluster * view.clusterSpan)
        for i in 0..<n {
            if left[i].count == Field.elsewhere || right[i].count == Field.elsewhere {
                let isLive = presence.map { LeafEncoder.bit($0, i) } ?? true
                mask[i] = isLive && test(ObjectKey(first + Int64(i))) ? 1 : 0
            } else {
                mask[i] = condition(left[i].bytes, right[i].bytes) ? 1 : 0
            }
        }
    }

    private func read(_ column: Column, _ cluster: Int, count n: Int, into out: UnsafeMutablePointer<Field>) {
        let ifMissing = Field(start: nil, count: column.isOptional ? Field.null : 0)
        view.forEachLeaf(column, cluster: cluster, count: n) { leaf, start, m in
            let stored = min(leaf?.count ?? 0, m)
            (out + start + stored).initialize(repeating: ifMissing, count: m - stored)
            guard let leaf else { return }
            let area = leaf.bytesArea
            var from = leaf.offset(0)
            for i in 0..<stored {
                let to = leaf.offset(i + 1)
                var field = Field(start: area + from, count: to - from)
                if leaf.isNull(i) {
                    field.count = Field.null
                } else if leaf.isReference(i) {
                    field.count = Field.elsewhere
                }
                out[start + i] = field
                from = to
            }
        }
    }
}
