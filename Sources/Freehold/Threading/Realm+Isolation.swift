public import Dispatch
import FreeholdEngine
import Foundation

extension RealmCore {
    static func open(_ configuration: Realm.Configuration, queue: DispatchQueue?) throws(Realm.Error) -> RealmCore {
        guard let queue else { return try open(configuration) }
        let confinement = Confinement.on(queue)
        guard confinement.isHere("") else {
            throw Realm.Error(
                .invalidInput,
                "A realm of the queue \"\(queue.label)\" was opened outside of it. Open it in a block of the queue.",
                fileURL: configuration.fileURL
            )
        }
        return try open(configuration, confinement)
    }

    /// Makes the file, its schema and its migration on a thread that may wait, so that the opening after it is quick.
    ///
    /// Then it waits for what sync is to bring first.
    fileprivate static func prepare(
        _ configuration: Realm.Configuration,
        _ behavior: Realm.OpenBehavior
    ) async throws -> Prepared {
        try Task.checkCancellation()
        let isNew =
            configuration.service != nil
            && configuration.fileURL.map { !FileManager.default.fileExists(atPath: $0.path) } ?? true
        let prepared = try await ConfinedQueue.readers.run { Prepared(file: try RealmCore.open(configuration).file) }
        try Task.checkCancellation()
        if configuration.service != nil, let attachment = prepared.file.attachment {
            try await attachment.awaitOpening(behavior, isNew: isNew)
        }
        try Task.checkCancellation()
        return prepared
    }

    /// On the actor: two that share an executor would each make a realm if they looked for one at once elsewhere.
    fileprivate static func open(_ configuration: Realm.Configuration, on actor: isolated some Actor) throws -> Opened {
        Opened(core: try open(configuration, .on(actor)))
    }

    /// A core of an actor on its way there.
    fileprivate struct Opened: @unchecked Sendable { let core: RealmCore }

    fileprivate struct Prepared: Sendable {
        /// Keeps the database open until the realm is.
        let file: RealmFile
    }
}

extension Realm {
    /// A file that is open, and what works on it, without a realm.
    package struct OpenFile: Sendable {
        private let file: RealmFile
        fileprivate init(_ file: RealmFile) { self.file = file }

        package var attachment: (any FileAttachment)? { file.attachment }
    }

    /// Opens a file for what works on it; where the file is new, the work begins as at a realm's opening.
    ///
    /// - Throws: `Realm.Error`; `CancellationError`.
    package static func openFile(_ configuration: Configuration) async throws -> OpenFile {
        OpenFile(try await RealmCore.prepare(configuration, .never).file)
    }

    /// When the contents of a synchronised realm are fetched. Of local realms: the same for all.
    public enum OpenBehavior: Sendable {
        case never, once, always
    }

    /// Opens a realm of an actor: of that actor's isolation only, on whatever thread it runs.
    ///
    /// The file is opened, and migrated, on another thread.
    ///
    /// - Throws: `Realm.Error`; `CancellationError` where the task was cancelled.
    public init<A: Actor>(
        configuration: Configuration = .defaultConfiguration,
        actor: A,
        downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        let prepared = try await RealmCore.prepare(configuration, downloadBeforeOpen)
        core = try await RealmCore.open(configuration, on: actor).core
        withExtendedLifetime(prepared) {}
    }

    /// Opens a realm of the main actor.
    ///
    /// - Throws: `Realm.Error`; `CancellationError` where the task was cancelled.
    @MainActor
    public init(
        configuration: Configuration = .defaultConfiguration,
        downloadBeforeOpen: OpenBehavior
    ) async throws {
        let prepared = try await RealmCore.prepare(configuration, downloadBeforeOpen)
        core = try RealmCore.open(configuration, .on(MainActor.shared))
        withExtendedLifetime(prepared) {}
    }

    /// Opens a realm of the caller's actor.
    ///
    /// ```swift
    /// actor Kennel {
    ///     private var realm: Realm?
    ///     func add(_ name: String) async throws {
    ///         let realm = try await Realm.open()
    ///         try await realm.asyncWrite { realm.create(Dog.self, value: ["name": name]) }
    ///     }
    /// }
    /// ```
    /// - Precondition: it is called from the isolation of an actor.
    /// - Throws: `Realm.Error`; `CancellationError` where the task was cancelled.
    public static func open(
        configuration: Configuration = .defaultConfiguration,
        _isolation actor: isolated (any Actor)? = #isolation,
        downloadBeforeOpen: OpenBehavior = .never
    ) async throws -> Realm {
        guard let actor else {
            programmerError(
                "Realm.open() was called outside the isolation of an actor, such as in an actor's initialiser before all of "
                    + "its properties are set. Use `Realm(configuration:actor:)`, or `Realm.read` and `Realm.write`."
            )
        }
        let prepared = try await RealmCore.prepare(configuration, downloadBeforeOpen)
        defer { withExtendedLifetime(prepared) {} }
        return Realm(core: try RealmCore.open(configuration, .on(actor)))
    }

