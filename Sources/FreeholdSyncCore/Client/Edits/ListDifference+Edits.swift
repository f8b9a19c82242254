extension ListDifference {
    /// Returns the difference as edits of a list of which only the length is known. Returns `nil` if the difference
    /// edits the inside of elements, because such edits need the elements themselves.
    ///
    /// - Throws: `MisfitUpdate` if the difference doesn't fit a list of that length.
    /// - Complexity: O(*p* log *p*) for *p* pieces, O(log *p*) for each moved element, and O(new elements)
    func edits(of place: LocalPlace, length: Int) throws -> [LocalEdit]? {
        var sets: [(index: Int, value: SyncValue)] = []
        for edit in self.edits {
            guard case .whole(.value(let value)) = edit.content else { return nil }
            switch value {
            case .list, .dictionary, .embedded: return nil
            default: sets.append((edit.index, value))
            }
        }
        let kept = try kept(of: length)
        var edits: [LocalEdit] = []
        var end = length
        for range in kept.reversed() {
            if range.upperBound < end {
                edits.append(.remove(place, at: range.upperBound, count: end - range.upperBound))
            }
            end = range.lowerBound
        }
        if end > 0 { edits.append(.remove(place, at: 0, count: end)) }

        var order: [Int] = []
        var inserts: [LocalEdit] = []
        var new: [MergedContent] = []
        var index = 0
        func insert() {
            guard !new.isEmpty else { return }
            inserts.append(.insert(place, at: index, new))
            index += new.count
            new = []
        }
        for piece in pieces {
            switch piece {
            case .kept(_, 0): break
            case .kept(let start, let count):
                insert()
                order.append(kept.partitioned { $0.lowerBound >= start })
                index += count
            case .new(let run): for element in run.elements { new.append(try MergedContent(element)) }
            }
        }
        insert()
        for move in ListMoves(counts: kept.map(\.count), order: order).moves {
            edits.append(.move(place, from: move.from, to: move.to))
        }
        edits += inserts
        let newLength = newLength
        for (index, value) in sets {
            guard 0..<newLength ~= index else { throw MisfitUpdate() }
            edits.append(.set(place.element(index), .value(value), .real))
        }
        return edits
    }

    /// The number of elements of the new list.
    private var newLength: Int {
        pieces.reduce(0) { length, piece in
            switch piece {
            case .kept(_, let count): length + count
            case .new(let run): length + run.elements.count
            }
        }
    }
}
