import Foundation
import Freehold
import Testing

/// Tests of `import --infer`, of date formats and of CSV without a header.
struct InferenceCommandTests {
    /// Imports a text into a new file. The import may fail.
    private func infer(
        _ text: String,
        _ options: [String] = [],
        check: (Run, String) throws -> Void
    ) throws {
        try withFolder { folder in
            let path = folder + "/new.realm"
            try check(try Run.freehold(["import", path, "Thing", "--infer"] + options, input: Data(text.utf8)), path)
        }
    }

    /// Returns the inferred properties in the form of the schema's output.
    private func types(_ text: String, _ options: [String] = []) throws -> [String: String] {
        var found: [String: String] = [:]
        try infer(text, options) { run, path in
            guard run.status == 0 else { throw Run.Failure(description: "\(run)") }
            try expectEqual(Run.freehold("verify", path).status, 0)
            var className = ""
            for line in try Run.freehold("schema", path).output.split(separator: "\n") {
                if !line.hasPrefix(" ") {
                    className = String(line)
                    continue
                }
                let parts = line.split(separator: " ", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                found[className == "Thing" ? parts[0] : "\(className).\(parts[0])"] = parts[1]
            }
        }
        return found
    }

    @Test func `CSV's types are found in its fields`() throws {
        let csv = """
            id,whole,number,big,money,flag,day,moment,uuid,oid,zip,text,some,empty,list,object,mixed
            1,5,1.5,12345678901234567890,1.12345678901234567890,true,2024-05-31,2024-05-31T10:00:00+02:00,00000000-0000-0000-0000-00000000002a,0123456789abcdef01234567,01234,x,7,,"[1,2]","{""a"":1}",1
            2,-3,2,1,2,FALSE,1999-01-01,2024-05-31 10:00:00.5Z,00000000-0000-0000-0000-00000000002B,ABCDEF6789abcdef01234567,56789,"",,,[],"{""a"":null,""b"":""y""}",x
            """
        try expectEqual(
            types(csv, ["--format", "csv"]),
            [
                "id": "int, primary key", "whole": "int", "number": "double", "big": "decimal128",
                "money": "decimal128", "flag": "bool", "day": "date", "moment": "date",
                "uuid": "uuid", "oid": "object id", "zip": "string", "text": "string", "some": "int?",
                "empty": "string?", "list": "list of int", "object": "ThingObject",
                "ThingObject (embedded).a": "int?", "ThingObject (embedded).b": "string?", "mixed": "string",
            ]
        )
    }

    @Test func `JSON's types are found in its values`() throws {
        let json = """
            [{"_id": {"$oid": "0123456789abcdef01234567"}, "n": 1, "d": 1e2, "b": true, "s": "1", "when": "2024-05-31", "tags": ["a"], "home": {"city": "Rome", "at": {"x": 1.5}},
              "rooms": [{"no": 1}, {"no": 2, "name": "x"}], "any": 1, "deep": [[1]], "none": null, "maybe": [null, 1], "at": {"$date": "2024-05-31T00:00:00Z"}},
             {"_id": {"$oid": "ffffffffffffffffffffffff"}, "n": 2, "d": 1, "b": false, "s": "x", "when": "2024-06-01", "tags": [], "home": null, "rooms": [], "any": "x", "deep": [],
              "maybe": [], "at": {"$date": "2024-05-31T00:00:00Z"}}]
            """
        try expectEqual(
            types(json),
            [
                "_id": "object id, primary key", "n": "int", "d": "double", "b": "bool", "s": "string", "when": "date",
                "tags": "list of string", "home": "ThingHome",
                "ThingHome (embedded).city": "string", "ThingHome (embedded).at": "ThingHomeAt",
                "ThingHomeAt (embedded).x": "double", "rooms": "list of ThingRooms",
                "ThingRooms (embedded).no": "int", "ThingRooms (embedded).name": "string?", "any": "mixed",
                "deep": "mixed", "none": "mixed", "maybe": "list of int?", "at": "date",
            ]
        )
    }

    @Test func `decisions are reported, and the data are stored`() throws {
        try infer("id,name,zip\n1,Ada,01\n2,,02\n2,Bo,03\n", ["--format", "csv"]) { run, path in
            expect(run.status == 0 && run.output == "", "\(run)")
            expectEqual(
                run.error,
                """
                Thing: 3 objects
                  id    int                 no primary key: 2 occurs twice, the second time on line 4  1
                  name  string?  1 without                                                             Ada
                  zip   string              text, since numbers begin with 0 or +                      01
                \(path): 3 objects imported

                """,
                "\(run.error)"
            )
            let rows = try Run.freehold("query", path, "Thing", "--format", "csv").output
            expect(
                rows == "id,name,zip\r\n1,Ada,01\r\n2,,02\r\n2,Bo,03\r\n"
                    || rows == "id,name,zip\r\n1,Ada,\"01\"\r\n2,,\"02\"\r\n2,Bo,\"03\"\r\n",
                "\(rows)"
            )
        }
    }

    @Test func `a dry run prints a report, and creates nothing`() throws {
        try infer("{\"id\": \"a\", \"n\": 1}\n{\"id\": \"b\"}", ["--dry-run"]) { run, path in
            expect(
                run.output
                    == "Thing: 2 objects\n  id  string, primary key             \"a\"\n  n   int?                 1 without  1\n"
                    && run.error == "",
                "\(run.output)"
            )
            expect(!FileManager.default.fileExists(atPath: path))
        }
        try infer("{\"id\": \"a\", \"n\": 1}\n", ["--dry-run", "--json"]) { run, path in
            // The printed schema can be used for an import.
            try Data(run.output.utf8).write(to: URL(fileURLWithPath: path + ".json"))
            let imported = try Run.freehold(
                "import",
                path,
                "Thing",
                "--schema",
                path + ".json",
                input: Data("{\"id\": \"z\", \"n\": 5}".utf8)
            )
            expectEqual(imported.status, 0, "\(imported)")
        }
    }

    @Test func `a class is added to an existing file with other classes`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            let csv = Data("id,home\n1,\"{\"\"x\"\":1}\"\n".utf8)
            let run = try Run.freehold("import", path, "TM", "--infer", "--format", "csv", input: csv)
            expect(run.status == 0 && run.error.contains("TMHome2 (embedded)"), "\(run)")
            try expectEqual(Run.freehold("query", path, "TMPerson", "--count").output, "3\n")
            try expectEqual(Run.freehold("query", path, "TM", "home.x == 1", "--count").output, "1\n")
            // A program with the models can still open the file.
            try ToolFile.read(path) { expectEqual($0.objects(TMPerson.self).count, 3) }
            let again = try Run.freehold("import", path, "TM", "--infer", "--format", "csv", input: csv)
            expect(again.status == 65 && again.error.contains("without --infer"), "\(again)")
            try expectEqual(Run.freehold("import", path, "TM", "--format", "csv", input: csv).status, 0)
        }
    }

    @Test func `the primary key may be named, or none`() throws {
        try expectEqual(
            types("a,id\nx,1\ny,1\n", ["--format", "csv", "--primary-key", "a"])["a"],
            "string, primary key"
        )
        try expectEqual(types("{\"id\": 1}", ["--primary-key", "none"])["id"], "int")
        for (key, text, part) in [
            ("b", "a\n1\n", "no 'b'"), ("a", "a,b\n1,x\n1,y\n", "line 3: 'a' is 1 for the second time"),
            ("a", "a,b\n1,x\n,y\n", "missing"), ("a", "a\n1.5\n", "a key is an int"),
        ] {
            try infer(text, ["--format", "csv", "--primary-key", key]) { run, path in
                expect(run.status == 65 && run.error.contains(part), "\(run)")
                expect(!FileManager.default.fileExists(atPath: path))
            }
        }
    }

    @Test func `names that the library doesn't take become others`() throws {
        try infer("a.b,@c,[x],,a_b\n1,2,3,4,5\n", ["--format", "csv"]) { run, path in
            expect(run.status == 0 && run.error.contains("called 'a.b' in the data"), "\(run)")
            let rows = try Run.freehold("query", path, "Thing", "--format", "csv")
            expectEqual(rows.output, "a_b,_c,_x_,column4,a_b2\r\n1,2,3,4,5\r\n", "\(rows)")
        }
        let name = String(repeating: "n", count: 100)
        try infer("{\"a.b\": {\"c.d\": \"2024-05-31\"}, \"\(name)\": 1, \"é 漢\": 2}") { run, path in
            expectEqual(run.status, 0, "\(run)")
            let rows = try Run.freehold("query", path, "Thing", "--format", "jsonl")
            expectEqual(
                rows.output,
                "{\"a_b\":{\"c_d\":\"2024-05-31T00:00:00Z\"},\"\(name.prefix(63))\":1,\"é 漢\":2}\n",
                "\(rows)"
            )
        }
    }

    @Test func `an object of very many keys is a map`() throws {
        let members = (0..<500).map { "\"k\($0)\": \($0)" }.joined(separator: ", ")
        try expectEqual(types("{\"m\": {\(members)}}")["m"], "map of int")
        try expectEqual(types("{\"m\": {\(members), \"x\": \"y\"}}")["m"], "mixed")
        let many = (0..<3000).map { "\"k\($0)\": \($0)" }.joined(separator: ", ")
        try infer("{\(many)}") { run, path in
            expect(run.status == 65 && run.error.contains("2,000 different keys"), "\(run)")
        }
    }

    @Test func `a zero of another sign is imported over a zero`() throws {
        try infer(#"{"id": 1, "one": 0.0, "list": [0.0, 1.5]}"#) { run, path in
            expectEqual(run.status, 0, "\(run)")
            for (zero, json) in [("-0.0", "-0.0"), ("0.0", "0.0"), ("-0.0", "-0.0")] {
                let input = Data("{\"id\": 1, \"one\": \(zero), \"list\": [\(zero), 1.5]}".utf8)
                try expectEqual(Run.freehold("import", path, "Thing", input: input).status, 0)
                let shown = try Run.freehold("query", path, "Thing", "--format", "jsonl").output
                expectEqual(shown, "{\"id\":1,\"one\":\(json),\"list\":[\(json),1.5]}\n")
            }
        }
    }

    /// A JSON object whose keys are ids and whose values are similar objects.
    private static func table(_ count: Int) -> String {
        "{" + (0..<count).map { "\"k\($0)\": {\"name\": \"n\($0)\", \"size\": \($0)}" }.joined(separator: ",\n") + "}"
    }

    @Test func `an object of objects that are alike is a map of them`() throws {
        for count in [16, 150, 500] {
            try expectEqual(
                types("{\"m\": \(Self.table(count)), \"id\": 1}"),
                [
                    "m": "map of ThingM", "ThingM (embedded).name": "string", "ThingM (embedded).size": "int",
                    "id": "int, primary key",
                ]
            )
        }
        // A small number of objects, or objects with different keys, become properties.
        try expectEqual(types("{\"m\": \(Self.table(3))}")["m"], "ThingM")
        let different = (0..<20).map { "\"k\($0)\": {\"a\($0)\": 1, \"b\($0)\": 2}" }.joined(separator: ", ")
        try expectEqual(types("{\"m\": {\(different)}}")["m"], "ThingM")
        try infer("{\"m\": \(Self.table(150))}") { run, path in
            expect(run.error.contains("150 keys of objects that are alike"), "\(run)")
            let rows = try Run.freehold("query", path, "Thing", "--format", "json").output
            let found = try JSONSerialization.jsonObject(with: Data(rows.utf8)) as? [[String: [String: [String: Any]]]]
            expectEqual(found?.first?["m"]?.count, 150)
            expectEqual(found?.first?["m"]?["k7"]?["name"] as? String, "n7")
        }
    }

    @Test func `entries of an object become objects`() throws {
        try infer(Self.table(20), ["--dry-run"]) { run, _ in
            expect(run.error.contains("--entries id") && run.output.contains("k19"), "\(run)")
        }
        try infer("{\"a\": 1, \"b\": {\"c\": 2}}", ["--dry-run"]) { run, _ in expectEqual(run.error, "") }
        let many = (0..<3000).map { "\"k\($0)\": {\"n\": \($0)}" }.joined(separator: ", ")
        try infer("{\(many)}") { run, _ in expect(run.status == 65 && run.error.contains("--entries id"), "\(run)") }
        try infer("{\(many)}", ["--entries", "id"]) { run, path in
            expect(run.status == 0 && run.error.contains("3,000 objects") && !run.error.contains("--entries"), "\(run)")
            try expectEqual(Run.freehold("schema", path).output.contains("id  string, primary key"), true)
            let row = try Run.freehold("query", path, "Thing", "id == 'k2999'", "--format", "csv")
            expectEqual(row.output, "id,n\r\nk2999,2999\r\n", "\(row)")
            // A second import adds objects to the class.
            let more = Data("{\"new\": {\"n\": 7}}\n{\"newer\": {\"n\": 8}}".utf8)
            let again = try Run.freehold("import", path, "Thing", "--entries", "id", input: more)
            expectEqual(again.status, 0, "\(again)")
            try expectEqual(Run.freehold("query", path, "Thing", "id BEGINSWITH 'new'", "--count").output, "2\n")
        }
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            let numbers = Data("{\"71\": {\"name\": \"x\"}}".utf8)
            let run = try Run.freehold("import", path, "TMPerson", "--entries", "id", input: numbers)
            expectEqual(run.status, 0, "\(run)")
            try expectEqual(
                Run.freehold("query", path, "TMPerson", "id == 71 AND name == 'x'", "--count").output,
                "1\n"
            )
        }
        for (text, part) in [
            ("[{\"a\": 1}]", "an object of entries"), ("{\"a\": 1}", "line 1: \"a\" leads to 1"),
            ("{\n\"a\": {\"id\": 1}}", "line 2: \"a\" has a key 'id' already"), ("{\"a\": {}", "the text ends"),
            ("{}", "no objects"), ("{\"a\": {}} x", "an object of entries"),
            ("{\"a\": {},}", "a key in quotation marks"),
        ] {
            try infer(text, ["--entries", "id"]) { run, _ in
                expect(run.status == 65 && run.error.contains(part), "\(text): \(run)")
            }
        }
        try infer("id\n1\n", ["--entries", "id", "--format", "csv"]) { run, _ in expectEqual(run.status, 64) }
    }

    @Test func `a delimiter is found in the first line, and fields that lack at the end are padded`() throws {
        for (text, options, found) in [
            ("a;b\n1;x\n", [], ["a": "int", "b": "string"]), ("a\tb\n1\tx\n", [], ["a": "int", "b": "string"]),
            ("\"a,c\";b\n1;x\n", [], ["a,c": "int", "b": "string"]),
            ("a;b\n1;x\n", ["--delimiter", ","], ["a;b": "string"]),
            ("a,b;c;d\n1,x\n", [], ["a": "int", "b;c;d": "string"]),
            ("a,b,c\n1,x,2\n2\n3,y\n", ["--pad"], ["a": "int", "b": "string?", "c": "int?"]),
            ("1;2\n3\n", ["--no-header", "--columns", "a,b", "--pad"], ["a": "int", "b": "int?"]),
            ("1;2\n3\n", ["--no-header"], ["column1": "string"]),
        ] {
            try expectEqual(types(text, ["--format", "csv"] + options), found, "\(text)")
        }
        try infer("a,b;c;d\n1,x\n", ["--format", "csv"]) { run, _ in
            expect(run.error.contains("--delimiter ';'"), "\(run)")
        }
        for (text, part) in [("a,b\n1\n", "--pad"), ("a,b\n1,2,3\n", "3 fields and 2 columns")] {
            try infer(text, ["--format", "csv"]) { run, _ in
                expect(run.status == 65 && run.error.contains(part), "\(run)")
                expectEqual(run.error.contains("--pad"), part == "--pad")
            }
        }
        try infer("a,b\n1,2,3\n", ["--format", "csv", "--pad"]) { run, _ in expectEqual(run.status, 65) }
        try infer("{\"a\": 1}", ["--pad"]) { run, _ in
            expect(run.status == 64 && run.error.contains("--pad"), "\(run)")
        }
    }

    @Test func `the list says why a column of other values is text`() throws {
        for (values, part) in [
            (["true", "\"\"", "false"], "1 value is blank and not empty; else bool?"),
            (["true", " ", "\t"], "2 values are blank and not empty; else bool?"),
            (["1", "\" \""], "else int?"), (["1", "x"], "text, since values are of several types"),
            (["true", ""], ""), (["x", "\"\""], ""), (["x", "y"], ""),
        ] {
            let rows = values.map { "1,\($0)\n" }.joined()
            try infer("a,b\n" + rows, ["--format", "csv", "--dry-run"]) { run, _ in
                let line = run.output.split(separator: "\n").first { $0.hasPrefix("  b") } ?? ""
                expect(part.isEmpty ? !line.contains("since") : line.contains(part), "\(values): \(run.output)")
            }
        }
    }

    @Test(
        arguments: [
            ("", "csv", "line 1: there is no header"), ("a,b\n", "csv", "no objects"),
            ("a,b\n1\n", "csv", "line 2: there are 1 field and 2 columns"), ("a,a\n1,2\n", "csv", "twice"),
            ("a\n\"x", "csv", "line 2: the text ends"), ("", "json", "no objects"), ("[]", "json", "no objects"),
            ("5", "json", "line 1: 5 stands where an object"),
            ("{\"a\": 1}\n{\"a\": }", "json", "line 2"), ("[{\"a\": 1},\n{\"a\": 1]", "json", "line 2"),
            ("{\"a\": 1, \"a\": 2}", "json", "twice"), ("[{}] x", "json", "follows the array"),
            ("{\"a\": 01}", "json", "isn't a JSON number"), ("{\"a\": \"\\ud800\"}", "json", "surrogate"),
            (String(repeating: "[", count: 100_000), "json", "nested"),
            ("{\"a\": \"x\u{1}\"}", "json", "control character"),
        ]
    )
    func `data that are none make nothing`(text: String, format: String, part: String) throws {
        try infer(text, ["--format", format]) { run, path in
            expect(run.status == 65 && run.error.contains(part) && !run.wasSignalled, "\(run)")
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            expectEqual(names, [])
        }
    }

    @Test func `values are stored as they were, whatever they are`() throws {
        var random = SeededRandom(test: "inferred values")
        for _ in 0..<4 {
            let pools: [[String]] = [
                ["1", "-7", "9223372036854775807"], ["1", "2.5", "1e300"], ["true", "false"],
                ["x", "\"q\"", "漢,字", "line\nbreak", "1"], ["2024-05-31", "1999-01-01T00:00:00Z"],
                ["12345678901234567890", "1"], ["00000000-0000-0000-0000-00000000002a"], ["", "5"],
            ]
            let columns = pools.shuffled(using: &random)
            let rows = (0..<50).map { _ in columns.map { $0.randomElement(using: &random)! } }
            func field(_ text: String) -> String {
                text.isEmpty
                    ? ""
                    : text.contains(where: { ",\"\n".contains($0) })
                        ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
            }
            let head = columns.indices.map { "c\($0)" }.joined(separator: ",")
            let csv = ([head] + rows.map { $0.map(field).joined(separator: ",") }).joined(separator: "\n")
            try infer(csv, ["--format", "csv"]) { run, path in
                expectEqual(run.status, 0, "\(run)")
                let out = try Run.freehold("query", path, "Thing", "--format", "json")
                let found = try require(
                    try JSONSerialization.jsonObject(with: Data(out.output.utf8)) as? [[String: Any]]
                )
                expectEqual(found.count, rows.count)
                for (row, object) in zip(rows, found) {
                    for (i, text) in row.enumerated() where columns[i].contains("漢,字") {
                        expectEqual(object["c\(i)"] as? String, text)
                    }
                }
                try expectEqual(Run.freehold("verify", path).status, 0)
            }
        }
    }

    @Test(arguments: ["INT", "TERM"])
    func `a signal leaves neither a file nor a copy of the input`(signal: String) throws {
        try withFolder { folder in
            let script = """
                set -m; cd '\(folder)'; mkdir tmp; export TMPDIR="$PWD/tmp"; mkfifo in
                "$F" import new.realm Thing --infer < in & pid=$!
                exec 3> in; for i in $(seq 1000); do echo "{\\"id\\": $i}"; done >&3
                sleep 0.3; kill -\(signal) $pid
                for i in $(seq 600); do kill -0 $pid 2> /dev/null || break; sleep 0.02; done
                exec 3>&-; wait $pid; echo $(($? > 128)); ls; ls tmp
                """
            let run = try Run.shell(script)
            expectEqual(run.output, "1\nin\ntmp\n", "\(run)")
        }
    }

    // MARK: Dates

    @Test func `dates are read as they are written`() throws {
        let csv = "id,at\n1,31.12.2023 23:30\n2,2024-01-01\n3,\n"
        try infer(csv, ["--format", "csv", "--date-format", "dd.MM.yyyy HH:mm", "--time-zone", "Europe/Paris"]) {
            run,
            path in
            let rows = try Run.freehold("query", path, "Thing", "--format", "csv", "--columns", "at")
            expectEqual(rows.output, "at\r\n2023-12-31T22:30:00Z\r\n2024-01-01T00:00:00Z\r\n\r\n", "\(run) \(rows)")
            let more = Data("[{\"id\": 4, \"at\": \"01.02.2024 00:00\"}, {\"id\": 5, \"at\": null}]".utf8)
            let json = try Run.freehold("import", path, "Thing", "--date-format", "dd.MM.yyyy HH:mm", input: more)
            expectEqual(json.status, 0, "\(json)")
            try expectEqual(
                Run.freehold("query", path, "Thing", "id == 4", "--columns", "at", "--format", "csv").output,
                "at\r\n2024-02-01T00:00:00Z\r\n"
            )
            let wrong = try Run.freehold(
                "import",
                path,
                "Thing",
                "--date-format",
                "dd.MM.yyyy",
                input: Data("{\"id\": 6}\n{\"id\": 7, \"at\": \"x\"}".utf8)
            )
            expect(wrong.status == 65 && wrong.error.contains("line 2: at: \"x\" is none of the dates"), "\(wrong)")
            let field = try Run.freehold(
                "import",
                path,
                "Thing",
                "--format",
                "csv",
                "--date-format",
                "dd.MM.yyyy",
                input: Data("id,at\n8,1/2/03\n".utf8)
            )
            expect(
                field.status == 65 && field.error.contains("line 2, column 'at'")
                    && field.error.contains("'dd.MM.yyyy'"),
                "\(field)"
            )
            let late = try Run.freehold(
                "import",
                path,
                "Thing",
                "--date-format",
                "dd.MM.yyyy",
                input: Data("{\"id\": 9}\n\n{\"id\": \"x\"}".utf8)
            )
            expect(late.status == 65 && late.error.contains("line 3, object 2, id"), "\(late)")
        }
    }

    @Test func `numbers are moments where the options say so`() throws {
        for (format, number) in [("seconds", "1717113600.5"), ("milliseconds", "1717113600500")] {
            for (text, options) in [
                ("id,at,n\n1,\(number),5\n", ["--format", "csv"]), ("{\"id\": 1, \"at\": \(number), \"n\": 5}", []),
            ] {
                try infer(text, options + ["--date-format", format]) { run, path in
                    let rows = try Run.freehold("query", path, "Thing", "--format", "csv")
                    expectEqual(rows.output, "id,at,n\r\n1,2024-05-31T00:00:00.5Z,5\r\n", "\(run) \(rows)")
                }
            }
        }
    }

    // MARK: Headers

    @Test func `CSV without a header has its columns named, or numbered`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            let rows = Data("50,x,Ann,7\r\n51,x,Ben,\r\n".utf8)
            let arguments = ["import", path, "TMPerson", "--format", "csv", "--no-header"]
            let run = try Run.freehold(arguments + ["--columns", "id,,name,age"], input: rows)
            expectEqual(run.status, 0, "\(run)")
            let found = try Run.freehold(
                "query",
                path,
                "TMPerson",
                "id >= 50",
                "--columns",
                "id,name,age",
                "--format",
                "csv"
            )
            expectEqual(found.output, "id,name,age\r\n50,Ann,7\r\n51,Ben,\r\n")
            // A header with other names is ignored.
            let other = try Run.freehold(
                ["import", path, "TMPerson", "--format", "csv", "--columns", "id,name"],
                input: Data("Nummer,Name\n60,Cid\n".utf8)
            )
            expectEqual(other.status, 0, "\(other)")
            for (options, status, part) in [
                ([], 64, "--columns"), (["--columns", "id,nam"], 65, "Did you mean name?"),
                (["--columns", "id,id"], 64, "twice"), (["--columns", "id,name"], 65, "4 fields and 2 columns"),
                (["--columns", ","], 64, "no column"),
            ] as [([String], Int32, String)] {
                let wrong = try Run.freehold(arguments + options, input: rows)
                expect(wrong.status == status && wrong.error.contains(part), "\(options): \(wrong)")
            }
        }
        try expectEqual(
            types("1,x\n2,y\n", ["--format", "csv", "--no-header"]),
            ["column1": "int", "column2": "string"]
        )
        try expectEqual(
            types("1,x,z\n2,y,z\n", ["--format", "csv", "--no-header", "--columns", "id,name,"]),
            [
                "id": "int, primary key", "name": "string",
            ]
        )
    }

    @Test func `options without a meaning are reported`() throws {
        for options in [
            ["Thing", "--infer", "--schema", "x"], ["--infer"], ["Thing", "--primary-key", "id"],
            ["Thing", "--infer", "--ignore-unknown"], ["Thing", "--dry-run"],
            ["Thing", "--infer", "--json"], ["Thing", "--date-format", "qq"], ["Thing", "--time-zone", "UTC"],
            ["Thing", "--time-zone", "Nowhere", "--date-format", "yyyy"],
            ["Thing", "--infer", "--no-header"], ["--date-format", "yyyy"],
            ["Thing", "--date-format", "seconds", "--date-format", "milliseconds"],
        ] {
            try withFolder { folder in
                let run = try Run.freehold(["import", folder + "/new.realm"] + options, input: Data("{}".utf8))
                expect(run.status == 64 && run.output == "", "\(options): \(run)")
                try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder), [])
            }
        }
    }
}
