import Foundation
import FreeholdBSON
import FreeholdHTTP
import FreeholdServerStore
import FreeholdSyncCore
import FreeholdSyncDocuments
import FreeholdSyncRules
import Logging
import NIOHTTP1
import Synchronization

/// The requests of programs that administer the server, such as Freehold Studio. All of them need the administrator's key.
///
/// Answers are JSON with at most 500 entries. The server keeps the last 1,000 entries of each kind, and 2,000 lines of the log.
final class AdministratorService: Sendable {
    let node: ServerNode
    let key: AdministratorKey
    /// The accounts of the server. `nil` without accounts.
    let accounts: AccountService?
    let documents: DocumentService
    let logs: LogRing
    let logger: Logger
    let snapshots: SessionSnapshots
    /// The kind of the store, and its folder if it has one.
    let store: StoreKind
    /// The folder whose disk is measured. `nil` without a folder.
    private let folder: String?
    private let database: DatabaseFigureCache
    private let started = Date()
    private let ingest = Mutex<IngestService?>(nil)

    enum StoreKind: String, Sendable {
        case files, memory, postgresql
    }

    static let root = "/admin/v1/"
    /// The maximum number of entries of an answer.
    static let mostEntries = 500

    init(
        _ node: ServerNode,
        key: AdministratorKey,
        accounts: AccountService?,
        documents: DocumentService,
        logs: LogRing,
        logger: Logger,
        store: StoreKind,
        folder: String?
    ) {
        (self.node, self.key, self.accounts, self.documents) = (node, key, accounts, documents)
        (self.logs, self.logger, self.store, self.folder) = (logs, logger, store, folder)
        (snapshots, database) = (SessionSnapshots(node), DatabaseFigureCache(node.store))
    }

    /// Sets the service of sinks.
    func follow(_ service: IngestService?) { ingest.withLock { $0 = service } }

    // MARK: Routes

    var group: HTTPGroup {
        HTTPGroup(
            root: Self.root,
            bodyLimit: AdministratorRequest.bodyLimit,
            routes: [proofRoute] + figureRoutes + userRoutes + dataRoutes + ruleRoutes,
            identify: { [key] in key.identify($0) },
            tooLarge: AdministratorFailure.tooLarge.answer,
            noRoute: AdministratorFailure.noRoute.answer,
            wrongMethod: DocumentFailure.wrongMethod.answer
        )
    }

    /// Handles `GET proof/NUMBER`: proves that the server has the key. The request needs no key.
    private var proofRoute: HTTPRoute {
        HTTPRoute(
            .GET,
            "proof/{number}",
            operation: "adminProof",
            statuses: [200, 400, 403],
            identify: { head in
                AdministratorKey.isOfProgram(head)
                    ? .known(Administrator()) : .refused(AdministratorFailure.foreign.answer)
            }
        ) { [key] request in
            let number = request["number"]
            guard (16...64).contains(number.utf8.count) else {
                return DocumentFailure.bad("A number has 16 to 64 digits.").answer
            }
            return HTTPAnswer(type: "application/json", body: "{\"proof\":\"\(key.proof(of: number))\"}")
        }
    }

    /// The statuses of all routes: a parameter is wrong, the key is missing, something doesn't exist, the server can't do it in its state, and a
    /// part of the server doesn't answer.
    private static let statuses: Set<Int> = [200, 400, 401, 403, 404, 409, 412, 413, 422, 429, 503]

    /// - Parameter answer: Returns the body, or throws.
    func route(
        _ method: HTTPMethod,
        _ path: String,
        operation: String,
        answer: @escaping @Sendable (AdministratorRequest) async throws -> BSONDocument
    ) -> HTTPRoute {
        HTTPRoute(method, path, operation: operation, statuses: Self.statuses) { [self] request in
            do {
                let body = try await answer(try AdministratorRequest(request))
                return HTTPAnswer(type: "application/json", body: try body.extendedJSON())
            } catch { return failure(error).answer }
        }
    }

    /// Returns the failure of a request. The description of an unexpected error is only in the log, because it might contain values.
    func failure(_ error: any Error) -> DocumentFailure {
        switch error {
        case let failure as DocumentFailure: return failure
        case let error as AccountError where error == .unavailable: return AdministratorFailure.ending
        case let error as AccountError: return .bad("\(error)")
        case let error as RuleError: return .bad("\(error)")
        case let error as ConditionError:
            return .bad("The query isn't understood at \(error.position): \(error.text.string)")
        case let misfit as DocumentMisfit: return .bad("\(misfit)")
        case is CancellationError: return AdministratorFailure.ending
        case is WorkExceeded: return .tooExpensive
        default:
            logger.error("an administrator's request fails", metadata: ["kind": "\(type(of: error))"])
            return DocumentFailure(status: 503, code: "Unavailable", text: "The server can't answer this now.")
        }
    }

