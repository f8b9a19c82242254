public import FreeholdEngine

/// A commit of a Freehold file as edits with stored positions. It is read from the journal alone.
///
/// The entry of the journal must be exact (`JournalChange.exact`). Consequences of deletions are left out, because
/// every client and the server derive them from the deletion.
public struct FileCommit {
    /// The edits in the order in which they were done. Edits inside of embedded objects are at the end.
    public private(set) var edits: [LocalEdit] = []
    /// The earlier content of objects that existed before the commit and for which the entry has images.
    public private(set) var before: [ObjectName: [SyncString: MergedContent]] = [:]
    /// The earlier values of hidden columns of these objects, by the names of the columns.
    public private(set) var hiddenBefore: [ObjectName: [String: Value]] = [:]
    /// The random bits that the entry received when it was created. `nil` in entries of earlier versions of the
    /// library.
    public private(set) var identity: UInt64?
    private let schema: DatabaseSchema
    private var after: EntryContents
    private var made: [Int: [Range<Int64>]] = [:]
    private var defaults: [JournalProperty: Int] = [:]
    private var owners: [JournalObject: JournalProperty] = [:]
    private var places: [JournalObject: NestedSubscript] = [:]
    private var isExact = false
    private var inner: [LocalEdit] = []
    /// The links that a collection didn't show when it was cleared.
    private var unshown: [JournalProperty: [UnshownLink]] = [:]

    /// - Parameter schema: The schema of the file.
    /// - Throws: `.invalidDatabase` if the entry is damaged, or isn't exact.
    public init(_ entry: JournalEntry, schema: DatabaseSchema) throws(EngineError) {
        self.schema = schema
        after = EntryContents(schema)
        var changes: [JournalChange] = []
        try entry.forEach { changes.append($0) }
        for change in changes { note(change) }
        guard isExact else {
            throw EngineError(.invalidDatabase, "The journal's entry at \(entry.position) isn't exact.")
        }
        readImages(changes)
        for change in changes { read(change) }
        edits += inner
    }

    // MARK: Lookup

    private mutating func note(_ change: JournalChange) {
        switch change {
        case .exact: isExact = true
        case .identity(let bits): identity = bits
        case .made(let table, let first, let count):
            guard count > 0, !first.raw.addingReportingOverflow(Int64(count)).overflow else { return }
            made[table, default: []].append(first.raw..<first.raw + Int64(count))
        case .defaults(let first, let count): defaults[first] = count
        case .named(let object, .owner(let owner)): owners[object] = owner
        case .named(let object, .primaryKey(let value)): after.names[object] = FileContents.key(value)
        case .placed(let object, let place): places[object] = place
        case .gone(let object, let key, _): after.names[object] = key.flatMap(FileContents.key)
        case .row(let property, let content):
            after.fields[property.object, default: [:]][property.column] = content
            guard let table = schema.table(id: property.object.tableID), table.primaryKey?.id == property.column,
                case .value(let value) = content
            else { return }
            after.names[property.object] = FileContents.key(value)
        default: break
        }
    }

    private mutating func readImages(_ changes: [JournalChange]) {
        var images: [(JournalObject, PrimaryKey)] = []
        var contents = EntryContents(schema)
        contents.names = after.names
        var changesSchema = false
        for change in changes {
            switch change {
            case .schema: changesSchema = true
            case .image(let object, let key):
                if let key = key.flatMap(FileContents.key) { images.append((object, key)) }
            case .before(let property, let content):
                contents.fields[property.object, default: [:]][property.column] = content
            default: break
            }
        }
        if changesSchema {
            // Values that a migration stores in new columns aren't sent. They count as part of the state before the
            // commit.
            contents.fields.merge(after.fields) { $0.merging($1) { $1 } }
        }
        for (object, key) in images {
            guard let table = schema.table(id: object.tableID), table.imageColumn != nil else { continue }
            let name = ObjectName(SyncString(table.name), key)
            before[name] = contents.contents(object, table)
            for column in table.hiddenColumns {
                if case .value(let value)? = contents.fields[object]?[column.id] {
                    hiddenBefore[name, default: [:]][column.name] = value
                }
            }
        }
    }

    private func isMade(_ object: JournalObject) -> Bool {
        made[object.tableID]?.contains { $0.contains(object.key.raw) } ?? false
    }

