import CoreMetrics
import Foundation
import FreeholdCompression
import FreeholdEngine
import FreeholdHTTP
import FreeholdRealmFront
import FreeholdRealmWire
import FreeholdSyncCore
import Logging
import NIOCore
import NIOHTTP1

/// The WebSocket of official Realm clients: the sync path followed by `/api/client/v2.0/app/APP/realm-sync`, with the access token in the
/// query. The query is never logged.
struct RealmEndpoint: Sendable {
    private let node: ServerNode
    private let prefix: String

    init(_ node: ServerNode) {
        self.node = node
        prefix = node.configuration.path.withSingleSlashes + "/api/client/v2.0/app/"
    }

    /// Returns the app of a path, or `nil` for another path.
    func app(of path: String) -> String? {
        guard path.hasPrefix(prefix), path.hasSuffix("/realm-sync") else { return nil }
        let app = path.dropFirst(prefix.count).dropLast("/realm-sync".count)
        guard !app.isEmpty, !app.contains("/") else { return nil }
        return String(app).removingPercentEncoding
    }

    /// Decides about a request for the WebSocket.
    ///
    /// - Returns: `nil` if the token isn't accepted, the app is unknown, or no version of the protocol is served.
    func admit(
        _ head: HTTPRequestHead,
        open: @escaping @Sendable (any Channel, RealmAdmission) throws -> Void
    ) async -> HTTPWebSocketAdmission? {
        let parts = head.uri.split(separator: "?", maxSplits: 1)
        guard let path = parts.first, let name = app(of: String(path).withSingleSlashes),
            let app = node.app(SyncString(name)),
            let selected = RealmMessageCodec.version(
                offered: head.headers["Sec-WebSocket-Protocol"].joined(separator: ",")
            ),
            let token = Self.token(in: parts.count > 1 ? parts[1] : "")
        else { return nil }
        guard let identity = await identity(token), app.admits(identity.user) else { return nil }
        let user = SyncString(identity.user)
        let agent = head.headers.first(name: "User-Agent").map { String($0.prefix(200)).loggable }
        var configuration = RealmFrontConfiguration(app: SyncString(name), stream: app.ownStream(of: user)) { version in
            app.realmSchema(version)
        }
        configuration.commitSize = { $0.estimatedSize }
        configuration.limits.wire.message = Int(clamping: node.configuration.limits.messageBytes)
        let compression: RealmCompression? = RealmCompression()
        let front = RealmFront(
            configuration,
            version: selected.version,
            user: user,
            agent: agent,
            compression: compression
        )
        let admission = RealmAdmission(front: front, identity: identity, agent: agent ?? "unknown", app: name)
        return HTTPWebSocketAdmission(headers: ["Sec-WebSocket-Protocol": selected.name]) { try open($0, admission) }
    }

    private func identity(_ token: String) async -> Identity? {
        do {
            let identity = try await node.authenticator.identify(token)
            if let identity, !identity.user.isEmpty { return identity }
            node.logger.info("a token is refused", metadata: ["reason": "the kind of the token isn't known"])
        } catch {
            let reason = (error as? TokenRefusal)?.reason ?? "\(type(of: error))"
            node.logger.info("a token is refused", metadata: ["reason": "\(reason)"])
        }
        node.metrics.refusedTokens.increment()
        return nil
    }

    /// Returns the access token of a query.
    private static func token(in query: Substring) -> String? {
        for field in query.split(separator: "&") {
            let pair = field.split(separator: "=", maxSplits: 1)
            if pair.count == 2, pair[0] == "baas_at" { return String(pair[1]).removingPercentEncoding }
        }
        return nil
    }
}

/// An accepted connection of an official Realm client.
struct RealmAdmission: Sendable {
    let front: RealmFront
    let identity: Identity
    /// The name and version of the client's SDK.
    let agent: String
    let app: String
}

/// The compression of the protocol's bodies.
struct RealmCompression: WireCompression {
    func compressed(_ bytes: [UInt8]) -> [UInt8]? { ZlibCompression.shared.compressed(bytes) }

    func inflated(_ bytes: ArraySlice<UInt8>, count: Int) -> [UInt8]? {
        bytes.withUnsafeBytes { ZlibCompression.shared.inflated($0, count: count) }
    }
}

extension NodeApp {
    /// Returns whether a user belongs to the app.
    fileprivate func admits(_ user: String) -> Bool { isMember?(user) ?? true }

    /// Returns the stream that a client without a stream receives.
    fileprivate func ownStream(of user: SyncString) -> SyncValue? { access == .ownStream ? .string(user) : nil }

    /// Returns the classes of a schema version.
    fileprivate func realmSchema(_ version: UInt64) -> RealmSchemaAnswer {
        served?.realmSchema(version) ?? .tables([])
    }
}
