import Synchronization

/// Which app the users are of who came with an access token since the process began. A token of one app opens no other.
final class AccountMembers: Sendable {
    private let apps = Mutex<[String: String]>([:])

    func note(_ user: String, _ app: String) { apps.withLock { $0[user] = app } }

    /// Users whom another token named belong to all apps.
    func isMember(_ user: String, of app: String) -> Bool { apps.withLock { $0[user].map { $0 == app } ?? true } }
}
