import Synchronization

/// The apps that users may use. A user is recorded here when it presents a token to this process. A token of one app
/// gives no access to another app. A token of an issuer in the settings gives access to the apps that the settings
/// name.
final class AccountMembers: Sendable {
    private struct Member {
        /// The app of the user's account, for a user with an account.
        var app: String?
        /// A Boolean value that indicates whether a token of an issuer in the settings named the user.
        var isOutside = false
    }

    private struct State {
        var members: [String: Member] = [:]
        /// The users without a connection at the last check.
        var gone: Set<String> = []
    }

    private let state = Mutex(State())
    /// The apps in which tokens of issuers in the settings are valid. `nil` for all apps.
    private let outside: Set<String>?

    init(outside: Set<String>?) { self.outside = outside }

    /// Records that a user presented an access token of an app.
    func note(_ user: String, _ app: String) { note(user) { $0.app = app } }

    /// Records that a user presented a token of an issuer in the settings.
    func noteOutside(_ user: String) { note(user) { $0.isOutside = true } }

    private func note(_ user: String, _ change: (inout Member) -> Void) {
        state.withLock { state in
            change(&state.members[user, default: Member()])
            state.gone.remove(user)
        }
    }

    /// Returns whether tokens of issuers in the settings are valid in an app.
    func takesOutside(_ app: String) -> Bool { outside?.contains(app) ?? true }

    /// Returns whether a user may use an app. A user without a record may use no app.
    func isMember(_ user: String, of app: String) -> Bool {
        guard let member = state.withLock({ $0.members[user] }) else { return false }
        return member.app == app || (member.isOutside && takesOutside(app))
    }

    /// Removes the users that had no connection at the last call and have none now. A user that had a connection at the
    /// last call, or that was recorded after it, is kept, because it may be about to connect.
    func forget(but connected: Set<String>) {
        state.withLock { state in
            let gone = Set(state.members.keys).subtracting(connected)
            for user in gone.intersection(state.gone) { state.members[user] = nil }
            state.gone = gone.subtracting(state.gone)
        }
    }

    var count: Int { state.withLock { $0.members.count } }
}

/// An authenticator for tokens of issuers in the settings. It records the users that the tokens name.
///
/// A token that names the id of an account is refused, because it would give access to the data of the account in its
/// own app.
struct OutsideAuthenticator: Authenticator {
    let links: AuthenticatorChain
    let members: AccountMembers
    let store: any AccountStorage

    func identify(_ token: String) async throws -> Identity? {
        guard let identity = try await links.identify(token) else { return nil }
        guard try await !store.hasUser(identity.user) else { throw TokenRefusal("the token names an account") }
        members.noteOutside(identity.user)
        return identity
    }
}
