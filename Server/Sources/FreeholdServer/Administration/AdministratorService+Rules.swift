import Foundation
import FreeholdBSON
import FreeholdEngine
import FreeholdHTTP
import FreeholdSyncRules
import Logging
import NIOHTTP1

/// The rules and schemas of apps. The commands `freehold-server rules …`, `schema …` and `app set` do the same.
extension AdministratorService {
    var ruleRoutes: [HTTPRoute] {
        [
            route(.GET, "rules/{app}", operation: "adminRules") { [self] request in
                let documents = try await storage(of: request["app"]).documents(of: request["app"])
                var body: BSONDocument = ["app": .string(request["app"])]
                if let rules = documents.rules {
                    body["rules"] = .string(try rules.document.extendedJSON(pretty: true))
                }
                body["problems"] = .array(try documents.ruleProblems().prefix(Self.mostEntries).map(\.value))
                return body
            },
            route(.PUT, "rules/{app}", operation: "adminPushRules") { [self] in try await pushRules($0) },
            route(.GET, "schema/{app}", operation: "adminSchema") { [self] in try await schema($0) },
            route(.PUT, "schema/{app}", operation: "adminPushSchema") { [self] in try await pushSchema($0) },
            route(.PUT, "development/{app}", operation: "adminDevelopment") { [self] in try await setDevelopment($0) },
            route(.GET, "declared/{app}", operation: "adminDeclared") { [self] in try declared($0["app"]) },
        ]
    }

    /// Handles `PUT rules/APP?dry=true&force=true` with a document of all rules.
    private func pushRules(_ request: AdministratorRequest) async throws -> BSONDocument {
        let (app, storage) = (request["app"], try await storage(of: request["app"]))
        let isDry = request.flag("dry")
        let author = isDry ? "" : try request.author()
        let rules: RuleSet
        do { rules = try RuleSet(extendedJSON: String(decoding: request.request.body, as: UTF8.self)) } catch {
            throw DocumentFailure.bad("The rules can't be read: \(error)")
        }
        let problems = try Self.problems(of: rules, in: try await storage.documents(of: app))
        let isPushed = !isDry && (problems.isEmpty || request.flag("force"))
        if isPushed {
            try await storage.changeDocuments(of: app) { $0.rules = rules }
            audit(author, "pushed rules", ["app": "\(app)"])
        }
        return [
            "pushed": .bool(isPushed), "classes": .int64(Int64(rules.classes.count)),
            "problems": .array(problems.prefix(Self.mostEntries).map(\.value)),
        ]
    }

    // `AppDocuments` is changed in functions that aren't `async`, because the compiler of Swift 6.3 crashes in optimised builds with debug
    // information if an `async` function changes a local value of that size.
    private static func problems(of rules: RuleSet, in documents: AppDocuments) throws -> [RuleProblem] {
        var documents = documents
        documents.rules = rules
        return try documents.ruleProblems()
    }

    /// Handles `GET schema/APP`: returns the versions with the sessions that use each of them.
    private func schema(_ request: AdministratorRequest) async throws -> BSONDocument {
        let app = request["app"]
        let documents = try await storage(of: app).documents(of: app)
        let versions = try documents.versions()
        var sessions: [UInt64: Int] = [:]
        var agents: [UInt64: [String: Int]] = [:]
        for row in try await snapshots.snapshot().clients(of: app) {
            let number = versions.version(for: row.schemaVersion).number
            sessions[number, default: 0] += 1
            // Clients choose the names, so the number of kept names is limited.
            let isKnown = agents[number]?[row.agent] != nil
            let name = isKnown || (agents[number]?.count ?? 0) < 20 ? row.agent : "other"
            agents[number, default: [:]][name, default: 0] += 1
        }
        let texts = documents.schemas.prefix(Self.mostEntries).map { schema -> BSONValue in
            .document(schema.whole(isAsymmetric: documents.asymmetric.contains(schema.className)))
        }
        return [
            "app": .string(app), "development": .bool(documents.adoptsSchemas),
            "versions": .array(
                versions.versions.suffix(100).map { version in
                    [
                        "number": .int64(Int64(clamping: version.number)),
                        "classes": .array(version.tables.prefix(Self.mostEntries).map { .string($0.name) }),
                        "sessions": .int64(Int64(sessions[version.number] ?? 0)),
                        "agents": .document(
                            BSONDocument(
                                (agents[version.number] ?? [:]).sorted { $0.key < $1.key }.map {
                                    (key: $0.key, value: .int64(Int64($0.value)))
                                }
                            )
                        ),
                    ]
                }
            ),
            "schema": .string(try BSONValue.array(texts).extendedJSON(pretty: true)),
        ]
    }

