/// The second part of an entry: the state at the end of the transaction.
extension JournalRecorder {
    func schema(_ transaction: WriteTransaction) {
        let bytes = transaction.schema.encoded(withHidden: false)
        writer.begin(.schema)
        writer.bytes.varint(UInt64(bytes.count))
        writer.bytes.raw(bytes)
        // Values that a change of the schema wrote aren't recorded elsewhere, so new columns and rewritten columns are recorded completely.
        for table in transaction.schema.tables {
            guard let old = transaction.base.schema.table(id: table.id) else { continue }
            let end = transaction.base.tableState(old).nextKey
            for column in table.columns
            where !old.columns.contains(where: { $0.id == column.id && $0.firstSegment == column.firstSegment }) {
                for cluster in 0..<transaction.clusterCount(table) where transaction.hasValues(column, cluster) {
                    var keys: [ObjectKey] = []
                    transaction.forEachKey(table, cluster: cluster) { if $0.raw < end { keys.append($0) } }
                    contents(column, keys, as: .rows, in: transaction)
                }
            }
        }
    }

    /// Writes the content of the objects of a table that the transaction created.
    func rows(_ id: Int, _ transaction: WriteTransaction) {
        guard let table = transaction.schema.table(id: id) else { return }
        for run in made[id]! {
            // The objects are written cluster by cluster, so that the leaves are read in order.
            var from = run.lowerBound
            while from < run.upperBound {
                let span = Int64(transaction.clusterSpan)
                let to = min(run.upperBound, (from / span + 1) * span)
                let living = (from..<to).lazy.map { ObjectKey($0) }.filter { transaction.contains(table, $0) }
                let keys = Array(living)
                for column in table.columns { contents(column, keys, as: .rows, in: transaction) }
                from = to
            }
        }
    }

    /// Writes the marks of default values that haven't been changed since.
    func writeDefaults(_ transaction: WriteTransaction) {
        for (place, marks) in defaults.sorted(by: { ($0.key.table, $0.key.column) < ($1.key.table, $1.key.column) }) {
            guard let table = transaction.schema.table(id: place.table),
                let column = table.columns.first(where: { $0.id == place.column })
            else { continue }
            let keys = marks.sorted { $0.key < $1.key }.filter {
                transaction.contains(table, $0.key) && transaction.value(column, $0.key).hashValue == $0.hash
            }
            var from = 0
            while from < keys.count {
                var to = from + 1
                while to < keys.count, keys[to].key.raw <= keys[to - 1].key.raw + 1 { to += 1 }
                writer.begin(.defaults)
                writer.property(column, keys[from].key)
                writer.bytes.varint(UInt64(keys[to - 1].key.raw - keys[from].key.raw + 1))
                flush(transaction)
                from = to
            }
        }
    }

    /// Writes the single-valued properties of older objects that were set.
    func fields(_ transaction: WriteTransaction) {
        for case let overlay? in transaction.tables where !overlay.table.isHidden {
            let table = overlay.table
            for case let columns? in overlay.columns
            where columns.column.collection == .none && !columns.column.isHidden {
                let column = columns.column
                var keys: [ObjectKey] = []
                func write() {
                    fields(column, keys, in: transaction)
                    keys.removeAll(keepingCapacity: true)
                }
                columns.forEachModified(clusterSpan: transaction.clusterSpan) { key in
                    guard transaction.contains(table, key) else { return }
                    if let last = keys.last, transaction.locate(last).0 != transaction.locate(key).0 { write() }
                    keys.append(key)
                }
                write()
                for (key, amount) in columns.added.sorted(by: { $0.key < $1.key })
                where transaction.contains(table, key) && !transaction.isModified(column, key) {
                    add(column, key, amount: amount, in: transaction)
                }
            }
        }
    }

