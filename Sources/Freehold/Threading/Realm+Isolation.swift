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

    /// Creates the file, its schema and its migration on a thread that may block, so that the following opening is
    /// quick. Then it waits for the data that sync has to download first.
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

    /// Opens the realm on the actor. At another place, two actors with a shared executor could each make a realm at the
    /// same time.
    fileprivate static func open(_ configuration: Realm.Configuration, on actor: isolated some Actor) throws -> Opened {
        Opened(core: try open(configuration, .on(actor)))
    }

    /// A core of an actor that is passed to the actor.
    fileprivate struct Opened: @unchecked Sendable { let core: RealmCore }

    fileprivate struct Prepared: Sendable {
        /// The file, which stays open until the realm is opened.
        let file: RealmFile
    }
}

extension Realm {
    /// An open file and its service, without a realm.
    package struct OpenFile: Sendable {
        private let file: RealmFile
        fileprivate init(_ file: RealmFile) { self.file = file }

        package var attachment: (any FileAttachment)? { file.attachment }
    }

    /// Opens a file for its service. If the file is new, the work begins like at the opening of a realm.
    ///
    /// - Throws: `Realm.Error`; `CancellationError`.
    package static func openFile(_ configuration: Configuration) async throws -> OpenFile {
        OpenFile(try await RealmCore.prepare(configuration, .never).file)
    }

    /// The policy for the download of the contents of a synchronised realm. It has no effect on local realms.
    public enum OpenBehavior: Sendable {
        case never, once, always
    }

    /// Opens a realm for the isolation of an actor, on any thread that runs the actor.
    ///
    /// The file is opened, and migrated, on another thread.
    ///
    /// - Throws: `Realm.Error`; `CancellationError` if the task was cancelled.
    public init<A: Actor>(
        configuration: Configuration = .defaultConfiguration,
        actor: A,
        downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        let prepared = try await RealmCore.prepare(configuration, downloadBeforeOpen)
        core = try await RealmCore.open(configuration, on: actor).core
        withExtendedLifetime(prepared) {}
    }

    /// Opens a realm for the main actor.
    ///
    /// - Throws: `Realm.Error`; `CancellationError` if the task was cancelled.
    @MainActor
    public init(
        configuration: Configuration = .defaultConfiguration,
        downloadBeforeOpen: OpenBehavior
    ) async throws {
        let prepared = try await RealmCore.prepare(configuration, downloadBeforeOpen)
        core = try RealmCore.open(configuration, .on(MainActor.shared))
        withExtendedLifetime(prepared) {}
    }

    /// Opens a realm for the caller's actor.
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
    /// - Precondition: The caller is isolated to an actor.
    /// - Throws: `Realm.Error`; `CancellationError` if the task was cancelled.
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

    /// Opens a realm for a serial queue. The file is opened, and migrated, on another thread.
    ///
    /// - Parameters:
    ///   - callbackQueue: The queue to which the realm is confined, and on which the callback runs.
    ///   - callback: A closure that receives the realm or the `Realm.Error`.
    ///   - configuration: The configuration of the realm.
    /// - Returns: A task that can cancel the opening.
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

    /// An opening that is in progress.
    public struct AsyncOpenTask: Sendable {
        private let task: Task<Void, Never>
        package let configuration: Configuration

        init(_ task: Task<Void, Never>, _ configuration: Configuration) {
            (self.task, self.configuration) = (task, configuration)
        }

        /// Cancels the opening. The callback isn't called unless it was called already.
        public func cancel() { task.cancel() }
    }

    /// Moves to the newest version, like ``refresh()``.
    ///
    /// - Precondition: The realm is confined to the main actor or another actor.
    /// - Returns: `true` if a newer version existed.
    @discardableResult
    public func asyncRefresh(_isolation actor: isolated (any Actor)? = #isolation) async -> Bool {
        core.requireActor("asyncRefresh")
        return refresh()
    }

    /// Runs the block in a write transaction and commits it. See ``write(_:)``.
    ///
    /// The actor can do other work while the call waits for other writers of the file. The block runs on the actor
    /// without interruption.
    ///
    /// - Precondition: The realm is confined to the main actor or another actor.
    /// - Throws: The error of the block; the ``pendingError``, if any; a `Realm.Error` of the file; `CancellationError`
    ///   if the task is cancelled before the block runs.
    @discardableResult
    public func asyncWrite<R>(
        _isolation actor: isolated (any Actor)? = #isolation,
        _ block: () throws -> R
    ) async throws -> R {
        try await asyncWrite(withoutNotifying: [], _isolation: actor, block)
    }

    /// Writes asynchronously without notifying some observers. See `asyncWrite(_:)`.
    ///
    /// - Parameter tokens: The tokens of observations of this realm.
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
            // Another task may have begun a transaction of this realm during the wait.
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
    /// Waits for other writers without blocking the realm's actor.
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
    /// A callback that runs on the queue for which it was made, so it needn't be `Sendable`.
    struct Callback<T>: @unchecked Sendable {
        let run: (T) -> Void
    }
}
