import FreeholdBSON
import FreeholdEngine
import FreeholdSyncDocuments
import Testing

@testable import FreeholdSyncCore

@Suite("Change streams")
struct ChangeEventTests {
    /// A stream after some commits of several objects, and the cursors after each.
    private func history(_ random: inout SeededRandom, commits: Int) throws -> (TestStream, [Cursor]) {
        var things = RandomThings(random: random)
        var (stream, numbers) = (TestStream(), OwnNumbers())
        let ident = stream.file()
        var cursors = [stream.head.cursor]
        for _ in 0..<commits {
            var changes: [Change] = []
            for key in Set((0..<things.int(1...4)).map { _ in Int64(things.int(1...6)) }) {
                let name = TestClasses.thing(key)
                let stored = stream.contents(name)
                if stored != nil, things.random.chance(25) {
                    changes.append(.delete(name, .edit))
                    continue
                }
                let document = things.document(key, share: 30)
                changes += try DocumentPatch(document)
                    .changes(
                        of: "Thing",
                        key: .int64(key),
                        stored: stored,
                        mapping: TestClasses.mapping,
                        upserts: true,
                        numbers: &numbers
                    )
                    .changes
            }
            guard !changes.isEmpty else { continue }
            try expect(stream.take(stream.commit(changes, from: ident), from: ident).isEmpty)
            cursors.append(stream.head.cursor)
        }
        random = things.random
        return (stream, cursors)
    }

    private func events(
        _ stream: inout TestStream,
        after cursor: Cursor,
        behind token: ResumeToken? = nil,
        objects: Int = 1
    ) -> [ChangeEvent] {
        var (cursor, token) = (cursor, token)
        var events: [ChangeEvent] = []
        while cursor.version < stream.head.version, let step = stream.step(after: cursor, objects: objects) {
            events += ChangeEvent.events(of: step, stream: TestStream.name, behind: token)
            cursor = step.to
            token = nil
        }
        return events
    }

    private static func play(_ events: [ChangeEvent], on collection: inout [ObjectName: BSONDocument]) {
        for event in events {
            switch event.operation {
            case .insert:
                expect(collection[event.name] == nil)
                collection[event.name] = event.fullDocument
            case .delete:
                expect(collection.removeValue(forKey: event.name) != nil && event.fullDocument == nil)
            case .replace, .update:
                expect(collection[event.name] != nil)
                collection[event.name] = event.fullDocument
            }
        }
    }

    private static func collection(_ stream: TestStream) -> [ObjectName: BSONDocument] {
        Dictionary(
            uniqueKeysWithValues: stream.store.contents(of: TestStream.name).map {
                ($0.key, BSONDocument($0.key, $0.value.contents))
            }
        )
    }

    @Test
    func `events that are replayed one by one give the content of the stream, from any position`() throws {
        var random = SeededRandom(test: "change events")
        for _ in TestBudget.range("ChangeEventTests", usual: 6, soak: 750) {
            var (stream, cursors) = try history(&random, commits: 25)
            for objects in [1, 5, 1_000] {
                var collection: [ObjectName: BSONDocument] = [:]
                Self.play(events(&stream, after: cursors[0], objects: objects), on: &collection)
                expectEqual(collection, Self.collection(stream))
            }
            // If each step has one commit, each event's token stands directly behind that event.
            let all = events(&stream, after: cursors[0])
            for _ in 0..<5 {
                let index = Int.random(in: 0..<all.count, using: &random)
                let token = try require(ResumeToken(all[index].token.text, of: TestStream.name))
                expectEqual(token, all[index].token)
                let rest = events(&stream, after: token.cursor, behind: token)
                expectEqual(rest.map { $0.document(app: "app") }, all[(index + 1)...].map { $0.document(app: "app") })
            }
        }
    }

    @Test
    func `an update contains the paths that differ`() {
        let old: BSONDocument = [
            "_id": 1, "a": 1, "b": ["x": 1, "y": ["z": 1]], "c": [1, 2], "d": ["p.q": 1], "gone": 1,
        ]
        let new: BSONDocument = [
            "_id": 1, "a": 2, "b": ["x": 1, "y": ["z": 2], "w": 3], "c": [1, 3], "d": ["p.q": 2], "e": .null,
        ]
        let description = UpdateDescription(from: old, to: new)
        expectEqual(description.updated, ["a": 2, "b.y.z": 2, "b.w": 3, "c": [1, 3], "d": ["p.q": 2], "e": .null])
        expectEqual(description.removed, ["gone"])
    }

