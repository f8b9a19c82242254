import Synchronization

/// The number of writes of a node by programs without a file.
final class WriterNumbers: Sendable {
    private let last = Atomic<UInt32>(0)

    func next() -> UInt64 { UInt64(last.wrappingAdd(1, ordering: .relaxed).newValue) }
}
