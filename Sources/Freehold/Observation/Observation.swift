import FreeholdEngine
import Synchronization

/// One observer: what it follows, and the block that is told.
///
/// `Sendable` because what is followed is used behind the lock of its group only, and the block where the group's realm
/// is.
final class Observation: @unchecked Sendable {
    /// Runs where the realm is. `isOwn`: the realm's own commit made the change.
    typealias Block = (_ change: ObservedChange, _ isOwn: Bool) -> Void

    private struct Callback: @unchecked Sendable {
        var block: Block?
    }

    private let coreID: ObjectIdentifier

    private let callback: Mutex<Callback>
    private let hasEnded = Atomic(false)
    /// Nil of an observer of the realm itself.
    unowned(unsafe) private let group: ObserverGroup?
    /// Nil of an observer of the realm itself.
    private let start: (@Sendable (Snapshot) -> Followed)?

    // Behind the group's lock:

    /// Nil until the first version was computed.
    private(set) var followed: Followed?
    private(set) var isInitialDue: Bool
    /// The changes up to this version are not told.
    var silentUntil: Snapshot?

    /// - Parameters:
    ///   - startNow: the version from which on changes are told; nil where the first call tells the initial state.
    init(
        _ core: RealmCore,
        _ group: ObserverGroup,
        startingAt startNow: Snapshot?,
        _ start: @escaping @Sendable (Snapshot) -> Followed,
        _ block: @escaping Block
    ) {
        coreID = ObjectIdentifier(core)
        self.group = group
        self.start = start
        followed = startNow.map(start)
        isInitialDue = startNow == nil
        callback = Mutex(Callback(block: block))
    }

    /// Of the realm itself.
    init(of core: RealmCore, _ block: @escaping (Realm.Notification) -> Void) {
        coreID = ObjectIdentifier(core)
        group = nil
        start = nil
        isInitialDue = false
        callback = Mutex(
            Callback { change, _ in if case .realm(let notification) = change { block(notification) } }
        )
    }

    var isEnded: Bool { hasEnded.load(ordering: .acquiring) }

    func isOf(_ core: RealmCore) -> Bool { coreID == ObjectIdentifier(core) }

    /// On any thread.
    func end() {
        if hasEnded.exchange(true, ordering: .acquiringAndReleasing) { return }
        // The block keeps the realm, and that its group.
        group?.didEndOne()
        let last = callback.withLock { callback in
            defer { callback = Callback() }
            return callback
        }
        withExtendedLifetime(last) {}
    }

    func tell(_ change: ObservedChange, isOwn: Bool) {
        if isEnded { return }
        let callback = callback.withLock { $0 }
        callback.block?(change, isOwn)
    }

    /// What a computation can be taken back to.
    struct State: Sendable {
        let followed: Followed?
        let isInitialDue: Bool
        let silentUntil: Snapshot?
    }

    var state: State { State(followed: followed, isInitialDue: isInitialDue, silentUntil: silentUntil) }

    func restore(_ state: State) {
        followed = state.followed
        isInitialDue = state.isInitialDue
        silentUntil = state.silentUntil
    }

    /// Moves on; what is to be told, if anything.
    ///
    /// - Parameter changes: what lies between two versions.
    func advance(to target: Snapshot, _ changes: (Snapshot, Snapshot) -> VersionChanges) -> ObservedChange? {
        if isInitialDue {
            if followed == nil || followed!.snapshot.version < target.version { followed = start!(target) }
            isInitialDue = false
            silentUntil = nil
            return .initial
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
        return followed!.advance(to: target, changes(old, target))
    }
}
