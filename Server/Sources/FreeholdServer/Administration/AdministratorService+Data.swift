import Foundation
import FreeholdBSON
import FreeholdEngine
import FreeholdHTTP
import FreeholdSyncCore
import FreeholdSyncDocuments
import FreeholdSyncRules
import Logging
import NIOCore
import NIOHTTP1

/// The documents of an app. Reads use the document service, and writes are merged like those of any program, but without the rights of users.
extension AdministratorService {
    var dataRoutes: [HTTPRoute] {
        [
            route(.GET, "classes/{app}", operation: "adminClasses") { [self] request in try classes(request["app"]) },
            route(.GET, "head/{app}", operation: "adminHead") { [self] request in try await head(request) },
            route(.GET, "sight/{app}/{class}", operation: "adminSight") { [self] in try await sight($0, rules: nil) },
            route(.POST, "sight/{app}/{class}", operation: "adminTrySight") { [self] request in
                let text = String(decoding: request.request.body, as: UTF8.self)
                return try await sight(request, rules: try RuleSet(extendedJSON: text))
            },
            documentRoute(.GET, "data/{app}/{class}", "adminListDocuments") { [documents] request, access, _ in
                try await documents.list(request.className ?? "", request, access)
            },
            documentRoute(.GET, "data/{app}/{class}/{key}", "adminGetDocument") { [documents] request, access, _ in
                try await documents.get(request.className ?? "", request.key ?? "", request, access)
            },
            documentRoute(.POST, "data/{app}/{class}", "adminInsertDocuments", changing: "inserted documents") {
                [documents]
                request,
                access,
                plain in
                try await documents.insert(request.className ?? "", request, access, isDry: plain.flag("dry"))
            },
            documentRoute(.PATCH, "data/{app}/{class}/{key}", "adminUpdateDocument", changing: "changed a document") {
                [documents]
                request,
                access,
                plain in
                try await documents.change(
                    request.className ?? "",
                    request.key ?? "",
                    request,
                    access,
                    isPatch: true,
                    isDry: plain.flag("dry")
                )
            },
            documentRoute(.DELETE, "data/{app}/{class}/{key}", "adminDeleteDocument", changing: "deleted a document") {
                [documents]
                request,
                access,
                plain in
                try await documents.delete(
                    request.className ?? "",
                    request.key ?? "",
                    request,
                    access,
                    isDry: plain.flag("dry")
                )
            },
        ]
    }

    /// - Parameter change: The change for the log. `nil` for a request that changes nothing.
    private func documentRoute(
        _ method: HTTPMethod,
        _ path: String,
        _ operation: String,
        changing change: String? = nil,
        answer: @escaping @Sendable (DocumentRequest, StreamAccess, AdministratorRequest) async throws -> HTTPAnswer
    ) -> HTTPRoute {
        HTTPRoute(
            method,
            path,
            operation: operation,
            statuses: [200, 201, 400, 401, 403, 404, 409, 412, 413, 422, 429, 503]
        ) { [self] request in
            do {
                let (read, plain) = (try DocumentRequest(request), try AdministratorRequest(request))
                let author = try change.map { _ in try plain.author() }
                let access = try access(plain)
                let result = try await answer(read, access, plain)
                if let change, let author, result.status.code < 300, !plain.flag("dry") {
                    var metadata: Logger.Metadata = ["app": "\(read.app)", "class": "\(read.className ?? "")"]
                    if let key = read.key { metadata["key"] = "\(key)" }
                    if let stream = plain.text("stream") { metadata["stream"] = "\(stream)" }
                    audit(author, change, metadata)
                }
                return result
            } catch let failure as DocumentFailure {
                return failure.answer
            } catch is WorkExceeded {
                return DocumentFailure.tooExpensive.answer
            } catch let error as ConditionError {
                return DocumentFailure.bad("The query isn't understood at \(error.position): \(error.text.string)")
                    .answer
            } catch let misfit as DocumentMisfit {
                return DocumentFailure(misfit, "\(misfit)").answer
            } catch let misfit as DocumentImport.Misfit {
                return DocumentFailure(misfit.misfit, "\(misfit)").answer
            } catch { return failure(error).answer }
        }
    }

    /// Returns the access of an administrator to the stream that a request names.
    ///
    /// - Throws: `DocumentFailure` if the app isn't served.
    private func access(_ request: AdministratorRequest) throws -> StreamAccess {
        let value: SyncValue? = request.text("stream").map { .string(SyncString($0)) }
        guard let access = node.administratorAccess(request["app"], value) else { throw AdministratorFailure.noApp }
        return access
    }

    /// Handles `GET head/APP`: returns the version of the stream, by which a page detects changes without reading documents.
    private func head(_ request: AdministratorRequest) async throws -> BSONDocument {
        let access = try access(request)
        guard let head = await node.head(of: access.stream) else { throw DocumentFailure.unavailable }
        return ["version": .int64(Int64(clamping: head.version))]
    }

