public import Dispatch
import Foundation
public import Freehold
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

    /// Tells how far a transfer is, on a thread of the library's: see ``progress(for:mode:)``.
    ///
    /// - Returns: nil if the session is over: the block is never called then.
    public func addProgressNotification(
        for direction: ProgressDirection,
        mode: ProgressMode,
        block: @escaping @Sendable (Progress) -> Void
    ) -> ProgressNotificationToken? {
        guard !isClosed else { return nil }
        let progress = progress(for: direction, mode: mode)
        return ProgressNotificationToken(Task { for await progress in progress { block(progress) } })
    }

    /// How far a transfer is, from now on. It ends with what is outstanding at the call, or with the session.
    ///
    /// A bootstrap tells objects of those expected; other transfers begin at 0 and end at 1.
    public func progress(for direction: ProgressDirection, mode: ProgressMode) -> AsyncStream<Progress> {
        let (stream, continuation) = AsyncStream<Progress>.makeStream(bufferingPolicy: .bufferingNewest(100))
        let events = events()
        let reports = Task {
            for await event in events {
                switch event {
                case .report(.progress(let objects, let total)) where direction == .download && total > 0:
                    let estimate = min(Double(objects) / Double(total), 0.999)
                    continuation.yield(Progress(progressEstimate: estimate))
                case .report(.downloaded) where direction == .download && mode == .reportIndefinitely,
                    .report(.uploaded) where direction == .upload && mode == .reportIndefinitely:
                    continuation.yield(Progress(progressEstimate: 1))
                default: break
                }
            }
            continuation.finish()
        }
        guard mode == .forCurrentlyOutstandingWork else {
            continuation.onTermination = { _ in reports.cancel() }
            return stream
        }
        let wait = Task { [weak self] in
            do {
                try await self?.wait(for: direction)
                continuation.yield(Progress(progressEstimate: 1))
            } catch {}
            continuation.finish()
        }
        continuation.onTermination = { _ in
            wait.cancel()
            reports.cancel()
        }
        return stream
    }
}

extension Realm.AsyncOpenTask {
    /// Tells how far the download is that the opening waits for. Of a realm that doesn't sync it tells nothing.
    ///
    /// - Parameters:
    ///   - queue: on which the block runs.
    ///   - block: hears of it until all is there.
    public func addProgressNotification(
        queue: DispatchQueue = .main,
        block: @escaping @Sendable (SyncSession.Progress) -> Void
    ) {
        guard let sync = configuration.syncConfiguration, let path = configuration.fileURL?.standardizedFileURL.path
        else { return }
        sync.user.app.syncManager.whenBegun(path) { session in
            let progress = session.progress(for: .download, mode: .forCurrentlyOutstandingWork)
            Task { for await progress in progress { queue.async { block(progress) } } }
        }
    }
}

extension SyncSubscriptionSet {
    /// The states that the newest set takes, beginning with the one that it has; a state that comes and goes quickly may be left out.
    /// Ours. It ends when the realm's session is over.
    public var states: AsyncStream<SyncSubscriptionState> {
        let (stream, continuation) = AsyncStream<SyncSubscriptionState>.makeStream(
            bufferingPolicy: .bufferingNewest(16)
        )
        let events = file.session?.events()
        let task = Task { [weak file] in
            var last: SyncSubscriptionState?
            func tell() {
                guard let file else { return }
                let state = file.state(of: file.subscriptions())
                if state != last { continuation.yield(state) }
                last = state
            }
            tell()
            if let events {
                for await event in events {
                    switch event {
                    case .report(.querySet), .report(.downloaded), .report(.connection): tell()
                    default: break
                    }
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}
