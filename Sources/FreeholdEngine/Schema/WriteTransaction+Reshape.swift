/// The replacement of the transaction's schema by another one.
extension WriteTransaction {
    /// Replaces the schema. Overlays refer to the old schema's columns, so all pending changes become blocks and entries first. Then the overlays'
    /// states, counts and records of changes are taken over. The commit removes the blocks of tables and columns that the new schema doesn't have.
    func replaceSchema(_ schema: DatabaseSchema) {
        settleEverything()
        let old = currentSchema
        currentSchema = schema
        growColumnOverlays()
        forgetColumnOverlays()
        while tables.count < Int(root.nextTableID) { tables.append(nil) }
        for table in old.storedTables {
            guard let new = schema.table(id: table.id) else {
                tables[table.id] = nil
                continue
            }
            if new === table { continue }
            let overlay = overlay(table)
            let suspects = overlay.compounds.mapValues(\.suspects)
            overlay.rebind(to: new, clusterSpan: clusterSpan)
            for compound in new.compounds {
                guard let suspects = suspects[compound.firstSegment], !suspects.isEmpty else { continue }
                compoundOverlay(compound, overlay).suspects = suspects
            }
        }
        let kept = Set(schema.storedTables.flatMap(\.firstSegments))
        for segment in old.storedTables.flatMap(\.firstSegments) where !kept.contains(segment) {
            droppedSegments.insert(segment)
            backlinkChanges[segment] = nil
        }
        for table in old.storedTables where schema.table(id: table.id) == nil {
            backlinkChanges[table.mixedInverse.firstSegment] = nil
        }
    }

    /// Adds new tables to the schema. All other tables stay the same objects, so their overlays stay valid.
    ///
    /// - Complexity: O(tables), with a small factor. What is pending stays pending.
    func growSchema(by new: [Table]) {
        currentSchema = DatabaseSchema(currentSchema, adding: new)
        growColumnOverlays()
        while tables.count < Int(root.nextTableID) { tables.append(nil) }
    }

    private func settleEverything() {
        deleteOrphans()
        for changes in backlinkChanges.values { settleBacklinks(changes.column) }
        for case let overlay? in tables { settleIndexes(overlay) }
        sealEverything()
    }

    // MARK: Blocks of dropped tables and columns

    /// Discards encoded blocks of dropped tables and columns. It is called before the encoded blocks are written.
    func forgetDroppedBlocks() {
        guard !droppedSegments.isEmpty else { return }
        for (address, entry) in sealed where isDropped(address) {
            if case .stored(let bytes) = entry { bytes.deallocate() }
            sealed[address] = nil
        }
    }

    func isDropped(_ address: UInt64) -> Bool {
        droppedSegments.contains(BlockAddress(raw: address).segment & ~(ColumnSegment.count - 1))
    }

    /// Removes the blocks of dropped tables and columns. It is called on the writer thread.
    func removeDroppedBlocks(_ writer: StorageWriter) throws(EngineError) {
        if droppedSegments.isEmpty { return }
        for address in try writer.addresses(ofColumns: droppedSegments) { try writer.remove(address) }
    }
}

extension Table {
    /// The first segments of the table itself, its columns and its compound indexes.
    fileprivate var firstSegments: [UInt32] {
        [firstSegment] + storedColumns.map(\.firstSegment) + compounds.map(\.firstSegment)
    }
}

extension TableOverlay {
    /// Copies the data that doesn't depend on the columns, and the records of changes of columns that remain.
    ///
    /// - Precondition: changes aren't pending, and leaves aren't decoded.
    fileprivate func rebind(to new: Table, clusterSpan: Int) {
        let old = table
        table = new
        isEmbedded = new.isEmbedded
        cache = nil
        var overlays = [ColumnOverlay?](repeating: nil, count: new.storedColumns.count)
        for columns in columns {
            guard let columns, !columns.modified.isEmpty,
                let column = new.storedColumns.first(where: { $0.id == columns.column.id })
            else { continue }
            let made = ColumnOverlay(
                column: column,
                isBacklink: false,
                clusterSpan: clusterSpan,
                firstNewKey: firstNewKey
            )
            made.takeModified(columns)
            overlays[column.index] = made
        }
        columns = overlays
        backlinks = [:]
        indexes = Array(repeating: nil, count: new.storedColumns.count)
        compounds = [:]
        for (id, _) in state.columns where id > Table.mixedInverseID {
            if !new.compounds.contains(where: { $0.entries.id == id }) { state.columns[id] = nil }
        }
        for (id, _) in state.columns where id < Table.mixedInverseID {
            guard let column = new.storedColumns.first(where: { $0.id == id }) else {
                state.columns[id] = nil
                continue
            }
            // A column with new segments doesn't have an index in them.
            if old.storedColumns.first(where: { $0.id == id })?.firstSegment != column.firstSegment {
                state.columns[id]?.indexRoot = 0
                state.columns[id]?.indexHeight = 0
                state.columns[id]?.indexCount = 0
            }
        }
    }
}
