import Foundation
import Testing

@testable import Freehold

@Suite("JSON: documents of whole realms")
struct DocumentTests {
    private func document(_ realm: Realm) throws -> Data {
        var data = Data()
        try realm.exportDocument { data.append($0) }
        return data
    }

    private func importDocument(_ data: Data, _ configuration: Realm.Configuration) throws {
        var rest: Data? = data
        try Realm.importDocument(to: configuration) {
            defer { rest = nil }
            return rest ?? Data()
        }
    }

    @Test func `a file that is created from a document has the same objects, links, schema and version`() throws {
        try withNewFile { base in
            try withNewFile { other in
                let configuration = DocumentSample.configuration(base)
                let realm = try Realm(configuration: configuration)
                try DocumentSample.fill(realm)
                let url = base.fileURL!.appendingPathExtension("json")
                let count = try realm.exportDocument(to: url)
                expect(count == realm.objects(DCNode.self).count + 4 && count == 33)
                try expectEqual(Data(contentsOf: url), document(realm))

                try expectEqual(Realm.importDocument(from: url, to: Realm.Configuration(fileURL: other.fileURL)), count)
                let copy = try Realm(configuration: DocumentSample.configuration(other))
                expectEqual(DocumentSample.contents(copy), DocumentSample.contents(realm))
                expect(copy.storedSchema == realm.storedSchema && copy.storedSchemaVersion == 7)
                try expectEqual(document(copy), document(realm))
                expectEqual(copy.verify(), [])
                // No other file is left next to the file.
                let folder = other.fileURL!.deletingLastPathComponent().path
                let name = other.fileURL!.lastPathComponent
                let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(name) }
                expectEqual(Set(left), [name, name + "-lock", name + ".writer"])
            }
        }
    }

    @Test func `options for opening existing files don't affect an import`() throws {
        func fill(_ configuration: Realm.Configuration, _ count: Int) throws -> Data {
            let realm = try Realm(configuration: configuration)
            try realm.write { for id in 0..<count { realm.add(RTDog(id: id, name: "Dog \(id)")) } }
            return try document(realm)
        }
        let data = try fill(newConfiguration(), 2)
        for mode in [Realm.SchemaMode.additive, .readOnly, .immutable] {
            try withNewFile { base in
                var configuration = base
                configuration.fileURL = base.fileURL!.appendingPathExtension("seed")
                _ = try fill(configuration, 3)
                configuration.seedFilePath = configuration.fileURL
                configuration.fileURL = base.fileURL
                configuration.schemaMode = mode
                configuration.readOnly = mode != .additive
                configuration.deleteRealmIfMigrationNeeded = mode == .additive
                if mode == .additive {
                    configuration.shouldCompactOnLaunch = { _, _ in
                        Issue.record("asked")
                        return true
                    }
                }
                try importDocument(data, configuration)
                try expectEqual(Realm(configuration: base).objects(RTDog.self).map(\.id), [0, 1])
            }
        }
    }

    @Test func `many forward links are stored in a file`() throws {
        // Over 16 MiB of kept text.
        let (count, filler) = (60, String(repeating: "x", count: 300_000))
        var text = #"{"schema": {"classes": [{"name": "N", "properties": [{"name": "to", "type": "mixed"}, "#
        text += #"{"name": "n", "type": "int"}]}]}, "objects": {"N": ["#
        text += (0..<count).map { i in
            let link = #"{"$link": {"class": "N", "object": \#(count - 1 - i)}}"#
            return #"{"n": \#(i), "to": {"link": \#(link), "text": "\#(filler)"}}"#
        }.joined(separator: ",")
        try withNewFile { base in
            var configuration = Realm.Configuration(fileURL: base.fileURL)
            try importDocument(Data((text + "]}}").utf8), configuration)
            configuration.schema = Schema([])
            configuration.schemaMode = .additive
            let objects = try Realm(configuration: configuration).dynamicObjects("N")
            expectEqual(objects.count, count)
            for (i, object) in objects.enumerated() {
                let map = try require(object["to"] as? Map<String, AnyRealmValue>)
                expectEqual(map["link"]?.object(DynamicObject.self)?["n"] as? Int, count - 1 - i)
                expectEqual(map["text"]?.stringValue?.count, filler.count)
            }
        }
    }

    @Test func `an invalid document leaves nothing`() throws {
        let head =
            #"{"freehold": 1, "schema": {"schemaVersion": 2, "classes": [{"name": "A", "properties": ["#
            + #"{"name": "id", "type": "int", "primaryKey": true}, {"name": "a", "type": "object", "class": "A"}]}]}, "#
        let wrong: [(String, JSONError.Kind, String)] = [
            ("", .malformed, "ends"), ("[]", .malformed, "object"), ("{}", .missingValue, "no objects"),
            (#"{"freehold": 2}"#, .invalidValue, "another format"),
            (#"{"objects": {}}"#, .malformed, "before the schema"), (#"{"x": 1}"#, .unknownKey, "\"x\""),
            (head + #""objects": {"B": []}}"#, .unknownKey, "'B'"),
            (head + #""objects": {"A": [], "A": []}}"#, .duplicateKey, "twice"),
            (head + #""objects": {"A": [{"id": 1}, {"id": 1}]}}"#, .refused, "primary key"),
            (head + #""objects": {"A": [{"id": 1, "x": 2}]}}"#, .unknownKey, "stores no property"),
            (head + #""objects": {"A": [{"id": "y"}]}}"#, .invalidValue, "whole number"),
            (head + #""objects": {"A": [{"id": 1, "a": 7}]}}"#, .invalidValue, "doesn't have"),
            (head + #""objects": {"A": [{"id": 1, "a": {"$object": 1}}]}}"#, .invalidValue, "doesn't have"),
            (head + #""objects": {"A": [{"id": 1, "a": {"$object": -1}}]}}"#, .invalidValue, "position"),
            (head + #""objects": {"A": [{"id": 1}"#, .malformed, "ends inside"),
            (head + #""objects": {"A": [{"id": 1}]}, "more": 1}"#, .unknownKey, "more"),
            (head + #""objects": {"A": []}} x"#, .malformed, "end of the text"),
        ]
        try withNewFile { base in
            for (text, kind, part) in wrong {
                do {
                    try importDocument(Data(text.utf8), Realm.Configuration(fileURL: base.fileURL))
                    Issue.record("imported: \(text)")
                } catch let error as JSONError {
                    expect(error.kind == kind && error.message.contains(part), "\(text): \(error)")
                }
                let folder = base.fileURL!.deletingLastPathComponent().path
                let left = try FileManager.default.contentsOfDirectory(atPath: folder)
                    .filter { $0.contains(base.fileURL!.lastPathComponent) }
                expectEqual(left, [], "\(text)")
            }
        }
    }

    @Test func `an import never replaces a file`() throws {
        try withNewFile { base in
            let configuration = DocumentSample.configuration(base)
            let realm = try Realm(configuration: configuration)
            let data = try document(realm)
            expectEqual(
                thrownCode { try importDocument(data, Realm.Configuration(fileURL: base.fileURL)) },
                .fileExists
            )
        }
    }

    @Test func `a link by position is refused outside of a document`() throws {
        let realm = try Realm(configuration: DocumentSample.configuration(newConfiguration()))
        #expect(throws: JSONError.self) {
            try realm.importJSON(from: Data(#"[{"next": {"$object": 0}}]"#.utf8), into: DCNode.self)
        }
        expect(realm.objects(DCNode.self).isEmpty)
    }
}