    /// Returns whether the edits contain the whole object in its final state. That is true of objects that the commit
    /// creates or moves to another owner.
    private func isWhole(_ object: JournalObject) -> Bool { isMade(object) || after.fields[object] != nil }

    private func isDefault(_ column: Int, _ object: JournalObject) -> Bool {
        defaults.contains { first, count in
            first.column == column && first.object.tableID == object.tableID
                && first.object.key.raw <= object.key.raw
                && object.key.raw - first.object.key.raw < Int64(count)
        }
    }

    private func column(_ property: JournalProperty) -> Column? {
        guard
            let column = schema.table(id: property.object.tableID)?.columns.first(where: { $0.id == property.column }),
            schema.syncs(column)
        else { return nil }
        return column
    }

    /// Returns the place of a property. The steps lead through the embedded objects around the property.
    private func place(_ property: JournalProperty, depth: Int = 0) -> (place: LocalPlace, isEmbedded: Bool)? {
        guard let column = column(property), let table = schema.table(id: property.object.tableID), depth < 1_000 else {
            return nil
        }
        let name = SyncString(column.name)
        guard table.isEmbedded else {
            return after.name(table.id, property.object.key).map { (LocalPlace($0, name), false) }
        }
        guard let owner = owners[property.object], let at = places[property.object] else { return nil }
        // An edit with the new owner already contains everything inside it.
        if isWhole(owner.object) || isWhole(property.object) { return nil }
        guard let (place, _) = self.place(owner, depth: depth + 1) else { return nil }
        switch at {
        case .property: return (place.property(name), true)
        case .element(let index): return (place.element(index).property(name), true)
        case .entry(let key): return (place.entry(SyncString(key)).property(name), true)
        }
    }

    private mutating func add(_ edit: LocalEdit, _ isEmbedded: Bool) {
        if isEmbedded { inner.append(edit) } else { edits.append(edit) }
    }

    // MARK: Reading

    private mutating func read(_ change: JournalChange) {
        switch change {
        case .made(let id, let first, let count):
            guard let table = schema.table(id: id), table.imageColumn != nil, count > 0 else { return }
            for offset in 0..<Int64(count) { create(table, ObjectKey(first.raw &+ offset)) }
        case .gone(let object, _, let cause): delete(object, cause)
        case .set(let property, let value, _):
            guard !isWhole(property.object), let column = column(property), let (place, isEmbedded) = place(property)
            else { return }
            let isDefault = isDefault(column.id, property.object)
            add(.set(place, after.content(value, column), isDefault ? .byDefault : .real), isEmbedded)
        case .added(let property, let number):
            guard !isWhole(property.object), let (place, isEmbedded) = place(property) else { return }
            add(.increment(place, number), isEmbedded)
        case .unshown(let property, let links): unshown[property] = links
        case .edited(let property, let edit, _): read(edit, property)
        default: break
        }
    }

    private mutating func create(_ table: Table, _ key: ObjectKey) {
        let object = JournalObject(tableID: table.id, key: key)
        // The journal doesn't record an object that was created and deleted in the same commit.
        guard after.fields[object] != nil, let name = after.name(table.id, key) else { return }
        let byDefault = table.columns.filter { isDefault($0.id, object) }.map { SyncString($0.name) }
        edits.append(.create(name, after.contents(object, table), defaults: Set(byDefault)))
    }

    private mutating func delete(_ object: JournalObject, _ cause: ChangeCause) {
        guard !isMade(object), let name = after.name(object.tableID, object.key) else { return }
        guard cause == .cascade, let first = lastDeletion else {
            edits.append(.delete(name, .edit))
            return
        }
        edits.append(.delete(name, .cascade(of: first)))
    }

    /// The object whose deletion caused the next cascaded deletions.
    private var lastDeletion: ObjectName? {
        for case .delete(let name, .edit) in edits.reversed() { return name }
        return nil
    }

