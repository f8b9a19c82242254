import FreeholdBSON
import FreeholdEngine
import Foundation

/// Converts values and texts that the page sends to values of documents. A value that a document can't represent
/// exactly is an error.
struct DocumentReader {
    let classes: DocumentClasses
    /// The keys of the documents that waiting edits create, by the names that the page gave to them.
    var waiting: [String: (className: String, key: BSONValue)] = [:]

    private static let depth = 32

    /// Returns the value of an edit: its member `value`, or the result of parsing its member `text`, which the user has
    /// typed.
    ///
    /// - Throws: `StudioError` with the code `invalid`.
    func value(of edit: StudioJSON, for column: Column) throws(StudioError) -> BSONValue {
        if let text = edit["text"]?.text { return try typed(text, for: column) }
        guard let value = edit["value"] else { throw StudioError(.invalid, "An edit has a 'value' or a 'text'.") }
        return try self.value(value, for: column)
    }

    private func typed(_ text: String, for column: Column) throws(StudioError) -> BSONValue {
        guard column.type != .link else {
            guard let target = classes.target(column), let key = target.primaryKey else {
                throw StudioError(.invalid, "Edit the fields of an embedded object one by one.")
            }
            return try DocumentPlace.key(text, key)
        }
        let reader = TypedText(view: classes.view, facts: classes.facts)
        return try bson(try reader.value(text, for: column))
    }

    /// Returns the value of a property that isn't a collection, or of an element of a collection.
    func value(_ json: StudioJSON, for column: Column) throws(StudioError) -> BSONValue {
        guard !json.isNull else {
            guard column.isOptional || column.type == .link || column.type == .mixed else {
                throw StudioError(.invalid, "'\(column.name)' can't be null.")
            }
            return .null
        }
        switch column.type {
        case .link: return try link(json, to: classes.target(column)).key
        case .mixed: return try mixed(json, depth: Self.depth)
        default:
            let reader = ValueReader(view: classes.view, facts: classes.facts)
            return try bson(try reader.value(json, for: column))
        }
    }

    /// Returns the target of a link.
    ///
    /// - Parameter wanted: The class of the target, or `nil` for any.
    private func link(_ json: StudioJSON, to wanted: Table?) throws(StudioError) -> (className: String, key: BSONValue)
    {
        guard let name = json["to"]?.text else { throw StudioError(.invalid, "A link has the class of its target.") }
        let (table, key) = try classes.documents(name)
        if let wanted, wanted.id != table.id {
            throw StudioError(.invalid, "The property links to objects of '\(wanted.name)', not of '\(name)'.")
        }
        if let name = json["as"]?.text {
            guard let object = waiting[name], object.className == table.name else {
                throw StudioError(.notFound, "No object of '\(table.name)' with the name '\(name.prefix(40))' waits.")
            }
            return object
        }
        guard let text = json["key"]?.text else { throw StudioError(.invalid, "A link has the key of its target.") }
        return (table.name, try DocumentPlace.key(text, key))
    }

    private func mixed(_ json: StudioJSON, depth: Int) throws(StudioError) -> BSONValue {
        guard depth > 0 else { throw StudioError(.tooLarge, "The value is nested too deeply.") }
        let value = json["value"] ?? .null
        let reader = ValueReader(view: classes.view, facts: classes.facts)
        switch json["is"]?.text {
        case "link":
            let target = try link(value, to: nil)
            return .document(["$ref": .string(target.className), "$id": target.key])
        case "list":
            var elements: [BSONValue] = []
            for element in try reader.whole(value) { elements.append(try mixed(element, depth: depth - 1)) }
            return .array(elements)
        case "map":
            var entries = BSONDocument()
            for element in try reader.whole(value) {
                guard let pair = element.elements, pair.count == 2, let key = pair[0].text else {
                    throw StudioError(.invalid, "An entry of a map is a pair of a key and a value.")
                }
                entries[key] = try mixed(pair[1], depth: depth - 1)
            }
            return .document(entries)
        default: return try bson(try reader.typed(json))
        }
    }

    private func bson(_ value: Value) throws(StudioError) -> BSONValue {
        switch value {
        case .null: return .null
        case .bool(let flag): return .bool(flag)
        case .int(let number): return .int64(number)
        case .float(let number): return .double(Double(number))
        case .double(let number): return .double(number)
        case .string(let text): return .string(text)
        case .data(let data): return .binary(BSONBinary(data))
        case .decimal128(let number): return .decimal128(number)
        case .objectId(let id): return .objectId(id)
        case .uuid(let id): return .binary(BSONBinary(id))
        case .timestamp(let moment):
            let (milliseconds, rest) = Int(moment.nanoseconds).quotientAndRemainder(dividingBy: 1_000_000)
            let (whole, overflows) = moment.seconds.multipliedReportingOverflow(by: 1_000)
            let (sum, isTooLarge) = whole.addingReportingOverflow(Int64(milliseconds))
            guard rest == 0, !overflows, !isTooLarge else {
                throw StudioError(.invalid, "The server's documents have dates of whole milliseconds.")
            }
            return .datetime(BSONDateTime(milliseconds: sum))
        case .link, .objectLink, .list, .dictionary:
            throw StudioError(.invalid, "The value can't be sent to a server.")
        }
    }
}
