extension SnapshotCheck {
    /// Records links inside mixed values, for the check of the inverse that is stored with the target's table.
    func noteMixed(_ values: [Value], of column: Column, from cell: CheckedCell) {
        checkNested(values, at: cell)
        for value in values {
            value.forEachObjectLink { link in
                guard let table = schema.table(id: link.tableID), !table.isEmbedded,
                    tables[link.tableID]?.contains(link.key.raw, span: span) == true
                else {
                    report("\(cell.subject): it links to \(link), which doesn't exist.")
                    return
                }
                let code = MixedOrigin(column, ObjectKey(cell.key)).code
                links[table.mixedInverse.firstSegment, default: [:]][link.key.raw, default: []].append(code)
            }
        }
    }

    /// Checks that every embedded object has exactly one owner.
    func checkOwners(_ table: Table) {
        guard let check = tables[table.id] else { return }
        let incoming = schema.linkColumns(to: table).compactMap { links[$0.firstSegment] }
        for cluster in check.counts.indices {
            for slot in check.liveSlots(cluster, span: span) {
                let key = Int64(cluster * span + slot)
                let owners = incoming.reduce(0) { $0 + ($1[key]?.count ?? 0) }
                if owners != 1 { report("Embedded object O\(key) of '\(table.name)' has \(owners) owners.") }
            }
        }
    }
}
