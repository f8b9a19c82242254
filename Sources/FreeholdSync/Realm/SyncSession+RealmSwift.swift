public import Dispatch
import Foundation
public import FreeholdSyncCore
import Synchronization

/// Whose session it is.
struct SessionOwner: Sendable {
    let user: User
    let configuration: SyncConfiguration
}

extension SyncSession {
    public enum State: Int, Hashable, Sendable {
        /// It is connected, or tries to be.
        case active
        /// The app suspended it.
        case inactive
        /// The user was logged out, or the file let go of.
        case invalid
    }

    public typealias ConnectionState = FreeholdSyncCore.ConnectionState

    public enum ProgressDirection: Int, Hashable, Sendable {
        case upload
        case download
    }

    public var state: State {
        if isClosed { return .invalid }
        return isSuspended ? .inactive : .active
    }

    /// The user whose realm it is; nil of sessions that the app made itself.
    public func parentUser() -> User? { owner.withLock { $0?.user } }

    /// The realm's configuration; nil of sessions that the app made itself.
    public func configuration() -> SyncConfiguration? { owner.withLock { $0?.configuration } }

    /// The states that the connection takes from now on. Ours, in place of key-value observation.
    public var connectionStates: AsyncStream<FreeholdSyncCore.ConnectionState> {
        let events = events()
        let (stream, continuation) = AsyncStream<FreeholdSyncCore.ConnectionState>.makeStream(
            bufferingPolicy: .bufferingNewest(16)
        )
        let task = Task {
            for await event in events {
                if case .report(.connection(let state)) = event { continuation.yield(state) }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Waits until all that was committed here is with the server, or all that the server has is here.
    public func wait(for direction: ProgressDirection) async throws {
        switch direction {
        case .upload: try await waitForUpload()
        case .download: try await waitForDownload()
        }
    }

    /// The same with a block, which is called once, on the queue or on a thread of the library's.
    public func wait(
        for direction: ProgressDirection,
        queue: DispatchQueue? = nil,
        block: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Task {
            var failure: (any Error)?
            do { try await wait(for: direction) } catch { failure = error }
            let error = failure
            if let queue { queue.async { block(error) } } else { block(error) }
        }
    }

    // MARK: Progress

    public enum ProgressMode: Int, Hashable, Sendable {
        /// Until the token is invalidated, or let go of.
        case reportIndefinitely
        /// Until what is outstanding at the call is done.
        case forCurrentlyOutstandingWork
    }

    public struct Progress: Hashable, Sendable {
        /// From 0 to 1. How much there is isn't known before it is there: an estimate.
        public let progressEstimate: Double
        public var isTransferComplete: Bool { progressEstimate >= 1 }
    }

    /// Ends a progress notification.
    public final class ProgressNotificationToken: Sendable {
        private let task: Task<Void, Never>
        init(_ task: Task<Void, Never>) { self.task = task }
        deinit { task.cancel() }
        public func invalidate() { task.cancel() }
    }

    /// Tells how far a transfer is, on a thread of the library's.
    ///
    /// A bootstrap tells objects of those expected; other transfers begin at 0 and end at 1.
    ///
    /// - Returns: nil if the session is over: the block is never called then.
    public func addProgressNotification(
        for direction: ProgressDirection,
        mode: ProgressMode,
        block: @escaping @Sendable (Progress) -> Void
    ) -> ProgressNotificationToken? {
        guard !isClosed else { return nil }
        let events = events()
        let session = self
        return ProgressNotificationToken(
            Task { [weak session] in
                var last = -1.0
                func tell(_ estimate: Double, isRising: Bool) {
                    let estimate = isRising ? max(estimate, last) : estimate
                    guard estimate != last else { return }
                    last = estimate
                    block(Progress(progressEstimate: estimate))
                }
                switch mode {
                case .forCurrentlyOutstandingWork:
                    let reports = Task {
                        guard direction == .download else { return }
                        for await event in events {
                            guard case .report(.progress(let objects, let total)) = event, total > 0 else { continue }
                            block(Progress(progressEstimate: min(Double(objects) / Double(total), 0.999)))
                        }
                    }
                    defer { reports.cancel() }
                    do { try await session?.wait(for: direction) } catch { return }
                    reports.cancel()
                    tell(1, isRising: true)
                case .reportIndefinitely:
                    for await event in events {
                        switch event {
                        case .report(.progress(let objects, let total)) where direction == .download && total > 0:
                            tell(min(Double(objects) / Double(total), 0.999), isRising: false)
                        case .report(.downloaded) where direction == .download: tell(1, isRising: false)
                        case .report(.uploaded) where direction == .upload: tell(1, isRising: false)
                        default: break
                        }
                    }
                }
            }
        )
    }
}
