import FreeholdEngine

extension Realm {
    /// Opens the realm on a thread of its own for the length of the block, at the newest version.
    ///
    /// For code that hops between threads: the block runs on one thread from beginning to end, and no thread of
    /// Swift's pool waits for it. Return values, not objects.
    ///
    /// ```swift
    /// let names = try await Realm.read { realm in realm.objects(Person.self).map(\.name).sorted() }
    /// ```
    /// The block is a part of the task: it sees the task's task-local values and its cancellation (`Task.isCancelled`). A
    /// task that is cancelled before the block begins doesn't run it, and one that is cancelled before it ends gets
    /// `CancellationError` instead of the result. Queries end early inside of ``withInterruptibleQueries(timeout:_:)`` only.
    ///
    /// A program that reads the same file again and again keeps it open by a ``Store``.
    ///
    /// - Parameter timeout: how long the call may take; nil for as long as it wants. The block isn't stopped at once: it
    ///   ends early where a cancelled one would.
    /// - Parameter body: gets the realm. It runs on a thread of the library's.
    /// - Parameter configuration: the realm's; the default one where none is given.
    /// - Throws: `Realm.Error`, among them ``Error/Code/timedOut``; what the block throws; `CancellationError`.
    public static func read<R: Sendable>(
        _ configuration: Configuration = .defaultConfiguration,
        timeout: Duration? = nil,
        _ body: @escaping @Sendable (Realm) throws -> R
    ) async throws -> R {
        try await FileAccess(configuration, timeout: timeout).read(body)
    }

    /// Runs the block in a write transaction on a thread of its own, and commits it; see ``write(_:)``.
    ///
    /// Waits for other writers of the file in the order of the calls, without holding a thread.
    ///
    /// ```swift
    /// let id = try await Realm.write { realm in
    ///     let person = realm.create(Person.self, value: document)
    ///     return person._id
    /// }
    /// ```
    /// The block is a part of the task, as that of ``read(_:timeout:_:)`` is. If the task is cancelled, or the time is over,
    ///
    /// - the call stops waiting for other writers at once;
    /// - `add` and `create` add nothing more, as with bad data: see ``pendingError``;
    /// - everything is rolled back at the end of the block, or while the commit is prepared, and the call throws. Once the
    ///   commit goes to the disk it isn't stopped any more, and the call returns the result.
    ///
    /// A long loop that does other things asks `Task.isCancelled`, or calls `try Task.checkCancellation()`.
    ///
    /// - Parameter timeout: how long the call may take, waiting included; nil for as long as it wants.
    ///   ``Configuration/busyTimeout`` limits the waiting alone.
    /// - Parameter body: gets the realm. It runs on a thread of the library's.
    /// - Parameter configuration: the realm's; the default one where none is given.
    /// - Throws: `Realm.Error`, among them ``Error/Code/busy`` and ``Error/Code/timedOut``; what the block throws;
    ///   `CancellationError`. Whatever is thrown, nothing was changed.
    @discardableResult
    public static func write<R: Sendable>(
        _ configuration: Configuration = .defaultConfiguration,
        timeout: Duration? = nil,
        _ body: @escaping @Sendable (Realm) throws -> R
    ) async throws -> R {
        try await FileAccess(configuration, timeout: timeout).write(body)
    }

    /// The same for a block whose result nobody takes, such as the object that `create` returns.
    ///
    /// ```swift
    /// try await Realm.write { realm in realm.create(Person.self, value: ["name": "Ada"]) }
    /// ```
    public static func write(
        _ configuration: Configuration = .defaultConfiguration,
        timeout: Duration? = nil,
        _ body: @escaping @Sendable (Realm) throws -> Void
    ) async throws {
        try await FileAccess(configuration, timeout: timeout).write(body)
    }
}

/// One read or write of a file by a task.
struct FileAccess: Sendable {
    let configuration: Realm.Configuration
    private let deadline: ContinuousClock.Instant?

    init(_ configuration: Realm.Configuration, timeout: Duration?) {
        self.configuration = configuration
        deadline = timeout.map { .now + $0 }
    }

