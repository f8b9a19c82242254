import Foundation
import FreeholdEngine

/// Writes the values of objects in the form of the messages. The page shows, copies and exports no value in another way.
struct ValueWriter {
    let view: DataView
    let facts: SchemaFacts
    var limits = ValueLimits.cell
    /// The objects that waiting edits create, by the numbers of the edits.
    var waiting: [Int: WaitingObject] = [:]

    // MARK: Properties

    /// Writes the value of an object's property.
    ///
    /// - Complexity: O(size of the written part), for collections and long values of any size.
    func write(_ column: Column, of key: ObjectKey, to out: inout JSONText) {
        write(column, of: key, depth: limits.depth, to: &out)
    }

    private func write(_ column: Column, of key: ObjectKey, depth: Int, to out: inout JSONText) {
        switch column.collection {
        case .none: single(column, of: key, depth: depth, to: &out)
        case .list, .set, .dictionary:
            let count = view.listCount(column, key)
            out.plain("{\"count\":\(count),\"head\":")
            elements(column, of: key, in: 0..<min(count, limits.elements), depth: depth, to: &out)
            out.mark("}")
        }
    }

    /// Writes elements of a collection as an array. Those of a map are pairs of key and value.
    ///
    /// - Precondition: the range is within the collection.
    func elements(_ column: Column, of key: ObjectKey, in range: Range<Int>, to out: inout JSONText) {
        elements(column, of: key, in: range, depth: limits.depth, to: &out)
    }

    private func elements(_ column: Column, of key: ObjectKey, in range: Range<Int>, depth: Int, to out: inout JSONText)
    {
        out.array(range) { i, out in
            let value = view.listValue(column, key, at: i)
            guard column.collection == .dictionary else { return element(value, column, depth: depth, to: &out) }
            out.mark("[")
            out.string(view.dictionaryKey(column, key, at: i))
            out.mark(",")
            element(value, column, depth: depth, to: &out)
            out.mark("]")
        }
    }

    /// Writes a value of a column that was read already.
    func element(_ value: Value, _ column: Column, to out: inout JSONText) {
        element(value, column, depth: limits.depth, to: &out)
    }

    private func element(_ value: Value, _ column: Column, depth: Int, to out: inout JSONText) {
        switch value {
        case .link(let target): link(column.targetTableID ?? -1, target, depth: depth, to: &out)
        case _ where column.type == .mixed: mixed(value, depth: depth, to: &out)
        default: scalar(value, to: &out)
        }
    }

    private func single(_ column: Column, of key: ObjectKey, depth: Int, to out: inout JSONText) {
        switch column.type {
        case .string:
            view.withBytes(column, key, in: 0..<limits.characters * 4) { bytes, length in
                guard let bytes else { return out.plain("null") }
                string(bytes, length: length, to: &out)
            }
        case .data:
            view.withBytes(column, key, in: 0..<DataKind.examined) { bytes, length in
                guard let bytes else { return out.plain("null") }
                data(bytes, length: length, to: &out)
            }
        case .link:
            guard let target = view.readLink(column, key) else { return out.plain("null") }
            link(column.targetTableID ?? -1, target, depth: depth, to: &out)
        case .mixed: mixed(view.value(column, key), depth: depth, to: &out)
        default: scalar(view.value(column, key), to: &out)
        }
    }

    // MARK: Values

