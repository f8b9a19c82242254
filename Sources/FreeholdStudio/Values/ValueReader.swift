import Foundation
import FreeholdEngine

/// Reads values that the page sends, in the form in which `ValueWriter` writes them. It never rounds or cuts a value: a value that doesn't fit is an error.
struct ValueReader {
    let view: DataView
    let facts: SchemaFacts
    /// The objects that waiting edits create, by the names that the page gave to them.
    var waiting: [String: WaitingObject] = [:]

    private static let depth = 32

    private func wrong(_ what: String, _ type: String) -> StudioError {
        StudioError(.invalid, "\(what) isn't a value of the type \(type).")
    }

    /// Returns the value of a property that isn't a collection, or of an element of a collection.
    ///
    /// - Throws: `StudioError` with the code `invalid`.
    func value(_ json: StudioJSON, for column: Column) throws(StudioError) -> Value {
        if json.isNull {
            guard column.isOptional || column.type == .link || column.type == .mixed else {
                throw StudioError(.invalid, "'\(column.name)' can't be null.")
            }
            return .null
        }
        switch column.type {
        case .link: return .link(try link(json, to: column.targetTableID).key)
        case .mixed: return try mixed(json, depth: Self.depth)
        default: return try scalar(json, column.type)
        }
    }

    /// Returns a value with its type, as arguments of queries and mixed values have it: `{"is": "int", "value": "5"}`.
    func typed(_ json: StudioJSON) throws(StudioError) -> Value { try mixed(json, depth: Self.depth) }

    private func scalar(_ json: StudioJSON, _ type: ColumnType) throws(StudioError) -> Value {
        let failure = wrong(Self.short(json), type.studioName)
        switch (type, json) {
        case (.bool, .bool(let flag)): return .bool(flag)
        case (.int, .string(let text)), (.int, .number(let text)):
            guard let number = Int64(text) else { throw failure }
            return .int(number)
        case (.float, .string(let text)), (.float, .number(let text)):
            guard let number = Self.float(text) else { throw failure }
            return .float(number)
        case (.double, .string(let text)), (.double, .number(let text)):
            guard let number = Self.double(text) else { throw failure }
            return .double(number)
        case (.string, .string(let text)): return .string(text)
        case (.data, .object):
            guard let text = json["data"]?.text, let data = Data(base64Encoded: text) else { throw failure }
            return .data(data)
        case (.timestamp, .array(let parts)):
            guard parts.count == 2, let seconds = parts[0].text.flatMap({ Int64($0) }), let rest = parts[1].int,
                (0..<1_000_000_000).contains(rest)
            else { throw failure }
            return .timestamp(Timestamp(seconds: seconds, nanoseconds: Int32(rest)))
        case (.decimal128, .string(let text)):
            guard let number = Decimal128(text as String) else { throw failure }
            return .decimal128(number)
        case (.objectId, .string(let text)):
            guard let id = ObjectId(text as String) else { throw failure }
            return .objectId(id)
        case (.uuid, .string(let text)):
            guard let id = UUID(uuidString: text) else { throw failure }
            return .uuid(id)
        default: throw failure
        }
    }

    /// Returns the number, or `nil` if the text isn't one or is too large for the type.
    static func double(_ text: String) -> Double? { special(text) ?? Double(text).flatMap { $0.isFinite ? $0 : nil } }
    static func float(_ text: String) -> Float? { special(text) ?? Float(text).flatMap { $0.isFinite ? $0 : nil } }

    private static func special<Number: BinaryFloatingPoint>(_ text: String) -> Number? {
        switch text {
        case "NaN": .nan
        case "Infinity": .infinity
        case "-Infinity": -.infinity
        default: nil
        }
    }

    private static func short(_ json: StudioJSON) -> String {
        let text = json.written
        return text.count > 60 ? "\(text.prefix(60))…" : text
    }

    /// Returns the object that a link names.
    ///
    /// - Parameter tableID: the class of the target, or `nil` for any.
    func link(_ json: StudioJSON, to tableID: Int?) throws(StudioError) -> ObjectLink {
        guard let name = (json["to"] ?? json["of"])?.text else { throw wrong(Self.short(json), "link") }
        let table = try facts.table(name)
        if let tableID, tableID != table.id {
            let wanted = view.schema.table(id: tableID)?.name ?? ""
            throw StudioError(.invalid, "The property links to objects of '\(wanted)', not of '\(name)'.")
        }
        if let name = json["as"]?.text {
            guard let object = waiting[name], object.className == table.name else {
                throw StudioError(.notFound, "No object of '\(table.name)' with the name '\(name.prefix(40))' waits.")
            }
            return ObjectLink(tableID: table.id, key: object.key)
        }
        guard let key = json["key"]?.int else { throw wrong(Self.short(json), "link") }
        guard view.contains(table, ObjectKey(Int64(key))) else {
            throw StudioError(.notFound, "'\(name)' has no object with the key \(key).")
        }
        return ObjectLink(tableID: table.id, key: ObjectKey(Int64(key)))
    }

    private func mixed(_ json: StudioJSON, depth: Int) throws(StudioError) -> Value {
        guard depth > 0 else { throw StudioError(.tooLarge, "The value is nested too deeply.") }
        guard let name = json["is"]?.text else { throw wrong(Self.short(json), "mixed") }
        let value = json["value"] ?? .null
        switch name {
        case "null": return .null
        case "link": return .objectLink(try link(value, to: nil))
        case "list":
            var values: [Value] = []
            for element in try whole(value) { values.append(try mixed(element, depth: depth - 1)) }
            return .list(NestedList(values))
        case "map":
            var entries: [NestedDictionary.Entry] = []
            for element in try whole(value) {
                guard let pair = element.elements, pair.count == 2, let key = pair[0].text else {
                    throw wrong(Self.short(element), "map")
                }
                entries.append(.init(key, try mixed(pair[1], depth: depth - 1)))
            }
            return .dictionary(NestedDictionary(entries))
        default:
            guard let type = ColumnType(studioName: name), type != .link, type != .mixed else {
                throw wrong(Self.short(json), name)
            }
            return try scalar(value, type)
        }
    }

    /// Returns the elements of a collection that isn't cut.
    func whole(_ json: StudioJSON) throws(StudioError) -> [StudioJSON] {
        if let elements = json.elements { return elements }
        guard let elements = json["head"]?.elements, json["count"]?.int == elements.count else {
            throw StudioError(.invalid, "A part of a collection can't be stored as the whole.")
        }
        return elements
    }
}
