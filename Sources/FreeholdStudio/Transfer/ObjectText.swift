import Foundation
import FreeholdEngine

/// Writes objects as JSON for other programs, in the notation that `importJSON` of the library reads.
///
/// A link is the primary key of its target. A target without a primary key is nested, at most eight levels deep.
struct ObjectText {
    let view: DataView
    let facts: SchemaFacts

    private static let depth = 8

    /// Returns the JSON text of an object.
    func json(_ table: Table, _ key: ObjectKey, columns: [Column]? = nil) -> String {
        var out = JSONText()
        write(table, key, columns: columns, to: &out)
        return String(decoding: out.bytes, as: UTF8.self)
    }

    func write(_ table: Table, _ key: ObjectKey, columns: [Column]? = nil, to out: inout JSONText) {
        object(table, key, columns: columns ?? table.columns, depth: Self.depth, to: &out)
    }

    private func object(_ table: Table, _ key: ObjectKey, columns: [Column], depth: Int, to out: inout JSONText) {
        out.mark("{")
        for (i, column) in columns.enumerated() {
            if i > 0 { out.mark(",") }
            out.key(column.name)
            property(column, of: key, depth: depth, to: &out)
        }
        out.mark("}")
    }

    /// Writes the value of one property.
    func property(_ column: Column, of key: ObjectKey, to out: inout JSONText) {
        property(column, of: key, depth: Self.depth, to: &out)
    }

    private func property(_ column: Column, of key: ObjectKey, depth: Int, to out: inout JSONText) {
        switch column.collection {
        case .none: value(view.value(column, key), column, depth: depth, to: &out)
        case .list, .set:
            out.array(0..<view.listCount(column, key)) { i, out in
                value(view.listValue(column, key, at: i), column, depth: depth, to: &out)
            }
        case .dictionary:
            out.mark("{")
            for i in 0..<view.listCount(column, key) {
                if i > 0 { out.mark(",") }
                out.key(view.dictionaryKey(column, key, at: i))
                value(view.dictionaryValue(column, key, at: i), column, depth: depth, to: &out)
            }
            out.mark("}")
        }
    }

    private func value(_ value: Value, _ column: Column, depth: Int, to out: inout JSONText) {
        switch value {
        case .link(let key): link(column.targetTableID ?? -1, key, depth: depth, to: &out)
        case _ where column.type == .mixed: mixed(value, depth: depth, to: &out)
        default: scalar(value, to: &out)
        }
    }

    private func link(_ tableID: Int, _ key: ObjectKey, depth: Int, to out: inout JSONText) {
        guard let table = view.schema.table(id: tableID), depth > 0 else { return out.plain("null") }
        if let primaryKey = table.primaryKey { return scalar(view.value(primaryKey, key), to: &out) }
        object(table, key, columns: table.columns, depth: depth - 1, to: &out)
    }

    private func scalar(_ value: Value, to out: inout JSONText) {
        switch value {
        case .null, .link, .objectLink, .list, .dictionary: out.plain("null")
        case .bool(let value): out.bool(value)
        case .int(let value): out.int(value)
        case .float(let value) where value.isFinite: out.plain(ValueText.number(value))
        case .double(let value) where value.isFinite: out.plain(ValueText.number(value))
        default: out.string(ValueText.plain(value))
        }
    }

    /// Writes a mixed value. Types that JSON doesn't have are explicit, like in Extended JSON.
    private func mixed(_ value: Value, depth: Int, to out: inout JSONText) {
        switch value {
        case .null, .bool, .int, .string: scalar(value, to: &out)
        case .float: explicit("$numberFloat", value, to: &out)
        case .double(let number):
            let text = ValueText.number(number)
            let isPlain = number.isFinite && text.utf8.contains { ".e".utf8.contains($0) }
            if isPlain { out.plain(text) } else { explicit("$numberDouble", value, to: &out) }
        case .timestamp: explicit("$date", value, to: &out)
        case .decimal128: explicit("$numberDecimal", value, to: &out)
        case .objectId: explicit("$oid", value, to: &out)
        case .uuid: explicit("$uuid", value, to: &out)
        case .data(let data):
            out.plain("{\"$binary\":{\"base64\":")
            out.string(data.base64EncodedString())
            out.plain(",\"subType\":\"00\"}}")
        case .objectLink(let target):
            guard let table = view.schema.table(id: target.tableID) else { return out.plain("null") }
            out.plain("{\"$link\":{\"class\":")
            out.string(table.name)
            out.plain(",\"key\":")
            link(target.tableID, target.key, depth: depth, to: &out)
            out.plain("}}")
        case .list(let list): out.array(list.values) { mixed($0, depth: depth, to: &$1) }
        case .dictionary(let map):
            out.mark("{")
            for (i, entry) in map.entries.enumerated() {
                if i > 0 { out.mark(",") }
                out.key(entry.key)
                mixed(entry.value, depth: depth, to: &out)
            }
            out.mark("}")
        case .link: out.plain("null")
        }
    }

    private func explicit(_ name: String, _ value: Value, to out: inout JSONText) {
        out.mark("{")
        out.key(name)
        out.string(ValueText.plain(value))
        out.mark("}")
    }

    // MARK: Cells

    /// Returns the value of a property as the text of a cell: a link as its title or key, a collection as JSON.
    func cell(_ column: Column, of key: ObjectKey) -> String {
        guard column.collection == .none else {
            var out = JSONText()
            property(column, of: key, to: &out)
            return String(decoding: out.bytes, as: UTF8.self)
        }
        let value = view.value(column, key)
        switch value {
        case .link(let target):
            guard let table = column.targetTableID.flatMap({ view.schema.table(id: $0) }) else { return "" }
            if let primaryKey = table.primaryKey { return ValueText.plain(view.value(primaryKey, target)) }
            return facts.title(table, target, in: view) ?? String(target.raw)
        case .list, .dictionary, .objectLink:
            var out = JSONText()
            mixed(value, depth: Self.depth, to: &out)
            return String(decoding: out.bytes, as: UTF8.self)
        default: return ValueText.plain(value)
        }
    }
}
