import ArgumentParser
import Foundation
import FreeholdBSON
import FreeholdEngine
import FreeholdServer
import FreeholdServerStore
import FreeholdSyncCore
import FreeholdSyncDocuments
import FreeholdSyncRules

/// The import of a class's documents from a file.
struct ClassImport: Sendable {
    let folder: String
    /// The secret from which the secret of the import's file is derived.
    let secret: String
    let app: String
    let className: String
    let file: String
    let mode: Import.Mode
    /// The value of a user's stream. `nil` for the app's stream.
    var stream: String?
    var isStrict = false
    /// A Boolean value that indicates whether nothing is written.
    var isDry = false

    /// Reads the documents, and writes those that differ from the stored ones.
    ///
    /// - Parameters:
    ///   - versions: The app's schema. The documents have the form of its newest version.
    ///   - report: A closure that receives the result and the number of refused objects. It is also called if the
    ///     import fails.
    func run(
        _ versions: SchemaVersions,
        _ store: any Documents,
        report: @escaping @Sendable (DocumentImport.Report, Int) -> Void
    ) async throws {
        // The merges block while they wait for the store, so they run on a separate thread and not on a thread of
        // tasks.
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { continuation.resume(with: Result { try work(versions, store, report) }) }
        }
    }

    private func work(
        _ versions: SchemaVersions,
        _ store: any Documents,
        _ show: @Sendable (DocumentImport.Report, Int) -> Void
    ) throws {
        // Documents are written in the form of the newest version.
        let (tables, lens) = (versions.newest.tables, versions.lens(for: versions.newest.number))
        let mapping = DocumentMapping(DocumentSchema(tables))
        var reader = try DocumentStreamReader(file: file)
        let modes: [Import.Mode: DocumentImport.Mode] = [.insert: .insert, .upsert: .upsert, .replace: .replace]
        let options = DocumentImport.Options(mode: modes[mode]!, misfits: isStrict ? .stopping : .skipped)
        var job = DocumentImport(mapping, className: className, options: options)
        let name = StreamName(app: SyncString(app), value: stream.map { .string(SyncString($0)) })
        var rules = MergeRules()
        rules.createOnly = Set(versions.storage.filter(\.isAsymmetric).map { SyncString($0.name) })
        let writers = WriterSecrets(secret: secret)
        var node = LocalNode(
            app: SyncString(app),
            ServerApp(rules: rules),
            writerSecret: { writers.secret(of: $0) }
        ) { store.perform($0) }
        var (batches, refused): (UInt64, Int) = (0, 0)
        defer { show(job.report, refused) }
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
            guard let commit, !isDry else { continue }
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
}
