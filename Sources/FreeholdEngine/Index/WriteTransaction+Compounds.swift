/// The changes of a write transaction to one compound index.
final class CompoundOverlay {
    let compound: CompoundColumnIndex
    let index: IndexOverlay
    /// The objects whose entry has been removed from the index. They receive a new entry when the index is settled.
    var outdated: Set<Int64> = []
    /// The entries of a unique index that had a second key at some time. The commit checks their rows.
    var suspects: Set<[UInt8]> = []
    var buffer: [UInt8] = []

    init(compound: CompoundColumnIndex, index: IndexOverlay) {
        self.compound = compound
        self.index = index
    }
}

/// The lazy update of compound indexes. Before the first change of one of its columns, the entry of an object is removed. A new entry is created from
/// the row when the index is searched, or at the commit.
extension WriteTransaction {
    func compoundOverlay(_ compound: CompoundColumnIndex, _ overlay: TableOverlay) -> CompoundOverlay {
        if let found = overlay.compounds[compound.firstSegment] { return found }
        let state = overlay.state.columns[compound.entries.id] ?? .init()
        let tree = IndexTree(
            segment: compound.entries.segment(.index),
            root: state.indexRoot,
            height: state.indexHeight,
            count: state.indexCount
        )
        let index = IndexOverlay(column: compound.entries, tree: tree, greatestInt: .max)
        let made = CompoundOverlay(compound: compound, index: index)
        overlay.compounds[compound.firstSegment] = made
        return made
    }

    /// Removes the entries of an indexed object before one of its columns changes.
    func noteCompounds(_ column: Column, _ key: ObjectKey, overlay: TableOverlay) {
        for compound in overlay.table.compounds where compound.columns.contains(where: { $0.index == column.index }) {
            let changes = compoundOverlay(compound, overlay)
            if changes.outdated.insert(key.raw).inserted { removeEntry(changes, key) }
        }
    }

    /// Removes the entries of an object before it is deleted.
    func releaseCompounds(_ overlay: TableOverlay, _ key: ObjectKey) {
        guard key.raw < overlay.unindexedFrom else { return }
        for compound in overlay.table.compounds {
            let changes = compoundOverlay(compound, overlay)
            if changes.outdated.remove(key.raw) == nil { removeEntry(changes, key) }
        }
    }

    private func removeEntry(_ changes: CompoundOverlay, _ key: ObjectKey) {
        compoundEntry(changes.compound, key, to: &changes.buffer)
        changes.buffer.withUnsafeBytes { changes.index.changes.remove($0, key.raw) }
    }

    private func insertEntry(_ changes: CompoundOverlay, _ key: ObjectKey) {
        compoundEntry(changes.compound, key, to: &changes.buffer)
        changes.buffer.withUnsafeBytes { changes.index.changes.insert($0, key.raw) }
    }

    /// Adds the entries of new objects, from a key on.
    func fillCompounds(_ overlay: TableOverlay, from first: Int64) {
        for compound in overlay.table.compounds { fillCompound(compound, overlay, from: first) }
    }

    func fillCompound(_ compound: CompoundColumnIndex, _ overlay: TableOverlay, from first: Int64) {
        let changes = compoundOverlay(compound, overlay)
        for cluster in Int(first) / clusterSpan..<max(Int(first) / clusterSpan, overlay.counts.count) {
            forEachKey(overlay.table, cluster: cluster) { if $0.raw >= first { insertEntry(changes, $0) } }
        }
    }

    /// Merges the pending changes of a table's compound indexes into their trees.
    func settleCompounds(_ overlay: TableOverlay) {
        for changes in overlay.compounds.values {
            for key in changes.outdated.sorted() { insertEntry(changes, ObjectKey(key)) }
            changes.outdated.removeAll()
            let index = changes.index
            guard !index.changes.isEmpty else { continue }
            if changes.compound.isUnique { noteSuspects(changes) }
            index.tree.apply(index.changes, in: self)
            var state = overlay.state.columns[index.column.id] ?? .init()
            state.indexRoot = index.tree.root
            state.indexHeight = index.tree.height
            state.indexCount = index.tree.count
            overlay.state.columns[index.column.id] = state
        }
    }

    /// Records the new entries whose bytes already exist under another key, or which are added twice. They may violate the uniqueness. This is known
    /// only at the commit, because values may be exchanged in between.
    private func noteSuspects(_ changes: CompoundOverlay) {
        let pending = changes.index.changes
        pending.sort()
        var last: IndexChanges.Record?
        for i in 0..<pending.count where pending.records[i].isInsert {
            let record = pending.records[i]
            let bytes = pending.bytes(record)
            let isTwice = last.map { pending.compareBytes($0, with: record) == 0 } ?? false
            last = record
            guard isTwice || changes.index.tree.find(bytes, in: self) != nil else { continue }
            if CompoundEncoding.parse(bytes, values: changes.compound.columns.count)?.hasNull == true { continue }
            changes.suspects.insert(Array(bytes))
        }
    }

    /// - Throws: `.uniqueConstraint` for the first two objects that violate a unique index.
    func checkUniqueness() throws(EngineError) {
        // A component that applies changes from elsewhere may leave duplicates for some time.
        guard case .local = origin else { return }
        for case let overlay? in tables {
            for changes in overlay.compounds.values.sorted(by: { $0.compound.firstSegment < $1.compound.firstSegment })
            {
                for entry in changes.suspects.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                    var keys: [ObjectKey] = []
                    entry.withUnsafeBytes { bytes in
                        changes.index.tree.forEach(bytes, in: self) { key in
                            keys.append(ObjectKey(key))
                            return true
                        }
                    }
                    guard keys.count > 1, let pair = equalPair(changes.compound, among: keys) else { continue }
                    throw uniqueViolation(changes.compound, pair)
                }
            }
        }
    }

    /// - Throws: `.uniqueConstraint` if a table's rows violate a new unique index.
    func checkUnique(_ compound: CompoundColumnIndex) throws(EngineError) {
        var hashes: [(hash: UInt64, key: Int64)] = []
        var buffer: [UInt8] = []
        forEachKey(schema.table(of: compound.entries)) { key in
            compoundEntry(compound, key, to: &buffer)
            buffer.withUnsafeBytes { hashes.append((OrderedEncoding.hash($0), key.raw)) }
        }
        hashes.sort { $0.hash != $1.hash ? $0.hash < $1.hash : $0.key < $1.key }
        var from = 0
        while from < hashes.count {
            var to = from + 1
            while to < hashes.count, hashes[to].hash == hashes[from].hash { to += 1 }
            if to - from > 1 {
                // Rows with a null may have equal values.
                let keys = hashes[from..<to].map { ObjectKey($0.key) }
                if let pair = equalPair(compound, among: keys) { throw uniqueViolation(compound, pair) }
            }
            from = to
        }
    }
}
