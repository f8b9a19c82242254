/// The elements of a collection during a sequence of edits by position.
struct EditedPositions {
    /// A run of neighbouring elements with the same history.
    private struct Run {
        /// The position of the first element in the old collection, or `nil` for new elements.
        var old: Int?
        var count: Int
        var isModified = false
    }

    /// The maximum number of runs. If there are more, the collections are compared instead.
    private static let limit = 4096

    private var runs: [Run]
    /// A Boolean value that indicates whether there were too many edits, or the edits don't fit the collection.
    private(set) var isLost = false

    /// The present number of elements.
    private(set) var count: Int

    /// - Parameter count: the number of elements of the old collection.
    init(count: Int) {
        runs = count == 0 ? [] : [Run(old: 0, count: count)]
        self.count = count
    }

    mutating func apply(_ edit: ListEdit.Operation) {
        if isLost { return }
        switch edit {
        case .insert(let at, let count): insert(at: at, count: count)
        case .remove(let at, let count): remove(at: at, count: count)
        case .set(let at): set(at)
        case .move(let from, let to):
            if from == to { return }
            remove(at: from, count: 1)
            insert(at: to, count: 1)
        case .clear:
            runs = []
            count = 0
        }
        if runs.count > Self.limit { isLost = true }
    }

    /// Returns the run that begins at a position of 0...count. If necessary, a run is divided at the position.
    private mutating func run(at position: Int) -> Int {
        var start = 0
        for i in runs.indices {
            if start == position { return i }
            let end = start + runs[i].count
            if position < end {
                let front = position - start
                var back = runs[i]
                back.old = back.old.map { $0 + front }
                back.count -= front
                runs[i].count = front
                runs.insert(back, at: i + 1)
                return i + 1
            }
            start = end
        }
        return runs.count
    }

    // The positions and counts of a damaged record can have any value.

    private mutating func insert(at: Int, count added: Int) {
        let (sum, overflows) = count.addingReportingOverflow(added)
        guard !isLost, at >= 0, at <= count, added >= 0, !overflows else { return lose() }
        if added == 0 { return }
        let i = run(at: at)
        if i > 0, runs[i - 1].old == nil {
            runs[i - 1].count += added
        } else {
            runs.insert(Run(old: nil, count: added), at: i)
        }
        count = sum
    }

    private mutating func remove(at: Int, count removed: Int) {
        guard at >= 0, at <= count, removed >= 0, removed <= count - at else { return lose() }
        if removed == 0 { return }
        let first = run(at: at)
        runs.removeSubrange(first..<run(at: at + removed))
        count -= removed
    }

    private mutating func set(_ at: Int) {
        guard at >= 0, at < count else { return lose() }
        let first = run(at: at)
        _ = run(at: at + 1)
        runs[first].isModified = true
    }

    private mutating func lose() { isLost = true }

    /// - Parameter oldCount: the number of elements of the old collection.
    func changes(_ oldCount: Int) -> CollectionChanges {
        var out = CollectionChanges()
        var oldAt = 0
        var newAt = 0
        for run in runs {
            defer { newAt += run.count }
            guard let old = run.old else {
                out.insertions += newAt..<newAt + run.count
                continue
            }
            out.deletions += oldAt..<old
            oldAt = old + run.count
            guard run.isModified else { continue }
            out.modifications += old..<old + run.count
            out.modificationsNew += newAt..<newAt + run.count
        }
        out.deletions += oldAt..<oldCount
        return out
    }
}
