public import Dispatch
import Foundation
public import Freehold
public import FreeholdSyncCore
import Synchronization

/// The user and the configuration of a session.
struct SessionOwner: Sendable {
    let user: User
    let configuration: SyncConfiguration
}

extension SyncSession {
    public enum State: Int, Hashable, Sendable {
        /// The session is connected, or tries to connect.
        case active
        /// The app suspended the session.
        case inactive
        /// The session has ended, because the user was logged out or the file was closed.
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

    /// Returns the user of the realm, or `nil` for a session that the app created itself.
    public func parentUser() -> User? { owner.withLock { $0?.user } }

    /// Returns the configuration of the realm, or `nil` for a session that the app created itself.
    public func configuration() -> SyncConfiguration? { owner.withLock { $0?.configuration } }

    /// The states of the connection from now on. This is an addition to RealmSwift's API, in the place of key-value
    /// observation.
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

    /// Waits until the server has everything that was committed before the call, or until the file has everything that
    /// the server had then.
    public func wait(for direction: ProgressDirection) async throws {
        switch direction {
        case .upload: try await waitForUpload()
        case .download: try await waitForDownload()
        }
    }

    /// Like `wait(for:)`, with a block that is called once, on the queue or on a thread of the library.
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
        /// Notifications continue until the token is invalidated or released.
        case reportIndefinitely
        /// Notifications end as soon as everything that was outstanding at the call is transferred.
        case forCurrentlyOutstandingWork
    }

    public struct Progress: Hashable, Sendable {
        /// The transferred part, from 0 to 1. It is an estimate, because the total amount isn't known in advance.
        public let progressEstimate: Double
        public var isTransferComplete: Bool { progressEstimate >= 1 }
    }

    /// A token that ends a progress notification.
    public final class ProgressNotificationToken: Sendable {
        private let task: Task<Void, Never>
        init(_ task: Task<Void, Never>) { self.task = task }
        deinit { task.cancel() }
        public func invalidate() { task.cancel() }
    }

    /// Calls a block with the progress of a transfer, on a thread of the library: see ``progress(for:mode:)``.
    ///
    /// - Returns: `nil` if the session has ended. Then the block is never called.
    public func addProgressNotification(
        for direction: ProgressDirection,
        mode: ProgressMode,
        block: @escaping @Sendable (Progress) -> Void
    ) -> ProgressNotificationToken? {
        guard !isClosed else { return nil }
        let progress = progress(for: direction, mode: mode)
        return ProgressNotificationToken(Task { for await progress in progress { block(progress) } })
    }

    /// Returns the progress of a transfer from now on. The stream ends when everything that was outstanding at the call
    /// is transferred, depending on `mode`, or with the session.
    ///
    /// A bootstrap reports the part of the expected objects that arrived. Other transfers only report 1 at their end.
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
    /// Calls a block with the progress of the download for which the opening waits. It has no effect for a realm that
    /// doesn't sync.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the block runs.
    ///   - block: A closure that receives the progress until the download is complete.
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
    /// The states of the newest subscription set, beginning with the present one. Short states may be left out. The
    /// stream ends with the realm's session. This is an addition to RealmSwift's API.
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
