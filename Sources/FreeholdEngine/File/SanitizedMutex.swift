// The thread sanitizer doesn't see the standard library's `Mutex` on Linux (a futex of its own, in a library that isn't
// instrumented) and reports every access under one as a race. Builds for the sanitizer (`make tsan`) therefore set
// FREEHOLD_TSAN, and this mutex, which is a pthread's, takes its name; a module's own name goes before an imported one.
#if FREEHOLD_TSAN
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Darwin)
        import Darwin
    #endif

    package struct SanitizedMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        private let handle: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        package init(_ initial: consuming sending Value) {
            handle = .allocate(capacity: 1)
            pthread_mutex_init(handle, nil)
            value = .allocate(capacity: 1)
            value.initialize(to: initial)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            pthread_mutex_destroy(handle)
            handle.deallocate()
        }

        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(handle)
            defer { pthread_mutex_unlock(handle) }
            nonisolated(unsafe) let value = value
            return try body(&value.pointee)
        }
    }

    typealias Mutex<Value: ~Copyable> = SanitizedMutex<Value>
#endif
