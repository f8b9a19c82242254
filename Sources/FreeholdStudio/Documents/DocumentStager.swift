import FreeholdBSON
import FreeholdEngine

/// Reads the edits that the page sends, with the stored values on which they are based.
struct DocumentStager {
    private let requests: DocumentRequests
    private let classes: DocumentClasses
    private var reader: DocumentReader
    /// The documents that were read already. Edits of one request often concern few documents.
    private var documents: [DocumentPlace: BSONDocument] = [:]

    private static let mostDocuments = 20

    /// - Parameter created: The documents that waiting edits create, by their names.
    init(place: DocumentSession.Place, created: [String: (className: String, key: BSONValue)]) {
        (requests, classes) = (place.requests, place.classes)
        reader = DocumentReader(classes: place.classes, waiting: created)
    }

    private func wrong(_ text: String) -> StudioError { StudioError(.invalid, text) }

    /// Returns the edits for a member of a message.
    mutating func edits(_ name: String, _ body: StudioJSON, _ json: StudioJSON) async throws -> [DocumentEdit] {
        switch name {
        case "set": return [try await set(body, json)]
        case "create": return [try create(body, json)]
        case "delete": return try deletions(body)
        case "insert", "remove", "replace", "move": return [try await element(name, body, json)]
        case "deleteAll", "setAll":
            throw wrong("The documents of a server can't be changed by a query. Select rows, and edit or delete these.")
        default: throw wrong("There is no edit '\(name.prefix(40))'.")
        }
    }

    private func deletions(_ body: StudioJSON) throws -> [DocumentEdit] {
        let (table, key) = try classes.documents(try className(body))
        guard let keys = body["keys"]?.elements else { throw wrong("A deletion has 'keys'.") }
        return try keys.map { text in
            guard let text = text.text else { throw wrong("The keys of documents are texts.") }
            _ = try DocumentPlace.key(text, key)
            return .deletion(DocumentPlace(className: table.name, key: text), title: nil)
        }
    }

    private func className(_ body: StudioJSON) throws(StudioError) -> String {
        guard let name = body["class"]?.text else { throw wrong("An edit names a class.") }
        return name
    }

    private mutating func create(_ body: StudioJSON, _ json: StudioJSON) throws -> DocumentEdit {
        let (table, key) = try classes.documents(try className(body))
        var fields: [(column: Column, value: BSONValue)] = []
        for member in body["values"]?.members ?? [] {
            let column = try classes.facts.column(member.key, of: table)
            guard column.collection == .none else {
                throw wrong("Collections are filled after the document is written.")
            }
            fields.append((column, try reader.value(member.value, for: column)))
        }
        guard let id = fields.first(where: { $0.column.isPrimaryKey })?.value, !id.isNull,
            let text = DocumentPlace.text(ofKey: id)
        else { throw wrong("A new document needs a value of '\(key.name)'.") }
        var document = BSONDocument([(key: "_id", value: id)])
        for (column, value) in fields where !column.isPrimaryKey { document[column.name] = value }
        // The server refuses documents without the properties that aren't optional. They get the defaults of the library.
        for column in table.columns where column.collection == .none && !column.isPrimaryKey {
            guard document[column.name] == nil, !column.isOptional, column.type != .link else { continue }
            document[column.name] = Self.zero(column.type)
        }
        let name = body["as"]?.text
        if let name { reader.waiting[name] = (table.name, id) }
        return DocumentEdit(
            number: 0,
            batch: 0,
            place: DocumentPlace(className: table.name, key: text),
            className: table.name,
            property: nil,
            action: .create(document, name: name),
            base: nil,
            title: classes.title(table, document) ?? DocumentWriter.keyTitle(id),
            json: json
        )
    }

    private static func zero(_ type: ColumnType) -> BSONValue {
        switch type {
        case .bool: .bool(false)
        case .int: .int64(0)
        case .float, .double: .double(0)
        case .string: .string("")
        case .data: .binary(BSONBinary(bytes: []))
        case .timestamp: .datetime(BSONDateTime(milliseconds: 0))
        case .decimal128: .decimal128(Decimal128(Int64(0)))
        case .objectId: .objectId(ObjectId("000000000000000000000000"))
        case .uuid: .binary(BSONBinary(bytes: Array(repeating: 0, count: 16), subtype: .uuid))
        case .link, .mixed: .null
        }
    }

    /// The object of an edit, with its stored fields.
    private struct Target {
        let table: Table
        let place: DocumentPlace
        let fields: BSONDocument
        let column: Column
        let title: String?

        var stored: BSONValue? { fields[DocumentClasses.field(column)] }
    }

