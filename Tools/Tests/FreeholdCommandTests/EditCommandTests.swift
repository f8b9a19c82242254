import Foundation
import Freehold
import Testing

/// Tests of `set` and `create`, and of the rules for all edits.
struct EditCommandTests {
    private func withFile(_ body: (String) throws -> Void) throws {
        try withFolder { folder in
            try ToolFile.make(folder + "/a.realm")
            try body(folder + "/a.realm")
        }
    }

    private func person(_ path: String, _ id: Int, check: (TMPerson) throws -> Void) throws {
        try ToolFile.read(path) { try check(try require($0.object(ofType: TMPerson.self, forPrimaryKey: id))) }
    }

    // MARK: Setting

    @Test func `values are read by the properties' types`() throws {
        try withFile { path in
            let run = try Run.freehold(
                "set",
                path,
                "TMPerson",
                "id == 2",
                "name=Bo = Li 漢字",
                "age=-7",
                "born=1815-12-10T00:00:00.5Z",
                "score=1e3",
                "money=1.10",
                "isActive=TRUE",
                "picture=AAH/",
                "token=00000000-0000-0000-0000-00000000002a",
                "reference=0123456789ABCDEF01234567",
                "best=3",
                "home={\"street\": \"S\", \"city\": \"Paris\"}",
                "tags=[\"b\", \"a\", \"b\"]",
                "scores={\"x\": 1, \"y\": -2}",
                "any={\"list\": [1, 2.5, null], \"when\": {\"$date\": \"2024-05-31\"}}",
                "note="
            )
            expect(
                run.status == 0 && run.output == "" && run.error == "\(path): 1 object found, 1 changed\n",
                "\(run)"
            )
            try person(path, 2) { bo in
                expect(
                    bo.name == "Bo = Li 漢字" && bo.age == -7 && bo.score == 1000 && bo.money == "1.10" && bo.isActive
                )
                expect(bo.born == Date(timeIntervalSince1970: -4_861_727_999.5) && bo.picture == Data([0, 1, 255]))
                expect(
                    bo.token?.uuidString.hasSuffix("2A") == true
                        && bo.reference?.stringValue == "0123456789abcdef01234567"
                )
                expect(bo.best?.id == 3 && bo.home?.city == "Paris" && Array(bo.tags) == ["a", "b"] && bo.note == "")
                expect(bo.scores["y"] == -2 && bo.any.dictionaryValue?["list"]?.listValue?[1] == .double(2.5))
                expectEqual(bo.any.dictionaryValue?["when"]?.dateValue, Date(timeIntervalSince1970: 1_717_113_600))
            }
            try expectEqual(Run.freehold("verify", path).status, 0)
        }
    }

    @Test func `null is null if the property permits it, and text if it is quoted or only text is possible`() throws {
        try withFile { path in
            let run = try Run.freehold(
                "set",
                path,
                "TMPerson",
                "id == 1",
                "age=null",
                "born=null",
                "home=null",
                "best=null",
                "tags=null",
                "any=null",
                "name=null",
                "note=\"null\""
            )
            expectEqual(run.status, 0, "\(run)")
            try person(path, 1) { ada in
                expect(ada.age == nil && ada.born == nil && ada.home == nil && ada.tags.isEmpty && ada.any == .none)
                expect(ada.name == "null" && ada.note == "null")
            }
        }
    }

    @Test func `a dot leads into an embedded object, which is made where there is none`() throws {
        try withFile { path in
            try expectEqual(Run.freehold("set", path, "TMPerson", "TRUEPREDICATE", "home.city=Rome").status, 0)
            try ToolFile.read(path) { realm in
                expectEqual(realm.objects(TMPerson.self).map { $0.home?.city }, ["Rome", "Rome", "Rome"])
                expectEqual(realm.object(ofType: TMPerson.self, forPrimaryKey: 1)?.home?.street, "St. James's Square")
                expectEqual(realm.dynamicObjects("TMHome").count, 3)
            }
        }
    }

    @Test func `what has the value already isn't changed, and is counted apart`() throws {
        try withFile { path in
            let run = try Run.freehold("set", path, "TMPerson", "id > $0", "--arg", "1", "age=7")
            expectEqual(run.error, "\(path): 2 objects found, 1 changed\n", "\(run)")
            // The query selects objects in the state before the edit. Objects that the edit changes so that they no
            // longer match are still set.
            let all = try Run.freehold("set", path, "TMPerson", "age == 7", "age=8")
            expect(all.error.contains("2 objects found, 2 changed"), "\(all)")
            let none = try Run.freehold("set", path, "TMPerson", "id > 99", "age=8")
            expect(none.status == 0 && none.error.contains("0 objects found, 0 changed"), "\(none)")
        }
    }