    /// Opens a realm of a serial queue; the file is opened, and migrated, on another thread.
    ///
    /// - Parameters:
    ///   - callbackQueue: which the realm then belongs to, and on which the callback runs.
    ///   - callback: gets the realm, or the `Realm.Error`.
    ///   - configuration: what the realm opens, and how.
    /// - Returns: What cancels the opening.
    @discardableResult
    public static func asyncOpen(
        configuration: Configuration = .defaultConfiguration,
        callbackQueue: DispatchQueue = .main,
        callback: @escaping (Result<Realm, any Swift.Error>) -> Void
    ) -> AsyncOpenTask {
        let callback = Mailbox.Callback(run: callback)
        let task = Task.detached {
            let prepared: Result<RealmCore.Prepared, any Swift.Error>
            do { prepared = .success(try await RealmCore.prepare(configuration, .always)) } catch {
                prepared = .failure(error)
            }
            if Task.isCancelled { return }
            callbackQueue.async {
                callback.run(
                    prepared.flatMap { prepared in
                        withExtendedLifetime(prepared) {
                            Result { try Realm(configuration: configuration, queue: callbackQueue) }
                        }
                    }
                )
            }
        }
        return AsyncOpenTask(task, configuration)
    }

    /// An opening under way.
    public struct AsyncOpenTask: Sendable {
        private let task: Task<Void, Never>
        package let configuration: Configuration

        init(_ task: Task<Void, Never>, _ configuration: Configuration) {
            (self.task, self.configuration) = (task, configuration)
        }

        /// The callback isn't called, if it hasn't been yet.
        public func cancel() { task.cancel() }
    }

    /// Moves to the newest version, like ``refresh()``.
    ///
    /// - Precondition: the realm is one of the main actor or of an actor.
    /// - Returns: Whether there was a newer version.
    @discardableResult
    public func asyncRefresh(_isolation actor: isolated (any Actor)? = #isolation) async -> Bool {
        core.requireActor("asyncRefresh")
        return refresh()
    }

    /// Runs the block in a write transaction and commits it; see ``write(_:)``.
    ///
    /// While it waits for other writers of the file, the actor does other things. The block runs on the actor, without
    /// a break.
    ///
    /// - Precondition: the realm is one of the main actor or of an actor.
    /// - Throws: What the block throws; the ``pendingError``, if there is one; a `Realm.Error` of the file;
    ///   `CancellationError` where the task is cancelled before the block runs.
    @discardableResult
    public func asyncWrite<R>(
        _isolation actor: isolated (any Actor)? = #isolation,
        _ block: () throws -> R
    ) async throws -> R {
        try await asyncWrite(withoutNotifying: [], _isolation: actor, block)
    }

    /// The same, without telling some of the observers.
    ///
    /// - Parameter tokens: tokens of observations of this realm.
    @discardableResult
    public func asyncWrite<R>(
        withoutNotifying tokens: [NotificationToken],
        _isolation actor: isolated (any Actor)? = #isolation,
        _ block: () throws -> R
    ) async throws -> R {
        core.requireActor("asyncWrite")
        core.check(tokens)
        try core.checkWritable()
        try Task.checkCancellation()
        let writes = core.useAsyncWrites()
        writes.underWay += 1
        defer { writes.underWay -= 1 }
        let transaction = try await core.beginWaiting()
        do {
            try Task.checkCancellation()
            // While it waited, another task may have begun a transaction of this realm.
            try core.checkWritable()
            try core.checkFits(transaction.schema)
        } catch {
            transaction.cancel()
            throw error
        }
        core.adopt(transaction)
        return try finish(withoutNotifying: tokens, block)
    }
}

extension RealmCore {
    /// Waits for other writers without holding the realm's actor.
    fileprivate func beginWaiting(_isolation: isolated (any Actor)? = #isolation) async throws -> WriteTransaction {
        let writes = useAsyncWrites()
        var earlier: AsyncTurn?
        while true {
            let turn = writes.ask(after: earlier)
            await turn.wait()
            if let transaction = try writes.take(turn) { return transaction }
            earlier = turn
        }
    }

    fileprivate func requireActor(_ name: String) {
        verifyThread()
        switch confinement {
        case .main, .actor: return
        default:
            programmerError(
                "\(name) can only be called on main thread or actor-isolated Realms. Open the realm by `Realm.open()` on "
                    + "an actor, or use `Realm.write`."
            )
        }
    }
}

extension Mailbox {
    /// A callback that runs on the queue that it is given for, so that it need not be `Sendable` itself.
    struct Callback<T>: @unchecked Sendable {
        let run: (T) -> Void
    }
}
