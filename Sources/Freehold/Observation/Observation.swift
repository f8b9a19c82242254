import FreeholdEngine
import Synchronization

/// An observer: the data that it follows, and the block that receives the changes.
///
/// The class is `Sendable` because the followed data is used only while the lock of the group is held, and the block
/// only where the group's realm is.
final class Observation: @unchecked Sendable {
    /// A closure that runs where the realm is. `isOwn` is true if a commit of the same realm made the change.
    typealias Block = (_ change: ObservedChange, _ isOwn: Bool) -> Void
    /// A closure that begins to follow the data at a version.
    typealias Start = @Sendable (Snapshot) -> Followed

    private struct Callback: @unchecked Sendable {
        var block: Block?
        /// A closure that creates a new start for the same data in a frozen realm. It returns nil if the data doesn't
        /// exist in that realm. It is called in the confinement of the realm.
        var restart: ((RealmCore) -> Start?)?
        /// The group of the observer, or nil for an observer of the realm itself.
        var group: ObserverGroup?
    }

    private let coreID: ObjectIdentifier

    /// The references that keep the realm alive. Empty after the observation has ended.
    private let callback: Mutex<Callback>
    private let hasEnded = Atomic(false)
    /// A Boolean value that indicates whether the observation also receives the commits that aren't reported to its
    /// block.
    private let hearsSilence: Bool
    /// The version of the realm when the observation began. An iteration may begin at an older version than this.
    private let beganAt: UInt64

    // Protected by the group's lock:

    /// The start, with the columns of the group's schema. It is nil for an observer of the realm itself.
    private var start: Start?
    /// The followed data, or nil before the first version was computed.
    private(set) var followed: Followed?
    private(set) var isInitialDue: Bool
    /// The version up to which changes aren't delivered.
    var silentUntil: Snapshot?
    /// A Boolean value that indicates whether the observation receives one change for each request only.
    private let isAsking: Bool
    private(set) var hasAsked = false
    /// The state before the last delivery, for an observation that requests its changes.
    private var beforeTold: State?

    /// - Parameters:
    ///   - startNow: The version after which changes are delivered. If nil, the first call delivers the initial state.
    ///   - isAsking: A Boolean value that indicates whether the observation receives only the changes that it requests.
    init(
        _ core: RealmCore,
        _ group: ObserverGroup,
        startingAt startNow: Snapshot?,
        isAsking: Bool = false,
        hearsSilence: Bool = false,
        restart: @escaping (RealmCore) -> Start?,
        start: @escaping Start,
        block: @escaping Block
    ) {
        coreID = ObjectIdentifier(core)
        beganAt = core.committed.version
        self.isAsking = isAsking
        self.hearsSilence = hearsSilence
        self.start = start
        followed = startNow.map(start)
        isInitialDue = startNow == nil
        callback = Mutex(Callback(block: block, restart: restart, group: group))
    }

    /// Creates an observation of the realm itself.
    init(of core: RealmCore, _ block: @escaping (Realm.Notification) -> Void) {
        coreID = ObjectIdentifier(core)
        beganAt = 0
        isAsking = false
        hearsSilence = false
        isInitialDue = false
        callback = Mutex(
            Callback { change, _ in if case .realm(let notification) = change { block(notification) } }
        )
    }

    var isEnded: Bool { hasEnded.load(ordering: .acquiring) }

    func isOf(_ core: RealmCore) -> Bool { coreID == ObjectIdentifier(core) }

    /// Ends the observation. Any thread may call this.
    func end() {
        if hasEnded.exchange(true, ordering: .acquiringAndReleasing) { return }
        let last = callback.withLock { callback in
            defer { callback = Callback() }
            return callback
        }
        last.group?.didEndOne()
        withExtendedLifetime(last) {}
    }

    func tell(_ change: ObservedChange, isOwn: Bool) {
        if isEnded { return }
        let callback = callback.withLock { $0 }
        callback.block?(change, isOwn && !beganBefore(change))
    }

    /// Returns a Boolean value that indicates whether a change of an object contains commits that the realm already had
    /// when the observation began. The realm didn't show them as its own, so their old values are delivered.
    private func beganBefore(_ change: ObservedChange) -> Bool {
        if case .object(_, let old) = change { old.version < beganAt } else { false }
    }

    /// Reports a commit that isn't delivered to the block. The method is called where the realm is, at the version of
    /// the commit.
    func tellSilence() { if hearsSilence { tell(.silence, isOwn: true) } }

    /// A state to which a computation can be reverted.
    struct State: Sendable {
        let followed: Followed?
        let isInitialDue: Bool
        let silentUntil: Snapshot?
        let hasAsked: Bool
    }

    var state: State {
        State(followed: followed, isInitialDue: isInitialDue, silentUntil: silentUntil, hasAsked: hasAsked)
    }

    func restore(_ state: State) {
        followed = state.followed
        isInitialDue = state.isInitialDue
        silentUntil = state.silentUntil
        hasAsked = state.hasAsked
    }

    // MARK: Requests

    /// A Boolean value that indicates whether the observation can receive a change now.
    var isListening: Bool { !isEnded && (!isAsking || hasAsked) }

    /// Requests one change.
    func ask() { hasAsked = true }

    /// Restores the state before the last delivery, so that a change to a later version can be delivered instead.
    func untell() {
        guard let beforeTold else { return }
        restore(beforeTold)
    }

    // MARK: Advancing

    /// Returns a start for another schema. The method is called where the realm is.
    func restarted(in frozen: RealmCore) -> Start? { callback.withLock { $0 }.restart?(frozen) }

    /// Replaces the start.
    ///
    /// - Parameter start: The new start, or nil if the data no longer exists. The deletion is then reported in the
    ///   usual way.
    func setStart(_ start: Start?) { if let start { self.start = start } }

    /// Advances to a version, and returns the change to deliver, if any.
    ///
    /// - Parameter changes: Returns the changes between two versions.
    func advance(to target: Snapshot, _ changes: (Snapshot, Snapshot) -> VersionChanges) -> ObservedChange? {
        let before = isAsking ? state : nil
        let change = change(to: target, changes)
        if change != nil, let before {
            beforeTold = before
            hasAsked = false
        }
        return change
    }

    private func change(to target: Snapshot, _ changes: (Snapshot, Snapshot) -> VersionChanges) -> ObservedChange? {
        if isInitialDue {
            if followed == nil || followed!.snapshot.version < target.version { followed = start!(target) }
            isInitialDue = false
            silentUntil = nil
            return .initial(followed!.found)
        }
        if let silent = silentUntil {
            silentUntil = nil
            _ = step(to: silent, changes)
        }
        return step(to: target, changes)
    }

    private func step(to target: Snapshot, _ changes: (Snapshot, Snapshot) -> VersionChanges) -> ObservedChange? {
        let old = followed!.snapshot
        guard old.version < target.version else { return nil }
        if old.schemaRevision != target.schemaRevision {
            return followed!.advance(to: target, changes(old, target), restarting: start!)
        }
        return followed!.advance(to: target, changes(old, target))
    }
}
