import FreeholdBSON
import FreeholdHTTP
import FreeholdSyncCore
import NIOHTTP1

/// The routes of a node in addition to those of its services.
extension ServerNode {
    /// The routes of the public port.
    var plainGroup: HTTPGroup {
        Self.plain([
            probe("/health", operation: "health", [200]) { _ in HTTPAnswer(body: "alive\n") },
            probe("/ready", operation: "ready", [200, 503]) { [self] _ in ready(showsStreams: false) },
            // The upgrade to a WebSocket happens before this handler. It answers requests that aren't upgraded, such as
            // all requests while the node drains.
            probe(configuration.path.withSingleSlashes, operation: "sync", [404, 503]) { [self] _ in
                isDraining ? HTTPAnswer(status: .serviceUnavailable, body: "draining\n") : Self.nothing
            },
            // The same for official Realm clients. A request without a valid token isn't upgraded, either.
            HTTPRoute(
                .GET,
                String(configuration.path.withSingleSlashes.dropFirst()) + "/api/client/v2.0/app/{app}/realm-sync",
                operation: "realm-sync",
                statuses: [401, 503]
            ) { [self] _ in
                isDraining
                    ? HTTPAnswer(status: .serviceUnavailable, body: "draining\n")
                    : HTTPAnswer(
                        status: .unauthorized,
                        type: "application/json",
                        body: #"{"error":"invalid session","error_code":"InvalidSession","link":""}"#
                    )
            },
        ])
    }

    /// The routes of the administrator's port.
    func administratorGroup(_ metrics: @escaping @Sendable () -> String) -> HTTPGroup {
        Self.plain([
            probe("/health", operation: "health", [200]) { _ in HTTPAnswer(body: "alive\n") },
            // The names of streams are for the administrator.
            probe("/ready", operation: "ready", [200, 503]) { [self] _ in ready(showsStreams: true) },
            probe("/metrics", operation: "metrics", [200]) { _ in
                HTTPAnswer(type: "text/plain; version=0.0.4; charset=utf-8", body: metrics())
            },
            probe("/status", operation: "status", [200]) { [self] _ in
                HTTPAnswer(type: "application/json", body: status.json + "\n")
            },
            probe("/sessions", operation: "sessions", [200, 503]) { [self] _ in await sessions() },
            probe("/realm-clients", operation: "realm-clients", [200]) { [self] _ in
                HTTPAnswer(type: "application/json", body: realmClients.json + "\n")
            },
        ])
    }

    private static let nothing = HTTPAnswer(status: .notFound, body: "There is nothing here.\n")

    private static func plain(_ routes: [HTTPRoute]) -> HTTPGroup {
        HTTPGroup(
            root: "/",
            bodyLimit: nil,
            routes: routes,
            tooLarge: HTTPAnswer(status: .payloadTooLarge, body: "Nothing is read here.\n"),
            noRoute: nothing,
            wrongMethod: HTTPAnswer(status: .methodNotAllowed, body: "Only GET is answered here.\n"),
            isPlain: true
        )
    }

    private func probe(
        _ path: String,
        operation: String,
        _ statuses: Set<Int>,
        answer: @escaping @Sendable (HTTPRequest) async -> HTTPAnswer
    ) -> HTTPRoute {
        HTTPRoute(.GET, String(path.dropFirst()), operation: operation, statuses: statuses, answer: answer)
    }

    private func ready(showsStreams: Bool) -> HTTPAnswer {
        let status = readiness
        var blocked = status.blocked.isEmpty ? "" : "blocked streams: \(status.blocked.count)\n"
        if showsStreams {
            for stream in status.blocked.prefix(100) {
                blocked += "\(stream.app) \(stream.stream): \(stream.reason.loggable)\n"
            }
        }
        if status.isReady { return HTTPAnswer(body: "ready\n" + blocked) }
        return HTTPAnswer(
            status: .serviceUnavailable,
            body: status.isDraining
                ? "draining\n"
                : "the store fails" + (showsStreams ? status.storeFailure.map { ": \($0.loggable)" } ?? "" : "") + "\n"
        )
    }

    /// Returns the number of sessions of each app, by the `schemaVersion` of their files.
    private func sessions() async -> HTTPAnswer {
        guard let apps = try? await sessionsByVersion() else {
            return HTTPAnswer(status: .serviceUnavailable, body: "The node ends.\n")
        }
        var body: BSONDocument = [:]
        for (app, versions) in apps.sorted(by: { $0.key < $1.key }) {
            let counts = versions.sorted { $0.key < $1.key }
            let document = BSONDocument(counts.map { (key: "\($0.key)", value: .int64(Int64($0.value))) })
            body.append(app, .document(document))
        }
        return HTTPAnswer(type: "application/json", body: ((try? body.extendedJSON()) ?? "{}") + "\n")
    }
}

extension ServerNode.Status {
    public var json: String {
        let streams = blocked.map { stream -> BSONValue in
            [
                "app": .string(stream.app), "stream": .string(stream.stream),
                "failures": .int64(Int64(stream.failures)), "reason": .string(stream.reason),
                "diskFull": .bool(stream.isDiskFull),
            ]
        }
        var lists: BSONDocument = [:]
        if let storeFailure { lists["storeFailure"] = .string(storeFailure) }
        lists["blocked"] = .array(streams)
        lists["memory"] = .document(memory.document)
        lists["realmClients"] = .document(
            BSONDocument(realmClients.map { (key: $0.key, value: .int64(Int64($0.value))) })
        )
        let list = (try? lists.extendedJSON()) ?? "{}"
        return """
            {"ready":\(isReady),"draining":\(isDraining),"connections":\(connections),"sessions":\(sessions),"commits":\(commits),\
            \(list.dropFirst())
            """
    }
}
