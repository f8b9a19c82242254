import Dispatch
import FreeholdServerStore
import FreeholdSyncCore
import Logging
import Metrics
import Synchronization

/// The service that updates the views and the JSON for programs that read with SQL, and that applies the changes which
/// programs write with SQL.
final class SQLService: Sendable {
    private let store: any SQLStore
    private let node: ServerNode
    private let accounts: AccountService
    private let writers: WriterSecrets
    private let logger: Logger
    private let metrics: SQLMetrics

    /// The time for which rows of the inbox are kept after they have a result, in milliseconds.
    static let keepTime: Int64 = 7 * 86_400_000
    /// The maximum number of batches of one stream before other streams have a turn.
    private static let batches = 20
    private static let batchRows = 200

    init(
        _ store: any SQLStore,
        node: ServerNode,
        accounts: AccountService,
        writers: WriterSecrets,
        logger: Logger,
        metrics: any MetricsFactory
    ) {
        (self.store, self.node, self.accounts) = (store, node, accounts)
        (self.writers, self.logger, self.metrics) = (writers, logger, SQLMetrics(metrics))
    }

    /// Runs until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                await self.repeating(.views, "what SQL reads can't be updated", every: 1_000) {
                    try await $0.follow()
                }
            }
            group.addTask {
                await self.repeating(.inbox, "the inbox can't be read", every: 200) { try await $0.applyAll() }
            }
            group.addTask {
                await self.repeating(.trim, "the inbox can't be trimmed", every: 60_000) { service in
                    guard service.isEnabled else { return }
                    try await service.store.trimInbox(olderThan: Self.keepTime)
                }
            }
        }
    }

    /// Calls a closure repeatedly. After failures, the pauses between the calls increase up to 10 seconds.
    private func repeating(
        _ work: SQLMetrics.Work,
        _ failureText: Logger.Message,
        every pause: Int,
        _ body: (SQLService) async throws -> Void
    ) async {
        var failures = 0
        while !Task.isCancelled {
            do {
                try await body(self)
                failures = 0
            } catch {
                if failures == 0 { logger.error(failureText, metadata: ["reason": "\(error)"]) }
                failures += 1
                metrics.failed(work)
            }
            let time = failures == 0 ? pause : max(pause, min(250 << min(failures, 6), 10_000))
            try? await Task.sleep(for: .milliseconds(time))
        }
    }

    private var isEnabled: Bool { accounts.served.all.contains { $0.sql != nil } }

    // MARK: Upkeep

    private struct Known: Hashable {
        var app: String
        var sql: ServedApp.SQL
    }

    private let known = Mutex<(done: Set<Known>, rounds: Int)>(([], 0))

    /// Updates apps whose settings or classes have changed, and all apps once a minute.
    private func follow() async throws {
        let isRound = known.withLock { known in
            known.rounds += 1
            return known.rounds % 60 == 1
        }
        var failure: (any Error)?
        for app in accounts.served.all {
            guard let sql = app.sql else { continue }
            let state = Known(app: app.id, sql: sql)
            guard isRound || !known.withLock({ $0.done.contains(state) }) else { continue }
            let start = DispatchTime.now()
            do {
                let upkeep = try await store.follow(app: app.id, sql.schema, views: sql.settings.views)
                known.withLock { known in
                    known.done = known.done.filter { $0.app != app.id }
                    known.done.insert(state)
                }
                metrics.note(app.id, isCurrent: true)
                guard let upkeep else { continue }
                metrics.updated(app.id, since: start)
                logger.notice(
                    "what SQL reads was updated",
                    metadata: [
                        "app": "\(app.id)", "objects": "\(upkeep.objects)",
                        "views": "\(upkeep.views?.changes ?? 0)",
                    ]
                )
            } catch {
                metrics.note(app.id, isCurrent: false)
                failure = error
            }
        }
        if let failure { throw failure }
    }

    // MARK: The inbox

    /// Applies all waiting rows. Streams take turns.
    private func applyAll() async throws {
        guard isEnabled else { return }
        var last = Int64.min
        // The ages of the oldest rows, by app.
        var ages: [String: Int64] = [:]
        defer { metrics.look(ages) }
        while !Task.isCancelled, let stream = try await store.nextInbox(after: last) {
            last = stream.number
            try await apply(stream, &ages)
        }
    }

    private func apply(_ stream: InboxStream, _ ages: inout [String: Int64]) async throws {
        guard try await store.claimInbox(of: stream.number) else { return }
        var size = Self.batchRows
        for _ in 0..<Self.batches {
            let rows = try await store.inboxRows(of: stream.number)
            guard !rows.isEmpty, !Task.isCancelled else { return }
            guard let name = stream.name else {
                let results = rows.map {
                    InboxResult(id: $0.id, version: 0, refused: "malformed: there is no such stream")
                }
                try await store.finishInbox(results, of: stream.number)
                continue
            }
            let id = name.app.string
            ages[id] = max(ages[id] ?? 0, rows.lazy.map(\.age).max() ?? 0)
            // Another server may serve the app.
            guard let app = node.app(name.app) else { return }
            for user in Set(rows.map(\.user)) where !user.isEmpty { try await note(user, id) }
            let start = DispatchTime.now()
            let writer = InboxWriter(
                store: store,
                stream: stream,
                name: name,
                app: app,
                node: node,
                writers: writers,
                metrics: metrics
            )
            let count = try await Self.onThread { [size] in try writer.apply(rows, atMost: size) }
            metrics.applied(id, since: start)
            node.look(at: name)
            // A smaller batch is more likely to be merged before another server commits.
            guard count > 0 else {
                guard size > 1 else { return }
                size = max(size / 10, 1)
                continue
            }
            guard try await store.claimInbox(of: stream.number) else { return }
        }
    }

    /// Records the data of a user for rules.
    private func note(_ id: String, _ app: String) async throws {
        guard let user = try await accounts.store.user(id), user.app == app, !user.isDisabled else { return }
        accounts.members.note(user.id, user.app)
        accounts.served.note(user)
    }

    /// Runs a blocking closure on a separate thread.
    private static func onThread<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "freehold.server.inbox").async {
                continuation.resume(with: Swift.Result { try body() })
            }
        }
    }
}
