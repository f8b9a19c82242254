#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension WriteTransaction {
    // MARK: Creation

    /// Creates an object whose columns have their defaults.
    ///
    /// - Parameter primaryKey: the primary key, which is required if the table has one.
    /// - Parameter table: the table of the object.
    /// - Throws: `.duplicatePrimaryKey`, `.missingValue`, `.invalidArgument`, `.limitExceeded`. The transaction is unchanged then.
    /// - Complexity: O(1). With a primary key, O(log n).
    public func create(_ table: Table, primaryKey: Value? = nil) throws(EngineError) -> ObjectKey {
        if let column = table.primaryKey {
            guard let primaryKey else {
                throw EngineError(.missingValue, "An object of '\(table.name)' needs its primary key '\(column.name)'.")
            }
            if case .int(let number) = primaryKey, column.type == .int {
                if let key = createUnlessTaken(table, primaryKey: number) { return key }
                throw duplicate(primaryKey, table, column: column)
            }
            try check(primaryKey, column)
            guard find(primaryKey: primaryKey, in: table) == nil else {
                throw duplicate(primaryKey, table, column: column)
            }
        }
        return create(overlay(table), table.primaryKey, primaryKey: primaryKey)
    }

    private func duplicate(_ primaryKey: Value, _ table: Table, column: Column) -> EngineError {
        EngineError(
            .duplicatePrimaryKey,
            "'\(table.name)' already has an object whose primary key '\(column.name)' is \(primaryKey)."
        )
    }

    // The three functions below create an object like `create`, for callers that have checked the key's type and length.

    /// Returns `nil`, without changes, if an object with that primary key exists.
    /// - Precondition: the type of the primary key is integer.
    package func createUnlessTaken(_ table: Table, primaryKey: Int64) -> ObjectKey? {
        guard let column = table.primaryKey else { return nil }
        let overlay = overlay(table)
        let index = index(column, overlay)
        if primaryKey <= index.greatestInt {
            let taken = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { room in
                let length = OrderedEncoding.int(primaryKey, room.baseAddress!)
                return isTaken(UnsafeRawBufferPointer(start: room.baseAddress!, count: length), index)
            }
            if taken { return nil }
        } else {
            index.greatestInt = primaryKey
        }
        let key = insertRow(overlay)
        if overlay.hasPlaceholders { noteMade(table, key, primaryKey: .int(primaryKey)) }
        index.changes.insertInt(primaryKey, key: key.raw)
        let (cluster, slot) = locate(key)
        openLeaf(column, cluster).1._withUnsafeGuaranteedRef { $0.setInt(slot, primaryKey) }
        return key
    }

    /// Returns `nil`, without changes, if an object with that primary key exists.
    package func createUnlessTaken(_ table: Table, primaryKey: Value) -> ObjectKey? {
        guard let column = table.primaryKey else { return nil }
        if find(primaryKey: primaryKey, in: table) != nil { return nil }
        return create(overlay(table), column, primaryKey: primaryKey)
    }

    package func createKeyless(_ table: Table) -> ObjectKey { create(overlay(table), nil, primaryKey: nil) }

    @inline(__always)
    private func isTaken(_ bytes: UnsafeRawBufferPointer, _ index: IndexOverlay) -> Bool {
        switch index.changes.find(bytes) {
        case .inserted: true
        case .removed: false
        case .unchanged: index.tree.find(bytes, in: self) != nil
        }
    }

    private func create(_ overlay: TableOverlay, _ column: Column?, primaryKey: Value?) -> ObjectKey {
        let key = insertRow(overlay)
        if let column, let primaryKey {
            if overlay.hasPlaceholders { noteMade(overlay.table, key, primaryKey: primaryKey) }
            index(column).insert(primaryKey, key)
            let (cluster, slot) = locate(key)
            store(
                primaryKey,
                column.type,
                in: writable(columnOverlay(column), cluster),
                slot: slot,
                blobs: column.segment(.blobs)
            )
        }
        return key
    }

    /// Returns whether the transaction created an object of the table, even if the object has been deleted since.
    package func hasMadeObjects(in table: Table) -> Bool {
        guard table.id < tables.count, let overlay = tables[table.id] else { return false }
        return overlay.state.nextKey != overlay.baseState.nextKey
    }

    /// Returns the keys of the objects of a table that the transaction created and that exist.
    ///
    /// - Complexity: O(created objects)
    package func madeObjects(in table: Table) -> [ObjectKey] {
        guard table.id < tables.count, let overlay = tables[table.id] else { return [] }
        return (overlay.baseState.nextKey..<overlay.state.nextKey).map { ObjectKey($0) }.filter { contains(table, $0) }
    }

    private func insertRow(_ overlay: TableOverlay) -> ObjectKey {
        if overlay.state.nextKey &- overlay.unindexedFrom > pendingLimit { settleIndexes(overlay) }
        let key = ObjectKey(overlay.state.nextKey)
        let (cluster, slot) = locate(key)
        overlay.state.nextKey += 1
        overlay.state.count += 1
        overlay.cache = nil
        if cluster == overlay.counts.count {
            overlay.counts.append(0)
            if cluster > 0 { leaveCluster(overlay, cluster - 1) }
        }
        let entry = overlay.counts[cluster]
        let live = Int(entry & ~TableCache.presenceFlag)
        if entry & TableCache.presenceFlag == 0, live == slot {
            overlay.counts[cluster] = UInt16(live + 1)
        } else {
            let bits = presenceBits(overlay, cluster)
            bits[slot >> 6] |= 1 << UInt64(slot & 63)
            overlay.counts[cluster] = UInt16(live + 1) | TableCache.presenceFlag
            overlay.changedPresence.insert(cluster)
        }
        if slot == 0 || key.raw == overlay.firstNewKey { overlay.changedCounts.insert(cluster) }
        if overlay.isEmbedded { overlay.unowned.insert(key.raw) }
        journal?.rowMade(overlay.table, key)
        return key
    }

    /// Encodes the leaves of a full cluster and releases their decoded form.
    private func leaveCluster(_ overlay: TableOverlay, _ cluster: Int) {
        for columns in overlay.columns {
            if let columns { seal(columns, cluster) }
        }
        collectRetired()
        if sealedBytes > core.memoryBudget { spill() }
    }

    /// Returns the cluster's bitmap. When it is first needed, it is created from the number of live objects or from the stored leaf.
    func presenceBits(_ overlay: TableOverlay, _ cluster: Int) -> UnsafeMutablePointer<UInt64> {
        if let bits = overlay.presence[cluster] { return bits }
        let words = (clusterSpan + 63) >> 6
        let bits = UnsafeMutablePointer<UInt64>.allocate(capacity: words)
        if let stored = presence(overlay.table, cluster: cluster) {
            for w in 0..<words { bits[w] = stored[w] }
        } else {
            let live = Int(overlay.counts[cluster] & ~TableCache.presenceFlag)
            for w in 0..<words { bits[w] = w << 6 >= live ? 0 : LeafEncoder.lastWordMask(w, count: live) }
        }
        overlay.presence[cluster] = bits
        return bits
    }

    // MARK: Setting values

    /// Sets a single-valued column.
    ///
    /// - Throws: `.missingValue` for null in a required column, `.invalidArgument` for a value of another type, a link to an object that doesn't
    ///   exist, a missing object or a primary key, `.limitExceeded`. The transaction is unchanged then.
    /// - Complexity: O(1) amortised, plus the cost of indexes and links at the commit.
    public func set(_ column: Column, _ key: ObjectKey, to value: Value) throws(EngineError) {
        try check(value, column)
        guard contains(currentSchema.table(of: column), key) else { throw missingObject(column, key) }
        if column.isPrimaryKey {
            guard self.value(column, key) == value else {
                throw EngineError(.invalidArgument, "The primary key '\(column.name)' of an object can't change.")
            }
            return
        }
        if case .link = value { try checkOwners(column, key, added: [value]) { [self.value(column, key)] } }
        write(column, key, value: value)
    }

    /// Sets a value like `set`, without its checks. The caller has checked that the value is valid, the object exists, and the column isn't a primary
    /// key.
    package func write(_ column: Column, _ key: ObjectKey, value: Value) {
        spillIfOverBudget()
        switch value {
        case .link(let target):
            setLink(column, key, to: target)
            return
        case .null where column.type == .link:
            setLink(column, key, to: nil)
            return
        default: break
        }
        if column.type == .mixed, columnOverlay(column).hasHiddenLinks { dropHiddenLinks(column, key) }
        let (cluster, slot) = locate(key)
        let (columns, buffer) = openLeaf(column, cluster)
        if column.isTracked { noteIndexed(column, key, new: value) }
        columns._withUnsafeGuaranteedRef { $0.noteModified(key, cluster: cluster, slot: slot) }
        if column.type == .mixed {
            journal?.wasSet(column, key)
            let old = self.value(column, key)
            if old != value { linksChanged(column, key, removed: [old], added: [value]) }
        }
        buffer._withUnsafeGuaranteedRef { store(value, column.type, in: $0, slot: slot, blobs: column.segment(.blobs)) }
    }

    /// Sets an integer.
    /// - Precondition: the column is an integer column and isn't a primary key, and the object exists.
    public func setInt(_ column: Column, _ key: ObjectKey, to value: Int64) {
        let (cluster, slot) = locate(key)
        let (columns, buffer) = openLeaf(column, cluster)
        if column.isTracked {
            noteIndexed(column, key, new: .int(value))
        }
        columns._withUnsafeGuaranteedRef { $0.noteModified(key, cluster: cluster, slot: slot) }
        buffer._withUnsafeGuaranteedRef { $0.setInt(slot, value) }
    }

    /// Sets a double.
    /// - Precondition: the column is a double column, and the object exists.
    public func setDouble(_ column: Column, _ key: ObjectKey, to value: Double) {
        let (cluster, slot) = locate(key)
        let (columns, buffer) = openLeaf(column, cluster)
        columns._withUnsafeGuaranteedRef { $0.noteModified(key, cluster: cluster, slot: slot) }
        buffer._withUnsafeGuaranteedRef { $0.setDouble(slot, value) }
    }

    /// Sets a timestamp.
    /// - Precondition: the column is a timestamp column and isn't a primary key, and the object exists.
    package func setTimestamp(_ column: Column, _ key: ObjectKey, to value: Timestamp) {
        let (cluster, slot) = locate(key)
        let (columns, buffer) = openLeaf(column, cluster)
        if column.isTracked { noteIndexed(column, key, new: .timestamp(value)) }
        columns._withUnsafeGuaranteedRef { $0.noteModified(key, cluster: cluster, slot: slot) }
        buffer._withUnsafeGuaranteedRef {
            $0.setTimestamp(slot, seconds: value.seconds, nanoseconds: value.nanoseconds)
        }
    }

    /// Sets a Boolean value.
    /// - Precondition: the column is a Boolean column, and the object exists.
    public func setBool(_ column: Column, _ key: ObjectKey, to value: Bool) {
        let (cluster, slot) = locate(key)
        let (columns, buffer) = openLeaf(column, cluster)
        if column.isTracked {
            noteIndexed(column, key, new: .bool(value))
        }
        columns._withUnsafeGuaranteedRef { $0.noteModified(key, cluster: cluster, slot: slot) }
        buffer._withUnsafeGuaranteedRef { $0.setBool(slot, value) }
    }

    /// Sets a string.
    /// - Precondition: the column is a string column and isn't a primary key, the length of the string is within the limit, and the object exists.
    public func setString(_ column: Column, _ key: ObjectKey, to value: String) {
        if column.isTracked || value.utf8.count > FieldCoding.longBytes {
            write(column, key, value: .string(value))
            return
        }
        let (cluster, slot) = locate(key)
        let (columns, buffer) = openLeaf(column, cluster)
        columns._withUnsafeGuaranteedRef { $0.noteModified(key, cluster: cluster, slot: slot) }
        buffer._withUnsafeGuaranteedRef { buffer in
            if buffer.isReference(slot) { freeLong(buffer, slot, segment: column.segment(.blobs)) }
            var copy = value
            copy.withUTF8 { buffer.setBytes(slot, UnsafeRawBufferPointer($0)) }
        }
    }

    /// Sets a link.
    /// - Precondition: the column is a to-one link, and its target (if any) and the object exist. An embedded target doesn't have an owner yet.
    public func setLink(_ column: Column, _ key: ObjectKey, to target: ObjectKey?) {
        writeLink(column, key, to: target)
        deleteOrphans()
    }

    func writeLink(_ column: Column, _ key: ObjectKey, to target: ObjectKey?) {
        if unmanagedOverlay(column)._withUnsafeGuaranteedRef({ $0.hasHiddenLinks }) { dropHiddenLinks(column, key) }
        let (cluster, slot) = locate(key)
        let (columns, unmanaged) = openLeaf(column, cluster)
        columns._withUnsafeGuaranteedRef { $0.noteModified(key, cluster: cluster, slot: slot) }
        let new = target.map { $0.raw + 1 } ?? 0
        let old = unmanaged._withUnsafeGuaranteedRef { buffer in
            let old = buffer.int(slot)
            buffer.setInt(slot, new)
            return old
        }
        guard old != new else { return }
        columns._withUnsafeGuaranteedRef { columns in
            let changes = columns.backlinks ?? openBacklinks(columns)
            if old != 0 { changes.add(target: old - 1, origin: key.raw, delta: -1) }
            if new != 0 { changes.add(target: new - 1, origin: key.raw, delta: 1) }
            if columns.ownsTargets {
                if old != 0 { ownershipChanged(column, ObjectKey(old - 1), by: -1) }
                if new != 0 { ownershipChanged(column, ObjectKey(new - 1), by: 1) }
            }
            if changes.pending.count > linkLogLimit { settleBacklinks(column) }
        }
    }

    @inline(never)
    func openBacklinks(_ columns: ColumnOverlay) -> BacklinkChanges {
        let made = backlinks(of: columns.column)
        columns.backlinks = made
        return made
    }

    /// Updates the index before a value is replaced. The entries of objects that this transaction created are added when the index is settled.
    @inline(never)
    private func noteIndexed(_ column: Column, _ key: ObjectKey, new: Value) {
        guard let overlay = tables[column.tableID], key.raw < overlay.unindexedFrom else { return }
        let old = value(column, key)
        guard old != new else { return }
        if column.isInCompound { noteCompounds(column, key, overlay: overlay) }
        guard column.hasIndex else { return }
        let index = index(column)
        index.replace(old, with: new, of: key)
        flushIfLarge(index, overlay)
    }

    /// Stores a value in a decoded leaf. Long byte strings are stored in separate chunks.
    func store(_ value: Value, _ type: ColumnType, in buffer: LeafBuffer, slot: Int, blobs: UInt32) {
        if buffer.kind == .bytes, buffer.isReference(slot) {
            if replaceLong(value, type, in: buffer, slot: slot, blobs: blobs) { return }
            freeLong(buffer, slot, segment: blobs)
        }
        switch value {
        case .null: buffer.setDefault(slot)
        case _ where type == .mixed: storeBytes(value, type, in: buffer, slot: slot, blobs: blobs)
        case .bool(let v): buffer.setBool(slot, v)
        case .int(let v): buffer.setInt(slot, v)
        case .link(let target): buffer.setInt(slot, target.raw + 1)
        case .float(let v): buffer.setFloat(slot, v)
        case .double(let v): buffer.setDouble(slot, v)
        case .timestamp(let t): buffer.setTimestamp(slot, seconds: t.seconds, nanoseconds: t.nanoseconds)
        case .decimal128, .objectId, .uuid:
            withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { room in
                FieldCoding.copyFixed(value, to: room.baseAddress!)
                buffer.setFixed(slot, UnsafeRawPointer(room.baseAddress!))
            }
        case .string, .data, .objectLink, .list, .dictionary:
            storeBytes(value, type, in: buffer, slot: slot, blobs: blobs)
        }
    }

    private func storeBytes(
        _ value: Value,
        _ type: ColumnType,
        in buffer: LeafBuffer,
        slot: Int,
        blobs: UInt32
    ) {
        FieldCoding.withBytes(value, type) { bytes in
            if bytes.count <= FieldCoding.longBytes {
                buffer.setBytes(slot, bytes)
            } else {
                storeReference(buffer, slot, block: storeLong(bytes, blobs), length: UInt64(bytes.count))
            }
        }
    }

    /// Stores long bytes in the blocks of the value that they replace. The table's state, which contains the next block's number, therefore doesn't
    /// change. If the lengths are equal, the leaf doesn't change either.
    ///
    /// - Returns: `false`, without changes, if the value needs a different number of blocks.
    private func replaceLong(
        _ value: Value,
        _ type: ColumnType,
        in buffer: LeafBuffer,
        slot: Int,
        blobs: UInt32
    ) -> Bool {
        let old = buffer.reference(slot)
        return FieldCoding.withBytes(value, type) { bytes in
            guard bytes.count > FieldCoding.longBytes,
                Self.blocks(ofLong: bytes.count) == Self.blocks(ofLong: Int(clamping: old.length))
            else { return false }
            putLong(bytes, at: old.block, blobs)
            storeReference(buffer, slot, block: old.block, length: UInt64(bytes.count))
            return true
        }
    }

    /// Stores a reference, unless the slot has it already.
    func storeReference(_ buffer: LeafBuffer, _ slot: Int, block: UInt64, length: UInt64) {
        if buffer.isReference(slot), buffer.reference(slot) == (block, length) { return }
        withUnsafeBytes(of: (block.littleEndian, length.littleEndian)) {
            buffer.setBytes(slot, $0, isReference: true)
        }
    }

    private static func blocks(ofLong count: Int) -> Int {
        count / BlockLimits.twoPages + (count % BlockLimits.twoPages == 0 ? 0 : 1)
    }

    private func storeLong(_ bytes: UnsafeRawBufferPointer, _ segment: UInt32) -> UInt64 {
        let first = allocateBlocks(segment, Self.blocks(ofLong: bytes.count))
        putLong(bytes, at: first, segment)
        return first
    }

    private func putLong(_ bytes: UnsafeRawBufferPointer, at first: UInt64, _ segment: UInt32) {
        let size = BlockLimits.twoPages
        for i in 0..<Self.blocks(ofLong: bytes.count) {
            let end = min(bytes.count, (i + 1) * size)
            putBlock(segment, first + UInt64(i), bytes: UnsafeRawBufferPointer(rebasing: bytes[i * size..<end]))
        }
    }

    func freeLong(_ buffer: LeafBuffer, _ slot: Int, segment: UInt32) {
        freeLong(buffer.reference(slot), segment)
    }

    func freeLong(_ reference: (block: UInt64, length: UInt64), _ segment: UInt32) {
        let size = UInt64(BlockLimits.twoPages)
        for i in 0..<((reference.length + size - 1) / size) { removeBlock(segment, reference.block + i) }
    }

    // MARK: Checks

    /// Throws an error if a single-valued column can't have the value.
    package func check(_ value: Value, _ column: Column) throws(EngineError) {
        guard column.collection == .none else {
            throw EngineError(
                .invalidArgument,
                "'\(column.name)' is a collection: use the calls for lists, sets or dictionaries."
            )
        }
        try checkElement(value, column)
    }

    /// Throws an error if a column can't have the value, or a list column can't have the element.
    package func checkElement(_ value: Value, _ column: Column) throws(EngineError) {
        switch value {
        case .null:
            if column.isOptional { return }
            if column.type == .link, column.collection == .none || column.collection == .dictionary { return }
            throw EngineError(.missingValue, "'\(column.name)' is required: it can't be null.")
        case .string(let s) where column.type == .string:
            if s.utf8.count > FieldCoding.maximumString {
                throw EngineError(
                    .limitExceeded,
                    "The string for '\(column.name)' has \(s.utf8.count) bytes; the limit is \(FieldCoding.maximumString)."
                )
            }
        case .data(let d) where column.type == .data:
            if d.count > FieldCoding.maximumData {
                throw EngineError(
                    .limitExceeded,
                    "The data for '\(column.name)' has \(d.count) bytes; the limit is \(FieldCoding.maximumData)."
                )
            }
        case .link(let target) where column.type == .link:
            guard let table = column.targetTableID.flatMap(currentSchema.table(id:)), contains(table, target) else {
                throw EngineError(
                    .invalidArgument,
                    "'\(column.name)' can't link to \(target): there is no such object."
                )
            }
        case _ where column.type == .mixed: try checkMixed(value, column, depth: 1)
        case .timestamp(let moment) where column.type == .timestamp && !moment.isValid:
            throw Self.invalidDate(moment, column)
        default:
            guard value.type == column.type else {
                throw EngineError(
                    .invalidArgument,
                    "'\(column.name)' holds values of type \(column.type), not \(value)."
                )
            }
        }
    }

    /// Throws an error if a mixed column can't have the value.
    func checkMixed(_ value: Value, _ column: Column, depth: Int) throws(EngineError) {
        switch value {
        case .timestamp(let moment):
            if !moment.isValid { throw Self.invalidDate(moment, column) }
        case .null, .bool, .int, .float, .double, .decimal128, .objectId, .uuid: return
        case .string(let s):
            if s.utf8.count > FieldCoding.maximumString {
                throw EngineError(
                    .limitExceeded,
                    "The string for '\(column.name)' has \(s.utf8.count) bytes; the limit is \(FieldCoding.maximumString)."
                )
            }
        case .data(let d):
            if d.count > FieldCoding.maximumData {
                throw EngineError(
                    .limitExceeded,
                    "The data for '\(column.name)' has \(d.count) bytes; the limit is \(FieldCoding.maximumData)."
                )
            }
        case .objectLink(let link):
            guard let table = currentSchema.table(id: link.tableID), !table.isEmbedded,
                table.isHidden == column.isHidden,
                contains(table, link.key)
            else {
                throw EngineError(
                    .invalidArgument,
                    "'\(column.name)' can't link to \(link): there is no such object."
                )
            }
            try checkOrigin(column)
        case .link:
            throw EngineError(.invalidArgument, "'\(column.name)' holds typed links: \(value) names no table.")
        case .list(let list):
            try checkNesting(column, depth)
            for element in list.values { try checkMixed(element, column, depth: depth + 1) }
        case .dictionary(let dictionary):
            try checkNesting(column, depth)
            for entry in dictionary.entries { try checkMixed(entry.value, column, depth: depth + 1) }
        }
    }

    private static func invalidDate(_ moment: Timestamp, _ column: Column) -> EngineError {
        EngineError(.invalidValue, "The date for '\(column.name)' isn't a moment: it is \(moment).")
    }

    private func checkNesting(_ column: Column, _ depth: Int) throws(EngineError) {
        if column.collection == .set {
            throw EngineError(.invalidArgument, "The set '\(column.name)' can't hold lists or dictionaries.")
        }
        if depth > MixedCoding.maximumDepth {
            throw EngineError(
                .limitExceeded,
                "The value for '\(column.name)' is nested deeper than \(MixedCoding.maximumDepth) levels."
            )
        }
    }

    func missingObject(_ column: Column, _ key: ObjectKey) -> EngineError {
        failure
            ?? EngineError(.invalidArgument, "There is no object \(key) in '\(currentSchema.table(of: column).name)'.")
    }
}
