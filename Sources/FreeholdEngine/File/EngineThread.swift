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

    /// - Returns: the thread, to be joined or detached.
    static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_attr_init(attributes)
        pthread_attr_setstacksize(attributes, 2 << 20)
        var before = sigset_t()
        var blocked = sigset_t()
        sigfillset(&blocked)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGPROF] { sigdelset(&blocked, fault) }
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