    // MARK: Figures

    private var figureRoutes: [HTTPRoute] {
        [
            route(.GET, "overview", operation: "adminOverview") { [self] _ in try await overview() },
            route(.GET, "sessions", operation: "adminSessions") { [self] in try await sessions($0) },
            route(.GET, "streams", operation: "adminStreams") { [self] in try await streams($0) },
            route(.GET, "refusals", operation: "adminRefusals") { [self] in try refusals($0) },
            route(.GET, "conflicts", operation: "adminConflicts") { [self] in try conflicts($0) },
            route(.GET, "resets", operation: "adminResets") { [self] in try resets($0) },
            route(.GET, "sinks", operation: "adminSinks") { [self] _ in try await sinks() },
            route(.GET, "logs", operation: "adminLogs") { [self] in try await logLines($0) },
        ]
    }

    private func overview() async throws -> BSONDocument {
        let snapshot = try await snapshots.snapshot()
        let (status, counts) = (node.status, node.records.counts)
        var sessions: [String: (sessions: Int, users: Set<SyncString>)] = [:]
        for row in snapshot.rows {
            sessions[row.figures.stream.app.string, default: (0, [])].sessions += 1
            sessions[row.figures.stream.app.string, default: (0, [])].users.insert(row.figures.user)
        }
        var body: BSONDocument = [
            "at": .int64(snapshot.at), "started": .int64(Int64(started.timeIntervalSince1970 * 1_000)),
            "ready": .bool(status.isReady), "draining": .bool(status.isDraining),
            "connections": .int64(Int64(status.connections)), "sessions": .int64(Int64(status.sessions)),
            "commits": .int64(Int64(clamping: status.commits)),
            "refusals": .int64(Int64(clamping: counts.refusals)),
            "conflicts": .int64(Int64(clamping: counts.conflicts)),
            "resets": .int64(Int64(clamping: counts.resets)),
            "streams": .int64(Int64(snapshot.streams.count)),
            "behind": .int64(Int64(snapshot.rows.count { $0.figures.lag ?? 0 > 0 })),
            "memory": .document(status.memory.document),
        ]
        body["store"] = .document(storeFigures(status))
        let apps = node.apps.withLock { $0 }.sorted { $0.key < $1.key }
        body["appCount"] = .int64(Int64(apps.count))
        body["apps"] = .array(
            apps.prefix(Self.mostEntries).map { name, app in
                let live = sessions[name.string]
                return [
                    "app": .string(name.string), "sessions": .int64(Int64(live?.sessions ?? 0)),
                    "users": .int64(Int64(live?.users.count ?? 0)), "access": .string("\(app.access.rawValue)"),
                    "rules": .bool(app.served?.hasRules ?? false),
                    "schemaVersion": .int64(Int64(clamping: app.served?.newest ?? 0)),
                    "development": .bool(app.served?.isDevelopment ?? false),
                    "accounts": .bool(accounts?.served[name.string] != nil),
                ]
            }
        )
        return body
    }

    private func storeFigures(_ status: ServerNode.Status) -> BSONDocument {
        var figures: BSONDocument = ["kind": .string(store.rawValue)]
        if let folder, let values = try? FileManager.default.attributesOfFileSystem(forPath: folder),
            let size = values[.systemSize] as? NSNumber, let free = values[.systemFreeSize] as? NSNumber
        {
            figures["diskBytes"] = .int64(size.int64Value)
            figures["diskFreeBytes"] = .int64(free.int64Value)
        }
        switch database.reading {
        case .read(let database)?:
            figures["database"] = [
                "name": .string(database.name), "version": .string(database.version), "bytes": .int64(database.bytes),
                "connections": .int64(database.connections), "mostConnections": .int64(database.mostConnections),
                "readOnly": .bool(database.isReadOnly),
                "milliseconds": .double(database.roundTrip / .milliseconds(1)),
            ]
        case .failed?: figures["database"] = .null
        case nil: break
        }
        if let failure = status.storeFailure { figures["failure"] = .string(failure) }
        figures["blockedCount"] = .int64(Int64(status.blocked.count))
        figures["blocked"] = .array(
            status.blocked.prefix(100).map { stream in
                [
                    "app": .string(stream.app), "stream": .string(stream.stream.shortened),
                    "failures": .int64(Int64(stream.failures)), "reason": .string(stream.reason.shortened),
                    "diskFull": .bool(stream.isDiskFull),
                ]
            }
        )
        return figures
    }

