/// Takes down what a write transaction does, for the file's journal. There is one only in files that have one.
///
/// What happens in order (objects made and deleted, edits of collections) is written at once; the values of properties are
/// taken from the transaction's end. Bytes beyond a block's size become blocks at once, so that the memory budget holds.
final class JournalRecorder {
    /// Why what happens now happens.
    var cause = ChangeCause.edit
    /// While an edit is made that is taken down in another form than that of the value that it sets.
    private(set) var isNested = false
    private var writer = JournalWriter()
    /// The object that is being deleted, whose links to itself nobody has to hear of.
    private var going: JournalObject?
    /// Objects that were made last, not yet written.
    private var run: (table: Int, first: Int64, count: Int64)?
    /// By table id: runs of objects that the transaction made.
    private var made: [Int: [Range<Int64>]] = [:]
    /// Objects that were there before and that something is said of, or linked to.
    private var mentioned: Set<JournalObject> = []
    /// Properties that changed because what they linked to was deleted, and what they were given then.
    private var followed: [JournalProperty: Value] = [:]
    /// By property's column: objects whose value was said to be a default, and that value's hash.
    private var defaults: [JournalColumn: [(key: ObjectKey, hash: Int)]] = [:]
    /// Single mixed values of which only inner collections were edited.
    private var nested: Set<JournalProperty> = []

    /// The position of the entry, and the blocks of it that are written beside the first.
    private let position: UInt64
    private var written: UInt64 = 0

    init(_ state: JournalState) { position = state.next }

    /// Makes an edit that is taken down in another form.
    func withoutRecording(_ edit: () -> Void) {
        isNested = true
        edit()
        isNested = false
    }

    // MARK: What happens

    /// - Complexity: O(1)
    func rowMade(_ table: Int, _ key: ObjectKey) {
        if let last = run, last.table == table, last.first + last.count == key.raw {
            run!.count += 1
        } else {
            closeRun()
            run = (table, key.raw, 1)
        }
    }

    private func closeRun() {
        guard let last = run else { return }
        run = nil
        writer.begin(.made)
        writer.object(last.table, last.first)
        writer.bytes.varint(UInt64(last.count))
        if let end = made[last.table]?.last?.upperBound, end == last.first {
            let i = made[last.table]!.count - 1
            made[last.table]![i] = made[last.table]![i].lowerBound..<last.first + last.count
        } else {
            made[last.table, default: []].append(last.first..<last.first + last.count)
        }
    }

    /// Before the object goes.
    func rowGone(_ table: Table, _ key: ObjectKey, in transaction: WriteTransaction) {
        closeRun()
        writer.begin(.gone, cause)
        writer.object(table.id, key.raw)
        going = JournalObject(tableID: table.id, key: key)
        writer.optional(primaryKey(table, key, in: transaction))
        flush(transaction)
    }

    /// What others know the object by: while a migration runs, its table's primary key can be another, or none.
    private func primaryKey(_ table: Table, _ key: ObjectKey, in transaction: WriteTransaction) -> Value? {
        if let old = transaction.base.schema.table(id: table.id), key.raw < transaction.base.tableState(old).nextKey {
            return old.primaryKey.map { transaction.base.value($0, key) }
        }
        return table.primaryKey.map { transaction.value($0, key) }
    }

