import Dispatch
package import FreeholdSyncCore

/// Functions that block the calling thread until an answer is available. Tasks mustn't call them, because their threads
/// are shared.
package enum Waiting {
    private final class Box<Value>: @unchecked Sendable {
        let isThere = DispatchSemaphore(value: 0)
        var value: Value?
    }

    /// Blocks until the closure that is passed to `body` has received the answer.
    ///
    /// - Parameter body: A closure that begins the request, and later calls its argument exactly once.
    package static func wait(_ body: (@escaping @Sendable (ServerStoreAnswer) -> Void) -> Void) -> ServerStoreAnswer {
        let box = Box<ServerStoreAnswer>()
        body { answer in
            box.value = answer
            box.isThere.signal()
        }
        box.isThere.wait()
        return box.value ?? .failed(.unknown)
    }

    package static func wait<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let box = Box<Result<Value, any Error>>()
        Task {
            do { box.value = .success(try await body()) } catch { box.value = .failure(error) }
            box.isThere.signal()
        }
        box.isThere.wait()
        guard let value = box.value else { throw CancellationError() }
        return try value.get()
    }
}
