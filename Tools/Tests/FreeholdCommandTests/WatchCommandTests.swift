import Foundation
import Freehold
import Testing

/// Tests of `watch`, with commits while the command runs.
struct WatchCommandTests {
    /// Runs `watch` until it reports that it watches, then runs some lines of a shell, and waits for the end of
    /// `watch`.
    ///
    /// - Parameter end: A line of the shell that ends `watch`. `$pid` is the id of its process.
    /// - Returns: The output, followed by the exit code.
    private func watch(_ options: String, then lines: String, end: String = ":", people: Int? = nil) throws -> Run {
        try withFolder { folder in
            let path = folder + "/a.realm"
            if let people { try ToolFile.make(path, people: people) } else { try ToolFile.make(path) }
            let script = """
                set -m; cd '\(folder)'
                "$F" watch a.realm \(options) > out 2> err & pid=$!
                for i in $(seq 1200); do grep -q watching err && break; sleep 0.02; done
                quiet() { "$F" "$@" 2> /dev/null; }
                # Until the watch has told of so many lines.
                told() { for i in $(seq 1200); do [ $(wc -l < out) -ge $1 ] && break; sleep 0.02; done; }
                \(lines)
                \(end)
                wait $pid; echo "code $?" >> out; cat out; cat err >&2; ls
                "$F" pins a.realm
                """
            return try Run.shell(script)
        }
    }

    @Test func `changes of other processes are printed as they are committed`() throws {
        let run = try watch(
            "TMPerson --count 6",
            then: """
                quiet create a.realm TMPerson id=7 'name=N "q"'; told 1
                quiet set a.realm TMPerson 'id == 7' age=5 home.city=Rome; told 2
                quiet set a.realm TMPerson 'id <= 2' score=9; told 4
                quiet delete a.realm TMPerson 'id == 7'; told 5
                quiet set a.realm TMPet 'name == "Mia"' name=Tom
                quiet set a.realm TMPerson 'id == 1' home.city=Paris
                """
        )
        let lines = run.output.split(separator: "\n").map(String.init)
        expectEqual(
            Array(lines.prefix(7)),
            [
                "+ TMPerson 7: name \"N \\\"q\\\"\", score 0.0, isActive false, note \"\"",
                "~ TMPerson 7: age null → 5, home null → {\"street\":\"\",\"city\":\"Rome\"}",
                "~ TMPerson 1: score 1.5 → 9.0",
                "~ TMPerson 2: score 0.0 → 9.0",
                "- TMPerson 7: name \"N \\\"q\\\"\", age 5, score 0.0, isActive false, home {\"street\":\"\",\"city\":\"Rome\"}, note \"\"",
                "~ TMPerson 1: home {\"street\":\"St. James's Square\",\"city\":null} → {\"street\":\"St. James's Square\",\"city\":\"Paris\"}",
                "code 0",
            ],
            "\(run)"
        )
        expect(
            run.error.contains("a.realm: watching TMPerson from version ") && run.output.contains("no process holds"),
            "\(run)"
        )
    }

    @Test func `with a condition objects come and go as they meet it`() throws {
        let run = try watch(
            "TMPerson 'age > $0 SORT(age ASC)' --arg 30 --format json --count 3",
            then: """
                quiet set a.realm TMPerson 'id == 2' age=31; told 1
                quiet set a.realm TMPerson 'id == 2' age=99; told 2
                quiet set a.realm TMPerson 'id == 3' age=8
                quiet set a.realm TMPerson 'id == 1' age=3
                """
        )
        let lines = run.output.split(separator: "\n").filter { $0.hasPrefix("{") }.map(String.init)
        expectEqual(lines.count, 3, "\(run)")
        expectEqual(
            lines.first?.contains("\"change\":\"insert\",\"class\":\"TMPerson\",\"key\":2,\"object\":{\"id\":2,"),
            true,
            "\(run)"
        )
        // The object has another position in the order, but it is the same object.
        expectEqual(
            lines.dropFirst().first?.hasSuffix("\"before\":{\"age\":31},\"after\":{\"age\":99}}"),
            true,
            "\(run)"
        )
        expectEqual(lines.last?.contains("\"change\":\"delete\",\"class\":\"TMPerson\",\"key\":1,"), true, "\(run)")
        for line in lines {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            expect(object?["version"] is NSNumber)
        }
    }

    @Test(arguments: ["INT", "TERM", "HUP"])
    func `a signal ends it cleanly`(signal: String) throws {
        let run = try watch("TMPet", then: "quiet create a.realm TMPet name=x; told 1", end: "kill -\(signal) $pid")
        expect(
            run.output.hasPrefix("+ TMPet: name \"x\"\ncode 0\n") && run.output.contains("no process holds"),
            "\(run)"
        )
        expect(run.output.contains("a.realm\na.realm-lock\na.realm.writer\nerr\nout\n"), "\(run)")
    }

    @Test func `the timeout ends it, and too few changes are reported`() throws {
        let over = try watch("TMPet --timeout 0.2", then: "")
        expect(over.output.hasPrefix("code 0\n"), "\(over)")
        let few = try watch("TMPet --timeout 2 --count 2", then: "quiet create a.realm TMPet name=x")
        expect(
            few.output.contains("code 75\n") && few.error.contains("1 change of 2 came within 2.0 seconds"),
            "\(few)"
        )
    }

    @Test func `many changes of one commit are all printed`() throws {
        let run = try watch(
            "TMPerson --count 3000",
            then: "quiet set a.realm TMPerson TRUEPREDICATE score=1",
            people: 3000
        )
        let lines = run.output.split(separator: "\n").filter {
            $0.hasPrefix("~ TMPerson ") && $0.hasSuffix(": score 0.0 → 1.0")
        }
        expect(lines.count == 3000 && run.output.contains("code 0\n"))
    }

    @Test func `invalid arguments are reported at once`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            let wrong: [([String], Int32, String)] = [
                (["TMPersn"], 65, "Did you mean TMPerson?"), (["TMPerson", "agee > 1"], 65, "Did you mean age?"),
                (["TMPerson", "--count", "0"], 64, "--count"),
                (["TMPerson", "--timeout=nan"], 64, "--timeout"), (["TMPerson", "--timeout=-1"], 64, "--timeout"),
                (["TMPerson", "--arg", "1"], 64, "--arg"),
                (["TMPerson", "age > $0"], 65, "--arg"), ([], 64, "class"),
            ]
            for (arguments, status, part) in wrong {
                let run = try Run.freehold(["watch", path] + arguments)
                expect(
                    run.status == status && run.error.contains(part) && !run.error.contains("watching"),
                    "\(arguments): \(run)"
                )
            }
            try expectEqual(Run.freehold("watch", folder + "/none.realm", "A").status, 66)
        }
    }

    @Test(.enabled(if: ToolFile.canEncrypt, "the library is built without its trait Encryption"))
    func `an encrypted file is watched with its key`() throws {
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
            let run = try Run.freehold("watch", path, "TMPerson", "--encryption-key-file", keyFile, "--timeout", "0.1")
            expect(run.status == 0 && run.error.contains("watching"), "\(run)")
            try expectEqual(Run.freehold("watch", path, "TMPerson", "--timeout", "0.1").status, 1)
        }
    }
}
