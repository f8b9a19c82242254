import Foundation
import Freehold
import Testing

struct ExportImportCommandTests {
    private func contents(_ path: String) throws -> [String] {
        try ToolFile.read(path) { realm in
            let pets = Array(realm.objects(TMPet.self))
            func text(_ pet: TMPet?) -> String { pet.map { "\(pets.firstIndex(of: $0)!)" } ?? "-" }
            return pets.map { "\($0.name) \(text($0.friend))" }
                + realm.objects(TMPerson.self).map { person in
                    let any = person.any.object(TMPet.self).map { "pet \(text($0))" } ?? "\(person.any)"
                    return "\(person.id) \(person.name) \(person.age ?? -1) \(person.born?.timeIntervalSince1970 ?? 0) "
                        + "\(person.score) \(person.money?.stringValue ?? "-") \(person.isActive) "
                        + "\(person.picture.map { Array($0) } ?? []) \(person.token?.uuidString ?? "-") "
                        + "\(person.reference?.stringValue ?? "-") \(person.home?.street ?? "-") "
                        + "\(person.home?.city ?? "-") \(person.best?.id ?? 0) \(person.pets.map { text($0) }) "
                        + "\(person.tags.sorted()) \(person.scores.keys.sorted()) \(any) \(person.note)"
                }
        }
    }

    @Test func `a whole file goes through a pipe into an equal one`() throws {
        try withFolder { folder in
            try ToolFile.make(folder + "/a.realm")
            let run = try Run.shell("\"$F\" export '\(folder)/a.realm' | \"$F\" import '\(folder)/b.realm'")
            expect(run.status == 0 && run.error.contains("5 objects imported"), "\(run)")
            try expectEqual(contents(folder + "/b.realm"), contents(folder + "/a.realm"))
            try expectEqual(Run.freehold("verify", folder + "/b.realm").status, 0)
            let again = try Run.freehold("import", folder + "/b.realm", input: Data("{}".utf8))
            expect(again.status == 73 && again.error.contains("new file"), "\(again)")
        }
    }

    @Test(arguments: ["csv", "json", "jsonl"])
    func `a class goes out and comes back in every format`(format: String) throws {
        try withFolder { folder in
            let (a, b, data, schema) = (
                folder + "/a.realm", folder + "/b.realm", folder + "/people." + format, folder + "/s.json"
            )
            try ToolFile.make(a)
            // Pets have no primary key, so they are written as nested objects. These two link to each other.
            try ToolFile.write(a) { realm in
                realm.delete(realm.objects(TMPet.self))
                realm.object(ofType: TMPerson.self, forPrimaryKey: 3)!.any = .bool(true)
            }
            try expectEqual(Run.freehold("export", a, "TMPerson", "--format", format, "-o", data).status, 0)
            let json = try Run.freehold("schema", a, "--format", "json")
            try Data(json.output.utf8).write(to: URL(fileURLWithPath: schema))
            let run = try Run.freehold("import", b, "TMPerson", "--schema", schema, "--input", data)
            expect(run.status == 0 && run.error.contains("3 objects imported"), "\(run)")
            try expectEqual(contents(b), contents(a))
            // A second import changes nothing, or is refused.
            try expectEqual(Run.freehold("import", b, "TMPerson", "-i", data).status, 0)
            try expectEqual(contents(b), contents(a))
            let refused = try Run.freehold("import", b, "TMPerson", "-i", data, "--update", "error")
            expect(refused.status == 65 && refused.error.contains("primary key"), "\(refused)")
        }
    }

