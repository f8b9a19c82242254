import Dispatch
import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Ends the process if it doesn't end by itself after it was asked to.
///
/// It needs neither Swift's tasks nor a loop of the network, so that it works whatever occupies those. An end by it is like one by `SIGKILL`: what
/// was acknowledged is kept.
final class DrainWatch {
    private let queue = DispatchQueue(label: "freehold.server.drain")
    private let sources: [any DispatchSourceSignal]

    /// What the server may take beside the time that clients get to leave, in milliseconds.
    private static let grace = 3_000

    /// - Parameter drainTime: The time that clients get to leave, in milliseconds.
    init(_ signals: [Int32], drainTime: Int64, _ logger: Logger) {
        // Clients get the time, a silent one is cut 2 seconds later, and sinks get as much again.
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
