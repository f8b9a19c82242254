#if FREEHOLD_TSAN
    package import FreeholdEngine

    // The standard mutex is in a library that isn't instrumented: the sanitizer would report each access under it as a race.
    package typealias Mutex<Value: ~Copyable> = SystemMutex<Value>
#else
    package import Synchronization

    package typealias Mutex = Synchronization.Mutex
#endif
