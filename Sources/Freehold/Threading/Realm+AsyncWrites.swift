import FreeholdEngine

extension Realm {
    /// The number of an asynchronous write, to cancel it by.
    public typealias AsyncTransactionId = UInt32

    /// Runs the block in a write transaction and commits it, without waiting for other writers of the file.
    ///
    /// Returns at once. The block runs at a later turn of the realm's run loop, queue or actor, when the transaction
    /// has begun; writes of one realm run in the order of the calls.
    ///
    /// - Parameter onComplete: runs at a turn after the commit; with the error, if it was rolled back.
    /// - Parameter block: makes the changes.
    /// - Precondition: the realm is one of the main thread, a queue, an actor, or a thread with a running run loop, it
    ///   is writable and not in a write transaction's block that never ends.
    @discardableResult
    public func writeAsync(
        _ block: @escaping () -> Void,
        onComplete: (((any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId { writeAsync(withoutNotifying: [], block, onComplete: onComplete) }

    /// The same, without telling some of the observers.
    ///
    /// - Parameter tokens: tokens of observations of this realm.
    /// - Parameter block: makes the changes.
    /// - Parameter onComplete: is called when the changes are on the disk, or with the error.
    @discardableResult
    public func writeAsync(
        withoutNotifying tokens: [NotificationToken],
        _ block: @escaping () -> Void,
        onComplete: (((any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId {
        core.check(tokens)
        let writes = requireAsync("writeAsync")
        let core = core
        let id = writes.newID()
        func complete(_ error: (any Swift.Error)?) {
            if let onComplete { core.asyncWrites.complete(id, error, onComplete) }
        }
        writes.add(
            AsyncWrites.Item(id: id) {
                block()
                guard core.transaction != nil else { return complete(nil) }
                do throws(Realm.Error) {
                    try core.commit(withoutNotifying: tokens)
                    complete(nil)
                } catch {
                    complete(error)
                }
            } fail: {
                complete($0)
            }
        )
        return id
    }

    /// Begins a write transaction without waiting for other writers, and then runs the block in it, at a later turn.
    ///
    /// The block commits, by `commitAsyncWrite` or ``commitWrite()``, or the transaction is rolled
    /// back.
    ///
    /// - Precondition: as for ``writeAsync(_:onComplete:)``.
    @discardableResult
    public func beginAsyncWrite(_ asyncWriteBlock: @escaping () -> Void) -> AsyncTransactionId {
        let writes = requireAsync("beginAsyncWrite")
        let core = core
        let id = writes.newID()
        writes.add(
            AsyncWrites.Item(id: id, run: asyncWriteBlock) { error in
                core.record(error as? Realm.Error ?? Realm.Error(.fail, "\(error)", cause: error))
            }
        )
        return id
    }

    /// Commits the write transaction, and tells so at a later turn.
    ///
    /// - Parameters:
    ///   - allowGrouping: whether commits that follow one another at once may reach the disk together, in about half the
    ///     time. All see them before; when the machine stops, the last ones may be lost until `onComplete` is called, for
    ///     all of them in order, at the end of the group: when no write waits, after 64 commits, or with one that doesn't
    ///     allow it.
    ///   - tokens: of observers of this realm who aren't told of it.
    ///   - onComplete: with the error, if the transaction was rolled back, or couldn't be made durable.
    /// - Precondition: there is a write transaction, and calls can be delivered to the realm.
    @discardableResult
    public func commitAsyncWrite(
        allowGrouping: Bool = false,
        withoutNotifying tokens: [NotificationToken] = [],
        _ onComplete: (((any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId {
        let writes = requireAsync("commitAsyncWrite")
        guard core.transaction != nil else {
            programmerError(
                "commitAsyncWrite() without a write transaction on \(core.name). Call `beginAsyncWrite` first."
            )
        }
        core.check(tokens)
        let id = writes.newID()
        var failure: Realm.Error?
        do throws(Realm.Error) {
            try core.commit(withoutNotifying: tokens, durably: !allowGrouping)
        } catch {
            failure = error
        }
        let isDurable = !allowGrouping || failure != nil
        if onComplete != nil || !isDurable {
            writes.complete(id, failure, isDurable: isDurable) { onComplete?($0) }
        }
        return id
    }

    /// A write that hasn't begun won't; of a commit only the completion is dropped.
    ///
    /// - Throws: never at present.
    public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
        core.verifyThread()
        guard core.hasAsyncWrites, !core.asyncWrites.cancel(asyncTransactionId) else { return }
        core.asyncWrites.cancelCompletion(asyncTransactionId)
    }

    /// Whether an asynchronous write waits to begin, runs, or its completion waits to run.
    public var isPerformingAsynchronousWriteOperations: Bool {
        core.verifyThread()
        return core.hasAsyncWrites && core.asyncWrites.isBusy
    }

    private func requireAsync(_ name: String) -> AsyncWrites {
        core.verifyThread()
        do throws(Realm.Error) { if core.transaction == nil { try core.checkWritable() } } catch {
            programmerError("\(name)() failed: \(error.message)")
        }
        guard core.mailbox != nil else {
            programmerError(
                "\(name)() needs a realm that calls can be delivered to. Open it on the main thread, a queue or an actor, "
                    + "or run the thread's run loop."
            )
        }
        return core.useAsyncWrites()
    }
}

/// The number of an asynchronous write, to cancel it by.
public typealias AsyncTransactionId = Realm.AsyncTransactionId