    private mutating func read(_ edit: CollectionEdit, _ property: JournalProperty) {
        guard !isWhole(property.object), let column = column(property), let (place, isEmbedded) = place(property) else {
            return
        }
        switch edit {
        case .insert(let at, let values):
            let contents = values.map { after.content($0, column) }
            if case .assignList(place, let hidden, _, [])? = isEmbedded ? inner.last : edits.last {
                removeLast(isEmbedded)
                add(.assignList(place, hidden: hidden, at: at, contents), isEmbedded)
            } else {
                add(.insert(place, at: at, contents), isEmbedded)
            }
        case .remove(let at, let count): add(.remove(place, at: at, count: count), isEmbedded)
        case .set(let at, let value): add(.set(place.element(at), after.content(value, column), .real), isEmbedded)
        case .move(let from, let to): add(.move(place, from: from, to: to), isEmbedded)
        case .clear: clear(property, column, place, isEmbedded)
        case .assign(let content): assign(content, to: property, column, at: place, isEmbedded: isEmbedded)
        case .add(let at, let number): add(.increment(place.element(at), number), isEmbedded)
        case .insertValue(let value): add(.insertIntoSet(place, [after.value(value, column)]), isEmbedded)
        case .removeValue(let value): add(.removeFromSet(place, [after.value(value, column)]), isEmbedded)
        case .setEntry(let key, let value):
            add(.set(place.entry(SyncString(key)), after.content(value, column), .real), isEmbedded)
        case .removeEntry(let key): add(.removeEntry(place.entry(SyncString(key))), isEmbedded)
        case .addToEntry(let key, let number): add(.increment(place.entry(SyncString(key)), number), isEmbedded)
        case .nested(let nested): read(nested, column, place, isEmbedded)
        }
    }

    private mutating func clear(_ property: JournalProperty, _ column: Column, _ place: LocalPlace, _ isEmbedded: Bool)
    {
        let hidden = hidden(property)
        switch column.collection {
        case .list: add(.clearList(place, hidden: hidden.positions), isEmbedded)
        case .set: add(.clearSet(place, hidden: hidden.values), isEmbedded)
        case .dictionary: add(.clearDictionary(place, hidden: hidden.keys), isEmbedded)
        case .none: break
        }
    }

    private mutating func assign(
        _ content: JournalContent,
        to property: JournalProperty,
        _ column: Column,
        at place: LocalPlace,
        isEmbedded: Bool
    ) {
        let hidden = hidden(property)
        switch (content, column.collection) {
        case (.values, .list):
            // The new elements follow as an insert.
            let left = hidden.positions
            add(.assignList(place, hidden: left, at: left.count, []), isEmbedded)
        case (.values(let values), .set):
            let values = values.map { after.value($0, column) }
            add(.assignSet(place, hidden: hidden.values, values), isEmbedded)
        case (.entries(let entries), .dictionary):
            let new = entries.map { (SyncString($0.key), after.content($0.value, column)) }
            let contents = Dictionary(new, uniquingKeysWith: { $1 })
            add(.assignDictionary(place, hidden: hidden.keys, contents), isEmbedded)
        default: break
        }
    }

    private mutating func removeLast(_ isEmbedded: Bool) {
        if isEmbedded { inner.removeLast() } else { edits.removeLast() }
    }

    /// The parts of a collection that weren't shown before it was cleared or assigned.
    private struct Hidden {
        /// The positions, in rising order.
        var positions: [Int] = []
        var values: [SyncValue] = []
        var keys: [SyncString] = []
    }

    private mutating func hidden(_ property: JournalProperty) -> Hidden {
        var hidden = Hidden()
        for link in unshown.removeValue(forKey: property) ?? [] where link.path.isEmpty {
            switch link.place {
            case .element(let index): hidden.positions.append(index)
            case .entry(let key): hidden.keys.append(SyncString(key))
            case .property: break
            }
            if let table = schema.table(id: link.table), let key = FileContents.key(link.primaryKey) {
                hidden.values.append(.link(ObjectName(SyncString(table.name), key)))
            }
        }
        hidden.positions.sort()
        return hidden
    }

    // MARK: Mixed values

    private mutating func read(_ edit: NestedEdit, _ column: Column, _ root: LocalPlace, _ isEmbedded: Bool) {
        var inner = root
        switch edit.place {
        case .property: break
        case .element(let index): inner = root.element(index)
        case .entry(let key): inner = root.entry(SyncString(key))
        }
        for case .entry(let key) in edit.path { inner = inner.nested(SyncString(key)) }
        switch edit.change {
        case .list(let values):
            add(.set(inner, .value(.list(values.map { after.value($0, column) })), .real), isEmbedded)
        case .entries(let entries, let removed):
            for key in removed { add(.removeEntry(inner.nested(SyncString(key))), isEmbedded) }
            for entry in entries {
                let value = after.value(entry.value, column)
                add(.set(inner.nested(SyncString(entry.key)), .value(value), .real), isEmbedded)
            }
        }
    }
}
