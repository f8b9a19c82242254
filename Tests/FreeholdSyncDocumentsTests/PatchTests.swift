import FreeholdBSON
import FreeholdEngine
import Testing

@testable import FreeholdSyncCore
@testable import FreeholdSyncDocuments

@Suite("Patches of objects")
struct PatchTests {
    private func patched(
        _ json: String,
        _ patch: String,
        upserts: Bool = false
    ) throws -> (contents: [SyncString: MergedContent]?, changes: [Change]) {
        var (stream, numbers) = (TestStream(), OwnNumbers())
        let ident = stream.file()
        let name = TestClasses.thing(1)
        if !json.isEmpty {
            let replacement = try DocumentPatch(try BSONDocument(extendedJSON: json))
            let made = try replacement.changes(
                of: "Thing",
                key: 1,
                stored: nil,
                mapping: TestClasses.lenient,
                upserts: true,
                numbers: &numbers
            )
            try stream.take(stream.commit(made.changes, from: ident), from: ident)
        }
        let result = try DocumentPatch(BSONDocument(extendedJSON: patch)).changes(
            of: "Thing",
            key: 1,
            stored: stream.contents(name),
            mapping: TestClasses.lenient,
            upserts: upserts,
            numbers: &numbers
        )
        if !result.changes.isEmpty {
            try expect(stream.take(stream.commit(result.changes, from: ident), from: ident).isEmpty)
        }
        return (stream.contents(name), result.changes)
    }

    @Test
    func `a zero of another sign replaces a zero in a set, a list and a property`() throws {
        let columns = [
            ColumnSpec("_id", .int), ColumnSpec("one", .double), ColumnSpec("set", .double, collection: .set),
            ColumnSpec("list", .double, collection: .list),
        ]
        let mapping = DocumentMapping(DocumentSchema([TableSpec("Thing", columns: columns, primaryKey: "_id")]))
        var (stream, numbers) = (TestStream(), OwnNumbers())
        let (ident, name) = (stream.file(), TestClasses.thing(1))
        for number in [0.0, -0.0, 0.0, -0.0] {
            let (value, old) = (BSONValue.double(number), stream.contents(name))
            let document: BSONDocument = ["_id": 1, "one": value, "set": [value], "list": [value]]
            for isNew in [true, false] {
                let result = try DocumentPatch(document).changes(
                    of: "Thing",
                    key: 1,
                    stored: isNew ? old : stream.contents(name),
                    mapping: mapping,
                    upserts: true,
                    numbers: &numbers
                )
                expectEqual(result.changes.isEmpty, !isNew)
                if !isNew { continue }
                try expect(stream.take(stream.commit(result.changes, from: ident), from: ident).isEmpty)
            }
            let contents = try require(stream.contents(name))
            expectEqual(contents["one"], .value(.double(number)))
            expectEqual(contents["set"], .set([.int(0): .double(number)]))
            expectEqual(contents["list"], .list([.value(.double(number))]))
        }
    }

    @Test
    func `random patches have the same result as on plain documents`() throws {
        var patches = RandomPatches(things: RandomThings(random: SeededRandom(test: "patches")))
        var kinds: Set<String> = []
        for _ in 0..<(80 * soak) {
            var (stream, numbers) = (TestStream(), OwnNumbers())
            let ident = stream.file()
            let name = TestClasses.thing(1)
            let first = try DocumentPatch(patches.things.document(1))
                .changes(
                    of: "Thing",
                    key: 1,
                    stored: nil,
                    mapping: TestClasses.mapping,
                    upserts: true,
                    numbers: &numbers
                )
            try stream.take(stream.commit(first.changes, from: ident), from: ident)
            for _ in 0..<8 {
                let contents = try require(stream.contents(name))
                let document = BSONDocument(name, contents)
                let patch = patches.patch(of: document)
                kinds.formUnion(patch.keys)
                let result = try DocumentPatch(patch)
                    .changes(of: "Thing", key: 1, stored: contents, mapping: TestClasses.mapping, numbers: &numbers)
                if !result.changes.isEmpty {
                    try expect(
                        stream.take(stream.commit(result.changes, from: ident), from: ident).isEmpty,
                        "\(patch)"
                    )
                }
                let expected = NaivePatch.apply(patch, to: document)
                let fields = try TestClasses.mapping.object(expected, of: "Thing").fields
                // Documents don't distinguish a link in a mixed value from its key.
                let held = MergedContent.embedded(try require(stream.contents(name)).packed)
                expect(held.looksLike(.embedded(fields.packed)), "\(patch) of \(document)")
            }
        }
        expectEqual(kinds, ["$set", "$unset", "$inc", "$push", "$addToSet", "$pull"])
    }