    private func classes(_ app: String) throws -> BSONDocument {
        guard let access = node.administratorAccess(app, nil) else { throw AdministratorFailure.noApp }
        return [
            "app": .string(app), "schemaVersion": .int64(Int64(clamping: access.schemaVersion)),
            "classes": .array(
                access.tables.prefix(Self.mostEntries).map { table in
                    var document: BSONDocument = [
                        "name": .string(table.name),
                        "kind": .string(table.isEmbedded ? "embedded" : table.isAsymmetric ? "asymmetric" : "object"),
                    ]
                    if let key = table.primaryKey { document["key"] = .string(key) }
                    document["properties"] = .array(
                        table.columns.prefix(Self.mostEntries).map { column in
                            var fields: BSONDocument = [
                                "name": .string(column.name), "type": .string("\(column.type)"),
                                "collection": .string("\(column.collection)"), "optional": .bool(column.isOptional),
                            ]
                            if let target = column.target { fields["target"] = .string(target) }
                            return .document(fields)
                        }
                    )
                    return .document(document)
                }
            ),
        ]
    }

    // MARK: What a user sees

    /// The maximum number of objects of an answer, and the bytes of stored objects after which an answer ends.
    private static let sightLimits = (objects: 200, bytes: 4 << 20)
    /// The number of a user's conditions that are compared with each object, and of objects after which other users have a turn.
    private static let sightTurns = (conditions: 100, objects: 20)

    /// Handles `GET sight/APP/CLASS?user=…&after=…`: lists objects with the parts that a user can see, and with the reasons why the user can't see
    /// the other parts. The conditions and rights are those that the server itself uses for the user's sessions.
    ///
    /// - Parameter rules: Rules in the place of the app's. They aren't stored. `nil` for the app's rules.
    private func sight(_ request: AdministratorRequest, rules: RuleSet?) async throws -> BSONDocument {
        guard let id = request.text("user") else { throw DocumentFailure.bad("'user' names the user.") }
        let access = try access(request)
        guard let app = node.app(SyncString(request["app"])) else { throw AdministratorFailure.noApp }
        let limit = try request.number("limit", 1...Self.sightLimits.objects, default: 100)
        let plain = try access.sight(request["class"], "TRUEPREDICATE")
        let user = try await ruleUser(id, app: request["app"])
        let sight = try UserSight(access, className: plain.className, user: user, app: app, rules: rules)
        let subscriptions = try await node.subscriptions(of: SyncString(id), to: access.stream)
        let ofClass = subscriptions.filter { $0.className == plain.className }.prefix(Self.sightTurns.conditions)
        let tests = ofClass.compactMap { query in
            try? ObjectSight(query.className, query.condition, access.matcher, nil, in: access.schema)
        }
        let after = try request.text("after").map { try documents.name(request["class"], $0, access).key }
        guard let head = await node.head(of: access.stream) else { throw DocumentFailure.unavailable }
        let kind = ServerStoreRequest.Kind.page(
            class: plain.className,
            after: after,
            at: head.version,
            objects: limit
        )
        guard case .page(let found?) = await node.read(ServerStoreRequest(access.stream, kind)) else {
            throw DocumentFailure.unavailable
        }
        var bytes = 0
        let shown = found.objects.prefix(limit).prefix { entry in
            defer { bytes += entry.object.estimatedBytes }
            return bytes < Self.sightLimits.bytes
        }
        var objects: [BSONValue] = []
        for start in stride(from: 0, to: shown.count, by: Self.sightTurns.objects) {
            let turn = shown[start..<min(start + Self.sightTurns.objects, shown.count)]
            objects += try await node.work.run(for: access.user) {
                try turn.map { name, object in .document(try sight.document(name, object.contents, tests)) }
            }
        }
        let isWhole = found.isLast && objects.count == found.objects.count
        var body: BSONDocument = [
            "user": .string(id), "class": .string(request["class"]), "rules": .string(sight.rules),
            "subscriptions": .array(
                subscriptions.prefix(Self.mostEntries).map { query in
                    [
                        "class": .string(query.className.string),
                        "condition": .string(query.condition.string.shortened),
                    ]
                }
            ),
            "objects": .array(objects),
        ]
        if !isWhole, let last = shown.last?.name.key { body["next"] = .string(last.pathText) }
        return body
    }

    /// Returns a user in the form in which rules use it. For an id without an account, the user has no data.
    private func ruleUser(_ id: String, app: String) async throws -> RuleUser {
        guard let account = try await accounts?.store.user(id), account.app == app else { return RuleUser(id: id) }
        return RuleUser(account)
    }
}

/// The part of a class that a user can see, with reasons.
private struct UserSight: Sendable {
    private let access: StreamAccess
    private let className: SyncString
    private let objections: RightsObjections?
    private let hasRules: Bool
    private let sight: ObjectSight?
    /// The reason why the user can't see any object, or `nil` if rights decide about each object.
    private let denial: String?