    /// After the edit of a collection of an object that was there before.
    ///
    /// - Parameter gone: of a set the values, of a dictionary the keys, that were taken out.
    func edited(
        _ column: Column,
        _ key: ObjectKey,
        _ operation: ListEdit.Operation,
        gone: () -> [Value],
        in transaction: WriteTransaction
    ) {
        if isNested { return }
        switch (column.collection, operation) {
        case (.none, _): break
        case (_, .clear): take(.clear, column, key)
        case (.list, .insert(let at, let count)):
            take(.insert(at: at, transaction.listValues(column, key, in: at..<at + count)), column, key)
        case (.list, .remove(let at, let count)): take(.remove(at: at, count: count), column, key)
        case (.list, .set(let at)): take(.set(at: at, transaction.listValue(column, key, at: at)), column, key)
        case (.list, .move(let from, let to)): take(.move(from: from, to: to), column, key)
        case (.set, .insert(let at, let count)):
            for value in transaction.listValues(column, key, in: at..<at + count) {
                take(.insertValue(value), column, key)
            }
        case (.set, .remove): for value in gone() { take(.removeValue(value), column, key) }
        case (.set, .set(let at)):
            // One that compares as equal: the same number as another type.
            for value in gone() { take(.removeValue(value), column, key) }
            take(.insertValue(transaction.listValue(column, key, at: at)), column, key)
        case (.dictionary, .insert(let at, let count)):
            for i in at..<at + count { takeEntry(i, column, key, transaction) }
        case (.dictionary, .set(let at)): takeEntry(at, column, key, transaction)
        case (.dictionary, .remove):
            for case .string(let name) in gone() { take(.removeEntry(name), column, key) }
        case (.set, .move), (.dictionary, .move): break
        }
        flush(transaction)
    }

    private func takeEntry(_ i: Int, _ column: Column, _ key: ObjectKey, _ transaction: WriteTransaction) {
        let name = transaction.dictionaryKey(column, key, at: i)
        take(.setEntry(name, transaction.dictionaryValue(column, key, at: i)), column, key)
    }

    private func take(_ edit: CollectionEdit, _ column: Column, _ key: ObjectKey) {
        let object = JournalObject(tableID: column.tableID, key: key)
        if object == going { return }
        closeRun()
        writer.edit(JournalProperty(object, column: column.id), edit, cause)
        mentioned.insert(object)
        switch edit {
        case .insert(_, let values): for value in values { mention(value, column) }
        case .set(_, let value), .insertValue(let value), .removeValue(let value), .setEntry(_, let value):
            mention(value, column)
        case .nested(let edit):
            switch edit.change {
            case .list(let values): for value in values { mention(value, column) }
            case .entries(let entries, _): for entry in entries { mention(entry.value, column) }
            }
        default: break
        }
    }

    private func mention(_ value: Value, _ column: Column) {
        if case .link(let key) = value, let table = column.targetTableID {
            mentioned.insert(JournalObject(tableID: table, key: key))
        } else if column.type == .mixed {
            value.forEachObjectLink { mentioned.insert($0) }
        }
    }

    /// A list or dictionary inside of a mixed value was edited, of an object that was there before.
    ///
    /// - Parameter wasSet: whether the property's value was set by this transaction before.
    func nestedEdited(
        _ column: Column,
        _ key: ObjectKey,
        _ edit: NestedEdit,
        wasSet: Bool,
        in transaction: WriteTransaction
    ) {
        let property = JournalProperty(JournalObject(tableID: column.tableID, key: key), column: column.id)
        if column.collection == .none {
            // The value at the end says all.
            if wasSet, !nested.contains(property) { return }
            nested.insert(property)
        }
        take(.nested(edit), column, key)
        flush(transaction)
    }

    /// The value of a single mixed property was set as a whole.
    func wasSet(_ column: Column, _ key: ObjectKey) {
        if isNested || nested.isEmpty { return }
        nested.remove(JournalProperty(JournalObject(tableID: column.tableID, key: key), column: column.id))
    }

    /// A single property of an object that was there before got another value because what it linked to is deleted.
    ///
    /// - Parameter wasSet: whether the transaction had set it before: then it isn't what others see that follows.
    func followed(_ column: Column, _ key: ObjectKey, _ value: Value, wasSet: Bool) {
        if wasSet { return }
        followed[JournalProperty(JournalObject(tableID: column.tableID, key: key), column: column.id)] = value
    }

