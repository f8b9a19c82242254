// The system's mutex, which takes the name of the standard library's on Linux: a module's own name goes before an imported
// one. The standard library's is a futex that holds a thread's number, which it keeps in a variable of the thread. In a forked
// child that is the number of the parent's thread: a lock that one thread holds and another wants traps there. The thread
// sanitizer doesn't see it either (it lies in a library that isn't instrumented), and takes every access under it for a race:
// so `make tsan` sets FREEHOLD_TSAN on all systems.
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
        // Sendable: `value` is used with the handle locked.
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
