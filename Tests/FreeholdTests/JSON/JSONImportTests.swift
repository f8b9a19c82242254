import Foundation
import Testing

@testable import Freehold

private func failure(_ body: () throws -> Void) -> JSONError? {
    do {
        try body()
        return nil
    } catch {
        return error as? JSONError
    }
}

@Suite("JSON: import")
struct JSONImportTests {
    @Test
    func `an array, lines, and pretty-printed objects in a row give the same objects`() throws {
        let texts = [
            #"[{"id":1,"string":"a"},{"id":2,"string":"b"}]"#,
            "{\"id\":1,\"string\":\"a\"}\n{\"id\":2,\"string\":\"b\"}\n",
            "\u{FEFF} {\n  \"id\": 1,\n  \"string\": \"a\"\n}\n{\n  \"id\": 2,\n  \"string\": \"b\" }",
        ]
        for text in texts {
            let realm = try jsonRealm()
            try expectEqual(realm.importJSON(from: Data(text.utf8), into: JSAll.self), 2)
            expectEqual(realm.objects(JSAll.self).sorted(by: \.id).map(\.string), ["a", "b"])
            expectEqual(realm.objects(JSAll.self).first!.double, 0)
        }
        let realm = try jsonRealm()
        for empty in ["", " \n", "[]", "[ ]\n"] {
            try expectEqual(realm.importJSON(from: Data(empty.utf8), into: JSAll.self), 0)
        }
        let lines = JSONImportOptions(format: .lines)
        // In lines, a value may be an array in the order of the properties.
        try realm.importJSON(from: Data("[\"x\",7]\n[\"y\"]".utf8), into: JSPlain.self, options: lines)
        expectEqual(realm.objects(JSPlain.self).map(\.name), ["x", "y"])
        let array = JSONImportOptions(format: .array)
        expectEqual(
            failure { try realm.importJSON(from: Data("{}".utf8), into: JSPlain.self, options: array) }?.kind,
            .malformed
        )
    }

