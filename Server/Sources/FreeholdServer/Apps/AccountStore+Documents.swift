import Foundation
import Freehold
import FreeholdEngine
import FreeholdSyncRules

/// The schemas and rules of apps. They are stored in the file of accounts, so that a running server applies changes
/// within a second.
extension AccountStore {
    /// - Throws: `AccountError` if the app doesn't exist, and the errors of Freehold and FreeholdBSON if the file is
    ///   damaged.
    public func documents(of app: String) async throws -> AppDocuments {
        try await work { realm in
            guard let stored = realm.object(ofType: StoredApp.self, forPrimaryKey: app) else {
                throw AccountError.noApp
            }
            return try AppDocuments(stored, realm)
        }
    }

    /// Changes the documents of an app in one transaction. A running server applies the changes within a second.
    ///
    /// - Returns: The changed documents.
    /// - Throws: `AccountError` if the app doesn't exist, `RuleError` if the documents don't fit each other, and the
    ///   errors of `body`. Then nothing is changed.
    @discardableResult
    public func changeDocuments(
        of app: String,
        _ body: @escaping @Sendable (inout AppDocuments) throws -> Void
    ) async throws -> AppDocuments {
        try await write { realm in
            guard let stored = realm.object(ofType: StoredApp.self, forPrimaryKey: app) else {
                throw AccountError.noApp
            }
            let old = try AppDocuments(stored, realm)
            let documents = try AppDocuments.changed(old, by: body)
            guard documents != old else { return documents }
            try documents.store(app, realm)
            stored.adoptsSchemas = documents.adoptsSchemas
            stored.documentsRevision += 1
            return documents
        }
    }

    /// Returns the revisions of all apps. A revision changes with the documents of the app, or with the data of its
    /// users that rules can see.
    func revisions() async throws -> [String: AppRevision] {
        try await work { realm in
            var revisions: [String: AppRevision] = [:]
            for app in realm.objects(StoredApp.self) {
                revisions[app.id] = AppRevision(
                    documents: app.documentsRevision,
                    users: app.usersRevision,
                    endings: app.endingsRevision
                )
            }
            return revisions
        }
    }

    /// Returns the users of a list whose data for rules has changed since a revision of their app.
    package func users(_ ids: [String], changedSince revision: Int) async throws -> [AccountUser] {
        try await work { realm in
            ids.compactMap { id in
                guard let user = realm.object(ofType: StoredUser.self, forPrimaryKey: id), user.revision > revision
                else { return nil }
                return AccountUser(user, realm)
            }
        }
    }

    /// - Parameter customData: A JSON object.
    /// - Throws: `AccountError` if the user doesn't exist, or if the text isn't a JSON object.
    public func setCustomData(_ customData: String, user: String) async throws {
        try AccountUser.check(customData: customData)
        try await write { realm in
            guard let stored = realm.object(ofType: StoredUser.self, forPrimaryKey: user) else {
                throw AccountError.noUser
            }
            stored.customData = customData
            Self.note(stored, realm)
        }
    }

    /// Records a change of a user that rules can see.
    static func note(_ user: StoredUser, _ realm: Realm) {
        guard let app = realm.object(ofType: StoredApp.self, forPrimaryKey: user.app) else { return }
        app.usersRevision += 1
        user.revision = app.usersRevision
    }
}

extension AccountStorage {
    /// Stores the classes of clients that a server adopted, as far as they still fit the stored documents.
    func adopt(_ tables: [TableSpec], app: String) async throws {
        // An app of the settings without accounts has no place to store them.
        guard try await self.app(app) != nil else { return }
        try await changeDocuments(of: app) { documents in
            let versions = try documents.versions()
            let known = versions.newest
            let adoption = try SchemaAdoption(server: known.tables, client: tables, mode: .development)
            guard adoption.isAccepted else {
                throw RuleError([], "They don't fit the schema that was pushed meanwhile.")
            }
            try documents.adopt(versions.pushing(adoption.tables, as: known.number).versions)
        }
    }
}

struct AppRevision: Hashable, Sendable {
    var documents: Int
    var users: Int
    var endings: Int
}

extension AccountUser {
    /// The largest size of custom data, in bytes.
    static let mostCustomData = 4_096

    /// Returns whether a text may be custom data: a JSON object of at most 4 KiB.
    public static func isCustomData(_ text: String) -> Bool {
        text.utf8.count <= mostCustomData && JSONValue(object: text) != nil
    }

    /// - Throws: `AccountError`
    package static func check(customData: String) throws {
        guard isCustomData(customData) else {
            throw AccountError.bad("custom data is a JSON object of at most 4 KiB")
        }
    }
}

// MARK: - Rows

extension AppDocuments {
    init(_ app: StoredApp, _ realm: Realm) throws {
        let id = app.id
        let rows = realm.objects(StoredDocument.self).where { $0.app == id }.sorted(byKeyPath: "key").map { stored in
            Row(kind: stored.kind, name: "", body: stored.body)
        }
        try self.init(rows: Array(rows), adoptsSchemas: app.adoptsSchemas)
    }

    fileprivate func store(_ app: String, _ realm: Realm) throws {
        realm.delete(realm.objects(StoredDocument.self).where { $0.app == app })
        for row in try rows() {
            let stored = StoredDocument()
            (stored.key, stored.app, stored.kind) = ("\(app)/\(row.kind)/\(row.name)", app, row.kind)
            stored.body = row.body
            realm.add(stored)
        }
    }
}
