import Foundation
import Freehold

/// The result of an import of users.
public struct UserImportReport: Hashable, Sendable {
    /// The numbers of users.
    public var created = 0
    public var changed = 0
    public var unchanged = 0
    /// The log-ins by email without a password. Their users have to reset it.
    public var withoutPassword = 0
    /// The first parts that weren't imported, as one line each.
    public private(set) var refusals: [String] = []
    public private(set) var refusalCount = 0

    public init() {}

    package mutating func refuse(_ line: String) {
        refusalCount += 1
        if refusals.count < 100 { refusals.append(line) }
    }

    /// Adds the report of another part of the import.
    public mutating func add(_ other: UserImportReport) {
        created += other.created
        changed += other.changed
        unchanged += other.unchanged
        withoutPassword += other.withoutPassword
        refusals += other.refusals.prefix(max(100 - refusals.count, 0))
        refusalCount += other.refusalCount
    }
}

/// The import of users with their ids.
extension AccountStore {
    /// The number of users that one transaction imports.
    private static let importedUsers = 200

    /// Imports users of an app.
    ///
    /// An existing user with an id receives the identities and keys that it lacks, and the custom data of the document. Its
    /// password isn't changed, because the user may have changed it. An import can therefore be repeated.
    ///
    /// - Parameter isDry: A Boolean value that indicates whether nothing is written.
    /// - Throws: `AccountError` if the app doesn't exist, and the errors of Freehold. The users of earlier transactions are
    ///   imported then.
    public func importUsers(_ users: [ImportedUser], app: String, isDry: Bool = false) async throws -> UserImportReport
    {
        var report = UserImportReport()
        for start in stride(from: 0, to: users.count, by: Self.importedUsers) {
            let part = Array(users[start..<min(start + Self.importedUsers, users.count)])
            report.add(try await importPart(part, app, isDry: isDry))
        }
        return report
    }

    private func importPart(_ users: [ImportedUser], _ app: String, isDry: Bool) async throws -> UserImportReport {
        struct Undone: Error { let report: UserImportReport }
        let now = now()
        do {
            return try await write { realm in
                // A dry run is possible before the app exists.
                guard isDry || realm.object(ofType: StoredApp.self, forPrimaryKey: app) != nil else {
                    throw AccountError.noApp
                }
                var report = UserImportReport()
                for user in users { Self.add(user, to: app, in: realm, at: now, report: &report) }
                guard isDry else { return report }
                throw Undone(report: report)
            }
        } catch let undone as Undone { return undone.report }
    }

    private static func add(
        _ user: ImportedUser,
        to app: String,
        in realm: Realm,
        at now: Date,
        report: inout UserImportReport
    ) {
        let known = realm.object(ofType: StoredUser.self, forPrimaryKey: user.id)
        if let known, known.app != app {
            report.refuse("user \(user.id): another app has a user with this id")
            return
        }
        let stored = known ?? StoredUser()
        var isChanged = false
        if known == nil {
            (stored.id, stored.app, stored.created) = (user.id, app, user.created ?? now)
            (stored.isDisabled, stored.customData) = (user.isDisabled, user.customData ?? "{}")
            // Documents may belong to the user, so no other user may take its identities over.
            stored.hasLoggedIn = true
            realm.add(stored)
        } else if let data = user.customData, data != stored.customData {
            stored.customData = data
            isChanged = true
        }
        for identity in user.identities {
            let key = StoredIdentity.key(app, identity.provider, identity.name)
            if let other = realm.object(ofType: StoredIdentity.self, forPrimaryKey: key) {
                if other.user != user.id {
                    let name = "\(identity.provider.rawValue) \(identity.name)"
                    report.refuse("user \(user.id): the user \(other.user) has the log-in \(name)")
                }
                continue
            }
            let row = StoredIdentity()
            (row.key, row.app, row.user, row.name) = (key, app, user.id, identity.name)
            row.identifier = identity.identifier ?? AccountSecret.identifier(now)
            (row.provider, row.password) = (identity.provider.rawValue, identity.passwordHash ?? "")
            (row.isConfirmed, row.profile) = (identity.isConfirmed, identity.profile)
            realm.add(row)
            isChanged = true
            if identity.provider == .emailPassword, identity.passwordHash == nil { report.withoutPassword += 1 }
        }
        for key in user.keys where add(key, of: user, to: app, in: realm, at: now, report: &report) { isChanged = true }
        if isChanged { note(stored, realm) }
        if known == nil { report.created += 1 } else if isChanged { report.changed += 1 } else { report.unchanged += 1 }
    }

    /// - Returns: A Boolean value that indicates whether the key was added.
    private static func add(
        _ key: ImportedUser.Key,
        of user: ImportedUser,
        to app: String,
        in realm: Realm,
        at now: Date,
        report: inout UserImportReport
    ) -> Bool {
        let (owner, name, digest) = (user.id, key.name, key.digest)
        if let known = realm.objects(StoredAPIKey.self).where({ $0.digest == digest }).first {
            if known.user != owner { report.refuse("user \(owner): the API key '\(name)' belongs to \(known.user)") }
            return false
        }
        let own = realm.objects(StoredAPIKey.self).where { $0.user == owner }
        let id = key.identifier ?? AccountSecret.identifier(now)
        guard own.where({ $0.name == name }).isEmpty, own.count < keysPerUser,
            realm.object(ofType: StoredAPIKey.self, forPrimaryKey: id) == nil
        else {
            report.refuse(
                "user \(owner): another API key has the name or the id of '\(name)', or the user has too many"
            )
            return false
        }
        let stored = StoredAPIKey()
        (stored.id, stored.digest, stored.user, stored.app) = (id, digest, owner, app)
        (stored.name, stored.isDisabled) = (name, key.isDisabled)
        realm.add(stored)
        return true
    }
}
