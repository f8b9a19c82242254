/// A cursor that visits the objects of a table in key order and reads some of their columns directly from the leaves.
///
/// ```swift
/// var rows = RowCursor(people, columns: [name, age], in: snapshot)
/// while rows.next() { total += rows.int(1) ?? 0 }
/// ```
/// The view must remain alive, and a write transaction unchanged, while the cursor is used. The result of reading a value of a type other than the
/// column's is undefined. Only one thread at a time may use it.
public struct RowCursor {
    private let view: DataView
    private let table: Table
    private let columns: [Column]
    private let clusterCount: Int
    private var cluster = -1
    private var slot = -1
    private var end = 0
    private var bits: UnsafePointer<UInt64>?
    /// The columns' leaves in the cluster, or `nil` if a leaf isn't stored or is split.
    private let leaves: LeafRow

    private final class LeafRow {
        let pointers: UnsafeMutablePointer<UnsafeRawPointer?>
        init(_ count: Int) {
            pointers = .allocate(capacity: max(count, 1))
            pointers.initialize(repeating: nil, count: max(count, 1))
        }
        deinit { pointers.deallocate() }
    }

    public init(_ table: Table, columns: [Column], in view: DataView) {
        self.view = view
        self.table = table
        self.columns = columns
        clusterCount = view.clusterCount(table)
        leaves = LeafRow(columns.count)
    }

    /// The key of the current object.
    public var key: ObjectKey { ObjectKey(Int64(cluster &* view.clusterSpan &+ slot)) }

    /// Moves to the next object.
    /// - Returns: false at the end.
    @inline(__always)
    public mutating func next() -> Bool {
        slot &+= 1
        if slot < end, bits == nil { return true }
        return advance()
    }

    @inline(never)
    private mutating func advance() -> Bool {
        while true {
            if let bits {
                while slot < end {
                    if PresenceBits.test(bits, slot) { return true }
                    slot += 1
                }
            } else if slot < end {
                return true
            }
            cluster += 1
            guard cluster < clusterCount else { return false }
            slot = 0
            bits = view.presence(table, cluster: cluster)
            end = bits == nil ? view.liveCount(table, cluster: cluster) : view.clusterSpan
            guard end > 0 else { continue }
            for i in columns.indices {
                let address = view.leaf(columns[i], cluster: cluster)
                leaves.pointers[i] = address.flatMap { Leaf($0).isSplit ? nil : $0 }
            }
        }
    }

    @inline(__always)
    private func leaf(_ i: Int) -> Leaf? {
        guard let address = leaves.pointers[i] else { return nil }
        let leaf = Leaf(address)
        return slot < leaf.count ? leaf : nil
    }

    /// Returns the i-th column's integer, or `nil` for null.
    @inline(__always)
    public func int(_ i: Int) -> Int64? {
        guard let leaf = leaf(i) else { return view.readInt(columns[i], key) }
        return leaf.isNull(slot) ? nil : leaf.int(slot)
    }

    @inline(__always)
    public func double(_ i: Int) -> Double? {
        guard let leaf = leaf(i) else { return view.readDouble(columns[i], key) }
        return leaf.isNull(slot) ? nil : leaf.double(slot)
    }

    @inline(__always)
    public func bool(_ i: Int) -> Bool? {
        guard let leaf = leaf(i) else { return view.readBool(columns[i], key) }
        return leaf.isNull(slot) ? nil : leaf.bool(slot)
    }

    @inline(__always)
    public func link(_ i: Int) -> ObjectKey? {
        guard let leaf = leaf(i) else { return view.readLink(columns[i], key) }
        return leaf.link(slot)
    }

    /// Calls `body` with the bytes of the i-th column's string or data, or with `nil` for null.
    @inline(__always)
    public func withBytes<R>(_ i: Int, _ body: (UnsafeRawBufferPointer?) -> R) -> R {
        guard let leaf = leaf(i), !leaf.isReference(slot) else { return view.withBytes(columns[i], key, body: body) }
        return body(leaf.isNull(slot) ? nil : leaf.bytes(slot))
    }

    public func string(_ i: Int) -> String? {
        withBytes(i) { bytes in bytes.map { String(decoding: $0, as: UTF8.self) } }
    }

    public func value(_ i: Int) -> Value { view.value(columns[i], key) }
}
