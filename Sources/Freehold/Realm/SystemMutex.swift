#if !canImport(Darwin) || FREEHOLD_TSAN
    internal import FreeholdEngine

    /// See FreeholdEngine's file of this name.
    typealias Mutex<Value: ~Copyable> = SystemMutex<Value>
#endif
