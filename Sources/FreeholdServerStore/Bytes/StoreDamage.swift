internal import Synchronization

/// The error of a hidden row with invalid content.
struct StoreDamage: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A value that is used by one thread at a time.
final class Lock<Value>: Sendable {
    private let mutex: Mutex<Box>

    private struct Box: @unchecked Sendable {
        var value: Value
    }

    init(_ value: sending Value) { mutex = Mutex(Box(value: value)) }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try mutex.withLock { try body(&$0.value) }
    }
}
