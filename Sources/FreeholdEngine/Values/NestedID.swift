internal import Synchronization

/// The ids of collections inside mixed values.
///
/// They increase from a random start in each process. Therefore two processes that write one file have different ids, and the id of a cancelled
/// transaction isn't reused. All ids have the same length as a varint, so a value has the same size each time it is encoded.
enum NestedID {
    private static let last = Atomic<UInt64>(.random(in: 0..<1 << 62))

    /// Returns a new id, which isn't 0.
    static func next() -> UInt64 {
        let number = last.wrappingAdd(1, ordering: .relaxed).newValue
        return number & (1 << 62 - 1) | 1 << 62
    }
}