    /// Writes a value that is neither a link nor mixed.
    func scalar(_ value: Value, to out: inout JSONText) {
        switch value {
        case .null: out.plain("null")
        case .bool(let value): out.bool(value)
        case .int(let value): out.plain("\"\(value)\"")
        case .float(let value): number(value, to: &out)
        case .double(let value): number(value, to: &out)
        case .string(let text):
            var text = text
            text.withUTF8 { bytes in
                let head = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes).prefix(limits.characters * 4))
                string(head, length: bytes.count, to: &out)
            }
        case .data(let bytes):
            Array(bytes.prefix(DataKind.examined)).withUnsafeBytes { data($0, length: bytes.count, to: &out) }
        case .timestamp(let moment): out.plain("[\"\(moment.seconds)\",\(moment.nanoseconds)]")
        case .decimal128(let value): out.string(value.description)
        case .objectId(let value): out.string(value.stringValue)
        case .uuid(let value): out.string(value.uuidString)
        case .link, .objectLink, .list, .dictionary: out.plain("null")
        }
    }

    private func number(_ value: some BinaryFloatingPoint & LosslessStringConvertible, to out: inout JSONText) {
        let text = ValueText.number(value)
        if value.isFinite, text != "-0" { out.plain(text) } else { out.string(text) }
    }

    /// - Parameter bytes: the beginning of the text, which may end inside a character.
    private func string(_ bytes: UnsafeRawBufferPointer, length: Int, to out: inout JSONText) {
        let whole = length > bytes.count ? Self.withoutPartialCharacter(bytes) : bytes
        let text = String(decoding: whole, as: UTF8.self)
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: limits.characters, limitedBy: scalars.endIndex)
        guard length > bytes.count || (end ?? scalars.endIndex) < scalars.endIndex else { return out.string(text) }
        out.plain("{\"text\":")
        out.string(String(scalars[..<(end ?? scalars.endIndex)]))
        out.plain(",\"length\":\(length)}")
    }

    /// Returns the bytes without the beginning of a character at the end.
    static func withoutPartialCharacter(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var end = bytes.count
        // A character has at most three continuation bytes.
        while end > 0, bytes.count - end < 4, bytes[end - 1] & 0xC0 == 0x80 { end -= 1 }
        guard end > 0 else { return bytes }
        let first = bytes[end - 1]
        let size = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        return end - 1 + size <= bytes.count ? bytes : UnsafeRawBufferPointer(rebasing: bytes[..<(end - 1)])
    }

    private func data(_ head: UnsafeRawBufferPointer, length: Int, to out: inout JSONText) {
        out.plain("{\"bytes\":\(length),\"kind\":\"\(DataKind(head).rawValue)\",\"head\":\"")
        out.plain(Data(head.prefix(32)).base64EncodedString())
        out.plain("\"}")
    }

    private func link(_ tableID: Int, _ key: ObjectKey, depth: Int, to out: inout JSONText) {
        guard let table = view.schema.table(id: tableID) else { return out.plain("null") }
        if table.isEmbedded { return embedded(table, key, depth: depth, to: &out) }
        out.plain("{\"to\":")
        out.string(table.name)
        if let number = WaitingObject.number(key) {
            out.plain(",\"as\":")
            out.string(waiting[number]?.name ?? "")
            title(waiting[number]?.title, to: &out)
        } else {
            out.plain(",\"key\":\(key.raw)")
            // The object may have been deleted since the value was read.
            title(view.contains(table, key) ? facts.title(table, key, in: view) : nil, to: &out)
        }
        out.mark("}")
    }

    private func title(_ title: String?, to out: inout JSONText) {
        out.plain(",\"title\":")
        if let title { out.string(title) } else { out.plain("null") }
    }

    private func embedded(_ table: Table, _ key: ObjectKey, depth: Int, to out: inout JSONText) {
        let shown = depth > 0 && view.contains(table, key) ? table.columns.prefix(limits.fields) : []
        out.plain("{\"of\":")
        out.string(table.name)
        out.plain(",\"key\":\(key.raw),\"fields\":")
        out.array(shown) { column, out in
            out.mark("[")
            out.string(column.name)
            out.mark(",")
            write(column, of: key, depth: depth - 1, to: &out)
            out.mark("]")
        }
        out.plain(",\"more\":\(table.columns.count - shown.count)}")
    }

    /// Writes a mixed value with its type.
    private func mixed(_ value: Value, depth: Int, to out: inout JSONText) {
        out.plain("{\"is\":\"\(Self.typeName(value))\",\"value\":")
        switch value {
        case .objectLink(let target): link(target.tableID, target.key, depth: depth, to: &out)
        case .list(let list):
            out.plain("{\"count\":\(list.values.count),\"head\":")
            out.array(list.values.prefix(depth > 0 ? limits.elements : 0)) { mixed($0, depth: depth - 1, to: &$1) }
            out.mark("}")
        case .dictionary(let map):
            out.plain("{\"count\":\(map.entries.count),\"head\":")
            out.array(map.entries.prefix(depth > 0 ? limits.elements : 0)) { entry, out in
                out.mark("[")
                out.string(entry.key)
                out.mark(",")
                mixed(entry.value, depth: depth - 1, to: &out)
                out.mark("]")
            }
            out.mark("}")
        default: scalar(value, to: &out)
        }
        out.mark("}")
    }

    /// Writes elements of a collection inside a mixed value. Those of a map are pairs of key and value.
    func elements(ofMixed value: Value, in range: Range<Int>, to out: inout JSONText) {
        switch value {
        case .list(let list): out.array(list.values[range]) { mixed($0, depth: limits.depth, to: &$1) }
        case .dictionary(let map):
            out.array(map.entries[range]) { entry, out in
                out.mark("[")
                out.string(entry.key)
                out.mark(",")
                mixed(entry.value, depth: limits.depth, to: &out)
                out.mark("]")
            }
        default: out.plain("[]")
        }
    }

    private static func typeName(_ value: Value) -> String {
        switch value {
        case .null: "null"
        case .objectLink: "link"
        case .list: "list"
        case .dictionary: "map"
        default: value.type?.studioName ?? "null"
        }
    }
}

extension ValueWriter {
    /// Returns the value of an object's property as a message contains it.
    func json(_ column: Column, of key: ObjectKey) -> StudioJSON {
        var out = JSONText()
        write(column, of: key, to: &out)
        return .raw(out.bytes)
    }

    /// Returns a value of a column as a message contains it.
    func json(_ value: Value, _ column: Column) -> StudioJSON {
        var out = JSONText()
        element(value, column, to: &out)
        return .raw(out.bytes)
    }
}
