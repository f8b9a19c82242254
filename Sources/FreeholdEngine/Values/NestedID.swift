internal import Synchronization

/// Numbers for the collections inside of mixed values.
///
/// They rise from a random start in each process, so that two processes that write one file don't meet, and a number of
/// a cancelled transaction isn't given again. All are of one length as a varint: a value has the same size each time
/// it is encoded.
enum NestedID {
    private static let last = Atomic<UInt64>(.random(in: 0..<1 << 62))

    /// Not 0.
    static func next() -> UInt64 {
        let number = last.wrappingAdd(1, ordering: .relaxed).newValue
        return number & (1 << 62 - 1) | 1 << 62
    }
}
