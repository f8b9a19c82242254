import Foundation
import Freehold
import FreeholdBSON
import FreeholdEngine
import FreeholdSyncRules

/// The schemas and rules of apps. They lie in the file of accounts, so that a server that runs follows within a second.
extension AccountStore {
    /// - Throws: `AccountError` if there is no such app; what Freehold and FreeholdBSON throw if the file is damaged.
    public func documents(of app: String) async throws -> AppDocuments {
        try await work { realm in
            guard let stored = realm.object(ofType: StoredApp.self, forPrimaryKey: app) else {
                throw AccountError.noApp
            }
            return try AppDocuments(stored, realm)
        }
    }

    /// Changes an app's documents as one transaction. A server that runs follows within a second.
    ///
    /// - Returns: what they are then.
    /// - Throws: `AccountError` if there is no such app; `RuleError` if the documents don't fit each other; what `body` throws. Then nothing
    ///   is changed.
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
            var documents = old
            try body(&documents)
            _ = try documents.versions()
            guard documents != old else { return documents }
            try documents.store(app, realm)
            stored.adoptsSchemas = documents.adoptsSchemas
            stored.documentsRevision += 1
            return documents
        }
    }

    /// Keeps classes of clients' that a server took over, as far as they still fit what is there.
    func adopt(_ tables: [TableSpec], app: String) async throws {
        // An app of the settings, without accounts, has nothing that could keep them.
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

    /// What of each app says whether its documents, or what rules know of its users, are others than before.
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

    /// Those of some users of whom rules know something else than at a revision of their app.
    func users(_ ids: [String], changedSince revision: Int) async throws -> [AccountUser] {
        try await work { realm in
            ids.compactMap { id in
                guard let user = realm.object(ofType: StoredUser.self, forPrimaryKey: id), user.revision > revision
                else { return nil }
                return AccountUser(user, realm)
            }
        }
    }

    /// - Parameter customData: a JSON object.
    /// - Throws: `AccountError` if there is no such user, or it isn't one.
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

    /// Something that rules can ask of a user has changed.
    static func note(_ user: StoredUser, _ realm: Realm) {
        guard let app = realm.object(ofType: StoredApp.self, forPrimaryKey: user.app) else { return }
        app.usersRevision += 1
        user.revision = app.usersRevision
    }
}

struct AppRevision: Hashable, Sendable {
    var documents: Int
    var users: Int
    var endings: Int
}

extension AccountUser {
    /// - Throws: `AccountError`
    static func check(customData: String) throws {
        guard customData.utf8.count <= 4_096, JSONValue(object: customData) != nil else {
            throw AccountError.bad("custom data is a JSON object of at most 4 KiB")
        }
    }
}

// MARK: - Rows

extension AppDocuments {
    fileprivate init(_ app: StoredApp, _ realm: Realm) throws {
        let id = app.id
        var (schemas, asymmetric): ([SchemaDocument], Set<String>) = ([], [])
        var (versions, rules): (SchemaVersions?, RuleSet?)
        var (values, environment, project): (BSONDocument, BSONDocument, BSONDocument) = ([:], [:], [:])
        var sinks: [SinkSettings] = []
        for stored in realm.objects(StoredDocument.self).where({ $0.app == id }).sorted(byKeyPath: "key") {
            let body = try BSONDocument(extendedJSON: stored.body)
            switch StoredDocument.Kind(rawValue: stored.kind) {
            case .schema:
                guard case .document(let schema)? = body["schema"] else { continue }
                var relationships: BSONDocument = [:]
                if case .document(let found)? = body["relationships"] { relationships = found }
                let document = SchemaDocument(schema: schema, relationships: relationships)
                schemas.append(document)
                if body["asymmetric"] == true { asymmetric.insert(document.className) }
            case .versions: versions = try SchemaVersions(body)
            case .rules: rules = try RuleSet(extendedJSON: stored.body)
            case .values: values = body
            case .environment: environment = body
            case .sink: if let sink = SinkSettings(body) { sinks.append(sink) }
            case .project: project = body
            case nil: continue
            }
        }
        self.init(
            schemas: schemas,
            asymmetric: asymmetric,
            versions: versions,
            rules: rules,
            values: values,
            environment: environment,
            adoptsSchemas: app.adoptsSchemas,
            sinks: sinks
        )
        self.project = project
    }

    fileprivate func store(_ app: String, _ realm: Realm) throws {
        realm.delete(realm.objects(StoredDocument.self).where { $0.app == app })
        func add(_ kind: StoredDocument.Kind, _ name: String, _ body: BSONDocument) throws {
            let stored = StoredDocument()
            (stored.key, stored.app, stored.kind) = ("\(app)/\(kind.rawValue)/\(name)", app, kind.rawValue)
            stored.body = try body.extendedJSON(.canonical)
            realm.add(stored)
        }
        for document in schemas {
            var body: BSONDocument = ["schema": .document(document.schema)]
            if !document.relationships.isEmpty { body.append("relationships", .document(document.relationships)) }
            if asymmetric.contains(document.className) { body.append("asymmetric", true) }
            try add(.schema, document.className, body)
        }
        if let allVersions { try add(.versions, "", allVersions.document) }
        if let rules { try add(.rules, "", rules.document) }
        if !values.isEmpty { try add(.values, "", values) }
        if !environment.isEmpty { try add(.environment, "", environment) }
        if !project.isEmpty { try add(.project, "", project) }
        for sink in sinks { try add(.sink, sink.className, sink.document) }
    }
}
