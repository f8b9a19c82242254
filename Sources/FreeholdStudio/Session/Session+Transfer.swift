import Foundation
import FreeholdEngine

extension StudioSession {
    static let transferHandlers: [String: Handler] = [
        "export": Handler { session, request, answer in try session.export(request, answer) },
        "import": Handler { session, request, _ in try session.beginImport(request) },
        "preview": Handler(edits: true) { session, request, answer in try session.preview(request, answer) },
        "importCheck": Handler(edits: true) { session, request, answer in
            try session.runImport(request, answer, isDry: true)
        },
        "importRun": Handler(edits: true) { session, request, answer in
            try session.runImport(request, answer, isDry: false)
        },
        "importRealm": Handler { session, request, answer in try session.exportRealmCopy(request, answer) },
    ]

    // MARK: Export

    private func export(_ request: StudioRequest, _ answer: Answer) throws -> StudioJSON? {
        guard let format = RowFormat(rawValue: try request.text("format")),
            ![.text, .html, .condition].contains(format)
        else {
            throw StudioError(.invalid, "There is no form of this name.")
        }
        let (file, shownView, shownFacts) = try shown()
        let (tickets, quotes) = (program.tickets, try request.flag("formulas"))
        let path = tickets.newPath()
        let base = (file.entry.name as NSString).deletingPathExtension
        let isAll = try request.flag("all")
        var rows: FollowedRows?
        var table: Table?
        if let number = try request.optionalNumber("cursor") {
            guard let cursor = cursors[number], let found = cursor.rows else {
                throw StudioError(.notFound, "There is no open query \(number).")
            }
            (rows, table) = (found, cursor.compiled.table)
        } else if !isAll {
            table = try shownFacts.table(try request.text("class"))
        }
        guard isAll == (table == nil), !isAll || format == .json else {
            throw StudioError(.invalid, "A whole file is exported as JSON.")
        }
        let name =
            [base, table?.name].compactMap { $0 }.map(Self.fileName).joined(separator: "-") + "." + format.fileExtension
        let columns = try request.optionalTexts("columns").map { names in
            try names.map { try shownFacts.column($0, of: table!) }
        }
        let total = table.map { rows?.count ?? shownView.count($0) }
        let id = answer.request.id
        let source = Unshared((rows, table, columns))
        let flag = CancelFlag()
        try work(answer, .transfers, flag: flag) { [weak self] view, facts in
            let (rows, table, columns) = source.value
            func report(_ done: Int) throws {
                if flag.isSet { throw StudioError(.cancelled, "The export was cancelled.") }
                guard let id, done > 0 else { return }
                self?.onLoop {
                    $0.post([
                        "push": "progress", "id": .int(id), "done": .int(done), "of": .whole(total),
                        "what": "objects",
                    ])
                }
            }
            let export = FileExport(view: view, facts: facts, format: format, quotesFormulas: quotes)
            do {
                if let table {
                    let count = rows?.count ?? view.count(table)
                    let all = rows?.keys(0..<count)
                    try export.write(
                        table,
                        columns ?? table.columns,
                        to: path,
                        keys: (
                            count,
                            { i in
                                all?[i] ?? view.key(at: i, in: table)
                            }
                        ),
                        progress: report
                    )
                } else {
                    try export.writeAll(to: path, progress: report)
                }
            } catch {
                unlink(path)
                throw error
            }
            return PrivateFile.size(path)
        } finish: { _, bytes in
            let download = StudioTickets.Download(path: path, name: name, mediaType: format.mediaType, bytes: bytes)
            return ["ticket": .string(try tickets.offer(download)), "name": .string(name), "bytes": .int(bytes)]
        }
        return nil
    }

    /// Returns a name without characters that a file system or a header treats specially.
    private static func fileName(_ name: String) -> String {
        let kept = String(
            name.map { $0.isASCII && ($0.isLetter || $0.isNumber) || "-_.".contains($0) ? $0 : "_" }.prefix(80)
        )
        return kept.allSatisfy { $0 == "." } ? "export" : kept
    }

