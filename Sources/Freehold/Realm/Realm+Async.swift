import FreeholdEngine

extension Realm {
    /// Opens the realm at the newest version on a thread of the library, and runs the block there.
    ///
    /// Use this method in code that can resume on different threads. The block runs on one thread from beginning to
    /// end, and no thread of Swift's pool waits for it. Return values, not objects.
    ///
    /// ```swift
    /// let names = try await Realm.read { realm in realm.objects(Person.self).map(\.name).sorted() }
    /// ```
    /// The block is a part of the task: it can read the task-local values of the task and its cancellation
    /// (`Task.isCancelled`). If the task is cancelled before the block begins, the block doesn't run. If the task is
    /// cancelled before the block ends, the call throws `CancellationError`. Queries stop early only inside
    /// ``withInterruptibleQueries(timeout:_:)``.
    ///
    /// A program that reads the same file repeatedly can keep it open with a ``Store``.
    ///
    /// - Parameter timeout: The time limit of the call, or `nil` for no limit. A timeout doesn't stop the block
    ///   immediately. It ends the block early at the points where a cancellation would end it.
    /// - Parameter body: A closure that receives the realm. It runs on a thread of the library.
    /// - Parameter configuration: The configuration of the realm. The default is the default configuration.
    /// - Throws: `Realm.Error`, including ``Error/Code/timedOut``; the error of the block; `CancellationError`.
    public static func read<R: Sendable>(
        _ configuration: Configuration = .defaultConfiguration,
        timeout: Duration? = nil,
        _ body: @escaping @Sendable (Realm) throws -> R
    ) async throws -> R {
        try await FileAccess(configuration, timeout: timeout).read(body)
    }

    /// Runs the block in a write transaction on a thread of the library, and commits it. See ``write(_:)``.
    ///
    /// Calls wait for other writers of the file in the order of the calls, without blocking a thread.
    ///
    /// ```swift
    /// let id = try await Realm.write { realm in
    ///     let person = realm.create(Person.self, value: document)
    ///     return person._id
    /// }
    /// ```
    /// The block is a part of the task, like the block of ``read(_:timeout:_:)``. If the task is cancelled or the
    /// timeout has passed,
    ///
    /// - the call stops waiting for other writers immediately.
    /// - `add` and `create` add nothing more, like for bad data: see ``pendingError``.
    /// - all changes are rolled back at the end of the block or during the preparation of the commit, and the call
    ///   throws. After the commit has started to write to the disk, it isn't stopped, and the call returns the result.
    ///
    /// In a long loop with other work, check `Task.isCancelled`, or call `try Task.checkCancellation()`.
    ///
    /// - Parameter timeout: The time limit of the call, including the wait for other writers, or `nil` for no limit.
    ///   ``Configuration/busyTimeout`` limits the wait alone.
    /// - Parameter body: A closure that receives the realm. It runs on a thread of the library.
    /// - Parameter configuration: The configuration of the realm. The default is the default configuration.
    /// - Throws: `Realm.Error`, including ``Error/Code/busy`` and ``Error/Code/timedOut``; the error of the block;
    ///   `CancellationError`. After an error, nothing has changed.
    @discardableResult
    public static func write<R: Sendable>(
        _ configuration: Configuration = .defaultConfiguration,
        timeout: Duration? = nil,
        _ body: @escaping @Sendable (Realm) throws -> R
    ) async throws -> R {
        try await FileAccess(configuration, timeout: timeout).write(body)
    }

    /// Runs the block in a write transaction like the overload with a result, and discards the block's result, such as
    /// the object that `create` returns.
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

/// A read or write of a file by a task.
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
                // The thread may still have a realm that it opened earlier.
                _ = try realm.core.refresh()
                return try body(realm)
            }
        }
    }

    /// Runs the body in a write transaction.
    ///
    /// - Parameter file: The file, if it is known to be open with this configuration.
    func write<R: Sendable>(
        to file: RealmFile? = nil,
        _ body: @escaping @Sendable (Realm) throws -> R
    ) async throws -> R {
        try Task.checkCancellation()
        if configuration.withModes.readOnly { throw Realm.Error.written(readOnly: configuration.fileURL) }
        // The reference keeps the file open, and its schema applied, during the wait.
        let file = if let file { file } else { try await open() }
        // All threads of Swift's pool may be waiting for other writes, so the task acquires the lock on a thread of the
        // queue.
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
        // The call has no effect after a commit.
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
                // A commit that the block made itself remains valid.
                if realm.isInWriteTransaction, limit.isOver { throw limit.thrown }
                return result
            }
        }
    }
}

extension Realm.Configuration {
    /// The time until which a write that begins now waits for other writers.
    var busyDeadline: ContinuousClock.Instant? { busyTimeout.map { .now + $0 } }

    /// Returns the error of a write that has waited too long for other writers.
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
    /// Begins a write, and blocks the thread for other writers up to the time limit of the configuration.
    func beginWrite(_ configuration: Realm.Configuration) throws(Realm.Error) -> WriteTransaction {
        do throws(EngineError) {
            return try beginWrite(until: configuration.busyDeadline)
        } catch {
            if error.code == .busy { throw configuration.busyError(error) }
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
    }

    /// Begins a write, and waits for other writers without blocking a thread.
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
