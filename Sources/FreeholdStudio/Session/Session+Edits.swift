import FreeholdEngine

extension StudioSession {
    static let editHandlers: [String: Handler] = [
        "stage": Handler(edits: true) { session, request, _ in try session.stage(request) },
        "waiting": Handler { session, _, _ in try session.waiting() },
        "discard": Handler { session, request, _ in try session.discard(request) },
        "check": Handler(edits: true) { session, _, answer in try session.check(answer) },
        "write": Handler(edits: true) { session, request, answer in try session.write(request, answer) },
        "undo": Handler(edits: true) { session, request, answer in try session.undo(request, answer) },
    ]

    /// The maximum number of changed objects of a write without a confirmation. A write of more objects must name their
    /// number.
    private static let confirmedObjects = 1_000
    private static let busyTimeout = Duration.seconds(2)

    // MARK: Waiting edits

    private func stage(_ request: StudioRequest) throws -> StudioJSON {
        let list = try request.list("edits")
        try read { view, facts in
            var reader = EditReader(view: view, facts: facts, lastNumber: edits.lastNumber)
            for object in edits.named { reader.waiting[object.name] = object }
            var new: [StagedEdit] = []
            for json in list {
                new += try reader.edits(json) { (number, ranges) throws(StudioError) in
                    try objects(ofCursor: number, in: ranges)
                }
            }
            guard edits.edits.count + new.count <= StagedEdits.mostEdits else { throw Self.tooMany }
            edits.add(new)
        }
        return try waiting()
    }

    /// Returns the objects of a cursor, or those in ranges of its rows.
    private func objects(ofCursor number: Int, in ranges: [Range<Int>]?) throws(StudioError) -> (Table, [ObjectKey]) {
        guard let cursor = cursors[number], let rows = cursor.rows else {
            throw StudioError(.notFound, "There is no open query \(number).")
        }
        guard ranges == nil || !cursor.hasMovedUnseen else {
            throw StudioError(.conflict, "The rows have moved meanwhile. Select them again.")
        }
        let ranges = (ranges ?? [0..<rows.count]).map { $0.clamped(to: 0..<rows.count) }
        guard ranges.reduce(0, { $0 + $1.count }) <= StagedEdits.mostEdits else { throw Self.tooMany }
        return (cursor.compiled.table, ranges.flatMap { rows.keys($0) })
    }

    private static let tooMany = StudioError(.limit, "At most \(StagedEdits.mostEdits) edits can wait.")
    private static let mostListed = 1_000

    private func waiting() throws -> StudioJSON {
        guard !edits.edits.isEmpty else { return ["waiting": [], "count": 0] }
        return try read { view, facts in
            var writer = ValueWriter(view: view, facts: facts)
            let titles = Dictionary(
                edits.edits.compactMap { edit in
                    let column = view.schema.table(named: edit.className).flatMap { facts.titleColumn($0) }
                    return edit.createdTitle(column).map { (edit.number, $0) }
                }
            ) { first, _ in
                first
            }
            for object in edits.named {
                var object = object
                object.title = titles[object.number]
                writer.waiting[object.number] = object
            }
            let listed = edits.edits.suffix(Self.mostListed).map { edit -> StudioJSON in
                let table = view.schema.table(named: edit.className)
                let column = table.flatMap { table in edit.property.flatMap { table.column(named: $0) } }
                var (old, new): (StudioJSON, StudioJSON) = (.null, .null)
                if let column {
                    switch edit.base {
                    case .value(let value), .element(_, let value?): old = writer.json(value, column)
                    default: break
                    }
                    if let value = edit.newValue { new = writer.json(value, column) }
                }
                let title =
                    edit.key.flatMap { key in
                        table.flatMap { view.contains($0, key) ? facts.title($0, key, in: view) : nil }
                    } ?? titles[edit.number]
                return .members([
                    "n": .int(edit.number), "edit": edit.json, "old": old, "new": new, "class": .string(edit.className),
                    "key": edit.key.map { .int($0.raw) }, "property": edit.property.map { .string($0) },
                    "title": .text(title),
                ])
            }
            return ["waiting": .array(listed), "count": .int(edits.edits.count)]
        }
    }

    private func discard(_ request: StudioRequest) throws -> StudioJSON {
        try edits.discard(request)
        return try waiting()
    }

    // MARK: Writing

