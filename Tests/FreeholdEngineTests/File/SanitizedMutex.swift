#if FREEHOLD_TSAN
    internal import FreeholdEngine

    /// See FreeholdEngine's file of this name.
    typealias Mutex<Value: ~Copyable> = SanitizedMutex<Value>
#endif
