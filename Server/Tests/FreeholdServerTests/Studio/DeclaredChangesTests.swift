import FreeholdBSON
import FreeholdEngine
import FreeholdStudio
import FreeholdSyncCore
import FreeholdSyncRules
import NIOHTTP1
import Testing

@testable import FreeholdServer

/// The classes and properties that clients declare and that the schema doesn't have.
@Suite(.timeLimit(.minutes(5))) struct DeclaredChangesTests {
    private typealias Document = FreeholdSyncCore.SchemaDocument

    /// Returns the claim of a file with one class.
    private func claim(_ name: String) throws -> SchemaClaim {
        let columns = [ColumnSpec("_id", .int), ColumnSpec("text", .string, optional: true)]
        return try SchemaClaim([TableSpec(name, columns: columns, primaryKey: "_id")], version: 0)
    }

    @Test func `a refused class is pending until it is pushed, and can be pushed as the client declared it`()
        async throws
    {
        let probe = try await AdministratorProbe()
        let served = try #require(probe.server.running.node.app("test")?.served)
        #expect(try await probe.ask("declared/test").list("declared").isEmpty)
        for _ in 0..<3 {
            _ = served.judge(try claim("Draft"), MergeRules())
        }
        let answer = try await probe.ask("declared/test")
        let entry = try #require(answer.list("declared").first)
        #expect(answer["development"] == false)
        #expect(entry["class"] == "Draft" && entry["adopted"] == false && entry["count"] == 3)
        #expect(entry["text"]?.text?.isEmpty == false)
        let document = try #require(answer["documents"]?["Draft"]?.text)
        let body = "{\"schema\": [\(document)]}"
        #expect(try await probe.ask("schema/test?dry=true", .PUT, body: body).list("problems").isEmpty)
        #expect(try await probe.ask("schema/test", .PUT, body: body)["pushed"] == true)
        try await probe.eventually { _ in
            try await probe.ask("declared/test").list("declared").first?["adopted"] == true
        }
        #expect(try await probe.ask("declared/test")["documents"]?.members?.isEmpty == true)
        #expect(try await probe.ask("declared/other").status == 404)
        await probe.server.stop()
    }

    @Test func `what development mode adopts is listed as adopted`() async throws {
        let probe = try await AdministratorProbe()
        #expect(try await probe.ask("development/test?on=true", .PUT).status == 200)
        try await probe.eventually { $0.running.node.app("test")?.served?.isDevelopment == true }
        let served = try #require(probe.server.running.node.app("test")?.served)
        let judgement = served.judge(try claim("Draft"), MergeRules())
        #expect(judgement.verdict == .accepted)
        let entries = try await probe.ask("declared/test").list("declared")
        #expect(entries.compactMap { $0["class"]?.text } == ["Draft"])
        #expect(entries.first?["adopted"] == true)
        await probe.server.stop()
    }

    @Test func `a property with another type stays refused`() throws {
        var changes = DeclaredChanges()
        let table = TableSpec("Draft", columns: [ColumnSpec("_id", .int), ColumnSpec("text", .int)], primaryKey: "_id")
        let problems = ["text", "other"].map { SchemaProblem(className: "Draft", property: $0, text: "a problem") }
        changes.note(try claim("Draft"), .refused(problems), adopted: [], tables: [table])
        #expect(changes.all.map(\.place.property) == ["other", "text"])
        #expect(changes.all.map(\.differs) == [false, true])
        #expect(changes.document(of: "Draft") != nil)
    }

    @Test func `the number of changes and the size of documents have bounds`() {
        var changes = DeclaredChanges()
        let long = String(repeating: "n", count: 10_000)
        for number in 0..<2_000 {
            let problem = SchemaProblem(
                className: SyncString("Class\(number)\(long)"),
                property: SyncString(long),
                text: SyncString(long)
            )
            let json = SyncString(String(repeating: "x", count: number % 2 == 0 ? 100 : 100_000))
            let document = Document(className: problem.className, json: json)
            let claim = SchemaClaim(version: 0, hash: .empty, documents: [document])
            changes.note(claim, .refused([problem]), adopted: [], tables: [])
        }
        #expect(changes.all.count == DeclaredChanges.most.changes)
        #expect(changes.all.allSatisfy { $0.text.utf8.count < 300 && $0.place.className.utf8.count < 300 })
        let kept = (0..<2_000).compactMap { changes.document(of: "Class\($0)\(long)") }
        #expect(kept.count == DeclaredChanges.most.documents)
        #expect(kept.allSatisfy { $0.utf8.count <= DeclaredChanges.most.bytes })
    }
}