    private func add(_ column: Column, _ key: ObjectKey, amount: Int64, in transaction: WriteTransaction) {
        mentioned.insert(column.tableID, key)
        writer.begin(.adds)
        writer.property(column, key)
        writer.bytes.signed(amount)
        flush(transaction)
    }

    private func fields(_ column: Column, _ keys: [ObjectKey], in transaction: WriteTransaction) {
        var (set, follows) = (keys, [ObjectKey]())
        if !nested.isEmpty { set.removeAll { nested.contains(property(column, $0)) } }
        if !shown.isEmpty {
            set.removeAll { key in
                shown[property(column, key)].map { $0 == transaction.value(column, key) } ?? false
            }
        }
        if !followed.isEmpty {
            let last = set.partition { key in
                followed[property(column, key)].map { $0 == transaction.value(column, key) } ?? false
            }
            follows = set[last...].sorted()
            set.removeSubrange(last...)
            set.sort()
        }
        for key in keys { mentioned.insert(column.tableID, key) }
        contents(column, set, as: .fields, in: transaction)
        contents(column, follows, as: .followed, in: transaction)
    }

    private func property(_ column: Column, _ key: ObjectKey) -> JournalProperty {
        JournalProperty(JournalObject(tableID: column.tableID, key: key), column: column.id)
    }

    /// Writes the identification of older objects. The primary keys of deleted objects are in the log.
    func names(_ transaction: WriteTransaction) {
        owners(transaction)
        for id in mentioned.tableIDs {
            guard let table = transaction.schema.table(id: id), let column = table.primaryKey else { continue }
            let firstNew = transaction.tables[id]?.firstNewKey ?? .max
            var rest = mentioned.take(id).filter { $0.raw < firstNew && transaction.contains(table, $0) }[...]
            while let first = rest.first {
                let cluster = transaction.locate(first).0
                let inCluster = rest.prefix { transaction.locate($0).0 == cluster }
                contents(column, Array(inCluster), as: .names, in: transaction)
                rest = rest.dropFirst(inCluster.count)
            }
        }
    }

    /// Writes the owners of embedded objects, up to the top-level object.
    private func owners(_ transaction: WriteTransaction) {
        let embedded = mentioned.tableIDs.compactMap { transaction.schema.table(id: $0) }.filter(\.isEmbedded)
        var open = embedded.flatMap { table in
            mentioned.take(table.id).map { JournalObject(tableID: table.id, key: $0) }
        }
        var known = Set(open)
        while let object = open.popLast() {
            guard let table = transaction.schema.table(id: object.tableID), transaction.contains(table, object.key),
                object.key.raw < (transaction.tables[table.id]?.firstNewKey ?? .max)
            else { continue }
            guard table.isEmbedded else {
                mentioned.insert(object)
                continue
            }
            guard let owner = transaction.owner(table, object.key) else { continue }
            let above = JournalObject(tableID: owner.column.tableID, key: owner.key)
            writer.begin(.owned)
            writer.object(object.tableID, object.key.raw)
            writer.property(owner.column, owner.key)
            if isExact, let place = transaction.place(of: object.key, owner.column, owner.key) {
                writer.placed(object, place)
            }
            if known.insert(above).inserted { open.append(above) }
            flush(transaction)
        }
    }

    // MARK: Contents