    private func sessions(_ request: AdministratorRequest) async throws -> BSONDocument {
        guard let order = SessionSnapshot.Order(rawValue: request.text("order") ?? "bytes") else {
            let names = SessionSnapshot.Order.allCases.map(\.rawValue).joined(separator: ", ")
            throw DocumentFailure.bad("'order' is one of \(names).")
        }
        let filter = SessionSnapshot.Filter(
            app: request.text("app"),
            user: request.text("user"),
            text: request.text("text")?.lowercased()
        )
        let offset = try request.number("offset", 0...1_000_000, default: 0)
        let limit = try request.number("limit", 1...Self.mostEntries, default: 100)
        let snapshot = try await snapshots.snapshot()
        let (rows, count) = snapshot.part(filter, by: order, offset: offset, limit: limit)
        return [
            "at": .int64(snapshot.at), "count": .int64(Int64(count)), "all": .int64(Int64(snapshot.rows.count)),
            "sessions": .array(rows.map(\.document)),
        ]
    }

    private func streams(_ request: AdministratorRequest) async throws -> BSONDocument {
        let app = request.text("app")
        let offset = try request.number("offset", 0...1_000_000, default: 0)
        let limit = try request.number("limit", 1...Self.mostEntries, default: 100)
        let snapshot = try await snapshots.snapshot()
        let wanted = snapshot.streams.filter { app == nil || $0.stream.app.string == app }.sorted {
            ($1.sessions, $0.stream.app, $0.stream.shownValue ?? "")
                < ($0.sessions, $1.stream.app, $1.stream.shownValue ?? "")
        }
        return [
            "at": .int64(snapshot.at), "count": .int64(Int64(wanted.count)),
            "streams": .array(
                wanted.dropFirst(offset).prefix(limit).map { stream in
                    var fields: BSONDocument = ["app": .string(stream.stream.app.string)]
                    if let value = stream.stream.shownValue { fields["stream"] = .string(value) }
                    fields["version"] = .int64(Int64(clamping: stream.version))
                    fields["sessions"] = .int64(Int64(stream.sessions))
                    fields["queued"] = .int64(Int64(stream.queuedCommits))
                    fields["bytes"] = .int64(Int64(stream.bytes))
                    return .document(fields)
                }
            ),
        ]
    }

    private func sinks() async throws -> BSONDocument {
        let service = ingest.withLock { $0 }
        let figures = await service?.figures(most: Self.mostEntries) ?? []
        return [
            "sinks": .array(
                figures.map { sink in
                    var fields: BSONDocument = [
                        "app": .string(sink.app), "class": .string(sink.className), "kind": .string(sink.kind),
                        "waiting": .int64(Int64(sink.waiting)), "holding": .bool(sink.isHolding),
                        "delivered": .int64(sink.delivered), "givenUp": .int64(Int64(sink.givenUp)),
                        "failures": .int64(Int64(sink.failures)),
                    ]
                    if let error = sink.lastError {
                        fields["lastError"] = .string(error.text.shortened)
                        fields["lastErrorAt"] = .int64(error.at)
                    }
                    return .document(fields)
                }
            )
        ]
    }

    // MARK: Records

    private func refusals(_ request: AdministratorRequest) throws -> BSONDocument {
        try records(request, node.records.refusals) { entry in
            var fields = Self.fields(at: entry.at, entry.app, entry.stream)
            fields["user"] = .string(entry.user)
            fields["file"] = .int64(Int64(entry.file))
            fields["class"] = .string(entry.className)
            fields["key"] = .string(entry.key)
            fields["kind"] = .string(entry.kind.rawValue)
            fields["reason"] = .string("\(entry.reason)")
            if let field = entry.field { fields["field"] = .string(field) }
            if let role = entry.role { fields["role"] = .string(role) }
            if let rule = entry.rule { fields["rule"] = .string(rule) }
            fields["version"] = .int64(Int64(clamping: entry.version))
            return fields
        } filter: { entry in
            (entry.app, entry.user, [entry.className, entry.key, entry.field ?? "", "\(entry.reason)"])
        }
    }

    private func conflicts(_ request: AdministratorRequest) throws -> BSONDocument {
        try records(request, node.records.conflicts) { entry in
            var fields = Self.fields(at: entry.at, entry.app, entry.stream)
            fields["user"] = .string(entry.user)
            fields["file"] = .int64(Int64(entry.file))
            fields["class"] = .string(entry.className)
            fields["key"] = .string(entry.key)
            fields["field"] = .string(entry.field)
            fields["version"] = .int64(Int64(clamping: entry.version))
            fields["otherFile"] = .int64(Int64(entry.otherFile))
            fields["otherVersion"] = .int64(Int64(clamping: entry.otherVersion))
            fields["outcome"] = .string(entry.isReplaced ? "replaced" : "kept")
            return fields
        } filter: { entry in
            (entry.app, entry.user, [entry.className, entry.key, entry.field])
        }
    }

