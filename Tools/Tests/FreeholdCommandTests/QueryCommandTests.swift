import Foundation
import Freehold
import Testing

struct QueryCommandTests {
    private func query(_ arguments: String..., check: (Run) throws -> Void) throws {
        try withFolder { folder in
            try ToolFile.make(folder + "/a.realm")
            let before = try ToolFile.bytes(folder + "/a.realm")
            try check(try Run.freehold(["query", folder + "/a.realm"] + arguments))
            try expectEqual(ToolFile.bytes(folder + "/a.realm"), before)
        }
    }

    @Test func `a table has aligned columns and no characters that move the cursor`() throws {
        try query("TMPerson", "--columns", "id,name,best.name,note") { run in
            expect(run.status == 0 && run.error == "")
            expectEqual(
                run.output,
                """
                id  name      best.name  note
                ──  ────────  ─────────  ──────────────────────────────────────────────
                 1  Ada       null       line\\nbreak,\\ttab \\u{1b}[31mred \\u{202e}turned
                 2  Bob 漢字  Ada
                 3

                """
            )
        }
    }

    #if os(Linux)
        @Test(arguments: [40, 72]) func `on a terminal a table is cut to its width`(columns: Int) throws {
            try withFolder { folder in
                try ToolFile.make(folder + "/a.realm")
                let sent = try Run.terminal(
                    columns: UInt16(columns),
                    "query",
                    folder + "/a.realm",
                    "TMPerson",
                    "--columns",
                    "id,name,money,note,token"
                )
                let lines = sent.split(whereSeparator: \.isNewline)
                expect(lines.count == 5 && lines[2].contains("…") && !sent.contains("\u{1B}"), "\(sent)")
                // Two characters of one name occupy two columns each.
                expect(lines.allSatisfy { $0.count <= columns } && lines[1].count == columns, "\(sent)")
            }
        }
    #endif

    @Test func `conditions, arguments, sorts and limits apply`() throws {
        try query("TMPerson", "age > $0", "--arg", "6", "--sort", "age:desc", "--columns", "id", "--format", "csv") {
            expect($0.output == "id\r\n1\r\n3\r\n" && $0.status == 0)
        }
        try query(
            "TMPerson",
            "--sort",
            "id:desc",
            "--offset",
            "1",
            "--limit",
            "1",
            "--format",
            "jsonl",
            "--columns",
            "id"
        ) {
            expectEqual($0.output, "{\"id\":2}\n")
        }
        try query(
            "TMPerson",
            "--sort",
            "isActive:desc",
            "--sort",
            "id:desc",
            "--columns",
            "id",
            "--columns",
            "isActive"
        ) {
            let rows = $0.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            let ids = rows.filter { $0.count == 2 && Int($0[0]) != nil }
            let expected = ids.sorted { a, b in a[1] != b[1] ? a[1] == "true" : Int(a[0])! > Int(b[0])! }
            expect($0.status == 0 && ids.count == 3, "\($0)")
            expectEqual(ids, expected)
            expectEqual(Set(ids.map { $0[1] }).count, 2, "both values are there")
        }
        try query("TMPerson", "age > 6", "--count") { expectEqual($0.output, "2\n") }
        try query("TMPerson", "name == 'Ada'", "--explain") {
            expect($0.output.hasPrefix("index on 'TMPerson.name'") && $0.output.contains("1 object"))
        }
    }

    @Test(
        arguments: [
            ("age == $0", ["36"], [1]), ("name == $0", ["Ada"], [1]), ("name == $0", ["5"], []),
            ("isActive == $0", ["true"], [1]), ("age == $0", ["null"], [2]), ("score == $0", ["1.5"], [1]),
            ("born < $0", ["1900-01-01T00:00:00Z"], [1]), ("money == $0", ["12345678901234567890.01"], [1]),
            ("token == $0", ["00000000-0000-0000-0000-00000000002a"], [1]),
            ("reference == $0", ["0123456789abcdef01234567"], [1]), ("any == $0", ["5"], [2]),
            ("any == $0", ["\"5\""], [1]), ("name == $0 AND age == $1", ["Ada", "36"], [1]),
            ("ANY tags == $0", ["x"], [1]), ("scores['a'] == %@", ["1"], [1]), ("age == $0", ["-1"], []),
            ("name BEGINSWITH $0", ["Bob 漢"], [2]),
        ] as [(String, [String], [Int])]
    )
    func `an argument is of the type that the property takes`(query: String, values: [String], found: [Int]) throws {
        try withFolder { folder in
            try ToolFile.make(folder + "/a.realm")
            let options = values.flatMap { ["--arg", $0] } + ["--format", "json", "--columns", "id"]
            let run = try Run.freehold(["query", folder + "/a.realm", "TMPerson", query] + options)
            let rows = try JSONDecoder().decode([[String: Int]].self, from: Data(run.output.utf8))
            expectEqual(rows.map { $0["id"]! }, found, "\(run)")
        }
    }

    @Test func `what is wrong is one line on standard error, and a code`() throws {
        let wrong: [([String], Int32, String)] = [
            (["TMPersn"], 65, "Did you mean TMPerson?"), (["TMPerson", "agee > 3"], 65, "Did you mean age?"),
            (["TMPerson", "age >"], 65, "^ at character"), (["TMPerson", "--columns", "id,nam"], 65, "'nam'"),
            (["TMPerson", "--columns", "pets.name"], 65, "isn't a link to one object"),
            (["TMPerson", "--sort", "nam"], 65, "nam"), (["TMPerson", "--sort", "name:up"], 64, "--sort"),
            (["TMPerson", "age > $1", "--arg", "3"], 65, "$1"), (["TMPerson", "--arg", "3"], 64, "--arg"),
            (["TMPerson", "--limit", "-1"], 64, "--limit"), (["TMPerson", "--format", "xml"], 64, "xml"),
            ([], 64, "class"),
        ]
        try withFolder { folder in
            try ToolFile.make(folder + "/a.realm")
            for (arguments, status, part) in wrong {
                let run = try Run.freehold(["query", folder + "/a.realm"] + arguments)
                expect(run.status == status && run.output == "" && run.error.contains(part), "\(arguments): \(run)")
            }
        }
    }

    @Test func `the end of a pipe ends the command quietly`() throws {
        try withFolder { folder in
            try ToolFile.make(folder + "/a.realm", people: 3000)
            let line = "\"$F\" query '\(folder)/a.realm' TMPerson --format csv | head -1; echo ${PIPESTATUS[0]}"
            let run = try Run.shell(line)
            expect(run.output.hasPrefix("id,name,") && run.output.hasSuffix("141\n") && run.error == "", "\(run)")
            // This also works if the signal is ignored.
            let ignored = try Run.shell("trap '' PIPE; \(line)")
            expect(ignored.output.hasSuffix("141\n") && ignored.error == "", "\(ignored)")
            // The version that the command held is released.
            expect(try Run.freehold("pins", folder + "/a.realm").output.hasPrefix("no process holds"))
        }
    }

    @Test func `a file is read while others write it, and in a folder that can't be written`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            let realm = try Realm(configuration: ToolFile.configuration(path))
            realm.beginWrite()
            realm.delete(realm.objects(TMPerson.self))
            try expectEqual(Run.freehold("query", path, "TMPerson", "--count").output, "3\n")
            try realm.commitWrite()
            try expectEqual(Run.freehold("query", path, "TMPerson", "--count").output, "0\n")
        }
    }
}
