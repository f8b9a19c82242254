public import Freehold
import FreeholdSyncCore
import Synchronization

/// The reason why `syncOnce(deadline:)` didn't sync a file. Besides this error, `syncOnce` throws the errors of waiting
/// for a session: `SessionError` if the server requires an action of the app, `SyncError` if it refuses a subscription,
/// `Realm.Error`, and `CancellationError`.
public struct SyncOnceError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// The deadline passed before the sync was complete.
        case deadlineExceeded
        /// The user isn't logged in.
        case loggedOut
        /// The realm, or its configuration, doesn't sync.
        case notSynced
    }

    public let code: Code
    /// A Boolean value that indicates whether the server has everything that was committed before the call. The other
    /// commits stay in the file, and the next sync uploads them.
    public let isUploaded: Bool
    /// A description of the error, as a sentence. It contains no token and no data.
    public let message: String

    public var description: String { message }
}

extension Realm {
    /// Syncs a file once: opens the file and a connection, uploads everything that was committed before the call,
    /// downloads the objects of all subscriptions, and closes both. It is meant for jobs, such as a cron job, or a
    /// server with a file for each of its users.
    ///
    /// ```swift
    /// try await Realm.syncOnce(configuration: user.flexibleSyncConfiguration(), deadline: .now + .seconds(30))
    /// ```
    ///
    /// If the server can't be reached, the call tries again until the deadline. Other realms of the file that the
    /// process has open stay open, with their session. Any number of calls may run at once: at most
    /// `SyncManager.maximumJobs` files are open at a time, and the other calls wait in a queue.
    ///
    /// - Throws: `SyncOnceError`, and the errors that its description lists.
    public static func syncOnce(
        configuration: Configuration = .defaultConfiguration,
        deadline: ContinuousClock.Instant
    ) async throws {
        let job = SyncJob()
        guard let sync = configuration.syncConfiguration else { throw job.notSynced }
        let manager = sync.user.app.syncManager
        try await job.run(until: deadline) {
            try await manager.jobs.enter()
            defer { manager.jobs.leave() }
            job.begin(.opening)
            let result = await job.syncFile(configuration)
            // A session without open realms is closed before this returns.
            if case .success = result { job.begin(.closing) }
            if let session = job.session, manager.isClosed(configuration) { await session.close() }
            try result.get()
        }
    }

    /// Uploads everything that was committed before the call, and downloads the objects of all subscriptions. A
    /// suspended session is suspended again afterwards. The realm is refreshed at the end.
    ///
    /// - Throws: `SyncOnceError`, and the errors that its description lists.
    public func syncOnce(
        deadline: ContinuousClock.Instant,
        _isolation actor: isolated (any Actor)? = #isolation
    ) async throws {
        let job = SyncJob()
        guard let file = attachment as? RealmSync else { throw job.notSynced }
        try await job.run(until: deadline) { try await file.syncOnce(job) }
        refresh()
    }
}

/// One call of `syncOnce`.
final class SyncJob: Sendable {
    private struct State {
        var step = Step.turn
        var hindrance: String?
        var session: SyncSession?
    }

    private let state = Mutex(State())

    var session: SyncSession? { state.withLock { $0.session } }

    func began(_ session: SyncSession) { state.withLock { ($0.session, $0.hindrance) = (session, nil) } }

    /// The step of the call.
    enum Step: Int, Comparable, Sendable {
        case turn, opening, uploading, subscribing, downloading, closing

        static func < (a: Step, b: Step) -> Bool { a.rawValue < b.rawValue }
    }

    func begin(_ step: Step) { state.withLock { $0.step = step } }

    private var isUploaded: Bool { state.withLock { $0.step > .uploading } }

    /// Records the reason for a delay. `nil` removes it.
    func hinder(_ reason: String?) { state.withLock { $0.hindrance = reason } }

    func error(_ code: SyncOnceError.Code, _ message: String) -> SyncOnceError {
        SyncOnceError(code: code, isUploaded: isUploaded, message: message)
    }

    var notSynced: SyncOnceError {
        error(.notSynced, "The realm doesn't sync. Open it with user.flexibleSyncConfiguration().")
    }

