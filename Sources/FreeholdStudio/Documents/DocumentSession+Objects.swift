import FreeholdBSON
import FreeholdEngine
import Foundation

extension DocumentSession {
    /// Returns the document of a place.
    ///
    /// - Throws: `StudioError` with the code `notFound` if it doesn't exist.
    func object(_ place: DocumentPlace) async throws -> (DocumentPlace, BSONDocument) {
        let document = try await shown().requests.document(DocumentPlace(className: place.className, key: place.key))
        guard let document else {
            throw StudioError(.notFound, "'\(place.className)' has no document with the key \(place.key.prefix(60)).")
        }
        return (place, document)
    }

    /// Returns the object that a request names, and its fields.
    private func target(_ request: StudioRequest) async throws -> (
        table: Table, place: DocumentPlace, document: BSONDocument, fields: BSONDocument
    ) {
        let table = try shown().classes.facts.table(try request.text("class"))
        let (place, document) = try await object(DocumentPlace(try request.text("key"), in: table))
        guard case .document(let fields)? = place.value(in: document) else {
            throw StudioError(.notFound, "The document has no embedded object at this place.")
        }
        return (table, place, document, fields)
    }

    /// Handles `object`: returns the fields of a document or of an embedded object in it, and the properties that could link to it.
    func object(_ request: StudioRequest) async throws -> StudioJSON {
        let (follows, wantsText) = (try request.flag("follow"), try request.flag("json"))
        let (table, place, document, fields) = try await target(request)
        let classes = try shown().classes
        if follows { followed = (place, table, document) }
        var writer = DocumentWriter(classes: classes, limits: .field)
        writer.titles = try await titles(fields, table)
        let values = table.columns.map { column -> StudioJSON in
            .array([.string(column.name), writer.json(fields[DocumentClasses.field(column)], column, of: place)])
        }
        let owner: StudioJSON? =
            place.path.isEmpty
            ? nil
            : [
                "class": .string(place.className), "key": .string(place.key),
                "property": .string(place.path.joined(separator: ".")),
                "title": .text(classes.title(try classes.facts.table(place.className), document) ?? place.key),
            ]
        // The server has no counts of links. They are counted when the page asks for the documents.
        let links = incoming(table).map { column -> StudioJSON in
            [
                "class": .string(classes.view.schema.table(of: column).name), "property": .string(column.name),
                "count": .null,
            ]
        }
        return .members([
            "class": .string(table.name), "key": .string(place.text), "version": .int(version),
            "title": .text(classes.title(table, fields) ?? fields["_id"].flatMap { DocumentWriter.keyTitle($0) }),
            "fields": .array(values), "links": .array(links), "owner": owner, "position": .null,
            "json": wantsText ? .string(try fields.extendedJSON(pretty: true)) : nil,
        ])
    }

    /// Returns the properties of documents that can link to documents of a class. The server doesn't serve conditions on properties of embedded
    /// objects.
    private func incoming(_ table: Table) -> [Column] {
        guard !table.isEmbedded, let classes = place?.classes else { return [] }
        return classes.facts.incoming(table).filter {
            let origin = classes.view.schema.table(of: $0)
            return $0.type == .link && $0.collection != .dictionary && !origin.isEmbedded && origin.primaryKey != nil
        }
    }

    private static let mostTitles = 100

    /// Returns the titles of documents to which an object links. It makes one request for each class, so some titles may be missing.
    private func titles(_ fields: BSONDocument, _ table: Table) async throws -> [DocumentPlace: String] {
        let place = try shown()
        var wanted: [Int: [BSONValue]] = [:]
        for column in table.columns {
            guard let target = place.classes.target(column), !target.isEmbedded, target.primaryKey != nil,
                place.classes.facts.titleColumn(target) != nil, let value = fields[DocumentClasses.field(column)]
            else { continue }
            switch value {
            case .array(let keys): wanted[target.id, default: []] += keys.prefix(ValueLimits.field.elements)
            case .document(let map): wanted[target.id, default: []] += map.values.prefix(ValueLimits.field.elements)
            default: wanted[target.id, default: []].append(value)
            }
        }
        var titles: [DocumentPlace: String] = [:]
        for (id, keys) in wanted {
            guard let target = place.classes.view.schema.table(id: id), let key = target.primaryKey else { continue }
            let known = Array(Set(keys.filter { !$0.isNull })).prefix(Self.mostTitles)
            guard !known.isEmpty else { continue }
            let condition = DocumentCondition(classes: target, key: key).text(keys: Array(known))
            let page = try await place.requests.page(target.name, query: condition, after: nil, limit: known.count)
            for document in page.documents {
                guard let title = place.classes.title(target, document),
                    let text = document["_id"].flatMap({ DocumentPlace.text(ofKey: $0) })
                else { continue }
                titles[DocumentPlace(className: target.name, key: text)] = title
            }
        }
        return titles
    }

    // MARK: Parts

