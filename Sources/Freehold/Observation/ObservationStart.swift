import Dispatch
import FreeholdEngine

extension RealmCore {
    /// Traps where nothing of the realm may be observed at present, whatever the place.
    func checkObservable(_ what: String) {
        if isFrozen {
            programmerError(
                "observe() was called on a frozen \(what), which never changes. Observe the live one: see `thaw()`."
            )
        }
        verifyThread()
        if configuration.readOnly {
            programmerError("observe() was called on a \(what) of \(self), which is read-only and doesn't change.")
        }
        if hasUncommittedChanges {
            programmerError(
                "observe() was called on a \(what) inside a write transaction, after a change. Call it before the write, or "
                    + "after it."
            )
        }
    }

    /// What the realm's observers belong to. Traps where nothing can be delivered.
    func requireObservers(_ what: String) -> ObserverGroup { useObservers(requireMailbox(what)) }

    func requireMailbox(_ what: String) -> Mailbox {
        if let mailbox { return mailbox }
        programmerError(
            "observe() was called on a \(what) of a thread without a running run loop, where nothing can be delivered. "
                + "Observe on the main thread, a queue (`on:`) or an actor, or run the thread's run loop."
        )
    }
}

/// Begins an observation where the thing's realm is, of changes after a version.
struct ObservationStart<Observed: ThreadConfined>: @unchecked Sendable {
    // `Sendable` because it goes to the one place where it runs.
    let begin: (Observed, Snapshot) -> Observation
    /// Where the thing was deleted before it could begin.
    let isGone: () -> Void
}

extension ThreadConfined {
    /// The core of what may be observed; traps where it mayn't.
    private func observableCore() -> RealmCore {
        guard let core = _confinedCore else {
            programmerError("observe() was called on an unmanaged \(Self.self). Add it to a realm first.")
        }
        core.checkObservable("\(Self.self)")
        if isInvalidated {
            programmerError("observe() was called on an invalidated \(Self.self). Check `isInvalidated` first.")
        }
        return core
    }

    /// Begins here, or later on the queue.
    func observing(on queue: DispatchQueue?, _ start: ObservationStart<Self>) -> NotificationToken {
        let core = observableCore()
        guard let queue, Confinement.on(queue).key != core.confinement.key else {
            return NotificationToken(start.begin(self, core.committed))
        }
        let token = NotificationToken()
        let frozen = Frozen(self)
        let place = Confinement.on(queue)
        let call = Mailbox.Call { [weak token] in
            guard let token, !token.isEnded else { return }
            frozen.begin(start, place, token)
        }
        queue.async { call.run() }
        return token
    }

    /// Begins on the actor.
    func observing<A: Actor>(
        on actor: A,
        _isolation: isolated (any Actor)?,
        _ start: ObservationStart<Self>
    ) async -> NotificationToken {
        let core = observableCore()
        if Task.isCancelled { return NotificationToken() }
        let place = Confinement.on(actor)
        if place.key == core.confinement.key { return NotificationToken(start.begin(self, core.committed)) }
        let token = NotificationToken()
        let frozen = Frozen(self)
        let call = Mailbox.Call {
            if Task.isCancelled { return token.invalidate() }
            frozen.begin(start, place, token)
        }
        await call.run(on: actor)
        return token
    }
}

extension Mailbox.Call {
    fileprivate func run(on actor: isolated any Actor) { run() }
}

extension Frozen {
    /// Where the observer is to be told.
    fileprivate func begin(_ start: ObservationStart<Value>, _ place: Confinement, _ token: NotificationToken) {
        let origin = value._confinedCore!
        let core: RealmCore
        do throws(Realm.Error) {
            core = try RealmCore.open(origin.configuration, place)
        } catch {
            programmerError("\(origin) couldn't be opened where its observer is: \(error).")
        }
        if core.transaction == nil, core.committed.version < origin.committed.version {
            Realm(core: core).refresh()
        }
        guard let live = value._moved(to: _RealmTarget(core)) else { return start.isGone() }
        token.adopt(start.begin(live, origin.committed))
    }
}
