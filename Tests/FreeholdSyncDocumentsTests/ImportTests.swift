import FreeholdBSON
import FreeholdEngine
@testable import FreeholdSyncDocuments
import Testing

@testable import FreeholdSyncCore

@Suite("Imports of documents")
struct ImportTests {
    /// Imports documents, and returns the report.
    @discardableResult
    private func run(
        _ documents: [BSONDocument],
        _ stream: inout TestStream,
        _ ident: FileIdent,
        _ numbers: inout OwnNumbers,
        mapping: DocumentMapping = TestClasses.mapping,
        options: DocumentImport.Options = .init(),
        meanwhile: (inout TestStream) throws -> Void = { _ in }
    ) throws -> (report: DocumentImport.Report, commits: [Commit]) {
        var reader = Self.reader(documents)
        var job = DocumentImport(mapping, className: "Thing", options: options)
        var commits: [Commit] = []
        while let batch = try job.nextBatch(&reader) {
            let stored = stream.stored(batch.names)
            let commit = try job.commit(
                batch,
                stored: stored,
                base: stream.head.version,
                number: stream.nextNumber(of: ident),
                clock: stream.tick(),
                numbers: &numbers
            )
            try meanwhile(&stream)
            guard let commit else { continue }
            try expect(stream.take(commit, from: ident).isEmpty)
            commits.append(commit)
        }
        return (job.report, commits)
    }

    static func reader(_ documents: [BSONDocument]) -> DocumentStreamReader {
        var bytes: [UInt8] = []
        var writer = DocumentStreamWriter(.bson) { bytes += $0 }
        for document in documents { try! writer.write(document) }
        try! writer.end()
        return reader(bytes)
    }

    static func reader(_ bytes: [UInt8]) -> DocumentStreamReader {
        var position = 0
        return DocumentStreamReader { buffer in
            let count = min(buffer.count, bytes.count - position)
            for index in 0..<count { buffer[index] = bytes[position + index] }
            position += count
            return count
        }
    }

    @Test
    func `new objects have the content of their documents, and a repeated import changes nothing`() throws {
        var things = RandomThings(random: SeededRandom(test: "imported things"))
        for _ in 0..<(30 * soak) {
            var (stream, numbers) = (TestStream(), OwnNumbers())
            let ident = stream.file()
            let documents = (1...12).map { things.document(Int64($0)) }
            let result = try run(documents, &stream, ident, &numbers, options: .init(batchObjects: things.int(1...15)))
            expect(result.report.created == 12 && result.report.misfitCount == 0)
            var exported: [BSONDocument] = []
            for (index, document) in documents.enumerated() {
                let name = TestClasses.thing(Int64(index + 1))
                let contents = try require(stream.contents(name))
                let expected = try TestClasses.mapping.object(document, of: "Thing").fields
                expectEqual(contents.packed, expected.packed)
                exported.append(BSONDocument(name, contents))
                // The object as the store shows it.
                let stored = try require(stream.store.contents(of: TestStream.name)[name])
                expectEqual(BSONDocument(name, contents), stored.stored(name.key).doc)
            }
            let again = try run(exported, &stream, ident, &numbers)
            expect(again.report.unchanged == 12 && again.commits.isEmpty)
            let replaced = try run(exported, &stream, ident, &numbers, options: .init(mode: .replace))
            expect(replaced.report.unchanged == 12 && replaced.commits.isEmpty)
        }
    }

    @Test
    func `an import changes existing objects to their documents, property by property`() throws {
        var things = RandomThings(random: SeededRandom(test: "updated things"))
        for _ in 0..<(60 * soak) {
            var (stream, numbers) = (TestStream(), OwnNumbers())
            let ident = stream.file()
            var contents: [SyncString: MergedContent] = [:]
            let name = TestClasses.thing(1)
            for round in 0..<6 {
                let isReplaced = round > 0 && things.random.chance(40)
                let document = things.document(1, share: things.int(5...70), isWhole: round == 0 || isReplaced)
                let fields = try TestClasses.mapping.object(document, of: "Thing").fields
                let result = try run(
                    [document],
                    &stream,
                    ident,
                    &numbers,
                    options: .init(mode: isReplaced ? .replace : .upsert)
                )
                contents = isReplaced ? fields : contents.merging(fields) { $1 }
                let held = MergedContent.embedded(try require(stream.contents(name)).packed)
                expect(held.looksLike(.embedded(contents.packed)), "\(document)")
                // No other property is named.
                let named = Set(result.commits.flatMap(\.changes).compactMap(\.property))
                if round > 0, !isReplaced { expect(named.isSubset(of: Set(fields.keys))) }
            }
        }
    }

