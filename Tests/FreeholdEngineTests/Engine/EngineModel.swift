import Foundation

@testable import FreeholdEngine

/// The expected content of a database, in plain dictionaries.
struct EngineModel {
    struct Row: Equatable {
        /// The values by column index. Those of lists are null.
        var values: [Value]
        /// The elements by column index. Those of single-valued columns are empty.
        var lists: [[Value]]
    }

    struct Rows: Equatable {
        var rows: [Int64: Row] = [:]
        var nextKey: Int64 = 0

        var keys: [ObjectKey] { rows.keys.sorted().map { ObjectKey($0) } }
    }

    /// In the order of the schema's tables.
    var tables: [Rows]

    init(tableCount: Int) { tables = Array(repeating: Rows(), count: tableCount) }

    // MARK: Changes

    mutating func create(_ t: Int, _ table: Table, _ primaryKey: Value?) -> ObjectKey {
        let key = tables[t].nextKey
        tables[t].nextKey += 1
        tables[t].rows[key] = Row(
            values: table.columns.map { column in
                if column.isPrimaryKey { return primaryKey! }
                if column.collection != .none { return .null }
                return FieldCoding.defaultValue(column.type, isOptional: column.isOptional)
            },
            lists: table.columns.map { _ in [] }
        )
        return ObjectKey(key)
    }

    mutating func delete(_ t: Int, _ key: ObjectKey, _ schema: DatabaseSchema) {
        let gone = Value.link(key)
        for (i, table) in schema.tables.enumerated() {
            for column in table.columns where column.targetTableID == schema.tables[t].id {
                for row in tables[i].rows.keys {
                    if column.collection == .none {
                        if tables[i].rows[row]!.values[column.index] == gone {
                            tables[i].rows[row]!.values[column.index] = .null
                        }
                    } else if tables[i].rows[row]!.lists[column.index].contains(gone) {
                        tables[i].rows[row]!.lists[column.index].removeAll { $0 == gone }
                    }
                }
            }
        }
        tables[t].rows[key.raw] = nil
    }

    // MARK: Links

    struct Link: Hashable {
        let table: Int
        let column: Int
        let origin: Int64
        let target: Int64
    }

    /// Every link, with the number of its occurrences.
    func links(_ schema: DatabaseSchema) -> [Link: Int] {
        var out: [Link: Int] = [:]
        for (i, table) in schema.tables.enumerated() {
            for column in table.columns where column.type == .link {
                for (key, row) in tables[i].rows {
                    let targets = column.collection == .none ? [row.values[column.index]] : row.lists[column.index]
                    for case .link(let target) in targets {
                        let link = Link(table: table.id, column: column.id, origin: key, target: target.raw)
                        out[link, default: 0] += 1
                    }
                }
            }
        }
        return out
    }

    // MARK: Comparison

    /// Returns the differences from a view.
    func differences(from view: DataView) -> [String] {
        var out: [String] = []
        let schema = view.schema
        for (i, table) in schema.tables.enumerated() { compare(view, table, tables[i], &out) }
        var backlinks: [Link: [Int64]] = [:]
        for (link, n) in links(schema) {
            let place = Link(table: link.table, column: link.column, origin: -1, target: link.target)
            backlinks[place, default: []] += Array(repeating: link.origin, count: n)
        }
        for (i, target) in schema.tables.enumerated() {
            for column in schema.linkColumns(to: target) {
                for key in tables[i].keys {
                    let place = Link(table: column.tableID, column: column.id, origin: -1, target: key.raw)
                    let expected = (backlinks[place] ?? []).sorted().map { ObjectKey($0) }
                    let found = view.backlinks(column, key)
                    if found != expected || view.backlinkCount(column, key) != expected.count {
                        out.append("Backlinks of \(target).\(key) by \(column): \(found.count), not \(expected.count)")
                    }
                    if let last = expected.indices.last, found == expected,
                        view.backlink(column, key, at: last) != expected[last]
                    {
                        out.append("backlink(at:) of \(target).\(key) by \(column)")
                    }
                }
            }
        }
        return out
    }

