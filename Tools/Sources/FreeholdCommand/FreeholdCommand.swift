import ArgumentParser

/// The command `freehold`.
@main
struct FreeholdCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "freehold",
        abstract: "Looks into Freehold's database files, and moves data in and out of them.",
        discussion: """
            Files are opened by the names of their classes; no Swift class is needed. All commands but import, set, create, \
            delete, compact, 'shell --write' and 'migrate --apply' only read them, also while other processes write. Data \
            goes to standard output, everything else to standard error.

            EXAMPLES:
              freehold info app.realm
              freehold query app.realm Person 'age > 17' --sort name --limit 20
              freehold shell app.realm
              freehold studio app.realm
              freehold set app.realm Person 'name == "Ada"' age=37
              freehold watch app.realm Person
              freehold diff old.realm new.realm
              freehold schema app.realm --format swift > Models.swift
              freehold export app.realm --output app.json
              freehold backup app.realm backups/app.realm
              freehold sync status app.realm
              freehold convert Sources --write

            EXIT CODES:
            \(ExitStatus.table)
            """,
        version: Version.text,
        subcommands: [
            InfoCommand.self, SchemaCommand.self, QueryCommand.self, ShellCommand.self, WatchCommand.self,
            SetCommand.self, CreateCommand.self, DeleteCommand.self, ExportCommand.self, ImportCommand.self,
            DiffCommand.self, VerifyCommand.self, CompactCommand.self, BackupCommand.self, PinsCommand.self,
            MigrateCommand.self,
            SyncCommand.self, ConvertCommand.self, StudioCommand.self,
        ]
    )

    static func main() {
        StandardDescriptors.occupyMissing()
        Signals.watch()
        do {
            try checkName(Array(CommandLine.arguments.dropFirst()))
            var command = try parseAsRoot()
            try command.run()
            try StandardOutput.shared.flush()
        } catch {
            Failure.exit(with: error)
        }
    }
}

extension FreeholdCommand {
    /// Checks the name of the command, because the parser treats a misspelt command as an additional argument.
    private static func checkName(_ arguments: [String]) throws {
        let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        guard let word = words.first, !word.hasPrefix("-"), !names.contains(word) else { return }
        throw Failure(
            .usage,
            "there is no command '\(TerminalText.escaped(word))'. "
                + Suggestions.text(for: word, among: names, "There are")
        )
    }
}

enum Version {
    static let text = "0.1.0"
}