    @Test("concurrent work of devices is kept beside an import")
    func merging() throws {
        var (stream, numbers) = (TestStream(), OwnNumbers())
        let (own, device) = (stream.file(), stream.file())
        let name = TestClasses.thing(1)
        try run(
            [
                [
                    "_id": 1, "flag": true, "count": 5, "ratio": 1, "text": "a", "tags": ["a", "b", "c"],
                    "home": ["city": "B", "zip": 1], "any": ["p": 1, "q": 2], "scores": ["x": 1],
                ]
            ],
            &stream,
            own,
            &numbers
        )
        let new: BSONDocument = [
            "_id": 1, "flag": true, "count": 5, "ratio": 2, "text": "a", "tags": ["a", "b", "d"],
            "home": ["city": "B", "zip": 2], "any": ["p": 1, "q": 3], "scores": ["x": 2],
        ]
        let result = try run([new], &stream, own, &numbers) { stream in
            let tags = Place(name, "tags")
            let changes: [Change] = [
                .set(Place(name, "text"), "device", .real), .increment(Place(name, "count"), 3),
                .insert(tags, Gap(after: .confirmed(0), before: .confirmed(1)), first: 1, ["x"]),
                .set(Place(name, [.property("home"), .instance(.confirmed), .property("city")]), "C", .real),
                .set(Place(name, [.property("any"), .nested("r")]), 9, .real),
                .set(Place(name, [.property("scores"), .entry("y")]), 7, .real),
            ]
            try expect(stream.take(stream.commit(changes, from: device), from: device).isEmpty)
        }
        expectEqual(result.report.changed, 1)
        expect(
            BSONDocument(name, try require(stream.contents(name))) == [
                "_id": .int64(1), "any": ["p": .int64(1), "q": .int64(3), "r": .int64(9)], "count": .int64(8),
                "flag": true,
                "home": ["city": "C", "zip": .int64(2)], "ratio": 2.0, "scores": ["x": .int64(2), "y": .int64(7)],
                "tags": ["a", "x", "b", "d"],
                "text": "device",
            ]
        )
    }

    @Test
    func `an object that a device deletes during an import stays deleted; one deleted before is created anew`() throws {
        var (stream, numbers) = (TestStream(), OwnNumbers())
        let (own, device) = (stream.file(), stream.file())
        let name = TestClasses.thing(1)
        let document: BSONDocument = ["_id": 1, "flag": true, "count": 1, "ratio": 1, "text": "a"]
        try run([document], &stream, own, &numbers)
        var reader = Self.reader([["_id": 1, "text": "b"] as BSONDocument])
        var job = DocumentImport(TestClasses.mapping, className: "Thing")
        let batch = try require(try job.nextBatch(&reader))
        let commit = try require(
            try job.commit(
                batch,
                stored: stream.stored(batch.names),
                base: stream.head.version,
                number: 2,
                clock: stream.tick(),
                numbers: &numbers
            )
        )
        try stream.take(stream.commit([.delete(name, .edit)], from: device), from: device)
        try expectEqual(stream.take(commit, from: own).map(\.reason), [.objectGone])
        expect(stream.contents(name) == nil)
        try run([document], &stream, own, &numbers)
        expectEqual(stream.contents(name)?["text"], .value("a"))
    }

