import CFreeholdLMDB

extension StorageWriter {
    /// Removes all blocks of some segments in one walk through their keys, which also passes the keys of other segments between them.
    ///
    /// - Throws: like `remove`.
    func removeAll(in segments: Set<UInt32>) throws(EngineError) {
        let order = order
        try sweep { (remove) throws(EngineError) in
            for group in Set(segments.map(BlockOrder.group)).sorted() {
                let ofGroup = segments.filter { BlockOrder.group(of: $0) == group }
                if let leaves = order.leaves(ofGroup: group), ofGroup.contains(where: order.isInterleaved) {
                    try remove(leaves, ofGroup)
                }
                for segment in ofGroup.sorted() where !order.isInterleaved(segment) {
                    for keys in order.keys(of: segment) { try remove(keys, [segment]) }
                }
            }
        }
    }
}
