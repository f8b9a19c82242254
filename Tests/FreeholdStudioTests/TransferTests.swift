import Foundation
import FreeholdEngine
import Testing

@testable import FreeholdStudio

/// Copies, exports and imports.
struct TransferTests {
    private static func download(_ world: StudioWorld, _ answer: StudioJSON) throws -> String {
        let download = try require(world.program.tickets.takeDownload(try require(answer["ticket"]?.text)))
        defer { try? FileManager.default.removeItem(atPath: download.path) }
        let mode = (try FileManager.default.attributesOfItem(atPath: download.path)[.posixPermissions] as? NSNumber)?
            .intValue
        expectEqual(mode, 0o600)
        return String(decoding: try require(FileManager.default.contents(atPath: download.path)), as: UTF8.self)
    }

    @Test func `Cells are copied in each form, and hostile text stays text`() async throws {
        let world = try StudioWorld { write in
            try write.applySchema([TableSpec("Note", columns: [ColumnSpec("text", .string), ColumnSpec("n", .double)])])
            let note = write.schema.table(named: "Note")!
            for text in ["=1+1", "a\tb\"c\n", "<script>", "\\(evil)\"", "x, y"] {
                let key = try write.create(note)
                try write.set(note.columns[0], key, to: .string(text))
            }
        }
        let page = try await world.page()
        let cursor = try await page.ask("open", ["class": "Note"])["cursor"]!
        func copy(_ format: String) async throws -> String {
            try await page.ask(
                "copy",
                ["cursor": cursor, "ranges": [[0, 5]], "columns": ["text"], "format": .string(format)]
            )["text"]?.text ?? ""
        }
        expectEqual(try await copy("text"), "=1+1\n\"a\tb\"\"c\n\"\n<script>\n\"\\(evil)\"\"\"\nx, y\n")
        expect(try await copy("html").contains("<td>&lt;script&gt;</td>"))
        expectEqual(
            try await copy("csv"),
            "text\r\n=1+1\r\n\"a\tb\"\"c\n\"\r\n<script>\r\n\"\\(evil)\"\"\"\r\n\"x, y\"\r\n"
        )
        expect(try await copy("markdown").contains("| \\<script\\> |"))
        expect(try await copy("swift").contains(#"`Note`(value: ["text": "\\(evil)\""] as [String: Any])"#))
        let condition = try await copy("condition")
        expectEqual(try await page.ask("open", ["class": "Note", "query": .string(condition)])["count"]?.int, 5)
        let json = try await copy("json")
        expectEqual(try StudioJSON(parsing: Array(json.utf8)).elements?.count, 5)
        let one = try await page.ask(
            "copy",
            ["cursor": cursor, "ranges": [[0, 1]], "columns": ["text"], "format": "text"]
        )
        expectEqual(one["text"]?.text, "=1+1")
        let exported = try await page.ask(
            "export",
            ["class": "Note", "format": "csv", "columns": ["text"], "formulas": true]
        )
        expect(try Self.download(world, exported).contains("\r\n'=1+1\r\n"))
    }

    @Test(arguments: ["json", "jsonl", "csv"])
    func `An exported class is imported as the same objects`(_ format: String) async throws {
        let world = try StudioWorld(writes: true)
        let page = try await world.page()
        let columns: StudioJSON = ["id", "name", "age", "city", "friend", "tags", "scores", "born"]
        let exported = try await page.ask("export", ["class": "Person", "format": .string(format), "columns": columns])
        let text = try Self.download(world, exported)
        try world.write { write in
            let person = write.schema.table(named: "Person")!
            for key in 50..<60 { write.delete(person, ObjectKey(Int64(key))) }
            try write.set(person.column(named: "city")!, ObjectKey(1), to: .string("Changed"))
        }
        let begun = try await page.ask("import", ["format": .string(format)])
        let upload = try require(world.program.tickets.takeUpload(try require(begun["ticket"]?.text)))
        expect(PrivateFile.create(upload.path, Array(text.utf8)))
        upload.finish(text.utf8.count)
        _ = await page.push("uploaded")
        let preview = try await page.ask("preview", ["import": begun["import"]!, "class": "Person"])
        expectEqual(preview["rows"]?.elements?.count, 100)
        expectEqual(preview["columns"]?.elements?.first?["guess"]?.text, "int")
        expectEqual(preview["errors"]?.elements?.count, 0)
        let arguments: StudioJSON = ["import": begun["import"]!, "class": "Person", "mode": "update"]
        let version = try world.database.snapshot().version
        let checked = try await page.ask("importCheck", arguments)
        expectEqual(checked["created"]?.int, 10, "\(checked.written)")
        expectEqual(try world.database.snapshot().version, version)
        expectEqual(
            try await page.ask("importCheck", ["import": begun["import"]!, "class": "Person"])["errors"]?.elements?
                .count,
            1
        )
        let run = try await page.ask("importRun", arguments)
        expectEqual(run["updated"]?.int, 90)
        let again = try await page.ask("export", ["class": "Person", "format": .string(format), "columns": columns])
        let lines = { (text: String) in
            Set(text.split(whereSeparator: \.isNewline).map { $0.hasSuffix(",") ? String($0.dropLast()) : String($0) })
        }
        expectEqual(lines(try Self.download(world, again)), lines(text))
    }

    @Test func `A whole file is exported, a ticket is valid once, and uploads that break are removed`() async throws {
        let world = try StudioWorld(writes: true)
        let page = try await world.page()
        let exported = try await page.ask("export", ["all": true, "format": "json"])
        let text = try Self.download(world, exported)
        expectEqual(try StudioJSON(parsing: Array(text.utf8))["Person"]?.elements?.count, 100)
        expect(world.program.tickets.takeDownload(exported["ticket"]!.text!) == nil)
        expect(world.program.tickets.takeUpload(exported["ticket"]!.text!) == nil)
        let begun = try await page.ask("import", ["format": "csv"])
        let upload = try require(world.program.tickets.takeUpload(begun["ticket"]!.text!))
        upload.finish(nil)
        expectEqual(await page.refusal("preview", ["import": begun["import"]!, "class": "Person"]), "notFound")
    }

    @Test(arguments: ["id,name\n\"1,x", "id,name\n\"a\"b,c\n", "nothing\n1\n", "id,age\n5,x\n", ""])
    func `Hostile CSV is an error of the import`(_ text: String) async throws {
        let world = try StudioWorld(writes: true)
        let page = try await world.page()
        let begun = try await page.ask("import", ["format": "csv"])
        let upload = try require(world.program.tickets.takeUpload(begun["ticket"]!.text!))
        expect(PrivateFile.create(upload.path, Array(text.utf8)))
        upload.finish(text.utf8.count)
        _ = await page.push("uploaded")
        _ = await page.refusal("preview", ["import": begun["import"]!, "class": "Person"])
        let checked = try await page.ask("importCheck", ["import": begun["import"]!, "class": "Person"])
        expectEqual(checked["errors"]?.elements?.count, 1)
    }

    /// Begins an import whose upload is a pipe, so that the test decides how long it takes.
    private static func pipe(_ world: StudioWorld, _ page: TestPage) async throws -> (number: StudioJSON, path: String)
    {
        let begun = try await page.ask("import", ["format": "jsonl"])
        let upload = try require(world.program.tickets.takeUpload(begun["ticket"]!.text!))
        expectEqual(mkfifo(upload.path, 0o600), 0)
        upload.finish(0)
        _ = await page.push("uploaded")
        return (begun["import"]!, upload.path)
    }

    @Test func `Other programs write during the dry run of an import`() async throws {
        let world = try StudioWorld(writes: true)
        let page = try await world.page()
        let (number, path) = try await Self.pipe(world, page)
        async let answer = page.ask("importCheck", ["import": number, "class": "Person"])
        // This waits until the import reads.
        let writer = try require(FileHandle(forWritingAtPath: path))
        try writer.write(contentsOf: Data("{\"id\": 1000}\n".utf8))
        let other = try world.database.beginWrite(until: .now + .seconds(5))
        other.delete(other.schema.table(named: "Person")!, ObjectKey(1))
        _ = try other.commit()
        try writer.write(contentsOf: Data("{\"id\": 1001}\n".utf8))
        try writer.close()
        expectEqual(try await answer["created"]?.int, 2)
        let view = try world.database.snapshot()
        expectEqual(view.count(view.schema.table(named: "Person")!), 99)
    }

    @Test func `Exports and imports stop neither the queries nor the writes of other pages`() async throws {
        let world = try StudioWorld(writes: true)
        let page = try await world.page()
        var pages: [TestPage] = []
        for _ in 0..<StudioPool.Kind.transfers.threads { pages.append(try await world.page()) }
        var writers: [FileHandle] = []
        var paths: [String] = []
        for long in pages {
            let (number, path) = try await Self.pipe(world, long)
            paths.append(path)
            Task { try await long.ask("importCheck", ["import": number, "class": "Person"]) }
        }
        for path in paths.prefix(2) { writers.append(try require(FileHandle(forWritingAtPath: path))) }
        let opened = try await page.ask("open", ["class": "Person", "query": "age > 10"])
        expect((opened["count"]?.int ?? 0) > 0)
        try await page.ask("sum", ["cursor": opened["cursor"]!])
        try await page.ask("find", ["text": "Person 1"])
        try await page.ask(
            "stage",
            ["edits": [["set": ["class": "Person", "key": 1, "property": "name", "value": "Ada"]]]]
        )
        try await page.ask("check")
        try await page.ask("write")
        _ = try await world.page()
        for path in paths.dropFirst(2) { writers.append(try require(FileHandle(forWritingAtPath: path))) }
        for writer in writers { try writer.close() }
    }

    @Test func `A large dry run is made in a private copy`() async throws {
        let world = try StudioWorld(writes: true)
        let path = world.folder.appendingPathComponent("upload").path
        expect(PrivateFile.create(path, Array("{\"id\": 1000}\n{\"id\": 3}".utf8)))
        let source = StudioImport(path: path, format: .jsonl)
        let view = try world.database.snapshot()
        let facts = SchemaFacts(view)
        let run = ImportRun(
            source: source,
            table: try facts.table("Person"),
            mapping: ImportMapping(),
            updates: true,
            isDry: true
        )
        let copy = world.folder.appendingPathComponent("copy").path
        let counts = try run.run(world.path, world.database, in: view, facts, copyPath: copy, mostTrialBytes: 1)
        expectEqual(counts["created"]?.int, 1, "\(counts.written)")
        expectEqual(counts["updated"]?.int, 1)
        let left = try FileManager.default.contentsOfDirectory(atPath: world.folder.path)
        expectEqual(left.filter { $0.hasPrefix("copy") }, [])
        expectEqual(try world.database.snapshot().version, view.version)
    }
}
