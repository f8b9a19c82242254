// A mutex of the system. On Linux it replaces the standard library's `Mutex`, because a name in the module itself has precedence over an imported
// one. The standard library's mutex is a futex that contains the number of the owning thread, which is cached in a thread-local variable. In a forked
// child, the cached number is that of the parent's thread. A lock that one thread holds and another thread wants would trap there. The thread
// sanitizer doesn't see the standard library's mutex either (its library isn't instrumented), and reports every access under it as a race. Therefore
// `make tsan` sets FREEHOLD_TSAN on all systems.
#if !canImport(Darwin) || FREEHOLD_TSAN
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Android)
        import Android
    #elseif canImport(Darwin)
        import Darwin
    #endif

    package struct SystemMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        // Sendable because `value` is used only while the handle is locked.
        private struct Locked: ~Copyable {
            var handle = pthread_mutex_t()
            var value: Value

            init(_ value: consuming Value) { self.value = value }
        }

        private let locked: UnsafeMutablePointer<Locked>

        package init(_ initial: consuming sending Value) {
            locked = .allocate(capacity: 1)
            locked.initialize(to: Locked(initial))
            pthread_mutex_init(&locked.pointee.handle, nil)
        }

        deinit {
            pthread_mutex_destroy(&locked.pointee.handle)
            locked.deinitialize(count: 1)
            locked.deallocate()
        }

        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(&locked.pointee.handle)
            defer { pthread_mutex_unlock(&locked.pointee.handle) }
            nonisolated(unsafe) let locked = locked
            return try body(&locked.pointee.value)
        }
    }

    typealias Mutex<Value: ~Copyable> = SystemMutex<Value>
#endif
