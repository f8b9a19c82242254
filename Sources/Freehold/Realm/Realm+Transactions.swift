extension Realm {
    /// Runs the block in a write transaction and commits it.
    ///
    /// The method waits for other writers of the file, then moves to the newest version. If the block throws, all
    /// changes are rolled back, and the method rethrows the error. If the error is a `Realm.Error`, its cause is the
    /// ``pendingError``. If the block commits or cancels the transaction itself, the method does neither.
    ///
    /// - Throws: The error of the block; the ``pendingError``, if any; a `Realm.Error` of the file;
    ///   ``Error/Code/invalidTransactionState`` inside another write; ``Error/Code/readOnly`` for a read-only realm.
    /// - Returns: The result of the block.
    @discardableResult
    public func write<R>(_ block: () throws -> R) throws -> R {
        try core.begin()
        return try finish(block)
    }

    /// Runs the block in the transaction that has begun, and commits it or rolls it back.
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

    /// Begins a write transaction. The method waits for other writers, then moves to the newest version.
    ///
    /// The transaction stays open until ``commitWrite()`` or ``cancelWrite()``, even if the program releases the realm
    /// meanwhile. When a thread ends, its open transaction is rolled back.
    ///
    /// The method traps inside a write transaction of this realm or of another realm of the same place, and on a
    /// read-only or frozen realm. The file can prevent the transaction from beginning: all reader slots may be in use,
    /// another process may have migrated the file, or an earlier write may have failed. The realm then has a
    /// transaction that can only be rolled back. ``pendingError`` contains the reason, and ``commitWrite()`` throws it.
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

    /// Begins a write transaction that can only be rolled back with ``cancelWrite()``. Other writers of the file don't wait for it.
    ///
    /// All changes stay in memory.
    ///
    /// - Throws: A `Realm.Error` of the file.
    package func _beginTrialWrite() throws { try core.beginTrial() }

    /// Commits the write transaction.
    ///
    /// - Throws: The ``pendingError``, if any, or a `Realm.Error` of the file. In both cases all changes are rolled
    ///   back. If no transaction is open, the method throws ``Error/Code/invalidTransactionState``.
    public func commitWrite() throws { try core.commit() }

    /// Rolls the write transaction back. Objects that were created in it become invalid. Traps if no transaction is
    /// open.
    public func cancelWrite() {
        core.verifyThread()
        guard core.transaction != nil else {
            programmerError("cancelWrite() without a write transaction on \(core.name). Call `beginWrite` first.")
        }
        core.cancel()
    }

    /// A Boolean value that indicates whether the realm moves automatically to the newest version after a commit of
    /// another thread or process. It moves at a turn of its run loop, queue or actor. The default is `true`. On a
    /// thread without a run loop, call ``refresh()`` instead.
    ///
    /// - Precondition: Only a realm that isn't frozen can be set to `true`.
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

    /// A Boolean value that indicates whether a write transaction is open.
    public var isInWriteTransaction: Bool {
        core.verifyThread()
        return core.transaction != nil
    }

    /// The first error of bad data in the write transaction, such as a duplicate primary key, a missing or wrong value,
    /// or a string that exceeds the limit.
    ///
    /// The call with the bad data changed nothing. The transaction continues but can only be rolled back: `write` or
    /// `commitWrite` throws this error. The property keeps the error until the next transaction begins.
    public var pendingError: Realm.Error? { core.pendingError }
}