    @Test
    func `concurrent increments are both counted, also in a dictionary`() throws {
        var (stream, numbers) = (TestStream(), OwnNumbers())
        let (own, other) = (stream.file(), stream.file())
        let name = TestClasses.thing(1)
        let made = try DocumentPatch(["count": 5, "scores": ["x": 1]])
            .changes(of: "Thing", key: 1, stored: nil, mapping: TestClasses.lenient, upserts: true, numbers: &numbers)
        try stream.take(stream.commit(made.changes, from: own), from: own)
        let stored = stream.contents(name)
        let patch = try DocumentPatch(["$inc": ["count": 2, "scores.x": 10]])
        let first = try patch.changes(
            of: "Thing",
            key: 1,
            stored: stored,
            mapping: TestClasses.lenient,
            numbers: &numbers
        )
        let (a, b) = (stream.commit(first.changes, from: own), stream.commit(first.changes, from: other))
        try stream.take(a, from: own)
        try stream.take(b, from: other)
        expectEqual(stream.contents(name)?["count"], .value(9))
        expectEqual(stream.contents(name)?["scores"], .dictionary(["x": .value(21)]))
    }

    @Test
    func `a missing object is created from a document or operators only on request`() throws {
        #expect(throws: DocumentMisfit.self) { try patched("", #"{"text": "a"}"#) }
        #expect(throws: DocumentMisfit.self) { try patched("", #"{"$set": {"text": "a"}}"#) }
        let made = try patched(
            "",
            #"{"$set": {"text": "a", "home.city": "B"}, "$inc": {"count": 3}, "$push": {"tags": {"$each": ["x"]}}, "$setOnInsert": {"flag": true}}"#,
            upserts: true
        )
        let contents = try require(made.contents)
        expect(
            contents["text"] == .value("a") && contents["count"] == .value(3) && contents["flag"] == .value(.bool(true))
        )
        expect(contents["home"] == .embedded(["city": .value("B")]) && contents["tags"] == .list([.value("x")]))
        let kept = try patched(#"{"text": "a"}"#, #"{"$setOnInsert": {"text": "b"}}"#)
        expect(kept.changes.isEmpty)
    }

    @Test
    func `a whole document replaces the object: missing parts are emptied, equal parts aren't written`() throws {
        let result = try patched(
            #"{"text": "a", "note": "n", "count": 4, "tags": ["x", "y"], "home": {"city": "B", "zip": 1}}"#,
            #"{"_id": 1, "text": "a", "count": 5, "home": {"city": "B"}}"#
        )
        let contents = try require(result.contents)
        expect(contents["note"] == .value(.null) && contents["tags"] == .list([]))
        expectEqual(contents["home"], .embedded(["city": .value("B"), "zip": .value(.null)]))
        expect(!result.changes.contains { $0.property == "text" })
        expect(try patched(#"{"text": "a"}"#, #"{"text": "a"}"#).changes.isEmpty)
    }

    @Test(arguments: [
        (#"{"$set": {"home.city": "B"}}"#, #"{"home": {"city": "B"}}"#),
        (#"{"$set": {"any.a.b": 1}}"#, #"{"any": {"a": {"b": 1}}}"#),
        (#"{"$set": {"places.p.city": "B"}}"#, #"{"places": {"p": {"city": "B"}}}"#),
        (#"{"$inc": {"level": 2}}"#, #"{"level": 2}"#),
        (#"{"$push": {"any.list": 1}}"#, #"{"any": {"list": [1]}}"#),
        (#"{"$unset": {"home.city": "", "any.a.b": "", "scores.x": ""}}"#, "{}"),
        (#"{"$pull": {"tags": "a", "any.x": 1}}"#, "{}"),
        (#"{"$addToSet": {"mates": {"$ref": "Thing", "$id": 2}}}"#, #"{"mates": [2]}"#),
    ])
    func `assignments create missing parents, and removals ignore them`(_ patch: String, _ expected: String) throws {
        var document = try BSONDocument(extendedJSON: expected)
        document["_id"] = 1
        let result = try patched(#"{"text": ""}"#, patch)
        var contents = try require(result.contents).packed
        for name in ["count", "flag", "ratio", "text"] as [SyncString] { contents[name] = nil }
        try expectEqual(contents, TestClasses.mapping.object(document, of: "Thing").fields.packed)
    }

    struct Wrong: Sendable {
        let patch: String
        let code: DocumentMisfit.Code
        let path: [String]

        init(_ patch: String, _ code: DocumentMisfit.Code, _ path: [String]) {
            (self.patch, self.code, self.path) = (patch, code, path)
        }
    }

    @Test(arguments: [
        Wrong(#"{"$rename": {"text": "note"}}"#, .operation, ["$rename"]),
        Wrong(#"{"$set": 5}"#, .operation, ["$set"]),
        Wrong(#"{"$set": {"text": "a"}, "text": 1}"#, .operation, ["text"]),
        Wrong(#"{"$set": {"a..b": 1}}"#, .operation, ["$set", "a..b"]),
        Wrong(#"{"$set": {"tags.$.x": 1}}"#, .operation, ["$set", "tags.$.x"]),
        Wrong(#"{"$set": {"home": null, "home.city": "a"}}"#, .operation, ["home", "city"]),
        Wrong(#"{"$set": {"text": "a"}, "$inc": {"text": 1}}"#, .operation, ["text"]),
        Wrong(#"{"$set": {"_id": 2}}"#, .key, ["_id"]), Wrong(#"{"_id": 2, "text": "a"}"#, .key, ["_id"]),
        Wrong(#"{"$set": {"nothing": 1}}"#, .unknownField, ["nothing"]),
        Wrong(#"{"$set": {"home.nothing": 1}}"#, .unknownField, ["home", "nothing"]),
        Wrong(#"{"$set": {"text.x": 1}}"#, .unknownField, ["text", "x"]),
        Wrong(#"{"$set": {"count": "a"}}"#, .type, ["count"]),
        Wrong(#"{"$set": {"homes.0.zip": "a"}}"#, .type, ["homes", "0", "zip"]),
        Wrong(#"{"$unset": {"text": ""}}"#, .missing, ["text"]),
        Wrong(#"{"$set": {"tags.5": "a"}}"#, .operation, ["tags", "5"]),
        Wrong(#"{"$set": {"tags.01": "a"}}"#, .operation, ["tags", "01"]),
        Wrong(#"{"$set": {"names.0": "a"}}"#, .operation, ["names", "0"]),
        Wrong(#"{"$inc": {"text": 1}}"#, .operation, ["text"]),
        Wrong(#"{"$inc": {"count": 0.5}}"#, .type, ["count"]),
        Wrong(#"{"$inc": {"count": {"$numberLong": "9223372036854775807"}}}"#, .limit, ["count"]),
        Wrong(#"{"$push": {"text": 1}}"#, .operation, ["text"]),
        Wrong(#"{"$push": {"tags": {"$each": ["a"], "$slice": 1}}}"#, .operation, ["tags", "$slice"]),
        Wrong(#"{"$push": {"tags": 1}}"#, .type, ["tags", "0"]),
        Wrong(#"{"$push": {"names": {"$each": ["a"], "$position": 0}}}"#, .operation, ["names"]),
        Wrong(#"{"$pull": {"count": 1}}"#, .operation, ["count"]),
        Wrong(#"{"$pull": {"tags": {"$gt": "a"}}}"#, .operation, ["tags"]),
        Wrong(#"{"$pullAll": {"tags": "a"}}"#, .operation, ["tags"]),
        Wrong(#"{"$set": {"any.0": 1}}"#, .operation, ["any", "0"]),
    ])
    func `an impossible operation is an error with its path`(_ wrong: Wrong) throws {
        let stored =
            #"{"text": "a", "count": 5, "home": {"city": "B"}, "homes": [{"city": "C"}], "tags": ["a"], "names": ["a"], "any": [1]}"#
        let error = try #require(throws: DocumentMisfit.self) { try patched(stored, wrong.patch) }
        expect(error.code == wrong.code && error.path == wrong.path, "\(error)")
    }

    @Test
    func `in mixed values, lists are written whole and dictionaries key by key`() throws {
        let stored = #"{"any": {"list": [1, 2, 1], "n": 1, "d": {"x": 1}}}"#
        let result = try patched(
            stored,
            #"{"$pull": {"any.list": 1}, "$inc": {"any.n": 2, "any.d.x": 0.5}, "$set": {"any.e": null}}"#
        )
        let document = BSONDocument(TestClasses.thing(1), try require(result.contents))
        expectEqual(document["any"], ["d": ["x": 1.5], "e": .null, "list": [.int64(2)], "n": .int64(3)])
        let pushed = try patched(stored, #"{"$push": {"any.list": {"$each": [7, 8], "$position": -1}}}"#)
        let list = BSONDocument(TestClasses.thing(1), try require(pushed.contents))["any"]?.documentValue?["list"]
        expectEqual(list, [.int64(1), .int64(2), .int64(7), .int64(8), .int64(1)])
    }
}
