import FreeholdEngine

/// Begins and ends the write transaction that reads see.
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

    /// Begins a transaction that can only be rolled back, on the version that the realm shows: for who can't be told
    /// otherwise why no other could begin.
    ///
    /// - Returns: false where there is no version to show.
    func beginFailed(_ error: Realm.Error) -> Bool {
        guard let base = snapshot ?? database.heldSnapshot(), (try? checkFits(base.schema)) != nil else { return false }
        let failure = error.cause as? EngineError ?? EngineError(.environmentFailed, error.message)
        adopt(database.failedWrite(on: base, failure))
        pendingError = error
        return true
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

    /// Goes on inside a transaction that was begun for this core.
    func adopt(_ transaction: WriteTransaction) {
        let isMoved = snapshotVersion != transaction.base.version
        unread = nil
        tracking(snapshot, transaction.base) {
            self.transaction = transaction
            // The version of before isn't held any longer.
            snapshot = own(transaction.base)
            pendingError =
                configuration.versionLimitError(database)
                ?? file.heldVersionError(configuration, at: transaction.base)
            // Not weak: objects retain their core, and one that was ever referred to weakly is slower to retain.
            transaction.didCascade = { [unowned(unsafe) self] in didDelete() }
            advance()
        }
        file.didBeginWrite(transaction, confinement)
        Log.write(.debug, .transaction, "Begin a write of \(name), after version \(transaction.base.version).")
        invalidations.didBegin(at: stateVersion)
        changesAtBegin = changeCount
        observers?.didBegin(at: transaction.base, movedTo: isMoved, self)
    }

    /// Whether something was changed in the open transaction.
    var hasUncommittedChanges: Bool { transaction != nil && changeCount != changesAtBegin }

    /// Commits; on a pending error, or where the commit fails, rolls back and throws.
    ///
    /// - Parameters:
    ///   - tokens: those whose observers aren't told of it.
    ///   - durably: if false, it reaches the disk with a later commit, or `Database.makeDurable()`.
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
            tracking(transaction.base, snapshot) {
                self.snapshot = own(snapshot)
                self.transaction = nil
                file.didEndWrite(transaction)
                advance()
            }
            endKeeping()
            Log.write(.debug, .transaction, "Committed version \(snapshot.version) of \(name).")
            for held in transaction.journalWarnings {
                Log.write(
                    .warn,
                    .storage,
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

    /// Drops the changes. ``pendingError`` stays readable until the next transaction begins.
    func cancel() {
        guard let transaction else { return }
        Log.write(.debug, .transaction, "Roll back a write of \(name).")
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

    /// After the open transaction has changed the file's schema.
    func didChangeSchema() { advance() }

    /// Of a realm that showed somebody else's transaction, who will end it: from now on it shows nothing.
    func leaveTransaction() {
        endKeeping()
        if let transaction { file.didEndWrite(transaction) }
        transaction = nil
        predecessor = nil
        invalidate()
    }

    /// The core lives until the transaction ends, whoever lets go of it. To be called by one who leaves it open.
    func keepWhileWriting() {
        // An observer that was told of the begin may have ended it.
        if transaction != nil { keeper = WritingKeeper(self) }
    }

    private func endKeeping() {
        if keeper == nil { return }
        keeper?.end()
        keeper = nil
    }
}
