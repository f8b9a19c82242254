import Foundation
import Freehold
import Testing

@testable import FreeholdCommand

struct DiffCommandTests {
    /// Two equal files, of which the second is changed.
    private func withFiles(_ change: (Realm) throws -> Void, _ body: (String, String) throws -> Void) throws {
        try withFolder { folder in
            let (a, b) = (folder + "/a.realm", folder + "/b.realm")
            try ToolFile.make(a)
            try expectEqual(Run.freehold("backup", a, b).status, 0)
            try ToolFile.write(b, change)
            try body(a, b)
        }
    }

    @Test func `equal files are equal, whatever the order of their objects`() throws {
        try withFolder { folder in
            let (a, b) = (folder + "/a.realm", folder + "/b.realm")
            try ToolFile.make(a)
            let run = try Run.shell("\"$F\" export '\(a)' | \"$F\" import '\(b)'; \"$F\" diff '\(a)' '\(b)'")
            expect(run.status == 0 && run.output == "", "\(run)")
            // The pets are in the reverse order in the second file, and count as equal.
            try ToolFile.write(b) { realm in
                let cat = realm.objects(TMPet.self).where { $0.name == "Mia" }.first!
                let dog = realm.objects(TMPet.self).where { $0.name != "Mia" }.first!
                realm.create(TMPet.self, value: ["name": "Mia", "friend": dog])
                let ada = realm.object(ofType: TMPerson.self, forPrimaryKey: 1)!
                let new = realm.objects(TMPet.self).last!
                dog.friend = new
                ada.pets.removeAll()
                ada.pets.append(objectsIn: [new, dog])
                realm.delete(cat)
            }
            expect(
                try Run.freehold("query", b, "TMPet", "--columns", "name", "--format", "csv").output.hasSuffix(
                    "Mia\r\n"
                )
            )
            let other = try Run.freehold("diff", a, b)
            expect(other.status == 0 && other.output == "", "\(other)")
            try expectEqual(Run.freehold("diff", a, a).status, 0)
        }
    }

