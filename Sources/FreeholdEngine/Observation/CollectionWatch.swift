/// The part of the observers of an object's collections that determines how positions changed.
struct CollectionWatch: Sendable {
    let column: Column
    let owner: ObjectKey
    private let isLinks: Bool
    /// The watches by table id. They determine whether an element that is, or links to, an object of the table counts as modified.
    private let watches: [Int: ModificationWatch]

    init(
        _ column: Column,
        _ owner: ObjectKey,
        watched: WatchedPaths,
        in schema: DatabaseSchema,
        limits: ObservationLimits = ObservationLimits()
    ) {
        self.column = column
        self.owner = owner
        isLinks = column.type == .link
        var watches: [Int: ModificationWatch] = [:]
        if let target = column.type == .link ? column.targetTableID : nil, let table = schema.table(id: target) {
            watches[target] = ModificationWatch(watched, table, in: schema, limits: limits)
        } else if column.type == .mixed {
            switch watched {
            case .paths: break
            case .deep, .shallow:
                for table in schema.tables {
                    watches[table.id] = ModificationWatch(watched, table, in: schema, limits: limits)
                }
            }
        }
        self.watches = watches
    }

    func exists(in view: Snapshot) -> Bool {
        view.schema.table(id: column.tableID).map { view.contains($0, owner) } ?? false
    }

    /// Returns the changes of the elements. For a dictionary, the elements are in the order of the keys, and a key that was removed and added again
    /// counts as a different element.
    func changes(from old: Snapshot, to new: Snapshot, _ changes: VersionChanges) -> CollectionChanges {
        var out = CollectionChanges()
        let delta = changes.tables[column.tableID]
        if let delta, delta.modified[column.id]?.containsSorted(owner) ?? false {
            out = edited(delta.edits, from: old, to: new) ?? compared(old, with: new)
        }
        let deep = modified(by: changes, from: old, to: new)
        if !deep.isEmpty { out.setModifications(Array(Set(deep).union(out.modifications))) }
        return out
    }

    private func edited(_ edits: [ListEdit]?, from old: Snapshot, to new: Snapshot) -> CollectionChanges? {
        guard let edits else { return nil }
        let count = old.listCount(column, owner)
        var positions = EditedPositions(count: count)
        for edit in edits where edit.key == owner && edit.column == column.id { positions.apply(edit.operation) }
        if positions.isLost || positions.count != new.listCount(column, owner) { return nil }
        return positions.changes(count)
    }

    private func compared(_ old: Snapshot, with new: Snapshot) -> CollectionChanges {
        if column.collection == .dictionary {
            let a = old.dictionaryEntries(column, owner)
            let b = new.dictionaryEntries(column, owner)
            var out = SequenceDifference.changes(from: a.map(\.key), to: b.map(\.key))
            out.setModifications(
                a.indices.filter { !out.isDeletion($0) && a[$0].value != b[out.newIndex(ofOld: $0)].value }
            )
            return out
        }
        if isLinks, !column.isOptional {
            return SequenceDifference.changes(from: old.listLinks(column, owner), to: new.listLinks(column, owner))
        }
        let a = old.listValues(column, owner)
        let b = new.listValues(column, owner)
        var out = SequenceDifference.changes(from: a.map { EqualValue($0) }, to: b.map { EqualValue($0) })
        out.setModifications(a.indices.filter { !out.isDeletion($0) && a[$0] != b[out.newIndex(ofOld: $0)] })
        return out
    }

    // MARK: Modified objects

    /// Returns the positions in the old collection of elements whose objects count as modified.
    private func modified(by changes: VersionChanges, from old: Snapshot, to new: Snapshot) -> [Int] {
        var affected: [Int: Set<ObjectKey>] = [:]
        for (table, watch) in watches {
            guard let target = new.schema.table(id: table) else { continue }
            let keys = watch.affected(by: changes, in: new, elements: old.listCount(column, owner)) {
                var all: [ObjectKey] = []
                old.forEachTarget(column, owner) { if $0.tableID == table { all.append($0.key) } }
                return all
            }.filter { isElement($0, of: target, in: old) }
            if !keys.isEmpty { affected[table] = Set(keys) }
        }
        if affected.isEmpty { return [] }
        var out: [Int] = []
        var i = 0
        if isLinks, column.collection != .dictionary, let keys = affected[column.targetTableID!] {
            let wanted = KeySet(old.schema.table(id: column.targetTableID!)!, in: old)
            for key in keys { wanted.insert(key) }
            _ = old.forEachLink(column, owner) { key in
                if wanted.contains(key) { out.append(i) }
                i += 1
                return true
            }
            return out
        }
        _ = old.forEachElement(column, owner) { element in
            defer { i += 1 }
            switch element {
            case .link(let key): if affected[column.targetTableID!]?.contains(key) ?? false { out.append(i) }
            case .null: break
            default:
                var isModified = false
                element.forEachObjectLink { link in
                    if affected[link.tableID]?.contains(link.key) ?? false { isModified = true }
                }
                if isModified { out.append(i) }
            }
            return true
        }
        return out
    }

    /// Returns whether the collection contained the object. It reads the object's backlinks, so that an unchanged collection isn't read.
    private func isElement(_ key: ObjectKey, of table: Table, in view: Snapshot) -> Bool {
        guard view.contains(table, key) else { return false }
        let origin = column.asBacklinkColumn(to: table)
        let n = view.backlinkCount(origin, key)
        let i = (0..<n).partitionIndex { view.backlink(origin, key, at: $0) < owner }
        return i < n && view.backlink(origin, key, at: i) == owner
    }
}
