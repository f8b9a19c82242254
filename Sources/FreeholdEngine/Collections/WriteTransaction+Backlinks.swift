/// The inverse of links. Changes are collected while links change. They are applied to the targets' leaves in one sorted pass when the leaves are
/// read or committed.
extension WriteTransaction {
    /// Updates the inverse for an edit of a link or mixed value in one object's property, before or after the values themselves are changed. Every
    /// such edit calls this function, except the edits of to-one links and appended links, which do the same in place.
    ///
    /// The function settles nothing, because the caller may be using a leaf that would be released.
    func linksChanged(_ column: Column, _ key: ObjectKey, removed: [Value], added: [Value]) {
        if column.type == .mixed { mixedLinksChanged(column, key, removed: removed, added: added) }
        guard column.type == .link else { return }
        let changes = backlinks(of: column)
        for case .link(let target) in removed { changes.add(target: target.raw, origin: key.raw, delta: -1) }
        for case .link(let target) in added { changes.add(target: target.raw, origin: key.raw, delta: 1) }
        if currentSchema.ownsTargets(column) {
            for case .link(let target) in removed { ownershipChanged(column, target, by: -1) }
            for case .link(let target) in added { ownershipChanged(column, target, by: 1) }
        }
        if changes.pending.count > linkLogLimit { crowdedBacklinks[column.firstSegment] = column }
    }

    /// Applies large numbers of pending changes to the leaves, before an operation.
    func settleCrowdedBacklinks() {
        while let (_, column) = crowdedBacklinks.popFirst() { settlePendingBacklinks(column) }
    }

    func backlinks(of column: Column) -> BacklinkChanges {
        if let found = backlinkChanges[column.firstSegment] { return found }
        let made = BacklinkChanges(column: column)
        backlinkChanges[column.firstSegment] = made
        return made
    }

    func settlePendingBacklinks(_ column: Column) {
        guard let changes = backlinkChanges[column.firstSegment], !changes.pending.isEmpty else { return }
        var pending = changes.pending
        changes.pending = []
        if changes.log.count + pending.count <= keptEdits, !changes.logOverflow {
            changes.log.append(contentsOf: pending)
        } else {
            changes.log = []
            changes.logOverflow = true
        }
        if !isSorted(pending) { BacklinkChanges.sort(&pending) }
        let columns = backlinkOverlay(column)
        pending.withUnsafeBufferPointer { all in
            var from = 0
            while from < all.count {
                var to = from + 1
                while to < all.count, all[to].target == all[from].target { to += 1 }
                apply(UnsafeBufferPointer(rebasing: all[from..<to]), columns, target: ObjectKey(all[from].target))
                from = to
            }
        }
    }

    private func isSorted(_ changes: [BacklinkChanges.Change]) -> Bool {
        for i in changes.indices.dropFirst() {
            let (a, b) = (changes[i - 1], changes[i])
            if a.target > b.target || (a.target == b.target && a.origin > b.origin) { return false }
        }
        return true
    }

    /// Applies the changes of one target, in ascending order of origins.
    private func apply(
        _ changes: UnsafeBufferPointer<BacklinkChanges.Change>,
        _ columns: ColumnOverlay,
        target: ObjectKey
    ) {
        spillIfOverBudget()
        let (cluster, slot) = locate(target)
        let buffer = writable(columns, cluster, isBacklink: true)
        let place = ListPlace(
            buffer: buffer,
            slot: slot,
            type: .int,
            isOptional: false,
            blobs: columns.column.segment(.backlinkBlobs)
        )
        if buffer.isReference(slot), Int(buffer.reference(slot).length) > 8 * changes.count {
            applyLarge(changes, place)
            return
        }
        if !buffer.isReference(slot) {
            let old = InlineList(buffer.bytes(slot), type: .int)
            let oldCount = old.count
            let capacity = oldCount + changes.count
            let isInline = withUnsafeTemporaryAllocation(of: Int64.self, capacity: capacity + oldCount + 1) { room in
                let new = room.baseAddress!
                let from = new + capacity
                old.copyInts(to: from)
                return putInts(place, new, count: Self.merge(from, count: oldCount, with: changes, to: new))
            }
            if isInline { return }
        }
        let old = withEntry(buffer, slot, type: .int, blobs: place.blobs) { ints(of: $0, type: .int) }
        let new = [Int64](unsafeUninitializedCapacity: old.count + changes.count) { room, used in
            used = old.withUnsafeBufferPointer { old in
                withUnsafeTemporaryAllocation(of: Int64.self, capacity: 1) { none in
                    Self.merge(
                        old.baseAddress ?? UnsafePointer(none.baseAddress!),
                        count: old.count,
                        with: changes,
                        to: room.baseAddress!
                    )
                }
            }
        }
        let count = withEntry(buffer, slot, type: .int, blobs: place.blobs) { self.count(of: $0) }
        splice(place, 0..<count, with: new.map(Value.int))
    }

