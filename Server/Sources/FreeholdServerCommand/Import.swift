import ArgumentParser
import Foundation
import FreeholdBSON
import FreeholdEngine
import FreeholdServer
import FreeholdServerStore
import FreeholdSyncCore
import FreeholdSyncDocuments
import FreeholdSyncRules

struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Reads documents of a class: MongoDB dumps (.bson), or Extended JSON as an array or as lines.",
        discussion: """
            The class has to be in the app's schema, in its newest version. Documents merge with the work of devices, whether the server runs or not.
            Only differences to existing documents are written. Documents that don't fit the schema are reported and left out.

            Examples:
              freehold-server import /srv/freehold notes --class Dog dogs.jsonl
              mongoexport --collection Dog | freehold-server import /srv/freehold notes --class Dog -
              freehold-server import /srv/freehold notes --class Dog dump/app/Dog.bson --mode replace --strict
            """
    )

    enum Mode: String, ExpressibleByArgument, CaseIterable { case insert, upsert, replace }

    @Argument(help: "The server's folder, or the address of its database.") var folder: String
    @Argument(help: "The app's id.") var app: String
    @Argument(help: "A file, or - for the standard input.") var file: String
    @Option(name: .customLong("class"), help: "The class of the documents.") var className: String
    @Option(
        help:
            "insert: creates new objects only. upsert: also sets the properties that a document has. replace: also empties those that it lacks."
    )
    var mode = Mode.upsert
    @Option(help: "The stream's value, of an app where each user has a stream.") var stream: String?
    @Flag(help: "Stops at the first document that doesn't fit. Earlier documents are kept.") var strict = false
    @Flag(help: "Reads and checks, and writes nothing.") var dryRun = false
    @OptionGroup var store: StoreOption

    func run() async throws {
        let versions = try await self.store.accounts(folder).documents(of: app).versions()
        let secret = try await self.store.secret(folder)
        let store = try await self.store.documents(folder, makes: true)
        let (isDry, job) = (
            dryRun,
            ClassImport(
                folder: folder,
                secret: secret,
                app: app,
                className: className,
                file: file == "-" ? "/dev/stdin" : file,
                mode: mode,
                stream: stream,
                isStrict: strict,
                isDry: dryRun
            )
        )
        try await job.run(versions, store) { report, refused in
            for line in Self.lines(report, refused: refused, isDry) { print(line) }
        }
    }

    /// Returns the lines of a report.
    static func lines(_ report: DocumentImport.Report, refused: Int, _ isDry: Bool) -> [String] {
        let verb = isDry ? "would be " : ""
        var lines = [
            "\(report.documents) documents: \(report.created) \(verb)created, \(report.changed) \(verb)changed, "
                + "\(report.unchanged) as they were, \(report.misfitCount) left out"
                + (refused == 0 ? "." : ", \(refused) refused.")
        ]
        lines += report.misfits.prefix(20).map { "  \($0)" }
        if report.misfitCount > 20 { lines.append("  … and \(report.misfitCount - 20) more") }
        for (path, count) in report.ignoredFields.sorted(by: { $0.key < $1.key }).prefix(20) {
            lines.append("  field '\(path)' isn't in the class: left out \(count) times")
        }
        return lines
    }
}
