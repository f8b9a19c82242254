internal import FreeholdEngine
public import FreeholdSyncCore

/// The objects that the file shows.
extension FileClientTransaction {
    func find(_ name: ObjectName) -> (class: FileTables.Class, key: ObjectKey)? {
        if let last = cache.found, last.name == name { return last.found }
        var result: (FileTables.Class, ObjectKey)?
        if let found = tables.classes[name.className], found.key.fits(name.key),
            let key = write.find(primaryKey: name.key.value, in: found.table)
        {
            result = (found, key)
        }
        cache.found = (name, result)
        return result
    }

    public func contents(of name: ObjectName) throws -> [SyncString: MergedContent]? {
        guard let (found, key) = find(name) else { return nil }
        write.resolvePlaceholders()
        return FileContents(write).contents(found.table, key)
    }

    public func contents(
        of name: ObjectName,
        only properties: Set<SyncString>
    ) throws -> [SyncString: MergedContent]? {
        guard let (found, key) = find(name) else { return nil }
        write.resolvePlaceholders()
        let file = FileContents(write)
        var contents: [SyncString: MergedContent] = [:]
        for column in found.table.columns where !column.isPrimaryKey && write.schema.syncs(column) {
            let name = SyncString(column.name)
            if properties.contains(name) { contents[name] = file.content(column, key) }
        }
        return contents
    }

    public func count(ofList property: SyncString, of name: ObjectName) throws -> Int? {
        guard let (found, key) = find(name), let column = found.table.column(named: property.string),
            column.collection == .list, SyncString(column.name) == property, write.schema.syncs(column)
        else { return nil }
        write.resolvePlaceholders()
        return write.storedCount(column, key)
    }

    var applier: EditApplier { EditApplier(write: write, tables: tables, misfits: cache.misfits) }

    public mutating func perform(_ edits: [LocalEdit]) throws {
        let applier = applier
        var index = 0
        while index < edits.count {
            switch edits[index] {
            case .create(let name, let contents, _): try create(name, contents)
            case .delete(let name, _): try delete(name)
            default:
                // A mixed value is written once for all edits inside of it.
                let end = edits.endOfNested(from: index)
                if end > index + 1 {
                    try applier.performNested(edits[index..<end])
                    index = end
                    continue
                }
                try applier.perform(edits[index])
            }
            index += 1
        }
    }

    private func create(_ name: ObjectName, _ contents: [SyncString: MergedContent]) throws {
        guard let found = tables.classes[name.className], found.key.fits(name.key) else { return }
        let key = try write.create(found.table, primaryKey: name.key.value)
        cache.found = (name, (found, key))
        try applier.fill(found.table, key, contents)
        if case .some(.some(let version)) = cache.versions[name] {
            write.setVersion(found, key, version)
            cache.versions[name] = nil
        }
    }

    private func delete(_ name: ObjectName) throws {
        guard let (found, key) = find(name) else { return }
        cache.versions[name] = .some(try version(of: name))
        try write.deleteLeavingPlaceholder(found.table, key)
        cache.found = nil
    }
}

extension WriteTransaction {
    /// Returns the objects whose keys may be in a range. The result may contain other objects.
    ///
    /// - Complexity: O(log *n* + matches), or O(*n*) for a class with an optional key
    func keys(_ table: Table, in range: KeyRange, _ column: Column) -> [ObjectKey] {
        guard !column.isOptional, range.after.map(column.fits) ?? true, range.through.map(column.fits) ?? true else {
            return keys(table)
        }
        var tests: [FreeholdEngine.Predicate] = []
        let path = PropertyPath(column)
        if let after = range.after { tests.append(.comparison(path, .greater, after.value)) }
        if let through = range.through { tests.append(.comparison(path, .lessOrEqual, through.value)) }
        if tests.isEmpty { return keys(table) }
        return RowQuery(table: table, predicate: .and(tests)).keys(in: self)
    }
}

extension Column {
    /// Returns whether a key has the type of the column.
    func fits(_ key: PrimaryKey) -> Bool {
        switch key {
        case .null: isOptional
        case .int: type == .int
        case .string: type == .string
        case .objectId: type == .objectId
        case .uuid: type == .uuid
        }
    }
}
