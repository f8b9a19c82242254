/// A leaf of a table: up to 256 objects, with an array for each column.
///
/// It contains copies, because memory is freed while its objects are read.
struct StoredCluster {
    let offset: Int
    /// The keys of the objects, in ascending order.
    let keys: [Int64]
    private let columns: [UInt64?]

    init(_ node: Node, keys: [Int64]) throws(RealmFileError) {
        guard node.count > 0, node.count <= TreeLimits.columns + 1 else {
            throw .damaged("a table's leaf has \(node.count - 1) columns", at: node.offset)
        }
        offset = node.offset
        self.keys = keys
        columns = (1..<node.count).map { node.ref($0) }
    }

    /// Returns the data of the column at the position.
    func column(_ index: Int) throws(RealmFileError) -> UInt64 {
        guard index < columns.count, let ref = columns[index] else {
            throw .damaged("a table's leaf has no column \(index)", at: offset)
        }
        return ref
    }
}

extension FileNodes {
    /// Calls the body with the leaves of a table's tree, in the order of their keys.
    ///
    /// - Parameter isTable: A Boolean value that indicates whether it is a table of objects, whose keys are never
    ///   negative. The keys of an old dictionary are hashes. If several entries have the same hash, the keys of all but
    ///   the first are negative.
    func forEachCluster(
        _ root: UInt64,
        isTable: Bool = true,
        _ body: (StoredCluster) throws(RealmFileError) -> Void
    ) throws(RealmFileError) {
        var last: Int64? = isTable ? -1 : nil
        try walk(root, offset: 0, depth: 0, &last, body: body)
    }

    private func walk(
        _ ref: UInt64,
        offset: UInt64,
        depth: Int,
        _ last: inout Int64?,
        body: (StoredCluster) throws(RealmFileError) -> Void
    ) throws(RealmFileError) {
        let node = try refs(ref)
        guard node.isInner else {
            try body(try StoredCluster(node, keys: try keys(of: node, offset: offset, last: &last)))
            return
        }
        guard depth < TreeLimits.depth, node.count >= 3 else {
            throw .damaged("a table's tree is too deep, or a node too short", at: node.offset)
        }
        let level = node.number(1) ?? 0
        guard level > 0, level < 8 else { throw .damaged("a table's tree has \(level) levels", at: node.offset) }
        var children: [(ref: UInt64, offset: UInt64)] = []
        let offsets: Node? = if let ref = node.ref(0) { try ints(ref) } else { nil }
        if let offsets, offsets.count < node.count - 3 {
            throw .damaged("a table's tree has too few offsets", at: offsets.offset)
        }
        for i in 0..<(node.count - 3) {
            guard let child = node.ref(i + 3) else { throw .damaged("a table's tree lacks a child", at: node.offset) }
            let own = offsets?.unsigned(i) ?? UInt64(i) << UInt64(8 * level)
            children.append((child, offset &+ own))
        }
        for child in children { try walk(child.ref, offset: child.offset, depth: depth + 1, &last, body: body) }
    }

    private func keys(of node: Node, offset: UInt64, last: inout Int64?) throws(RealmFileError) -> [Int64] {
        var keys: [Int64] = []
        func add(_ key: UInt64) throws(RealmFileError) {
            let sum = Int64(bitPattern: offset &+ key)
            if let before = last {
                guard sum > before else { throw .damaged("a table's objects aren't in order", at: node.offset) }
                last = sum
            }
            keys.append(sum)
        }
        func check(_ count: Int64) throws(RealmFileError) {
            guard count >= 0, count <= Int64(TreeLimits.leafCount) else {
                throw .damaged("a table's leaf has \(count) objects", at: node.offset)
            }
        }
        if let ref = node.ref(0) {
            let stored = try ints(ref)
            try check(Int64(stored.count))
            keys.reserveCapacity(stored.count)
            for i in 0..<stored.count { try add(stored.unsigned(i)) }
        } else {
            let count = node.number(0) ?? 0
            try check(count)
            keys.reserveCapacity(Int(count))
            for i in 0..<UInt64(count) { try add(i) }
        }
        return keys
    }
}
