import FreeholdBSON
import FreeholdEngine

extension DocumentSession {
    private static let mostListed = 1_000

    private func expectWritable() throws(StudioError) {
        guard isWritable else { throw StudioError(.readOnly, "Studio was started without --write.") }
        guard !isWriting else { throw StudioError(.busy, "The edits are being written.") }
    }

    // MARK: Waiting edits

    /// Handles `stage`: adds edits. If one of them is invalid, no edit is added.
    func stage(_ request: StudioRequest) async throws -> StudioJSON {
        try expectWritable()
        let list = try request.list("edits")
        guard list.count <= DocumentEdits.mostEdits else {
            throw StudioError(.limit, "At most \(DocumentEdits.mostEdits) edits can wait.")
        }
        let place = try shown()
        var stager = DocumentStager(place: place, created: edits.created)
        var new: [DocumentEdit] = []
        for json in list {
            guard let first = json.members?.first, json.members?.count == 1 else {
                throw StudioError(.invalid, "An edit is an object with one member.")
            }
            if first.key == "delete", let number = first.value["cursor"]?.int {
                new += try await deletions(number, try StudioRequest.ranges(first.value["ranges"]))
            } else {
                new += try await stager.edits(first.key, first.value, json)
            }
        }
        try expectWritable()
        try edits.add(new)
        return try waiting()
    }

    /// Returns the edits that delete the documents of rows.
    private func deletions(_ number: Int, _ ranges: [Range<Int>]?) async throws -> [DocumentEdit] {
        guard let open = cursors[number] else { throw StudioError(.notFound, "There is no open query \(number).") }
        guard let ranges, ranges.reduce(0, { $0 + $1.count }) <= DocumentEdits.mostDocuments else {
            throw StudioError(.limit, "At most \(DocumentEdits.mostDocuments) documents can be deleted at once.")
        }
        let table = open.cursor.query.table
        var deletions: [DocumentEdit] = []
        for range in ranges {
            for document in try await open.cursor.documents(range) {
                guard let key = document["_id"].flatMap({ DocumentPlace.text(ofKey: $0) }) else { continue }
                let title = try shown().classes.title(table, document)
                deletions.append(.deletion(DocumentPlace(className: table.name, key: key), title: title))
            }
        }
        return deletions
    }

    func waiting() throws -> StudioJSON {
        guard let place, !edits.all.isEmpty else { return ["waiting": [], "count": 0] }
        let writer = writer(place)
        return [
            "waiting": .array(
                edits.all.suffix(Self.mostListed).map { edit -> StudioJSON in
                    var (old, new) = (StudioJSON.null, StudioJSON.null)
                    if let column = edit.property {
                        let here = edit.place.adding(DocumentClasses.field(column))
                        if let base = edit.base { old = writer.element(base, column, at: here) }
                        if let value = edit.newValue { new = writer.element(value, column, at: here) }
                    }
                    let isCreation = if case .create = edit.action { true } else { false }
                    return .members([
                        "n": .int(edit.number), "edit": edit.json, "old": old, "new": new,
                        "class": .string(edit.className), "key": isCreation ? nil : .string(edit.place.text),
                        "property": edit.property.map { .string($0.name) }, "title": .text(edit.title),
                    ])
                }
            ), "count": .int(edits.all.count),
        ]
    }

    /// Returns a writer that knows the documents that waiting edits create.
    private func writer(_ place: Place) -> DocumentWriter {
        var writer = DocumentWriter(classes: place.classes)
        for edit in edits.all {
            if case .create(_, let name?) = edit.action { writer.waiting[edit.document] = (name, edit.title) }
        }
        return writer
    }

    func discard(_ request: StudioRequest) throws -> StudioJSON {
        guard !isWriting else { throw StudioError(.busy, "The edits are being written.") }
        try edits.discard(request)
        return try waiting()
    }

    // MARK: Writing

    /// Returns the changes that the edits make to the stored documents, with new documents first and deletions last.
    private func changes(_ requests: DocumentRequests) async throws -> [DocumentChange] {
        var groups: [(place: DocumentPlace, edits: [DocumentEdit])] = []
        var indexes: [DocumentPlace: Int] = [:]
        for edit in edits.all {
            if let index = indexes[edit.document] {
                groups[index].edits.append(edit)
            } else {
                indexes[edit.document] = groups.count
                groups.append((edit.document, [edit]))
            }
        }
        var changes: [DocumentChange] = []
        for (place, edits) in groups {
            changes.append(DocumentChange(place, edits, of: try await requests.document(place)))
        }
        let order: [DocumentChange.Kind] = [.created, .changed, .deleted]
        return order.flatMap { kind in changes.filter { $0.kind == kind } }
    }

