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

/// Runs the block on a new thread and waits for it.
package func onOtherThread(_ body: @escaping @Sendable () throws -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        do { try body() } catch { Issue.record(error) }
        done.signal()
    }
    thread.start()
    done.wait()
}