    func markedDefault(_ column: Column, _ key: ObjectKey, _ value: Value) {
        defaults[JournalColumn(table: column.tableID, column: column.id), default: []].append((key, value.hashValue))
    }

    func addedInList(_ column: Column, _ key: ObjectKey, at i: Int, _ delta: Int64) {
        take(.add(at: i, delta), column, key)
    }

    func addedInDictionary(_ column: Column, _ key: ObjectKey, _ name: String, _ delta: Int64) {
        take(.addToEntry(name, delta), column, key)
    }

    // MARK: The entry

    /// Bytes that fill a block become one. Called between operations.
    private func flush(_ transaction: WriteTransaction) {
        guard writer.bytes.bytes.count >= Journal.blockSize else { return }
        flushBlocks(transaction, all: false)
    }

    private func flushBlocks(_ transaction: WriteTransaction, all: Bool) {
        let bytes = writer.bytes.take()
        var from = 0
        while bytes.count - from >= Journal.blockSize || (all && from < bytes.count) {
            let end = min(bytes.count, from + Journal.blockSize)
            written += 1
            bytes[from..<end].withUnsafeBytes {
                transaction.putBlock(Catalogue.journalSegment, position + written, $0)
            }
            from = end
        }
        writer.bytes.raw(Array(bytes[from...]))
        transaction.relieve()
    }

    /// Bytes until now: until the entry ends, only whole blocks are written.
    private var length: Int { Int(written) * Journal.blockSize + writer.bytes.bytes.count }

    /// Writes the entry. The transaction is settled.
    func finish(in transaction: WriteTransaction, _ state: inout JournalState) throws(EngineError) {
        closeRun()
        let logLength = length
        if transaction.schemaChanged { schema(transaction) }
        for table in made.keys.sorted() { rows(table, transaction) }
        writeDefaults(transaction)
        fields(transaction)
        names(transaction)
        var header = Journal.Header(
            number: state.nextNumber,
            blocks: 1,
            madeVersion: transaction.base.version + 1,
            time: Journal.now(),
            logLength: logLength,
            stateLength: length - logLength
        )
        if written > 0 || writer.bytes.bytes.count > Journal.blockSize - Journal.headerSize {
            flushBlocks(transaction, all: true)
            header.blocks += written
        }
        guard header.blocks <= BlockAddress.maximumNumber - position else {
            throw EngineError(.limitExceeded, "The file's journal is full.", path: transaction.path)
        }
        let first = header.encoded() + writer.bytes.take()
        first.withUnsafeBytes { transaction.putBlock(Catalogue.journalSegment, position, $0) }
        state.next = position + header.blocks
        state.nextNumber += 1
    }

    private func schema(_ transaction: WriteTransaction) {
        let bytes = transaction.schema.encoded()
        writer.begin(.schema)
        writer.bytes.varint(UInt64(bytes.count))
        writer.bytes.raw(bytes)
        // What a change of the schema wrote isn't told otherwise: columns that are new, or stored anew, hold it all.
        for table in transaction.schema.tables {
            guard let old = transaction.base.schema.table(id: table.id) else { continue }
            let end = transaction.base.tableState(old).nextKey
            for column in table.columns
            where !old.columns.contains(where: { $0.id == column.id && $0.firstSegment == column.firstSegment }) {
                for cluster in 0..<transaction.clusterCount(table) where transaction.hasValues(column, cluster) {
                    var keys: [ObjectKey] = []
                    transaction.forEachKey(table, cluster: cluster) { if $0.raw < end { keys.append($0) } }
                    contents(column, keys, transaction)
                }
            }
        }
    }

    private func rows(_ id: Int, _ transaction: WriteTransaction) {
        guard let table = transaction.schema.table(id: id) else { return }
        for run in made[id]! {
            // A cluster at a time, so that one leaf after the other is read.
            var from = run.lowerBound
            while from < run.upperBound {
                let span = Int64(transaction.clusterSpan)
                let to = min(run.upperBound, (from / span + 1) * span)
                let keys = (from..<to).lazy.map { ObjectKey($0) }.filter { transaction.contains(table, $0) }
                let living = Array(keys)
                for column in table.columns where !living.isEmpty { contents(column, living, transaction) }
                from = to
            }
        }
    }

