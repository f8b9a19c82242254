/// The edits that turn one sorted collection into another.
struct SortedDifference {
    /// The edits in their order. Positions refer to the state before each edit.
    private(set) var edits: [ListEdit.Operation] = []
    /// The positions in the old collection of removed or replaced elements.
    private(set) var removed: [Int] = []
    /// The positions in the new collection of new or replacing elements.
    private(set) var added: [Int] = []

    /// The number of edits above which a change is reported as the replacement of all elements.
    static let limit = 1000

    /// - Parameters:
    ///   - order: compares an old with a new element and returns −1, 0 or 1.
    ///   - isSame: returns whether an old and a new element with the same order are identical.
    /// - Complexity: O(old + new).
    init(old: Int, new: Int, order: (Int, Int) -> Int, isSame: (Int, Int) -> Bool) {
        var i = 0
        var j = 0
        while i < old || j < new {
            let relation = i == old ? 1 : j == new ? -1 : order(i, j)
            if relation < 0 {
                removed.append(i)
                if case .remove(j, let count)? = edits.last {
                    edits[edits.count - 1] = .remove(at: j, count: count + 1)
                } else {
                    edits.append(.remove(at: j, count: 1))
                }
                i += 1
            } else if relation > 0 {
                added.append(j)
                if case .insert(let at, let count)? = edits.last, at + count == j {
                    edits[edits.count - 1] = .insert(at: at, count: count + 1)
                } else {
                    edits.append(.insert(at: j, count: 1))
                }
                j += 1
            } else {
                if !isSame(i, j) {
                    removed.append(i)
                    added.append(j)
                    edits.append(.set(at: j))
                }
                i += 1
                j += 1
            }
        }
        if edits.count > Self.limit {
            edits = []
            if old > 0 { edits.append(.clear(count: old)) }
            if new > 0 { edits.append(.insert(at: 0, count: new)) }
        }
    }

    /// The edits, each with the positions of the old elements that it removes or replaces.
    var editsWithRemoved: [(edit: ListEdit.Operation, removed: ArraySlice<Int>)] {
        var at = 0
        return edits.map { edit in
            let count =
                switch edit {
                case .remove(_, let count): count
                case .set: 1
                case .insert, .move, .clear: 0
                }
            // If all elements are replaced, the removed elements aren't used.
            defer { at = min(removed.count, at + count) }
            return (edit, removed[at..<min(removed.count, at + count)])
        }
    }

    /// Returns whether the single edits cost less than storing the new collection.
    func isSmall(in count: Int) -> Bool {
        edits.count <= 16 && count > 1000 && (removed.count + added.count) * 8 < count
    }
}
