#if os(Linux)
    import Foundation
    import Freehold
    import Testing

    /// Tests of `freehold shell` at a terminal.
    struct ShellTerminalTests {
        private func withShell(
            _ options: [String] = [],
            people: Int? = nil,
            environment: [String: String] = [:],
            columns: UInt16 = 80,
            _ body: (PseudoTerminal, String) throws -> Void
        ) throws {
            try withFolder { folder in
                let path = folder + "/a.realm"
                if let people { try ToolFile.make(path, people: people) } else { try ToolFile.make(path) }
                var variables = ["XDG_STATE_HOME": folder + "/state"]
                variables.merge(environment) { $1 }
                let terminal = try PseudoTerminal(["shell", path] + options, columns: columns, environment: variables)
                try terminal.wait(for: "a.realm> ")
                if environment["TERM"] == nil {
                    // The window is wide enough for all columns.
                    terminal.type(".columns id,name,age\r")
                    try terminal.wait(for: "2004l")
                    try terminal.wait(for: "a.realm> ")
                }
                try body(terminal, folder)
            }
        }

        @Test func `queries are typed, edited and answered`() throws {
            try withShell { terminal, folder in
                expect(!terminal.isOrdinary)
                // A mistake is deleted, with characters of several bytes and of two columns.
                terminal.type("TMPerson name CONTAINS '漢x\u{7F}\u{7F}漢字'\r")
                let shown = try terminal.wait(for: "1 row\r\n")
                expect(shown.contains("Bob 漢字"), "\(shown)")
                try terminal.wait(for: "a.realm> ")
                terminal.type(".format csv\rTMPerson id < 3 SORT(id DESC) \u{1}\u{1B}[F\r")
                try terminal.wait(for: "id,name,age")
                try terminal.wait(for: "a.realm> ")
                terminal.type("TMPerson agee > 3\r")
                try terminal.wait(for: "Did you mean age?")
                try terminal.wait(for: "a.realm> ")
                terminal.type("\u{4}")
                expect(try terminal.end() == 0 && terminal.isOrdinary)
            }
        }

        @Test func `tab completes, and lists what it can't decide`() throws {
            try withShell { terminal, folder in
                terminal.type("TMP\t\t")
                try terminal.wait(for: "TMPerson  TMPet")
                terminal.type("r\tna\tbegin\t'A'\r")
                let shown = try terminal.wait(for: "1 row\r\n")
                expect(shown.contains("Ada"), "\(shown)")
            }
        }

        @Test func `earlier lines come back, also in the next session`() throws {
            try withFolder { folder in
                let path = folder + "/a.realm"
                try ToolFile.make(path)
                func session(_ options: [String] = [], _ body: (PseudoTerminal) throws -> Void) throws {
                    let terminal = try PseudoTerminal(
                        ["shell", path] + options,
                        environment: ["XDG_STATE_HOME": folder]
                    )
                    try terminal.wait(for: "a.realm> ")
                    try body(terminal)
                    terminal.type("\u{4}")
                    try expectEqual(terminal.end(), 0)
                }
                try session { terminal in
                    terminal.type(".count TMPet\r")
                    try terminal.wait(for: "2004l2\r\n")
                    try terminal.wait(for: "a.realm> ")
                    terminal.type(" .print secret\r")
                    try terminal.wait(for: "2004lsecret\r\n")
                    try terminal.wait(for: "a.realm> ")
                    terminal.type("\u{1B}[A\u{1B}[A\r")
                    try terminal.wait(for: "2004l2\r\n")
                    try terminal.wait(for: "a.realm> ")
                }
                let history = folder + "/freehold/history"
                try expectEqual(String(contentsOfFile: history, encoding: .utf8), ".count TMPet\n.count TMPet\n")
                let mode = try FileManager.default.attributesOfItem(atPath: history)[.posixPermissions] as? Int
                expectEqual(mode, 0o600)
                try session { terminal in
                    terminal.type("\u{12}TMP")
                    try terminal.wait(for: "(search) 'TMP': .count TMPet")
                    terminal.type("\r")
                    try terminal.wait(for: "2004l2\r\n")
                    try terminal.wait(for: "a.realm> ")
                }
                let before = try ToolFile.bytes(history)
                try session(["--no-history"]) { terminal in
                    terminal.type("\u{1B}[A.print none\r")
                    try terminal.wait(for: "2004lnone\r\n")
                    try terminal.wait(for: "a.realm> ")
                }
                try expectEqual(ToolFile.bytes(history), before)
            }
        }

        @Test func `a paste is one line, whatever is in it`() throws {
            try withShell { terminal, folder in
                terminal.type("\u{1B}[200~.print one\r\n\ttwo\u{3}\u{1B}[201~\r")
                try terminal.wait(for: "2004lone  two\r\n")
            }
        }

        @Test func `a long line wraps, and the window may become another`() throws {
            try withShell(columns: 30) { terminal, folder in
                terminal.type(".print " + String(repeating: "漢字", count: 20))
                try terminal.wait(for: "漢\r\n字")
                terminal.resize(rows: 24, columns: 120)
                try terminal.wait(for: "a.realm> .print " + String(repeating: "漢字", count: 20))
                terminal.type("\r")
                try terminal.wait(for: "2004l" + String(repeating: "漢字", count: 20))
            }
        }

        @Test func `Ctrl-C gives a line up, and ends a query, not the shell`() throws {
            try withShell(people: 20_000) { terminal, folder in
                terminal.type("TMPerson half\u{3}")
                try terminal.wait(for: "^C")
                try terminal.wait(for: "a.realm> ")
                terminal.type("TMPerson\r")
                // The signal is sent while rows are printed.
                try terminal.wait(for: "Person 300")
                terminal.type("\u{3}")
                try terminal.wait(for: "interrupted\r\n")
                try terminal.wait(for: "a.realm> ")
                terminal.type(".count TMPerson\r")
                try terminal.wait(for: "2004l20000\r\n")
                try terminal.wait(for: "a.realm> ")
                terminal.type(".quit\r")
                try expectEqual(terminal.end(), 0)
            }
        }

        @Test(arguments: [SIGTERM, SIGHUP])
        func `a signal ends the shell, and leaves the terminal as it was`(number: Int32) throws {
            try withShell { terminal, folder in
                terminal.type(".output \(folder)/out.txt\r")
                try terminal.wait(for: "a.realm> ")
                // While a command runs, the terminal echoes typed text, not the shell.
                terminal.type(".print x\r")
                try terminal.wait(for: "a.realm> ")
                terminal.type("half")
                try terminal.wait(for: "half")
                expect(!terminal.isOrdinary)
                terminal.signal(number)
                expect(try terminal.end() == 128 + number && terminal.isOrdinary)
                let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                expectEqual(names, ["a.realm", "a.realm-lock", "a.realm.writer", "state"])
            }
        }

        @Test func `edits are made with --write, and others' commits are seen`() throws {
            try withShell(["--write"]) { terminal, folder in
                terminal.type("set TMPerson 'id == 2' age=5\r")
                try terminal.wait(for: "1 object found, 1 changed")
                try terminal.wait(for: "a.realm> ")
                terminal.type("create TMPerson {\"id\": 9, \"name\": \"It's\"}\r")
                try terminal.wait(for: "1 object created")
                try terminal.wait(for: "a.realm> ")
                terminal.type("delete TMPerson name == \"It's\" --dry-run\r")
                try terminal.wait(for: "- TMPerson 9: name \"It's\"")
                try terminal.wait(for: "1 object would be deleted")
                try terminal.wait(for: "a.realm> ")
                try expectEqual(Run.freehold("set", folder + "/a.realm", "TMPerson", "id == 9", "name=other").status, 0)
                terminal.type("TMPerson id == 9\r")
                try terminal.wait(for: "other")
                try terminal.wait(for: "a.realm> ")
                terminal.type("delete TMPerson --yes\r")
                try terminal.wait(for: "4 objects deleted")
                try expectEqual(Run.freehold("query", folder + "/a.realm", "TMPerson", "--count").output, "0\n")
            }
        }

        @Test func `a terminal without keys of its own is asked for lines`() throws {
            try withShell(environment: ["TERM": "dumb"]) { terminal, folder in
                expect(terminal.isOrdinary)
                terminal.type(".count TMPet\n")
                try terminal.wait(for: "\r\n2\r\n")
                terminal.type("\u{4}")
                try expectEqual(terminal.end(), 0)
            }
        }
    }
#endif
