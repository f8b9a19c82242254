import Foundation
import Freehold
import HTTPTypes
import Hummingbird
import Metrics
import NIOCore

/// The routes for operators.
struct AdminRoutes: Sendable {
    let inventory: Inventory
    let feed: ItemFeed
    let backups: Backups
    let metrics: PrometheusText
    /// The secret of the requests that have an effect. Without one they don't exist.
    let token: String?

    func add(to router: Router<InventoryContext>) {
        router.get("/health", use: health)
        router.get("/metrics", use: exposition)
        guard let token else { return }
        let group = router.group("/backups").add(middleware: TokenMiddleware(token: token))
        group.get(use: list)
        group.post(use: backup)
    }

    /// Responds with 200 if the file can be read.
    @Sendable private func health(_ request: Request, context: InventoryContext) async throws -> Response {
        struct Health: Encodable { var version: UInt64 }
        return try JSON.response(Health(version: await inventory.store.statistics().version))
    }

    /// The metrics of the process. The gauges of the file are read for each request.
    @Sendable private func exposition(_ request: Request, context: InventoryContext) async throws -> Response {
        let file = try await inventory.store.statistics()
        for (name, value) in [
            ("freehold.file.bytes", file.fileBytes), ("freehold.file.used_bytes", file.usedBytes),
            ("freehold.versions.active", file.activeVersions), ("freehold.readers", UInt64(file.readers)),
            ("freehold.writers.waiting", UInt64(file.waitingWriters)),
            ("inventory.event_streams", UInt64(feed.readerCount)),
            ("inventory.late_event_streams", UInt64(feed.lateReaderCount)),
        ] {
            metrics.makeMeter(label: name, dimensions: []).set(Double(value))
        }
        return Response(
            status: .ok,
            headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text()))
        )
    }

    @Sendable private func list(_ request: Request, context: InventoryContext) async throws -> Response {
        try JSON.response(backups.list())
    }

    @Sendable private func backup(_ request: Request, context: InventoryContext) async throws -> Response {
        try JSON.response(await backups.make(), status: .created)
    }
}

/// Refuses requests without the token of the operator.
struct TokenMiddleware: RouterMiddleware {
    let token: String

    func handle(
        _ request: Request,
        context: InventoryContext,
        next: (Request, InventoryContext) async throws -> Response
    ) async throws -> Response {
        guard isEqual(request.headers[.authorization] ?? "", "Bearer \(token)") else {
            throw Problem(.unauthorized, "token", detail: "The request needs the token of the operator.")
        }
        return try await next(request, context)
    }

    /// Compares in a time that doesn't depend on the first difference.
    private func isEqual(_ a: String, _ b: String) -> Bool {
        guard a.utf8.count == b.utf8.count else { return false }
        return zip(a.utf8, b.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
