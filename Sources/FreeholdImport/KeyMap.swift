import FreeholdEngine

/// The new keys of a class's objects by their old ones: both rise, so that runs of neighbours are kept as one.
///
/// Where the old keys are scattered (until format 22 they are hashes of primary keys) there is a run for each object. Blocks of
/// runs then go to a scratch file, and of each block only the first old key stays in memory.
final class KeyMap {
    struct Run {
        let old: Int64
        let new: Int64
        var count: Int64
    }

    private let scratch: ScratchFile
    private let memory: Int
    /// All, or, where blocks are in the file, the last of them.
    private var runs: [Run] = []
    private var blocks: [(first: Int64, place: Int)] = []

    /// - Parameter memory: how many runs are kept in memory.
    init(_ scratch: ScratchFile, memory: Int) {
        self.scratch = scratch
        self.memory = memory
    }

    /// - Precondition: both are greater than those before.
    func append(old: Int64, new: ObjectKey) {
        if let last = runs.indices.last, runs[last].old &+ runs[last].count == old,
            runs[last].new + runs[last].count == new.raw
        {
            runs[last].count += 1
            return
        }
        if runs.count >= max(memory, 2 * scratch.blockRuns) { spill() }
        runs.append(Run(old: old, new: new.raw, count: 1))
    }

    private func spill() {
        let size = scratch.blockRuns
        let whole = runs.count / size - 1
        for block in 0..<whole {
            let start = block * size
            blocks.append((runs[start].old, scratch.append(runs[start..<(start + size)])))
        }
        runs.removeFirst(whole * size)
    }

    /// Nil where there is no such object. - Complexity: O(log runs), and reading a block of the scratch file.
    subscript(old: Int64) -> ObjectKey? {
        if let first = runs.first, old >= first.old { return Self.find(old, in: runs) }
        guard let i = Self.last(blocks.count, { blocks[$0].first <= old }) else { return nil }
        return Self.find(old, in: scratch.block(at: blocks[i].place))
    }

    private static func find(_ old: Int64, in runs: [Run]) -> ObjectKey? {
        guard let i = last(runs.count, { runs[$0].old <= old }) else { return nil }
        let run = runs[i]
        return old - run.old < run.count ? ObjectKey(run.new + (old - run.old)) : nil
    }

    /// The last number under `count` for which the condition holds, which holds for all before it.
    private static func last(_ count: Int, _ condition: (Int) -> Bool) -> Int? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(middle) { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? low - 1 : nil
    }
}