    /// Handles `PUT schema/APP?dry=true&version=…` with `{"schema": […]}`: pushes classes.
    private func pushSchema(_ request: AdministratorRequest) async throws -> BSONDocument {
        let (app, storage) = (request["app"], try await storage(of: request["app"]))
        let isDry = request.flag("dry")
        let author = isDry ? "" : try request.author()
        let number = try request.position("version")
        guard case .array(let values)? = try request.document()["schema"], !values.isEmpty,
            values.count <= Self.mostEntries
        else { throw DocumentFailure.bad("The body has an array 'schema' with 1 to 500 classes.") }
        var (documents, asymmetric): ([SchemaDocument], Set<String>) = ([], [])
        for value in values {
            guard case .document(let document) = value else {
                throw DocumentFailure.bad("A schema is a JSON object.")
            }
            let read = SchemaDocument(whole: document)
            guard !read.className.isEmpty else {
                throw DocumentFailure.bad("A schema has a 'title', the class's name.")
            }
            documents.append(read)
            if document["asymmetric"] == true { asymmetric.insert(read.className) }
        }
        let (new, sent) = (documents, asymmetric)
        do {
            let steps = try Self.steps(of: new, asymmetric: sent, as: number, in: try await storage.documents(of: app))
            if !isDry {
                try await storage.changeDocuments(of: app) { try $0.push(new, asymmetric: sent, as: number) }
                audit(author, "pushed a schema", ["app": "\(app)"])
            }
            return [
                "pushed": .bool(!isDry),
                "steps": .array(steps.prefix(Self.mostEntries).map { .string("\($0)") }), "problems": [],
            ]
        } catch let error as SchemaPushError {
            return [
                "pushed": false, "steps": [],
                "problems": .array(error.problems.prefix(Self.mostEntries).map { .string("\($0)") }),
            ]
        }
    }

    private static func steps(
        of schema: [SchemaDocument],
        asymmetric: Set<String>,
        as number: UInt64?,
        in documents: AppDocuments
    ) throws -> [VersionStep] {
        var documents = documents
        return try documents.push(schema, asymmetric: asymmetric, as: number)
    }

    /// Handles `PUT development/APP?on=true`: adopts new classes of clients, or refuses them.
    private func setDevelopment(_ request: AdministratorRequest) async throws -> BSONDocument {
        let (app, author, isOn) = (request["app"], try request.author(), request.flag("on"))
        try await storage(of: app).changeDocuments(of: app) { $0.adoptsSchemas = isOn }
        audit(author, isOn ? "switched development mode on" : "switched development mode off", ["app": "\(app)"])
        return ["done": true]
    }
}

extension RuleProblem {
    fileprivate var value: BSONValue { .string("\(self)") }
}

extension SchemaDocument {
    /// Creates the document from a JSON schema, or from `{"schema": …, "relationships": …}`.
    fileprivate init(whole document: BSONDocument) {
        var relationships: BSONDocument = [:]
        if case .document(let found)? = document["relationships"] { relationships = found }
        if case .document(let inner)? = document["schema"] {
            self.init(schema: inner, relationships: relationships)
        } else {
            self.init(schema: document)
        }
    }

    fileprivate func whole(isAsymmetric: Bool) -> BSONDocument {
        var whole: BSONDocument = ["schema": .document(schema)]
        if !relationships.isEmpty { whole["relationships"] = .document(relationships) }
        if isAsymmetric { whole["asymmetric"] = true }
        return whole
    }
}
