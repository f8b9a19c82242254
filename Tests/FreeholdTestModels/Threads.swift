import Foundation
import Testing

private final class ThreadResult<R>: @unchecked Sendable { var result: Result<R, any Error>? }

/// Runs the body on a thread of its own, and waits for it.
package func onAnotherThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) throws -> R {
    let box = ThreadResult<R>()
    let done = DispatchSemaphore(value: 0)
    Thread {
        box.result = Result { try body() }
        done.signal()
    }.start()
    done.wait()
    return try box.result!.get()
}

/// Runs the block on a thread of its own, and waits for it. Records an error of the block as an issue.
package func onOtherThread(_ body: @escaping @Sendable () throws -> Void) {
    do { try onAnotherThread(body) } catch { Issue.record(error) }
}
