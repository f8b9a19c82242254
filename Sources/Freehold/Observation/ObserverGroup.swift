import Foundation
import FreeholdEngine
import Synchronization

/// The observers of one realm. They advance from version to version together with the realm, so that a block always
/// reads the state to which its change leads.
///
/// A computed change waits as one batch until the realm can take it. No further changes are computed before that, so
/// that several commits become one change.
final class ObserverGroup: @unchecked Sendable {
    /// The changes to deliver at one version.
    private struct Batch {
        let snapshot: Snapshot
        let from: UInt64
        var changes: [(observation: Observation, change: ObservedChange)] = []
        /// The state of each observer before the batch.
        var before: [(observation: Observation, state: Observation.State)] = []
    }

    let hub: ObservationHub
    private let mailbox: Mailbox
    // This reference is used only where the realm is.
    private weak var life: RealmLife?
    private let living = Atomic(0)

    // Protected by the lock:
    private let lock = NSLock()
    private var observations: [Observation] = []
    private var version: UInt64
    private var ready: Batch?
    /// A Boolean value that indicates whether a write transaction is open. Nothing is delivered during a write
    /// transaction.
    private var isSuspended = false
    /// The version of the realm. Without autorefresh it doesn't advance by itself.
    private var reached: Snapshot
    private var autorefresh: Bool
    /// The revision of the schema for which the observers' starts were made.
    private var schemaRevision: UInt64
    private var isRestarting = false

    // Used only where the realm is:
    private var due: [(observation: Observation, change: ObservedChange, isOwn: Bool)] = []

    init(_ core: RealmCore, _ mailbox: Mailbox) {
        hub = core.file.hub
        self.mailbox = mailbox
        life = core.life
        reached = core.committed
        version = reached.version
        schemaRevision = reached.schemaRevision
        autorefresh = core.autorefresh
        isSuspended = core.transaction != nil
        hub.add(self)
    }

    /// A Boolean value that indicates whether the group has observers, so that the realm advances with the batches.
    var isActive: Bool { living.load(ordering: .acquiring) > 0 }

    // MARK: Observers

    /// Adds an observation. The method is called where the realm is, at the version for which the observation was made.
    func add(_ observation: Observation, _ core: RealmCore) {
        living.add(1, ordering: .acquiringAndReleasing)
        lock.withLock {
            observations.append(observation)
            schemaRevision = core.committed.schemaRevision
        }
        hub.schedule()
    }

    /// Records the end of one observation. Any thread may call this. With the last observation, the group releases all
    /// followed data and with it a version of the file.
    func didEndOne() {
        let left = living.subtract(1, ordering: .acquiringAndReleasing).newValue
        if left > 0 { return hub.schedule() }
        let last = lock.withLock { () -> ([Observation], Batch?) in
            guard observations.allSatisfy(\.isEnded) else { return ([], nil) }
            defer {
                observations = []
                ready = nil
            }
            // The realm hasn't moved to the version of the batch, which is no longer delivered.
            if let ready { version = ready.from }
            return (observations, ready)
        }
        withExtendedLifetime(last) {}
    }

    /// Requests the next change for an observation that requests its changes. Any thread may call this.
    func ask(_ observation: Observation) {
        lock.withLock { observation.ask() }
        hub.schedule()
    }

    /// Returns the change up to the present version of the realm, which replaces the change that was last delivered to
    /// a requesting observation. Returns nil if nothing changed in total. The observation has then requested its next
    /// change. The method is called where the realm is.
    func retell(_ observation: Observation, _ core: RealmCore) -> ObservedChange? {
        let target = core.committed
        guard core.transaction == nil, prepare(target, core) else {
            lock.withLock { observation.untell() }
            return nil
        }
        return lock.withLock {
            observation.untell()
            let feed = hub.feed
            return observation.advance(to: target) { feed.changes(from: $0, to: $1) }
        }
    }

    // MARK: Computing

    /// Computes the next batch. Runs on the hub's queue.
    func compute(upTo newest: Snapshot) {
        enum Outcome { case nothing, ready, otherSchema(Snapshot) }
        let outcome = lock.withLock { () -> Outcome in
            observations.removeAll { $0.isEnded }
            if isSuspended || ready != nil || isRestarting { return .nothing }
            let target = autorefresh ? newest : reached
            // The realm may have advanced by itself while it had no observers, or since the snapshot was taken.
            if target.version < max(version, reached.version) { return .nothing }
            if target.schemaRevision != schemaRevision {
                if observations.isEmpty { return .nothing }
                isRestarting = true
                return .otherSchema(target)
            }
            ready = make(target)
            return ready == nil ? .nothing : .ready
        }
        switch outcome {
        case .nothing: break
        case .ready: mailbox.post { [weak self] in self?.deliverReady() }
        case .otherSchema(let target):
            mailbox.post { [weak self] in
                guard let self else { return }
                self.lock.withLock { self.isRestarting = false }
                guard let core = self.life?.core, self.prepare(target, core) else { return }
                self.hub.schedule()
            }
        }
    }

