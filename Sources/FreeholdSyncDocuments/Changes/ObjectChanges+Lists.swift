internal import FreeholdEngine
internal import FreeholdSyncCore

extension ObjectChanges {
    /// Changes a list into another one. Unchanged elements keep their slots, so that edits of them by other authors
    /// stay valid. Replaced elements are edited, and only additional elements are inserted or removed.
    mutating func updateList(
        _ steps: [Place.Step],
        _ column: ColumnSpec,
        from old: [MergedContent],
        to new: [MergedContent],
        _ path: [String]
    ) throws(DocumentMisfit) {
        guard !new.isEmpty || !old.isEmpty else { return }
        if new.isEmpty { return add(.clearList(place(steps), hidden: [])) }
        for hunk in ListHunk.hunks(from: old, to: new) {
            let paired = min(hunk.old.count, hunk.new.count)
            for offset in 0..<paired {
                let index = hunk.old.lowerBound + offset
                try updateValue(
                    steps + [.element(.confirmed(index))],
                    column,
                    from: old[index],
                    to: new[hunk.new.lowerBound + offset],
                    path + ["\(index)"]
                )
            }
            let (lastPaired, more) = (hunk.old.lowerBound + paired, hunk.new.dropFirst(paired))
            if !more.isEmpty {
                insert(more.map { new[$0] }, steps, at: lastPaired, of: old.count)
            } else if paired < hunk.old.count {
                let references = (lastPaired..<hunk.old.upperBound).map { ElementReference.confirmed($0) }
                add(.remove(place(steps), references))
            }
        }
    }

    /// Inserts elements before the element at an index of the confirmed list.
    mutating func insert(_ contents: [MergedContent], _ steps: [Place.Step], at index: Int, of count: Int) {
        guard !contents.isEmpty else { return }
        let gap = Gap(
            after: index > 0 ? .confirmed(index - 1) : nil,
            before: index < count ? .confirmed(index) : nil
        )
        let first = numbers.take(contents.count)
        let values = contents.map { written($0) }
        add(.insert(place(steps), gap, first: first, values))
    }
}

/// A run of elements that replaces another run.
struct ListHunk: Equatable {
    var old: Range<Int>
    var new: Range<Int>

    /// Returns the differences between two lists, from front to back. The elements between the hunks are equal.
    ///
    /// - Complexity: O(*n* + *d*²) for *d* differences, and O(*n*) for more than some thousand differences. Then
    ///   everything between the first and the last difference is one hunk.
    static func hunks(from old: [MergedContent], to new: [MergedContent]) -> [ListHunk] {
        var (start, oldEnd, newEnd) = (0, old.count, new.count)
        while start < oldEnd, start < newEnd, old[start].looksLike(new[start]) { start += 1 }
        while oldEnd > start, newEnd > start, old[oldEnd - 1].looksLike(new[newEnd - 1]) {
            oldEnd -= 1
            newEnd -= 1
        }
        guard start < oldEnd || start < newEnd else { return [] }
        let whole = ListHunk(old: start..<oldEnd, new: start..<newEnd)
        guard start < oldEnd, start < newEnd, oldEnd - start <= 2_000, newEnd - start <= 2_000 else { return [whole] }
        let difference = new[start..<newEnd].difference(from: old[start..<oldEnd]) { $0.looksLike($1) }
        var removed = Set<Int>()
        var inserted = Set<Int>()
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(start + offset)
            case .insert(let offset, _, _): inserted.insert(start + offset)
            }
        }
        var hunks: [ListHunk] = []
        var (i, j) = (start, start)
        while i < oldEnd || j < newEnd {
            let (firstOld, firstNew) = (i, j)
            while i < oldEnd, removed.contains(i) { i += 1 }
            while j < newEnd, inserted.contains(j) { j += 1 }
            if i > firstOld || j > firstNew {
                hunks.append(ListHunk(old: firstOld..<i, new: firstNew..<j))
            } else {
                i += 1
                j += 1
            }
        }
        return hunks
    }
}
