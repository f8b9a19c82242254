import Synchronization

/// Which apps those may use who came with a token since the process began. A token of one app opens no other, and one that the settings trust
/// opens the apps that the settings say.
final class AccountMembers: Sendable {
    private struct Member {
        /// Of a user with an account.
        var app: String?
        /// Whether a token named it that the settings trust.
        var isOutside = false
    }

    private struct State {
        var members: [String: Member] = [:]
        /// Users who weren't connected when that was looked at last.
        var gone: Set<String> = []
    }

    private let state = Mutex(State())
    /// Where tokens count that the settings trust. Nil: everywhere.
    private let outside: Set<String>?

    init(outside: Set<String>?) { self.outside = outside }

    /// Somebody came with an access token of an app.
    func note(_ user: String, _ app: String) { note(user) { $0.app = app } }

    /// Somebody came with a token that the settings trust.
    func noteOutside(_ user: String) { note(user) { $0.isOutside = true } }

    private func note(_ user: String, _ change: (inout Member) -> Void) {
        state.withLock { state in
            change(&state.members[user, default: Member()])
            state.gone.remove(user)
        }
    }

    /// Whether tokens count there that the settings trust.
    func takesOutside(_ app: String) -> Bool { outside?.contains(app) ?? true }

    /// Whom nobody noted is a member of nothing.
    func isMember(_ user: String, of app: String) -> Bool {
        guard let member = state.withLock({ $0.members[user] }) else { return false }
        return member.app == app || (member.isOutside && takesOutside(app))
    }

    /// Forgets who wasn't connected now and the last time: who comes is noted just before.
    func forget(but connected: Set<String>) {
        state.withLock { state in
            let gone = Set(state.members.keys).subtracting(connected)
            for user in gone.intersection(state.gone) { state.members[user] = nil }
            state.gone = gone.subtracting(state.gone)
        }
    }

    var count: Int { state.withLock { $0.members.count } }
}

/// Takes the tokens that the settings trust, and notes whom they name.
///
/// The id of an account is refused as a name: such a token would open what the account has in its own app.
struct OutsideAuthenticator: Authenticator {
    let links: AuthenticatorChain
    let members: AccountMembers
    let store: AccountStore

    func identify(_ token: String) async throws -> Identity? {
        guard let identity = try await links.identify(token) else { return nil }
        guard try await !store.hasUser(identity.user) else { throw TokenRefusal("the token names an account") }
        members.noteOutside(identity.user)
        return identity
    }
}