    @Test
    func `an object that was deleted and created anew is replaced`() throws {
        var (stream, numbers) = (TestStream(), OwnNumbers())
        let ident = stream.file()
        let start = stream.head.cursor
        func make(_ text: String) throws -> [Change] {
            try DocumentPatch(["text": .string(text)])
                .changes(
                    of: "Thing",
                    key: 1,
                    stored: nil,
                    mapping: TestClasses.lenient,
                    upserts: true,
                    numbers: &numbers
                ).changes
        }
        try stream.take(stream.commit(make("a"), from: ident), from: ident)
        let middle = stream.head.cursor
        try stream.take(stream.commit([.delete(TestClasses.thing(1), .edit)], from: ident), from: ident)
        try stream.take(stream.commit(make("b"), from: ident), from: ident)
        expectEqual(events(&stream, after: start).map(\.operation), [.insert, .delete, .insert])
        expectEqual(events(&stream, after: middle, objects: 100).map(\.operation), [.replace])
        expectEqual(events(&stream, after: start, objects: 100).map(\.operation), [.insert])
    }

    @Test
    func `events contain only readable data`() throws {
        var (stream, numbers) = (TestStream(), OwnNumbers())
        let ident = stream.file()
        let start = stream.head.cursor
        func patch(_ document: BSONDocument) throws {
            let stored = stream.contents(TestClasses.thing(1))
            let result = try DocumentPatch(document)
                .changes(
                    of: "Thing",
                    key: 1,
                    stored: stored,
                    mapping: TestClasses.lenient,
                    upserts: true,
                    numbers: &numbers
                )
            try stream.take(stream.commit(result.changes, from: ident), from: ident)
        }
        try patch(["text": "secret", "flag": false])
        try patch(["$set": ["flag": true]])
        try patch(["$set": ["text": "other"]])
        try patch(["$set": ["count": 4]])
        try patch(["$set": ["flag": false]])
        var cursor = start
        var seen: [ChangeEvent] = []
        while let step = stream.step(after: cursor), step.to != cursor {
            seen += ChangeEvent.events(of: step, stream: TestStream.name) { _, contents in
                guard contents["flag"] == .value(.bool(true)) else { return nil }
                return contents.filter { $0.key != "text" }
            }
            cursor = step.to
            if cursor == stream.head.cursor { break }
        }
        expectEqual(seen.map(\.operation), [.insert, .update, .delete])
        expect(!seen.contains { $0.document(app: "app").description.contains("secret") })
        expectEqual(seen[1].description, UpdateDescription(updated: ["count": .int64(4)]))
    }

    @Test
    func `an event's document has MongoDB's form`() throws {
        var (stream, numbers) = (TestStream(), OwnNumbers())
        let ident = stream.file()
        let start = stream.head.cursor
        let made = try DocumentPatch(["text": "a"])
            .changes(of: "Thing", key: 7, stored: nil, mapping: TestClasses.lenient, upserts: true, numbers: &numbers)
        try stream.take(stream.commit(made.changes, from: ident), from: ident)
        let event = try require(events(&stream, after: start).first)
        let document = event.document(app: "shop")
        expectEqual(document.keys, ["_id", "operationType", "ns", "documentKey", "fullDocument"])
        expect(document["ns"] == ["db": "shop", "coll": "Thing"] && document["documentKey"] == ["_id": .int64(7)])
        expectEqual(document["_id"], ["_data": .string(event.token.text)])
    }

    @Test
    func `invented tokens, damaged ones and those of another stream are refused`() throws {
        let cursor = Cursor(epoch: 7, version: 12, hash: RunningHash(high: 3, low: 4))
        let token = ResumeToken(at: cursor, of: TestStream.name)
        expectEqual(ResumeToken(token.text, of: TestStream.name), token)
        expect(
            token.text.utf8.allSatisfy {
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8.contains($0)
            }
        )
        expect(ResumeToken(token.text, of: StreamName(app: "other")) == nil)
        expect(ResumeToken(token.text, of: StreamName(app: "app", value: "x")) == nil)
        for text in [
            "", "x", String(repeating: "A", count: 66), token.text + "A", token.text + "=", " " + token.text,
            String(repeating: "x", count: 10_000),
        ] {
            expect(ResumeToken(text, of: TestStream.name) == nil)
        }
        var random = SeededRandom(test: "tokens")
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for _ in 0..<500 {
            var bytes = Array(token.text.utf8)
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = random.pick(letters)
            let text = String(decoding: bytes, as: UTF8.self)
            if text != token.text { expect(ResumeToken(text, of: TestStream.name) == nil) }
        }
    }
}
