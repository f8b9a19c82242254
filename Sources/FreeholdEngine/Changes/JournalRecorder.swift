/// A recorder of the changes of a write transaction, for the file's journal. It exists only in files with a journal.
///
/// Operations (created and deleted objects, edits of collections) are written immediately and in order. The values of properties are read at the end
/// of the transaction. Bytes that exceed a block become blocks immediately, so that the memory budget is kept.
final class JournalRecorder {
    /// The reason for the present changes.
    var cause = ChangeCause.edit
    /// A Boolean value that indicates whether the present edit is recorded in another form than the values that it sets.
    private(set) var isNested = false
    /// A Boolean value that indicates whether links are changing only because their target was created or deleted.
    private(set) var isSilent = false
    /// The properties whose visible value has changed for this reason, with their values.
    private(set) var shown: [JournalProperty: Value] = [:]
    var writer = JournalWriter()
    /// The object that is being deleted. Its links to itself aren't recorded.
    private var going: JournalObject?
    /// The objects that were created last and haven't been written yet.
    private var run: (table: Int, first: Int64, count: Int64)?
    /// The runs of objects that the transaction created, by table id.
    private(set) var made: [Int: [Range<Int64>]] = [:]
    /// The older objects that the entry mentions or links to.
    var mentioned = MentionedObjects()
    /// The properties that changed because the target of their link was deleted, with their new values.
    private(set) var followed: [JournalProperty: Value] = [:]
    /// The objects whose value was marked as a default, with the hash of that value, by the property's column.
    private(set) var defaults: [JournalColumn: [(key: ObjectKey, hash: Int)]] = [:]
    /// The lists whose hidden links have been recorded.
    private var toldUnshown: Set<JournalProperty> = []
    /// The single mixed values of which only inner collections were edited.
    private(set) var nested: Set<JournalProperty> = []

    func takeEdited() -> [JournalObject] {
        edited.tableIDs.flatMap { id in edited.take(id).map { JournalObject(tableID: id, key: $0) } }
    }

    /// A Boolean value that indicates whether the entry describes the stored state, including hidden links: see `JournalChange.exact`.
    let isExact: Bool
    /// The hidden links of a list before the next edit.
    private var hiddenBefore: (property: JournalProperty, links: HiddenLinks)?
    /// The older objects with edited collections, or with additions to integers in these.
    private(set) var edited = MentionedObjects()
    /// The objects of tables with images that were deleted.
    private(set) var imagedGone: [JournalObject] = []
    /// The objects whose images are in the entry.
    var images: [JournalObject] = []
    /// The missing objects that have to be identified.
    var missing: Set<JournalObject> = []
    /// The older embedded objects that were moved to another place.
    private(set) var carried: Set<JournalObject> = []

    /// The content of the objects that were handed over, for the state.
    var handedOver = ByteWriter()
    var isAside = false

    /// The position of the entry, and the number of its blocks that have been written in addition to the first.
    private let position: UInt64
    private var written: UInt64 = 0

    /// The ids of the tables of embedded objects.
    private let ownedTables: Set<Int>

    init(_ state: JournalState, _ schema: DatabaseSchema) {
        position = state.next
        isExact = schema.hasExactJournal
        ownedTables = isExact ? Set(schema.tables.filter(\.isEmbedded).map(\.id)) : []
        if isExact {
            writer.begin(.exact)
            writer.identity(.random(in: .min ... .max))
        }
    }

    /// Makes an edit that is recorded in another form.
    func withoutRecording<Failure: Error>(_ edit: () throws(Failure) -> Void) throws(Failure) {
        let wasNested = isNested
        isNested = true
        defer { isNested = wasNested }
        try edit()
    }

    /// Makes edits of links that take place because their targets were created or deleted.
    func withoutNoting(_ body: () -> Void) {
        let (wasNested, wasSilent) = (isNested, isSilent)
        (isNested, isSilent) = (true, true)
        body()
        (isNested, isSilent) = (wasNested, wasSilent)
    }

    /// Records that a single-valued property has another visible value because its target was created or deleted.
    ///
    /// - Parameter wasSet: whether the transaction has set the property before.
    func shown(_ column: Column, _ key: ObjectKey, value: Value, wasSet: Bool) {
        let property = JournalProperty(JournalObject(tableID: column.tableID, key: key), column: column.id)
        if wasSet, shown[property] == nil { return }
        shown[property] = value
    }

    // MARK: Operations

    /// Records the creation of an object.
    /// - Complexity: O(1)
    func rowMade(_ owner: Table, _ key: ObjectKey) {
        if owner.isHidden { return }
        let table = owner.id
        if let last = run, last.table == table, last.first + last.count == key.raw {
            run!.count += 1
        } else {
            closeRun()
            run = (table, key.raw, 1)
        }
    }

