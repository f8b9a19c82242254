import FreeholdEngine
import Synchronization

/// One observer: what it follows, and the block that is told.
///
/// `Sendable` because what is followed is used behind the lock of its group only, and the block where the group's realm
/// is.
final class Observation: @unchecked Sendable {
    /// Runs where the realm is. `isOwn`: the realm's own commit made the change.
    typealias Block = (_ change: ObservedChange, _ isOwn: Bool) -> Void
    /// Begins to follow at a version.
    typealias Start = @Sendable (Snapshot) -> Followed

    private struct Callback: @unchecked Sendable {
        var block: Block?
        /// Makes the start anew, of the same in a frozen realm; nil where it isn't there. Used where the realm is.
        var restart: ((RealmCore) -> Start?)?
        /// Nil of an observer of the realm itself.
        var group: ObserverGroup?
    }

    private let coreID: ObjectIdentifier

    /// What keeps the realm; empty when the observation has ended.
    private let callback: Mutex<Callback>
    private let hasEnded = Atomic(false)
    /// Whether it is told, for itself, of what its block isn't.
    private let hearsSilence: Bool

    // Behind the group's lock:

    /// With the columns of the group's schema. Nil of an observer of the realm itself.
    private var start: Start?
    /// Nil until the first version was computed.
    private(set) var followed: Followed?
    private(set) var isInitialDue: Bool
    /// The changes up to this version are not told.
    var silentUntil: Snapshot?
    /// Told nothing before it has asked, and then once.
    private let isAsking: Bool
    private(set) var hasAsked = false
    /// Of an asking one: what it was before it was told.
    private var beforeTold: State?

    /// - Parameters:
    ///   - startNow: the version from which on changes are told; nil where the first call tells the initial state.
    ///   - isAsking: whether it is told only what it has asked for.
    init(
        _ core: RealmCore,
        _ group: ObserverGroup,
        startingAt startNow: Snapshot?,
        isAsking: Bool = false,
        hearsSilence: Bool = false,
        _ restart: @escaping (RealmCore) -> Start?,
        _ start: @escaping Start,
        _ block: @escaping Block
    ) {
        coreID = ObjectIdentifier(core)
        self.isAsking = isAsking
        self.hearsSilence = hearsSilence
        self.start = start
        followed = startNow.map(start)
        isInitialDue = startNow == nil
        callback = Mutex(Callback(block: block, restart: restart, group: group))
    }

    /// Of the realm itself.
    init(of core: RealmCore, _ block: @escaping (Realm.Notification) -> Void) {
        coreID = ObjectIdentifier(core)
        isAsking = false
        hearsSilence = false
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
        callback.block?(change, isOwn)
    }

    /// After a commit that isn't told, where the realm stands at it.
    func tellSilence() { if hearsSilence { tell(.silence, isOwn: true) } }

    /// What a computation can be taken back to.
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

    // MARK: Asking

    /// Whether it may be told something.
    var isListening: Bool { !isEnded && (!isAsking || hasAsked) }

    /// From now on it may be told one thing.
    func ask() { hasAsked = true }

    /// Goes back to before it was told, to be told again, of a later version.
    func untell() {
        guard let beforeTold else { return }
        restore(beforeTold)
    }

    // MARK: Going on

    /// What follows it with another schema, made where the realm is.
    func restarted(in frozen: RealmCore) -> Start? { callback.withLock { $0 }.restart?(frozen) }

    /// - Parameter start: nil where it isn't there any more, which is told as it always is.
    func setStart(_ start: Start?) { if let start { self.start = start } }

    /// Moves on; what is to be told, if anything.
    ///
    /// - Parameter changes: what lies between two versions.
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
