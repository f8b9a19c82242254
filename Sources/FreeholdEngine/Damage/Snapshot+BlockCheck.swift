/// The checks of a version's blocks when they are first read into its directory. Later reads rely on them, including the accessors' fast paths.
extension Snapshot {
    /// Returns whether a block has the form that its segment's blocks have. The caller holds the fill lock.
    ///
    /// Blocks outside of leaves can be chunks of strings, chunks of lists or nodes. They are checked at each use.
    /// - Complexity: see `LeafForm.isMet`. For the leaf of an index, O(entries).
    func isSoundLocked(_ segment: UInt32, _ number: UInt64, bytes: UnsafeRawBufferPointer) -> Bool {
        switch schema.owner(of: segment) {
        case .table(let table, let offset)?:
            switch offset {
            case 1: return isPresenceSoundLocked(table, number, bytes: bytes)
            case 3: return isLeafSound(bytes, inverseFormLocked(table.mixedInverse, span: clusterSpan))
            case 4: return isPartSound(bytes, number) { inverseFormLocked(table.mixedInverse, span: $0) }
            default: return true
            }
        case .column(let table, let column, let kind)?:
            switch kind {
            case .leaf: return isLeafSound(bytes, formLocked(column, table, span: clusterSpan))
            case .parts: return isPartSound(bytes, number) { formLocked(column, table, span: $0) }
            case .backlinkLeaf: return isLeafSound(bytes, inverseFormLocked(column, span: clusterSpan))
            case .backlinkParts: return isPartSound(bytes, number) { inverseFormLocked(column, span: $0) }
            case .index: return isIndexNodeSoundLocked(column, table, bytes: bytes)
            case .blobs, .backlinkBlobs: return true
            }
        case nil: return true
        }
    }

    private func formLocked(_ column: Column, _ table: Table, span: Int) -> LeafForm {
        let cache = tableCacheLocked(table)
        let target = column.type == .link ? column.targetTableID.flatMap(schema.table(id:)) : nil
        return LeafForm(
            type: column.type,
            collection: column.collection,
            isOptional: column.isOptional,
            limit: span,
            keyLimit: target.map { tableCacheLocked($0).state.nextKey } ?? 0,
            blobLimit: (cache.state.columns[column.id] ?? .init()).nextBlob
        )
    }

    /// Returns the form of the inverse of a link column, or of the links in mixed values, whose origins are encoded.
    private func inverseFormLocked(_ column: Column, span: Int) -> LeafForm {
        let cache = schema.table(id: column.tableID).map(tableCacheLocked)
        let isMixed = column.id == Table.mixedInverseID
        return LeafForm(
            type: .int,
            collection: .list,
            isOptional: false,
            limit: span,
            keyLimit: isMixed ? .max : cache?.state.nextKey ?? 0,
            isInverse: true,
            blobLimit: (cache?.state.columns[column.id] ?? .init()).nextBacklinkBlob
        )
    }

    private func isLeafSound(_ bytes: UnsafeRawBufferPointer, _ form: LeafForm) -> Bool {
        guard bytes.count >= Leaf.headerSize else { return false }
        return Leaf(bytes.baseAddress!).isSplit ? form.isMet(byHead: bytes) : form.isMet(by: bytes)
    }

    /// Returns whether a part is sound. The head states the number of its slots, so this check only uses the maximum: a part covers at most half of a
    /// cluster, and no slot after the cluster's end.
    private func isPartSound(
        _ bytes: UnsafeRawBufferPointer,
        _ number: UInt64,
        form: (_ span: Int) -> LeafForm
    ) -> Bool {
        guard bytes.count >= Leaf.headerSize, !Leaf(bytes.baseAddress!).isSplit else { return false }
        let part = Int(number & 63)
        return form(part == 0 ? (clusterSpan + 1) / 2 : max(clusterSpan / part, 1)).isMet(by: bytes)
    }

