import FreeholdBSON
import FreeholdEngine
import FreeholdSyncCore
import FreeholdSyncDocuments
import Testing

@Suite("Documents become objects of a class")
struct MappingTests {
    private static func fields(_ json: String) throws -> [SyncString: MergedContent] {
        var document = try BSONDocument(extendedJSON: json)
        document["_id"] = 1
        return try TestClasses.mapping.object(document, of: "Thing").fields
    }

    @Test(arguments: [
        (#"{"count": 3}"#, "count", SyncValue.int(3)), (#"{"count": 3.0}"#, "count", .int(3)),
        (#"{"count": {"$numberDecimal": "7"}}"#, "count", .int(7)), (#"{"ratio": 3}"#, "ratio", .double(3)),
        (#"{"ratio": {"$numberLong": "4"}}"#, "ratio", .double(4)), (#"{"single": 0.5}"#, "single", .float(0.5)),
        (#"{"single": 0.1}"#, "single", .float(0.1)),
        (#"{"single": {"$numberDouble": "Infinity"}}"#, "single", .float(.infinity)),
        (#"{"price": 3}"#, "price", .decimal128(3)), (#"{"price": 0.5}"#, "price", .decimal128("0.5")),
        (#"{"any": 3}"#, "any", .int(3)), (#"{"any": 3.5}"#, "any", .double(3.5)),
        (#"{"text": {"$symbol": "s"}}"#, "text", "s"), (#"{"note": null}"#, "note", .null),
        (
            #"{"at": {"$date": "1970-01-01T00:00:01.500Z"}}"#, "at",
            .date(Timestamp(seconds: 1, nanoseconds: 500_000_000))
        ),
        (#"{"friend": 2}"#, "friend", .link(TestClasses.thing(2))), (#"{"friend": null}"#, "friend", .null),
        (#"{"friend": {"$ref": "Thing", "$id": 3}}"#, "friend", .link(TestClasses.thing(3))),
        (#"{"any": {"$ref": "Named", "$id": "n"}}"#, "any", .link(ObjectName("Named", "n"))),
        (
            #"{"any": [1, {"a": [null]}]}"#, "any",
            .list([.int(1), .dictionary(SyncDictionary([(key: "a", value: .list([.null]))]))])
        ),
    ])
    func `numbers become the class's type, if it represents them exactly`(
        _ json: String,
        _ name: String,
        _ value: SyncValue
    ) throws {
        try expectEqual(Self.fields(json), [SyncString(name): .value(value)])
    }

    @Test
    func `collections, embedded objects, and fields outside of the class are mapped`() throws {
        let json = """
            {"tags": ["a", "a"], "names": ["a", "a", "b"], "marks": [1, null], "scores": {"x": 1}, "home": {"city": "B", "spot": {"y": 1}},
             "homes": [{"city": "C", "zip": null, "extra": 1}], "places": {"p": null}, "friends": [1, {"$ref": "Thing", "$id": 2}],
             "tagz": 1, "anything": null}
            """
        let fields = try Self.fields(json)
        expectEqual(fields["tags"], .list([.value("a"), .value("a")]))
        expectEqual(fields["names"], .set([.string("a"): "a", .string("b"): "b"]))
        expectEqual(fields["marks"], .list([.value(1), .value(.null)]))
        expectEqual(fields["scores"], .dictionary(["x": .value(1)]))
        expectEqual(fields["home"], .embedded(["city": .value("B"), "spot": .embedded(["y": .value(.double(1))])]))
        expectEqual(fields["homes"], .list([.embedded(["city": .value("C"), "zip": .value(.null)])]))
        expectEqual(fields["places"], .dictionary(["p": .value(.null)]))
        expectEqual(
            fields["friends"],
            .list([.value(.link(TestClasses.thing(1))), .value(.link(TestClasses.thing(2)))])
        )
        expectEqual(fields["anything"], .list([]))
        var document = try BSONDocument(extendedJSON: json)
        document["_id"] = 1
        try expectEqual(TestClasses.mapping.object(document, of: "Thing").ignored, ["homes.0.extra", "tagz"])
    }

    struct Wrong: Sendable {
        let json: String
        let code: DocumentMisfit.Code
        let path: [String]
    }

    @Test(arguments: [
        Wrong(json: #"{"count": 1.5}"#, code: .type, path: ["count"]),
        Wrong(json: #"{"count": {"$numberDecimal": "1E+30"}}"#, code: .type, path: ["count"]),
        Wrong(json: #"{"count": "1"}"#, code: .type, path: ["count"]),
        Wrong(json: #"{"count": null}"#, code: .missing, path: ["count"]),
        Wrong(json: #"{"flag": 1}"#, code: .type, path: ["flag"]),
        Wrong(json: #"{"ratio": {"$numberLong": "9007199254740993"}}"#, code: .type, path: ["ratio"]),
        Wrong(json: #"{"single": 1e300}"#, code: .type, path: ["single"]),
        Wrong(json: #"{"at": "2020-01-01"}"#, code: .type, path: ["at"]),
        Wrong(json: #"{"oid": "000000000000000000000001"}"#, code: .type, path: ["oid"]),
        Wrong(json: #"{"ref": {"$binary": {"base64": "AQI=", "subType": "04"}}}"#, code: .type, path: ["ref"]),
        Wrong(json: #"{"blob": {"$binary": {"base64": "AQI=", "subType": "80"}}}"#, code: .type, path: ["blob"]),
        Wrong(json: #"{"any": {"a": [{"$minKey": 1}]}}"#, code: .type, path: ["any", "a", "0"]),
        Wrong(json: #"{"any": {"$ref": "Nothing", "$id": 1}}"#, code: .unknownClass, path: ["any", "$ref"]),
        Wrong(json: #"{"friend": "x"}"#, code: .type, path: ["friend"]),
        Wrong(json: #"{"friends": [1, null]}"#, code: .missing, path: ["friends", "1"]),
        Wrong(json: #"{"tags": "a"}"#, code: .type, path: ["tags"]),
        Wrong(json: #"{"tags": ["a", 1]}"#, code: .type, path: ["tags", "1"]),
        Wrong(json: #"{"names": [null]}"#, code: .missing, path: ["names", "0"]),
        Wrong(json: #"{"scores": [1]}"#, code: .type, path: ["scores"]),
        Wrong(json: #"{"scores": {"a": null}}"#, code: .missing, path: ["scores", "a"]),
        Wrong(json: #"{"home": {"zip": 1}}"#, code: .missing, path: ["home", "city"]),
        Wrong(json: #"{"home": 5}"#, code: .type, path: ["home"]),
        Wrong(
            json: #"{"homes": [{"city": "a"}, {"city": "b", "spot": {"x": 1}}]}"#,
            code: .missing,
            path: ["homes", "1", "spot", "y"]
        ),
    ])
    func `a value that the class can't store is an error with its path`(_ wrong: Wrong) throws {
        let error = try #require(throws: DocumentMisfit.self) { try Self.fields(wrong.json) }
        expect(error.code == wrong.code && error.path == wrong.path, "\(error)")
    }

    @Test
    func `keys have their type, and classes without a key are refused`() throws {
        let mapping = TestClasses.mapping
        try expectEqual(mapping.object(["_id": 1.0], of: "Thing").name, TestClasses.thing(1))
        try expectEqual(mapping.object(["_id": "a"], of: "Named").name, ObjectName("Named", "a"))
        for (document, className) in [
            ([:], "Thing"), (["_id": "a"], "Thing"), (["_id": .null], "Thing"), (["_id": 1], "Named"),
        ] as [(BSONDocument, String)] {
            let error = try #require(throws: DocumentMisfit.self) { try mapping.object(document, of: className) }
            expectEqual(error.code, .key)
        }
        for className in ["Home", "Nothing", ""] {
            let error = try #require(throws: DocumentMisfit.self) { try mapping.object(["_id": 1], of: className) }
            expectEqual(error.code, .unknownClass)
        }
    }

    @Test
    func `depth is limited, and unknown fields can be refused`() throws {
        var deep: BSONValue = 1
        for _ in 0..<100 { deep = [deep] }
        let error = try #require(throws: DocumentMisfit.self) {
            try TestClasses.mapping.object(["_id": 1, "any": deep], of: "Thing")
        }
        expectEqual(error.code, .limit)
        let strict = DocumentMapping(TestClasses.schema, options: .init(unknownFields: .refused))
        let unknown = try #require(throws: DocumentMisfit.self) {
            try strict.object(["_id": 1, "home": ["city": "a", "x": 1]], of: "Thing")
        }
        expect(unknown.code == .unknownField && unknown.path == ["home", "x"])
    }
}