    /// Prepares the observers for the schema of a version. The method is called where the realm is.
    ///
    /// - Returns: `false` if the file was migrated so that the realm's classes no longer fit it. All observations have
    ///   then ended, and the next use of the realm reports the reason.
    private func prepare(_ target: Snapshot, _ core: RealmCore) -> Bool {
        let stale = lock.withLock { target.schemaRevision == schemaRevision ? nil : observations }
        guard let stale else { return true }
        guard (try? core.checkFits(target.schema)) != nil else {
            endAll()
            return false
        }
        let frozen = core.file.frozenCore(of: core, at: target)
        let starts = stale.map { $0.isEnded ? nil : $0.restarted(in: frozen) }
        lock.withLock {
            for (observation, start) in zip(stale, starts) { observation.setStart(start) }
            schemaRevision = target.schemaRevision
        }
        return true
    }

    private func make(_ target: Snapshot) -> Batch? {
        if observations.isEmpty {
            version = target.version
            return nil
        }
        guard
            version < target.version
                || observations.contains(where: { $0.isListening && ($0.isInitialDue || $0.isBehind(target)) })
        else { return nil }
        let feed = hub.feed
        var known: [UInt64: VersionChanges] = [:]
        var batch = Batch(snapshot: target, from: version)
        for observation in observations where observation.isListening {
            batch.before.append((observation, observation.state))
            let change = observation.advance(to: target) { old, new in
                guard new.version == target.version else { return feed.changes(from: old, to: new) }
                if let changes = known[old.version] { return changes }
                let changes = feed.changes(from: old, to: new)
                known[old.version] = changes
                return changes
            }
            if let change { batch.changes.append((observation, change)) }
        }
        version = target.version
        Log.write(
            .debug,
            .notification,
            message:
                "\(batch.changes.count) of \(observations.count) observers are notified of version \(target.version)."
        )
        return batch
    }

    /// Returns the batch that leads to exactly this version.
    private func take(_ target: Snapshot, _ core: RealmCore) -> Batch? {
        guard prepare(target, core) else { return nil }
        return lock.withLock {
            if let batch = ready {
                ready = nil
                if batch.snapshot.version == target.version { return batch }
                undo(batch)
            }
            return make(target)
        }
    }

    /// Reverts the observers to their state before an undelivered batch. The lock must be held.
    private func undo(_ batch: Batch) {
        for (observation, state) in batch.before { observation.restore(state) }
        version = batch.from
    }

    // MARK: Delivery, where the realm is

    private func deliverReady() {
        guard let core = life?.core, core.transaction == nil else { return }
        tellDue()
        let batch = lock.withLock { () -> Batch? in
            guard let batch = ready else { return nil }
            ready = nil
            // The batch leads to an older version, or to a version to which the realm doesn't advance without
            // autorefresh.
            let isStaying = !core.autorefresh && batch.snapshot.version != core.snapshotVersion
            if isStaying || batch.snapshot.version < core.committed.version {
                undo(batch)
                return nil
            }
            return batch
        }
        if batch == nil { hub.schedule() }
        guard let batch else { return }
        apply(batch, core)
        hub.schedule()
    }

    private func apply(_ batch: Batch, _ core: RealmCore, isOwn: Bool? = nil) {
        let isOwn = isOwn ?? (core.snapshotVersion == batch.snapshot.version)
        due += batch.changes.map { ($0.observation, $0.change, isOwn) }
        if core.transaction == nil { core.move(to: batch.snapshot) }
        tellDue()
    }

    /// Delivers the due changes. A block may write or refresh, which delivers the changes of the remaining observers
    /// first.
    private func tellDue() {
        while !due.isEmpty {
            let next = due.removeFirst()
            next.observation.tell(next.change, isOwn: next.isOwn)
        }
    }

    /// Delivers all changes up to a version, and moves the realm to it.
    func drain(upTo target: Snapshot, _ core: RealmCore) {
        tellDue()
        guard isActive, let batch = take(target, core) else { return }
        apply(batch, core)
        hub.schedule()
    }

    // MARK: The versions of the realm

    func didMove(to snapshot: Snapshot) { lock.withLock { reached = snapshot } }

    func setAutorefresh(_ value: Bool) {
        lock.withLock { autorefresh = value }
        hub.schedule()
    }

    /// Records the begin of a write transaction. The changes up to its base are delivered first.
    func didBegin(at base: Snapshot, movedTo isMoved: Bool, _ core: RealmCore) {
        lock.withLock {
            isSuspended = true
            reached = base
        }
        guard isActive || !due.isEmpty else { return }
        if let batch = take(base, core) { apply(batch, core, isOwn: !isMoved) }
    }

    /// Records the end of the write transaction.
    ///
    /// - Parameter silent: The observations that don't receive the changes of the transaction.
    func didEnd(at snapshot: Snapshot, silent: [Observation] = []) {
        lock.withLock {
            isSuspended = false
            reached = snapshot
            for observation in silent { observation.silentUntil = snapshot }
        }
        for observation in silent { observation.tellSilence() }
        hub.schedule()
    }

    /// Ends all observations because the realm was invalidated.
    func endAll() {
        let ended = lock.withLock { () -> [Observation] in
            defer {
                observations = []
                ready = nil
            }
            isSuspended = false
            return observations
        }
        due = []
        for observation in ended { observation.end() }
    }
}

extension Observation {
    fileprivate func isBehind(_ target: Snapshot) -> Bool {
        followed.map { $0.snapshot.version < target.version } ?? true
    }
}
