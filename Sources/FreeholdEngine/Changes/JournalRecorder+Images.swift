/// The additional content of exact entries (`JournalChange.exact`).
extension JournalRecorder {
    /// Writes the older embedded objects that were moved to another place, with their whole content.
    func carriedRows(_ transaction: WriteTransaction) {
        var open = carried.sorted { ($0.tableID, $0.key) < ($1.tableID, $1.key) }
        var known = carried
        while let object = open.popLast() {
            guard let table = transaction.schema.table(id: object.tableID), transaction.contains(table, object.key)
            else { continue }
            for column in table.columns {
                contents(column, [object.key], as: .rows, in: transaction)
                guard transaction.schema.ownsTargets(column) else { continue }
                transaction.forEachTarget(column, object.key) { if known.insert($0).inserted { open.append($0) } }
            }
        }
    }

    /// Writes the state before the commit of the objects that the commit changed.
    func writeImages(_ transaction: WriteTransaction) {
        var targets: Set<JournalObject> = []
        for object in images {
            guard let table = transaction.base.schema.table(id: object.tableID) else { continue }
            writer.begin(.image)
            writer.object(object.tableID, object.key.raw)
            writer.optional(table.primaryKey.map { transaction.base.value($0, object.key) })
            image(table, object.key, in: transaction, targets: &targets)
        }
        for target in targets.sorted(by: { ($0.tableID, $0.key) < ($1.tableID, $1.key) }) {
            guard let table = transaction.base.schema.table(id: target.tableID),
                let primaryKey = transaction.base.primaryKey(ofStored: target.key, in: table)
            else { continue }
            writer.called(target, primaryKey)
            flush(transaction)
        }
    }

    private func image(
        _ table: Table,
        _ key: ObjectKey,
        in transaction: WriteTransaction,
        targets: inout Set<JournalObject>
    ) {
        let base = transaction.base
        var owned: [JournalObject] = []
        for column in table.storedColumns where !column.isPrimaryKey && column.name != Table.imageColumnName {
            let owns = base.schema.ownsTargets(column)
            func mention(_ value: Value) {
                if case .link(let key) = value, let id = column.targetTableID {
                    let target = JournalObject(tableID: id, key: key)
                    if owns { owned.append(target) } else { targets.insert(target) }
                } else if column.type == .mixed {
                    value.forEachObjectLink { targets.insert($0) }
                }
            }
            let content: JournalContent
            switch column.collection {
            case .none: content = .value(base.storedValue(column, key))
            case .list, .set: content = .values(base.storedElements(column, key))
            case .dictionary:
                let entries = base.storedDictionaryEntries(column, key)
                content = .entries(entries.map { NestedDictionary.Entry($0.key, $0.value) })
            }
            switch content {
            case .value(let value): mention(value)
            case .values(let values): values.forEach(mention)
            case .entries(let entries): for entry in entries { mention(entry.value) }
            }
            writer.before(column, key, content: content)
            flush(transaction)
        }
        for object in owned {
            guard let table = base.schema.table(id: object.tableID) else { continue }
            image(table, object.key, in: transaction, targets: &targets)
        }
    }

    /// Writes the identification of missing objects to which values of the entry link.
    func writeMissing(_ transaction: WriteTransaction) {
        for object in missing.sorted(by: { ($0.tableID, $0.key) < ($1.tableID, $1.key) }) {
            guard let table = transaction.schema.table(id: object.tableID),
                let primaryKey = transaction.primaryKey(ofPlaceholder: object.key, in: table)
            else { continue }
            writer.called(object, primaryKey)
            flush(transaction)
        }
    }
}

extension Table {
    static let imageColumnName = "@image"

    fileprivate func isImaged(_ key: String, _ names: Set<String>?) -> Bool {
        !isEmbedded && primaryKey?.name == key && names?.contains(name) ?? true
    }
}

extension DatabaseSchema {
    static let exactTableName = "@exact"

    /// The tables whose images the journal keeps: the name of the tables' primary key, and the names of the tables, or `nil` for all tables with this
    /// key. Both are stored as names of a hidden table's columns.
    fileprivate var imagedTables: (key: String, names: Set<String>?)? {
        guard let columns = hiddenTable(named: Self.exactTableName)?.columns, let key = columns.first else {
            return nil
        }
        return (key.name, columns.count == 1 ? nil : Set(columns.dropFirst().map { String($0.name.dropFirst()) }))
    }

    /// A Boolean value that indicates whether entries of the journal are exact.
    var hasExactJournal: Bool {
        hiddenTable(named: Self.exactTableName) != nil || tables.contains { $0.imageColumn != nil }
    }
}

