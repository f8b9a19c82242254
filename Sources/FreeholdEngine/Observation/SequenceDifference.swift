/// The difference of two sequences as positions to delete and to insert, with as few moves as possible.
package enum SequenceDifference {
    /// Returns the changes. Elements may occur several times.
    ///
    /// - Complexity: O(n), and O(n log n) if many elements have moved.
    package static func changes<T: Hashable>(
        from old: some RandomAccessCollection<T>,
        to new: some RandomAccessCollection<T>
    )
        -> CollectionChanges
    {
        let old = Array(old)
        let new = Array(new)
        var start = 0
        while start < old.count, start < new.count, old[start] == new[start] { start += 1 }
        var oldEnd = old.count
        var newEnd = new.count
        while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
            oldEnd -= 1
            newEnd -= 1
        }
        var out = CollectionChanges()
        if oldEnd == start || newEnd == start {
            out.deletions = Array(start..<oldEnd)
            out.insertions = Array(start..<newEnd)
            return out
        }
        let matches = match(old, in: start..<oldEnd, with: new, in: start..<newEnd)
        let kept = risingRun(matches.map { $0.old })
        var oldAt = start
        var newAt = start
        for i in kept {
            out.deletions += oldAt..<matches[i].old
            out.insertions += newAt..<matches[i].new
            oldAt = matches[i].old + 1
            newAt = matches[i].new + 1
        }
        out.deletions += oldAt..<oldEnd
        out.insertions += newAt..<newEnd
        return out
    }

    /// Returns the changes of keys that are in ascending order in both sequences.
    /// - Complexity: O(n).
    static func changes(rising old: OrderedKeys, _ new: OrderedKeys) -> CollectionChanges {
        let old = old.array
        let new = new.array
        var out = CollectionChanges()
        var i = 0
        var j = 0
        while i < old.count || j < new.count {
            if j == new.count || (i < old.count && old[i] < new[j]) {
                out.deletions.append(i)
                i += 1
            } else if i == old.count || new[j] < old[i] {
                out.insertions.append(j)
                j += 1
            } else {
                i += 1
                j += 1
            }
        }
        return out
    }

    /// Matches the k-th occurrence of an element in one sequence with the k-th in the other, ordered by the position in the new one.
    private static func match<T: Hashable>(_ old: [T], in oldRange: Range<Int>, with new: [T], in newRange: Range<Int>)
        -> [(old: Int, new: Int)]
    {
        var first: [T: Int] = [:]
        first.reserveCapacity(oldRange.count)
        // For each position, the position plus 1 of the element's next occurrence, or 0 if it is the last.
        var following = [Int](repeating: 0, count: oldRange.count)
        for i in oldRange.reversed() {
            following[i - oldRange.lowerBound] = first.updateValue(i + 1, forKey: old[i]) ?? 0
        }
        var out: [(old: Int, new: Int)] = []
        for i in newRange {
            guard let found = first[new[i]], found > 0 else { continue }
            out.append((found - 1, i))
            first[new[i]] = following[found - 1 - oldRange.lowerBound]
        }
        return out
    }

    /// Returns the positions of a longest strictly ascending subsequence.
    package static func risingRun(_ numbers: [Int]) -> [Int] {
        if zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) { return Array(numbers.indices) }
        // For each length of a subsequence, the position of the least number that ends one.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: numbers.count)
        for (i, number) in numbers.enumerated() {
            let length = ends.partitionIndex { numbers[$0] < number }
            if length > 0 { previous[i] = ends[length - 1] }
            if length == ends.count { ends.append(i) } else { ends[length] = i }
        }
        var out: [Int] = []
        var at = ends.last ?? -1
        while at >= 0 {
            out.append(at)
            at = previous[at]
        }
        return out.reversed()
    }
}