    /// The roles and conditions, as text.
    let rules: String

    init(_ access: StreamAccess, className: SyncString, user: RuleUser, app: NodeApp, rules other: RuleSet?) throws {
        (self.access, self.className) = (access, className)
        if let (rights, report) = try app.served?.rights(of: user, className: className.string, rules: other) {
            (hasRules, denial) = (true, report.rights.denial)
            objections = try? report.objections()
            rules = "\(report)"
            sight = try? ObjectSight(className, "TRUEPREDICATE", access.matcher, rights, in: access.schema)
            return
        }
        (hasRules, objections) = (false, nil)
        let isOwn = access.stream.value == .string(SyncString(user.id))
        let mayBind: Bool =
            switch app.access {
            case .nobody: false
            case .everyone: true
            case .ownStream: isOwn
            }
        rules = "The app has no rules. Its access is '\(app.access.rawValue)'."
        denial = mayBind ? nil : rules
        sight =
            mayBind ? try ObjectSight(className, "TRUEPREDICATE", access.matcher, nil, in: access.schema) : nil
    }

    /// Returns the object with the part that the user can see.
    ///
    /// - Parameter subscriptions: The conditions of the user's live sessions.
    /// - Throws: `WorkExceeded` if the conditions take more steps than those of a user may take for an object.
    func document(
        _ name: ObjectName,
        _ contents: [SyncString: MergedContent],
        _ subscriptions: [ObjectSight]
    ) throws -> BSONDocument {
        var budget = WorkBudget(steps: access.objectSteps)
        let seen = sight?.contents(name, contents, budget: &budget)
        let isSubscribed = subscriptions.contains { $0.contents(name, contents, budget: &budget) != nil }
        let hidden = contents.keys.filter { field in seen.map { $0[field] == nil } ?? false }.sorted()
        var document: BSONDocument = [
            "key": .string(name.key.pathText),
            "document": .document(BSONDocument(name, contents)), "visible": .bool(seen != nil),
            "hidden": .array(hidden.map { .string($0.string) }),
            "subscribed": .bool(isSubscribed),
        ]
        if seen == nil || hasRules {
            var reasons: [String] = []
            if let denial {
                reasons = [denial]
            } else if hasRules {
                reasons = objections?.lines(name, contents, budget: &budget) ?? ["The conditions can't be used."]
            }
            document["reasons"] = .array(reasons.map { .string($0.shortened) })
        }
        guard !budget.isOver else { throw WorkExceeded() }
        return document
    }
}

extension PrimaryKey {
    /// The key in the form that paths of documents have.
    fileprivate var pathText: String {
        switch self {
        case .int(let number): "\(number)"
        case .objectId(let id): "\(id)"
        case .uuid(let id): id.uuidString.lowercased()
        // A text that looks like another key has quotation marks.
        case .string, .null: (try? BSONValue(key: self).extendedJSON()) ?? "null"
        }
    }
}

extension ServedApp {
    /// Returns the rights of a user on a class by the app's rules, with their reasons. Returns `nil` for an app without rules.
    ///
    /// - Parameters:
    ///   - className: The stored name of the class.
    ///   - rules: Rules in the place of the app's, in the names of the newest version. `nil` for the app's rules.
    /// - Throws: `RuleError` if the rules don't fit the versions of the schema.
    func rights(
        of user: RuleUser,
        className: String,
        rules: RuleSet?
    ) throws -> (rights: UserRights, report: RightsReport)? {
        guard let parts = try ruleParts(with: rules) else { return nil }
        var user = user
        (user.values, user.environment) = (parts.values, parts.environment)
        return (
            UserRights(parts.rules, user: user, schema: parts.schema),
            parts.rules.report(of: user, className: className, schema: parts.schema)
        )
    }
}

extension ServerNode {
    /// Returns the access of an administrator to a stream. Returns `nil` for an app that isn't served.
    func administratorAccess(_ app: String, _ value: SyncValue?) -> StreamAccess? {
        guard let known = self.app(SyncString(app)) else { return nil }
        return StreamAccess(
            stream: StreamName(app: SyncString(app), value: value),
            user: SyncString(Administrator.name),
            rights: nil,
            tables: known.served?.tables ?? [],
            lens: known.served?.lens,
            schemaVersion: known.served?.newest ?? 0,
            matcher: conditions,
            schema: known.served?.conditions,
            objectSteps: configuration.limits.objectSteps,
            isUnrestricted: true
        )
    }

    /// Returns the conditions of a user's live sessions with a stream.
    func subscriptions(of user: SyncString, to stream: StreamName) async throws -> [ClassQuery] {
        try await loop.submit { self.machine.subscriptions(of: user, to: stream) }.get()
    }
}
