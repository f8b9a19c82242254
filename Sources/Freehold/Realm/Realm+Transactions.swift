extension Realm {
    /// Runs the block in a write transaction and commits it.
    ///
    /// Waits for other writers of the file, then moves to the newest version. An error of the block rolls everything
    /// back and is thrown on; if it is a `Realm.Error`, the ``pendingError`` becomes its cause. A block that has
    /// committed or cancelled by itself is left at that.
    ///
    /// - Throws: What the block throws; the ``pendingError``, if there is one; a `Realm.Error` of the file; for a
    ///   write inside a write ``Error/Code/invalidTransactionState``, for a read-only realm ``Error/Code/readOnly``.
    /// - Returns: What the block returns.
    @discardableResult
    public func write<R>(_ block: () throws -> R) throws -> R {
        try core.begin()
        return try finish(block)
    }

    /// Runs the block in the transaction that has begun, and commits or rolls back.
    func finish<R>(withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> R) throws -> R {
        core.file.willRunBlock(core.transaction)
        let result: R
        do {
            result = try block()
        } catch {
            guard isInWriteTransaction else { throw error }
            core.cancel()
            guard let error = error as? Realm.Error, let pending = core.pendingError, error != pending else {
                throw error
            }
            throw error.with(cause: pending)
        }
        if isInWriteTransaction { try core.commit(withoutNotifying: tokens) }
        return result
    }

    /// Begins a write transaction: waits for other writers, then moves to the newest version.
    ///
    /// It stays open until ``commitWrite()`` or ``cancelWrite()``, also where nobody holds the realm meanwhile. A thread that
    /// ends rolls back what it has left open.
    ///
    /// Traps inside a write transaction of this realm or of another that belongs to the same place, and on a read-only
    /// or frozen realm. Where the file keeps the transaction from beginning (every reader's slot is taken, another
    /// process has migrated it, an earlier write failed), the realm is in one that can only be rolled back: ``pendingError``
    /// says why, and ``commitWrite()`` throws it.
    public func beginWrite() {
        do throws(Realm.Error) {
            try core.begin()
            core.keepWhileWriting()
        } catch {
            switch error.code {
            case .invalidTransactionState, .readOnly, .databaseClosed: break
            default: if core.beginFailed(error) { return }
            }
            programmerError("beginWrite() failed: \(error.message) `write` throws this error. (\(error.code))")
        }
    }

    /// Commits the write transaction.
    ///
    /// - Throws: The ``pendingError``, if there is one, or a `Realm.Error` of the file; either way everything is
    ///   rolled back. Without a transaction ``Error/Code/invalidTransactionState``.
    public func commitWrite() throws { try core.commit() }

    /// Rolls the write transaction back. Objects made in it become invalid. Traps where there is none.
    public func cancelWrite() {
        core.verifyThread()
        guard core.transaction != nil else {
            programmerError("cancelWrite() without a write transaction on \(core.name). Call `beginWrite` first.")
        }
        core.cancel()
    }

    /// Whether the realm moves to the newest version by itself, as soon as another thread or process has committed it:
    /// at a turn of its run loop, queue or actor. True at first. On a thread without a run loop call ``refresh()``.
    ///
    /// - Precondition: where it is set to true, the realm isn't frozen.
    public var autorefresh: Bool {
        get {
            core.verifyThread()
            return core.autorefresh && !core.isFrozen
        }
        nonmutating set {
            core.verifyThread()
            if core.isFrozen {
                if newValue {
                    programmerError("\(core) is frozen, so that it can't be refreshed. Set it on a live realm.")
                }
                return
            }
            core.autorefresh = newValue
            if newValue { core.watch() }
        }
    }

    /// Whether a write transaction is open.
    public var isInWriteTransaction: Bool {
        core.verifyThread()
        return core.transaction != nil
    }

    /// The first bad data of the write transaction: a duplicate primary key, a missing or wrong value, a string over
    /// the limit.
    ///
    /// The call that was given it changed nothing. The transaction goes on but can only be rolled back: `write` or
    /// `commitWrite` throws this error. It stays readable until the next transaction begins.
    public var pendingError: Realm.Error? { core.pendingError }
}
