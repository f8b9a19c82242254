import ArgumentParser
import Foundation
import Freehold

struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Prints the steps to another schema of a file, and executes them with --apply.",
        discussion: """
            The schema is JSON, as 'schema --format json' prints it. Without --apply nothing is changed: the plan and its \
            cost in objects are printed, and the exit code is 65 where the file can't be migrated so. With --apply what \
            needs no code of the program's is done: classes are added, properties and indexes come and go. A property \
            of another type loses its values and begins with default ones; a class that the schema lacks stays. All of \
            it is one transaction.

            EXAMPLES:
              freehold schema app.realm --format json > schema.json
              $EDITOR schema.json
              freehold migrate app.realm --to schema.json --dry-run
              freehold migrate app.realm --to schema.json --apply
            """
    )

    @OptionGroup var file: FileOptions
    @Option(help: ArgumentHelp("The schema, a file of JSON.", valueName: "path"), completion: .file()) var to: String
    @Option(help: "The new version; by default the schema file's if that is higher than the file's, else the next.")
    var schemaVersion: UInt64?
    @Flag(help: "Prints the plan, and changes nothing; so it is without --apply.") var dryRun = false
    @Flag(help: "Migrates the file.") var apply = false

    func validate() throws {
        if dryRun && apply { throw ValidationError("--dry-run and --apply can't be given together.") }
    }

    func run() throws {
        let read = try SchemaFile.read(to)
        var configuration = try file.configuration()
        configuration.readOnly = false
        configuration.schema = read.schema
        configuration.schemaVersion = try version(read, configuration)
        let plan = try Realm.migrationPlan(for: configuration)
        if case .refusal(let error) = plan.action { throw Failure(.data, "\(file.file): \(error.message)") }
        try StandardOutput.shared.line(TerminalText.lines("\(plan)"))
        guard apply, plan.action != .nothing else { return }
        try StandardOutput.shared.flush()
        if Terminal.isError { configuration.migrationProgress = { Progress.show("\($0)") } }
        try Realm.performMigration(for: configuration)
        Progress.clear()
        try StandardOutput.shared.line("done")
    }

    /// Returns the new version. A file whose schema stays the same, or gets only new classes and indexes, keeps its
    /// version.
    private func version(
        _ read: (schema: Schema, schemaVersion: UInt64?),
        _ configuration: Realm.Configuration
    ) throws -> UInt64 {
        if let schemaVersion { return schemaVersion }
        let present = try schemaVersionAtURL(configuration.fileURL!, encryptionKey: configuration.encryptionKey)
        if let given = read.schemaVersion, given > present { return given }
        var same = configuration
        same.schemaVersion = present
        if case .refusal = try Realm.migrationPlan(for: same).action { return present + 1 }
        return present
    }
}