    @Test func `CSV is written by the standard`() throws {
        try withFolder { folder in
            try ToolFile.make(folder + "/a.realm")
            let run = try Run.freehold(
                "export",
                folder + "/a.realm",
                "TMPerson",
                "--format",
                "csv",
                "--columns",
                "id,name,age,any,pets,home,note"
            )
            expect(
                run.output == "id,name,age,any,pets,home,note\r\n"
                    + "1,Ada,36,\"5\",\"[{\"\"name\"\":\"\"Mia\"\",\"\"friend\"\":{\"\"name\"\":\"\"Rex, \\\"\"the\\\"\" dog\"\","
                    + "\"\"friend\"\":null}}]\",,\"\"\r\n" || run.status == 65,
                "\(run)"
            )
            expect(run.status == 65 && run.error.contains("leads back"), "circles of objects without keys: \(run)")
            let plain = try Run.freehold(
                "export",
                folder + "/a.realm",
                "TMPerson",
                "--format",
                "csv",
                "--columns",
                "id,name,age,home,tags,note"
            )
            let lines = [
                "id,name,age,home,tags,note",
                "1,Ada,36,\"{\"\"street\"\":\"\"St. James's Square\"\",\"\"city\"\":null}\",\"[\"\"x\"\",\"\"y\"\"]\","
                    + "\"line\nbreak,\ttab \u{1B}[31mred \u{202E}turned\"",
                "2,Bob 漢字,,,\"[]\",\"\"", "3,\"\",7,,\"[]\",\"\"", "",
            ]
            expectEqual(plain.output, lines.joined(separator: "\r\n"), "\(plain.output)")
        }
    }

