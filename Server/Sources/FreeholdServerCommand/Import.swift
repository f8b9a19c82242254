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
            The class has to be in the app's schema, in its newest version. Documents merge with the work of devices, whether the server runs or not: of those that are there
            only what differs is written. What doesn't fit the schema is reported and left out.

            Examples:
              freehold-server import /srv/freehold notes --class Dog dogs.jsonl
              mongoexport --collection Dog | freehold-server import /srv/freehold notes --class Dog -
              freehold-server import /srv/freehold notes --class Dog dump/app/Dog.bson --mode replace --strict
            """
    )

    enum Mode: String, ExpressibleByArgument, CaseIterable { case insert, upsert, replace }

    @Argument(help: "The server's folder.") var folder: String
    @Argument(help: "The app's id.") var app: String
    @Argument(help: "A file, or - for the standard input.") var file: String
    @Option(name: .customLong("class"), help: "The class of the documents.") var className: String
    @Option(
        help:
            "insert: only new objects. upsert: what a document has becomes so. replace: the same, and what it lacks is emptied."
    )
    var mode = Mode.upsert
    @Option(help: "The stream's value, of an app where each user has a stream.") var stream: String?
    @Flag(help: "Ends at the first document that doesn't fit; those before it stay.") var strict = false
    @Flag(help: "Reads and checks, and writes nothing.") var dryRun = false
    @OptionGroup var store: StoreOption

    func run() async throws {
        let versions = try await AccountStore.existing(folder).documents(of: app).versions()
        let store = try await store.documents(folder, makes: true)
        // The merges wait for the store, which isn't for threads of tasks.
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { continuation.resume(with: Result { try self.run(versions, store) }) }
        }
    }

    private func run(_ versions: SchemaVersions, _ store: any Documents) throws {
        // Documents are written in the form of the newest version.
        let (tables, lens) = (versions.newest.tables, versions.lens(for: versions.newest.number))
        let mapping = DocumentMapping(DocumentSchema(tables))
        var reader = try DocumentStreamReader(file: file == "-" ? "/dev/stdin" : file)
        let modes: [Mode: DocumentImport.Mode] = [.insert: .insert, .upsert: .upsert, .replace: .replace]
        let options = DocumentImport.Options(mode: modes[mode]!, misfits: strict ? .stopping : .skipped)
        var job = DocumentImport(mapping, className: className, options: options)
        let name = StreamName(app: SyncString(app), value: stream.map { .string(SyncString($0)) })
        var rules = MergeRules()
        rules.createOnly = Set(versions.storage.filter(\.isAsymmetric).map { SyncString($0.name) })
        let writers = WriterSecrets(secret: try ServerSecret.read(folder))
        var node = LocalNode(
            app: SyncString(app),
            ServerApp(rules: rules),
            writerSecret: { writers.secret(of: $0) }
        ) { store.perform($0) }
        var (batches, refused): (UInt64, Int) = (0, 0)
        defer { Self.show(job.report, refused: refused, dryRun) }
        while let batch = try job.nextBatch(&reader) {
            batches += 1
            let names = lens.map { lens in batch.names.compactMap { lens.up($0) } } ?? batch.names
            guard let (version, found) = node.objects(names, of: name) else {
                throw ValidationError("The documents in \(folder) can't be read.")
            }
            var numbers = OwnNumbers()
            var stored: [ObjectName: DocumentImport.Stored] = [:]
            for (name, object) in found {
                guard let object = DocumentImport.Stored(object) else { continue }
                guard let lens else {
                    stored[name] = object
                    continue
                }
                guard let shown = lens.down(name), let contents = lens.down(object.contents, of: name.className) else {
                    continue
                }
                stored[shown] = DocumentImport.Stored(version: object.version, contents: contents)
            }
            let commit = try job.commit(
                batch,
                stored: stored,
                base: version,
                number: batches,
                clock: .zero,
                numbers: &numbers
            )
            guard let commit, !dryRun else { continue }
            let submission = Submission(
                stream: name,
                user: "",
                changes: commit.changes,
                seen: commit.seen,
                lens: lens,
                schemaVersion: versions.newest.number
            )
            switch node.submit(submission) {
            case .done(_, let refusals): refused += Set(refusals.map(\.change.object)).count
            case .failed(_, let text): throw ValidationError("Not all was written: \(text.string)")
            }
        }
    }

    private static func show(_ report: DocumentImport.Report, refused: Int, _ isDry: Bool) {
        let verb = isDry ? "would be " : ""
        print(
            "\(report.documents) documents: \(report.created) \(verb)created, \(report.changed) \(verb)changed, "
                + "\(report.unchanged) as they were, \(report.misfitCount) left out"
                + (refused == 0 ? "." : ", \(refused) refused.")
        )
        for misfit in report.misfits.prefix(20) { print("  \(misfit)") }
        if report.misfitCount > 20 { print("  … and \(report.misfitCount - 20) more") }
        for (path, count) in report.ignoredFields.sorted(by: { $0.key < $1.key }).prefix(20) {
            print("  field '\(path)' isn't in the class: left out \(count) times")
        }
    }
}
