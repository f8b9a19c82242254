package import FreeholdEngine

/// The names and contents of objects at one point of a commit, as an exact entry of a file's journal records them.
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

    /// Returns the recorded content of an object. Properties without a record have the default value of their type.
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
            // The journal doesn't record an object that was created and deleted in the same commit.
            return fields[object] == nil ? .value(.null) : .embedded(contents(object, table))
        }
        return .value(self.value(value, column))
    }

    func value(_ value: Value, _ column: Column) -> SyncValue { SyncValue(value, column) { name($0, $1) } }
}

extension Column {
    /// The content of the column in a new object.
    package var emptyContent: MergedContent {
        switch collection {
        case .list: .list([])
        case .set: .set([:])
        case .dictionary: .dictionary([:])
        case .none: .value(SyncValue(zero, self) { _, _ in nil })
        }
    }

    /// The value of the column in a new object, or of a new element that must have a value.
    package var zero: Value { ColumnSpec(name, type, optional: isOptional).zero }
}
