import Dispatch
import FreeholdEngine

extension RealmCore {
    /// Traps if the realm can't be observed at present, at any place.
    func checkObservable(_ what: String) {
        if isFrozen {
            programmerError(
                "observe() was called on a frozen \(what), which never changes. Observe the live one: see `thaw()`."
            )
        }
        verifyThread()
        if configuration.readOnly {
            programmerError("observe() was called on a \(what) of \(name), which is read-only and doesn't change.")
        }
        if hasUncommittedChanges {
            programmerError(
                "observe() was called on a \(what) inside a write transaction, after a change. Call it before the write, or "
                    + "after it."
            )
        }
    }

    /// Returns the group of the realm's observers. Traps if changes can't be delivered.
    func requireObservers(_ what: String) -> ObserverGroup { useObservers(requireMailbox(what)) }

    func requireMailbox(_ what: String) -> Mailbox {
        if let mailbox { return mailbox }
        programmerError(
            "observe() was called on a \(what) of a thread without a running run loop, where nothing can be delivered. "
                + "Observe on the main thread, a queue (`on:`) or an actor, or run the thread's run loop."
        )
    }
}

extension ThreadConfined {
    /// Returns the core of an observable value. Traps if the value can't be observed.
    func observableCore() -> RealmCore {
        guard let core = _confinedCore else {
            programmerError("observe() was called on an unmanaged \(Self.self). Add it to a realm first.")
        }
        core.checkObservable("\(Self.self)")
        if isInvalidated {
            programmerError("observe() was called on an invalidated \(Self.self). Check `isInvalidated` first.")
        }
        return core
    }

    /// Begins an observation here, or later on the queue.
    func observing<Change>(
        on queue: DispatchQueue?,
        _ kind: ObservationKind<Self, Change>,
        _ block: @escaping (Change) -> Void
    ) -> NotificationToken {
        let core = observableCore()
        guard let queue, Confinement.on(queue).key != core.confinement.key else {
            return NotificationToken(kind.begin(self, since: core.committed, block))
        }
        let token = NotificationToken.pending()
        let frozen = Frozen(self)
        let place = Confinement.on(queue)
        let call = Mailbox.Call { [weak token] in
            guard let token, !token.isEnded else { return }
            frozen.begin(kind, place, token: token, block: block)
        }
        queue.async { call.run() }
        return token
    }

    /// Begins an observation on the actor.
    func observing<A: Actor, Change>(
        on actor: A,
        _isolation: isolated (any Actor)?,
        _ kind: ObservationKind<Self, Change>,
        _ block: @Sendable @escaping (isolated A, Change) -> Void
    ) async -> NotificationToken {
        let core = observableCore()
        if Task.isCancelled { return NotificationToken() }
        let place = Confinement.on(actor)
        let callable = callable(block)
        let block = { callable(actor, $0) }
        if place.key == core.confinement.key {
            return NotificationToken(kind.begin(self, since: core.committed, block))
        }
        let token = NotificationToken.pending()
        let frozen = Frozen(self)
        let call = Mailbox.Call {
            if Task.isCancelled {
                token.invalidate()
                return
            }
            frozen.begin(kind, place, token: token, block: block)
        }
        await call.run(on: actor)
        return token
    }
}

/// Returns the block of an actor without its isolation, for callers that run on the actor.
private func callable<A: Actor, C>(_ block: @Sendable @escaping (isolated A, C) -> Void) -> (A, C) -> Void {
    // Isolation isn't part of the calling convention of a function.
    unsafeBitCast(block, to: ((A, C) -> Void).self)
}

extension Mailbox.Call {
    func run(on actor: isolated any Actor) { run() }
}

extension Frozen {
    /// Begins the observation. The method is called where the observer's block runs.
    fileprivate func begin<Change>(
        _ kind: ObservationKind<Value, Change>,
        _ place: Confinement,
        token: NotificationToken,
        block: @escaping (Change) -> Void
    ) {
        guard let live = live(at: place) else {
            if let gone = kind.gone { block(gone) }
            return
        }
        token.adopt(kind.begin(live, since: value._confinedCore!.committed, block))
    }

    /// Returns the live value in the realm of the place, or nil if it has been deleted. The method is called at that
    /// place. The realm is then at the same version or a newer one.
    func live(at place: Confinement) -> Value? {
        let origin = value._confinedCore!
        let core: RealmCore
        do throws(Realm.Error) {
            core = try RealmCore.open(origin.configuration, place, standIn: origin.committed)
        } catch {
            programmerError("\(origin) couldn't be opened where its observer is: \(error).")
        }
        core.catchUp(with: origin.committed)
        return value._moved(to: core)
    }
}
