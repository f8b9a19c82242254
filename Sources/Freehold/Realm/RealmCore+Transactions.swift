import FreeholdEngine

/// The begin and the end of the write transaction that reads see.
extension RealmCore {
    func begin() throws(Realm.Error) {
        verifyThread()
        try checkWritable()
        if let observers, observers.isActive, let newest = try? database.snapshot() {
            observers.drain(upTo: newest, self)
            try checkWritable()
        }
        let overtaken = try hasAsyncWrites ? asyncWrites.overtake() : nil
        let transaction: WriteTransaction
        if let overtaken { transaction = overtaken } else { transaction = try file.beginWrite(configuration) }
        do { try checkFits(transaction.schema) } catch {
            transaction.cancel()
            throw error
        }
        adopt(transaction)
        if let pendingError {
            cancel()
            throw pendingError
        }
    }

    /// Begins a transaction that can only be rolled back, on the version that the realm shows. It reports the error for
    /// callers that can't throw.
    ///
    /// - Returns: `false` if the realm has no version to show.
    func beginFailed(_ error: Realm.Error) -> Bool {
        guard let base = snapshot ?? database.heldSnapshot(), (try? checkFits(base.schema)) != nil else { return false }
        let failure = error.cause as? EngineError ?? EngineError(.environmentFailed, error.message)
        adopt(database.failedWrite(on: base, failure))
        pendingError = error
        return true
    }

    /// Begins a transaction without the lock of writers, on the newest version. It can only be rolled back: `commit` throws.
    func beginTrial() throws(Realm.Error) {
        verifyThread()
        try checkWritable()
        do throws(EngineError) {
            let failure = EngineError(.cancelled, "The transaction is a trial, which can't be committed.")
            adopt(database.failedWrite(on: try database.snapshot(), failure))
        } catch {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
    }

    func checkWritable() throws(Realm.Error) {
        if isFrozen {
            throw Realm.Error(
                .invalidTransactionState,
                "The realm is frozen, so that it can't be written to. Write to a live realm: see `thaw()`.",
                fileURL: configuration.fileURL
            )
        }
        if configuration.readOnly { throw Realm.Error.written(readOnly: configuration.fileURL) }
        if transaction != nil {
            throw Realm.Error(
                .invalidTransactionState,
                "The realm is in a write transaction already. Make the change in the one that is open.",
                fileURL: configuration.fileURL
            )
        }
    }

    /// Continues inside a transaction that was begun for this core.
    func adopt(_ transaction: WriteTransaction) {
        let isMoved = snapshotVersion != transaction.base.version
        unread = nil
        tracking(from: snapshot, to: transaction.base) {
            self.transaction = transaction
            // The previous version isn't held any longer.
            snapshot = own(transaction.base)
            pendingError =
                configuration.versionLimitError(database)
                ?? file.heldVersionError(configuration, at: transaction.base)
            // The reference isn't weak, because objects retain their core, and a core with weak references is slower to
            // retain.
            transaction.didCascade = { [unowned(unsafe) self] in didDelete() }
            advance()
        }
        file.didBeginWrite(transaction, confinement)
        Log.write(.debug, .transaction, message: "Begin a write of \(name), after version \(transaction.base.version).")
        invalidations.didBegin(at: stateVersion)
        changesAtBegin = changeCount
        observers?.didBegin(at: transaction.base, movedTo: isMoved, self)
    }

    /// A Boolean value that indicates whether the open transaction has changes.
    var hasUncommittedChanges: Bool { transaction != nil && changeCount != changesAtBegin }

    /// Commits the transaction. If it has a pending error or the commit fails, rolls it back and throws.
    ///
    /// - Parameters:
    ///   - tokens: The tokens of observers that don't receive the changes.
    ///   - durably: If false, the changes reach the disk with a later commit, or with `Database.makeDurable()`.
    func commit(withoutNotifying tokens: [NotificationToken] = [], durably: Bool = true) throws(Realm.Error) {
        verifyThread()
        guard let transaction else {
            throw Realm.Error(
                .invalidTransactionState,
                "There is no write transaction to commit. Call `beginWrite` first.",
                fileURL: configuration.fileURL
            )
        }
        if let pendingError {
            cancel()
            throw pendingError
        }
        if let attachment = file.attachment {
            do throws(Realm.Error) { try attachment.willCommit(transaction) } catch {
                cancel()
                throw error
            }
        }
        do {
            let snapshot = try transaction.commit(durably: durably)
            tracking(from: transaction.base, to: snapshot) {
                self.snapshot = own(snapshot)
                self.transaction = nil
                file.didEndWrite(transaction)
                advance()
            }
            endKeeping()
            Log.write(.debug, .transaction, message: "Committed version \(snapshot.version) of \(name).")
            for held in transaction.journalWarnings {
                Log.write(
                    .warn,
                    .storage,
                    message:
                        "The journal's cursor '\(held.cursor)' of \(name) isn't moved and keeps about \(held.bytes >> 20) MiB. "
                        + "Move it, or drop it."
                )
            }
            observers?.didEnd(at: snapshot, silent: tokens.compactMap(\.observation))
            if hasRealmObservers { realmObservers.tell(.didChange, except: tokens) }
        } catch {
            cancel()
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
    }

    /// Drops the changes. ``pendingError`` remains readable until the next transaction begins.
    func cancel() {
        guard let transaction else { return }
        Log.write(.debug, .transaction, message: "Roll back a write of \(name).")
        endKeeping()
        func end() {
            snapshot = own(transaction.base)
            self.transaction = nil
            transaction.cancel()
            file.didEndWrite(transaction)
            advance()
            invalidations.didCancel(at: stateVersion)
        }
        if let tracker { tracker.cancel(end) } else { end() }
        observers?.didEnd(at: transaction.base)
    }

    /// Records that the open transaction has changed the file's schema. Call this method after the change.
    func didChangeSchema() { advance() }

    /// Detaches a realm that showed the transaction of another owner, which will end it. The realm shows no transaction
    /// afterwards.
    func leaveTransaction() {
        endKeeping()
        if let transaction { file.didEndWrite(transaction) }
        transaction = nil
        predecessor = nil
        invalidate()
    }

    /// Keeps the core alive until the transaction ends. The method is called by functions that leave the transaction
    /// open.
    func keepWhileWriting() {
        // An observer that was notified of the begin may have ended the transaction.
        if transaction != nil { keeper = WritingKeeper(self) }
    }

    private func endKeeping() {
        if keeper == nil { return }
        keeper?.end()
        keeper = nil
    }
}
