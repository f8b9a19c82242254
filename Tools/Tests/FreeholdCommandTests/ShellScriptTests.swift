import Foundation
import Freehold
import Testing

/// Tests of `freehold shell` with a script on a pipe.
struct ShellScriptTests {
    private func shell(_ script: String, _ options: [String] = [], check: (Run, String) throws -> Void) throws {
        try withFolder { folder in
            try ToolFile.make(folder + "/a.realm")
            let text = script.replacing("$D", with: folder)
            try check(try Run.freehold(["shell", folder + "/a.realm"] + options, input: Data(text.utf8)), folder)
        }
    }

    @Test func `lines are queries, commands and comments`() throws {
        let script = """
            # People
            .format csv
            .columns id,name

            TMPerson id > 1 SORT(id DESC)
            TMPerson SORT(name ASC) \\
                LIMIT(1)
            .print --- it's
            .format jsonl
            'TMPerson' name == "Ada"
            query TMPerson 'id < 3' --group-by isActive --count --sort count:desc
            .count TMPet
            .quit
            .print never
            """
        try shell(script) { run, _ in
            expectEqual(
                run.output,
                "id,name\r\n3,\"\"\r\n2,Bob 漢字\r\nid,name\r\n3,\"\"\r\n--- it's\n{\"id\":1,\"name\":\"Ada\"}\n"
                    + "{\"isActive\":false,\"count\":1}\n{\"isActive\":true,\"count\":1}\n{\"count\":2}\n"
            )
            expect(run.status == 0 && run.error == "", "\(run)")
        }
    }

    @Test func `the shell describes the file and itself`() throws {
        let script = """
            .help
            .help set
            .classes
            .schema TMPet
            .count
            .explain TMPerson name == 'Ada'
            .explain on
            .explain
            .format
            .columns
            .info
            .exit
            """
        try shell(script) { run, folder in
            expect(run.status == 0 && run.error == "", "\(run)")
            for part in [
                ".output [FILE [--force]]", "--dry-run", "TMHome (embedded)", "  friend  TMPet\n",
                "index on 'TMPerson.name'", "\non\n", "\ntable\n", "\nall\n",
                "Schema version  3",
            ] {
                expect(run.output.contains(part), "\(part) in \(run.output)")
            }
        }
    }

    @Test func `the first error ends a script, with its line and code`() throws {
        let wrong: [(String, Int32, String)] = [
            (".print x\nTMPersn\n.print y", 65, "line 2: there is no class 'TMPersn'"),
            (".print x\nTMPerson age >\n.print y", 65, "line 2: "),
            (".print x\n.hlep\n.print y", 64, "Did you mean help?"),
            (".print x\n.format xml\n.print y", 64, "no format 'xml'"),
            (".print x\nset TMPerson 'id == 1' age=1\n.print y", 64, "--write"),
            (".print x\n.read $D/none\n.print y", 66, "no such file"),
            (".print x\nquery TMPerson --lmit 3\n.print y", 64, "--lmit"),
            (".print x\nset TMPerson 'id\n.print y", 65, "isn't closed"),
            (".print x\n.output $D/a.realm\n.print y", 73, "already"), (".print x\n.read\n.print y", 64, "one file"),
        ]
        for (script, status, part) in wrong {
            try shell(script) { run, _ in
                expect(run.output == "x\n" && run.status == status && run.error.contains(part), "\(script): \(run)")
                expect(run.error.hasPrefix("freehold: line 2: "), "\(run)")
            }
            try shell(script, ["--keep-going"]) { run, _ in
                expect(run.output == "x\ny\n" && run.status == status && run.error.contains(part), "\(script): \(run)")
            }
        }
    }

    @Test func `edits of a script stand, line by line`() throws {
        let script = """
            create TMPerson {"id": 7, "name": "a b"} {"id": 8}
            create TMPerson id=9 'name=c d'
            set TMPerson 'id >= 7' age=1 --dry-run
            set TMPerson 'id >= $0' --arg 7 age=2
            delete TMPerson id == 8
            delete TMPerson 'id == 9'
            TMPerson id > 3
            """
        try shell(".format jsonl\n.columns id,name,age\n" + script, ["--write"]) { run, folder in
            expect(
                run.output.hasSuffix("{\"id\":7,\"name\":\"a b\",\"age\":2}\n") && run.output.contains("age null → 1"),
                "\(run)"
            )
            expect(
                run.status == 0 && run.error.contains("2 objects created")
                    && run.error.contains("3 objects found, 3 changed"),
                "\(run)"
            )
            let refused = try Run.freehold(
                "shell",
                folder + "/a.realm",
                "--write",
                input: Data("delete TMPerson\n.print x".utf8)
            )
            expect(refused.status == 64 && refused.error.contains("--yes") && refused.output == "", "\(refused)")
        }
    }