    /// Merges sorted origins with sorted changes.
    /// - Returns: the resulting number of origins.
    private static func merge(
        _ old: UnsafePointer<Int64>,
        count oldCount: Int,
        with changes: UnsafeBufferPointer<BacklinkChanges.Change>,
        to new: UnsafeMutablePointer<Int64>
    ) -> Int {
        var i = 0
        var n = 0
        var c = 0
        while c < changes.count {
            let origin = changes[c].origin
            var net: Int64 = 0
            while c < changes.count, changes[c].origin == origin {
                net += changes[c].delta
                c += 1
            }
            while i < oldCount, old[i] < origin {
                new[n] = old[i]
                n += 1
                i += 1
            }
            while i < oldCount, old[i] == origin {
                net += 1
                i += 1
            }
            while net > 0 {
                new[n] = origin
                n += 1
                net -= 1
            }
        }
        while i < oldCount {
            new[n] = old[i]
            n += 1
            i += 1
        }
        return n
    }

    /// Applies few changes to a large list. Each of them is searched and spliced separately.
    private func applyLarge(_ changes: UnsafeBufferPointer<BacklinkChanges.Change>, _ place: ListPlace) {
        var c = 0
        while c < changes.count {
            let origin = changes[c].origin
            var net: Int64 = 0
            while c < changes.count, changes[c].origin == origin {
                net += changes[c].delta
                c += 1
            }
            let position = withEntry(place.buffer, place.slot, type: .int, blobs: place.blobs) { list in
                var low = 0
                var high = count(of: list)
                while low < high {
                    let middle = (low + high) >> 1
                    if int(of: list, at: middle, type: .int) < origin { low = middle + 1 } else { high = middle }
                }
                return low
            }
            if net > 0 {
                splice(place, position..<position, with: Array(repeating: .int(origin), count: Int(net)))
            } else if net < 0 {
                splice(place, position..<(position - Int(net)), with: [])
            }
        }
    }
}

extension BacklinkChanges {
    /// Sorts changes by target and origin. Changes are mostly collected in the order of their origins, so a stable sort by target achieves nearly the
    /// same.
    static func sort(_ changes: inout [Change]) {
        guard changes.count > 64 else {
            changes.sort(by: isBefore)
            return
        }
        var low = Int64.max
        var high = Int64.min
        for change in changes {
            low = min(low, change.target)
            high = max(high, change.target)
        }
        var shift: Int64 = 0
        var spare = [Change](repeating: changes[0], count: changes.count)
        while shift == 0 || (high - low) >> shift > 0 {
            pass(changes, to: &spare, low: low, shift: shift)
            swap(&changes, &spare)
            shift += 11
        }
        var from = 0
        while from < changes.count {
            var to = from + 1
            var isSorted = true
            while to < changes.count, changes[to].target == changes[from].target {
                if changes[to].origin < changes[to - 1].origin { isSorted = false }
                to += 1
            }
            if !isSorted { changes[from..<to].sort(by: isBefore) }
            from = to
        }
    }

    private static func isBefore(_ a: Change, other b: Change) -> Bool {
        a.target != b.target ? a.target < b.target : a.origin < b.origin
    }

    /// Makes one pass of a radix sort over 11 bits.
    private static func pass(_ from: [Change], to: inout [Change], low: Int64, shift: Int64) {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 2048) { starts in
            starts.initialize(repeating: 0)
            from.withUnsafeBufferPointer { from in
                to.withUnsafeMutableBufferPointer { to in
                    for i in 0..<from.count { starts[Int((from[i].target - low) >> shift) & 2047] += 1 }
                    var sum = 0
                    for b in 0..<2048 {
                        let count = starts[b]
                        starts[b] = sum
                        sum += count
                    }
                    for i in 0..<from.count {
                        let bucket = Int((from[i].target - low) >> shift) & 2047
                        to[starts[bucket]] = from[i]
                        starts[bucket] += 1
                    }
                }
            }
        }
    }
}
