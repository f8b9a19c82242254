import Synchronization

/// Counts the writes of a node that came without a file.
final class WriterNumbers: Sendable {
    private let last = Atomic<UInt32>(0)

    func next() -> UInt64 { UInt64(last.wrappingAdd(1, ordering: .relaxed).newValue) }
}
