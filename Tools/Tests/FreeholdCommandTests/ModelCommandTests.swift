import Foundation
import Freehold
import Testing

/// Tests of `freehold schema --language …` for files and for JSON schemas.
struct ModelCommandTests {
    private static let dog = """
        {"title": "Dog", "bsonType": "object", "required": ["_id"],
         "properties": {"_id": {"bsonType": "objectId"}, "name": {"bsonType": "string"}, "speed": {"bsonType": "float"}}}
        """
    private static let person = """
        {"title": "Person", "bsonType": "object", "required": ["_id", "first_name"],
         "properties": {"_id": {"bsonType": "objectId"}, "first_name": {"bsonType": "string"},
                        "dogs": {"bsonType": "array", "items": {"bsonType": "objectId"}}}}
        """
    private static let relationships = """
        {"dogs": {"ref": "#/relationship/mongodb-atlas/app/Dog", "foreign_key": "_id", "is_list": true}}
        """

    private func write(_ text: String, to path: String) throws {
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    /// Folders in the layout of App Services' command line tool.
    private func makeProject(_ folder: String) throws {
        try write(Self.dog, to: folder + "/data_sources/mongodb-atlas/app/Dog/schema.json")
        try write("{}", to: folder + "/data_sources/mongodb-atlas/app/Dog/relationships.json")
        try write(Self.person, to: folder + "/data_sources/mongodb-atlas/app/Person/schema.json")
        try write(Self.relationships, to: folder + "/data_sources/mongodb-atlas/app/Person/relationships.json")
        try write("{\"name\": \"app\"}", to: folder + "/realm_config.json")
    }

    @Test(arguments: [
        ("swift", "final class TMPerson: Object {"), ("objc", "@interface TMPerson : RLMObject"),
        ("kotlin", "class TMPerson : RealmObject {"), ("java", "public class TMPerson extends RealmObject {"),
        ("java-kotlin", "open class TMPerson : RealmObject() {"),
        ("csharp", "public partial class TMPerson : IRealmObject"),
        ("dart", "class _TMPerson {"), ("javascript", "export class TMPerson extends Realm.Object {"),
        ("typescript", "export class TMPerson extends Realm.Object<TMPerson> {"), ("cpp", "struct TMPerson {"),
    ])
    func `a file's classes in each language`(language: String, declaration: String) throws {
        try withFolder { folder in
            try ToolFile.make(folder + "/a.realm")
            let run = try Run.freehold("schema", folder + "/a.realm", "--language", language)
            expect(run.status == 0 && run.output.contains(declaration), "\(run)")
            // Each note is also a comment in the code.
            for line in run.error.split(separator: "\n") {
                expect(line.hasPrefix(language + ": "))
                let text = try require(line.split(separator: ": ", maxSplits: 2).last)
                expect(run.output.contains(text), "\(line)")
            }
            expectEqual(run.error.isEmpty, (language == "swift"), "\(run.error)")
        }
    }

    @Test func `JSON schemas of an exported project`() throws {
        try withFolder { folder in
            try makeProject(folder + "/project")
            let kotlin = try Run.freehold("schema", "--from-json-schema", folder + "/project", "--language", "kotlin")
            expect(kotlin.status == 0 && kotlin.error.isEmpty, "\(kotlin)")
            for part in [
                "var first_name: String = \"\"", "var dogs: RealmList<Dog> = realmListOf()", "var speed: Float? = null",
            ] {
                expect(kotlin.output.contains(part), "\(kotlin.output)")
            }
            let dart = try Run.freehold(
                "schema",
                "--from-json-schema",
                folder + "/project",
                "--language",
                "dart",
                "--names",
                "idiomatic"
            )
            expect(dart.output.contains("@MapTo('first_name')\n  late String firstName;"), "\(dart.output)")
            expect(dart.error.hasPrefix("dart: Dog.speed: It is stored as float"), "\(dart.error)")

            // One file with all classes and their relationships. The output is text, and the JSON format of the tool.
            try write(
                "[\(Self.dog), {\"schema\": \(Self.person), \"relationships\": \(Self.relationships)}]",
                to: folder + "/all.json"
            )
            let same = try Run.freehold("schema", "--from-json-schema", folder + "/all.json", "--language", "kotlin")
            expectEqual(same.output, kotlin.output)
            let text = try Run.freehold("schema", "--from-json-schema", folder + "/all.json")
            expect(text.output.contains("dogs        list of Dog"), "\(text)")
            let json = try Run.freehold("schema", "--from-json-schema", folder + "/all.json", "--format", "json")
            let read = try Schema.read(json: Data(json.output.utf8))
            expect(read.schema["Person"]?["dogs"]?.objectClassName == "Dog" && read.schemaVersion == nil)
        }
    }

    @Test func `a folder of files, which nothing overwrites unasked`() throws {
        try withFolder { folder in
            try makeProject(folder + "/project")
            let arguments = [
                "schema", "--from-json-schema", folder + "/project", "--language", "java", "--package",
                "org.example.model",
                "--output", folder + "/out/model",
            ]
            let first = try Run.freehold(arguments)
            expect(first.status == 0 && first.output.isEmpty, "\(first)")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/out/model").sorted()
            expectEqual(names, ["Dog.java", "Person.java"])
            let text = try String(contentsOfFile: folder + "/out/model/Dog.java", encoding: .utf8)
            expect(text.hasPrefix("package org.example.model;\n\nimport "))
            try expectEqual(Run.freehold(arguments).status, 73)
            try expectEqual(Run.freehold(arguments + ["--force"]).status, 0)
            let objectiveC = try Run.freehold("schema", "--from-json-schema", folder + "/project", "--language", "objc")
            expect(objectiveC.output.contains("// Models.h\n") && objectiveC.output.contains("\n// Models.m\n"))
        }
    }

    @Test func `invalid arguments are reported`() throws {
        try withFolder { folder in
            try makeProject(folder + "/project")
            try ToolFile.make(folder + "/a.realm")
            let file = folder + "/a.realm"
            func status(_ arguments: String...) throws -> Int32 { try Run.freehold(["schema"] + arguments).status }
            try expectEqual(status(), 64)
            try expectEqual(status(file, "--language", "cobol"), 64)
            try expectEqual(status(file, "--from-json-schema", folder + "/project"), 64)
            try expectEqual(status(file, "--output", folder + "/x"), 64)
            try expectEqual(status(file, "--format", "json", "--language", "swift"), 64)
            try expectEqual(status(file, "--language", "java", "--package", "a b"), 64)
            try expectEqual(status("--from-json-schema", folder + "/none"), 66)
            try FileManager.default.createDirectory(atPath: folder + "/empty", withIntermediateDirectories: true)
            try expectEqual(status("--from-json-schema", folder + "/empty"), 66)
            for (text, part) in [
                ("{", "at byte"), ("5", "is an object"), ("[5]", "is an object"), ("{\"title\": \"A\"}", "bsonType"),
                ("{\"title\": \"A\", \"bsonType\": \"object\", \"properties\": {}}", "no primary key"),
                ("\u{1}", "byte"), (String(repeating: "[", count: 10_000), "deep"),
            ] {
                try write(text, to: folder + "/bad.json")
                let run = try Run.freehold("schema", "--from-json-schema", folder + "/bad.json")
                expect(run.status == 65 && run.error.contains(part), "\(text.prefix(80)): \(run)")
                expectEqual(run.error.split(separator: "\n").count, 1)
            }
            try Data(repeating: 0x20, count: 2 << 20).write(to: URL(fileURLWithPath: folder + "/large.json"))
            try expectEqual(status("--from-json-schema", folder + "/large.json"), 65)
            try Data([0xFF, 0xFE]).write(to: URL(fileURLWithPath: folder + "/bytes.json"))
            try expectEqual(status("--from-json-schema", folder + "/bytes.json"), 65)
        }
    }
}
