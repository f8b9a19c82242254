import FreeholdEngine

extension Realm {
    /// The number of an asynchronous write, for its cancellation.
    public typealias AsyncTransactionId = UInt32

    /// Runs the block in a write transaction and commits it, without waiting for other writers of the file.
    ///
    /// The method returns immediately. The block runs in the transaction at a later turn of the realm's run loop, queue
    /// or actor. The writes of one realm run in the order of the calls.
    ///
    /// - Parameter onComplete: A closure that runs at a turn after the commit. It receives the error if the transaction
    ///   was rolled back.
    /// - Parameter block: A closure that makes the changes.
    /// - Precondition: The realm is writable, and is confined to the main thread, a queue, an actor, or a thread with a
    ///   running run loop. It isn't in the block of a write transaction that never ends.
    @discardableResult
    public func writeAsync(
        _ block: @escaping () -> Void,
        onComplete: (((any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId { writeAsync(withoutNotifying: [], block, onComplete: onComplete) }

    /// Begins an asynchronous write of which some observers aren't notified. See `writeAsync(_:onComplete:)`.
    ///
    /// - Parameter tokens: The tokens of observations of this realm.
    /// - Parameter block: A closure that makes the changes.
    /// - Parameter onComplete: A closure that is called when the changes are on the disk, or with the error.
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
            if let onComplete { core.asyncWrites.complete(id, error, completion: onComplete) }
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

    /// Begins a write transaction without waiting for other writers, and runs the block in it at a later turn.
    ///
    /// The block commits the transaction with `commitAsyncWrite` or ``commitWrite()``. Otherwise the transaction is
    /// rolled back.
    ///
    /// - Precondition: The preconditions of ``writeAsync(_:onComplete:)``.
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

    /// Commits the write transaction, and calls the completion at a later turn.
    ///
    /// - Parameters:
    ///   - allowGrouping: A Boolean value that indicates whether immediately following commits may reach the disk
    ///     together, in about half the time. All readers see the commits before that. If the machine stops, the last
    ///     commits can be lost until `onComplete` is called. It is called for all commits of the group in order, at the
    ///     end of the group. A group ends when no write waits, after 64 commits, or with a commit that doesn't allow
    ///     grouping.
    ///   - tokens: The tokens of observations of this realm that don't receive a notification.
    ///   - onComplete: A closure that receives the error if the transaction was rolled back or couldn't be made
    ///     durable.
    /// - Precondition: A write transaction is open, and calls can be delivered to the realm.
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

    /// Cancels an asynchronous write. A write that hasn't begun doesn't run. If the write was committed, only its
    /// completion is removed.
    ///
    /// - Throws: No error at present.
    public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
        core.verifyThread()
        guard core.hasAsyncWrites, !core.asyncWrites.cancel(asyncTransactionId) else { return }
        core.asyncWrites.cancelCompletion(asyncTransactionId)
    }

    /// A Boolean value that indicates whether an asynchronous write waits to begin or runs, or its completion waits to
    /// run.
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

/// The number of an asynchronous write, for its cancellation.
public typealias AsyncTransactionId = Realm.AsyncTransactionId