    @Test
    func `misfits are reported and left out, or end the import`() throws {
        let lines = """
            {"_id": 1, "flag": true, "count": 1, "ratio": 1, "text": "a", "extra": 1}
            {"_id": 2, "flag": true}
            {"_id": 3, "flag": true, "count": "x", "ratio": 1, "text": "a"}
            not json
            {"_id": 1, "text": "b", "extra": 2}
            {"flag": true}
            {"_id": 4, "flag": true, "count": 1, "ratio": 1, "text": "a"}
            """
        var (stream, numbers) = (TestStream(), OwnNumbers())
        let ident = stream.file()
        var reader = Self.reader(Array(lines.utf8))
        var job = DocumentImport(TestClasses.mapping, className: "Thing")
        var batches = 0
        while let batch = try job.nextBatch(&reader) {
            batches += 1
            let commit = try job.commit(
                batch,
                stored: stream.stored(batch.names),
                base: stream.head.version,
                number: stream.nextNumber(of: ident),
                clock: stream.tick(),
                numbers: &numbers
            )
            if let commit { try stream.take(commit, from: ident) }
        }
        // The second document of the object 1 waits for the first.
        expectEqual(batches, 2)
        expect(job.report.documents == 7 && job.report.created == 2 && job.report.changed == 1)
        expect(job.report.misfitCount == 4 && job.report.ignoredFields == ["extra": 2])
        expectEqual(job.report.misfits.map(\.document), [3, 4, 2, 6])
        expectEqual(stream.contents(TestClasses.thing(1))?["text"], .value("b"))

        var second = Self.reader(Array(lines.utf8))
        var stopping = DocumentImport(TestClasses.mapping, className: "Thing", options: .init(misfits: .stopping))
        let error = try #require(throws: DocumentImport.Misfit.self) { try stopping.nextBatch(&second) }
        expect(error.document == 3 && error.misfit.path == ["count"])

        var third = Self.reader(Array(lines.utf8))
        var nowhere = DocumentImport(TestClasses.mapping, className: "Nothing")
        #expect(throws: DocumentImport.Misfit.self) { try nowhere.nextBatch(&third) }
    }

    @Test
    func `an insert keeps and reports existing objects; missing properties can be zero`() throws {
        var (stream, numbers) = (TestStream(), OwnNumbers())
        let ident = stream.file()
        let first = try run([["_id": 1, "text": "a"]], &stream, ident, &numbers, mapping: TestClasses.lenient)
        expectEqual(first.report.created, 1)
        expectEqual(stream.contents(TestClasses.thing(1))?["count"], .value(0))
        let second = try run(
            [["_id": 1, "text": "b"], ["_id": 2, "text": "c"]],
            &stream,
            ident,
            &numbers,
            mapping: TestClasses.lenient,
            options: .init(mode: .insert)
        )
        expect(second.report.created == 1 && second.report.misfits.map(\.misfit.code) == [.exists])
        expectEqual(stream.contents(TestClasses.thing(1))?["text"], .value("a"))
    }

    @Test
    func `the number of objects or bytes ends a batch`() throws {
        let documents = (1...20).map {
            ["_id": .int32(Int32($0)), "text": .string(String(repeating: "x", count: 1_000))] as BSONDocument
        }
        var reader = Self.reader(documents)
        var job = DocumentImport(TestClasses.lenient, className: "Thing", options: .init(batchObjects: 7))
        var sizes: [Int] = []
        while let batch = try job.nextBatch(&reader) { sizes.append(batch.objects.count) }
        expectEqual(sizes, [7, 7, 6])
        reader = Self.reader(documents)
        job = DocumentImport(TestClasses.lenient, className: "Thing", options: .init(batchBytes: 3_000))
        sizes = []
        while let batch = try job.nextBatch(&reader) { sizes.append(batch.objects.count) }
        expect(sizes.count >= 6 && sizes.reduce(0, +) == 20)
    }

    @Test("list elements that stay keep their places, and only the other ones are edited")
    func hunks() {
        func list(_ text: String) -> [MergedContent] { text.map { .value(.string(SyncString(String($0)))) } }
        func hunks(_ a: String, _ b: String) -> [ListHunk] { ListHunk.hunks(from: list(a), to: list(b)) }
        expectEqual(hunks("abc", "abc"), [])
        expectEqual(hunks("abc", "xabc"), [ListHunk(old: 0..<0, new: 0..<1)])
        expectEqual(hunks("abc", "bc"), [ListHunk(old: 0..<1, new: 0..<0)])
        expectEqual(hunks("abcdef", "abXdYf"), [ListHunk(old: 2..<3, new: 2..<3), ListHunk(old: 4..<5, new: 4..<5)])
        expectEqual(hunks("", "ab"), [ListHunk(old: 0..<0, new: 0..<2)])
        let long = (0..<5_000).map { MergedContent.value(.int(Int64($0))) }
        expectEqual(ListHunk.hunks(from: long, to: long.reversed()), [ListHunk(old: 0..<5_000, new: 0..<5_000)])
    }

