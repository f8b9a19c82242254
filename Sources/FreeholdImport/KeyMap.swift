import FreeholdEngine

/// The new keys of a class's objects by their old keys. Both are ascending, so runs of neighbouring keys are stored as
/// one entry.
///
/// If the old keys are scattered (until format 22 they are hashes of primary keys), each object has its own run. Blocks
/// of runs are then written to a scratch file, and only the first run and the position of each block stay in memory.
/// The new keys of such objects are usually consecutive, so most blocks in the file contain only the old keys.
final class KeyMap {
    struct Run {
        let old: Int64
        let new: Int64
        var count: Int64
    }

    private struct Block {
        let first: Run
        let place: Int
        /// A Boolean value that indicates whether the runs have one object each and consecutive new keys. The file then
        /// contains only their old keys.
        let isDense: Bool
    }

    private let scratch: ScratchFile
    private let memory: Int
    /// The number of runs of a block.
    private let blockRuns: Int
    /// All runs, or the last runs if blocks are in the file.
    private var runs: [Run] = []
    private var blocks: [Block] = []

    /// Creates a map.
    ///
    /// - Parameters:
    ///   - memory: The number of runs that are kept in memory.
    ///   - blockRuns: The number of runs of a block.
    init(_ scratch: ScratchFile, memory: Int, blockRuns: Int) {
        self.scratch = scratch
        self.memory = memory
        self.blockRuns = blockRuns
    }

    /// - Precondition: Both keys are greater than all earlier ones.
    func append(old: Int64, new: ObjectKey) {
        if let last = runs.indices.last, runs[last].old &+ runs[last].count == old,
            runs[last].new + runs[last].count == new.raw
        {
            runs[last].count += 1
            return
        }
        if runs.count >= max(memory, 2 * blockRuns) { spill() }
        runs.append(Run(old: old, new: new.raw, count: 1))
    }

    private func spill() {
        let whole = runs.count / blockRuns - 1
        for block in 0..<whole {
            let part = runs[(block * blockRuns)..<((block + 1) * blockRuns)]
            let first = part.first!
            let isDense = part.enumerated().allSatisfy { $1.count == 1 && $1.new == first.new + Int64($0) }
            let place =
                if isDense {
                    part.map(\.old).withUnsafeBytes(scratch.append)
                } else {
                    part.withUnsafeBytes(scratch.append)
                }
            blocks.append(Block(first: first, place: place, isDense: isDense))
        }
        runs.removeFirst(whole * blockRuns)
    }

    /// The new key, or nil if the object doesn't exist.
    ///
    /// - Complexity: O(log runs), and reading one or a few pages of the scratch file.
    subscript(old: Int64) -> ObjectKey? {
        if let first = runs.first, old >= first.old { return runs.withUnsafeBufferPointer { Self.find(old, in: $0) } }
        guard let i = Self.last(blocks.count, { blocks[$0].first.old <= old }) else { return nil }
        let block = blocks[i]
        if block.isDense {
            guard let keys = scratch.values(at: block.place, blockRuns, as: Int64.self),
                let j = Self.last(blockRuns, { keys[$0] <= old }), keys[j] == old
            else { return nil }
            return ObjectKey(block.first.new + Int64(j))
        }
        return scratch.values(at: block.place, blockRuns, as: Run.self).flatMap { Self.find(old, in: $0) }
    }

    private static func find(_ old: Int64, in runs: UnsafeBufferPointer<Run>) -> ObjectKey? {
        guard let i = last(runs.count, { runs[$0].old <= old }) else { return nil }
        let run = runs[i]
        return old - run.old < run.count ? ObjectKey(run.new + (old - run.old)) : nil
    }

    /// Returns the last number below `count` for which the condition is true. It must also be true for all smaller
    /// numbers.
    @inline(__always)
    private static func last(_ count: Int, _ condition: (Int) -> Bool) -> Int? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(middle) { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? low - 1 : nil
    }
}
