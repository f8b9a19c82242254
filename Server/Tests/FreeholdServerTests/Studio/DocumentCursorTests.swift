import FreeholdBSON
import FreeholdEngine
import Foundation
import ServerTestRandom
import Synchronization
import Testing

@testable import FreeholdStudio

/// The parts of a list of documents that a page of Studio reads, against a model of the server.
@Suite(.timeLimit(.minutes(10))) struct DocumentCursorTests {
    /// A server with documents whose keys are numbers. Its positions have another text each time, like those of a server.
    final class FakeServer: Sendable {
        struct State {
            var documents: [Int64: BSONDocument] = [:]
            var version: Int64 = 1
            var positions: [String: Int64] = [:]
            /// The number of documents that an answer has at most.
            var mostDocuments = 10_000
            /// The number of the answers without a document that follow before the next one with documents.
            var emptyAnswers = 0
            var requests = 0
            var largestAnswer = 0
        }

        let state = Mutex(State())

        static let classes = """
            {"app": "test", "schemaVersion": 1, "classes": [
              {"name": "Note", "kind": "object", "key": "_id", "properties": [
                {"name": "_id", "type": "int", "collection": "none", "optional": false},
                {"name": "name", "type": "string", "collection": "none", "optional": true},
                {"name": "stars", "type": "int", "collection": "none", "optional": true},
                {"name": "tags", "type": "string", "collection": "list", "optional": false},
                {"name": "others", "type": "link", "collection": "list", "optional": false, "target": "Note"}]}]}
            """

        func set(_ key: Int64, _ fields: BSONDocument = [:]) {
            state.withLock { state in
                state.documents[key] = BSONDocument(
                    [(key: "_id", value: .int64(key))] + fields.map { ($0.key, $0.value) }
                )
                state.version += 1
            }
        }

        func remove(_ key: Int64) {
            state.withLock { state in
                state.documents[key] = nil
                state.version += 1
            }
        }

        var keys: [Int64] { state.withLock { $0.documents.keys.sorted() } }

        func ask(_ message: StudioJSON) throws -> String {
            try state.withLock { state in
                state.requests += 1
                switch message["do"]?.text {
                case "classes": return Self.classes
                case "head": return "{\"version\": \(state.version)}"
                case "document":
                    guard let key = message["key"]?.text.flatMap({ Int64($0) }), let found = state.documents[key] else {
                        throw StudioError(.notFound, "There is no such document.")
                    }
                    return try found.extendedJSON(.canonical)
                case "documents": return try page(message, &state)
                default: throw StudioError(.unknown, "The server doesn't know the request.")
                }
            }
        }

        private func page(_ message: StudioJSON, _ state: inout State) throws -> String {
            let after = message["after"]?.text.flatMap { state.positions[$0] } ?? .min
            let limit = min(message["limit"]?.int ?? 100, state.mostDocuments)
            var rest = state.documents.keys.sorted().filter { $0 > after }
            if let query = message["query"]?.text, let list = query.split(separator: "{").last?.dropLast() {
                let wanted = Set(
                    list.split(separator: ",").compactMap { Int64($0.trimmingCharacters(in: .whitespaces)) }
                )
                rest = rest.filter { wanted.contains($0) }
            }
            var found = Array(rest.prefix(limit))
            if state.emptyAnswers > 0 {
                state.emptyAnswers -= 1
                found = []
            }
            var body: BSONDocument = ["documents": .array(found.map { .document(state.documents[$0] ?? [:]) })]
            if found.count < rest.count {
                let name = "position \(state.positions.count)"
                state.positions[name] = found.last ?? after
                body["next"] = .string(name)
            }
            let text = try body.extendedJSON(.canonical)
            state.largestAnswer = max(state.largestAnswer, found.count)
            return text
        }

        func cursor(
            _ origin: DocumentCursor.Origin = .condition(""),
            sort: [(name: String, isAscending: Bool)] = []
        ) throws -> DocumentCursor {
            let classes = try DocumentClasses(Self.classes)
            let (table, key) = try classes.documents("Note")
            let requests = DocumentRequests(app: "test", stream: nil) { [self] in try ask($0) }
            var query = DocumentCursor.Query(table: table, key: key, columns: table.columns, origin: origin)
            query.sort = try sort.map { (try classes.facts.column($0.name, of: table), $0.isAscending) }
            return DocumentCursor(query, requests)
        }
    }

    private static func keys(_ documents: [BSONDocument]) -> [Int64] { documents.compactMap { $0["_id"]?.asInt64() } }

    @Test(arguments: [0, 1, 199, 200, 201, 1_000, 2_345])
    func `rows are those of the server, in each order of reading`(count: Int) async throws {
        let server = FakeServer()
        for key in 0..<count { server.set(Int64(key) * 3) }
        let cursor = try server.cursor()
        var random = SeededRandom(test: "document rows \(count)")
        let all = server.keys
        // The end is known after the last part was read.
        var at = 0
        while !(await cursor.isWhole) {
            let rows = Self.keys(try await cursor.documents(at..<at + 150))
            #expect(rows == Array(all[min(at, count)..<min(at + 150, count)]))
            at += 150
            await cursor.checkInvariants()
        }
        #expect(await cursor.count == count)
        for _ in 0..<200 {
            let from = random.below(count + 50)
            let to = from + random.below(500)
            let rows = Self.keys(try await cursor.documents(from..<to))
            #expect(rows == Array(all[min(from, count)..<min(to, count)]))
            await cursor.checkInvariants()
        }
        #expect(server.state.withLock { $0.largestAnswer } <= DocumentCursor.partLength)
    }

    @Test func `a list of a hundred thousand documents is read in parts, and few of them are kept`() async throws {
        let server = FakeServer()
        for key in 0..<100_000 { server.state.withLock { $0.documents[Int64(key)] = ["_id": .int64(Int64(key))] } }
        let cursor = try server.cursor()
        _ = try await cursor.documents(0..<200)
        #expect(server.state.withLock { $0.requests } == 1)
        #expect(await !cursor.isWhole)
        for start in stride(from: 0, to: 20_000, by: 200) {
            _ = try await cursor.documents(start..<start + 200)
            #expect(await cursor.keptDocuments <= DocumentCursor.mostKept * DocumentCursor.partLength)
        }
        await cursor.checkInvariants()
        // A row in the middle of the known ones needs one request.
        let before = server.state.withLock { $0.requests }
        #expect(Self.keys(try await cursor.documents(9_990..<10_000)) == Array(9_990..<10_000))
        #expect(server.state.withLock { $0.requests } == before + 1)
    }

    @Test func `after changes, rows that are read again are those of the server`() async throws {
        let server = FakeServer()
        for key in 0..<1_500 { server.set(Int64(key) * 2) }
        let cursor = try server.cursor()
        var random = SeededRandom(test: "document changes")
        for _ in 0..<100 {
            for _ in 0..<random.below(20) {
                let key = Int64(random.below(4_000))
                if random.below(2) == 0 { server.set(key) } else { server.remove(key) }
            }
            await cursor.refresh()
            await cursor.checkInvariants()
            var found: [Int64] = []
            var isAll = false
            repeat {
                found += Self.keys(try await cursor.documents(found.count..<found.count + 300))
                await cursor.checkInvariants()
                let (isWhole, count) = (await cursor.isWhole, await cursor.count)
                isAll = isWhole && found.count >= count
            } while !isAll
            #expect(found == server.keys)
        }
    }

    @Test func `a list continues behind an answer without documents`() async throws {
        let server = FakeServer()
        for key in 0..<500 { server.set(Int64(key)) }
        server.state.withLock { $0.emptyAnswers = 5 }
        let cursor = try server.cursor()
        #expect(Self.keys(try await cursor.documents(0..<10)) == Array(0..<10))
        server.state.withLock { $0.mostDocuments = 7 }
        await cursor.refresh()
        #expect(Self.keys(try await cursor.documents(0..<400)) == Array(0..<400))
        await cursor.checkInvariants()
    }

    @Test func `results are sorted up to a number of documents, and larger ones are refused`() async throws {
        let server = FakeServer()
        var random = SeededRandom(test: "document sort")
        for key in 0..<3_000 {
            server.set(Int64(key), random.below(10) == 0 ? [:] : ["stars": .int64(Int64(random.below(50)))])
        }
        let cursor = try server.cursor(sort: [("stars", false)])
        let stars = try await cursor.documents(0..<3_000).map { $0["stars"]?.asInt64() ?? -1 }
        #expect(stars == stars.sorted(by: >))
        #expect(await cursor.isWhole)
        for key in 3_000..<6_000 { server.set(Int64(key)) }
        await cursor.refresh()
        await #expect(throws: StudioError.self) { try await cursor.documents(0..<10) }
    }

    @Test func `the elements of a list of links keep their order, and missing targets have a key only`() async throws {
        let server = FakeServer()
        for key in 0..<400 { server.set(Int64(key), ["name": "note \(key)"]) }
        let keys: [Int64] = [7, 3, 900, 3, 399, 0]
        let cursor = try server.cursor(.keys(keys.map { .int64($0) }))
        let rows = try await cursor.documents(0..<10)
        #expect(Self.keys(rows) == keys)
        #expect(rows[2]["name"] == nil)
        #expect(rows[4]["name"] == .string("note 399"))
        #expect(await cursor.count == keys.count)
    }
}
