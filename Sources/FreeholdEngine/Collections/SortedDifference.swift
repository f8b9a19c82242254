/// What makes one sorted collection out of another.
struct SortedDifference {
    /// In the order in which they are made; positions are those at that moment.
    private(set) var edits: [ListEdit.Operation] = []
    /// Of the old collection: elements that are gone or replaced.
    private(set) var removed: [Int] = []
    /// Of the new one: elements that are new or replace one.
    private(set) var added: [Int] = []

    /// Over this many edits a change is told as one of everything.
    static let limit = 1000

    /// - Parameters:
    ///   - order: −1, 0 or 1: an old element against a new one.
    ///   - isSame: whether an old and a new element that stand at the same place are the same.
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

    /// The edits, each with the old elements that it takes out or replaces.
    var editsWithRemoved: [(edit: ListEdit.Operation, removed: ArraySlice<Int>)] {
        var at = 0
        return edits.map { edit in
            let count =
                switch edit {
                case .remove(_, let count): count
                case .set: 1
                case .insert, .move, .clear: 0
                }
            // Where everything is replaced, nobody asks what went.
            defer { at = min(removed.count, at + count) }
            return (edit, removed[at..<min(removed.count, at + count)])
        }
    }

    /// Returns whether making the edits one by one costs less than storing the new collection.
    func isSmall(in count: Int) -> Bool {
        edits.count <= 16 && count > 1000 && (removed.count + added.count) * 8 < count
    }
}
