/// The fewest moves that bring a list's elements into another order.
///
/// The elements are given in groups that stay together, so that the cost depends on the number of groups and of moves, and not on that of elements.
struct ListMoves {
    /// By rising positions in the old list, the numbers of elements of each group.
    private let counts: [Int]
    /// The groups in the new order.
    private let order: [Int]

    /// One move: `to` is the position that the element has afterwards.
    struct Move: Equatable {
        let from: Int
        let to: Int
    }

    /// - Parameters:
    ///   - counts: the numbers of elements of groups, in their old order.
    ///   - order: the groups in their new order, each once.
    init(counts: [Int], order: [Int]) {
        precondition(counts.count == order.count)
        (self.counts, self.order) = (counts, order)
    }

    /// The moves, one after the other.
    ///
    /// - Complexity: O((*g* + *m*) log *g*) for *g* groups and *m* moves
    var moves: [Move] {
        let fixed = heaviestRise
        // What stands in the list, by where its group stood: fixed groups with what was put behind them, and what is still to be moved.
        var (settled, waiting) = (PrefixSums(counts.count), PrefixSums(counts.count))
        for group in counts.indices {
            if fixed[group] { settled.add(counts[group], at: group) } else { waiting.add(counts[group], at: group) }
        }
        var moves: [Move] = []
        /// The fixed group behind which moved elements come. Nil at the list's start.
        var anchor: Int?
        /// The number of elements that were moved to the list's start, and of those in front of the place of the next one.
        var (atStart, done) = (0, 0)
        for group in order {
            guard !fixed[group] else {
                (anchor, done) = (group, done + counts[group])
                continue
            }
            for _ in 0..<counts[group] {
                let from = atStart + settled.sum(before: group) + waiting.sum(before: group)
                waiting.add(-1, at: group)
                let to = done + (anchor.map { waiting.sum(before: $0) } ?? 0)
                if let anchor { settled.add(1, at: anchor) } else { atStart += 1 }
                done += 1
                if from != to { moves.append(Move(from: from, to: to)) }
            }
        }
        return moves
    }

    /// Which groups stay: those of a rising subsequence with the most elements.
    private var heaviestRise: [Bool] {
        /// For each group, the group before it in a rise with the most elements.
        var previous = [Int](repeating: -1, count: counts.count)
        var best = PrefixGreatest(counts.count)
        for group in order {
            let (sum, last) = best.greatest(before: group)
            previous[group] = last
            best.raise(to: sum + counts[group], group, at: group)
        }
        var fixed = [Bool](repeating: false, count: counts.count)
        var group = best.greatest(before: counts.count).group
        while group >= 0 {
            fixed[group] = true
            group = previous[group]
        }
        return fixed
    }
}

/// Numbers whose sums up to a place are known in O(log *n*).
private struct PrefixSums {
    private var tree: [Int]

    init(_ count: Int) { tree = Array(repeating: 0, count: count + 1) }

    mutating func add(_ number: Int, at index: Int) {
        var index = index + 1
        while index < tree.count {
            tree[index] += number
            index += index & -index
        }
    }

    func sum(before index: Int) -> Int {
        var (index, sum) = (index, 0)
        while index > 0 {
            sum += tree[index]
            index -= index & -index
        }
        return sum
    }
}

/// Numbers of which the greatest up to a place is known in O(log *n*). None is ever lowered.
private struct PrefixGreatest {
    private var tree: [(number: Int, group: Int)]

    init(_ count: Int) { tree = Array(repeating: (0, -1), count: count + 1) }

    mutating func raise(to number: Int, _ group: Int, at index: Int) {
        var index = index + 1
        while index < tree.count {
            if number > tree[index].number { tree[index] = (number, group) }
            index += index & -index
        }
    }

    func greatest(before index: Int) -> (number: Int, group: Int) {
        var (index, greatest) = (index, (number: 0, group: -1))
        while index > 0 {
            if tree[index].number > greatest.number { greatest = tree[index] }
            index -= index & -index
        }
        return greatest
    }
}