    private var late: SyncOnceError {
        let (step, hindrance) = state.withLock { ($0.step, $0.hindrance) }
        let text =
            switch step {
            case .turn: "Other files were synced until the deadline"
            case .opening: "The file wasn't open by the deadline"
            case .uploading: "Not all was uploaded by the deadline"
            case .subscribing: "All changes are uploaded, but the subscribed objects didn't arrive by the deadline"
            case .downloading: "All is uploaded, but not all was downloaded by the deadline"
            case .closing: "The file is synced, but wasn't closed by the deadline"
            }
        return error(.deadlineExceeded, text + (hindrance.map { ": \($0)" } ?? "."))
    }

    func run(until deadline: ContinuousClock.Instant, _ body: @escaping @Sendable () async throws -> Void) async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(until: deadline, clock: .continuous)
                throw self.late
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    func syncFile(_ configuration: Realm.Configuration) async -> Result<Void, any Error> {
        do {
            let file = try await Realm.openFile(configuration)
            guard let sync = file.attachment as? RealmSync else { throw notSynced }
            return .success(try await sync.syncOnce(self))
        } catch { return .failure(error) }
    }
}

extension RealmSync {
    func syncOnce(_ job: SyncJob) async throws {
        let session = try await session(for: job)
        job.began(session)
        let events = session.events()
        let listener = Task {
            for await event in events {
                switch event {
                case .disconnected(let error): job.hinder(error.reason)
                case .storeFailed(let error): job.hinder("The file can't be read or written: \(error).")
                case .report(.connection(.connected)): job.hinder(nil)
                default: break
                }
            }
        }
        defer { listener.cancel() }
        let (wasSuspended, resets) = (session.isSuspended, session.resets)
        if wasSuspended { session.resume() } else if session.connectionState == .disconnected { session.reconnect() }
        defer { if wasSuspended { session.suspend() } }
        job.begin(.uploading)
        try await session.waitForUpload()
        job.begin(.subscribing)
        let refusal = try await subscribedRefusal()
        job.begin(.downloading)
        try await session.waitForDownload()
        // A client reset turns what the server has lost into work.
        if session.resets > resets {
            job.begin(.uploading)
            try await session.waitForUpload()
            job.begin(.downloading)
        }
        if let refusal { throw refusal }
    }

    /// Waits until the newest subscriptions are complete.
    ///
    /// - Returns: The server's refusal of a subscription, or `nil`. The other subscriptions are complete in both cases.
    private func subscribedRefusal() async throws -> SyncError? {
        while true {
            do {
                try await wait(for: subscriptions())
                return nil
            } catch let error as SyncError where error.code == .invalidFlexibleSyncSubscriptions {
                return error
            } catch SessionError.superseded {
                try Task.checkCancellation()
            }
        }
    }

    /// Returns the session of the file. Waits as long as another process syncs the file.
    private func session(for job: SyncJob) async throws -> SyncSession {
        while true {
            if let session { return session }
            guard user.isLoggedIn else {
                throw job.error(.loggedOut, "User \(user.id) is logged out, so that nothing can be synced.")
            }
            begin()
            if let session { return session }
            job.hinder("Another process syncs the file.")
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}

/// A queue that admits a limited number of tasks at a time, in the order of their calls.
final class JobGate: Sendable {
    private struct State {
        var limit = 32
        var running = 0
        var waiting: [(number: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    var limit: Int {
        get { state.withLock { $0.limit } }
        set {
            state.withLock { $0.limit = max(newValue, 1) }
            admit()
        }
    }

    /// Waits for admission.
    ///
    /// - Throws: `CancellationError`
    func enter() async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.waiting.append((number, continuation)) }
                if Task.isCancelled { cancel(number) }
                admit()
            }
        } onCancel: {
            cancel(number)
        }
    }

    func leave() {
        state.withLock { $0.running -= 1 }
        admit()
    }

    private func cancel(_ number: UInt64) {
        let continuation = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
        }
        continuation?.resume(throwing: CancellationError())
    }

    private func admit() {
        while true {
            let next: CheckedContinuation<Void, any Error>? = state.withLock { state in
                guard state.running < state.limit, !state.waiting.isEmpty else { return nil }
                state.running += 1
                return state.waiting.removeFirst().continuation
            }
            guard let next else { return }
            next.resume()
        }
    }
}