    @Test func `files are read and written`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            try Data(".format csv\n.columns id\nTMPerson\n".utf8).write(to: URL(fileURLWithPath: folder + "/in.txt"))
            try Data(".read \(folder)/loop.txt\n".utf8).write(to: URL(fileURLWithPath: folder + "/loop.txt"))
            let script =
                ".output \(folder)/out.csv\n.read \(folder)/in.txt\n.output\n.print done\n.output \(folder)/out.csv --force\n.print again"
            let run = try Run.freehold("shell", path, input: Data(script.utf8))
            expect(run.status == 0 && run.output == "done\n", "\(run)")
            try expectEqual(String(contentsOfFile: folder + "/out.csv", encoding: .utf8), "again\n")
            let loop = try Run.freehold("shell", path, input: Data(".read \(folder)/loop.txt".utf8))
            expect(loop.status == 64 && loop.error.contains("read each other"), "\(loop)")
            // An output that isn't complete when the script fails isn't stored.
            let failed = try Run.freehold(
                "shell",
                path,
                input: Data(".output \(folder)/bad.csv\nTMPerson\nTMNone\n".utf8)
            )
            expectEqual(failed.status, 65, "\(failed)")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            expectEqual(names, ["a.realm", "a.realm-lock", "a.realm.writer", "in.txt", "loop.txt", "out.csv"])
        }
    }

    @Test func `each line sees what others have committed`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            let line = """
                cd '\(folder)'; mkfifo in; "$F" shell a.realm < in > out & exec 3> in
                echo '.count TMPet' >&3; for i in $(seq 600); do [ -s out ] && break; sleep 0.02; done
                "$F" create a.realm TMPet name=new 2> /dev/null; echo '.count TMPet' >&3; exec 3>&-; wait; cat out
                """
            try expectEqual(Run.shell(line).output, "2\n3\n")
        }
    }

    @Test func `a script that isn't text, or is very long, is refused`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            let bytes = Data(".print x\n".utf8) + Data([0xFF, 0xFE, 0x0A]) + Data(".print y\n".utf8)
            let run = try Run.freehold("shell", path, input: bytes)
            expect(
                run.status == 65 && run.output == "x\n" && run.error.contains("line 2: these bytes aren't UTF-8"),
                "\(run)"
            )
            let long = try Run.freehold(
                "shell",
                path,
                input: Data("TMPerson ".utf8) + Data(repeating: 0x28, count: 200_000)
            )
            expect(long.status == 65 && !long.wasSignalled, "\(long.error.prefix(200))")
            try expectEqual(Run.freehold("shell", path, input: Data()).output, "")
            try expectEqual(Run.freehold("shell", folder + "/none.realm", input: Data()).status, 66)
        }
    }

    @Test func `the end of a pipe ends the shell quietly`() throws {
        try withFolder { folder in
            try ToolFile.make(folder + "/a.realm", people: 5000)
            let line = "yes TMPerson | head -20 | \"$F\" shell '\(folder)/a.realm' | head -1; echo ${PIPESTATUS[2]}"
            let run = try Run.shell(line)
            expect(run.output.hasSuffix("141\n") && run.error == "", "\(run)")
        }
    }

    @Test(.enabled(if: ToolFile.canEncrypt, "the library is built without its trait Encryption"))
    func `an encrypted file is opened with its key`() throws {
        try withFolder { folder in
            let (path, keyFile) = (folder + "/a.realm", folder + "/key")
            let key = Data((0..<64).map { UInt8($0 * 3) })
            try key.write(to: URL(fileURLWithPath: keyFile))
            do {
                var configuration = ToolFile.configuration(path)
                configuration.encryptionKey = key
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.create(TMPerson.self, value: ["id": 1]) }
            }
            let script = Data("create TMPerson id=2\n.count TMPerson\n".utf8)
            let run = try Run.freehold("shell", path, "--write", "--encryption-key-file", keyFile, input: script)
            expect(run.status == 0 && run.output == "2\n", "\(run)")
            try expectEqual(Run.freehold("shell", path, input: script).status, 1)
        }
    }
}
