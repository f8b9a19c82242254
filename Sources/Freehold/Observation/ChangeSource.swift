import Dispatch
import Foundation
import FreeholdEngine

/// What an iteration of changes takes them from. One iteration at a time.
protocol ChangeSource<Change>: AnyObject, Sendable {
    associatedtype Change
    func next(isolation actor: isolated (any Actor)?) async -> Change?
}

/// Asks an observation of its own for one change after the other.
///
/// On the actor of the realm it was made in the observation belongs to that realm, else to one of a queue of its own.
///
/// `Sendable` because what several threads use is behind a lock, what is live is used at its realm's place, and the
/// rest by the one iteration.
final class ObservedChanges<Observed: ThreadConfined, Change>: ChangeSource, @unchecked Sendable {
    private enum Told {
        /// It has to ask again.
        case nothing
        /// Ready for all threads.
        case change(Change)
        /// To be made ready where the realm is.
        case live(ObservedChange, isOwn: Bool, version: UInt64?)
    }

    private let kind: ObservationKind<Observed, Change>
    private let origin: Confinement.Key?
    // Used by the iteration only:
    private var frozen: Frozen<Observed>?
    private var group: ObserverGroup?
    private var live: (observed: Observed, core: RealmCore, teller: ObservationKind<Observed, Change>.Teller)?

    // Behind the lock:
    private let lock = NSLock()
    private var observation: Observation?
    private var told: Told?
    private var waiting: CheckedContinuation<Void, Never>?
    private var isEnded = false
    /// Ends after what was told last.
    private var isLast = false

    /// - Parameter origin: the place of the realm that it comes from; nil if it comes from a frozen one.
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
                if let change = ready(observation, change, isOwn: isOwn, version) { return change }
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

    /// - Returns: what is told of a thing that is gone.
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

    /// Where the live thing's realm is.
    private func start(_ observed: Observed, since frozen: Frozen<Observed>) {
        let isLive = live != nil
        let core = observed._confinedCore!
        let teller = kind.teller(observed)
        group = core.requireObservers("\(Observed.self)")
        let begun = kind.begin(observed, since: frozen.value._confinedCore!.committed, isAsking: true) {
            [weak self] change, isOwn in
            guard let self else { return }
            if isLive { return tell(.live(change, isOwn: isOwn, version: core.snapshotVersion)) }
            // Nothing can be read of what is gone.
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

    // MARK: Being told

    /// Where the observation's realm is.
    private func tell(_ told: Told) {
        let continuation = lock.withLock {
            self.told = told
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume()
    }

    /// A change of the realm's present state, where it is: that may have moved since the change was told.
    private func ready(_ observation: Observation, _ told: ObservedChange, isOwn: Bool, _ version: UInt64?) -> Change? {
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

    /// On any thread.
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
    /// Whether it says that an object is gone.
    fileprivate var isDeletion: Bool {
        if case .object(.deleted, _) = self { true } else { false }
    }
}
