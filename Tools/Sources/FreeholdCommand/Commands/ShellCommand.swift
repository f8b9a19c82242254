import ArgumentParser
import Foundation
import Freehold

struct ShellCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell",
        abstract: "Asks for queries and edits line by line, on a terminal or from a script.",
        discussion: """
            A line is a class and a query, an edit as 'set', 'create' and 'delete' take it, or one of the shell's own \
            commands, which begin with a dot: .help tells all. Each line sees what other processes have committed until then. \
            Edits need --write.

            On a terminal lines are edited with the usual keys, tab completes names, and Ctrl-R finds earlier lines, which \
            are kept in $XDG_STATE_HOME/freehold/history unless they begin with a space. Ctrl-C ends a query, Ctrl-D the \
            shell. On a pipe the first error ends the shell, and is the exit code; with --keep-going it is that at the end.

            EXAMPLES:
              freehold shell app.realm
              freehold shell app.realm --write
              echo 'Person age > 17 SORT(name ASC) LIMIT(5)' | freehold shell app.realm
              printf '.format json\\nPerson\\n' | freehold shell app.realm > people.json
              freehold shell app.realm --write --keep-going < edits.txt
            """
    )

    @OptionGroup var file: FileOptions
    @Flag(help: "Opens the file for writing, for 'set', 'create' and 'delete'.") var write = false
    @Flag(help: "Goes on after errors of a script.") var keepGoing = false
    @Flag(help: "Keeps no lines, and reads none that were kept.") var noHistory = false

    func run() throws {
        let realm = write ? try FileOptions.openForWriting(file.file, file.key) : try file.open()
        let isInteractive = Terminal.isInput && Terminal.isOutput
        let shell = Shell(realm, path: file.file, writes: write, isInteractive: isInteractive)
        if isInteractive {
            try ShellPrompt(shell, path: file.file, writes: write, history: noHistory ? nil : .standard()).run()
        } else {
            try runScript(shell)
        }
    }

    private func runScript(_ shell: Shell) throws {
        var lines = ShellLines(0, "standard input")
        var status: ExitStatus?
        do {
            while let line = try lines.line() {
                do {
                    if try shell.perform(line) == .quits { break }
                } catch {
                    guard let failure = Failure(error) else { throw error }
                    let placed = Failure(failure.status, "line \(lines.number): \(failure.message)")
                    guard keepGoing else { throw placed }
                    try StandardOutput.shared.flush()
                    StandardError.write("freehold: \(placed.message)\n")
                    status = status ?? placed.status
                }
            }
        } catch {
            shell.discardOutput()
            throw error
        }
        try shell.endOutput()
        try StandardOutput.shared.flush()
        if let status { throw ExitCode(status.rawValue) }
    }
}
