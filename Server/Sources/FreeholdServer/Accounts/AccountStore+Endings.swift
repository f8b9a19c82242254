import Foundation
import Freehold

/// Notes of log-ins that have ended. Servers read them to end the connections of these log-ins.
extension AccountStore {
    /// The time for which notes are kept. A server that reads them later looks up all log-ins of its connections.
    static let endingTime: TimeInterval = 24 * 3_600

    /// Ends all log-ins of a user.
    static func endSessions(of user: String, _ realm: Realm, at now: Date) {
        let sessions = realm.objects(StoredSession.self).where { $0.user == user }
        noteEndings(Set(sessions.map(\.login)), of: user, realm, at: now)
        realm.delete(sessions)
    }

    /// Records that log-ins of a user end with the transaction.
    static func noteEndings(_ logins: Set<String>, of user: String, _ realm: Realm, at now: Date) {
        guard !logins.isEmpty, let id = realm.object(ofType: StoredUser.self, forPrimaryKey: user)?.app,
            let app = realm.object(ofType: StoredApp.self, forPrimaryKey: id)
        else { return }
        app.endingsRevision += 1
        let oldest = now.addingTimeInterval(-endingTime)
        realm.delete(realm.objects(StoredEnding.self).where { $0.created < oldest })
        for login in logins.sorted() {
            deletePushes(ofLogin: login, realm)
            let ending = StoredEnding()
            (ending.login, ending.app, ending.created) = (login, id, now)
            ending.revision = app.endingsRevision
            realm.add(ending, update: .modified)
        }
    }

    /// Returns the log-ins of an app that ended between two values of its `endingsRevision`. Returns `nil` if a note is missing.
    ///
    /// - Parameter known: The revision up to which the caller knows the endings. `nil` if the app was created after the caller's last call.
    /// - Complexity: O(log-ins that ended)
    func endings(of app: String, after known: Int?, through revision: Int) async throws -> Set<String>? {
        try await work { realm in
            let first = known ?? .min
            let notes = realm.objects(StoredEnding.self)
                .where { $0.revision > first && $0.revision <= revision && $0.app == app }
            if let known, Set(notes.map(\.revision)).count != revision - known { return nil }
            return Set(notes.map(\.login))
        }
    }

    /// Returns the log-ins of a set that have ended.
    package func ended(among logins: Set<String>) async throws -> Set<String> {
        try await work { realm in
            logins.filter { login in realm.objects(StoredSession.self).where { $0.login == login }.isEmpty }
        }
    }
}

/// The log-ins that may have ended since a server's last check.
package enum EndedLogins: Hashable, Sendable {
    case these(Set<String>)
    /// Any log-in.
    case any

    var isEmpty: Bool { self == .these([]) }

    package mutating func formUnion(_ other: EndedLogins) {
        guard case .these(let own) = self, case .these(let new) = other else {
            self = .any
            return
        }
        self = .these(own.union(new))
    }
}