extension DataView {
    /// Returns the primary key of an object, or of the missing object that a placeholder stands for.
    func primaryKey(ofStored key: ObjectKey, in table: Table) -> Value? {
        if key.isPlaceholder { return primaryKey(ofPlaceholder: key, in: table) }
        guard let column = table.primaryKey, contains(table, key) else { return nil }
        return value(column, key)
    }

    /// Returns all elements of a list or a set.
    func storedElements(_ column: Column, _ key: ObjectKey) -> [Value] {
        column.collection == .list ? storedListValues(column, key) : storedSetValues(column, key)
    }

    /// Returns the place of an embedded object in a property of its owner.
    func place(of key: ObjectKey, _ column: Column, _ owner: ObjectKey) -> NestedSubscript? {
        switch column.collection {
        case .none: .property
        case .list, .set: listValues(column, owner).firstIndex(of: .link(key)).map { .element($0) }
        case .dictionary: dictionaryEntries(column, owner).first { $0.value == .link(key) }.map { .entry($0.key) }
        }
    }
}

extension WriteTransaction {
    /// Makes the journal exact from now on (`JournalChange.exact`). For each object of the table, the journal contains the state before the first
    /// commit that changes the object. A reader of the journal that keeps this state itself, or doesn't need the object any more, marks this in the
    /// returned hidden column. The value is true while the object doesn't need an image.
    ///
    /// Deletions of the table's objects by journalled commits leave placeholders. Links to them remain and are hidden.
    /// - Throws: `.invalidArgument` for a table without a primary key; otherwise like `addHiddenColumn`.
    /// - Complexity: O(columns)
    public func keepImages(of table: Table) throws(EngineError) -> Column {
        guard table.primaryKey != nil else {
            throw EngineError(.invalidArgument, "Images of objects of '\(table.name)' need a primary key.")
        }
        return try addHiddenColumn(ColumnSpec(Table.imageColumnName, .bool), to: table)
    }

    /// Makes the journal exact from now on. All tables with a primary key of this name keep images (`keepImages(of:)`), including tables that a later
    /// commit of any process creates. Other tables stop keeping images.
    ///
    /// - Parameter names: the names of the tables, or `nil` for all tables with such a key.
    /// - Parameter key: the name of the primary key's column.
    /// - Throws: like `addHiddenTable`.
    /// - Complexity: O(tables)
    public func keepImages(ofTablesKeyed key: String, named names: Set<String>? = nil) throws(EngineError) {
        try checkHidden(key)
        let wanted = currentSchema.imagedTables
        if wanted?.key != key || wanted?.names != names {
            if let old = currentSchema.hiddenTable(named: DatabaseSchema.exactTableName) { dropHiddenTable(old) }
            let columns = [key] + (names ?? []).sorted().map { "=" + $0 }
            schemaChanged = true
            addTables(
                [TableSpec(DatabaseSchema.exactTableName, columns: columns.map { ColumnSpec($0, .bool) })],
                areKeyed: true,
                areHidden: true
            )
            drop(currentSchema.tables.filter { !$0.isImaged(key, names) }.compactMap(\.imageColumn))
        }
        try addImages()
    }

    /// Enables images for new tables.
    func addImages() throws(EngineError) {
        guard let wanted = currentSchema.imagedTables else { return }
        let new = currentSchema.tables.filter { $0.imageColumn == nil && $0.isImaged(wanted.key, wanted.names) }
        try addHiddenColumns([ColumnSpec(Table.imageColumnName, .bool)], to: new)
    }

    /// Records the older objects that the commit changes, and marks them. It is called before the commit's blocks are written.
    func noteImages() {
        guard let journal, journal.isExact else { return }
        var roots: Set<JournalObject> = []
        func note(_ object: JournalObject) {
            var object = object
            while let table = currentSchema.table(id: object.tableID), contains(table, object.key) {
                if table.isEmbedded {
                    guard let owner = owner(table, object.key) else { return }
                    object = JournalObject(tableID: owner.column.tableID, key: owner.key)
                } else {
                    if table.imageColumn != nil { roots.insert(object) }
                    return
                }
            }
        }
        for object in journal.takeEdited() { note(object) }
        for case let overlay? in tables
        where !overlay.table.isHidden && (overlay.table.isEmbedded || overlay.table.imageColumn != nil) {
            for case let columns? in overlay.columns
            where columns.column.collection == .none && !columns.column.isHidden {
                columns.forEachModified(clusterSpan: clusterSpan) { key in
                    note(JournalObject(tableID: overlay.table.id, key: key))
                }
                for key in columns.added.keys { note(JournalObject(tableID: overlay.table.id, key: key)) }
            }
        }
        for object in roots.sorted(by: { ($0.tableID, $0.key) < ($1.tableID, $1.key) }) {
            guard needsImage(object), let column = currentSchema.table(id: object.tableID)?.imageColumn else {
                continue
            }
            journal.images.append(object)
            setBool(column, object.key, to: true)
        }
        for object in journal.imagedGone where needsImage(object) { journal.images.append(object) }
    }

