import FreeholdEngine

/// The new keys of a class's objects by their old ones: both rise, so that runs of neighbours are kept as one.
struct KeyMap {
    private struct Run {
        let old: Int64
        let new: Int64
        var count: Int64
    }

    private var runs: [Run] = []

    /// - Precondition: both are greater than those before.
    mutating func append(old: Int64, new: ObjectKey) {
        if let last = runs.indices.last, runs[last].old &+ runs[last].count == old,
            runs[last].new + runs[last].count == new.raw
        {
            runs[last].count += 1
        } else {
            runs.append(Run(old: old, new: new.raw, count: 1))
        }
    }

    /// Nil where there is no such object. - Complexity: O(log runs).
    subscript(old: Int64) -> ObjectKey? {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].old <= old { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let run = runs[low - 1]
        return old - run.old < run.count ? ObjectKey(run.new + (old - run.old)) : nil
    }
}
