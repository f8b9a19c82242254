#if !canImport(Darwin) || FREEHOLD_TSAN
    internal import FreeholdEngine

    /// See the file of this name in FreeholdEngine.
    typealias Mutex<Value: ~Copyable> = SystemMutex<Value>
#endif