    /// What a column holds of objects of one cluster, as runs of neighbours.
    private func contents(_ column: Column, _ keys: [ObjectKey], _ transaction: WriteTransaction) {
        var from = 0
        while from < keys.count {
            var to = from + 1
            while to < keys.count, keys[to].raw == keys[to - 1].raw + 1 { to += 1 }
            var run = keys[from..<to]
            while !run.isEmpty {
                let stored = transaction.storedLeaf(column, run.first!)
                let inLeaf = run.prefix(stored.slots)
                if !leaf(column, inLeaf, stored, transaction) { cells(column, inLeaf, transaction) }
                flush(transaction)
                run = run.dropFirst(inLeaf.count)
            }
            from = to
        }
    }

    /// The values as they are stored, in a whole leaf, where most of it is of the run.
    private func leaf(
        _ column: Column,
        _ keys: ArraySlice<ObjectKey>,
        _ stored: StoredLeaf,
        _ transaction: WriteTransaction
    ) -> Bool {
        guard column.collection == .none, column.type != .mixed else { return false }
        // What isn't stored is the default.
        guard let bytes = stored.bytes else { return true }
        let leaf = Leaf(bytes.baseAddress!)
        if stored.slot >= leaf.count { return true }
        guard !leaf.hasReferences, keys.count * 2 >= leaf.count else { return false }
        if column.type == .link, let target = column.targetTableID {
            let firstNew = transaction.tables[target]?.firstNewKey ?? .max
            for slot in stored.slot..<min(leaf.count, stored.slot + keys.count) {
                if let key = leaf.link(slot), key.raw < firstNew {
                    mentioned.insert(JournalObject(tableID: target, key: key))
                }
            }
        }
        writer.leaf(column, keys, slot: stored.slot, bytes)
        return true
    }

    private func cells(_ column: Column, _ keys: ArraySlice<ObjectKey>, _ transaction: WriteTransaction) {
        writer.begin(.rows)
        writer.property(column, keys.first!)
        writer.bytes.varint(UInt64(keys.count))
        switch column.collection {
        case .none:
            writer.bytes.u8(0)
            for key in keys {
                let value = transaction.value(column, key)
                mention(value, column)
                JournalCoding.write(value, to: &writer.bytes)
            }
        case .list, .set:
            writer.bytes.u8(1)
            for key in keys {
                let values = transaction.listValues(column, key)
                for value in values { mention(value, column) }
                writer.values(values)
            }
        case .dictionary:
            writer.bytes.u8(2)
            for key in keys {
                let entries = transaction.dictionaryEntries(column, key)
                for entry in entries { mention(entry.value, column) }
                writer.entries(entries.lazy.map { NestedDictionary.Entry($0.key, $0.value) })
            }
        }
    }

