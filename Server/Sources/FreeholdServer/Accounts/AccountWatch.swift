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
    /// The service of sinks. `nil` if the store has no objects for sinks, because it keeps documents in memory.
    let ingest: IngestService?
    /// The apps that were last passed to the node.
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

    /// Checks for changes three times a second, and reads data only if something has changed.
    func run() async {
        followSchemas()
        await followSinks()
        defer { accounts.served.onChange { _ in } }
        var (seen, failures): ((any AccountPosition)?, Int) = (nil, 0)
        // It isn't known which log-ins ended before the start.
        var (ended, rounds) = (EndedLogins.any, 1)
        var looks = 0
        while !Task.isCancelled {
            do {
                let (changes, position) = try await accounts.store.changes(after: seen)
                if let changes {
                    try await follow(changes)
                    // Connections are checked twice. A token may have been accepted just before its log-in ended, and its connection may not be
                    // registered yet.
                    if !changes.ended.isEmpty { rounds = 2 }
                    ended.formUnion(changes.ended)
                }
                seen = position
                if rounds > 0 {
                    try await endConnections(of: ended)
                    rounds -= 1
                    if rounds == 0 { ended = .these([]) }
                }
                failures = 0
                looks += 1
                if looks % 180 == 0 {
                    let connected = try await node.connectedUsers()
                    for app in accounts.served.all { app.forget(but: connected) }
                    accounts.members.forget(but: connected)
                }
            } catch {
                // At once, and then a line a minute.
                if failures % 180 == 0 { logger.error("accounts can't be read", metadata: ["reason": "\(error)"]) }
                failures += 1
            }
            try? await Task.sleep(for: .milliseconds(333))
        }
    }

    /// Applies changes of apps and users to the node.
    private func follow(_ changes: AccountChanges) async throws {
        let apps = try await accounts.store.apps()
        let served = accounts.served
        var (isAnother, users, binding): (Bool, Set<SyncString>, [String]) = (false, [], [])
        for id in apps.map(\.id) {
            if changes.documents.contains(id) || served[id] == nil {
                switch served.update(id, try await accounts.store.documents(of: id)) {
                case .none: break
                case .rights: isAnother = true
                case .schema: (isAnother, binding) = (true, binding + [id])
                }
            }
            guard let changed = changes.users[id], let app = served[id] else { continue }
            try await note(changed, of: app)
        }
        for app in served.all { users.formUnion(app.takeChanged().map { SyncString($0) }) }
        let isOther = self.apps.withLock { last in
            defer { last = apps }
            return last != apps
        }
        // A log-in also changes the file, so the node is updated only if its apps have changed.
        if isOther || isAnother { node.setApps(settings.nodeApps(apps, accounts.members, served)) }
        for app in binding { node.schemaChanged(of: app) }
        if isAnother { await followSinks() }
        if isAnother { node.rightsChanged(of: nil) } else if !users.isEmpty { node.rightsChanged(of: users) }
    }

    /// Reads the data of users that may have changed and that the node uses.
    private func note(_ changed: ChangedUsers, of app: ServedApp) async throws {
        var (users, revision) = (app.users, Int.min)
        switch changed {
        case .since(let known): revision = known
        case .these(let ids): users.removeAll { !ids.contains($0) }
        case .all: break
        }
        for piece in Self.pieces(users) {
            for user in try await accounts.store.users(piece, changedSince: revision) {
                looks.users.add(1, ordering: .relaxed)
                app.note(RuleUser(user))
            }
        }
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
        logger.warning("sinks need documents in files or in PostgreSQL: nothing is delivered")
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