    /// Writes the content of a column for objects of one cluster, in ascending order.
    func contents(
        _ column: Column,
        _ keys: [ObjectKey],
        as said: JournalWriter.Said,
        in transaction: WriteTransaction
    ) {
        let hides = isExact && column.type == .link && transaction.hasHiddenLinks(column.tableID)
        let isPlain = column.collection == .none && column.type != .mixed && !hides
        var single: [ObjectKey] = []
        var rest = keys[...]
        while let first = rest.first {
            let stored = transaction.storedLeaf(column, first)
            var run = 1
            while run < rest.count, rest[rest.startIndex + run].raw == first.raw + Int64(run) { run += 1 }
            run = min(run, stored.slots)
            let kept = stored.leaf.map { max(0, $0.count - stored.slot) } ?? 0
            if isPlain, kept == 0, said == .rows {
                // A value that isn't stored is the default.
                rest = rest.dropFirst(run)
            } else if isPlain, let leaf = stored.leaf, !leaf.hasReferences, min(run, kept) * 2 >= leaf.count, kept > 0 {
                let inLeaf = min(run, kept)
                mentionTargets(column, leaf, slots: stored.slot..<stored.slot + inLeaf, in: transaction)
                writer.leaf(said, column, first: first, count: inLeaf, slot: stored.slot, leaf: stored.bytes!)
                flush(transaction)
                rest = rest.dropFirst(inLeaf)
            } else {
                single += rest.prefix(run)
                rest = rest.dropFirst(run)
            }
        }
        if !single.isEmpty { cells(column, single, as: said, in: transaction) }
    }

    private func mentionTargets(_ column: Column, _ leaf: Leaf, slots: Range<Int>, in transaction: WriteTransaction) {
        guard column.type == .link, let target = column.targetTableID else { return }
        // New objects aren't identified.
        let firstNew = transaction.tables[target]?.firstNewKey ?? .max
        for slot in slots {
            if let key = leaf.link(slot), key.raw < firstNew { mentioned.insert(target, key) }
        }
    }

    func cells(
        _ column: Column,
        _ keys: [ObjectKey],
        as said: JournalWriter.Said,
        in transaction: WriteTransaction
    ) {
        writer.cells(said, column, keys: keys)
        for key in keys {
            switch column.collection {
            case .none:
                let value = isExact ? transaction.storedValue(column, key) : transaction.value(column, key)
                if said != .names { mention(value, column) }
                JournalCoding.write(value, to: &writer.bytes)
            case .list, .set:
                let values = isExact ? transaction.storedElements(column, key) : transaction.listValues(column, key)
                for value in values { mention(value, column) }
                writer.values(values)
            case .dictionary:
                let entries =
                    isExact
                    ? transaction.storedDictionaryEntries(column, key) : transaction.dictionaryEntries(column, key)
                for entry in entries { mention(entry.value, column) }
                writer.entries(entries.lazy.map { NestedDictionary.Entry($0.key, $0.value) })
            }
            flush(transaction)
        }
    }
}

/// The place of an object's value in a column's leaf, or in a part of a split leaf.
private struct StoredLeaf {
    /// The bytes, or `nil` if all values that the leaf covers are the default.
    let bytes: UnsafeRawBufferPointer?
    let slot: Int
    /// The number of slots from that slot to the end of the leaf's range.
    let slots: Int

    var leaf: Leaf? { bytes.map { Leaf($0.baseAddress!) } }
}

extension WriteTransaction {
    /// Returns the place of an object's value. The column must not have a decoded leaf for the object.
    fileprivate func storedLeaf(_ column: Column, _ key: ObjectKey) -> StoredLeaf {
        let (cluster, slot) = locate(key)
        let whole = block(column.segment(.leaf), UInt64(cluster))
        guard let head = whole.map({ Leaf($0.baseAddress!) }), head.isSplit else {
            return StoredLeaf(bytes: whole, slot: slot, slots: clusterSpan - slot)
        }
        let span = Leaf.partSpan(clusterSpan: clusterSpan, partsLog2: head.partsLog2)
        let (part, inPart) = slot.quotientAndRemainder(dividingBy: span)
        let bytes = block(column.segment(.parts), UInt64(cluster) << 6 | UInt64(part))
        return StoredLeaf(bytes: bytes, slot: inPart, slots: min(span, clusterSpan - part * span) - inPart)
    }

    /// Returns whether a column has values in a cluster that differ from its type's default.
    fileprivate func hasValues(_ column: Column, _ cluster: Int) -> Bool {
        buffer(column, cluster: cluster) != nil || leaf(column, cluster: cluster) != nil
    }
}