    @Test func `a dry run shows what would change, and changes nothing`() throws {
        try withFile { path in
            let before = try ToolFile.bytes(path)
            let text = try Run.freehold("set", path, "TMPerson", "id <= 2", "age=36", "name=A\"\u{1B}[2J", "--dry-run")
            expectEqual(
                text.output,
                """
                ~ TMPerson 1: name "Ada" → "A\\"\\u001b[2J"
                ~ TMPerson 2: age null → 36, name "Bob 漢字" → "A\\"\\u001b[2J"

                """,
                "\(text)"
            )
            expectEqual(text.error, "\(path): 2 objects found, 2 would change\n")
            let json = try Run.freehold("set", path, "TMPet", "name == 'Mia'", "name=Tom", "--dry-run", "--json")
            expectEqual(
                json.output,
                "{\"change\":\"modify\",\"class\":\"TMPet\",\"position\":0,\"before\":{\"name\":\"Mia\"},\"after\":{\"name\":\"Tom\"}}\n",
                "\(json)"
            )
            try expectEqual(ToolFile.bytes(path), before)
        }
    }

    @Test(
        arguments: [
            (["TMPersn", "id == 1", "age=1"], 65, "Did you mean TMPerson?"),
            (["TMPerson", "idd == 1", "age=1"], 65, "Did you mean id?"),
            (["TMPerson", "id == 1", "agee=1"], 65, "Did you mean age?"),
            (["TMPerson", "id == 1", "age=old"], 65, "age: a whole number of 64 bits is expected, not 'old'"),
            (["TMPerson", "id == 1", "age=1.5"], 65, "a whole number"),
            (["TMPerson", "id == 1", "age=99999999999999999999"], 65, "a whole number"),
            (["TMPerson", "id == 1", "isActive=maybe"], 65, "true or false"),
            (["TMPerson", "id == 1", "isActive=null"], 65, "true or false"),
            (["TMPerson", "id == 1", "born=yesterday"], 65, "a date of ISO 8601"),
            (["TMPerson", "id == 1", "born=2024-02-30"], 65, "a date"),
            (["TMPerson", "id == 1", "score="], 65, "a number is expected, not nothing"),
            (["TMPerson", "id == 1", "score=1e999"], 65, "a number"),
            (["TMPerson", "id == 1", "picture=%%"], 65, "base64"), (["TMPerson", "id == 1", "token=x"], 65, "a UUID"),
            (["TMPerson", "id == 1", "reference=12"], 65, "24 hexadecimal digits"),
            (["TMPerson", "id == 1", "best=99"], 65, "no TMPerson with the primary key '99'"),
            (["TMPerson", "id == 1", "best=x"], 65, "a whole number"),
            (["TMPerson", "id == 1", "pets=[1]"], 65, "no primary key"),
            (["TMPerson", "id == 1", "tags=x"], 65, "[…]"),
            (["TMPerson", "id == 1", "tags=[1]"], 65, "text is expected, not '1'"),
            (["TMPerson", "id == 1", "tags=[\"x\""], 65, "isn't JSON"),
            (["TMPerson", "id == 1", "scores={\"a.b\": 1}"], 65, "a.b"),
            (["TMPerson", "id == 1", "home={\"stret\": \"x\"}"], 65, "no property 'stret'"),
            (["TMPerson", "id == 1", "home.stret=x"], 65, "Did you mean street?"),
            (["TMPerson", "id == 1", "best.name=x"], 65, "isn't an embedded object"),
            (["TMPerson", "id == 1", "id=9"], 65, "primary key"),
            (["TMPerson", "id == 1", "age=1", "age=2"], 65, "twice"), (["TMPerson", "age=1"], 64, "property=value"),
            (["TMPerson", "id == 1", "age"], 64, "'age' isn't an assignment"),
            (["TMPerson", "id == 1", "age==1"], 64, "isn't an assignment"),
            (["TMPerson", "id == 1", "age=1", "--json"], 64, "--dry-run"),
        ] as [([String], Int32, String)]
    )
    func `an invalid change is reported, and changes nothing`(arguments: [String], status: Int32, part: String) throws {
        try withFile { path in
            let before = try ToolFile.bytes(path)
            let run = try Run.freehold(["set", path] + arguments)
            expect(run.status == status && run.output == "" && run.error.contains(part), "\(arguments): \(run)")
            expect(try run.wasSignalled == false && ToolFile.bytes(path) == before)
        }
    }

