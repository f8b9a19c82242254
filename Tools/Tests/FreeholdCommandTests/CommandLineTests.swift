import Foundation
import Testing

/// Tests of help, misspelt commands, messages and signals.
struct CommandLineTests {
    private static let commands = [
        "info", "schema", "query", "shell", "watch", "set", "create", "delete", "export", "import", "diff", "verify",
        "compact", "backup", "pins", "migrate", "convert",
    ]

    @Test func `examples in the help are lines that can be copied`() throws {
        for command in Self.commands + [""] {
            let run = try Run.help(command)
            expect(run.status == 0 && run.error == "")
            guard let start = run.output.firstRange(of: "EXAMPLES:\n") else { continue }
            let examples = run.output[start.upperBound...]
                .split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
            expect(!examples.isEmpty)
            for line in examples {
                let starts = ["  freehold ", "  $EDITOR ", "  echo ", "  printf "]
                expect(
                    starts.contains { line.hasPrefix($0) } && line.contains("freehold ") || line.hasPrefix("  $"),
                    "\(command): \(line)"
                )
            }
        }
    }

    @Test func `a misspelt command is named, with what may have been meant`() throws {
        for arguments in [["qurey", "x"], ["help", "qurey"], ["qurey"]] {
            let run = try Run.freehold(arguments)
            expect(run.status == 64 && run.output == "")
            expectEqual(run.error, "freehold: there is no command 'qurey'. Did you mean query?\n", "\(run.error)")
        }
        expect(try Run.freehold("something").error.contains("There are backup, compact, convert, "))
        try expectEqual(Run.freehold("--version").output, "0.1.0\n")
        expect(try Run.freehold("help").output.contains("SUBCOMMANDS:"))
    }

    @Test func `messages speak of options, not of the library's functions`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            let duplicate = try Run.freehold(
                ["import", path, "TMPerson", "--update", "error"],
                input: Data("{\"id\":1}".utf8)
            )
            expect(
                duplicate.status == 65 && duplicate.error.contains("update it with --update modified"),
                "\(duplicate)"
            )
            let none = try Run.freehold("query", path, "TMPerson", "age > $0")
            expect(none.status == 65 && none.error.contains("--arg") && !none.error.contains("was given"), "\(none)")
            let few = try Run.freehold("query", path, "TMPerson", "age > $1", "--arg", "1")
            expect(few.status == 65 && few.error.contains("give it with --arg"), "\(few)")
        }
    }

    @Test func `fields may be separated by other characters, which are found or suggested`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            for (delimiter, option) in [(";", ";"), ("\t", "\\t"), ("\t", "\t"), ("|", "|")] {
                let csv = Data("id,name\r\n7,x\r\n".replacing(",", with: delimiter).utf8)
                let arguments = ["import", path, "TMPerson", "--format", "csv"]
                let shown = delimiter == "\t" ? "\\t" : delimiter
                for options in [[], ["--delimiter", ","]] {
                    let run = try Run.freehold(arguments + options, input: csv)
                    let isFound = options.isEmpty && delimiter != "|"
                    expectEqual(run.status, isFound ? 0 : 65, "\(run)")
                    let part = isFound ? "stand between '\(shown)'" : "--delimiter '\(shown)'"
                    expect(run.error.contains(part), "\(run)")
                }
                let taken = try Run.freehold(arguments + ["--delimiter", option], input: csv)
                expect(taken.status == 0 && !taken.error.contains("stand between"), "\(taken)")
            }
            try expectEqual(Run.freehold("import", path, "TMPerson", "--delimiter", "\\n").status, 64)
        }
    }

    @Test func `a count has the form that is asked for`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            for (format, output) in [("table", "3\n"), ("json", "{\"count\":3}\n"), ("csv", "count\r\n3\r\n")] {
                try expectEqual(Run.freehold("query", path, "TMPerson", "--count", "--format", format).output, output)
            }
        }
    }

    /// The input stays open, so that the command hasn't read all of it when the signal is sent.
    @Test(arguments: ["INT", "TERM", "HUP"])
    func `a signal takes along what isn't complete`(signal: String) throws {
        try withFolder { folder in
            // More than one chunk of the input.
            try ToolFile.make(folder + "/a.realm", people: 1000)
            try FileManager.default.createDirectory(atPath: folder + "/new", withIntermediateDirectories: true)
            let script = """
                set -m; cd '\(folder)'; mkfifo in
                "$F" export a.realm > a.json; "$F" schema a.realm --format json > s.json
                stop() {
                    "$F" import new/b.realm "$@" < in & pid=$!
                    exec 3> in; head -c $(($(wc -c < a.json) - 4)) $doc >&3
                    for i in $(seq 600); do [ -n "$(ls -A new)" ] && break; sleep 0.02; done
                    [ -n "$(ls -A new)" ] && echo begun
                    kill -\(signal) $pid; for i in $(seq 600); do kill -0 $pid 2> /dev/null || break; sleep 0.02; done
                    exec 3>&-; wait $pid; echo $(($? > 128)) $(ls -A new)
                }
                doc=a.json; stop
                doc=/dev/null; stop TMPerson --schema s.json
                for i in 1 2 3 4 5; do
                    "$F" backup a.realm new/c.realm & pid=$!
                    sleep 0.0$i; kill -\(signal) $pid 2> /dev/null; wait $pid
                    ls -A new | grep copy; rm -f new/c.realm
                done
                """
            let run = try Run.shell(script)
            expectEqual(
                run.output.split(separator: "\n").filter { !$0.hasPrefix("new/c.realm") },
                [
                    "begun", "1", "begun", "1",
                ],
                "\(run)"
            )
        }
    }
}