    /// Handles `part`: returns elements of a collection, or a part of a long text or of data.
    func part(_ request: StudioRequest) async throws -> StudioJSON {
        let (table, place, _, fields) = try await target(request)
        let path = try request.list("path")
        guard let name = path.first?.text, path.count <= 64 else {
            throw StudioError(.invalid, "The path of a part begins with the name of a property.")
        }
        let classes = try shown().classes
        let column = try classes.facts.column(name, of: table)
        let steps = path.dropFirst().map { $0.text ?? $0.int.map(String.init) ?? "" }
        let field = DocumentClasses.field(column)
        guard let whole = fields[field], let value = DocumentPlace.value(whole, steps[...]) else {
            guard steps.isEmpty else { throw StudioError(.notFound, "The value has no element at this place.") }
            return ["count": 0, "from": 0, "elements": []]
        }
        var out = JSONText()
        let writer = DocumentWriter(classes: classes)
        switch value {
        case .array, .document:
            guard steps.isEmpty && column.collection != .none || column.type == .mixed else {
                throw StudioError(.invalid, "The value has no parts.")
            }
            let count = DocumentWriter.count(value)
            let range = try request.range(limit: PartReader.elements).clamped(to: 0..<count)
            let here = place.adding(field)
            writer.elements(value, column, at: steps.reduce(here) { $0.adding($1) }, in: range, to: &out)
            return ["count": .int(count), "from": .int(range.lowerBound), "elements": .raw(out.bytes)]
        case .string(let text):
            return Self.text(Array(text.utf8), try request.range(limit: PartReader.textBytes))
        case .binary(let binary):
            let range = try request.range(limit: PartReader.dataBytes)
            let part = Data(binary.bytes[range.clamped(to: binary.bytes.indices)])
            return [
                "bytes": .int(binary.bytes.count), "from": .int(range.lowerBound),
                "data": .string(part.base64EncodedString()),
            ]
        default: throw StudioError(.invalid, "The value has no parts.")
        }
    }

    /// Returns a part of a text that begins and ends between characters.
    private static func text(_ bytes: [UInt8], _ range: Range<Int>) -> StudioJSON {
        func isBoundary(_ at: Int) -> Bool { at >= bytes.count || bytes[at] & 0xC0 != 0x80 }
        var low = min(range.lowerBound, bytes.count)
        var high = min(max(low, range.upperBound), bytes.count)
        while low > 0, !isBoundary(low) { low -= 1 }
        while high > low, !isBoundary(high) { high -= 1 }
        let text = String(decoding: bytes[low..<high], as: UTF8.self)
        return ["length": .int(bytes.count), "from": .int(low), "to": .int(high), "text": .string(text)]
    }

    // MARK: Links

    /// Handles `linked`: returns the documents whose property links to a document, in parts. The server finds them by comparing all documents of the
    /// class.
    func linked(_ request: StudioRequest) async throws -> StudioJSON {
        let place = try shown()
        let (target, keyColumn) = try place.classes.documents(try request.text("class"))
        let text = try request.text("key")
        guard let by = request.optional("by") else { return ["version": .int(version), "by": []] }
        guard let origin = by["class"]?.text, let property = by["property"]?.text,
            let column = incoming(target).first(where: {
                $0.name == property && place.classes.view.schema.table(of: $0).name == origin
            })
        else { throw StudioError(.notFound, "No property of this name links to '\(target.name)'.") }
        guard let key = DocumentWriter.engineValue(try DocumentPlace.key(text, keyColumn), keyColumn.type) else {
            throw StudioError(.invalid, "The key isn't one of this class.")
        }
        let range = try request.range(limit: 500)
        let name = [target.name, text, origin, property].joined(separator: "\u{0}")
        if linked?.name != name || range.lowerBound == 0 {
            let (table, originKey) = try place.classes.documents(origin)
            let condition = DocumentCondition.text(column, linksTo: target, key: key)
            let query = DocumentCursor.Query(table: table, key: originKey, columns: [], origin: .condition(condition))
            linked = (name, DocumentCursor(query, place.requests))
        }
        guard let cursor = linked?.cursor else { return [:] }
        let documents = try await cursor.documents(range)
        let objects = documents.map { document -> StudioJSON in
            let key = document["_id"] ?? .null
            return [
                "to": .string(origin), "key": .text(DocumentPlace.text(ofKey: key)),
                "title": .text(place.classes.title(cursor.query.table, document) ?? DocumentWriter.keyTitle(key)),
            ]
        }
        let isWhole = await cursor.isWhole
        let known = range.lowerBound + documents.count
        return [
            "count": .int(isWhole ? await cursor.count : known + 1), "whole": .bool(isWhole),
            "from": .int(range.lowerBound), "objects": .array(objects),
        ]
    }

    /// Handles `find`: returns the document with a key, and documents whose titles begin with a text.
    func find(_ request: StudioRequest) async throws -> StudioJSON {
        let place = try shown()
        let text = try request.text("text").trimmingCharacters(in: .whitespaces)
        guard let name = try request.optionalText("class") else {
            throw StudioError(.invalid, "A search in a server's documents names a class.")
        }
        let (table, key) = try place.classes.documents(name)
        var results: [StudioJSON] = []
        var seen: Set<String> = []
        func add(_ document: BSONDocument) {
            guard let id = document["_id"], let text = DocumentPlace.text(ofKey: id), seen.insert(text).inserted else {
                return
            }
            results.append([
                "kind": "object", "class": .string(name), "key": .string(text),
                "title": .text(place.classes.title(table, document) ?? DocumentWriter.keyTitle(id)),
                "note": .string(text),
            ])
        }
        guard !text.isEmpty, text.utf8.count <= 1_024 else { return ["results": []] }
        if let value = try? DocumentPlace.key(text, key), let path = DocumentPlace.text(ofKey: value),
            let document = try await place.requests.document(DocumentPlace(className: name, key: path))
        {
            add(document)
        }
        if let column = place.classes.facts.titleColumn(table), column.type == .string {
            let path = Term.path(NamedPath([.name(column.name)]))
            let condition = Condition.compare(path, .beginsWith, .constant(.value(.string(text))), .ignoringCase)
            let query = QueryPrinter.text(condition) { _ in nil }
            let page = try await place.requests.page(name, query: query, after: nil, limit: 20)
            for document in page.documents { add(document) }
        }
        return ["results": .array(results)]
    }
}