    // MARK: Creating

    @Test func `objects are made of JSON, of assignments, and of what is piped in`() throws {
        try withFile { path in
            let json = try Run.freehold(
                "create",
                path,
                "TMPerson",
                "{\"id\": 10, \"name\": \"x\", \"pets\": [{\"name\": \"Kim\"}]}",
                "[{\"id\": 11}, {\"id\": 12}]"
            )
            expect(json.status == 0 && json.error == "\(path): 3 objects created\n", "\(json)")
            let words = try Run.freehold(
                "create",
                path,
                "TMPerson",
                "id=13",
                "name=null",
                "age=null",
                "best=10",
                "tags=[\"t\"]"
            )
            expectEqual(words.status, 0, "\(words)")
            let piped = try Run.freehold(
                "create",
                path,
                "TMPet",
                input: Data("{\"name\": \"a\"}\n{\"name\": \"b\"}".utf8)
            )
            expect(piped.error.contains("2 objects created"), "\(piped)")
            try person(path, 13) {
                expect($0.name == "null" && $0.age == nil && $0.best?.id == 10 && Array($0.tags) == ["t"])
            }
            try ToolFile.read(path) { realm in
                expect(
                    realm.objects(TMPerson.self).count == 7
                        && realm.objects(TMPet.self).map(\.name).suffix(3) == ["Kim", "a", "b"]
                )
            }
            let update = try Run.freehold(
                "create",
                path,
                "TMPerson",
                "--update",
                "modified",
                "{\"id\": 10, \"age\": 3}",
                "{\"id\": 14}"
            )
            expect(update.error.contains("1 object created, 1 updated"), "\(update)")
            try person(path, 10) { expect($0.name == "x" && $0.age == 3) }
        }
    }

    @Test func `a dry run shows the objects that would be made`() throws {
        try withFile { path in
            let before = try ToolFile.bytes(path)
            let run = try Run.freehold(
                "create",
                path,
                "TMPet",
                "{\"name\": \"Kim\"}",
                "{\"name\": \"Tom\"}",
                "--dry-run"
            )
            expect(
                run.output == "+ TMPet: name \"Kim\"\n+ TMPet: name \"Tom\"\n"
                    && run.error.contains("2 objects would be created"),
                "\(run)"
            )
            let json = try Run.freehold("create", path, "TMPet", "name=Kim", "--dry-run", "--json")
            expectEqual(
                json.output,
                "{\"change\":\"insert\",\"class\":\"TMPet\",\"object\":{\"name\":\"Kim\",\"friend\":null}}\n",
                "\(json)"
            )
            try expectEqual(ToolFile.bytes(path), before)
        }
    }

    @Test(
        arguments: [
            (["TMPerson", "{\"id\": 1}"], "", 65, "--update modified"),
            (["TMPerson", "{\"id\": 20}", "{\"id\": 21, \"age\": \"x\"}"], "", 65, "object 2: line 1"),
            (["TMPerson", "{\"id\": 20}", "{\"id\": 20}"], "", 65, "object 2"),
            (["TMPerson", "{\"name\": \"x\"}"], "", 65, "primary key is missing"),
            (["TMPerson", "name=x"], "", 65, "primary key is missing"),
            (["TMPerson", "{\"id\": 20, \"x\": 1}"], "", 65, "no property"),
            (["TMPerson", "{\"id\": 20"], "", 65, "ends"),
            (["TMPerson", "5"], "", 65, "object"), (["TMPerson", "id=20", "{}"], "", 64, "together"),
            (["TMPerson", "id=20", "id=21"], "", 65, "twice"),
            (["TMHome", "{}"], "", 65, "embedded"), (["TMNone", "{}"], "", 65, "no class 'TMNone'"),
            (["TMPerson"], "{\"id\": 20}\n{\"id\": x}", 65, "line 2"),
        ] as [([String], String, Int32, String)]
    )
    func `a creation that is wrong makes nothing`(arguments: [String], input: String, status: Int32, part: String)
        throws
    {
        try withFile { path in
            let run = try Run.freehold(["create", path] + arguments, input: Data(input.utf8))
            expect(run.status == status && run.error.contains(part) && !run.wasSignalled, "\(arguments): \(run)")
            try expectEqual(Run.freehold("query", path, "TMPerson", "--count").output, "3\n")
        }
    }

    // MARK: Files