    @Test func `CSV is read with its quotation marks, nulls and types`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            try ToolFile.write(path) { $0.delete($0.objects(TMPerson.self)) }
            let text =
                "\u{FEFF}id,name,age,isActive,born,best,tags,scores,any,home,money,score\r\n"
                + "10,\"a \"\"b\"\",\nc\",,1,2020-02-29T12:30:00Z,11,\"[\"\"t\"\"]\",\"{\"\"k\"\":1}\",5,"
                + "\"{\"\"street\"\":\"\"S\"\"}\",1.10,1e3\r\n\r\n"
                + "11,\"\",5,false,,,,,\"5\",,,-0.5"
            let run = try Run.freehold("import", path, "TMPerson", "--format", "csv", input: Data(text.utf8))
            expectEqual(run.status, 0, "\(run)")
            try ToolFile.read(path) { realm in
                let first = try require(realm.object(ofType: TMPerson.self, forPrimaryKey: 10))
                let second = try require(realm.object(ofType: TMPerson.self, forPrimaryKey: 11))
                expect(first.name == "a \"b\",\nc" && first.age == nil && first.isActive && first.best == second)
                expect(first.born == Date(timeIntervalSince1970: 1_582_979_400) && Array(first.tags) == ["t"])
                expect(first.scores["k"] == 1 && first.any == .int(5) && first.home?.street == "S")
                expect(first.money == "1.10" && first.score == 1000 && second.score == -0.5)
                expect(second.name == "" && second.age == 5 && second.any == .string("5") && second.born == nil)
            }
        }
    }

    @Test func `an invalid import stores nothing and reports the line`() throws {
        let head = "id,name,age\n20,x,1\n"
        let wrong: [(String, String)] = [
            ("", "line 1: there is no header"),
            ("id,nam\n", "line 1: TMPerson has no property 'nam'. Did you mean name?"),
            ("id,id\n", "twice"), (head + "21,\"y\n", "line 3: the text ends inside"),
            (head + "21,\"multi\nline\",2\n22,z\n", "line 5: there are 2 fields and 3 columns"),
            (head + "21,a\"b,2\n", "line 3: a quotation mark"), (head + "21,\"a\"b,2\n", "line 3: something follows"),
            (head + "21,\"multi\nline\",2\n22,z,old\n", "line 5, column 'age': \"old\" is given where a whole number"),
            (head + ",y,2\n", "line 3, column 'id': the field is empty"), (head + "20.5,y,2\n", "line 3, column 'id'"),
            (head + "21,a\rb,2\n", "line 3: a carriage return"),
        ]
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            for (text, part) in wrong {
                let run = try Run.freehold("import", path, "TMPerson", "--format", "csv", input: Data(text.utf8))
                expect(run.status == 65 && run.error.contains(part) && run.output == "", "\(text): \(run)")
                try expectEqual(Run.freehold("query", path, "TMPerson", "--count").output, "3\n")
            }
            let bytes = Data(head.utf8) + Data([0x32, 0x31, 0x2C, 0xFF, 0x2C, 0x32])
            try expectEqual(Run.freehold("import", path, "TMPerson", "--format", "csv", input: bytes).status, 65)
            let json = try Run.freehold(
                "import",
                path,
                "TMPerson",
                input: Data("{\"id\": 20}\n{\"id\": 21, \"age\": \"x\"}".utf8)
            )
            expect(json.status == 65 && json.error.contains("line 2, column 19, object 2, age"), "\(json)")
            let unknown = Data("{\"id\": 20, \"nam\": 1}".utf8)
            try expectEqual(Run.freehold("import", path, "TMPerson", input: unknown).status, 65)
            try expectEqual(Run.freehold("import", path, "TMPerson", "--ignore-unknown", input: unknown).status, 0)
        }
    }

    @Test func `batches that were stored before an error stay`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            let rows = (100..<110).map { "\($0),n" } + ["x,n"]
            let text = Data(("id,name\n" + rows.joined(separator: "\n")).utf8)
            let run = try Run.freehold("import", path, "TMPerson", "--format", "csv", "--batch", "4", input: text)
            expect(
                run.status == 65 && run.error.contains("line 12") && run.error.contains("8 objects of batches"),
                "\(run)"
            )
            try expectEqual(Run.freehold("query", path, "TMPerson", "--count").output, "11\n")
        }
    }

    @Test(arguments: ["x,n", "200", "200,\"n", "200,a\rb"])
    func `of a new file, too, batches that were stored stay`(wrong: String) throws {
        try withFolder { folder in
            let (path, schema) = (folder + "/b.realm", folder + "/s.json")
            try ToolFile.make(folder + "/a.realm")
            let json = try Run.freehold("schema", folder + "/a.realm", "--format", "json")
            try Data(json.output.utf8).write(to: URL(fileURLWithPath: schema))
            let rows = (100..<110).map { "\($0),n" } + [wrong, "201,n"]
            let text = Data(("id,name\n" + rows.joined(separator: "\n")).utf8)
            let arguments = ["import", path, "TMPerson", "--format", "csv", "--schema", schema]
            let none = try Run.freehold(arguments, input: text)
            expect(none.status == 65 && none.error.contains("line 12") && !none.error.contains("stored"), "\(none)")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            expectEqual(names, ["a.realm", "a.realm-lock", "a.realm.writer", "s.json"])
            let run = try Run.freehold(arguments + ["--batch", "4"], input: text)
            expect(
                run.status == 65 && run.error.contains("line 12") && run.error.contains("8 objects of batches"),
                "\(run)"
            )
            try expectEqual(Run.freehold("query", path, "TMPerson", "--count").output, "8\n")
        }
    }

    @Test func `a header may begin with any character`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            for (i, mark) in ["", "\u{FEFF}"].enumerated() {
                let text = Data("\(mark)ＩＤ,id,name\nx,5\(i),n".utf8)
                let arguments = ["import", path, "TMPerson", "--format", "csv"]
                let unknown = try Run.freehold(arguments, input: text)
                expect(unknown.status == 65 && unknown.error.contains("no property 'ＩＤ'"), "\(unknown)")
                let run = try Run.freehold(arguments + ["--ignore-unknown"], input: text)
                expectEqual(run.status, 0, "\(run)")
            }
            let count = try Run.freehold("query", path, "TMPerson", "id BETWEEN {50, 51}", "--count")
            expectEqual(count.output, "2\n", "\(count)")
            for start: [UInt8] in [[0xEF], [0xEF, 0xBB], [0xEF, 0xBB, 0x2C]] {
                let run = try Run.freehold("import", path, "TMPerson", "--format", "csv", input: Data(start))
                expect(run.status == 65 && run.error.contains("aren't UTF-8"), "\(start): \(run)")
            }
        }
    }

    @Test func `an output file appears when it is complete, and none is replaced untold`() throws {
        try withFolder { folder in
            let (path, out) = (folder + "/a.realm", folder + "/out.json")
            try ToolFile.make(path)
            try expectEqual(Run.freehold("export", path, "-o", out).status, 0)
            let refused = try Run.freehold("export", path, "-o", out)
            expect(refused.status == 73 && refused.error.contains("--force"))
            try expectEqual(Run.freehold("export", path, "-o", out, "--force").status, 0)
            try expectEqual(Run.freehold("export", path, "-o", folder + "/none/out.json").status, 73)
            let failed = try Run.freehold("export", path, "TMPet", "-o", folder + "/pets.json")
            expect(failed.status == 65 && failed.error.contains("leads back"))
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            expectEqual(names, ["a.realm", "a.realm-lock", "a.realm.writer", "out.json"])
        }
    }
}
