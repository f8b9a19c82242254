public import FreeholdEngine

/// The objects of a Freehold file in the form that sync uses: named by class and primary key, with links that may lead
/// to missing objects.
///
/// The classes that sync are those whose tables keep images (`WriteTransaction.keepImages(of:)`), and the embedded
/// classes. Properties that link to objects of other classes stay local.
public struct FileContents {
    public let view: DataView

    public init(_ view: DataView) { self.view = view }

    /// Returns the primary key for a value, or `nil` if sync doesn't support the value as a key.
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

    /// Returns the name of the object or the placeholder with a key. Returns `nil` if there is neither, or if its class
    /// doesn't sync.
    public func name(_ tableID: Int, _ key: ObjectKey) -> ObjectName? {
        guard let table = view.schema.table(id: tableID), table.imageColumn != nil else { return nil }
        if key.isPlaceholder {
            let value = view.primaryKey(ofPlaceholder: key, in: table)
            return value.flatMap(Self.key).map { ObjectName(SyncString(table.name), $0) }
        }
        guard let column = table.primaryKey, view.contains(table, key) else { return nil }
        return Self.key(view.value(column, key)).map { ObjectName(SyncString(table.name), $0) }
    }

    /// Returns the properties of an object, or `nil` if the object doesn't exist.
    ///
    /// - Complexity: O(size of the object)
    public func contents(_ table: Table, _ key: ObjectKey) -> [SyncString: MergedContent]? {
        guard view.contains(table, key) else { return nil }
        var contents: [SyncString: MergedContent] = [:]
        for column in table.columns where !column.isPrimaryKey && view.schema.syncs(column) {
            contents[SyncString(column.name)] = content(column, key)
        }
        return contents
    }

    public func content(_ column: Column, _ key: ObjectKey) -> MergedContent {
        switch column.collection {
        case .none: content(view.storedValue(column, key), column)
        case .list: .list(view.storedListValues(column, key).map { content($0, column) })
        case .set: .set(elements: view.storedSetValues(column, key).map { value($0, column) })
        case .dictionary:
            .dictionary(entries: view.storedDictionaryEntries(column, key).map { ($0.key, content($0.value, column)) })
        }
    }

    /// Returns a value of a column, or of an element of the column. An embedded object is returned with everything
    /// inside it.
    public func content(_ value: Value, _ column: Column) -> MergedContent {
        if case .link(let key) = value, let table = view.schema.embeddedTarget(of: column) {
            return contents(table, key).map { .embedded($0) } ?? .value(.null)
        }
        return .value(self.value(value, column))
    }

    public func value(_ value: Value, _ column: Column) -> SyncValue { SyncValue(value, column) { name($0, $1) } }
}

extension DatabaseSchema {
    /// Returns whether a column's values are sent. The values of all columns are sent, except links to objects of
    /// classes that stay local.
    package func syncs(_ column: Column) -> Bool {
        guard column.type == .link, let target = column.targetTableID.flatMap(table(id:)) else { return true }
        return target.isEmbedded || target.imageColumn != nil
    }

    package func embeddedTarget(of column: Column) -> Table? {
        guard column.type == .link, let table = column.targetTableID.flatMap(table(id:)), table.isEmbedded else {
            return nil
        }
        return table
    }
}

extension MergedContent {
    static func set(elements: [SyncValue]) -> MergedContent {
        .set(Dictionary(elements.compactMap { value in SetElement(value).map { ($0, value) } }) { a, _ in a })
    }

    static func dictionary(entries: [(String, MergedContent)]) -> MergedContent {
        .dictionary(Dictionary(entries.map { (SyncString($0.0), $0.1) }) { a, _ in a })
    }
}

extension SyncValue {
    /// - Parameter name: Returns the name of an object.
    init(_ value: Value, _ column: Column, _ name: (_ table: Int, ObjectKey) -> ObjectName?) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(value)
        case .float(let value): self = .float(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(SyncString(value))
        case .data(let value): self = .data(value)
        case .timestamp(let value): self = .date(value)
        case .decimal128(let value): self = .decimal128(value)
        case .objectId(let value): self = .objectId(value)
        case .uuid(let value): self = .uuid(value)
        case .link(let key): self = column.targetTableID.flatMap { name($0, key) }.map { .link($0) } ?? .null
        case .objectLink(let link): self = name(link.tableID, link.key).map { .link($0) } ?? .null
        case .list(let list): self = .list(list.values.map { SyncValue($0, column, name) })
        case .dictionary(let dictionary):
            let entries = dictionary.entries.map { (key: SyncString($0.key), value: SyncValue($0.value, column, name)) }
            self = .dictionary(SyncDictionary(entries))
        }
    }
}
