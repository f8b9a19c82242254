import FreeholdSyncCore
import FreeholdSyncRules
import Logging
import Synchronization

/// Has a node follow its accounts, whichever process changes them: apps come and go, and connections end with the log-in that opened them.
final class AccountWatch: Sendable {
    let node: ServerNode
    let accounts: AccountService
    /// Without the apps that have accounts.
    let settings: ServerSettings
    let logger: Logger
    /// Nil if documents aren't in files.
    let ingest: IngestService?
    /// Of apps, as they were seen last.
    private let revisions = Mutex<[String: AppRevision]>([:])
    /// The apps that the node was given.
    private let apps = Mutex<[AccountApp]?>(nil)
    /// What was looked at since it began.
    let looks = Looks()
    /// Log-ins and users that are looked at together: requests get their turn in between.
    private static let piece = 250

    final class Looks: Sendable {
        let logins = Atomic(0)
        let users = Atomic(0)
    }

    init(
        node: ServerNode,
        accounts: AccountService,
        settings: ServerSettings,
        logger: Logger,
        ingest: IngestService?
    ) {
        (self.node, self.accounts, self.settings, self.logger) = (node, accounts, settings, logger)
        self.ingest = ingest
    }

    /// Looks at the file's version three times a second, and at more only where that is another one.
    func run() async {
        followSchemas()
        await followSinks()
        defer { accounts.served.onChange { _ in } }
        var (seen, hasFailed, rounds): (UInt64?, Bool, Int) = (nil, false, 1)
        var looks = 0
        while !Task.isCancelled {
            do {
                let version = try await accounts.store.version()
                // Twice: a token may have been found good just before, and its connection not be there yet.
                if version != seen, try await follow() { rounds = 2 }
                seen = version
                if rounds > 0 {
                    try await endConnections()
                    rounds -= 1
                }
                hasFailed = false
                looks += 1
                if looks % 180 == 0 {
                    let connected = try await node.connectedUsers()
                    for app in accounts.served.all { app.forget(but: connected) }
                    accounts.members.forget(but: connected)
                }
            } catch {
                if !hasFailed { logger.error("accounts can't be read", metadata: ["reason": "\(error)"]) }
                hasFailed = true
            }
            try? await Task.sleep(for: .milliseconds(333))
        }
    }

    /// - Returns: whether log-ins have ended.
    private func follow() async throws -> Bool {
        let apps = try await accounts.store.apps()
        let (known, now) = (revisions.withLock { $0 }, try await accounts.store.revisions())
        let served = accounts.served
        var (isAnother, users, binding): (Bool, Set<SyncString>, [String]) = (false, [], [])
        for (id, revision) in now where known[id] != revision || served[id] == nil {
            if known[id]?.documents != revision.documents || served[id] == nil {
                switch served.update(id, try await accounts.store.documents(of: id)) {
                case .none: break
                case .rights: isAnother = true
                case .schema: (isAnother, binding) = (true, binding + [id])
                }
            }
            guard known[id]?.users != revision.users, let app = served[id] else { continue }
            for piece in Self.pieces(app.users) {
                for user in try await accounts.store.users(piece, changedSince: known[id]?.users ?? 0) {
                    looks.users.add(1, ordering: .relaxed)
                    app.note(RuleUser(user))
                }
            }
        }
        for app in served.all { users.formUnion(app.takeChanged().map { SyncString($0) }) }
        revisions.withLock { $0 = now }
        let isOther = self.apps.withLock { last in
            defer { last = apps }
            return last != apps
        }
        // A log-in writes to the file, too.
        if isOther || isAnother { node.setApps(settings.nodeApps(apps, accounts.members, served)) }
        for app in binding { node.schemaChanged(of: app) }
        if isAnother { await followSinks() }
        if isAnother { node.rightsChanged(of: nil) } else if !users.isEmpty { node.rightsChanged(of: users) }
        return known.contains { now[$0.key]?.endings != $0.value.endings }
    }

    /// Ends the connections of log-ins that have ended.
    private func endConnections() async throws {
        for piece in Self.pieces(Array(try await node.logins())) {
            looks.logins.add(piece.count, ordering: .relaxed)
            let ended = try await accounts.store.ended(among: Set(piece))
            if !ended.isEmpty { try await node.end(ended) }
        }
    }

    private static func pieces(_ names: [String]) -> [[String]] {
        stride(from: 0, to: names.count, by: piece).map { Array(names[$0..<min($0 + piece, names.count)]) }
    }

    private func followSinks() async {
        let sinks = accounts.served.sinks
        if let ingest { return await ingest.follow(sinks) }
        guard sinks.values.contains(where: { !$0.isEmpty }) else { return }
        logger.warning("sinks need documents in files: nothing is handed on")
    }

    /// Serves apps whose classes changed while they were served.
    func followSchemas() {
        let (node, accounts, settings) = (node, accounts, settings)
        accounts.served.onChange { app in
            Task {
                guard let apps = try? await accounts.store.apps() else { return }
                node.setApps(settings.nodeApps(apps, accounts.members, accounts.served))
                if let app { node.schemaChanged(of: app) }
                node.rightsChanged(of: nil)
            }
        }
    }
}
