import Foundation
import FreeholdBSON
import Testing

@testable import FreeholdServer

/// The commands `transfer`, `user import`, `hook`, `provider` and `push` in a shell.
@Suite(.timeLimit(.minutes(20)), .enabled(if: ServerProcess.isBuilt, "freehold-server isn't built"))
struct TransferCommandTests {
    private let folder: TestFolder
    private static let (ann, bob) = ("5f0000000000000000000001", "5f0000000000000000000002")

    init() throws {
        folder = try ServerProcess.folder()
        try ProjectFolder.write(to: folder.path + "/backend")
        let dump = folder.path + "/dump/pharmacy"
        try FileManager.default.createDirectory(atPath: dump, withIntermediateDirectories: true)
        try write(
            "dump/pharmacy/deliveries.json",
            (1...40).map { number in
                #"{"_id": {"$oid": "\#(Self.key(number))"}, "driver_id": "\#(Self.ann)", "due": {"$date": "2024-05-01T10:00:00Z"}, "#
                    + #""patient": {"$oid": "\#(Self.key(100 + number % 2))"}, "stops": ["a", "b"], "address": {"street": "Main \#(number)"}}"#
            }
        )
        try write(
            "dump/pharmacy/patients.json",
            (100...101).map { #"{"_id": {"$oid": "\#(Self.key($0))"}, "name": "Patient \#($0)"}"# }
        )
        try write(
            "dump/pharmacy/staff.json",
            [#"{"_id": {"$oid": "5f00000000000000000000f1"}, "user_id": "\#(Self.ann)", "role": "dispatcher"}"#]
        )
        let hash = "$2b$04$abcdefghijklmnopqrstuunJ0u00SLiuoTA7qEltWZhxMUdJFZu5q"
        try write(
            "users.jsonl",
            [
                #"{"_id": "\#(Self.ann)", "identities": [{"provider_type": "local-userpass", "email": "ann@example.org", "password_hash": "\#(hash)"}]}"#,
                #"{"_id": "\#(Self.bob)", "identities": [{"provider_type": "oauth2-google", "id": "1084"}]}"#,
            ]
        )
        try "a secret of hooks".write(toFile: folder.path + "/hook.secret", atomically: true, encoding: .utf8)
    }

    private static func key(_ number: Int) -> String { "6400000000000000" + String(format: "%08x", number) }

    private func write(_ name: String, _ lines: [String]) throws {
        let text = lines.joined(separator: "\n") + "\n"
        try text.write(toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
    }

    @discardableResult
    private func run(_ arguments: String...) throws -> (status: Int32, output: String) {
        try ServerProcess.run(arguments.map { $0 == "F" ? folder.path : $0 }, takesErrors: true)
    }

    private func transfer(_ flags: String...) throws -> (status: Int32, output: String) {
        let (project, dump, users) = (folder.path + "/backend", folder.path + "/dump", folder.path + "/users.jsonl")
        let arguments = ["transfer", folder.path, project, "--app", "pharmacy", "--documents", dump, "--users", users]
        return try ServerProcess.run(arguments + flags, takesErrors: true)
    }

    private func exported(_ name: String) throws -> [String] {
        let output = try run("export", "F", "pharmacy", "--class", name).output
        return output.split(separator: "\n").map(String.init).sorted()
    }

    /// Logs the first user in.
    private func login(_ server: ServerProcess) async throws -> AccountProbe.Answer {
        let body = #"{"username": "ann@example.org", "password": "a long password"}"#
        let lines = [
            "POST /api/client/v2.0/app/pharmacy/auth/providers/local-userpass/login HTTP/1.1", "Host: 127.0.0.1",
            "Content-Length: \(body.utf8.count)",
        ]
        let answer = try await RawConnection.ask(lines, Array(body.utf8), port: server.port)
        return try AccountProbe.answer(Array(answer.text.utf8))
    }

    @Test func `a dry run reads everything and writes nothing`() throws {
        let dry = try transfer("--dry-run")
        #expect(dry.status == 0, "\(dry.output)")
        #expect(dry.output.contains("Delivery: 40 documents: 40 would be created"))
        #expect(dry.output.contains("Patient: 2 documents: 2 would be created"))
        #expect(dry.output.contains("2 users: 2 would be created"))
        #expect(dry.output.contains("log-in: id tokens of oauth2-google for 1234.apps.example"))
        #expect(dry.output.hasSuffix("Nothing was written.\n"))
        #expect(try run("app", "list", "F").output.contains("No app keeps accounts"))
    }

    @Test func `an app moves in with its users, their ids, their data and its documents`() async throws {
        let done = try transfer()
        #expect(done.status == 0, "\(done.output)")
        #expect(done.output.hasSuffix("The app pharmacy is open.\n"))
        #expect(try exported("Delivery").count == 40)
        #expect(try exported("Delivery").allSatisfy { $0.contains(#""address":{"street":"Main "#) })
        let users = try run("user", "list", "F", "pharmacy").output
        #expect(
            users.contains("\(Self.ann)\tenabled\tann@example.org")
                && users.contains("\(Self.bob)\tenabled\toauth2-google")
        )
        #expect(try run("rules", "check", "F", "pharmacy", "--user", Self.ann).output.contains("dispatcher"))
        let server = try ServerProcess(folder.path)
        let login = try await login(server)
        #expect(login["user_id"] == Self.ann)
        await server.end(SIGTERM)
        // The app is open: another transfer would overwrite the work of its users.
        let again = try transfer()
        #expect(again.status == 64)
        #expect(again.output.contains("--again"))
        let forced = try transfer("--again")
        #expect(forced.status == 0, "\(forced.output)")
        #expect(forced.output.contains("Delivery: 40 documents: 0 created, 0 changed, 40 as they were"))
        #expect(forced.output.contains("2 users: 0 created, 0 changed, 2 as they were"))
    }

    @Test func `an app that is kept closed refuses log-ins until the end`() async throws {
        let closed = try transfer("--keep-closed")
        #expect(closed.status == 0, "\(closed.output)")
        let server = try ServerProcess(folder.path)
        let refused = try await login(server)
        #expect(refused.status == 503)
        #expect(refused.code == "MaintenanceInProgress")
        // A later dump has another document.
        try write("dump/pharmacy/patients.json", [#"{"_id": {"$oid": "\#(Self.key(7))"}, "name": "New"}"#])
        let done = try transfer()
        #expect(done.status == 0, "\(done.output)")
        #expect(try exported("Patient").count == 3)
        while try await login(server).status != 200 { try await Task.sleep(for: .milliseconds(100)) }
        await server.end(SIGTERM)
    }

    @Test func `an app stays closed if documents were left out, unless that is accepted`() throws {
        try write(
            "dump/pharmacy/patients.json",
            [#"{"_id": "no id", "name": 7}"#, #"{"_id": {"$oid": "\#(Self.key(7))"}, "name": "New"}"#]
        )
        let stopped = try transfer()
        #expect(stopped.status == 1)
        #expect(stopped.output.contains("1 documents or users were left out"))
        #expect(stopped.output.contains("Patient: 2 documents: 1 created"))
        let accepted = try transfer("--accept-losses")
        #expect(accepted.status == 0, "\(accepted.output)")
        #expect(accepted.output.hasSuffix("The app pharmacy is open.\n"))
    }

    @Test func `anonymous users are counted, and don't keep the app closed`() throws {
        let users = folder.path + "/users.jsonl"
        let anonymous = (10..<13).map {
            #"{"_id": "\#(Self.key($0))", "identities": [{"provider_type": "anon-user", "id": "x\#($0)"}]}"#
        }
        let known = try String(contentsOfFile: users, encoding: .utf8)
        try (known + anonymous.joined(separator: "\n") + "\n").write(toFile: users, atomically: true, encoding: .utf8)
        let dry = try run(
            "transfer",
            "F",
            folder.path + "/backend",
            "--app",
            "pharmacy",
            "--documents",
            folder.path + "/dump",
            "--users",
            users,
            "--dry-run"
        )
        #expect(dry.output.contains("5 users: 2 would be created, 0 would be changed, 0 as they were, 0 left out."))
        #expect(dry.output.contains("3 anonymous users can't be imported"), "\(dry.output)")
        let done = try transfer()
        #expect(done.status == 0 && done.output.hasSuffix("The app pharmacy is open.\n"), "\(done.output)")
        // A user that has another log-in, which isn't imported, is a loss.
        let lost =
            #"{"_id": "\#(Self.key(20))", "identities": [{"provider_type": "anon-user"}, {"provider_type": "api-key"}]}"#
        try (known + lost + "\n").write(toFile: users, atomically: true, encoding: .utf8)
        let stopped = try run("user", "import", "F", "pharmacy", users, "--dry-run")
        #expect(stopped.output.contains("1 left out.") && stopped.output.contains("no log-in that can be imported"))
    }

    @Test func `a transfer that is killed at any time is completed by the next one`() async throws {
        try write(
            "dump/pharmacy/patients.json",
            (0..<4_000).map { #"{"_id": {"$oid": "\#(Self.key($0))"}, "name": "Patient \#($0)"}"# }
        )
        var kills = 0
        for pause in [150, 300, 500, 800, 1_200] {
            let process = Process()
            process.setCommand(
                [],
                ServerProcess.program,
                [
                    "transfer", folder.path, folder.path + "/backend", "--app", "pharmacy", "--documents",
                    folder.path + "/dump",
                    "--users", folder.path + "/users.jsonl", "--keep-closed",
                ]
            )
            (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
            try process.run()
            // A task would wait for its turn among those of other tests, and the command would end before.
            usleep(UInt32(pause) * 1_000)
            if process.isRunning { kills += 1 }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        #expect(kills > 0)
        let done = try transfer()
        #expect(done.status == 0, "\(done.output)")
        #expect(try exported("Patient").count == 4_000)
        #expect(Set(try exported("Patient")).count == 4_000)
        #expect(try exported("Delivery").count == 40)
        #expect(try run("user", "list", "F", "pharmacy").output.split(separator: "\n").count == 2)
        #expect(try run("verify", "F").status == 0)
    }

    @Test func `an app that a killed command has only created is filled by the next one`() throws {
        try run("app", "create", "F", "pharmacy")
        let done = try transfer()
        #expect(done.status == 0 && done.output.hasSuffix("The app pharmacy is open.\n"), "\(done.output)")
        // An app with log-ins, or with classes, isn't overwritten.
        #expect(try transfer().status == 64)
    }

    @Test func `users are imported from a file or the standard input`() throws {
        try run("app", "create", "F", "notes")
        let users = folder.path + "/users.jsonl"
        let dry = try run("user", "import", "F", "notes", users, "--dry-run")
        #expect(dry.output.hasPrefix("2 users: 2 would be created"))
        #expect(try run("user", "list", "F", "notes").output.isEmpty)
        #expect(try run("user", "import", "F", "notes", users).output.hasPrefix("2 users: 2 created"))
        let text =
            #"[{"_id": "\#(Self.ann)", "identities": []}, {"_id": "\#(Self.bob)", "identities": [{"provider_type": "custom-token", "id": "b"}]}]"#
        let piped = try ServerProcess.run(["user", "import", folder.path, "notes", "-"], input: text)
        #expect(piped.output.hasPrefix("2 users: 0 created, 1 changed, 0 as they were, 1 left out."))
        #expect(piped.output.contains("document 1: The user has no log-in"))
        #expect(try run("user", "import", "F", "none", users).status == 1)
        #expect(try run("user", "import", "F", "notes", users + ".missing").status != 0)
    }

    @Test func `hooks and providers are set, listed and removed`() throws {
        try run("app", "create", "F", "notes")
        let secret = folder.path + "/hook.secret"
        let hook = try run(
            "hook",
            "set",
            "F",
            "notes",
            "function/sum",
            "https://example.org/sum?key=x",
            "--secret-file",
            secret
        )
        #expect(hook.output == "function/sum\thttps://example.org/sum\ttimeout=30\n")
        for (purpose, address) in [
            ("sum", "https://example.org"), ("function/sum", "http://example.org"), ("function/sum", "ftp://x"),
            ("function/a b", "https://example.org"), ("local-userpass", "https://example.org"),
        ] { #expect(try run("hook", "set", "F", "notes", purpose, address, "--secret-file", secret).status == 64) }
        #expect(
            try run("hook", "set", "F", "notes", "reset", "https://example.org", "--secret-file", secret + "x").status
                == 64
        )
        #expect(try run("hook", "set", "F", "notes", "reset", "https://example.org").status == 64)
        #expect(
            try run(
                "hook",
                "set",
                "F",
                "notes",
                "reset",
                "https://example.org",
                "--secret-file",
                secret,
                "--timeout",
                "900"
            ).status == 64
        )
        #expect(try run("hook", "list", "F", "notes").output == hook.output)
        #expect(try run("hook", "remove", "F", "notes", "function/sum").status == 0)
        #expect(try run("hook", "remove", "F", "notes", "function/sum").status == 64)
        let google = try run("provider", "set", "F", "notes", "oauth2-google", "--audience", "a", "--audience", "b")
        #expect(
            google.output.hasPrefix("oauth2-google\tkeys=https://www.googleapis.com/oauth2/v3/certs\taudience=a,b\t")
        )
        #expect(try run("provider", "set", "F", "notes", "custom-token", "--audience", "a").status == 64)
        #expect(try run("provider", "set", "F", "notes", "oauth2-apple").status == 64)
        #expect(try run("provider", "list", "F", "notes").output == google.output)
        #expect(try run("provider", "remove", "F", "notes", "oauth2-google").status == 0)
        #expect(try run("provider", "list", "F", "notes").output.isEmpty)
    }

    @Test func `registrations for push messages are listed`() async throws {
        try run("app", "create", "F", "notes", "--anonymous")
        let server = try ServerProcess(folder.path)
        let login = try await RawConnection.ask(
            [
                "POST /api/client/v2.0/app/notes/auth/providers/anon-user/login HTTP/1.1", "Host: 127.0.0.1",
                "Content-Length: 2",
            ],
            Array("{}".utf8),
            port: server.port
        )
        let fields = try AccountProbe.answer(Array(login.text.utf8))
        let body = #"{"registrationToken": "device 1"}"#
        let put = try await RawConnection.ask(
            [
                "PUT /api/client/v2.0/app/notes/push/providers/gcm/registration HTTP/1.1", "Host: 127.0.0.1",
                "Authorization: Bearer \(try #require(fields["access_token"]))", "Content-Length: \(body.utf8.count)",
            ],
            Array(body.utf8),
            port: server.port
        )
        #expect(put.status == 204)
        let line = try BSONDocument(extendedJSON: try run("push", "list", "F", "notes").output)
        #expect(line["user"]?.stringValue == fields["user_id"])
        #expect(line["token"] == "device 1")
        #expect(try run("push", "list", "F", "notes", "--user", "none").output.isEmpty)
        #expect(try run("push", "list", "F", "none").status == 1)
        await server.end(SIGTERM)
    }
}