    @Test
    func `files, handles and streams are read`() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: url) }
        // Over several chunks.
        let lines = (0..<3000).map { #"{"id":\#($0),"string":"\#(String(repeating: "é", count: $0 % 50))"}"# }
        try lines.joined(separator: "\n").write(to: url, atomically: true, encoding: .utf8)
        let realm = try jsonRealm()
        try expectEqual(realm.importJSON(from: url, into: JSAll.self), 3000)
        expectEqual(realm.object(ofType: JSAll.self, forPrimaryKey: 49)?.string, String(repeating: "é", count: 49))
        let file = try FileHandle(forReadingFrom: url)
        try expectEqual(realm.importJSON(from: file, into: JSAll.self), 3000)
        try expectEqual(realm.importJSON(from: InputStream(url: url)!, into: JSAll.self), 3000)
        expectEqual(realm.objects(JSAll.self).count, 3000)
        let missing = failure {
            try realm.importJSON(from: url.appendingPathExtension("no"), into: JSAll.self)
        }
        expect(missing?.kind == .io && missing?.line == nil)
    }

    @Test
    func `every type accepts its JSON form exactly`() throws {
        let realm = try jsonRealm()
        let uuid = UUID()
        let json = """
            {"id": 9, "bool": true, "int8": -128, "int64": 9223372036854775807, "float": 0.1, "double": -1.5e300,
             "string": "t\\u00e9", "data": "AQID", "date": "2024-02-29T12:30:00.25Z",
             "decimal": 1234567890.123456789012345678901234, "objectId": "507f1f77bcf86cd799439011",
             "uuid": "\(uuid)", "boolOpt": false, "intOpt": 1e3, "floatOpt": "NaN", "doubleOpt": "-Infinity",
             "stringOpt": null, "dataOpt": "", "dateOpt": 1700000000.5, "decimalOpt": "-Inf",
             "objectIdOpt": {"$oid": "507f1f77bcf86cd799439012"}, "uuidOpt": {"$uuid": "\(uuid)"},
             "link": {"id": 10, "string": "nested"}, "plain": {"full_name": "p", "age": 3},
             "ints": [1, -9223372036854775808, 5.0], "doubles": [1, null, "Infinity"], "strings": ["", null],
             "dates": ["1970-01-01", 0], "decimals": ["1.10", 2, {"$numberDecimal": "3"}],
             "datas": [{"$binary": {"base64": "/w==", "subType": "00"}}], "links": [11, {"id": 12}, 9],
             "plains": [{"name": "q", "next": {"name": "r"}}, ["s", 5]], "unknown": {"a": [1]}, "linked": [1]}
            """
        try realm.importJSON(from: Data(json.utf8), into: JSAll.self)
        let o = try require(realm.object(ofType: JSAll.self, forPrimaryKey: 9))
        expect(o.bool && o.int8 == -128 && o.int64 == .max && o.float == 0.1 && o.double == -1.5e300)
        expect(o.string == "té" && o.data == Data([1, 2, 3]))
        expectEqual(o.date, Date(timeIntervalSince1970: 1_709_209_800.25))
        expectEqual(o.decimal.stringValue, "1234567890.123456789012345678901234")
        expect(o.objectId.stringValue == "507f1f77bcf86cd799439011" && o.uuid == uuid)
        expect(o.boolOpt == false && o.intOpt == 1000 && o.floatOpt?.isNaN == true && o.doubleOpt == -.infinity)
        expect(o.stringOpt == nil && o.dataOpt == Data() && o.dateOpt == Date(timeIntervalSince1970: 1_700_000_000.5))
        expect(o.decimalOpt == -.infinity && o.objectIdOpt?.stringValue == "507f1f77bcf86cd799439012")
        expect(o.uuidOpt == uuid && o.link?.string == "nested" && o.plain?.name == "p" && o.plain?.age == 3)
        expect(
            Array(o.ints) == [1, .min, 5] && Array(o.doubles) == [1, nil, .infinity] && Array(o.strings) == ["", nil]
        )
        expect(o.dates.map(\.timeIntervalSince1970) == [0, 0] && Array(o.decimals) == ["1.1", 2, 3])
        expect(Array(o.datas) == [Data([255])] && o.links.map(\.id) == [11, 12, 9] && o.links[2] == o)
        expect(o.plains.map(\.name) == ["q", "s"] && o.plains[0].next?.name == "r" && o.plains[1].age == 5)
        expectEqual(o.linked.map(\.id), [9])
    }

    @Test(
        arguments: [
            (#""bool": 1"#, "bool", JSONError.Kind.invalidValue), (#""int8": 128"#, "int8", .invalidValue),
            (#""int64": 9223372036854775808"#, "int64", .invalidValue), (#""int64": 1.5"#, "int64", .invalidValue),
            (#""int64": true"#, "int64", .invalidValue), (#""int64": "5""#, "int64", .invalidValue),
            (#""int64": null"#, "int64", .missingValue), (#""float": 1e300"#, "float", .invalidValue),
            (#""double": 1e999"#, "double", .invalidValue), (#""double": "1.5""#, "double", .invalidValue),
            (#""string": 5"#, "string", .invalidValue), (#""string": null"#, "string", .missingValue),
            (#""data": "!""#, "data", .invalidValue), (#""date": "today""#, "date", .invalidValue),
            (#""date": 1e30"#, "date", .invalidValue), (#""decimal": "x""#, "decimal", .invalidValue),
            (#""decimal": []"#, "decimal", .invalidValue), (#""objectId": "12""#, "objectId", .invalidValue),
            (#""uuid": "12""#, "uuid", .invalidValue), (#""uuid": {"$oid": "1"}"#, "uuid", .invalidValue),
            (#""link": "x""#, "link", .invalidValue), (#""plain": 5"#, "plain", .invalidValue),
            (#""plain": {"age": "old"}"#, "plain.age", .invalidValue), (#""ints": 5"#, "ints", .invalidValue),
            (#""ints": [1, "x"]"#, "ints[1]", .invalidValue), (#""ints": [null]"#, "ints[0]", .missingValue),
            (#""links": [null]"#, "links[0]", .missingValue), (#""ints": {"a": 1}"#, "ints", .invalidValue),
            (#""plains": [{}, {"next": {"next": {"full_name": 5}}}]"#, "plains[1].next.next.full_name", .invalidValue),
            (#""plain": {"name": "a", "full_name": "b"}"#, "plain.full_name", .duplicateKey),
            (#""plain": ["a", 1, null, 4]"#, "plain", .invalidValue),
        ] as [(String, String, JSONError.Kind)]
    )
    func `an unsuitable value is an error with line, object and path, and nothing is stored`(
        member: String,
        path: String,
        kind: JSONError.Kind
    ) throws {
        let realm = try jsonRealm()
        let text = "[{\"id\": 1},\n {\"id\": 2,\n   \(member)}]"
        let error = failure { try realm.importJSON(from: Data(text.utf8), into: JSAll.self) }
        expect(error?.kind == kind && error?.path == path && error?.object == 2 && error?.line == 3, "\(error as Any)")
        expect(error?.committed == 0 && error?.description.contains("line 3") == true)
        expect(realm.objects(JSAll.self).isEmpty && realm.objects(JSPlain.self).isEmpty && !realm.isInWriteTransaction)
    }

    @Test
    func `malformed text, a top-level value that isn't an object, and a missing primary key are errors`() throws {
        let realm = try jsonRealm()
        for (text, kind, line, object) in [
            ("{\"id\":1}\n{\"id\":2", JSONError.Kind.malformed, 2, 2), ("{\"id\":1}\n5", .invalidValue, 2, 2),
            ("[{\"id\":1} {\"id\":2}]", .malformed, 1, nil), ("[{\"id\":1}", .malformed, 1, nil),
            ("[{\"id\":1}] []", .malformed, 1, nil), ("[{\"id\":1},]", .malformed, 1, 2),
            ("{\"id\":1}\n{\"string\":\"x\"}", .missingValue, 2, 2), ("{\"id\":null}", .missingValue, 1, 1),
            ("{\"id\":1,\"id\":2}", .duplicateKey, 1, 1), ("{\"id\":1,\"string\":\"\\uD800\"}", .invalidText, 1, 1),
        ] as [(String, JSONError.Kind, Int, Int?)] {
            let error = failure { try realm.importJSON(from: Data(text.utf8), into: JSAll.self) }
            expect(error?.kind == kind && error?.line == line && error?.object == object, "\(text): \(error as Any)")
            expect(realm.objects(JSAll.self).isEmpty)
        }
        // Missing identifiers are created.
        try realm.importJSON(from: Data(#"[{"name":"a"},{"name":"b"}]"#.utf8), into: JSNamed.self)
        expectEqual(Set(realm.objects(JSNamed.self).map(\.id)).count, 2)
    }

    @Test
    func `unknown keys are ignored, or refused with their path`() throws {
        let realm = try jsonRealm()
        let text = Data(#"{"id":1,"plain":{"name":"x","height":3}}"#.utf8)
        try realm.importJSON(from: text, into: JSAll.self)
        expectEqual(realm.objects(JSPlain.self).first?.name, "x")
        let options = JSONImportOptions(unknownKeys: .refused)
        let error = failure { try realm.importJSON(from: text, into: JSAll.self, options: options) }
        expect(error?.kind == .unknownKey && error?.path == "plain.height" && error?.className == "JSPlain")
        // Linking objects aren't stored.
        let computed = failure {
            try realm.importJSON(from: Data(#"{"id":1,"linked":[]}"#.utf8), into: JSAll.self, options: options)
        }
        expectEqual(computed?.path, "linked")
    }

    @Test
    func `objects are updated by their primary key, or refused if it exists`() throws {
        let realm = try jsonRealm()
        try realm.importJSON(from: Data(#"{"id":1,"string":"a","int64":5,"ints":[1,2]}"#.utf8), into: JSAll.self)
        try realm.importJSON(from: Data(#"{"id":1,"string":"b","ints":null}"#.utf8), into: JSAll.self)
        let o = try require(realm.objects(JSAll.self).first)
        expect(realm.objects(JSAll.self).count == 1 && o.string == "b" && o.int64 == 5 && o.ints.isEmpty)
        let error = failure {
            try realm.importJSON(from: Data("{\"id\":2}\n{\"id\":1}".utf8), into: JSAll.self, update: .error)
        }
        expect(error?.kind == .refused && error?.cause?.code == .duplicatePrimaryKey)
        expect(error?.line == 2 && error?.object == 2 && error?.path == "id" && error?.className == "JSAll")
        expectEqual(realm.objects(JSAll.self).count, 1)
    }

    @Test
    func `a link by key finds the object, or creates one that a later line fills`() throws {
        let realm = try jsonRealm()
        let text = #"""
            {"key":"a","friend":"b"}
            {"key":"b","friend":"a","note":"there"}
            {"key":"c","friend":null}
            """#
        try realm.importJSON(from: Data(text.utf8), into: JSText.self)
        let all = realm.objects(JSText.self).sorted(by: \.key)
        expect(all.map(\.key) == ["a", "b", "c"] && all.map(\.note) == ["none", "there", "none"])
        expect(all[0].friend == all[1] && all[1].friend == all[0] && all[2].friend == nil)
    }

    @Test
    func `an import in batches keeps those before an error, and the error contains their number`() throws {
        let realm = try jsonRealm()
        let good = (1...25).map { "{\"id\":\($0)}" }.joined(separator: "\n")
        let options = JSONImportOptions(batchSize: 10)
        let error = failure {
            try realm.importJSON(from: Data((good + "\n{\"id\":\"x\"}").utf8), into: JSAll.self, options: options)
        }
        expect(error?.committed == 20 && error?.object == 26 && realm.objects(JSAll.self).count == 20)
        expect(!realm.isInWriteTransaction)
        try expectEqual(realm.importJSON(from: Data(good.utf8), into: JSAll.self, options: options), 25)
        expectEqual(realm.objects(JSAll.self).count, 25)
        expectEqual(
            thrownCode {
                try realm.importJSON(from: Data(), into: JSAll.self, options: JSONImportOptions(batchSize: 0))
            },
            .invalidInput
        )
    }

    @Test
    func `an import inside a write transaction is a part of it, and after an error only a rollback is possible`() throws
    {
        let realm = try jsonRealm()
        try realm.write {
            realm.create(JSText.self, value: ["key": "x"])
            try realm.importJSON(from: Data(#"{"id":1}"#.utf8), into: JSAll.self)
            expectEqual(realm.objects(JSAll.self).count, 1)
        }
        expect(realm.objects(JSAll.self).count == 1 && realm.objects(JSText.self).count == 1)
        let code = thrownCode {
            try realm.write {
                realm.create(JSText.self, value: ["key": "y"])
                _ = try? realm.importJSON(from: Data("{\"id\":2}\n{".utf8), into: JSAll.self)
            }
        }
        expect(code == .invalidInput && realm.objects(JSText.self).count == 1 && realm.objects(JSAll.self).count == 1)
        expectEqual(
            thrownCode {
                try realm.write {
                    _ = try realm.importJSON(from: Data(), into: JSAll.self, options: JSONImportOptions(batchSize: 5))
                }
            },
            .invalidTransactionState
        )
    }

    @Test
    func `numbers represent dates in seconds or milliseconds`() throws {
        let realm = try jsonRealm()
        let text = Data(#"{"id":1,"date":1700000000125.0,"dateOpt":"2023-11-14T22:13:20Z"}"#.utf8)
        try realm.importJSON(from: text, into: JSAll.self, options: JSONImportOptions(dates: .millisecondsSince1970))
        let o = try require(realm.objects(JSAll.self).first)
        expectEqual(o.date, Date(timeIntervalSince1970: 1_700_000_000.125))
        expectEqual(o.dateOpt, Date(timeIntervalSince1970: 1_700_000_000))
    }

    @Test
    func `objects nested over 100 levels are an error, and ignored values may be as deep as JSON permits`() throws {
        func nested(_ levels: Int, _ key: String) -> Data {
            Data((String(repeating: "{\"\(key)\":", count: levels) + "{}" + String(repeating: "}", count: levels)).utf8)
        }
        let realm = try jsonRealm()
        try realm.importJSON(from: nested(99, "next"), into: JSPlain.self)
        expectEqual(realm.objects(JSPlain.self).count, 100)
        let error = failure { try realm.importJSON(from: nested(300, "next"), into: JSPlain.self) }
        expect(error?.kind == .tooDeep && error?.path?.hasPrefix("next.next.next") == true)
        try realm.importJSON(from: nested(511, "unknown"), into: JSPlain.self)
        expectEqual(realm.objects(JSPlain.self).count, 101)
    }

    @Test
    func `values that the realm refuses are an error: a string over the limit`() throws {
        let realm = try jsonRealm()
        let long = String(repeating: "x", count: 16_777_200)
        let error = failure {
            try realm.importJSON(from: Data("{\"id\":1,\"string\":\"\(long)\"}".utf8), into: JSAll.self)
        }
        expect(error?.kind == .refused && error?.cause?.code == .limitExceeded && error?.path == "string")
        expect(realm.objects(JSAll.self).isEmpty)
    }
}
