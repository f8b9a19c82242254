import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
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
