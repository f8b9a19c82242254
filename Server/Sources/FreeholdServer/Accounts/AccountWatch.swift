import Logging

/// Has a node follow its accounts, whichever process changes them: apps come and go, and connections end with the log-in that opened them.
struct AccountWatch: Sendable {
    let node: ServerNode
    let accounts: AccountService
    /// Without the apps that have accounts.
    let settings: ServerSettings
    let logger: Logger

    /// Looks at the file's version three times a second, and at more only where that is another one.
    func run() async {
        var (seen, hasFailed, isSecond): (UInt64?, Bool, Bool) = (nil, false, false)
        while !Task.isCancelled {
            do {
                let version = try await accounts.store.version()
                // Twice: a token may have been found good just before, and its connection not be there yet.
                if version != seen || isSecond {
                    try await follow()
                    (seen, isSecond) = (version, version != seen)
                }
                hasFailed = false
            } catch {
                if !hasFailed { logger.error("accounts can't be read", metadata: ["reason": "\(error)"]) }
                hasFailed = true
            }
            try? await Task.sleep(for: .milliseconds(333))
        }
    }

    private func follow() async throws {
        node.setApps(settings.nodeApps(try await accounts.store.apps(), members: accounts.members))
        let ended = try await accounts.store.ended(among: node.logins())
        if !ended.isEmpty { try await node.end(ended) }
    }
}
