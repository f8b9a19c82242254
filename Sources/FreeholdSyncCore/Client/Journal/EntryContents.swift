package import FreeholdEngine

/// What an exact entry of a file's journal says of objects: how they are called, and what they held at one point.
struct EntryContents {
    let schema: DatabaseSchema
    var names: [JournalObject: PrimaryKey] = [:]
    var fields: [JournalObject: [Int: JournalContent]] = [:]

    init(_ schema: DatabaseSchema) { self.schema = schema }

    func name(_ tableID: Int, _ key: ObjectKey) -> ObjectName? {
        guard let table = schema.table(id: tableID), table.imageColumn != nil,
            let name = names[JournalObject(tableID: tableID, key: key)]
        else { return nil }
        return ObjectName(SyncString(table.name), name)
    }

    /// What is told of an object. What isn't has the default of its type.
    func contents(_ object: JournalObject, _ table: Table) -> [SyncString: MergedContent] {
        var contents: [SyncString: MergedContent] = [:]
        let told = fields[object] ?? [:]
        for column in table.columns where !column.isPrimaryKey && schema.syncs(column) {
            contents[SyncString(column.name)] = told[column.id].map { content($0, column) } ?? column.emptyContent
        }
        return contents
    }

    func content(_ content: JournalContent, _ column: Column) -> MergedContent {
        switch content {
        case .value(let value): self.content(value, column)
        case .values(let values):
            column.collection == .set
                ? .set(elements: values.map { value($0, column) }) : .list(values.map { self.content($0, column) })
        case .entries(let entries): .dictionary(entries: entries.map { ($0.key, self.content($0.value, column)) })
        }
    }

    func content(_ value: Value, _ column: Column) -> MergedContent {
        if case .link(let key) = value, let table = schema.embeddedTarget(of: column) {
            let object = JournalObject(tableID: table.id, key: key)
            // One that came and went isn't told of.
            return fields[object] == nil ? .value(.null) : .embedded(contents(object, table))
        }
        return .value(self.value(value, column))
    }

    func value(_ value: Value, _ column: Column) -> SyncValue { SyncValue(value, column) { name($0, $1) } }
}

extension Column {
    /// What a new object holds.
    package var emptyContent: MergedContent {
        switch collection {
        case .list: .list([])
        case .set: .set([:])
        case .dictionary: .dictionary([:])
        case .none: .value(SyncValue(zero, self) { _, _ in nil })
        }
    }

    /// What the property of a new object holds, or an element that has to be there.
    package var zero: Value { ColumnSpec(name, type, optional: isOptional).zero }
}
