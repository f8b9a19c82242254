import FreeholdSyncCore
import FreeholdSyncRules
import Logging
import Synchronization

/// Applies changes of accounts to a node, whichever process makes them. Apps are added and removed, and connections end with the log-in that
/// opened them.
///
/// Notes in the file name the log-ins that have ended. If a note is missing, all log-ins of the node's connections are looked up once.
final class AccountWatch: Sendable {
    let node: ServerNode
    let accounts: AccountService
    /// The settings of the server, without the apps that have accounts.
    let settings: ServerSettings
    let logger: Logger
    /// The service of sinks. Nil if documents aren't in files.
    let ingest: IngestService?
    /// The last known revisions of apps.
    private let revisions = Mutex<[String: AppRevision]>([:])
    /// The apps that the node was given.
    private let apps = Mutex<[AccountApp]?>(nil)
    /// The numbers of log-ins and users that were looked up since the start.
    let looks = Looks()
    /// The maximum number of log-ins or users that are looked up in one piece. Other requests can run between two pieces.
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

    /// Reads the version of the accounts' file three times a second, and reads more only if the version has changed.
    func run() async {
        followSchemas()
        await followSinks()
        defer { accounts.served.onChange { _ in } }
        var (seen, hasFailed): (UInt64?, Bool) = (nil, false)
        // It isn't known which log-ins ended before the start.
        var (ended, rounds) = (EndedLogins.any, 1)
        var looks = 0
        while !Task.isCancelled {
            do {
                let version = try await accounts.store.version()
                if version != seen {
                    let new = try await follow()
                    // Connections are checked twice. A token may have been accepted just before its log-in ended, and its connection may not be
                    // registered yet.
                    if !new.isEmpty { rounds = 2 }
                    ended.formUnion(new)
                }
                seen = version
                if rounds > 0 {
                    try await endConnections(of: ended)
                    rounds -= 1
                    if rounds == 0 { ended = .these([]) }
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

    /// - Returns: the log-ins that have ended.
    private func follow() async throws -> EndedLogins {
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
        let ended = try await endings(since: known, now)
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
        return ended
    }

    /// Returns the log-ins that have ended since the revisions that were seen last.
    ///
    /// - Complexity: O(apps, log-ins that ended)
    private func endings(since known: [String: AppRevision], _ now: [String: AppRevision]) async throws -> EndedLogins {
        // The first check looks up all log-ins, and needs no notes.
        guard !known.isEmpty else { return .these([]) }
        var ended = EndedLogins.these([])
        for (id, revision) in now where known[id]?.endings != revision.endings {
            let store = accounts.store
            let found = try await store.endings(of: id, after: known[id]?.endings, through: revision.endings)
            ended.formUnion(found.map { .these($0) } ?? .any)
        }
        // An app was deleted, and all of its users were, too.
        if known.keys.contains(where: { now[$0] == nil }) { ended = .any }
        return ended
    }

    /// Ends the connections of log-ins that have ended.
    ///
    /// - Parameter candidates: The log-ins that are looked up.
    private func endConnections(of candidates: EndedLogins) async throws {
        let logins: Set<String> = if case .these(let logins) = candidates { logins } else { try await node.logins() }
        for piece in Self.pieces(Array(logins)) {
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

    /// Updates served apps when they have adopted classes.
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
