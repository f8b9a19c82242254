/// The keys at consecutive positions of a table.
package struct KeyRun {
    package let count: Int
    private let first: Int64
    /// The keys, or an empty array if they are consecutive numbers.
    private let keys: [ObjectKey]

    package init() { self.init([]) }

    package init(_ keys: [ObjectKey]) {
        self.keys = keys
        count = keys.count
        first = 0
    }

    fileprivate init(first: Int64, count: Int) {
        keys = []
        self.first = first
        self.count = count
    }

    @inline(__always)
    package subscript(i: Int) -> ObjectKey { keys.isEmpty ? ObjectKey(first &+ Int64(i)) : keys[i] }
}

extension DataView {
    /// Returns the keys of the i-th object's cluster, and the position of the first of them. Traps if `i` is out of bounds.
    /// - Complexity: O(log clusters + objects in the cluster).
    package func keyRun(at i: Int, in table: Table) -> (start: Int, keys: KeyRun) {
        let (cluster, start, end) = withPositions(table) { cache in
            precondition(i >= 0 && i < cache.count, "index \(i) of \(cache.count) objects")
            let cluster = cache.cluster(ofIndex: i)
            return (cluster, cache.start(cluster), cache.start(cluster + 1))
        }
        if presence(table, cluster: cluster) == nil {
            return (start, KeyRun(first: Int64(cluster * clusterSpan), count: end - start))
        }
        var keys: [ObjectKey] = []
        forEachKey(table, cluster: cluster) { keys.append($0) }
        return (start, KeyRun(keys))
    }
}
