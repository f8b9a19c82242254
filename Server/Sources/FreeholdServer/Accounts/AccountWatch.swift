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
        var (seen, hasFailed, isSecond): (UInt64?, Bool, Bool) = (nil, false, false)
        var looks = 0
        while !Task.isCancelled {
            do {
                let version = try await accounts.store.version()
                // Twice: a token may have been found good just before, and its connection not be there yet.
                if version != seen || isSecond {
                    try await follow()
                    (seen, isSecond) = (version, version != seen)
                }
                hasFailed = false
                looks += 1
                if looks % 180 == 0 {
                    let connected = try await node.connectedUsers()
                    for app in accounts.served.all { app.forget(but: connected) }
                }
            } catch {
                if !hasFailed { logger.error("accounts can't be read", metadata: ["reason": "\(error)"]) }
                hasFailed = true
            }
            try? await Task.sleep(for: .milliseconds(333))
        }
    }

    private func follow() async throws {
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
            for user in try await accounts.store.users(app.users) { app.note(RuleUser(user)) }
        }
        for app in served.all { users.formUnion(app.takeChanged().map { SyncString($0) }) }
        revisions.withLock { $0 = now }
        node.setApps(settings.nodeApps(apps, accounts.members, served))
        for app in binding { node.schemaChanged(of: app) }
        if isAnother { await followSinks() }
        if isAnother { node.rightsChanged(of: nil) } else if !users.isEmpty { node.rightsChanged(of: users) }
        let ended = try await accounts.store.ended(among: node.logins())
        if !ended.isEmpty { try await node.end(ended) }
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
