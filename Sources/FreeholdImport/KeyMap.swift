import FreeholdEngine

/// The new keys of a class's objects by their old ones: both rise, so that runs of neighbours are kept as one.
///
/// Where the old keys are scattered (until format 22 they are hashes of primary keys) there is a run for each object. Blocks of
/// runs then go to a scratch file, and of each block only its first run and place stay in memory. Since the new keys of such objects
/// mostly are neighbours, most blocks there are no more than the old keys.
final class KeyMap {
    struct Run {
        let old: Int64
        let new: Int64
        var count: Int64
    }

    private struct Block {
        let first: Run
        let place: Int
        /// Runs of one object each, with neighbours as new keys: the file has their old keys only.
        let isDense: Bool
    }

    private let scratch: ScratchFile
    private let memory: Int
    /// Runs of a block.
    private let blockRuns: Int
    /// All, or, where blocks are in the file, the last of them.
    private var runs: [Run] = []
    private var blocks: [Block] = []

    /// - Parameters:
    ///   - memory: how many runs are kept in memory.
    ///   - blockRuns: how many make a block.
    init(_ scratch: ScratchFile, memory: Int, blockRuns: Int) {
        self.scratch = scratch
        self.memory = memory
        self.blockRuns = blockRuns
    }

    /// - Precondition: both are greater than those before.
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

    /// Nil where there is no such object. - Complexity: O(log runs), and reading a page or a few of the scratch file.
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

    /// The last number under `count` for which the condition holds, which holds for all before it.
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
