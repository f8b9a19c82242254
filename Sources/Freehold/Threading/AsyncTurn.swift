import FreeholdEngine
import Synchronization

/// One request for the writer's lock by a realm that does other things meanwhile.
///
/// The lock is offered to the realm's place when it is free, and the transaction begins when the place takes it. An offer
/// that the place doesn't take soon lapses, so that a busy place delays no other writer. A synchronous write of the place
/// ends the turn, because it keeps the place from taking an offer. In both cases the place asks again.
final class AsyncTurn: Sendable {
    private let turn: WriteTurn
    private let configuration: Realm.Configuration
    private let signal: Signal

    /// What has happened before the task waits, or the task that waits.
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
    ///   - earlier: a turn that has ended without a transaction, and the place of which in the queue this one takes.
    ///   - ready: is called once, on any thread, when there is something to take.
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

    /// Returns when there is something to take. A task that is cancelled meanwhile gives the request up.
    func wait(_isolation: isolated (any Actor)? = #isolation) async {
        await withTaskCancellationHandler {
            await signal.wait(_isolation)
        } onCancel: {
            turn.cancel()
        }
    }

    /// Begins the transaction, if the lock is offered. To be called where the realm is, after `wait` or `ready`.
    ///
    /// - Returns: nil if the offer has lapsed, or a synchronous write was faster.
    /// - Throws: the reason why it didn't begin: a `Realm.Error`, or `CancellationError`.
    func take() throws -> WriteTransaction? {
        do throws(EngineError) { return try turn.take() } catch {
            if error.code == .cancelled { throw CancellationError() }
            throw error.code == .busy
                ? configuration.busyError(error) : Realm.Error(error, fileURL: configuration.fileURL)
        }
    }

    /// Begins the transaction, if the lock is offered. Otherwise the turn ends. Where the realm is.
    func overtake() throws(Realm.Error) -> WriteTransaction? {
        do throws(EngineError) { return try turn.overtake() } catch {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
    }
}
