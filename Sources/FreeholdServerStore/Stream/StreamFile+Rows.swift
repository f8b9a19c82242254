internal import FreeholdEngine
internal import FreeholdSyncCore

extension StreamView {
    func rows(_ query: FreeholdSyncCore.RowQuery) throws -> StoreRows {
        var rows = StoreRows(at: head)
        var bytes = 0
        for name in query.objects {
            let object = try object(name)
            bytes += object?.estimatedBytes ?? 0
            guard bytes <= query.mostBytes else {
                throw StreamFile.OversizedObject(description: query.limitText.string)
            }
            rows.objects[name] = .some(object)
        }
        for ident in query.files { rows.files[ident] = try file(ident) }
        for name in query.answers {
            rows.answers[name] = try answers(name.ident, behind: name.commit).known
        }
        rows.asked = query.answers
        for version in query.clocks { rows.clocks[version] = mark(version)?.clock }
        for link in query.links { rows.links[link] = try linking(link) }
        for holder in query.holders { rows.holders[holder] = try holding(holder) }
        for ident in query.copies { rows.copies[ident] = try copies(of: ident) }
        for user in query.users { rows.users[user] = usedBytes(of: user) }
        rows.known = query.known.flatMap { mark($0)?.hash }
        return rows
    }

    /// Returns the number of bytes that a user's commits have added.
    private func usedBytes(of user: SyncString) -> UInt64 {
        guard let table = tables.hidden.usage, let row = view.find(primaryKey: .string(user.string), in: table) else {
            return 0
        }
        return view.word(table, 1, row)
    }

    /// Adds a number of bytes to the usage of a user. A negative number reduces the usage.
    func note(_ growth: Int64, of user: SyncString, in transaction: WriteTransaction) throws {
        guard let table = tables.hidden.usage else { return }
        let bytes = usedBytes(of: user).adding(growth: growth)
        let known = view.find(primaryKey: .string(user.string), in: table)
        let row = try known ?? transaction.create(table, primaryKey: .string(user.string))
        transaction.setWord(table, 1, row, bytes)
    }

    /// Returns the live objects of a class. The machine checks itself whether they match its request.
    private func all(_ className: SyncString) throws -> [ObjectName] {
        try names(className) { table in view.keys(table.table) }
    }

    private func names(_ className: SyncString, _ rows: (ClassTable) -> [ObjectKey]) throws -> [ObjectName] {
        var names: [ObjectName] = []
        if let table = tables.table(of: className), let state = table.state {
            let values = ValueReader(view: view, tables: tables)
            for row in rows(table) where view.readInt(state.version, row) != nil {
                names.append(ObjectName(className, try values.key(table, row)))
            }
        }
        for row in others.rows(of: className) { names.append(try others.object(row).name) }
        return names
    }

    /// Returns whether the column of a property contains all values of the property.
    private func isWhole(_ property: SyncString) throws -> Bool {
        try !shapes.all(in: view, tables.hidden).contains { shape in
            shape.fields.contains { $0.name == property && $0.source == .rest }
        }
    }

    // MARK: Links

    /// Returns the objects that link to an object through a property.
    ///
    /// - Complexity: O(links to the object) if the property's column contains all of them, otherwise O(objects of the
    ///   class)
    private func linking(_ query: LinkQuery) throws -> [ObjectName] {
        let (className, property) = (query.property.className, query.property.property)
        guard let table = tables.table(of: className), let column = table.columns[property], column.type == .link,
            let target = tables.table(of: query.target.className), target.table.id == column.targetTableID,
            try isWhole(property)
        else { return try all(className) }
        // Links to a missing object lead to a placeholder. The machine only asks about existing objects.
        guard let row = target.row(query.target.key, in: view) else { return try all(className) }
        return try names(className) { _ in Array(Set(view.backlinks(column, row))) }
    }

    // MARK: Values

    /// Returns the objects with certain values.
    ///
    /// - Complexity: That of a query by the first property whose column type distinguishes values like sync does. It is
    ///   O(log *n*) if that column is indexed. O(objects of the class) without such a property.
    private func holding(_ query: HolderQuery) throws -> [ObjectName] {
        guard let table = tables.table(of: query.className) else { return try all(query.className) }
        for (property, element) in zip(query.properties, query.values) {
            guard let column = table.columns[property], column.collection == .none,
                let value = element.value(column.type), try isWhole(property)
            else { continue }
            let query = FreeholdEngine.RowQuery(
                table: table.table,
                predicate: .comparison(PropertyPath(column), .equal, value)
            )
            return try names(SyncString(table.table.name)) { _ in query.keys(in: view) }
        }
        return try all(query.className)
    }
}

extension SetElement {
    /// Returns the value for a column of a type. Returns `nil` if equal elements can be different values of the type.
    fileprivate func value(_ type: ColumnType) -> Value? {
        switch (self, type) {
        case (.bool(let value), .bool): .bool(value)
        case (.int(let value), .int): .int(value)
        case (.string(let value), .string): .string(value.string)
        case (.date(let value), .timestamp): .timestamp(value)
        case (.objectId(let value), .objectId): .objectId(value)
        case (.uuid(let value), .uuid): .uuid(value)
        default: nil
        }
    }
}