    func read<R: Sendable>(_ body: @escaping @Sendable (Realm) throws -> R) async throws -> R {
        try Task.checkCancellation()
        return try await ConfinedQueue.readers.run {
            try WorkLimit(deadline: deadline).enforce {
                let realm = try Realm(configuration: configuration)
                defer { realm.invalidate() }
                // A realm that this thread opened before may still be alive.
                _ = try realm.core.refresh()
                return try body(realm)
            }
        }
    }

    /// - Parameter file: the file, if it is known to be open with this configuration.
    func write<R: Sendable>(
        to file: RealmFile? = nil,
        _ body: @escaping @Sendable (Realm) throws -> R
    ) async throws -> R {
        try Task.checkCancellation()
        if configuration.withModes.readOnly { throw Realm.Error.written(readOnly: configuration.fileURL) }
        // Keeps the file open, and its schema applied, while the call waits.
        let file = if let file { file } else { try await open() }
        // All threads of Swift's pool may wait for other writes, so that the task gets the lock on a thread of the queue.
        return try await ConfinedQueue.writers.runAsync {
            defer { withExtendedLifetime(file) {} }
            let transaction = try await file.database.beginWaiting(configuration, until: deadline)
            return try run(body, in: transaction)
        }
    }

    func open() async throws -> RealmFile {
        try Task.checkCancellation()
        return try await ConfinedQueue.readers.run { try RealmCore.open(configuration).file }
    }

    private func run<R>(_ body: (Realm) throws -> R, in transaction: WriteTransaction) throws -> R {
        // Does nothing after a commit.
        defer { transaction.cancel() }
        let limit = WorkLimit(deadline: deadline)
        return try limit.enforce(endsWithBody: false) {
            let realm = try Realm(configuration: configuration)
            try realm.core.checkWritable()
            try realm.core.checkFits(transaction.schema)
            defer { realm.invalidate() }
            realm.core.adopt(transaction)
            return try realm.finish {
                let result = try body(realm)
                // What the block has committed by itself stands.
                if realm.isInWriteTransaction, limit.isOver { throw limit.thrown }
                return result
            }
        }
    }
}

extension Realm.Configuration {
    /// Until when a write that is asked for now waits for other writers.
    var busyDeadline: ContinuousClock.Instant? { busyTimeout.map { .now + $0 } }

    /// The error of a write that has waited for other writers too long.
    func busyError(_ cause: EngineError) -> Realm.Error {
        Realm.Error(
            .busy,
            "Other writers of the file were at work for longer than `busyTimeout` allows"
                + (busyTimeout.map { " (\($0))" } ?? "") + ". Try again later, or allow more.",
            fileURL: fileURL,
            cause: cause
        )
    }
}

extension Database {
    /// Waits for other writers, blocking the thread, for as long as the configuration says.
    func beginWrite(_ configuration: Realm.Configuration) throws(Realm.Error) -> WriteTransaction {
        do throws(EngineError) {
            return try beginWrite(until: configuration.busyDeadline)
        } catch {
            if error.code == .busy { throw configuration.busyError(error) }
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
    }

    /// Waits for other writers without holding a thread.
    ///
    /// - Throws: `CancellationError`; `.busy` after the configuration's `busyTimeout`; `.timedOut` at the deadline.
    func beginWaiting(
        _ configuration: Realm.Configuration,
        until deadline: ContinuousClock.Instant? = nil
    ) async throws -> WriteTransaction {
        let busy = configuration.busyDeadline
        let isBusyFirst = busy.map { busy in deadline.map { busy <= $0 } ?? true } ?? false
        do {
            return try await beginWriteAsync(until: isBusyFirst ? busy : deadline)
        } catch  where error.code == .cancelled {
            throw CancellationError()
        } catch  where error.code == .busy {
            if isBusyFirst { throw configuration.busyError(error) }
            throw Realm.Error(
                .timedOut,
                "The time for it was over while it waited for other writers.",
                fileURL: configuration.fileURL,
                cause: error
            )
        } catch {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
    }
}
