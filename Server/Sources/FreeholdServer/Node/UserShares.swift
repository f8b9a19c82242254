import FreeholdSyncCore
import Synchronization

/// A limit for the reads of the store that each user has at the same time. Further reads wait. Any thread may use it.
final class UserShares: Sendable {
    private struct Share {
        var running = 0
        var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private struct State {
        var shares: [SyncString: Share] = [:]
        var last = 0
    }

    private let state = Mutex(State())
    private let most: Int

    /// - Parameter most: The number of reads of a user that run at the same time, at least 1.
    init(most: Int) { self.most = most }

    /// The permission for one read within the share of its user. It ends with ``leave()``, or when the last reference to it is released.
    final class Place: Sendable {
        private let shares: UserShares
        private let user: SyncString
        private let hasLeft = Atomic(false)

        fileprivate init(_ shares: UserShares, _ user: SyncString) { (self.shares, self.user) = (shares, user) }

        deinit { leave() }

        /// Ends the permission. A second call does nothing.
        func leave() { if !hasLeft.exchange(true, ordering: .acquiringAndReleasing) { shares.leave(user) } }
    }

    /// Waits until the user's share permits another read.
    ///
    /// The caller ends the permission when the store has finished the read. The store continues with the read if the task is cancelled.
    ///
    /// - Throws: `CancellationError` if the task is cancelled during the wait.
    func enter(_ user: SyncString) async throws -> Place {
        guard await wait(for: user) else { throw CancellationError() }
        return Place(self, user)
    }

    private func wait(for user: SyncString) async -> Bool {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isIn: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    guard state.shares[user, default: Share()].running >= most else {
                        state.shares[user, default: Share()].running += 1
                        return true
                    }
                    state.shares[user]?.waiting.append((number, continuation))
                    return nil
                }
                if let isIn { continuation.resume(returning: isIn) }
            }
        } onCancel: {
            let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let index = state.shares[user]?.waiting.firstIndex(where: { $0.number == number }) else {
                    return nil
                }
                return state.shares[user]?.waiting.remove(at: index).continuation
            }
            waiting?.resume(returning: false)
        }
    }

    /// The numbers of a user's reads that run and that wait.
    func counts(of user: SyncString) -> (running: Int, waiting: Int) {
        state.withLock { state in state.shares[user].map { ($0.running, $0.waiting.count) } ?? (0, 0) }
    }

    fileprivate func leave(_ user: SyncString) {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard var share = state.shares[user] else { return nil }
            let next = share.waiting.isEmpty ? nil : share.waiting.removeFirst().continuation
            if next == nil { share.running -= 1 }
            state.shares[user] = share.running == 0 ? nil : share
            return next
        }
        next?.resume(returning: true)
    }
}