    /// Returns whether the bitmap has as many objects as the table's counts, and none in a slot that was never used.
    private func isPresenceSoundLocked(_ table: Table, _ number: UInt64, bytes: UnsafeRawBufferPointer) -> Bool {
        let cache = tableCacheLocked(table)
        let words = (clusterSpan + 63) >> 6
        guard bytes.count == 8 * words, number < UInt64(cache.clusterCount) else { return false }
        let bits = bytes.baseAddress!.assumingMemoryBound(to: UInt64.self)
        let live = Int(cache.counts[Int(number)] & ~TableCache.presenceFlag)
        let keys = min(Int64(clusterSpan), cache.state.nextKey - Int64(number) * Int64(clusterSpan))
        return (0..<words).reduce(0) { $0 + bits[$1].nonzeroBitCount } == live
            && PresenceBits.rank(bits, Int(keys)) == live
    }

    private func isIndexNodeSoundLocked(_ column: Column, _ table: Table, bytes: UnsafeRawBufferPointer) -> Bool {
        guard let level = bytes.first, level < 64, IndexNode.isWellFormed(bytes, level: Int(level)) else {
            return false
        }
        let node = IndexNode(bytes.baseAddress!)
        let state = tableCacheLocked(table).state
        if level > 0 {
            let limit = (state.columns[column.id] ?? .init()).nextIndex
            for i in 0..<node.count where node.child(i) == 0 || node.child(i) >= limit { return false }
            return true
        }
        var least = Int64.max
        var greatest = Int64.min
        for i in 0..<node.count {
            let key = node.key(i)
            least = min(least, key)
            greatest = max(greatest, key)
        }
        return least >= 0 && greatest < state.nextKey
    }
}

extension TableState {
    /// The maximum number of a block. No file has had so many blocks.
    private static let maximumNumber: UInt64 = BlockAddress.maximumNumber / 2
    /// The exclusive upper bound of keys in links of mixed values, which follows from their number of bits.
    private static let maximumKey: Int64 = 1 << MixedOrigin.keyBits

    /// A Boolean value that indicates whether the numbers can be those of a table.
    var isPlausible: Bool {
        guard nextKey >= 0, nextKey <= Self.maximumKey, count >= 0, Int64(count) <= nextKey else { return false }
        return columns.values.allSatisfy { column in
            column.nextBlob <= Self.maximumNumber && column.nextIndex <= Self.maximumNumber
                && column.nextBacklinkBlob <= Self.maximumNumber && column.nextBlob >= 1 && column.nextIndex >= 1
                && column.nextBacklinkBlob >= 1 && column.indexHeight < 64
                && (column.indexRoot == 0) == (column.indexHeight == 0) && column.indexRoot < column.nextIndex
                && (column.indexRoot != 0 || column.indexCount == 0) && column.indexCount < 1 << 48
        }
    }
}

extension DatabaseSchema {
    /// Returns whether the tables can be those of a file. Readers rely on these conditions.
    func isConsistent(with root: CatalogueRoot) -> Bool {
        var segments: Set<UInt32> = []
        func takes(_ segment: UInt32) -> Bool {
            segment % ColumnSegment.count == 0 && segment >= Catalogue.firstFreeSegment && segment < root.nextSegment
                && segments.insert(segment).inserted
        }
        for table in storedTables {
            guard takes(table.firstSegment), table.id < Int(root.nextTableID),
                table.nextColumnID <= Table.mixedInverseID,
                table.hasColumnsOnceEach,
                Set(table.storedColumns.map(\.id)).count == table.storedColumns.count,
                table.storedColumns.count(where: \.isPrimaryKey) <= 1
            else { return false }
            for compound in table.compounds where !takes(compound.firstSegment) { return false }
            for column in table.storedColumns {
                guard takes(column.firstSegment), column.id < table.nextColumnID, hasTarget(column) else {
                    return false
                }
                if column.isPrimaryKey, column.collection != .none || column.type == .link || column.type == .mixed {
                    return false
                }
                if column.indexKind.textMatching != nil, column.type != .string { return false }
                if column.indexKind == .places, column.type != .double || column.collection == .none { return false }
                if column.indexKind == .values, column.collection != .none { return false }
            }
        }
        return true
    }

    private func hasTarget(_ column: Column) -> Bool {
        guard column.type == .link else { return column.targetTableID == nil }
        return column.targetTableID.flatMap(table(id:)) != nil
    }
}
