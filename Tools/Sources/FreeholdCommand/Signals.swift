import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The handling of the process's signals, for which one thread waits.
///
/// A signal that ends the command (Ctrl-C, SIGTERM, a closed terminal) deletes incomplete files (``Drafts``), and
/// restores the terminal. A command can request to end by itself, or to be interrupted.
enum Signals {
    private struct State {
        var ends: (@Sendable () -> Void)?
        var interrupts: (@Sendable () -> Void)?
        /// A pipe that is written to when the size of the terminal's window changes.
        var windowPipe: (read: Int32, write: Int32)?
    }

    private static let state = Mutex(State())

    /// Starts the thread that waits for signals. The method must be called before other threads exist, which would
    /// receive them.
    static func watch() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            // A signal that was ignored when the command was started, for example by `nohup`, stays ignored.
            let previous = signal(number, SIG_DFL)
            if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                signal(number, SIG_IGN)
            } else {
                sigaddset(&signals, number)
            }
        }
        // Some systems don't deliver an ignored signal to a waiting thread.
        signal(SIGWINCH) { _ in }
        sigaddset(&signals, SIGWINCH)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let watched = signals
        Thread.detachNewThread {
            var signals = watched
            var number: Int32 = 0
            while sigwait(&signals, &number) == 0 {
                if !handle(number) { end(with: number, &signals) }
            }
        }
    }

    /// - Returns: A Boolean value that indicates whether the signal was handled.
    private static func handle(_ number: Int32) -> Bool {
        let action: (@Sendable () -> Void)? = state.withLock { state in
            switch number {
            case SIGWINCH:
                let pipe = state.windowPipe
                return {
                    var byte: UInt8 = 0
                    if let pipe { _ = systemWrite(pipe.write, &byte, count: 1) }
                }
            case SIGINT where state.interrupts != nil: return state.interrupts
            default:
                // The closure is called once. The next signal ends the process in any case.
                defer { state.ends = nil }
                return state.ends
            }
        }
        action?()
        return action != nil
    }

    private static func end(with number: Int32, _ signals: inout sigset_t) {
        TerminalMode.restore()
        Drafts.removeAll {
            // The default action of the signal ends the process. No other draft begins before that.
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            raise(number)
        }
    }

    /// Calls the closure once, at the first signal that would end the process. A second signal ends it.
    static func onEnd(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.ends = body } }

    /// Calls the closure at each Ctrl-C instead of ending the process, while the body runs.
    static func interrupting<R>(_ interrupt: @escaping @Sendable () -> Void, _ body: () throws -> R) rethrows -> R {
        state.withLock { $0.interrupts = interrupt }
        defer { state.withLock { $0.interrupts = nil } }
        return try body()
    }

    // MARK: The size of the window

    /// A descriptor that becomes readable when the size of the terminal's window changes.
    static var windowChanges: Int32 {
        state.withLock { state in
            if let pipe = state.windowPipe { return pipe.read }
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { return -1 }
            for end in ends {
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            }
            state.windowPipe = (ends[0], ends[1])
            return ends[0]
        }
    }

    static func takeWindowChanges() {
        let pipe = state.withLock { $0.windowPipe?.read ?? -1 }
        var bytes = [UInt8](repeating: 0, count: 64)
        while systemRead(pipe, &bytes, count: bytes.count) == bytes.count {}
    }

    private static func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer, count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, start, count)
        #elseif canImport(Musl)
            Musl.write(descriptor, start, count)
        #else
            Darwin.write(descriptor, start, count)
        #endif
    }

    private static func systemRead(_ descriptor: Int32, _ start: UnsafeMutableRawPointer, count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.read(descriptor, start, count)
        #elseif canImport(Musl)
            Musl.read(descriptor, start, count)
        #else
            Darwin.read(descriptor, start, count)
        #endif
    }
}
