import FreeholdEngine

extension StudioSession {
    static let historyHandlers: [String: Handler] = [
        "commits": Handler { session, request, _ in try session.commits(request) },
        "commit": Handler { session, request, _ in try session.commit(request) },
    ]

    private func commits(_ request: StudioRequest) throws -> StudioJSON {
        let limit = min(try request.number("limit"), 200)
        let before = try request.optionalNumber("before").map { UInt64($0) }
        return try read { view, _ in
            var version = min(before.map { $0 > 0 ? $0 - 1 : 0 } ?? view.version, view.version)
            var out: [StudioJSON] = []
            while version > 0, out.count < limit {
                guard let record = view.changes(ofVersion: version) else { break }
                out.append(summary(record, view))
                version -= 1
            }
            return [
                "commits": .array(out), "oldest": .int(version + 1), "more": .bool(version > 0 && out.count == limit),
            ]
        }
    }

    private func origin(_ record: ChangeRecord) -> StudioJSON {
        if history.isOwn(record.version) { return "studio" }
        switch record.origin {
        case .local: return "local"
        case .applier(let number): return .int(number)
        }
    }

    private func summary(_ record: ChangeRecord, _ view: Snapshot) -> StudioJSON {
        let classes = record.tables.compactMap { changes -> StudioJSON? in
            guard let table = view.schema.table(id: changes.table), !table.isHidden else { return nil }
            return .members([
                "class": .string(table.name), "inserted": .int(changes.inserted.count),
                "deleted": .int(changes.deleted.count),
                "modified": .int(Set(changes.modified.values.joined()).count),
                "incomplete": changes.isIncomplete ? true : nil,
            ])
        }
        return [
            "version": .int(record.version), "seen": .whole(history.time(of: record.version)),
            "at": .whole(record.stamp?.milliseconds),
            "process": .whole(record.stamp.map { Int64($0.processIdentifier) }),
            "origin": origin(record), "mine": .bool(history.isOwn(record.version)),
            "undo": .bool(edits.canUndo(record.version)), "schema": .bool(record.schemaChanged),
            "classes": .array(classes),
        ]
    }

    private static let mostObjects = 200

    private func commit(_ request: StudioRequest) throws -> StudioJSON {
        let version = UInt64(try request.number("version"))
        return try read { view, facts in
            guard let record = view.changes(ofVersion: version) else {
                throw StudioError(.notFound, "The file doesn't have the record of version \(version) any more.")
            }
            let classes = record.tables.compactMap { changes -> StudioJSON? in
                guard let table = view.schema.table(id: changes.table), !table.isHidden else { return nil }
                return self.classChanges(changes, table, in: view, facts: facts)
            }
            return [
                "version": .int(version), "seen": .whole(history.time(of: version)),
                "at": .whole(record.stamp?.milliseconds),
                "process": .whole(record.stamp.map { Int64($0.processIdentifier) }),
                "origin": origin(record), "undo": .bool(edits.canUndo(version)), "schema": .bool(record.schemaChanged),
                "classes": .array(classes), "values": ownValues(version, view, facts),
            ]
        }
    }

    private func classChanges(_ changes: TableChanges, _ table: Table, in view: Snapshot, facts: SchemaFacts)
        -> StudioJSON
    {
        func objects(_ keys: [ObjectKey]) -> StudioJSON {
            .array(
                keys.prefix(Self.mostObjects).map { key in
                    let title = view.contains(table, key) ? facts.title(table, key, in: view) : nil
                    return [
                        "key": .int(key.raw), "title": .text(title),
                        "exists": .bool(view.contains(table, key)),
                    ]
                }
            )
        }
        let (inserted, deleted) = (changes.inserted, changes.deleted)
        let modified = changes.modified.sorted { $0.key < $1.key }.compactMap { id, keys -> StudioJSON? in
            guard let column = table.columns.first(where: { $0.id == id }) else { return nil }
            return ["property": .string(column.name), "count": .int(keys.count), "keys": objects(keys)]
        }
        return [
            "class": .string(table.name), "inserted": objects(inserted), "insertedCount": .int(inserted.count),
            "deleted": .array(deleted.prefix(Self.mostObjects).map { .int($0.raw) }),
            "deletedCount": .int(deleted.count),
            "modified": .array(modified), "incomplete": .bool(changes.isIncomplete),
        ]
    }

    /// Returns the old and new values of a write of this page, or null for other commits.
    private func ownValues(_ version: UInt64, _ view: Snapshot, _ facts: SchemaFacts) -> StudioJSON {
        guard let inverse = edits.inverses.first(where: { $0.version == version }), !inverse.isTooLarge else {
            return .null
        }
        let writer = ValueWriter(view: view, facts: facts)
        return .array(
            inverse.edits.prefix(Self.mostObjects).compactMap { edit in
                guard let table = view.schema.table(named: edit.className), let key = edit.key,
                    let column = edit.property.flatMap({ table.column(named: $0) }), let old = edit.newValue,
                    case .value(let new) = edit.base
                else { return nil }
                return [
                    "class": .string(table.name), "key": .int(key.raw), "property": .string(column.name),
                    "old": writer.json(old, column), "new": writer.json(new, column),
                ]
            }
        )
    }
}