    @Test func `missing files, and files of other formats, stay as they are`() throws {
        try withFolder { folder in
            try Data("no database at all, but long enough to be looked at".utf8).write(
                to: URL(fileURLWithPath: folder + "/text.realm")
            )
            for arguments in [
                ["set", "", "A", "x == 1", "x=1"], ["create", "", "A", "{}"], ["delete", "", "A", "--yes"],
                ["create", "", "A"],
            ] {
                func on(_ name: String) throws -> Run {
                    var arguments = arguments
                    arguments[1] = folder + name
                    return try Run.freehold(arguments)
                }
                expect(
                    try on("/none.realm").status == 66 && on("").status == 66 && on("/text.realm").status == 1,
                    "\(arguments)"
                )
            }
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("none") }, [])
        }
    }

    @Test(.enabled(if: ToolFile.canEncrypt, "the library is built without its trait Encryption"))
    func `an encrypted file is edited with its key`() throws {
        try withFolder { folder in
            let (path, keyFile) = (folder + "/a.realm", folder + "/key")
            let key = Data((0..<64).map { UInt8($0 * 3) })
            try key.write(to: URL(fileURLWithPath: keyFile))
            do {
                var configuration = ToolFile.configuration(path)
                configuration.encryptionKey = key
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.create(TMPerson.self, value: ["id": 1, "name": "secret"]) }
            }
            let option = ["--encryption-key-file", keyFile]
            try expectEqual(Run.freehold("set", path, "TMPerson", "id == 1", "age=1").status, 1)
            try expectEqual(Run.freehold(["set", path, "TMPerson", "id == 1", "age=1"] + option).status, 0)
            try expectEqual(Run.freehold(["create", path, "TMPerson", "id=2"] + option).status, 0)
            try expectEqual(Run.freehold(["delete", path, "TMPerson", "name == 'secret'"] + option).status, 0)
            try expectEqual(Run.freehold(["query", path, "TMPerson", "--count"] + option).output, "1\n")
        }
    }

    @Test(arguments: ["INT", "TERM", "HUP"])
    func `a signal in the middle leaves the file as it was`(signal: String) throws {
        try withFile { path in
            let before = try ToolFile.bytes(path)
            let script = """
                set -m; cd "$(dirname '\(path)')"; mkfifo in
                "$F" create a.realm TMPerson < in & pid=$!
                exec 3> in; for i in $(seq 100 1000); do echo "{\\"id\\": $i}"; done >&3
                for i in $(seq 1500); do [ -e a.realm-lock ] && break; sleep 0.02; done
                sleep 0.3; kill -\(signal) $pid
                for i in $(seq 600); do kill -0 $pid 2> /dev/null || break; sleep 0.02; done
                exec 3>&-; wait $pid; echo $(($? > 128)); ls
                """
            let run = try Run.shell(script)
            expectEqual(run.output, "1\na.realm\na.realm-lock\na.realm.writer\nin\n", "\(run)")
            expect(
                try ToolFile.bytes(path) == before && Run.freehold("query", path, "TMPerson", "--count").output == "3\n"
            )
        }
    }

    @Test func `many objects are edited in one transaction`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path, people: 5_000)
            let run = try Run.freehold("set", path, "TMPerson", "age < 50", "score=2.5", "name=x")
            expect(run.error.contains("2,500 objects found, 2,500 changed"), "\(run)")
            let dry = try Run.shell(
                "\"$F\" set '\(path)' TMPerson 'age < 50' score=3 --dry-run | head -2; echo ${PIPESTATUS[0]}"
            )
            expect(
                dry.output.hasPrefix("~ TMPerson 0: score 2.5 → 3.0\n") && dry.output.hasSuffix("141\n")
                    || dry.output.hasSuffix("0\n"),
                "\(dry)"
            )
            expect(
                try Run.freehold("delete", path, "TMPerson", "score == 2.5").error.contains("2,500 objects deleted")
            )
            try expectEqual(Run.freehold("verify", path).status, 0)
        }
    }

    @Test func `closed descriptors of a process don't let texts into the file`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            for (index, closed) in ["<&- >&- 2>&-", "<&-", ">&-", "2>&-", "<&- 2>&-"].enumerated() {
                let run = try Run.shell(
                    """
                    "$F" set '\(path)' TMPerson 'id == 1' note=new\(index) \(closed)
                    "$F" query '\(path)' TMPerson 'id == 1' --columns note --format csv && "$F" verify '\(path)' > /dev/null
                    """
                )
                expect(run.status == 0 && run.output.contains("new\(index)"), "\(closed): \(run)")
            }
        }
    }
}
