import FreeholdEngine

extension FileNodes {
    /// The leaves of a collection's tree, in order.
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
        // Copied, since the node's address doesn't outlive what the body may do.
        var children: [UInt64] = []
        for i in 1..<(node.count - 1) {
            guard let child = node.ref(i) else {
                throw .damaged("a tree has no child where one should be", at: node.offset)
            }
            children.append(child)
        }
        for child in children { try forEachLeaf(child, depth: depth + 1, body) }
    }

    /// The entries of a dictionary, in the file's order.
    ///
    /// - Parameter keysAreOld: whether it is laid out as until format 22: a table with a column of keys and one of values.
    func dictionary(
        _ ref: UInt64?,
        depth: Int,
        keysAreOld: Bool
    ) throws(RealmFileError) -> [(key: String, value: Value)] {
        guard let ref else { return [] }
        try checkNesting(depth, at: ref)
        let form = LeafForm(type: .string, isNullable: false)
        var keys: [Value] = []
        var values: [Value] = []
        if keysAreOld {
            try forEachCluster(ref) { (cluster) throws(RealmFileError) in
                let n = cluster.keys.count
                try read(try cluster.column(0), form, expected: n, into: &keys)
                try readMixed(try cluster.column(1), depth: depth, expected: n, into: &values)
            }
        } else {
            let node = try refs(ref)
            if let keysRef = node.ref(0) {
                try forEachLeaf(keysRef) { (leaf) throws(RealmFileError) in
                    try read(leaf, form, expected: nil, into: &keys)
                }
            }
            if let valuesRef = node.ref(1) {
                try forEachLeaf(valuesRef) { (leaf) throws(RealmFileError) in
                    try readMixed(leaf, depth: depth, expected: nil, into: &values)
                }
            }
        }
        guard keys.count == values.count else {
            throw .damaged("a dictionary has \(keys.count) keys and \(values.count) values", at: Int(clamping: ref))
        }
        return zip(keys, values).map { key, value in
            if case .string(let name) = key { (name, value) } else { ("", value) }
        }
    }
}
