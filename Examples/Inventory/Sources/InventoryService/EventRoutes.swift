import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// The stream of changes as server-sent events.
struct EventRoutes: Sendable {
    let feed: ItemFeed

    func add(to router: Router<InventoryContext>) { router.get("/events", use: events) }

    @Sendable private func events(_ request: Request, context: InventoryContext) async throws -> Response {
        let channel = context.channel
        // The feed closes the connection of a client that doesn't read for too long.
        let reader = try feed.subscribe { channel.close(promise: nil) }
        let body = ResponseBody { writer in
            defer { feed.unsubscribe(reader) }
            // A client that leaves ends the stream at once, and not only at the next event. The stop of the service
            // ends it, too: the server waits for all responses.
            try await withGracefulShutdownHandler {
                try await request.body.consumeWithInboundCloseHandler { _ in
                    while let events = await reader.next() {
                        reader.writeBegins()
                        // Suspends while the client doesn't read. Meanwhile the reader collects events.
                        try await writer.write(ByteBuffer(string: Self.text(events)))
                        reader.writeEnds()
                    }
                } onInboundClosed: {
                    reader.finish()
                }
            } onGracefulShutdown: {
                reader.finish()
            }
            try await writer.finish(nil)
        }
        let headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store", .connection: "close"]
        return Response(status: .ok, headers: headers, body: body)
    }

    /// Returns the lines of events. A comment takes the place of no event, and shows that the stream is alive.
    static func text(_ events: [ItemEvent]) throws -> String {
        if events.isEmpty { return ":\n\n" }
        return try events.map { event in
            switch event {
            case .reload(let version): "id: \(version)\nevent: reload\ndata: {\"version\":\(version)}\n\n"
            case .change(let change, let version):
                "id: \(version)\nevent: items\ndata: \(String(decoding: try JSON.data(change), as: UTF8.self))\n\n"
            }
        }
        .joined()
    }
}