    @Test func `objects are identified by their primary keys`() throws {
        try withFiles { realm in
            let bob = realm.object(ofType: TMPerson.self, forPrimaryKey: 2)!
            (bob.age, bob.best) = (4, nil)
            realm.object(ofType: TMPerson.self, forPrimaryKey: 1)!.home!.city = "Rome"
            realm.delete(realm.object(ofType: TMPerson.self, forPrimaryKey: 3)!)
            realm.create(TMPerson.self, value: ["id": 9, "name": "new"])
        } _: { a, b in
            let run = try Run.freehold("diff", a, b)
            expect(run.status == 1 && run.error == "", "\(run)")
            expect(
                run.output.contains("\n- TMPerson 3: name \"\", age 7, score 0.0, isActive false, best 3,"),
                "\(run)"
            )
            expect(
                run.output.hasPrefix("~ TMPerson 1: home ")
                    && run.output.contains("\n~ TMPerson 2: age null → 4, best 1 → null\n"),
                "\(run)"
            )
            expect(
                run.output.hasSuffix("+ TMPerson 9: name \"new\", score 0.0, isActive false, note \"\"\n"),
                "\(run)"
            )
            let back = try Run.freehold("diff", b, a, "--class", "TMPerson", "--format", "json")
            let kinds = try back.output.split(separator: "\n").map { line in
                try require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
            expectEqual(
                kinds.map { "\($0["change"]!) \($0["key"]!)" },
                ["modify 1", "modify 2", "delete 9", "insert 3"],
                "\(back)"
            )
            try expectEqual(Run.freehold("diff", a, b, "--class", "TMPet").status, 0)
            let quiet = try Run.freehold("diff", a, b, "-q")
            expect(quiet.status == 1 && quiet.output == "" && quiet.error == "", "\(quiet)")
        }
    }

    @Test func `objects without a key are compared by their content, each as often`() throws {
        try withFiles { realm in
            realm.create(TMPet.self, value: ["name": "Kim"])
            realm.create(TMPet.self, value: ["name": "Kim"])
        } _: { a, b in
            let run = try Run.freehold("diff", a, b)
            expect(run.status == 1 && run.output == "+ TMPet: name \"Kim\"\n+ TMPet: name \"Kim\"\n", "\(run)")
        }
        // Links between the objects are compared, too, also in a cycle.
        try withFiles { realm in
            let dog = realm.objects(TMPet.self).where { $0.name != "Mia" }.first!
            dog.friend = dog
        } _: { a, b in
            let run = try Run.freehold("diff", a, b, "--class", "TMPet")
            expect(run.status == 1 && run.output.split(separator: "\n").count == 4, "\(run)")
            expect(run.output.contains("+ TMPet: name \"Rex, \\\"the\\\" dog\", friend \"↑1\"\n"), "\(run)")
        }
    }

    @Test func `passes over a part of the contents at a time find the same`() throws {
        try withFolder { folder in
            var random = SeededRandom(test: "passes of a difference")
            let (a, b) = (folder + "/a.realm", folder + "/b.realm")
            var counts: [[Int]] = []
            for path in [a, b] {
                try ToolFile.write(path) { realm in
                    let names = (0..<300).map { _ in Int.random(in: 0..<40, using: &random) }
                    for name in names { realm.create(TMPet.self, value: ["name": "\(name)"]) }
                    counts.append((0..<40).map { name in names.filter { $0 == name }.count })
                }
            }
            let expected = zip(counts[0], counts[1]).reduce(0) { $0 + abs($1.0 - $1.1) }
            var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: a), readOnly: true)
            configuration.schema = Schema([])
            let first = try Realm(configuration: configuration)
            configuration.fileURL = URL(fileURLWithPath: b)
            let second = try Realm(configuration: configuration)
            let pets = try require(first.storedSchema["TMPet"])
            for size in [7, 100, 1000] {
                var found: [String] = []
                let output = DifferenceOutput(asJSON: false, isQuiet: false) { found.append($0) }
                try ContentComparison(
                    first,
                    of: pets,
                    and: second,
                    of: pets,
                    names: ["name"],
                    output: output,
                    objectsOfPass: size
                ).run()
                expect(found.count == expected && output.count == expected, "\(size) objects a pass")
                for (name, pair) in zip(counts[0], counts[1]).enumerated() {
                    let text = pair.0 > pair.1 ? "- TMPet: name \"\(name)\"" : "+ TMPet: name \"\(name)\""
                    expectEqual(found.filter { $0 == text }.count, abs(pair.0 - pair.1))
                }
            }
        }
    }

    @Test func `schemas are compared, and objects by what both have`() throws {
        try withFolder { folder in
            func make(_ name: String, _ schema: [ObjectSchema], version: UInt64, values: [[String: Any]]) throws
                -> String
            {
                let path = folder + "/" + name
                var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: path), schemaVersion: version)
                configuration.schema = Schema(schema)
                let realm = try Realm(configuration: configuration)
                try realm.write { for value in values { realm.dynamicCreate("Dog", value: value) } }
                return path
            }
            let a = try make(
                "a.realm",
                [
                    ObjectSchema(
                        "Dog",
                        properties: [
                            Property("id", .int, primaryKey: true), Property("age", .int), Property("name", .string),
                        ]
                    ),
                    ObjectSchema("Old", properties: [Property("x", .int)]),
                ],
                version: 1,
                values: [["id": 1, "age": 3, "name": "Rex"], ["id": 2, "age": 4, "name": "Tom"]]
            )
            let b = try make(
                "b.realm",
                [
                    ObjectSchema(
                        "Dog",
                        properties: [
                            Property("id", .int, primaryKey: true), Property("age", .double),
                            Property("name", .string, indexed: true), Property("tag", .string),
                        ]
                    ),
                    ObjectSchema("New", properties: [Property("x", .int)]),
                ],
                version: 2,
                values: [["id": 1, "age": 3.5, "name": "Rex"], ["id": 2, "age": 4.5, "name": "Tim"]]
            )
            let run = try Run.freehold("diff", a, b)
            expectEqual(
                run.output,
                """
                ~ schema: version: 1 → 2
                ~ schema: Dog.age: int → double
                ~ schema: Dog.name: string → string, indexed
                + schema: Dog.tag: string
                - schema: Old: a class of 1 property
                + schema: New: a class of 1 property
                ~ Dog 2: name "Tom" → "Tim"

                """,
                "\(run)"
            )
            let only = try Run.freehold("diff", a, b, "--schema-only", "--class", "Dog", "--format", "json")
            expect(only.status == 1 && only.output.split(separator: "\n").count == 3, "\(only)")
            expect(
                only.output.hasPrefix(
                    "{\"change\":\"modify\",\"schema\":\"Dog.age\",\"before\":\"int\",\"after\":\"double\"}\n"
                )
            )
        }
    }

    @Test func `what goes wrong is over 1`() throws {
        try withFolder { folder in
            let (a, text) = (folder + "/a.realm", folder + "/text.realm")
            try ToolFile.make(a)
            try Data("no database at all, but long enough to be looked at".utf8).write(to: URL(fileURLWithPath: text))
            for (arguments, status) in [
                ([a, folder + "/none.realm"], 66), ([a, text], 2), ([text, a], 2), ([a], 64),
                ([a, a, "--class", "X"], 65),
            ] as [([String], Int32)] {
                let run = try Run.freehold(["diff"] + arguments)
                expect(
                    run.status == status && run.output == ""
                        && run.error.hasPrefix(status == 64 ? "Error" : "freehold: "),
                    "\(arguments): \(run)"
                )
            }
        }
    }

    @Test(.enabled(if: ToolFile.canEncrypt, "the library is built without its trait Encryption"))
    func `encrypted files are compared with each other, and with plain ones`() throws {
        try withFolder { folder in
            let plain = folder + "/a.realm"
            try ToolFile.make(plain)
            for (name, factor) in [("b", 3), ("c", 5)] {
                let key = Data((0..<64).map { UInt8($0 * factor % 256) })
                try key.write(to: URL(fileURLWithPath: "\(folder)/\(name).key"))
                let line =
                    "\"$F\" export '\(plain)' | \"$F\" import '\(folder)/\(name).realm' --encryption-key-file '\(folder)/\(name).key'"
                try expectEqual(Run.shell(line).status, 0)
            }
            func diff(_ arguments: String...) throws -> Int32 {
                try Run.freehold(["diff"] + arguments.map { $0.hasPrefix("-") ? $0 : "\(folder)/\($0)" }).status
            }
            try expectEqual(diff("a.realm", "b.realm", "--encryption-key-file", "b.key"), 0)
            try expectEqual(diff("b.realm", "a.realm", "--encryption-key-file", "b.key"), 0)
            try expectEqual(
                diff("b.realm", "c.realm", "--encryption-key-file", "b.key", "--second-key-file", "c.key"),
                0
            )
            try expectEqual(diff("b.realm", "c.realm", "--encryption-key-file", "b.key"), 2)
        }
    }
}