    /// Makes the edits in memory on the newest version, without the lock of writers.
    private func check(_ answer: Answer) throws -> StudioJSON? {
        let (waiting, database) = (edits.edits, try shown().file.database)
        try work(answer) { _, facts in
            let newest = try database.snapshot()
            let facts = facts.revision == newest.schemaRevision ? facts : SchemaFacts(newest)
            let failure = EngineError(.cancelled, "The edits are only checked.")
            let transaction = database.failedWrite(on: newest, failure)
            defer { transaction.cancel() }
            var run = EditRun(transaction, facts)
            run.run(waiting)
            let objects = run.objects
            return StudioJSON.members([
                "difference": run.differenceJSON, "objects": .int(objects), "conflicts": .array(run.conflicts),
                "errors": .array(run.errors), "undo": .bool(!run.isTooLarge),
                "confirm": objects > Self.confirmedObjects ? .int(objects) : .null,
            ])
        } finish: { _, result in
            result
        }
        return nil
    }

    /// The result of a write.
    private struct Written: Sendable {
        let version: UInt64
        let objects: Int
        let renumbered: Int
        let inverses: [StagedEdit]
        let isTooLarge: Bool
    }

    private static func write(
        _ waiting: [StagedEdit],
        to database: Database,
        _ facts: SchemaFacts,
        _ kind: EditRun.Kind,
        confirmed: Int?,
        overwrites: Bool
    ) throws -> Written {
        let transaction = try database.beginWrite(until: .now + busyTimeout)
        // After a commit, this does nothing.
        defer { transaction.cancel() }
        let facts = facts.revision == transaction.base.schemaRevision ? facts : SchemaFacts(transaction.base)
        var run = EditRun(transaction, facts, kind, overwrites: overwrites)
        run.run(waiting)
        if !run.errors.isEmpty || !run.conflicts.isEmpty && !overwrites {
            var error = StudioError(
                .conflict,
                run.errors.isEmpty
                    ? "Another commit has changed values that these edits change." : "Some edits can't be made."
            )
            error.details = [.init("conflicts", .array(run.conflicts)), .init("errors", .array(run.errors))]
            throw error
        }
        let objects = run.objects
        guard objects <= confirmedObjects || confirmed == objects || confirmed == .max else {
            var error = StudioError(.invalid, "These edits change \(objects) objects. Type this number to write them.")
            error.details = [.init("confirm", .int(objects))]
            throw error
        }
        let committed = try transaction.commit()
        return Written(
            version: committed.version,
            objects: objects,
            renumbered: run.renumbered,
            inverses: run.inverses,
            isTooLarge: run.isTooLarge
        )
    }

    private func write(_ request: StudioRequest, _ answer: Answer) throws -> StudioJSON? {
        let (waiting, database) = (edits.edits, try shown().file.database)
        guard !waiting.isEmpty else { throw StudioError(.invalid, "No edits wait.") }
        let (confirmed, overwrites) = (try request.optionalNumber("confirm"), try request.flag("overwrite"))
        let numbers = Set(waiting.map(\.number))
        try work(answer, .writes) { _, facts in
            try Self.write(waiting, to: database, facts, .waiting, confirmed: confirmed, overwrites: overwrites)
        } finish: { session, written in
            session.edits.discard(numbers)
            session.edits.keep(written.inverses, of: written.version, isTooLarge: written.isTooLarge)
            return session.finish(written)
        }
        return nil
    }

    private func finish(_ written: Written) -> StudioJSON {
        history.noteOwn(written.version)
        advance()
        return [
            "version": .int(written.version), "objects": .int(written.objects), "renumbered": .int(written.renumbered),
            "undo": .bool(edits.canUndo(written.version)),
        ]
    }

    private func undo(_ request: StudioRequest, _ answer: Answer) throws -> StudioJSON? {
        let version = UInt64(try request.number("version"))
        guard let inverse = edits.inverses.first(where: { $0.version == version }), !inverse.isTooLarge else {
            throw StudioError(
                .notFound,
                "Version \(version) can't be undone: it isn't a write of this page, or it was too large."
            )
        }
        let database = try shown().file.database
        try work(answer, .writes) { _, facts in
            try Self.write(inverse.edits, to: database, facts, .inverses, confirmed: Int.max, overwrites: false)
        } finish: { session, written in
            session.edits.dropInverse(of: version)
            session.edits.keep(written.inverses, of: written.version, isTooLarge: written.isTooLarge)
            return session.finish(written)
        }
        return nil
    }
}
