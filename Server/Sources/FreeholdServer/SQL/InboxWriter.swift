import Dispatch
import Foundation
import FreeholdServerStore
import FreeholdSyncCore
import FreeholdSyncDocuments
import Synchronization

/// Applies the rows of the inbox of one stream in batches. Its methods block.
///
/// The changes of a batch are one commit, which merges with the work of devices by the rules of sync. The store writes the commit and the results of
/// its rows in one transaction. If another server has already written a result, the commit has no effect. Each row is therefore applied exactly once.
struct InboxWriter {
    let store: any SQLStore
    let stream: InboxStream
    let name: StreamName
    let app: NodeApp
    let node: ServerNode
    let writers: WriterSecrets
    let metrics: SQLMetrics

    /// The maximum number of changes of one commit.
    private static let mostChanges = 2_000

    /// A change of a batch with the object that it was made for.
    private struct Item {
        let change: InboxChange
        let stored: ObjectName
        let before: StreamVersion?
    }

    /// The state of one attempt to commit a batch.
    private final class Attempt: Sendable {
        enum End { case taken, split, changed }

        private let end = Mutex<End?>(nil)

        var ending: End? { end.withLock { $0 } }
        func end(_ reason: End) { end.withLock { $0 = reason } }
    }

    /// Applies the oldest rows.
    ///
    /// - Parameters:
    ///   - rows: The oldest waiting rows.
    ///   - count: The maximum number of rows of the batch.
    /// - Returns: The number of rows that have a result now, or 0 if the store doesn't answer or another server has claimed the rows.
    func apply(_ rows: [InboxRow], atMost count: Int) throws -> Int {
        guard let first = rows.first else { return 0 }
        guard let access = access(of: first.user) else {
            return try finish([first], "forbidden: the user '\(first.user)' may not use the stream")
        }
        guard !access.tables.isEmpty else { return try finish([first], "no schema: the app has no classes") }
        let mapping = DocumentMapping(
            DocumentSchema(access.tables),
            options: DocumentMapping.Options(unknownFields: .refused)
        )
        let values = PlainValues(access.tables)
        var (changes, results): ([InboxChange], [InboxResult]) = ([], [])
        var names: Set<ObjectName> = []
        for row in rows.prefix(count) {
            // A batch has rows of one user only, because it has the rights of that user. It changes each object at most once, because a change
            // depends on the state of the object before it.
            guard row.user == first.user else { break }
            do {
                let change = try InboxChange(row, mapping, values)
                guard names.insert(change.name).inserted else { break }
                changes.append(change)
            } catch { results.append(InboxResult(id: row.id, version: 0, refused: error.text)) }
        }
        return try commit(changes, refused: results, access, mapping)
    }

    private func access(of user: String) -> StreamAccess? {
        guard user.isEmpty else { return node.access(user, name.app.string, name.value) }
        return StreamAccess(
            stream: name,
            user: "",
            rights: nil,
            tables: app.served?.tables ?? [],
            lens: app.served?.lens,
            schemaVersion: app.served?.newest ?? 0,
            matcher: node.conditions,
            schema: app.served?.conditions,
            objectSteps: node.configuration.limits.objectSteps
        )
    }

    private func finish(_ rows: [InboxRow], _ reason: String) throws -> Int {
        try finish(rows.map { InboxResult(id: $0.id, version: 0, refused: reason) })
    }

    private func finish(_ results: [InboxResult]) throws -> Int {
        guard !results.isEmpty else { return 0 }
        let (store, number) = (store, stream.number)
        try Waiting.wait { try await store.finishInbox(results, of: number) }
        count(results)
        return results.count
    }

    private func count(_ results: [InboxResult]) {
        metrics.count(name.app.string, rows: results.count, refused: results.count { $0.refused != nil })
    }

    // MARK: Commits

