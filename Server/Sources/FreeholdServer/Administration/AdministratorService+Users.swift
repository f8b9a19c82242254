import Foundation
import FreeholdBSON
import FreeholdHTTP
import FreeholdSyncCore
import Logging
import NIOHTTP1

/// Users of an app. The commands `freehold-server user …` do the same.
extension AdministratorService {
    var userRoutes: [HTTPRoute] {
        [
            route(.GET, "users/{app}", operation: "adminUsers") { [self] in try await users($0) },
            route(.GET, "users/{app}/{user}", operation: "adminUser") { [self] request in
                try await user(request).document
            },
            route(.DELETE, "users/{app}/{user}", operation: "adminDeleteUser") { [self] request in
                try await change(request, "deleted a user") { try await $0.deleteUser($1.id) }
            },
            route(.POST, "users/{app}/{user}/disable", operation: "adminDisableUser") { [self] request in
                try await change(request, "disabled a user") { try await $0.setDisabled(true, user: $1.id) }
            },
            route(.POST, "users/{app}/{user}/enable", operation: "adminEnableUser") { [self] request in
                try await change(request, "enabled a user") { try await $0.setDisabled(false, user: $1.id) }
            },
            route(.POST, "users/{app}/{user}/log-out", operation: "adminLogOutUser") { [self] request in
                try await change(request, "ended the log-ins of a user") { try await $0.logOut(user: $1.id) }
            },
            route(.PUT, "users/{app}/{user}/data", operation: "adminSetUserData") { [self] request in
                let data = String(decoding: request.request.body, as: UTF8.self)
                return try await change(request, "replaced the custom data of a user") {
                    try await $0.setCustomData(data, user: $1.id)
                }
            },
            route(.PUT, "users/{app}/{user}/password", operation: "adminSetUserPassword") { [self] request in
                guard let password = try request.document()["password"]?.stringValue else {
                    throw DocumentFailure.bad("The body has a text 'password'.")
                }
                let hasher = accounts?.hasher ?? PasswordHasher()
                return try await change(request, "set the password of a user") {
                    try await $0.setPassword(password, user: $1, hasher: hasher)
                }
            },
        ]
    }

    /// - Throws: `DocumentFailure` if the server or the app has no accounts.
    func storage(of app: String) async throws -> any AccountStorage {
        guard let accounts else { throw AdministratorFailure.noAccounts }
        // In development mode, the apps of the settings have users, too.
        guard accounts.served[app] != nil || node.app(SyncString(app)) != nil else { throw AdministratorFailure.noApp }
        return accounts.store
    }

    private func users(_ request: AdministratorRequest) async throws -> BSONDocument {
        let limit = try request.number("limit", 1...Self.mostEntries, default: 100)
        let found = try await storage(of: request["app"]).users(
            of: request["app"],
            matching: request.text("text") ?? "",
            after: request.text("after"),
            limit: limit + 1
        )
        let connected = try await snapshots.snapshot().rows.reduce(into: [SyncString: Int]()) {
            $0[$1.figures.user, default: 0] += 1
        }
        return [
            "users": .array(
                found.prefix(limit).map { user in
                    var document = user.document
                    document["sessions"] = .int64(Int64(connected[SyncString(user.id)] ?? 0))
                    return .document(document)
                }
            ),
            "more": .bool(found.count > limit),
        ]
    }

    /// - Throws: `DocumentFailure` if the app has no such user.
    func user(_ request: AdministratorRequest) async throws -> AccountUser {
        let storage = try await storage(of: request["app"])
        guard let user = try await storage.user(request["user"]), user.app == request["app"] else {
            throw AdministratorFailure.noUser
        }
        return user
    }

    /// Changes a user, and writes the change to the log.
    private func change(
        _ request: AdministratorRequest,
        _ what: String,
        _ body: (any AccountStorage, AccountUser) async throws -> Void
    ) async throws -> BSONDocument {
        let author = try request.author()
        let user = try await user(request)
        try await body(try await storage(of: user.app), user)
        audit(author, what, ["app": "\(user.app)", "user": "\(user.id)"])
        return ["done": true]
    }

    /// Writes a change by an administrator to the log.
    func audit(_ author: String, _ what: String, _ metadata: Logger.Metadata) {
        var metadata = metadata
        metadata["administrator"] = "\(author)"
        logger.notice("an administrator \(what)", metadata: metadata)
    }
}

extension AdministratorRequest {
    /// Returns the name of the administrator, for the log.
    ///
    /// - Throws: `DocumentFailure` if the request has no name.
    func author() throws -> String {
        let names = request.head.headers["Freehold-Administrator"]
        guard names.count == 1, let name = names.first, (1...64).contains(name.utf8.count) else {
            throw DocumentFailure.bad("A change names its author in the header 'Freehold-Administrator'.")
        }
        return name
    }
}

extension AccountStorage {
    /// Replaces the password of a user with an email address, and ends the user's log-ins.
    ///
    /// - Throws: `AccountError` if the user has no password, or if the new one is too short.
    package func setPassword(_ password: String, user: AccountUser) async throws {
        try await setPassword(password, user: user, hasher: PasswordHasher())
    }

    func setPassword(_ password: String, user: AccountUser, hasher: PasswordHasher) async throws {
        let checked = try AccountName.checkedPassword(password)
        guard let name = user.email, let known = try await identity(user.app, .emailPassword, name) else {
            throw AccountError.bad("the user doesn't log in with a password")
        }
        let hash = try await hasher.hash(checked)
        try await replacePassword(of: name, in: user.app, known.password, by: hash)
        try await logOut(user: user.id)
    }
}

extension AccountUser {
    fileprivate var document: BSONDocument {
        [
            "id": .string(id), "app": .string(app), "disabled": .bool(isDisabled),
            "created": .int64(Int64(created.timeIntervalSince1970 * 1_000)), "data": .string(customData),
            "identities": .array(
                identities.prefix(20).map { identity in
                    [
                        "provider": .string(identity.provider), "name": .string(identity.name.shortened),
                        "confirmed": .bool(identity.isConfirmed),
                    ]
                }
            ),
        ]
    }
}
