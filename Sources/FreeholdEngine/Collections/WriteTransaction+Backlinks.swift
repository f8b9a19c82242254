/// The inverse of links: gathered while links change, brought into the targets' leaves in one sorted pass when they
/// are read or committed.
extension WriteTransaction {
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
        if changes.log.count + pending.count <= BacklinkChanges.logLimit, !changes.logOverflow {
            changes.log.append(contentsOf: pending)
        } else {
            changes.log = []
            changes.logOverflow = true
        }
        if !isSorted(pending) {
            pending.sort { $0.target != $1.target ? $0.target < $1.target : $0.origin < $1.origin }
        }
        let columns = backlinkOverlay(column)
        pending.withUnsafeBufferPointer { all in
            var from = 0
            while from < all.count {
                var to = from + 1
                while to < all.count, all[to].target == all[from].target { to += 1 }
                apply(UnsafeBufferPointer(rebasing: all[from..<to]), columns, ObjectKey(all[from].target))
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

    /// One target's changes, by rising origin.
    private func apply(
        _ changes: UnsafeBufferPointer<BacklinkChanges.Change>, _ columns: ColumnOverlay, _ target: ObjectKey
    ) {
        let (cluster, slot) = locate(target)
        let buffer = writable(columns, cluster, isBacklink: true)
        let place = ListPlace(
            buffer: buffer, slot: slot, type: .int, isOptional: false,
            blobs: columns.column.segment(.backlinkBlobs))
        if buffer.isReference(slot), Int(buffer.reference(slot).length) > 8 * changes.count {
            applyLarge(changes, place)
            return
        }
        let old = withEntry(buffer, slot, type: .int, blobs: place.blobs) { ints(of: $0, type: .int) }
        var new: [Int64] = []
        new.reserveCapacity(old.count + changes.count)
        var i = 0
        var c = 0
        while c < changes.count {
            let origin = changes[c].origin
            var net: Int64 = 0
            while c < changes.count, changes[c].origin == origin {
                net += changes[c].delta
                c += 1
            }
            while i < old.count, old[i] < origin {
                new.append(old[i])
                i += 1
            }
            while i < old.count, old[i] == origin {
                net += 1
                i += 1
            }
            var left = net
            while left > 0 {
                new.append(origin)
                left -= 1
            }
        }
        new.append(contentsOf: old[i...])
        if let bytes = InlineList.encodeInts(new) {
            freeLarge(place)
            bytes.withUnsafeBytes { buffer.setBytes(slot, $0) }
        } else {
            let all = new.map(Value.int)
            let count = withEntry(buffer, slot, type: .int, blobs: place.blobs) { self.count(of: $0) }
            splice(place, 0..<count, with: all)
        }
    }

    /// Few changes of a large list: each is found and spliced by itself.
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
