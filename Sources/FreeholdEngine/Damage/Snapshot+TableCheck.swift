extension Snapshot {
    /// Returns a table's state and the counts of its clusters. The caller holds the fill lock. Returns `nil` if they are damaged.
    func readTable(_ table: Table) -> (TableState, [UInt16])? {
        func withBlock<R>(_ segment: UInt32, _ number: UInt64, body: (UnsafeRawBufferPointer?) -> R?) -> R? {
            do throws(EngineError) {
                return try pin.reader.withBlock(
                    BlockAddress(segment: segment, number: number),
                    pin.envelope,
                    body: body
                )
            } catch {
                return nil
            }
        }
        let found: TableState? = withBlock(table.firstSegment, 0) { block in
            guard let block else { return TableState() }
            return TableState.decode(block)
        }
        guard let state = found, state.isPlausible else { return nil }
        let clusters = (Int(state.nextKey) + clusterSpan - 1) / clusterSpan
        var counts: [UInt16] = []
        counts.reserveCapacity(min(clusters, 1 << 16))
        var live = 0
        while counts.count < clusters {
            let wanted = min(TableCache.clustersPerBlock, clusters - counts.count)
            let number = UInt64(counts.count / TableCache.clustersPerBlock)
            let isSound = withBlock(table.firstSegment + 2, number) { block in
                guard let block, block.count == 2 * wanted else { return false }
                for i in 0..<wanted {
                    let entry = block.loadUnaligned(fromByteOffset: i * 2, as: UInt16.self)
                    let count = Int(entry & ~TableCache.presenceFlag)
                    guard count <= min(clusterSpan, Int(state.nextKey) - counts.count * clusterSpan) else {
                        return false
                    }
                    live += count
                    counts.append(entry)
                }
                return true
            }
            guard isSound == true else { return nil }
        }
        return live == state.count ? (state, counts) : nil
    }

    /// Returns the number of places for a segment's blocks. Memory is allocated for numbers that are in use, and not for the number in a damaged
    /// state. The caller holds the fill lock.
    func placesLocked(_ segment: UInt32, _ next: UInt64) -> Int {
        if next <= 1 << 20 { return Int(next) }
        let last: UInt64?
        do throws(EngineError) { last = try pin.reader.lastNumber(in: segment) } catch { last = nil }
        return Int(min(next, last.map { $0 + 1 } ?? 1))
    }
}