    @Test
    func `a list that is stored where the class has a value is reported, and not written`() throws {
        var (stream, numbers) = (TestStream(), OwnNumbers())
        let ident = stream.file()
        let name = TestClasses.thing(1)
        let fields = [NewField("text", .list(first: 1, ["a"])), NewField("tags", .value("x"))]
        try stream.take(stream.commit([.create(name, fields)], from: ident), from: ident)
        let result = try run([["_id": 1, "text": "b"]], &stream, ident, &numbers)
        expectEqual(result.report.misfits.map(\.misfit.code), [.stored])
    }
}

extension Change {
    /// The property of the change, or `nil` for whole objects.
    var property: SyncString? {
        switch self {
        case .create, .delete: return nil
        case .set(let place, _, _), .increment(let place, _), .insert(let place, _, _, _), .remove(let place, _),
            .move(let place, _, _, _), .clearList(let place, _), .assignList(let place, _, _, _, _),
            .insertIntoSet(let place, _), .removeFromSet(let place, _), .clearSet(let place, _),
            .assignSet(let place, _, _), .removeEntry(let place), .clearDictionary(let place, _),
            .assignDictionary(let place, _, _):
            guard case .property(let name)? = place.path.first else { return nil }
            return name
        }
    }
}

/// Keys that are longer than new objects may have.
extension ImportTests {
    private static let words = DocumentMapping(
        DocumentSchema([
            TableSpec(
                "Word",
                columns: [ColumnSpec("_id", .string), ColumnSpec("count", .int, optional: true)],
                primaryKey: "_id"
            )
        ])
    )

    @Test
    func `a new object with a longer key is reported with its line, and one that exists is changed`() throws {
        let (long, old) = (String(repeating: "é", count: 513), String(repeating: "o", count: 2_000))
        let longest = String(repeating: "é", count: 512)
        let lines = [longest, long, old].map { "{\"_id\": \"\($0)\",\n \"count\": 2}\n" }.joined()
        var reader = Self.reader(Array(lines.utf8))
        var job = DocumentImport(Self.words, className: "Word")
        let batch = try require(try job.nextBatch(&reader))
        let stored: [ObjectName: DocumentImport.Stored] = [
            ObjectName("Word", .string(SyncString(old))): .init(version: 3, contents: ["count": .value(.int(1))])
        ]
        var numbers = OwnNumbers()
        let commit = try job.commit(batch, stored: stored, base: 3, number: 1, clock: .zero, numbers: &numbers)
        expectEqual(commit?.changes.map(\.object.key), [longest, old].map { .string(SyncString($0)) })
        expect(job.report.created == 1 && job.report.changed == 1)
        let misfit = try require(job.report.misfits.first)
        expect(misfit.misfit.code == .longKey && misfit.line == 3)
        expect("\(misfit)".hasPrefix("Document 2, line 3: _id: The key has 1026 bytes."))
    }

    @Test
    func `a patch creates no object with a longer key, and changes one that exists`() throws {
        let key = BSONValue.string(String(repeating: "o", count: 1_025))
        for document in [["count": 2], ["$set": ["count": 2]]] as [BSONDocument] {
            let patch = try DocumentPatch(document)
            func changes(_ stored: [SyncString: MergedContent]?) throws -> [Change] {
                var numbers = OwnNumbers()
                return try patch.changes(
                    of: "Word",
                    key: key,
                    stored: stored,
                    mapping: Self.words,
                    upserts: true,
                    numbers: &numbers
                ).changes
            }
            do {
                _ = try changes(nil)
                Issue.record("the object is created")
            } catch let misfit as DocumentMisfit { expectEqual(misfit.code, .longKey) }
            expectEqual(try changes(["count": .value(.int(1))]).count, 1)
        }
    }
}