    private func compare(_ view: DataView, _ table: Table, _ model: Rows, _ out: inout [String]) {
        let keys = model.keys
        guard view.count(table) == keys.count, view.keys(table) == keys else {
            out.append("\(table): count \(view.count(table)), keys \(view.keys(table).count), not \(keys.count)")
            return
        }
        for (i, key) in keys.enumerated() {
            if view.key(at: i, in: table) != key { out.append("\(table): key(at: \(i)) isn't \(key)") }
            if view.index(of: key, in: table) != i { out.append("\(table): index(of: \(key)) isn't \(i)") }
            if !view.contains(table, key) { out.append("\(table) doesn't contain \(key)") }
        }
        for raw in -1...(model.nextKey + 2) where model.rows[raw] == nil {
            if view.contains(table, ObjectKey(raw)) || view.index(of: ObjectKey(raw), in: table) != nil {
                out.append("\(table) contains O\(raw)")
            }
        }
        for column in table.columns {
            if column.collection == .none {
                compareValues(view, column, keys, model, &out)
            } else {
                for key in keys { compareList(view, column, key, model.rows[key.raw]!.lists[column.index], &out) }
            }
        }
    }

    private func compareValues(
        _ view: DataView,
        _ column: Column,
        _ keys: [ObjectKey],
        _ model: Rows,
        _ out: inout [String]
    ) {
        var byValue: [Value: [ObjectKey]] = [:]
        for key in keys {
            let expected = model.rows[key.raw]!.values[column.index]
            byValue[expected, default: []].append(key)
            let found = view.value(column, key)
            if found != expected || typed(view, column, key) != expected {
                out.append("\(column.tableID).\(column) of \(key) is \(found), not \(expected)")
            }
        }
        let table = view.schema.table(of: column)
        for (value, same) in byValue {
            var matches = same
            if column.type == .mixed, column.isIndexed {
                matches = keys.filter { Value.areEqual(model.rows[$0.raw]!.values[column.index], value) }
            }
            if column.isIndexed, view.find(value, indexed: column) != matches {
                out.append(
                    "Index \(table).\(column): \(value) finds \(view.find(value, indexed: column)), not \(matches)"
                )
            }
            if column.isPrimaryKey, view.find(primaryKey: value, in: table) != matches.first {
                out.append("Key \(value) of \(table) isn't found")
            }
        }
    }

    private func typed(_ view: DataView, _ column: Column, _ key: ObjectKey) -> Value {
        switch column.type {
        case .bool: view.readBool(column, key).map(Value.bool) ?? .null
        case .int: view.readInt(column, key).map(Value.int) ?? .null
        case .float: view.readFloat(column, key).map(Value.float) ?? .null
        case .double: view.readDouble(column, key).map(Value.double) ?? .null
        case .string: view.readString(column, key).map(Value.string) ?? .null
        case .data: view.readData(column, key).map(Value.data) ?? .null
        case .timestamp: view.readTimestamp(column, key).map(Value.timestamp) ?? .null
        case .decimal128: view.readDecimal128(column, key).map(Value.decimal128) ?? .null
        case .objectId: view.readObjectId(column, key).map(Value.objectId) ?? .null
        case .uuid: view.readUUID(column, key).map(Value.uuid) ?? .null
        case .link: view.readLink(column, key).map(Value.link) ?? .null
        case .mixed: view.value(column, key)
        }
    }

    private func compareList(
        _ view: DataView,
        _ column: Column,
        _ key: ObjectKey,
        _ expected: [Value],
        _ out: inout [String]
    ) {
        guard view.listCount(column, key) == expected.count, view.listValues(column, key) == expected else {
            out.append(
                "List \(column.tableID).\(column) of \(key) has \(view.listCount(column, key)), not \(expected.count) or other elements"
            )
            return
        }
        guard !expected.isEmpty else { return }
        let middle = expected.count / 2
        if view.listValue(column, key, at: middle) != expected[middle] {
            out.append("listValue of \(column.tableID).\(column) of \(key) at \(middle)")
        }
        let first =
            column.type == .mixed
            ? expected.firstIndex { Value.areEqual($0, expected[middle]) } : expected.firstIndex(of: expected[middle])
        if view.listIndex(column, key, of: expected[middle]) != first {
            out.append("listIndex of \(column.tableID).\(column) of \(key)")
        }
    }
}
