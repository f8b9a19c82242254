public import Foundation
import Freehold

/// A device that receives push messages.
public struct PushRegistration: Hashable, Sendable {
    public var app: String
    public var user: String
    /// The log-in with which the device was registered. The registration ends with it.
    public var login: String
    /// The name of the service in the client's request, such as `gcm`.
    public var service: String
    /// The token that the device's operating system gave the app. Only a sender of messages needs it.
    public var token: String
    public var created: Date

    package init(app: String, user: String, login: String, service: String, token: String, created: Date) {
        (self.app, self.user, self.login) = (app, user, login)
        (self.service, self.token, self.created) = (service, token, created)
    }
}

/// The devices that receive push messages. The server stores them for a program that sends messages.
extension AccountStore {
    /// The largest number of registrations of a user. A further one replaces the oldest.
    package static let pushesPerUser = 20

    /// Stores a registration, in place of an earlier one of the log-in at the service, and of other users' registrations
    /// with the token.
    package func register(app: String, user: String, login: String, service: String, token: String) async throws {
        let now = now()
        let key = Self.pushKey(app: app, service: service, token: token)
        try await write { realm in
            // The log-in may have ended since the token of the request was checked.
            guard !realm.objects(StoredSession.self).where({ $0.login == login && $0.user == user }).isEmpty else {
                throw AccountError.invalidSession
            }
            let own = realm.objects(StoredPush.self).where { $0.user == user }
            if let known = realm.object(ofType: StoredPush.self, forPrimaryKey: key), known.login == login { return }
            realm.delete(own.where { $0.login == login && $0.service == service })
            if own.count >= Self.pushesPerUser, realm.object(ofType: StoredPush.self, forPrimaryKey: key) == nil,
                let oldest = own.sorted(byKeyPath: "created").first
            {
                realm.delete(oldest)
            }
            let stored = StoredPush()
            (stored.key, stored.app, stored.user, stored.login) = (key, app, user, login)
            (stored.service, stored.token, stored.created) = (service, token, now)
            realm.add(stored, update: .modified)
        }
    }

    /// Returns the key of the registrations with a token.
    package static func pushKey(app: String, service: String, token: String) -> String {
        SecretDigest.hexadecimal("\(app)\0\(service)\0\(token)")
    }

    /// Deletes the registrations of a log-in at a service.
    package func unregister(login: String, service: String) async throws {
        try await write { realm in
            realm.delete(realm.objects(StoredPush.self).where { $0.login == login && $0.service == service })
        }
    }

    /// Returns the registrations of an app's users, the oldest first.
    ///
    /// - Parameter user: A user, or `nil` for all.
    public func pushRegistrations(of app: String, user: String? = nil) async throws -> [PushRegistration] {
        try await work { realm in
            let all = realm.objects(StoredPush.self).where { $0.app == app }
            return (user.map { user in all.where { $0.user == user } } ?? all).sorted(byKeyPath: "created").map {
                PushRegistration(
                    app: $0.app,
                    user: $0.user,
                    login: $0.login,
                    service: $0.service,
                    token: $0.token,
                    created: $0.created
                )
            }
        }
    }

    /// Deletes the registrations of a user that is deleted.
    static func deletePushes(of user: String, _ realm: Realm) {
        realm.delete(realm.objects(StoredPush.self).where { $0.user == user })
    }

    /// Deletes the registrations of a log-in that ends.
    static func deletePushes(ofLogin login: String, _ realm: Realm) {
        realm.delete(realm.objects(StoredPush.self).where { $0.login == login })
    }
}
