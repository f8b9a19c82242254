import FreeholdEngine

extension FileNodes {
    /// Calls the body with the leaves of a collection's tree, in order.
    func forEachLeaf(
        _ ref: UInt64,
        depth: Int = 0,
        _ body: (UInt64) throws(RealmFileError) -> Void
    ) throws(RealmFileError) {
        let node = try node(ref)
        guard node.isInner else { return try body(ref) }
        guard depth < TreeLimits.collectionDepth else { throw .damaged("a tree is too deep", at: node.offset) }
        guard node.kind == .bits, node.hasRefs, node.count >= 2 else {
            throw .damaged("a tree's inner node is none", at: node.offset)
        }
        // The children are copied, because the body may invalidate the address of the node.
        var children: [UInt64] = []
        for i in 1..<(node.count - 1) {
            guard let child = node.ref(i) else {
                throw .damaged("a tree has no child where one should be", at: node.offset)
            }
            children.append(child)
        }
        for child in children { try forEachLeaf(child, depth: depth + 1, body) }
    }
}
