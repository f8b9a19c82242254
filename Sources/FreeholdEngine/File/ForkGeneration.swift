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

/// Tells a process from its forked children without a system call: LMDB environments, reader slots and locks
/// belong to the process that made them.
struct ForkGeneration: Equatable, Sendable {
    private let number: Int

    static var current: ForkGeneration {
        _ = registered
        return ForkGeneration(number: forks.load(ordering: .relaxed))
    }

    var isCurrent: Bool { number == forks.load(ordering: .relaxed) }
}

/// Something that each process has one of, and a forked child makes anew: the parent's may be locked in the child by a thread
/// that isn't there.
final class PerProcess<Value: AnyObject & Sendable>: Sendable {
    private final class Held: Sendable {
        let value: Value
        let generation = ForkGeneration.current

        init(_ value: Value) { self.value = value }
    }

    private let held: Atomic<Unmanaged<Held>>
    private let make: @Sendable (Value?) -> Value

    /// - Parameter make: gets the parent's in a forked child. May be called by several threads at once: one's is taken.
    init(_ make: @escaping @Sendable (_ inherited: Value?) -> Value) {
        self.make = make
        held = Atomic(.passRetained(Held(make(nil))))
    }

    /// Any thread may ask. One atomic load where no fork happened since.
    var value: Value {
        let found = held.load(ordering: .acquiring)
        let current = found.takeUnretainedValue()
        if current.generation.isCurrent { return current.value }
        let made = Unmanaged.passRetained(Held(make(current.value)))
        // The parent's is never released: its end would take its locks.
        let (isMine, other) = held.compareExchange(expected: found, desired: made, ordering: .acquiringAndReleasing)
        if isMine { return made.takeUnretainedValue().value }
        made.release()
        return other.takeUnretainedValue().value
    }
}