    /// Those that nobody has set since.
    private func writeDefaults(_ transaction: WriteTransaction) {
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

    /// The single properties that were set, of objects that were there before.
    private func fields(_ transaction: WriteTransaction) {
        for case let overlay? in transaction.tables {
            let table = overlay.table
            for case let columns? in overlay.columns where columns.column.collection == .none {
                let column = columns.column
                columns.forEachModified(clusterSpan: transaction.clusterSpan) { key in
                    if transaction.contains(table, key) { field(column, key, transaction) }
                }
                for (key, amount) in columns.added.sorted(by: { $0.key < $1.key })
                where transaction.contains(table, key) && !transaction.isModified(column, key) {
                    add(column, key, amount, transaction)
                }
            }
        }
    }

    private func add(_ column: Column, _ key: ObjectKey, _ amount: Int64, _ transaction: WriteTransaction) {
        mentioned.insert(JournalObject(tableID: column.tableID, key: key))
        writer.begin(.adds)
        writer.property(column, key)
        writer.bytes.signed(amount)
        flush(transaction)
    }

    private func field(_ column: Column, _ key: ObjectKey, _ transaction: WriteTransaction) {
        let object = JournalObject(tableID: column.tableID, key: key)
        let property = JournalProperty(object, column: column.id)
        if nested.contains(property) { return }
        let value = transaction.value(column, key)
        mentioned.insert(object)
        mention(value, column)
        writer.begin(.fields, followed[property] == value ? .followsDeletion : .edit)
        writer.property(column, key)
        JournalCoding.write(value, to: &writer.bytes)
        flush(transaction)
    }

    /// What objects of before are called. The primary keys of those that went stand in the log.
    private func names(_ transaction: WriteTransaction) {
        var open = mentioned.sorted { ($0.tableID, $0.key) < ($1.tableID, $1.key) }
        var known = mentioned
        while let object = open.popLast() {
            guard let table = transaction.schema.table(id: object.tableID), transaction.contains(table, object.key),
                object.key.raw < (transaction.tables[table.id]?.firstNewKey ?? .max)
            else { continue }
            if let column = table.primaryKey {
                writer.begin(.named)
                writer.object(object.tableID, object.key.raw)
                writer.bytes.u8(0)
                JournalCoding.write(transaction.value(column, object.key), to: &writer.bytes)
            } else if table.isEmbedded, let owner = transaction.owner(table, object.key) {
                let above = JournalObject(tableID: owner.column.tableID, key: owner.key)
                writer.begin(.named)
                writer.object(object.tableID, object.key.raw)
                writer.bytes.u8(1)
                writer.property(owner.column, owner.key)
                if known.insert(above).inserted { open.append(above) }
            }
            flush(transaction)
        }
    }
}

private struct JournalColumn: Hashable {
    let table: Int
    let column: Int
}

/// Where the value of an object lies in a column's leaf, or in the part of a split one.
private struct StoredLeaf {
    /// Nil where all that it covers is the default.
    let bytes: UnsafeRawBufferPointer?
    let slot: Int
    /// From that slot to the end of what the leaf covers.
    let slots: Int
}

extension WriteTransaction {
    /// The column has no decoded leaf.
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

    /// Whether a cluster has other values of a column than its type's default.
    fileprivate func hasValues(_ column: Column, _ cluster: Int) -> Bool {
        buffer(column, cluster: cluster) != nil || leaf(column, cluster: cluster) != nil
    }
}

extension NestedEdit {
    /// What lies between two states of a nested collection.
    init(place: NestedPlace, in root: Value, id: UInt64, from old: Value, to new: Value) {
        self.place = place
        path = root.path(toNested: id) ?? []
        switch (old, new) {
        case (.dictionary(let old), .dictionary(let new)):
            change = .entries(
                new.entries.filter { old[$0.key] != $0.value },
                removed: old.entries.map(\.key).filter { new[$0] == nil }
            )
        case (_, .list(let list)): change = .list(list.values)
        case (_, .dictionary(let new)): change = .entries(new.entries, removed: [])
        default: change = .list([])
        }
    }
}

extension Value {
    /// The way from this value to the list or dictionary of that id; nil where there is none.
    fileprivate func path(toNested id: UInt64) -> [NestedEdit.Step]? {
        if nestedID == id { return [] }
        switch self {
        case .list(let list):
            for (i, value) in list.values.enumerated() {
                if let rest = value.path(toNested: id) { return [.element(i)] + rest }
            }
        case .dictionary(let dictionary):
            for entry in dictionary.entries {
                if let rest = entry.value.path(toNested: id) { return [.entry(entry.key)] + rest }
            }
        default: break
        }
        return nil
    }
}
