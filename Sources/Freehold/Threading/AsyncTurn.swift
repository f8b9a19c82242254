import FreeholdEngine
import Synchronization

/// A request of a realm for the writer's lock. The realm's place can do other work meanwhile.
///
/// When the lock is free, it is offered to the realm's place, and the transaction begins when the place accepts it. An
/// offer that isn't accepted soon expires, so that a busy place delays no other writer. A synchronous write of the same
/// place ends the request, because it prevents the place from accepting an offer. In both cases the place makes a new
/// request.
final class AsyncTurn: Sendable {
    private let turn: WriteTurn
    private let configuration: Realm.Configuration
    private let signal: Signal

    /// A signal that is either set before the task waits, or resumes the waiting task.
    private final class Signal: Sendable {
        private let state = Mutex<(isReady: Bool, task: UnsafeContinuation<Void, Never>?)>((false, nil))

        func ready() {
            state.withLock { state in
                state.isReady = true
                defer { state.task = nil }
                return state.task
            }?.resume()
        }

        func wait(_ isolation: isolated (any Actor)?) async {
            await withUnsafeContinuation { continuation in
                let isReady = state.withLock { state in
                    if !state.isReady { state.task = continuation }
                    return state.isReady
                }
                if isReady { continuation.resume() }
            }
        }
    }

    /// - Parameters:
    ///   - earlier: A request that ended without a transaction. The new request takes over its position in the queue.
    ///   - ready: A closure that is called once, on any thread, when an offer or an error is available.
    init(
        _ core: RealmCore,
        _ place: WritePlace,
        after earlier: AsyncTurn? = nil,
        ready: (@Sendable () -> Void)? = nil
    ) {
        configuration = core.configuration
        let signal = Signal()
        self.signal = signal
        turn = WriteTurn(
            core.database,
            place,
            ticket: earlier?.turn.ticket,
            until: core.configuration.busyDeadline
        ) { ready?() ?? signal.ready() }
    }

    /// Waits until an offer or an error is available. Cancelling the task withdraws the request.
    func wait(_isolation: isolated (any Actor)? = #isolation) async {
        await withTaskCancellationHandler {
            await signal.wait(_isolation)
        } onCancel: {
            turn.cancel()
        }
    }

    /// Begins the transaction if the lock is offered. The method must be called where the realm is, after `wait` or
    /// `ready`.
    ///
    /// - Returns: The transaction, or nil if the offer has expired or a synchronous write was faster.
    /// - Throws: The reason why the transaction didn't begin: a `Realm.Error` or `CancellationError`.
    func take() throws -> WriteTransaction? {
        do throws(EngineError) { return try turn.take() } catch {
            if error.code == .cancelled { throw CancellationError() }
            throw error.code == .busy
                ? configuration.busyError(error) : Realm.Error(error, fileURL: configuration.fileURL)
        }
    }

    /// Begins the transaction if the lock is offered. Otherwise the request ends. The method is called where the realm
    /// is.
    func overtake() throws(Realm.Error) -> WriteTransaction? {
        do throws(EngineError) { return try turn.overtake() } catch {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
    }
}