    private mutating func target(_ body: StudioJSON) async throws -> Target {
        let table = try classes.facts.table(try className(body))
        guard let key = body["key"]?.text else { throw wrong("An edit names the key of an object.") }
        guard let name = body["property"]?.text else { throw wrong("An edit names a property.") }
        let column = try classes.facts.column(name, of: table)
        let place = try DocumentPlace(key, in: table)
        let document = try await document(place)
        guard case .document(let fields)? = place.value(in: document) else {
            throw StudioError(.notFound, "The document has no embedded object at this place.")
        }
        let owner = try classes.documents(place.className).table
        let title = classes.title(owner, document) ?? document["_id"].flatMap { DocumentWriter.keyTitle($0) }
        return Target(table: table, place: place, fields: fields, column: column, title: title)
    }

    private mutating func document(_ place: DocumentPlace) async throws -> BSONDocument {
        let whole = DocumentPlace(className: place.className, key: place.key)
        if let known = documents[whole] { return known }
        guard let document = try await requests.document(whole) else {
            throw StudioError(.notFound, "'\(whole.className)' has no document with the key \(whole.key.prefix(60)).")
        }
        if documents.count >= Self.mostDocuments { documents = [:] }
        documents[whole] = document
        return document
    }

    private func edit(_ target: Target, _ action: DocumentEdit.Action, base: BSONValue?, _ json: StudioJSON)
        -> DocumentEdit
    {
        DocumentEdit(
            number: 0,
            batch: 0,
            place: target.place,
            className: target.table.name,
            property: target.column,
            action: action,
            base: base,
            title: target.title,
            json: json
        )
    }

    private mutating func set(_ body: StudioJSON, _ json: StudioJSON) async throws -> DocumentEdit {
        let target = try await target(body)
        guard target.column.collection == .none else {
            throw wrong("The elements of a collection are edited one by one.")
        }
        guard !target.column.isPrimaryKey else { throw wrong("A primary key can't be edited.") }
        guard classes.target(target.column)?.isEmbedded != true else {
            throw wrong("Edit the fields of an embedded object one by one.")
        }
        let value = try reader.value(of: body, for: target.column)
        return edit(target, .set(value), base: target.stored ?? .null, json)
    }

    private mutating func element(_ name: String, _ body: StudioJSON, _ json: StudioJSON) async throws -> DocumentEdit {
        let target = try await target(body)
        let column = target.column
        guard classes.target(column)?.isEmbedded != true || name == "remove" || name == "move" else {
            throw wrong("New embedded objects are written by the command 'document'.")
        }
        let stored = target.stored
        if column.collection == .dictionary {
            guard let key = body["at"]?.text, !key.isEmpty, !key.utf8.contains(0) else {
                throw wrong("An entry of a map has a key.")
            }
            let base = stored.flatMap { DocumentPlace.value($0, [key]) }
            switch name {
            case "insert", "replace":
                let value = try reader.value(of: body, for: column)
                return edit(target, .put(key, value), base: base, json)
            case "remove":
                guard base != nil else { throw StudioError(.notFound, "The map has no entry '\(key.prefix(40))'.") }
                return edit(target, .take(key), base: base, json)
            default: throw wrong("The entries of a map have no order.")
            }
        }
        guard column.collection != .none else { throw wrong("'\(column.name)' isn't a collection.") }
        var elements: [BSONValue] = []
        if case .array(let values)? = stored { elements = values }
        func position(_ name: String, _ limit: Int) throws(StudioError) -> Int {
            guard let at = body[name]?.int, (0..<limit).contains(at) else {
                throw StudioError(.notFound, "'\(column.name)' has no element at this place.")
            }
            return at
        }
        switch name {
        case "insert":
            let value = try reader.value(of: body, for: column)
            if column.collection == .set, elements.contains(value) { throw wrong("The set has this element already.") }
            return edit(target, .insert(at: try position("at", elements.count + 1), value), base: nil, json)
        case "remove":
            let at = try position("at", elements.count)
            return edit(target, .remove(at: at), base: elements[at], json)
        case "replace":
            guard column.collection == .list else { throw wrong("The elements of a set are added and removed.") }
            let at = try position("at", elements.count)
            return edit(target, .replace(at: at, try reader.value(of: body, for: column)), base: elements[at], json)
        default:
            guard column.collection == .list else { throw wrong("The elements of a set have no order.") }
            let (from, to) = (try position("from", elements.count), try position("to", elements.count))
            return edit(target, .move(from: from, to: to), base: elements[from], json)
        }
    }
}