    /// Handles `check`: compares the edits with the stored documents, and asks the server for a dry run of each change.
    func check() async throws -> StudioJSON {
        try expectWritable()
        let place = try shown()
        let changes = try await changes(place.requests)
        var errors = changes.flatMap(\.errors)
        var requests: [DocumentChange.Request] = []
        for change in changes where change.errors.isEmpty {
            do {
                guard let request = try change.request() else { continue }
                requests.append(request)
                // A dry run of a link to a document that waits for its creation succeeds, because the server doesn't compare links with documents.
                try await send(request, in: place.requests, isDry: true)
            } catch let error as StudioError {
                errors.append((change.edits[0].number, error.message))
            }
        }
        let writer = writer(place)
        let listed = changes.filter { $0.errors.isEmpty && $0.old != $0.new }
        return [
            "difference": .array(listed.prefix(Self.mostListed).map { Self.difference($0, writer) }),
            "undo": false, "objects": .int(listed.count),
            "conflicts": .array(changes.flatMap(\.conflicts).map { Self.json($0, writer) }),
            "errors": .array(errors.map { ["n": .int($0.number), "message": .string($0.message)] }), "confirm": .null,
            "commands": .array(
                requests.map { request in
                    .array([.string(request.command.name)] + request.command.arguments.map { .string($0) })
                }
            ),
        ]
    }

    /// Sends the request of a change.
    private func send(_ request: DocumentChange.Request, in requests: DocumentRequests, isDry: Bool) async throws {
        var members: [StudioJSON.Member] = [.init("do", .string(request.name)), .init("app", .string(requests.app))]
        if let stream = requests.stream { members.append(.init("stream", .string(stream))) }
        members += request.members
        if isDry { members.append(.init("dry", true)) }
        let text = try await requests.ask(.object(members))
        guard case .array(let refused)? = (try? BSONDocument(extendedJSON: text))?["refused"],
            case .document(let first)? = refused.first
        else { return }
        throw StudioError(.conflict, "The server refused the write: \(first["reason"]?.stringValue ?? "no reason").")
    }

    /// Handles `write`: writes the changes one document after another. The write of each document is merged with the work of devices.
    func write(_ request: StudioRequest) async throws -> StudioJSON {
        try expectWritable()
        let overwrites = try request.flag("overwrite")
        let place = try shown()
        isWriting = true
        defer { isWriting = false }
        let changes = try await changes(place.requests)
        let writer = writer(place)
        let (conflicts, errors) = (changes.flatMap(\.conflicts), changes.flatMap(\.errors))
        guard errors.isEmpty, conflicts.isEmpty || overwrites else {
            var error = StudioError(.conflict, "Documents have changed since the edits began. Nothing was written.")
            error.details = [
                .init("conflicts", .array(conflicts.map { Self.json($0, writer) })),
                .init("errors", .array(errors.map { ["n": .int($0.number), "message": .string($0.message)] })),
            ]
            throw error
        }
        var written = 0
        for change in changes {
            do {
                if let request = try change.request() {
                    try await send(request, in: place.requests, isDry: false)
                    written += 1
                }
            } catch {
                let error = StudioError(error)
                let name = "'\(change.place.className)' \(change.place.key.prefix(60))"
                throw StudioError(
                    error.code,
                    "\(written) of \(changes.count) documents were written. The write of \(name) failed: \(error.message)"
                )
            }
            edits.discard(Set(change.edits.map(\.number)))
        }
        let newest = try await place.requests.version()
        return ["version": .int(newest), "objects": .int(written), "renumbered": 0, "undo": false]
    }

    // MARK: Differences

    private static func difference(_ change: DocumentChange, _ writer: DocumentWriter) -> StudioJSON {
        let (classes, place) = (writer.classes, change.place)
        let table = classes.view.schema.table(named: place.className)
        let shown = change.kind == .deleted ? change.old : change.new
        let title = table.flatMap { table in
            shown.flatMap { classes.title(table, $0) ?? $0["_id"].flatMap { DocumentWriter.keyTitle($0) } }
        }
        let properties = (change.kind == .deleted ? [] : table?.columns ?? []).compactMap { column -> StudioJSON? in
            let field = DocumentClasses.field(column)
            let (old, new) = (change.kind == .created ? nil : change.old?[field], change.new?[field])
            guard old != new else { return nil }
            return .members([
                "name": .string(column.name), "old": old.map { writer.json($0, column, of: place) },
                "new": writer.json(new, column, of: place),
            ])
        }
        return .members([
            "class": .string(place.className), "key": change.kind == .created ? nil : .string(place.key),
            "title": .text(title), "kind": .string(change.kind.rawValue), "properties": .array(properties),
        ])
    }

    private static func json(_ conflict: DocumentChange.Conflict, _ writer: DocumentWriter) -> StudioJSON {
        let edit = conflict.edit
        func value(_ value: BSONValue?) -> StudioJSON {
            guard let value, let column = edit.property else { return .null }
            return writer.element(value, column, at: edit.place.adding(DocumentClasses.field(column)))
        }
        return .members([
            "n": .int(edit.number), "class": .string(edit.className), "key": .string(edit.place.text),
            "property": edit.property.map { .string($0.name) }, "old": value(edit.base), "new": value(edit.newValue),
            "current": value(conflict.current), "element": edit.isOfElement ? true : nil,
        ])
    }
}

extension DocumentEdit {
    static func deletion(_ place: DocumentPlace, title: String?) -> DocumentEdit {
        DocumentEdit(
            number: 0,
            batch: 0,
            place: place,
            className: place.className,
            property: nil,
            action: .delete,
            base: nil,
            title: title,
            json: ["delete": ["class": .string(place.className), "keys": [.string(place.key)]]]
        )
    }
}