    private func commit(
        _ changes: [InboxChange],
        refused: [InboxResult],
        _ access: StreamAccess,
        _ mapping: DocumentMapping
    ) throws -> Int {
        var refused = refused
        let attempt = Attempt()
        var known: [(change: InboxChange, stored: ObjectName)] = []
        for change in changes {
            if let stored = access.stored(change.name) {
                known.append((change, stored))
            } else {
                refused.append(InboxResult(id: change.row.id, version: 0, refused: "malformed: the class isn't stored"))
            }
        }
        let reader = localNode(access, attempt) { _ in nil }
        guard let (version, objects) = reader.objects(known.map(\.stored), of: name) else { return try finish(refused) }
        var (items, all, seen): ([Item], [Change], [ObjectName: StreamVersion]) = ([], [], [:])
        var unchanged: [InboxResult] = []
        var numbers = OwnNumbers()
        for (change, stored) in known {
            guard all.count < Self.mostChanges else { break }
            let object = objects[stored]
            do {
                let sight = try sight(change, access)
                let contents = object.flatMap { sight.contents(change.name.key, $0.contents) }
                let made = try change.changes(
                    object: object,
                    contents: contents,
                    version: object.map { sight.version($0) },
                    mapping: mapping,
                    numbers: &numbers
                )
                guard !made.isEmpty else {
                    unchanged.append(InboxResult(id: change.row.id, version: object?.changed ?? version))
                    continue
                }
                all += made
                if let object, contents != nil { seen[change.name] = object.changed }
                items.append(Item(change: change, stored: stored, before: object?.changed))
            } catch let refusal as InboxRefusal {
                refused.append(InboxResult(id: change.row.id, version: version, refused: refusal.text))
            }
        }
        refused = refused.map { result in
            var result = result
            result.version = max(result.version, version)
            return result
        }
        let count = try finish(refused + unchanged)
        guard !items.isEmpty else { return count }
        let committed = items
        var merger = localNode(access, attempt) { Self.results(of: committed, $0) }
        let submission = Submission(
            stream: name,
            user: access.user,
            changes: all,
            seen: seen,
            lens: access.lens,
            schemaVersion: access.schemaVersion
        )
        let outcome = merger.submit(submission)
        switch (outcome, attempt.ending) {
        case (.done, nil): return count + items.count
        // The rows are read again, without those that another server has processed.
        case (_, .taken?), (_, .changed?): return count + 1
        case (_, .split?):
            return try count + items.reduce(0) { try $0 + commit([$1.change], refused: [], access, mapping) }
        case (.failed(.forbidden, _), _), (.failed(.tooLarge, _), _):
            return try count + finish(items.map(\.change.row), "refused: \(outcome)")
        case (.failed, _): return count
        }
    }

    private func sight(_ change: InboxChange, _ access: StreamAccess) throws -> DocumentSight {
        do { return try access.sight(change.name.className.string, "TRUEPREDICATE") } catch {
            throw InboxRefusal("misfit: \(error)")
        }
    }

    /// Returns the results of rows after the merge of their commit, or `nil` if an object has changed since it was read for a row that names a
    /// version.
    private static func results(of items: [Item], _ commit: StoreCommit) -> [InboxResult]? {
        var reasons: [ObjectName: String] = [:]
        for refusal in commit.answers.values.flatMap({ $0 }).flatMap(\.answer.refusals) {
            let field = refusal.field.map { " (\($0))" } ?? ""
            reasons[refusal.change.object] = "\(refusal.reason)\(field): the merge didn't make a part of the change"
        }
        var before: [ObjectName: StreamVersion?] = [:]
        for image in commit.entries.flatMap(\.changes) where before[image.name] == nil {
            before[image.name] = .some(image.object?.changed)
        }
        for item in items where item.change.row.version != nil {
            if let version = before[item.stored], version != item.before { return nil }
        }
        return items.map {
            InboxResult(id: $0.change.row.id, version: commit.head.version, refused: reasons[$0.stored])
        }
    }

    private func localNode(
        _ access: StreamAccess,
        _ attempt: Attempt,
        _ results: @escaping (StoreCommit) -> [InboxResult]?
    ) -> LocalNode {
        var known = app.serverApp()
        if access.user == "" { (known.rights, known.allows) = (nil, { _, _ in true }) }
        let (store, number, writers) = (store, stream.number, writers)
        return LocalNode(
            app: name.app,
            known,
            matcher: node.conditions,
            writerSecret: { writers.secret(of: $0) },
            isOver: { attempt.ending != nil }
        ) { request in
            guard case .commit(let commit) = request.kind else { return Waiting.wait { store.perform(request, $0) } }
            guard let rows = results(commit) else {
                attempt.end(.changed)
                return .failed(.moved)
            }
            let answer = try? Waiting.wait { await store.commit(commit, of: rows, stream: number) }
            switch answer {
            case .taken?:
                attempt.end(.taken)
                return .failed(.moved)
            case .answered(.failed(.limit(let text)))? where rows.count > 1:
                attempt.end(.split)
                return .failed(.limit(text))
            case .answered(let answer)?:
                if case .done = answer { count(rows) }
                return answer
            case nil: return .failed(.unknown)
            }
        }
    }
}
