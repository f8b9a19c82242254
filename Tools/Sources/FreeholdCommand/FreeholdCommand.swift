import ArgumentParser

/// The command `freehold`.
@main
struct FreeholdCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "freehold",
        abstract: "Looks into Freehold's database files, and moves data in and out of them.",
        discussion: """
            Files are opened by the names of their classes; no Swift class is needed. All commands but import, compact \
            and 'migrate --apply' only read, also while other processes write. Data goes to standard output, everything \
            else to standard error.

            EXAMPLES:
              freehold info app.realm
              freehold query app.realm Person 'age > 17 AND name BEGINSWITH "A"' --sort name --limit 20
              freehold schema app.realm --format swift > Models.swift
              freehold export app.realm --output app.json
              freehold backup app.realm backups/app.realm

            EXIT CODES:
            \(ExitStatus.table)
            """,
        version: Version.text,
        subcommands: [
            InfoCommand.self, SchemaCommand.self, QueryCommand.self, ExportCommand.self, ImportCommand.self,
            VerifyCommand.self, CompactCommand.self, BackupCommand.self, PinsCommand.self, MigrateCommand.self,
        ]
    )

    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
            try StandardOutput.shared.flush()
        } catch {
            Failure.exit(with: error)
        }
    }
}

enum Version {
    static let text = "0.1.0"
}
