import Dispatch
import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A watch for signals that ask the process to end. It ends the process itself if the server needs too long.
///
/// It uses neither Swift's tasks nor an event loop of the network, so that it works even if these are blocked. It ends
/// the process like `SIGKILL`: acknowledged data is kept.
final class DrainWatch {
    private let queue = DispatchQueue(label: "freehold.server.drain")
    private let sources: [any DispatchSourceSignal]

    /// The time in milliseconds that the server may use in addition to the time that clients have to leave.
    private static let grace = 3_000

    /// Returns when each signal reaches the watch. Before that, a signal ends the process.
    ///
    /// A signal must not be ignored before it is watched: it would be lost, and the process would never end.
    ///
    /// - Parameters:
    ///   - drainTime: The time that clients have to leave, in milliseconds.
    ///   - stop: Called for each signal.
    init(_ signals: [Int32], drainTime: Int64, _ logger: Logger, stop: @escaping @Sendable () -> Void) {
        // Clients have the drain time, a silent client is disconnected 2 seconds later, and sinks have the drain time
        // again.
        let time = 2 * max(Int(clamping: drainTime), 1_000) + 2_000 + Self.grace
        let watched = DispatchSemaphore(value: 0)
        sources = signals.map { [queue] number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setRegistrationHandler { watched.signal() }
            source.setEventHandler {
                stop()
                queue.asyncAfter(deadline: .now() + .milliseconds(time)) {
                    logger.critical("the server doesn't end in time: the process ends at once")
                    _exit(EXIT_FAILURE)
                }
            }
            source.resume()
            return source
        }
        for _ in signals { watched.wait() }
        // Elsewhere, the source replaces the default action of its signal.
        #if canImport(Darwin)
            for number in signals { signal(number, SIG_IGN) }
        #endif
    }
}
