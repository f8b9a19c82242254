public import CoreMetrics
public import Logging
import Metrics
public import NIOHTTP1
import Synchronization

/// A record of an answered request. It doesn't contain the path, because paths contain keys of documents.
public struct HTTPRecord: Sendable {
    public let id: String
    /// The route's name, or `nil` if no route has the request's path and method.
    public let operation: String?
    public let method: HTTPMethod
    public let status: Int
    /// The time from the head of the request to the answer, in nanoseconds. For a stream, to its beginning.
    public let nanoseconds: Int64
}

/// An observer that receives a record of each answered request, on the connection's thread.
public protocol HTTPObserver: Sendable {
    func answered(_ record: HTTPRecord)
}

/// An observer that writes a line to the log for each request, at the level debug.
public struct HTTPLog: HTTPObserver {
    private let logger: Logger

    public init(_ logger: Logger) { self.logger = logger }

    public func answered(_ record: HTTPRecord) {
        logger.debug(
            "request",
            metadata: [
                "id": "\(record.id)", "method": "\(record.method)", "operation": "\(record.operation ?? "none")",
                "status": "\(record.status)", "microseconds": "\(record.nanoseconds / 1_000)",
            ]
        )
    }
}

/// An observer that counts requests by route and status, and records their durations by route.
public final class HTTPMetrics: HTTPObserver {
    private struct Key: Hashable {
        let operation: String
        let status: Int
    }

    private let prefix: String
    private let factory: any MetricsFactory
    private let counters = Mutex<[Key: Counter]>([:])
    private let timers = Mutex<[String: Timer]>([:])

    /// - Parameter prefix: The beginning of the metrics' names, such as `freehold_http`.
    public init(_ factory: any MetricsFactory, prefix: String) { (self.factory, self.prefix) = (factory, prefix) }

    public func answered(_ record: HTTPRecord) {
        let operation = record.operation ?? "none"
        let counter = counters.withLock { counters in
            let key = Key(operation: operation, status: record.status)
            if let known = counters[key] { return known }
            let dimensions = [("operation", operation), ("status", "\(record.status)")]
            let new = Counter(label: "\(prefix)_requests_total", dimensions: dimensions, factory: factory)
            counters[key] = new
            return new
        }
        counter.increment()
        let timer = timers.withLock { timers in
            if let known = timers[operation] { return known }
            let new = Timer(
                label: "\(prefix)_request_seconds",
                dimensions: [("operation", operation)],
                factory: factory
            )
            timers[operation] = new
            return new
        }
        timer.recordNanoseconds(record.nanoseconds)
    }
}
