import FreeholdEngine
import Synchronization

/// One request for the writer's lock by a realm that does other things meanwhile.
///
/// The transaction waits here until the realm's place comes to take it. A synchronous write of that place can't wait for
/// this, because it keeps the place from coming: it overtakes, and who was overtaken asks again.
final class AsyncTurn: Sendable {
    private let state: Box
    private let task: Task<Void, Never>

    private final class Box: Sendable {
        let state = Mutex(State())
    }

    private struct State {
        var begun: Handover<WriteTransaction>?
        var error: (any Error)?
        var isOvertaken = false
    }

    init(_ database: Database, _ configuration: Realm.Configuration) {
        let box = Box()
        state = box
        task = Task.detached(priority: Task.currentPriority) {
            do {
                let begun = Handover(try await database.beginWaiting(configuration))
                let isLate = box.state.withLock { state in
                    if !state.isOvertaken { state.begun = begun }
                    return state.isOvertaken
                }
                if isLate { begun.take().cancel() }
            } catch {
                box.state.withLock { $0.error = error }
            }
        }
    }

    /// Returns when there is something to take. A task that is cancelled meanwhile gives the request up.
    func wait() async {
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// What was begun; nil if a synchronous write was faster. To be called where the realm is, after `wait`.
    ///
    /// - Throws: why it didn't begin: a `Realm.Error`, or `CancellationError`.
    func take() throws -> WriteTransaction? {
        let (begun, error) = state.state.withLock { state in
            defer { state.begun = nil }
            return (state.begun, state.isOvertaken ? nil : state.error)
        }
        if let error { throw error }
        return begun?.take()
    }

    /// Takes the transaction, if it has begun; else it won't. Where the realm is.
    func overtake() -> WriteTransaction? {
        let begun = state.state.withLock { state in
            state.isOvertaken = true
            defer { state.begun = nil }
            return state.begun
        }
        if begun == nil { task.cancel() }
        return begun?.take()
    }
}
