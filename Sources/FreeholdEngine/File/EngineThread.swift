#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A thread of the engine. Signals of the program aren't delivered to it.
enum EngineThread {
    private final class Body {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }

    /// All signals except those that a fault or a profiler sends.
    static let blockedSignals: sigset_t = {
        var blocked = sigset_t()
        sigfillset(&blocked)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGPROF] { sigdelset(&blocked, fault) }
        return blocked
    }()

    /// - Returns: the thread, which the caller has to join or detach.
    static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_attr_init(attributes)
        pthread_attr_setstacksize(attributes, 2 << 20)
        var before = sigset_t()
        var blocked = blockedSignals
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        #if canImport(Darwin) || canImport(Musl)
            // On this system, `pthread_t` is a pointer.
            var created: pthread_t?
        #else
            var created = pthread_t()
        #endif
        let code = pthread_create(
            &created,
            attributes,
            { context in
                // The pointer is optional on some systems and versions.
                let context = context as UnsafeMutableRawPointer?
                Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            },
            Unmanaged.passRetained(Body(body)).toOpaque()
        )
        pthread_sigmask(SIG_SETMASK, &before, nil)
        pthread_attr_destroy(attributes)
        precondition(code == 0, "A thread of the engine can't be started (\(code)).")
        #if canImport(Darwin) || canImport(Musl)
            return created!
        #else
            return created
        #endif
    }
}

/// A shield that blocks the program's signals on the thread until `end`, as on the engine's own threads. A file that reaches the limit of file sizes
/// then causes an error, and writes aren't interrupted.
struct SignalShield {
    private var before = sigset_t()
    private let hadPending: Bool

    init() {
        var blocked = EngineThread.blockedSignals
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        hadPending = Self.hasPending
    }

    func end() {
        // The error of the write has already reported the limit, so the pending signal is removed.
        if !hadPending, Self.hasPending {
            var limit = sigset_t()
            var signal: Int32 = 0
            sigemptyset(&limit)
            sigaddset(&limit, SIGXFSZ)
            sigwait(&limit, &signal)
        }
        var before = before
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    private static var hasPending: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return sigismember(&pending, SIGXFSZ) == 1
    }
}
