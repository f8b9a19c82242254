extension WriteTransaction {
    // MARK: Placeholders

    /// Returns the key by which links refer to the object with that primary key. If the object is missing, it is the key of a placeholder, which is
    /// created if necessary.
    ///
    /// The key of a placeholder can be passed to the functions that write the stored content (`setStored` and so on), in this transaction and later
    /// ones. A placeholder that has no links is deleted at commit.
    /// - Throws: `.invalidArgument` for a table without a primary key or a value of another type; `.missingValue`, `.limitExceeded`;
    ///   `.unsupportedFormat` in a file before format 5. The transaction is unchanged then.
    /// - Complexity: O(log n)
    public func reference(to table: Table, primaryKey: Value) throws(EngineError) -> ObjectKey {
        guard let column = table.primaryKey, !table.isHidden else {
            throw EngineError(
                .invalidArgument,
                "Links to objects of '\(table.name)' that don't exist need a primary key."
            )
        }
        try check(primaryKey, column)
        if let key = find(primaryKey: primaryKey, in: table) { return key }
        let placeholders = try placeholderTable(of: table)
        if let found = find(primaryKey: primaryKey, in: placeholders) { return ObjectKey(placeholder: found) }
        return try makePlaceholder(primaryKey, of: table, in: placeholders)
    }

    private func makePlaceholder(
        _ primaryKey: Value,
        of table: Table,
        in placeholders: Table
    ) throws(EngineError) -> ObjectKey {
        let made = try create(placeholders, primaryKey: primaryKey)
        unlinkedPlaceholders.insert(ObjectLink(tableID: placeholders.id, key: made))
        tables[table.id]?.hasPlaceholders = true
        return ObjectKey(placeholder: made)
    }

    private func placeholderTable(of table: Table) throws(EngineError) -> Table {
        if let found = currentSchema.placeholders(of: table.id) {
            if found.primaryKey?.type == table.primaryKey?.type { return found }
            // The class has a different primary key now.
            dropPlaceholders(found)
        }
        try checkHidden(table.name)
        schemaChanged = true
        addTables([TableSpec.placeholders(of: table)], areKeyed: true, areHidden: true)
        return currentSchema.placeholders(of: table.id)!
    }

    /// Deletes an object and leaves a placeholder. Links to the object remain and are hidden. The embedded objects that it owns are deleted with it.
    /// Delete rules aren't applied. It does nothing if the object doesn't exist.
    ///
    /// - Throws: like `reference(to:primaryKey:)`.
    /// - Complexity: like `delete(_:_:)`, plus an edit of each collection with a link to the object.
    public func deleteLeavingPlaceholder(_ table: Table, _ key: ObjectKey) throws(EngineError) {
        guard contains(table, key) else { return }
        resolvePlaceholders()
        try leavePlaceholder(table, key)
        delete(overlay(table), currentSchema.linkColumns(to: table), key: key)
        deleteOrphans()
    }

    /// Replaces all links to an object that is about to be deleted by links to a placeholder.
    func leavePlaceholder(_ table: Table, _ key: ObjectKey) throws(EngineError) {
        guard let column = table.primaryKey else {
            throw EngineError(
                .invalidArgument,
                "Links to objects of '\(table.name)' that don't exist need a primary key."
            )
        }
        let placeholders = try placeholderTable(of: table)
        let new = try makePlaceholder(value(column, key), of: table, in: placeholders)
        let link = ObjectLink(tableID: table.id, key: key)
        withoutJournal {
            var done: Set<JournalProperty> = []
            for (column, origin) in allBacklinks(table, key) {
                let column = currentSchema.table(of: column).storedColumns[column.index]
                guard !column.isHidden, (column.tableID, origin) != (table.id, key),
                    done.insert(JournalProperty(ObjectLink(tableID: column.tableID, key: origin), column: column.id))
                        .inserted
                else { continue }
                hide(link, as: new, in: column, of: origin)
            }
        }
    }

    /// Replaces the link to an object in a property by a link to a placeholder.
    private func hide(_ link: ObjectLink, as placeholder: ObjectKey, in column: Column, of key: ObjectKey) {
        func hidden(_ value: Value) -> Value {
            if case .link(link.key) = value, column.type == .link { return .link(placeholder) }
            return value.replacing(link, with: .objectLink(ObjectLink(tableID: link.tableID, key: placeholder)))
                ?? value
        }
        // The content was stored before, so the writes can't fail.
        switch column.collection {
        case .none: try? setStored(column, key, to: hidden(storedValue(column, key)))
        case .list:
            for (i, value) in storedListValues(column, key).enumerated().reversed() {
                let new = hidden(value)
                if new != value { try? storedListSet(column, key, at: i, to: new) }
            }
        case .set:
            let value: Value = column.type == .link ? .link(link.key) : .objectLink(link)
            setRemove(column, key, value: value)
            try? storedSetInsert(column, key, values: [hidden(value)])
        case .dictionary:
            for entry in storedDictionaryEntries(column, key) {
                let new = hidden(entry.value)
                if new != entry.value { try? storedDictionarySet(column, key, forKey: entry.key, to: new) }
            }
        }
    }

    // MARK: Created objects

    /// Records the creation of an object whose class has placeholders.
    func noteMade(_ table: Table, _ key: ObjectKey, primaryKey: Value) {
        guard let placeholders = currentSchema.placeholders(of: table.id),
            let found = find(primaryKey: primaryKey, in: placeholders)
        else { return }
        comePlaceholders[placeholders.id, default: [:]][found] = key
    }

    /// Replaces links to placeholders by links to the objects that this transaction created. The commit does this, too. An earlier call is necessary
    /// only if the links have to be visible in the transaction.
    ///
    /// - Complexity: O(replaced links, and the collections that contain them)
    public func resolvePlaceholders() {
        if !comePlaceholders.isEmpty { settleNow() }
    }

    private func settleNow() {
        writeHiddenLinks()
        var come: [Int: [ObjectKey: ObjectKey]] = [:]
        // The rows with such links, by table of links.
        var rows: [Int: Set<ObjectKey>] = [:]
        for (id, keys) in comePlaceholders {
            guard let placeholders = currentSchema.table(id: id),
                let table = placeholders.owner(TableSpec.placeholderPrefix).flatMap(currentSchema.table(id:))
            else { continue }
            for (placeholder, key) in keys where contains(table, key) && contains(placeholders, placeholder) {
                come[id, default: [:]][placeholder] = key
                gatherRows(placeholder, of: placeholders, into: &rows)
            }
        }
        comePlaceholders = [:]
        withoutJournal {
            for (id, keys) in rows.sorted(by: { $0.key < $1.key }) {
                guard let table = currentSchema.table(id: id),
                    let owner = table.owner(TableSpec.linksPrefix).flatMap(currentSchema.table(id:))
                else { continue }
                for row in keys.sorted() { show(row, of: table, owner, come: come) }
            }
        }
        writeHiddenLinks()
        for (id, keys) in come {
            guard let placeholders = currentSchema.table(id: id) else { continue }
            for key in keys.keys.sorted() {
                unlinkedPlaceholders.remove(ObjectLink(tableID: id, key: key))
                delete(placeholders, key)
            }
        }
    }

    /// Collects the rows with links to a placeholder, by table of links.
    private func gatherRows(_ placeholder: ObjectKey, of table: Table, into rows: inout [Int: Set<ObjectKey>]) {
        for code in withBacklinks(table.mixedInverse, placeholder, body: { ints(of: $0, type: .int) }) {
            let origin = MixedOrigin(code)
            rows[origin.tableID, default: []].insert(origin.key)
        }
    }

    /// Makes the links of a property's row visible whose objects were created.
    private func show(_ row: ObjectKey, of table: Table, _ owner: Table, come: [Int: [ObjectKey: ObjectKey]]) {
        guard let object = readInt(table.columns[0], row), let id = readInt(table.columns[1], row) else { return }
        let key = ObjectKey(object)
        guard let column = owner.columns.first(where: { $0.id == Int(id) }), contains(owner, key) else { return }
        let old = hiddenLinks(column, key)
        var left = HiddenLinks()
        for element in old.elements {
            guard let kept = element.kept.without(come) else { continue }
            var element = element
            element.kept = kept
            left.elements.append(element)
        }
        setHiddenLinks(column, key, to: left)
        placingHiddenLinks { show(old, come, in: column, of: key) }
    }

    private func show(
        _ links: HiddenLinks,
        _ come: [Int: [ObjectKey: ObjectKey]],
        in column: Column,
        of key: ObjectKey
    ) {
        /// Returns the value with links to the created objects. A hidden element whose object wasn't created is null.
        func shown(_ element: HiddenLinks.Element, _ value: Value) -> Value {
            element.kept.showing(value, come, of: column, in: currentSchema)
        }
        switch column.collection {
        case .none:
            let old = value(column, key)
            guard let new = links.elements.first.map({ shown($0, old) }), new != old else { return }
            journal?.shown(column, key, value: new, wasSet: isModified(column, key))
            write(column, key, value: new)
        case .list: showInList(column, key, links: links, shown: shown)
        case .set:
            let values = links.elements.map { shown($0, .null) }.filter { !$0.isNull }
            if !values.isEmpty { _ = try? setInsert(column, key, values: values) }
        case .dictionary:
            for element in links.elements {
                let old = element.isHidden ? .null : dictionaryValue(column, key, forKey: element.name) ?? .null
                let new = shown(element, old)
                if new != old { try? dictionarySet(column, key, forKey: element.name, to: new) }
            }
        }
    }

    private func showInList(
        _ column: Column,
        _ key: ObjectKey,
        links: HiddenLinks,
        shown: (HiddenLinks.Element, Value) -> Value
    ) {
        // The elements are inserted from the front, and runs of neighbours are inserted at once.
        var stillHidden = 0
        var run: [Value] = []
        var first = 0
        func insert() {
            if !run.isEmpty { try? listInsert(column, key, at: first, values: run) }
            run = []
        }
        for element in links.elements {
            let at = element.position - stillHidden
            guard element.isHidden else {
                insert()
                let old = listValue(column, key, at: at)
                let new = shown(element, old)
                if new != old { replaceElement(column, key, at: at, with: new) }
                continue
            }
            let value = shown(element, .null)
            guard !value.isNull else {
                stillHidden += 1
                continue
            }
            if first + run.count != at || run.isEmpty {
                insert()
                first = at
            }
            run.append(value)
        }
        insert()
    }

    // MARK: At commit

    /// Completes the changes of placeholders: links to created objects become visible, pending changes are written, and placeholders without links
    /// are deleted.
    func finishPlaceholders() {
        if schemaChanged { dropStrayPlaceholders() }
        resolvePlaceholders()
        guard !hiddenLinks.isEmpty || !unlinkedPlaceholders.isEmpty else { return }
        writeHiddenLinks()
        let suspects = unlinkedPlaceholders
        unlinkedPlaceholders = []
        for link in suspects.sorted(by: { ($0.tableID, $0.key) < ($1.tableID, $1.key) }) {
            guard let table = currentSchema.table(id: link.tableID), contains(table, link.key),
                withBacklinks(table.mixedInverse, link.key, body: { count(of: $0) }) == 0
            else { continue }
            delete(table, link.key)
        }
    }

    /// Removes placeholders of classes and hidden links of properties that changes of the schema have made invalid.
    private func dropStrayPlaceholders() {
        guard !currentSchema.hiddenTables.isEmpty else { return }
        for table in currentSchema.hiddenTables {
            guard let id = table.owner(TableSpec.placeholderPrefix) else { continue }
            let owner = currentSchema.table(id: id)
            if owner?.primaryKey == nil || owner?.primaryKey?.type != table.primaryKey?.type {
                dropPlaceholders(table)
            } else if let owner, base.schema.table(id: id)?.primaryKey?.id != owner.primaryKey?.id || hasNewKeys(owner)
            {
                // Objects can have received new primary keys, which are those of placeholders.
                for key in keys(table) {
                    let primaryKey = value(table.columns[0], key)
                    if let made = find(primaryKey: primaryKey, in: owner) {
                        comePlaceholders[table.id, default: [:]][key] = made
                    }
                }
            }
        }
        resolvePlaceholders()
        for table in currentSchema.hiddenTables {
            guard let id = table.owner(TableSpec.linksPrefix) else { continue }
            guard let owner = currentSchema.table(id: id) else {
                hiddenLinks[id] = nil
                dropTable(table)
                continue
            }
            let ids = Set(owner.columns.filter { $0.type == .link || $0.type == .mixed }.map(\.id))
            for row in keys(table) where !ids.contains(Int(readInt(table.columns[1], row) ?? -1)) {
                for element in hiddenLinks(row: row, table).elements {
                    element.kept.value.forEachObjectLink { unlinkedPlaceholders.insert($0) }
                }
                delete(table, row)
            }
        }
    }

    /// Returns whether the transaction has written primary keys of older objects.
    private func hasNewKeys(_ table: Table) -> Bool {
        table.primaryKey.flatMap { tables[table.id]?.columns[$0.index] }?.modified.isEmpty == false
    }

    /// Deletes all placeholders of a table. The links to them become null permanently.
    private func dropPlaceholders(_ table: Table) {
        writeHiddenLinks()
        var rows: [Int: Set<ObjectKey>] = [:]
        for key in keys(table) { gatherRows(key, of: table, into: &rows) }
        for (id, keys) in rows {
            guard let links = currentSchema.table(id: id), let owner = links.owner(TableSpec.linksPrefix) else {
                continue
            }
            for row in keys { forget(table.id, row, in: links, owner: owner) }
        }
        writeHiddenLinks()
        comePlaceholders[table.id] = nil
        unlinkedPlaceholders = unlinkedPlaceholders.filter { $0.tableID != table.id }
        dropTable(table)
    }

    private func forget(_ placeholders: Int, _ row: ObjectKey, in table: Table, owner: Int) {
        guard let object = readInt(table.columns[0], row), let id = readInt(table.columns[1], row),
            let column = currentSchema.table(id: owner)?.columns.first(where: { $0.id == Int(id) })
        else { return delete(table, row) }
        editHiddenLinks(column, ObjectKey(object)) { links in
            var gone: [ObjectKey: ObjectKey] = [:]
            for element in links.elements {
                element.kept.value.forEachObjectLink {
                    if $0.tableID == placeholders { gone[$0.key] = $0.key }
                }
            }
            var hidden = 0
            links.elements = links.elements.compactMap { element in
                var element = element
                element.position -= hidden
                guard let kept = element.kept.without([placeholders: gone]) else {
                    if element.isHidden { hidden += 1 }
                    return nil
                }
                element.kept = kept
                return element
            }
        }
    }

    /// Runs the body, whose changes the journal's readers have made or know already.
    func withoutJournal(_ body: () -> Void) {
        guard let journal else { return body() }
        journal.withoutNoting(body)
    }
}
