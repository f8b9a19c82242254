import Foundation
import FreeholdEngine
import ModelWriter

extension StudioSession {
    static let schemaHandlers: [String: Handler] = [
        "code": Handler { session, request, answer in try session.code(request, answer) },
        "findings": Handler { session, _, _ in try session.schemaFindings() },
        "migrate": Handler(edits: true) { session, request, answer in try session.migrate(request, answer) },
        "diff": Handler { session, request, answer in try session.diff(request, answer) },
    ]

    private func code(_ request: StudioRequest, _ answer: Answer) throws -> StudioJSON? {
        guard let language = ModelLanguage(rawValue: try request.text("language")) else {
            throw StudioError(.invalid, "There is no language of this name.")
        }
        let names = try request.optionalTexts("classes")
        try work(answer) { view, facts in
            let tables = try names?.map { try facts.table($0) } ?? view.schema.tables
            let models: GeneratedModels
            do { models = try GeneratedModels(tables.map { ModelClass($0.spec(in: view.schema)) }, in: language) } catch
            {
                throw StudioError(.invalid, "\(error)")
            }
            return StudioJSON.members([
                "files": .array(models.files.map { ["name": .string($0.name), "text": .string($0.text)] }),
                "notes": .array(models.notes.map { .string($0.description) }),
            ])
        } finish: { _, code in
            code
        }
        return nil
    }

    /// Returns the indexes that no query of this session used. A unique index is used by each write.
    private func schemaFindings() throws -> StudioJSON {
        try read { view, _ in
            let used = indexUses.indexes
            let findings = view.schema.tables.flatMap { table -> [StudioJSON] in
                let single = table.columns.filter { $0.indexKind != .none }.map { [$0.name] }
                let compound = table.compounds.filter { !$0.isUnique }.map { $0.columns.map(\.name) }
                return (single + compound).filter { !used.contains(QueryIndex(table: table.name, columns: $0)) }
                    .map { names in
                        [
                            "class": .string(table.name), "properties": .array(names.map { .string($0) }),
                            "kind": "unusedIndex",
                            "text": .string(
                                "No query of this session used the index on \(names.map { "'\($0)'" }.joined(separator: ", "))."
                            ),
                        ]
                    }
            }
            return ["findings": .array(findings)]
        }
    }

    private func migrate(_ request: StudioRequest, _ answer: Answer) throws -> StudioJSON? {
        let (file, view, _) = try shown()
        guard view.schema.hiddenTable(named: "sync commits") == nil else {
            throw StudioError(.synced, "The classes of a synced file are changed by the app, not by Studio.")
        }
        let (steps, isDry) = (try request.list("steps"), try request.flag("dry"))
        let database = file.database
        try work(answer, .transfers) { _, _ in
            try SchemaChange(steps).run(on: database, isDry: isDry)
        } finish: { session, result in
            if let version = result["version"]?.int { session.history.noteOwn(UInt64(version)) }
            session.advance()
            return result
        }
        return nil
    }

    private func diff(_ request: StudioRequest, _ answer: Answer) throws -> StudioJSON? {
        let entry: StudioEntry
        // The upload is deleted when the work has ended.
        var upload: StudioImport?
        if request.optional("import") != nil {
            let found = try uploaded(request)
            upload = found
            entry = StudioEntry(number: "", path: found.path, opened: nil)
        } else {
            entry = try program.files.entry(try request.text("file"))
        }
        let kept = upload
        var key = try OpenFile.key(request.optional("key"))
        if key == nil { key = try shown().file.database.encryptionKey }
        let options = program.options
        let given = key
        try work(answer, .transfers) { view, facts in
            var reading = options
            reading.isWritable = false
            let other: OpenFile
            do throws(StudioError) { other = try OpenFile.open(entry, key: given, reading) } catch {
                guard error.code == .key, given != nil else { throw error }
                other = try OpenFile.open(entry, key: nil, reading)
            }
            return try withExtendedLifetime(kept) {
                try other.database.snapshot().reading { right in
                    FileComparison(left: view, leftFacts: facts, right: right, rightFacts: SchemaFacts(right)).json()
                }
            }
        } finish: { _, differences in
            differences
        }
        return nil
    }
}
