import Dispatch
import Foundation
import FreeholdEngine

/// The source of the changes of an iteration. Only one iteration at a time may use it.
protocol ChangeSource<Change>: AnyObject, Sendable {
    associatedtype Change
    func next(isolation actor: isolated (any Actor)?) async -> Change?
}

/// A source that requests changes one after another from an observation of its own.
///
/// If the iteration runs on the actor to which the sequence's realm is confined, the observation belongs to that realm.
/// Otherwise it belongs to a realm that is confined to a queue of its own.
///
/// The class is `Sendable` because a lock protects the state that several threads use, the live value is used only at
/// its realm's place, and the one iteration uses the rest.
final class ObservedChanges<Observed: ThreadConfined, Change>: ChangeSource, @unchecked Sendable {
    private enum Told {
        /// No change is available. The iteration has to ask again.
        case nothing
        /// A change that any thread may use.
        case change(Change)
        /// A change that must be prepared where the realm is.
        case live(ObservedChange, isOwn: Bool, version: UInt64?)
    }

    private let kind: ObservationKind<Observed, Change>
    private let origin: Confinement.Key?
    // Used only by the iteration:
    private var frozen: Frozen<Observed>?
    private var group: ObserverGroup?
    private var live: (observed: Observed, core: RealmCore, teller: ObservationKind<Observed, Change>.Teller)?

    // Protected by the lock:
    private let lock = NSLock()
    private var observation: Observation?
    private var told: Told?
    private var waiting: CheckedContinuation<Void, Never>?
    private var isEnded = false
    /// A Boolean value that indicates whether the sequence ends after the last delivered change.
    private var isLast = false

    /// - Parameter origin: The place of the realm of the observed value, or nil if the value comes from a frozen realm.
    init(_ frozen: Frozen<Observed>, of kind: ObservationKind<Observed, Change>, _ origin: Confinement.Key?) {
        self.frozen = frozen
        self.kind = kind
        self.origin = origin
    }

    deinit { end() }

    // MARK: The iteration

    func next(isolation actor: isolated (any Actor)?) async -> Change? {
        if let frozen {
            self.frozen = nil
            if let gone = await begin(frozen, actor) { return gone }
        }
        while !Task.isCancelled, let observation = lock.withLock({ isLast ? nil : self.observation }) {
            group?.ask(observation)
            await wait(isolation: actor)
            switch lock.withLock({ take() }) {
            case nil, .nothing: break
            case .change(let change): return change
            case .live(let change, let isOwn, let version):
                if let change = ready(observation, told: change, isOwn: isOwn, version: version) { return change }
            }
            if lock.withLock({ isEnded }) { return nil }
        }
        end()
        return nil
    }

    private func take() -> Told? {
        defer { told = nil }
        return told
    }

    private func wait(isolation actor: isolated (any Actor)?) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { continuation in
                let isOver = lock.withLock {
                    if told != nil || isEnded { return true }
                    waiting = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            end()
        }
    }

    // MARK: Beginning

    /// - Returns: The change to deliver if the observed value was deleted.
    private func begin(_ frozen: Frozen<Observed>, _ actor: isolated (any Actor)?) async -> Change? {
        if let actor, let origin {
            let place = Confinement.on(actor)
            if place.key == origin {
                guard let observed = frozen.live(at: place) else { return kind.gone }
                live = (observed, observed._confinedCore!, kind.teller(observed))
                start(observed, since: frozen)
                return nil
            }
        }
        let queue = DispatchQueue(label: "freehold.changes")
        let begun = await withCheckedContinuation(isolation: actor) {
            (continuation: CheckedContinuation<Bool, Never>) in
            queue.async {
                let observed = frozen.live(at: .on(queue))
                if let observed { self.start(observed, since: frozen) }
                continuation.resume(returning: observed != nil)
            }
        }
        return begun ? nil : kind.gone
    }

    /// Starts the observation. The method is called where the realm of the live value is.
    private func start(_ observed: Observed, since frozen: Frozen<Observed>) {
        let isLive = live != nil
        let core = observed._confinedCore!
        let teller = kind.teller(observed)
        group = core.requireObservers("\(Observed.self)")
        let begun = kind.begin(observed, since: frozen.value._confinedCore!.committed, isAsking: true) {
            [weak self] change, isOwn in
            guard let self else { return }
            if isLive { return tell(.live(change, isOwn: isOwn, version: core.snapshotVersion)) }
            // A deleted value can't be read.
            if observed.isInvalidated, !change.isDeletion { return end() }
            guard let told = teller(change, observed.isInvalidated ? observed : observed.freeze(), isOwn) else {
                return tell(.nothing)
            }
            if change.isDeletion { lock.withLock { isLast = true } }
            tell(.change(told))
        }
        let isOver = lock.withLock {
            observation = begun
            return isEnded
        }
        if isOver { begun.end() }
    }

    // MARK: Receiving changes

    /// Stores the change and resumes the waiting iteration. The method is called where the observation's realm is.
    private func tell(_ told: Told) {
        let continuation = lock.withLock {
            self.told = told
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume()
    }

    /// Returns the change relative to the present state of the realm, which may have moved since the change was
    /// delivered. The method is called where the realm is.
    private func ready(_ observation: Observation, told: ObservedChange, isOwn: Bool, version: UInt64?) -> Change? {
        guard let live else { return nil }
        var change = told
        if live.core.transaction != nil || live.core.snapshotVersion != version {
            guard let later = group?.retell(observation, live.core) else { return nil }
            change = later
        }
        if change.isDeletion {
            lock.withLock { isLast = true }
        } else if live.observed.isInvalidated {
            end()
            return nil
        }
        return live.teller(change, live.observed, isOwn)
    }

    /// Ends the iteration. Any thread may call this.
    private func end() {
        let (observation, continuation) = lock.withLock {
            isEnded = true
            defer {
                self.observation = nil
                waiting = nil
            }
            return (self.observation, waiting)
        }
        observation?.end()
        continuation?.resume()
    }
}

extension ObservedChange {
    /// A Boolean value that indicates whether the change reports the deletion of an object.
    fileprivate var isDeletion: Bool {
        if case .object(.deleted, _) = self { true } else { false }
    }
}
