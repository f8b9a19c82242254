import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

private let forks = Atomic<Int>(0)

private let registered: Bool = {
    #if canImport(Darwin)
        pthread_atfork(nil, nil) { forks.add(1, ordering: .relaxed) }
    #else
        _ = pthread_atfork(nil, nil) { forks.add(1, ordering: .relaxed) }
    #endif
    return true
}()

/// A number that distinguishes a process from its forked children without a system call. LMDB environments, reader slots and locks belong to the
/// process that created them.
struct ForkGeneration: Equatable, Sendable {
    private let number: Int

    static var current: ForkGeneration {
        _ = registered
        return ForkGeneration(number: forks.load(ordering: .relaxed))
    }

    var isCurrent: Bool { number == forks.load(ordering: .relaxed) }
}

/// An object that exists once in each process. A forked child creates its own, because a thread that doesn't exist in the child may hold the lock of
/// the parent's object.
final class PerProcess<Value: AnyObject & Sendable>: Sendable {
    private final class Held: Sendable {
        let value: Value
        let generation = ForkGeneration.current

        init(_ value: Value) { self.value = value }
    }

    private let held: Atomic<Unmanaged<Held>>
    private let make: @Sendable (Value?) -> Value

    /// - Parameter make: creates the object. In a forked child, it receives the parent's object. Several threads may call it at once. Only one of the
    ///   results is used.
    init(_ make: @escaping @Sendable (_ inherited: Value?) -> Value) {
        self.make = make
        held = Atomic(.passRetained(Held(make(nil))))
    }

    /// The object of this process. Any thread may read it. Without a fork since the last read, it costs one atomic load.
    var value: Value {
        let found = held.load(ordering: .acquiring)
        let current = found.takeUnretainedValue()
        if current.generation.isCurrent { return current.value }
        let made = Unmanaged.passRetained(Held(make(current.value)))
        // The parent's object is never released, because its deinitialiser would take its locks.
        let (isMine, other) = held.compareExchange(expected: found, desired: made, ordering: .acquiringAndReleasing)
        if isMine { return made.takeUnretainedValue().value }
        made.release()
        return other.takeUnretainedValue().value
    }
}