    /// Returns the ids of the tables with images of which the transaction edits older objects. Edits include properties, collections, and the content
    /// of owned embedded objects. A link that became null because its target was deleted isn't an edit.
    ///
    /// - Complexity: O(changes)
    package func editedTables() -> Set<Int> {
        guard let journal, journal.isExact else { return [] }
        var ids: Set<Int> = []
        func note(_ object: JournalObject) {
            var object = object
            while let table = currentSchema.table(id: object.tableID), contains(table, object.key) {
                guard table.isEmbedded else {
                    let isNew = tables[table.id].map { object.key.raw >= $0.firstNewKey } ?? false
                    if table.imageColumn != nil, !isNew { ids.insert(table.id) }
                    return
                }
                guard let owner = owner(table, object.key) else { return }
                object = JournalObject(tableID: owner.column.tableID, key: owner.key)
            }
        }
        var edited = journal.edited
        for id in edited.tableIDs { for key in edited.take(id) { note(JournalObject(tableID: id, key: key)) } }
        for case let overlay? in tables where !overlay.table.isHidden {
            for case let columns? in overlay.columns
            where columns.column.collection == .none && !columns.column.isHidden {
                let column = columns.column
                columns.forEachModified(clusterSpan: clusterSpan) { key in
                    let object = JournalObject(tableID: overlay.table.id, key: key)
                    let property = JournalProperty(object, column: column.id)
                    let followed = journal.followed[property] ?? journal.shown[property]
                    if let followed, contains(overlay.table, key), followed == value(column, key) { return }
                    note(object)
                }
                for key in columns.added.keys { note(JournalObject(tableID: overlay.table.id, key: key)) }
            }
        }
        return ids
    }

    private func needsImage(_ object: JournalObject) -> Bool {
        guard let table = base.schema.table(id: object.tableID), let column = table.imageColumn,
            base.contains(table, object.key)
        else { return false }
        return base.value(column, object.key) != .bool(true)
    }

    /// Returns the edit with the links to missing objects. A list inside it is recorded completely.
    func stored(_ edit: NestedEdit, in column: Column, of key: ObjectKey) -> NestedEdit {
        var root: Value?
        var place = edit.place
        switch edit.place {
        case .property: root = storedValue(column, key)
        case .element(let i):
            let stored = storedIndex(column, key, ofShown: i)
            place = .element(stored)
            let values = storedListValues(column, key)
            if values.indices.contains(stored) { root = values[stored] }
        case .entry(let name):
            root = storedDictionaryEntries(column, key).first { Value.compareBytes($0.key, with: name) == 0 }?.value
        }
        var path: [NestedEdit.Step] = []
        for step in edit.path {
            if case .list(let list)? = root { return NestedEdit(place: place, path: path, change: .list(list.values)) }
            guard case .entry(let name) = step, case .dictionary(let dictionary)? = root else { break }
            path.append(step)
            root = dictionary[name]
        }
        switch (edit.change, root) {
        case (_, .list(let list)?): return NestedEdit(place: place, path: path, change: .list(list.values))
        case (.entries(let entries, let removed), .dictionary(let dictionary)?):
            let entries = entries.map { NestedDictionary.Entry($0.key, dictionary[$0.key] ?? $0.value) }
            return NestedEdit(place: place, path: path, change: .entries(entries, removed: removed))
        default: return NestedEdit(place: place, path: edit.path, change: edit.change)
        }
    }

    /// Replaces links to an object of a table with images, which is being deleted, by links to a placeholder.
    ///
    /// - Returns: false if a placeholder isn't possible. The links are then removed.
    func hideLinks(to table: Table, _ key: ObjectKey) -> Bool {
        guard keepsLinks(to: table) else { return false }
        do throws(EngineError) {
            try leavePlaceholder(table, key)
            return true
        } catch {
            return false
        }
    }

    /// Returns whether links to deleted objects of the table remain as links to placeholders.
    func keepsLinks(to table: Table) -> Bool { journal != nil && table.imageColumn != nil && !table.isAsymmetric }
}