    func closeRun() {
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

    /// Records the deletion of an object, before it takes place.
    func rowGone(_ table: Table, _ key: ObjectKey, in transaction: WriteTransaction) {
        if table.isHidden { return }
        closeRun()
        writer.begin(.gone, cause)
        writer.object(table.id, key.raw)
        going = JournalObject(tableID: table.id, key: key)
        writer.optional(primaryKey(table, key, in: transaction))
        if table.imageColumn != nil { imagedGone.append(going!) }
        flush(transaction)
    }

    /// Returns the primary key by which other processes identify the object. During a migration, the table's primary key can have changed or can be
    /// missing.
    private func primaryKey(_ table: Table, _ key: ObjectKey, in transaction: WriteTransaction) -> Value? {
        if let old = transaction.base.schema.table(id: table.id), key.raw < transaction.base.tableState(old).nextKey {
            return old.primaryKey.map { transaction.base.value($0, key) }
        }
        return table.primaryKey.map { transaction.value($0, key) }
    }

    /// Records the edit of a collection of an older object, after the edit.
    ///
    /// - Parameter gone: returns the removed values of a set, or the removed keys of a dictionary.
    func edited(
        _ column: Column,
        _ key: ObjectKey,
        operation: ListEdit.Operation,
        gone: () -> [Value],
        in transaction: WriteTransaction
    ) {
        if isNested || column.isHidden { return }
        let (old, operation) = stored(operation, in: column, of: key, transaction: transaction)
        if case .clear = operation {
            let links = column.collection == .list ? old : transaction.hiddenLinks(column, key)
            if column.collection != .list || isExact { told(column, key, links: links, in: transaction) }
        }
        switch (column.collection, operation) {
        case (.none, _): break
        case (_, .clear): take(.clear, in: column, of: key)
        case (.list, .insert(let at, let count)):
            var shown = at
            let links = isExact ? transaction.hiddenLinks(column, key) : HiddenLinks()
            for range in links.stored(ofShown: at..<at + count) {
                let values = transaction.listValues(column, key, in: shown..<shown + range.count)
                shown += range.count
                take(.insert(at: range.lowerBound, values), in: column, of: key)
            }
        case (.list, .remove(let at, let count)):
            for range in old.stored(ofShown: at..<at + count).reversed() {
                take(.remove(at: range.lowerBound, count: range.count), in: column, of: key)
            }
        case (.list, .set(let at)):
            let place = isExact ? transaction.hiddenLinks(column, key).stored(ofShown: at) : at
            take(.set(at: place, transaction.listValue(column, key, at: at)), in: column, of: key)
        case (.list, .move(let from, let to)): take(.move(from: from, to: to), in: column, of: key)
        case (.set, .insert(let at, let count)):
            for value in transaction.listValues(column, key, in: at..<at + count) {
                take(.insertValue(value), in: column, of: key)
            }
        case (.set, .remove): for value in gone() { take(.removeValue(value), in: column, of: key) }
        case (.set, .set(let at)):
            // The new value replaces one that compares as equal, such as the same number in another type.
            for value in gone() { take(.removeValue(value), in: column, of: key) }
            take(.insertValue(transaction.listValue(column, key, at: at)), in: column, of: key)
        case (.dictionary, .insert(let at, let count)):
            for i in at..<at + count { takeEntry(i, of: column, key: key, in: transaction) }
        case (.dictionary, .set(let at)): takeEntry(at, of: column, key: key, in: transaction)
        case (.dictionary, .remove):
            for case .string(let name) in gone() { take(.removeEntry(name), in: column, of: key) }
        case (.set, .move), (.dictionary, .move): break
        }
        flush(transaction)
    }

    /// Records the assignment of a collection of an older object, after edits that weren't recorded.
    ///
    /// - Parameter hidden: the hidden links of a list, which remain.
    func assigned(_ column: Column, _ key: ObjectKey, hidden: HiddenLinks, in transaction: WriteTransaction) {
        if isNested || column.isHidden { return }
        hiddenBefore = nil
        let links = transaction.hiddenLinks(column, key)
        told(column, key, links: column.collection == .list ? hidden : links, in: transaction)
        switch column.collection {
        case .list:
            // The elements follow as inserts, which contain their positions among all elements, including hidden ones.
            take(.assign(.values([])), in: column, of: key)
            var shown = 0
            for range in links.stored(ofShown: 0..<transaction.listCount(column, key)) {
                let values = transaction.listValues(column, key, in: shown..<shown + range.count)
                shown += range.count
                take(.insert(at: range.lowerBound, values), in: column, of: key)
            }
        case .set: take(.assign(.values(transaction.listValues(column, key))), in: column, of: key)
        case .dictionary:
            let entries = transaction.dictionaryEntries(column, key)
            take(.assign(.entries(entries.map { NestedDictionary.Entry($0.key, $0.value) })), in: column, of: key)
        case .none: break
        }
        flush(transaction)
    }

    private func takeEntry(_ i: Int, of column: Column, key: ObjectKey, in transaction: WriteTransaction) {
        let name = transaction.dictionaryKey(column, key, at: i)
        take(.setEntry(name, transaction.dictionaryValue(column, key, at: i)), in: column, of: key)
    }

    private func take(_ edit: CollectionEdit, in column: Column, of key: ObjectKey) {
        let object = JournalObject(tableID: column.tableID, key: key)
        if object == going || column.isHidden { return }
        closeRun()
        writer.edit(JournalProperty(object, column: column.id), edit, cause: cause)
        mentioned.insert(object)
        if isExact { edited.insert(object) }
        switch edit {
        case .insert(_, let values): for value in values { mention(value, column) }
        case .set(_, let value), .insertValue(let value), .removeValue(let value), .setEntry(_, let value):
            mention(value, column)
        case .assign(.values(let values)): for value in values { mention(value, column) }
        case .assign(.entries(let entries)): for entry in entries { mention(entry.value, column) }
        case .nested(let edit):
            switch edit.change {
            case .list(let values): for value in values { mention(value, column) }
            case .entries(let entries, _): for entry in entries { mention(entry.value, column) }
            }
        default: break
        }
    }

    func mention(_ value: Value, _ column: Column) {
        if case .link(let key) = value, let table = column.targetTableID {
            let target = JournalObject(tableID: table, key: key)
            if isExact, ownedTables.contains(table), !isMade(target) { carried.insert(target) }
            mention(target)
        } else if column.type == .mixed {
            value.forEachObjectLink { mention($0) }
        }
    }

    private func mention(_ object: JournalObject) {
        if object.key.isPlaceholder { missing.insert(object) } else { mentioned.insert(object) }
    }

    /// Records the edit of a list or dictionary inside a mixed value of an older object.
    ///
    /// - Parameter wasSet: whether this transaction has set the property's value before.
    func nestedEdited(
        _ column: Column,
        _ key: ObjectKey,
        edit: NestedEdit,
        wasSet: Bool,
        in transaction: WriteTransaction
    ) {
        if column.isHidden { return }
        let property = JournalProperty(JournalObject(tableID: column.tableID, key: key), column: column.id)
        if column.collection == .none {
            // The value at the end of the transaction is sufficient.
            if wasSet, !nested.contains(property) { return }
            nested.insert(property)
        }
        if isExact {
            hiddenBefore = nil
            take(.nested(transaction.stored(edit, in: column, of: key)), in: column, of: key)
        } else {
            take(.nested(edit), in: column, of: key)
        }
        flush(transaction)
    }

    /// Records that the value of a single mixed property was replaced.
    func wasSet(_ column: Column, _ key: ObjectKey) {
        if isNested || nested.isEmpty { return }
        nested.remove(JournalProperty(JournalObject(tableID: column.tableID, key: key), column: column.id))
    }

    /// Records that a single-valued property of an older object has a new value because the target of its link is being deleted.
    ///
    /// - Parameter wasSet: whether the transaction has set the property before. In this case, the change doesn't follow from the previous committed
    ///   value.
    func followed(_ column: Column, _ key: ObjectKey, value: Value, wasSet: Bool) {
        if wasSet || column.isHidden { return }
        followed[JournalProperty(JournalObject(tableID: column.tableID, key: key), column: column.id)] = value
    }

    func markedDefault(_ column: Column, _ key: ObjectKey, value: Value) {
        defaults[JournalColumn(table: column.tableID, column: column.id), default: []].append((key, value.hashValue))
    }

    /// Records hidden links of a property: before the first edit of a list, before each clear of other collections, and after each edit inside a
    /// mixed value.
    func unshown(
        _ column: Column,
        _ key: ObjectKey,
        links: HiddenLinks,
        again: Bool = false,
        in transaction: WriteTransaction
    ) {
        if isSilent || links.isEmpty || !transaction.isOld(column, key) { return }
        if isExact {
            let property = JournalProperty(JournalObject(tableID: column.tableID, key: key), column: column.id)
            // For an edit with several steps, the state before the first step counts.
            if hiddenBefore?.property != property { hiddenBefore = (property, links) }
            return
        }
        let property = JournalProperty(JournalObject(tableID: column.tableID, key: key), column: column.id)
        if column.collection == .list, !toldUnshown.insert(property).inserted, !again { return }
        closeRun()
        writer.unshown(property, transaction.unshown(links, column))
        mentioned.insert(property.object)
        flush(transaction)
    }

    func addedInList(_ column: Column, _ key: ObjectKey, at i: Int, delta: Int64, in transaction: WriteTransaction) {
        let place = isExact ? transaction.hiddenLinks(column, key).stored(ofShown: i) : i
        take(.add(at: place, delta), in: column, of: key)
    }

    // MARK: Exact entries

    /// Returns the hidden links of a list before an edit, and the edit. The positions of a move are converted to stored positions.
    private func stored(
        _ operation: ListEdit.Operation,
        in column: Column,
        of key: ObjectKey,
        transaction: WriteTransaction
    ) -> (HiddenLinks, ListEdit.Operation) {
        guard isExact, column.collection == .list else { return (HiddenLinks(), operation) }
        let property = JournalProperty(JournalObject(tableID: column.tableID, key: key), column: column.id)
        let old = hiddenBefore?.property == property ? hiddenBefore!.links : HiddenLinks()
        hiddenBefore = nil
        switch operation {
        case .move(let from, let to):
            let new = transaction.hiddenLinks(column, key)
            return (old, .move(from: old.stored(ofShown: from), to: new.stored(ofShown: to)))
        default: return (old, operation)
        }
    }

    /// Records the exchange of two elements of a list. The first one precedes the second one.
    func swapped(_ column: Column, _ key: ObjectKey, at i: Int, and j: Int, in transaction: WriteTransaction) {
        let links = transaction.hiddenLinks(column, key)
        let (a, b) = (links.stored(ofShown: i), links.stored(ofShown: j))
        hiddenBefore = nil
        take(.move(from: b, to: a), in: column, of: key)
        if b > a + 1 { take(.move(from: a + 1, to: b), in: column, of: key) }
        flush(transaction)
    }

    private func told(_ column: Column, _ key: ObjectKey, links: HiddenLinks, in transaction: WriteTransaction) {
        guard isExact else { return unshown(column, key, links: links, in: transaction) }
        if isSilent || links.isEmpty { return }
        closeRun()
        let property = JournalProperty(JournalObject(tableID: column.tableID, key: key), column: column.id)
        writer.unshown(property, transaction.unshown(links, column))
    }

    private func isMade(_ object: JournalObject) -> Bool {
        if let run, run.table == object.tableID, object.key.raw >= run.first { return true }
        return made[object.tableID]?.contains { $0.contains(object.key.raw) } ?? false
    }

    func addedInDictionary(_ column: Column, _ key: ObjectKey, forKey name: String, delta: Int64) {
        take(.addToEntry(name, delta), in: column, of: key)
    }

    // MARK: The entry

    /// Writes the bytes that fill a block. It is called between operations.
    func flush(_ transaction: WriteTransaction) {
        guard writer.bytes.bytes.count >= Journal.blockSize, !isAside else { return }
        flushBlocks(transaction, all: false)
    }

    private func flushBlocks(_ transaction: WriteTransaction, all: Bool) {
        let bytes = writer.bytes.take()
        var from = 0
        while bytes.count - from >= Journal.blockSize || (all && from < bytes.count) {
            let end = min(bytes.count, from + Journal.blockSize)
            written += 1
            bytes[from..<end].withUnsafeBytes {
                transaction.putBlock(Catalogue.journalSegment, position + written, bytes: $0)
            }
            from = end
        }
        writer.bytes.raw(Array(bytes[from...]))
        transaction.spillIfOverBudget()
    }

    /// The number of bytes so far. Until the entry ends, only whole blocks are written.
    private var length: Int { Int(written) * Journal.blockSize + writer.bytes.bytes.count }

    /// Writes the entry. The transaction must be settled.
    func finish(in transaction: WriteTransaction, _ state: inout JournalState) throws(EngineError) {
        closeRun()
        let logLength = length
        if transaction.schemaChanged { schema(transaction) }
        for table in made.keys.sorted() { rows(table, transaction) }
        writer.bytes.raw(handedOver.take())
        if isExact { carriedRows(transaction) }
        writeDefaults(transaction)
        fields(transaction)
        if isExact { writeImages(transaction) }
        names(transaction)
        if isExact { writeMissing(transaction) }
        var header = Journal.Header(
            number: state.nextNumber,
            blocks: 1,
            madeVersion: transaction.nextVersion,
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
        first.withUnsafeBytes { transaction.putBlock(Catalogue.journalSegment, position, bytes: $0) }
        state.next = position + header.blocks
        state.nextNumber += 1
    }
}

struct JournalColumn: Hashable {
    let table: Int
    let column: Int
}

extension NestedEdit {
    /// Creates the edit between two states of a nested collection.
    init(place: NestedSubscript, in root: Value, id: UInt64, from old: Value, to new: Value) {
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
    /// Returns the path from this value to the list or dictionary with that id, or `nil` if it isn't inside this value.
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