    private func resets(_ request: AdministratorRequest) throws -> BSONDocument {
        try records(request, node.records.resets) { entry in
            var fields = Self.fields(at: entry.at, entry.app, entry.stream)
            fields["user"] = .string(entry.user)
            fields["file"] = .int64(Int64(entry.file))
            fields["reason"] = .string(entry.reason)
            return fields
        } filter: { entry in
            (entry.app, entry.user, [entry.reason])
        }
    }

    private static func fields(at: Int64, _ app: String, _ stream: String?) -> BSONDocument {
        var fields: BSONDocument = ["at": .int64(at), "app": .string(app)]
        if let stream { fields["stream"] = .string(stream) }
        return fields
    }

    /// Returns entries of a ring, the newest first.
    ///
    /// - Parameter filter: Returns the app, the user and the texts of an entry.
    private func records<Entry>(
        _ request: AdministratorRequest,
        _ ring: Ring<Entry>,
        _ fields: (Entry) -> BSONDocument,
        filter: (Entry) -> (app: String, user: String, texts: [String])
    ) throws -> BSONDocument {
        let (app, user, text) = (request.text("app"), request.text("user"), request.text("text")?.lowercased())
        let limit = try request.number("limit", 1...Self.mostEntries, default: 100)
        let before = try request.position("before")
        let found = ring.newest(before: before, limit: limit) { entry in
            let known = filter(entry)
            if let app, known.app != app { return false }
            if let user, known.user != user { return false }
            return text.map { text in known.texts.contains { $0.lowercased().contains(text) } } ?? true
        }
        return [
            "entries": .array(
                found.map { number, entry in
                    var document: BSONDocument = ["number": .int64(Int64(clamping: number))]
                    for (name, value) in fields(entry) { document[name] = value }
                    return .document(document)
                }
            ),
            "more": .bool(found.last.map { $0.number > ring.first } ?? false),
            "kept": .int64(Int64(ring.count)),
        ]
    }

    // MARK: Logs

    private var isRunning: Bool { !node.isDraining && !node.isStopped.load(ordering: .acquiring) }

    /// Handles `GET logs?after=…&wait=…`: returns the lines whose numbers are greater than `after`. If no such line exists, the answer waits for the
    /// next line.
    private func logLines(_ request: AdministratorRequest) async throws -> BSONDocument {
        var filter = LogRing.Filter()
        if let name = request.text("level") {
            guard let level = Logger.Level(rawValue: name) else {
                let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
                throw DocumentFailure.bad("'level' is one of \(names).")
            }
            filter.level = level
        }
        (filter.app, filter.user) = (request.text("app"), request.text("user"))
        (filter.connection, filter.text) = (request.text("connection"), request.text("text")?.lowercased())
        let limit = try request.number("limit", 1...Self.mostEntries, default: 200)
        let seconds = try request.number("wait", 0...25, default: 0)
        let after = try request.position("after")
        var part = logs.lines(after: after, limit: limit, filter)
        let end = ContinuousClock.now + .seconds(seconds)
        // Each new line wakes the reader, even if the filter doesn't accept the line.
        while after != nil, part.lines.isEmpty, isRunning, !Task.isCancelled {
            let left = Int(ContinuousClock.now.duration(to: end) / .milliseconds(1))
            guard left > 0 else { break }
            await logs.wait(after: part.next, milliseconds: left)
            // The pause collects several lines, so that a log with many lines doesn't wake the reader for each of them.
            if isRunning { try? await Task.sleep(for: .milliseconds(50)) }
            let next = logs.lines(after: part.next, limit: limit, filter)
            // If no line was added, the time is over, or the reader didn't wait because too many other readers were waiting.
            guard next.next > part.next else { break }
            part = LogRing.Part(lines: next.lines, next: next.next, lost: part.lost + next.lost)
        }
        return [
            "lines": .array(
                part.lines.map { number, line in
                    [
                        "number": .int64(Int64(clamping: number)), "at": .int64(line.at),
                        "level": .string(line.level.rawValue), "message": .string(line.message),
                        "values": .document(
                            BSONDocument(line.values.map { (key: $0.name, value: .string($0.value)) })
                        ),
                    ]
                }
            ),
            "next": .int64(Int64(clamping: part.next)), "lost": .int64(Int64(clamping: part.lost)),
        ]
    }
}
