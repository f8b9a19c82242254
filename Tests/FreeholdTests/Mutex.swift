#if FREEHOLD_TSAN
    import FreeholdEngine

    // The standard one lies in a library that isn't instrumented: the sanitizer would take each access under it for a race.
    typealias Mutex<Value: ~Copyable> = SystemMutex<Value>
#else
    import Synchronization

    /// The library has a mutex of its own for the thread sanitizer, which `@testable` shows: the tests use the standard one.
    typealias Mutex = Synchronization.Mutex
#endif
