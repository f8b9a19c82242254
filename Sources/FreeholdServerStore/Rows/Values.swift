#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine
internal import FreeholdSyncCore

extension Value {
    /// Creates the value of a key for a column. Returns `nil` if the column can't store it.
    init?(_ key: PrimaryKey, _ column: Column) {
        switch (key, column.type) {
        case (.null, _) where column.isOptional: self = .null
        case (.int(let value), .int): self = .int(value)
        case (.string(let value), .string):
            // The key is longer than the engine's strings can be.
            guard value.string.utf8.count <= 1 << 20 else { return nil }
            self = .string(value.string)
        case (.objectId(let value), .objectId): self = .objectId(value)
        case (.uuid(let value), .uuid): self = .uuid(value)
        default: return nil
        }
    }
}

extension PrimaryKey {
    /// Returns `nil` if the value can't be a key.
    init?(_ value: Value) {
        switch value {
        case .null: self = .null
        case .int(let value): self = .int(value)
        case .string(let value): self = .string(SyncString(value))
        case .objectId(let value): self = .objectId(value)
        case .uuid(let value): self = .uuid(value)
        default: return nil
        }
    }

    /// The type of a column for the key. `nil` for null.
    var type: ColumnType? {
        switch self {
        case .null: nil
        case .int: .int
        case .string: .string
        case .objectId: .objectId
        case .uuid: .uuid
        }
    }
}

/// Reads values of rows in the form of sync: links by class and key, including links to missing objects.
struct ValueReader {
    let view: DataView
    let tables: StoreTables

    func key(_ table: ClassTable, _ row: ObjectKey) throws -> PrimaryKey {
        guard let column = table.key else { throw StoreDamage("An embedded object has no key.") }
        if column.type == .int, let value = view.readInt(column, row) { return .int(value) }
        guard let key = PrimaryKey(view.value(column, row)) else { throw StoreDamage("A key is of no type of keys.") }
        return key
    }

    func name(_ tableID: Int, _ row: ObjectKey) throws -> ObjectName {
        guard let target = tables[tableID] else { throw StoreDamage("A link leads to no class.") }
        if row.isPlaceholder {
            guard let value = view.primaryKey(ofPlaceholder: row, in: target.table), let key = PrimaryKey(value) else {
                throw StoreDamage("A link leads to no placeholder.")
            }
            return ObjectName(SyncString(target.table.name), key)
        }
        return ObjectName(SyncString(target.table.name), try key(target, row))
    }

    /// Returns a single value that isn't an embedded object.
    func single(_ column: Column, _ row: ObjectKey) throws -> SyncValue {
        switch column.type {
        case .int: return view.readInt(column, row).map { .int($0) } ?? .null
        case .string: return view.readString(column, row).map { .string(SyncString($0)) } ?? .null
        case .bool: return view.readBool(column, row).map { .bool($0) } ?? .null
        case .double: return view.readDouble(column, row).map { .double($0) } ?? .null
        case .link:
            if let target = view.readLink(column, row) { return .link(try name(column.targetTableID ?? -1, target)) }
            guard view.hasPlaceholders(column, row) else { return .null }
            return try value(view.storedValue(column, row), column)
        case .mixed: return try value(view.storedValue(column, row), column)
        default: return try value(view.value(column, row), column)
        }
    }

    func value(_ value: Value, _ column: Column) throws -> SyncValue {
        switch value {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .int(let value): return .int(value)
        case .float(let value): return .float(value)
        case .double(let value): return .double(value)
        case .string(let value): return .string(SyncString(value))
        case .data(let value): return .data(value)
        case .timestamp(let value): return .date(value)
        case .decimal128(let value): return .decimal128(value)
        case .objectId(let value): return .objectId(value)
        case .uuid(let value): return .uuid(value)
        case .link(let row): return .link(try name(column.targetTableID ?? -1, row))
        case .objectLink(let link): return .link(try name(link.tableID, link.key))
        case .list(let list): return .list(try list.values.map { try self.value($0, column) })
        case .dictionary(let dictionary):
            return .dictionary(
                SyncDictionary(
                    try dictionary.entries.map { (key: SyncString($0.key), value: try self.value($0.value, column)) }
                )
            )
        }
    }
}
