extension CountedTree {
    /// Returns descriptions of the errors in the stored tree, or an empty array for a sound tree. Damaged blocks are reported and never trap.
    ///
    /// The conditions are: every node exists, is well formed, is within its capacity, has the minimum number of entries and is on its level; the
    /// counts match those of the parents and `count`; no chunk is empty; no block occurs twice. The caller has to check the contents of the chunks.
    /// - Complexity: O(chunks).
    func checkInvariants(in store: any BlockStore) -> [String] {
        if root == 0 { return count == 0 ? [] : ["An empty tree is said to hold \(count) elements"] }
        guard let top = CountedTreeNode.View(checking: store.block(segment, root)) else {
            return ["The root \(root) is missing or malformed"]
        }
        var check = Check(tree: self, store: store)
        if top.level > 0 && top.count == 1 { check.problems.append("The root \(root) has one child only") }
        let total = check.visit(root, level: top.level, onEdge: true, isRoot: true)
        if total != count { check.problems.append("The tree holds \(total) elements, not \(count)") }
        return check.problems
    }

    private struct Check {
        let tree: CountedTree
        let store: any BlockStore
        var seen: Set<UInt64> = []
        var problems: [String] = []

        /// Returns the number of elements under the node, from its entries.
        mutating func visit(_ number: UInt64, level: Int, onEdge: Bool, isRoot: Bool) -> Int {
            guard seen.insert(number).inserted else {
                problems.append("Block \(number) stands in two places")
                return 0
            }
            guard let node = CountedTreeNode.View(checking: store.block(tree.segment, number)) else {
                problems.append("Node \(number) is missing or malformed")
                return 0
            }
            guard node.level == level else {
                problems.append("Node \(number) is on level \(node.level), not \(level)")
                return 0
            }
            if node.count > tree.capacity { problems.append("Node \(number) has \(node.count) entries") }
            if node.count < tree.minimumCount && !onEdge && !isRoot {
                problems.append("Node \(number) has \(node.count) entries only")
            }
            var total = 0
            for slot in 0..<node.count {
                let count = node.count(slot)
                total += count
                if count == 0 { problems.append("Entry \(slot) of node \(number) is empty") }
                if level == 0 {
                    if !seen.insert(node.child(slot)).inserted {
                        problems.append("Block \(node.child(slot)) stands in two places")
                    }
                } else {
                    let below = visit(
                        node.child(slot),
                        level: level - 1,
                        onEdge: onEdge && slot == node.count - 1,
                        isRoot: false
                    )
                    if below != count {
                        problems.append("Entry \(slot) of node \(number) says \(count) elements, its node \(below)")
                    }
                }
            }
            return total
        }
    }
}
