/// Computes the smallest number of moves that bring a list's elements into another order.
///
/// The elements are given in groups that keep their inner order. The cost depends on the number of groups and moves,
/// and not on the number of elements.
struct ListMoves {
    /// The number of elements of each group, in the order of the groups in the old list.
    private let counts: [Int]
    /// The indices of the groups, in the order of the new list.
    private let order: [Int]

    /// One move. `to` is the position of the element after the move.
    struct Move: Equatable {
        let from: Int
        let to: Int
    }

    /// - Parameters:
    ///   - counts: The number of elements of each group, in the old order of the groups.
    ///   - order: The indices of the groups in the new order. Each index occurs once.
    init(counts: [Int], order: [Int]) {
        precondition(counts.count == order.count)
        (self.counts, self.order) = (counts, order)
    }

    /// The moves, in the order in which they are applied.
    ///
    /// - Complexity: O((*g* + *m*) log *g*) for *g* groups and *m* moves
    var moves: [Move] {
        let fixed = heaviestRise
        // The number of elements at the old place of each group: `settled` counts fixed groups and the elements that
        // were moved after them, and `waiting` counts the elements that are still to be moved.
        var (settled, waiting) = (PrefixSums(counts.count), PrefixSums(counts.count))
        for group in counts.indices {
            if fixed[group] { settled.add(counts[group], at: group) } else { waiting.add(counts[group], at: group) }
        }
        var moves: [Move] = []
        /// The fixed group after which moved elements are inserted. `nil` at the start of the list.
        var anchor: Int?
        /// The number of elements that were moved to the start of the list, and the number of elements before the place
        /// of the next moved element.
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

    /// For each group, a Boolean value that indicates whether its elements aren't moved. These groups are the rising
    /// subsequence with the most elements.
    private var heaviestRise: [Bool] {
        /// For each group, the group before it in a rising subsequence with the most elements.
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

/// An array of numbers that adds a number at an index, and returns the sum up to an index, in O(log *n*).
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

/// An array of numbers that returns the greatest number before an index in O(log *n*). No number is ever lowered.
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