    /// Offers the private copy of a Realm file, which has Freehold's format.
    private func exportRealmCopy(_ request: StudioRequest, _ answer: Answer) throws -> StudioJSON? {
        let file = try shown().file
        guard file.isRealmFile, let report = file.importReport else {
            throw StudioError(.invalid, "The open file wasn't written by Realm.")
        }
        if try request.flag("dry") { return ["report": .string(report)] }
        let (tickets, key) = (program.tickets, file.database.encryptionKey)
        let (path, base) = (tickets.newPath(), (file.entry.name as NSString).deletingPathExtension)
        try work(answer, .transfers) { view, _ in
            try view.copy(to: path, key: key)
            return PrivateFile.size(path)
        } finish: { _, bytes in
            let name = Self.fileName(base) + "-freehold.realm"
            let download = StudioTickets.Download(
                path: path,
                name: name,
                mediaType: "application/octet-stream",
                bytes: bytes
            )
            return ["ticket": .string(try tickets.offer(download)), "name": .string(name), "report": .string(report)]
        }
        return nil
    }

    // MARK: Import

    private static let mostImports = 4

    private func beginImport(_ request: StudioRequest) throws -> StudioJSON {
        // A file that is only compared changes nothing.
        if request.body["format"]?.text != ImportFormat.file.rawValue { try checkWritable() }
        guard let format = ImportFormat(rawValue: try request.text("format")) else {
            throw StudioError(.invalid, "Files are imported from json, jsonl or csv.")
        }
        guard imports.count < Self.mostImports else { throw StudioError(.limit, "Too many imports are open.") }
        let (number, path) = (nextNumber(), program.tickets.newPath())
        let upload = StudioTickets.Upload(path: path) { [weak self] bytes in
            guard let self else {
                unlink(path)
                return
            }
            onLoop { session in
                guard bytes != nil, session.imports[number] != nil else {
                    session.imports[number] = nil
                    unlink(path)
                    return
                }
                session.imports[number]?.isComplete = true
                session.post(["push": "uploaded", "import": .int(number), "bytes": .int(bytes ?? 0)])
            }
        }
        let ticket = try program.tickets.expect(upload)
        imports[number] = StudioImport(path: path, format: format)
        return ["ticket": .string(ticket), "import": .int(number)]
    }

    /// Returns the uploaded file of a request.
    func uploaded(_ request: StudioRequest) throws(StudioError) -> StudioImport {
        guard let found = imports[try request.number("import")], found.isComplete else {
            throw StudioError(.notFound, "The file of the import hasn't been uploaded.")
        }
        return found
    }

    private func preview(_ request: StudioRequest, _ answer: Answer) throws -> StudioJSON? {
        let (source, className) = (try uploaded(request), try request.text("class"))
        let mapping = try ImportMapping(request)
        try work(answer, .transfers) { view, facts in
            try ImportPreview(view: view, facts: facts).json(source, try facts.table(className), mapping)
        } finish: { _, preview in
            preview
        }
        return nil
    }

    private func runImport(_ request: StudioRequest, _ answer: Answer, isDry: Bool) throws -> StudioJSON? {
        let (source, className) = (try uploaded(request), try request.text("class"))
        let (mapping, mode) = (try ImportMapping(request), try request.optionalText("mode") ?? "add")
        guard mode == "add" || mode == "update" else { throw StudioError(.invalid, "The mode is 'add' or 'update'.") }
        let (file, tickets) = (try shown().file, program.tickets)
        try work(answer, .transfers) { view, facts in
            let table = try facts.table(className)
            guard !table.isEmbedded, !table.isAsymmetric else {
                throw StudioError(.invalid, "Objects of '\(className)' can't be imported alone.")
            }
            let run = ImportRun(source: source, table: table, mapping: mapping, updates: mode == "update", isDry: isDry)
            return try run.run(file.entry.path, file.database, in: view, facts, copyPath: tickets.newPath())
        } finish: { session, result in
            if !isDry, let version = result["version"]?.int {
                session.history.noteOwn(UInt64(version))
                session.advance()
            }
            return result
        }
        return nil
    }
}
