import Dispatch
import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A watch for signals that request the end of the process. It terminates the process if the server doesn't end in
/// time.
///
/// It uses neither Swift's tasks nor an event loop of the network, so that it works even if these are blocked. It ends
/// the process like `SIGKILL`: acknowledged data is kept.
final class DrainWatch {
    private let queue = DispatchQueue(label: "freehold.server.drain")
    private let sources: [any DispatchSourceSignal]

    /// The time in milliseconds that the server may use in addition to the time for clients to disconnect.
    private static let grace = 3_000

    /// Creates a watch. When the initialiser returns, the watch handles the signals. Before that, a signal ends the
    /// process.
    ///
    /// A signal must not be ignored before the watch handles it. Otherwise the signal would be lost, and the process
    /// would continue to run.
    ///
    /// - Parameters:
    ///   - drainTime: The time for clients to disconnect, in milliseconds.
    ///   - stop: A closure that is called for each signal.
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
        // On other systems, the dispatch source replaces the default action of the signal.
        #if canImport(Darwin)
            for number in signals { signal(number, SIG_IGN) }
        #endif
    }
}
