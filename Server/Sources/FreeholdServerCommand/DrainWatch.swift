import Dispatch
import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A watch that ends the process if it doesn't end itself after a request to end.
///
/// It uses neither Swift's tasks nor an event loop of the network, so that it works even if these are blocked. It ends
/// the process like `SIGKILL`: acknowledged data is kept.
final class DrainWatch {
    private let queue = DispatchQueue(label: "freehold.server.drain")
    private let sources: [any DispatchSourceSignal]

    /// The time in milliseconds that the server may use in addition to the time that clients have to leave.
    private static let grace = 3_000

    /// - Parameter drainTime: The time that clients have to leave, in milliseconds.
    init(_ signals: [Int32], drainTime: Int64, _ logger: Logger) {
        // Clients have the drain time, a silent client is disconnected 2 seconds later, and sinks have the drain time
        // again.
        let time = 2 * max(Int(clamping: drainTime), 1_000) + 2_000 + Self.grace
        sources = signals.map { [queue] number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                queue.asyncAfter(deadline: .now() + .milliseconds(time)) {
                    logger.critical("the server doesn't end in time: the process ends at once")
                    _exit(EXIT_FAILURE)
                }
            }
            source.resume()
            return source
        }
    }
}
