public import FreeholdEngine

/// Objects of a Freehold file as sync knows them: by class and primary key, with links to objects that aren't there.
public struct FileContents {
    public let view: DataView

    public init(_ view: DataView) { self.view = view }

    /// Nil for a key that sync can't have.
    public static func key(_ value: Value) -> PrimaryKey? {
        switch value {
        case .null: .null
        case .int(let value): .int(value)
        case .string(let value): .string(SyncString(value))
        case .objectId(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        default: nil
        }
    }

    /// What a link calls an object, or a placeholder. Nil if there is neither, or its class has no primary key.
    public func name(_ tableID: Int, _ key: ObjectKey) -> ObjectName? {
        guard let table = view.schema.table(id: tableID) else { return nil }
        if key.isPlaceholder {
            let value = view.primaryKey(ofPlaceholder: key, in: table)
            return value.flatMap(Self.key).map { ObjectName(SyncString(table.name), $0) }
        }
        guard let column = table.primaryKey, view.contains(table, key) else { return nil }
        return Self.key(view.value(column, key)).map { ObjectName(SyncString(table.name), $0) }
    }

    /// All of an object. Nil if it isn't there.
    ///
    /// - Complexity: O(size of the object)
    public func contents(_ table: Table, _ key: ObjectKey) -> [SyncString: MergedContent]? {
        guard view.contains(table, key) else { return nil }
        var contents: [SyncString: MergedContent] = [:]
        for column in table.columns where !column.isPrimaryKey {
            contents[SyncString(column.name)] = content(column, key)
        }
        return contents
    }

    public func content(_ column: Column, _ key: ObjectKey) -> MergedContent {
        switch column.collection {
        case .none: content(view.storedValue(column, key), column)
        case .list: .list(view.storedListValues(column, key).map { content($0, column) })
        case .set:
            .set(
                Dictionary(
                    view.storedSetValues(column, key).compactMap { value in
                        let value = self.value(value, column)
                        return SetElement(value).map { ($0, value) }
                    },
                    uniquingKeysWith: { a, _ in a }
                )
            )
        case .dictionary:
            .dictionary(
                Dictionary(
                    view.storedDictionaryEntries(column, key).map { (SyncString($0.key), content($0.value, column)) },
                    uniquingKeysWith: { a, _ in a }
                )
            )
        }
    }

    /// A value of a column, or of an element of it. An embedded object is there with all that it holds.
    public func content(_ value: Value, _ column: Column) -> MergedContent {
        if case .link(let key) = value, let id = column.targetTableID, let table = view.schema.table(id: id),
            table.isEmbedded
        {
            return contents(table, key).map { .embedded($0) } ?? .value(.null)
        }
        return .value(self.value(value, column))
    }

    public func value(_ value: Value, _ column: Column) -> SyncValue {
        switch value {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .string(let value): .string(SyncString(value))
        case .data(let value): .data(value)
        case .timestamp(let value): .date(value)
        case .decimal128(let value): .decimal128(value)
        case .objectId(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        case .link(let key): column.targetTableID.flatMap { name($0, key) }.map { .link($0) } ?? .null
        case .objectLink(let link): name(link.tableID, link.key).map { .link($0) } ?? .null
        case .list(let list): .list(list.values.map { self.value($0, column) })
        case .dictionary(let dictionary):
            .dictionary(
                SyncDictionary(
                    dictionary.entries.map { (key: SyncString($0.key), value: self.value($0.value, column)) }
                )
            )
        }
    }
}
