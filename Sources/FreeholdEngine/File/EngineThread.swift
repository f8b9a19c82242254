#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A thread of the engine's own: signals of the program aren't delivered on it.
enum EngineThread {
    private final class Body {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }

    /// All but what a fault or a profiler sends.
    static let blockedSignals: sigset_t = {
        var blocked = sigset_t()
        sigfillset(&blocked)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGPROF] { sigdelset(&blocked, fault) }
        return blocked
    }()

    /// - Returns: the thread, to be joined or detached.
    static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_attr_init(attributes)
        pthread_attr_setstacksize(attributes, 2 << 20)
        var before = sigset_t()
        var blocked = blockedSignals
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        #if canImport(Darwin) || canImport(Musl)
            // There it is a pointer.
            var created: pthread_t?
        #else
            var created = pthread_t()
        #endif
        let code = pthread_create(
            &created,
            attributes,
            { context in
                // Optional or not, by system and version.
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

/// Keeps the program's signals from the thread until `end`, as they are kept from the engine's own threads: a file that
/// reaches the limit of file sizes gives an error, and no write is interrupted.
struct SignalShield {
    private var before = sigset_t()
    private let hadPending: Bool

    init() {
        var blocked = EngineThread.blockedSignals
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        hadPending = Self.hasPending
    }

    func end() {
        // What a write of ours has sent is answered by its error.
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
