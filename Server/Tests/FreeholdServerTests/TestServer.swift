import Foundation
import FreeholdServer
import FreeholdSyncCore
import JWTKit
import Logging
import Testing

/// A server in this process. Its store can be used by another server after its end.
final class TestServer: Sendable {
    static let secret = "a secret of the tests, which has more than 32 bytes"
    static let stream = StreamName(app: "test")

    let running: RunningServer
    let store: QueuedServerStore<MemoryServerStore>
    let metrics: PrometheusMetrics

    var port: Int { running.port }

    init(
        port: Int = 0,
        store: QueuedServerStore<MemoryServerStore>? = nil,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ change: (inout ServerSettings) -> Void = { _ in }
    ) async throws {
        var settings = ServerSettings(node: NodeConfiguration(apps: ["test": NodeApp(access: .everyone)]))
        settings.port = port
        settings.administratorPort = 0
        settings.tokens.keys = [.secret(Self.secret)]
        settings.threads = 1
        // Clients on a busy machine have a minute for their greeting.
        settings.node.limits.greetingTimeout = 60_000
        change(&settings)
        self.store = store ?? QueuedServerStore(MemoryServerStore(epoch: 7))
        metrics = PrometheusMetrics()
        running = try await RunningServer.start(settings, store: self.store, logger: logger, metrics: metrics)
    }

    /// Stops immediately. Clients get no time to leave.
    func stop() async { await running.stop(after: 0) }

    /// The live objects of the server.
    var contents: [ObjectName: [SyncString: MergedContent]] {
        store.withStore { $0.contents(of: Self.stream).mapValues(\.contents) }
    }

    /// Returns the value of a counter or level, or 0 if the metric doesn't exist.
    func metric(_ name: String) -> Int {
        for line in metrics.text().split(separator: "\n") where line.hasPrefix(name + " ") {
            return Int(line.split(separator: " ")[1]) ?? -1
        }
        return 0
    }

    static func token(_ user: String, expires seconds: Double = 3_600, secret: String = secret) async throws -> String {
        struct Claims: JWTPayload {
            let sub: SubjectClaim
            let exp: ExpirationClaim
            func verify(using algorithm: some JWTAlgorithm) async throws {}
        }
        let keys = await JWTKeyCollection().add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
        return try await keys.sign(
            Claims(
                sub: SubjectClaim(value: user),
                exp: ExpirationClaim(value: Date().addingTimeInterval(seconds))
            )
        )
    }
}
