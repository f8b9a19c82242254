import FreeholdEngine
import Synchronization

extension Realm {
    /// What observers of a realm are told.
    public enum Notification: String, Sendable {
        /// The realm shows a newer version: of its own commit, or another's to which it has moved.
        case didChange = "RLMRealmDidChangeNotification"
        /// Another has committed, and the realm doesn't move by itself (``autorefresh``).
        case refreshRequired = "RLMRealmRefreshRequiredNotification"
    }

    public typealias NotificationBlock = (_ notification: Notification, _ realm: Realm) -> Void

    /// Calls the block when the realm has moved to a newer version, or should.
    ///
    /// For its own commits it is called by the commit, else where the realm is refreshed, which it is by itself.
    ///
    /// - Precondition: the realm is neither frozen nor read-only, and one of the main thread, a queue, an actor, or a
    ///   thread with a running run loop.
    public func observe(_ block: @escaping NotificationBlock) -> NotificationToken {
        if core.isFrozen { programmerError("observe() was called on a frozen realm, which never changes.") }
        core.verifyThread()
        if core.configuration.readOnly { programmerError("observe() was called on \(core.name), which is read-only.") }
        _ = core.requireMailbox("realm")
        core.watch()
        core.file.hub.listen()
        let realm = self
        let observation = Observation(of: core) { block($0, realm) }
        core.useRealmObservers().add(observation)
        return NotificationToken(observation)
    }

    /// Commits the write transaction, like ``commitWrite()``, without telling some of the observers.
    ///
    /// For a change that the observer made itself and has shown already.
    ///
    /// - Parameter tokens: of observations of this realm.
    /// - Throws: as ``commitWrite()``.
    public func commitWrite(withoutNotifying tokens: [NotificationToken]) throws {
        core.check(tokens)
        try core.commit(withoutNotifying: tokens)
    }

    /// Runs the block in a write transaction and commits it, like ``write(_:)``, without telling some of the observers.
    ///
    /// - Parameter tokens: of observations of this realm.
    /// - Parameter block: makes the changes.
    @discardableResult
    public func write<R>(withoutNotifying tokens: [NotificationToken], _ block: () throws -> R) throws -> R {
        core.check(tokens)
        try core.begin()
        return try finish(withoutNotifying: tokens, block)
    }
}

extension RealmCore {
    /// Traps where a token isn't one of this realm's observations.
    func check(_ tokens: [NotificationToken]) {
        verifyThread()
        for case let observation? in tokens.map(\.observation) {
            guard observation.isOf(self) else {
                programmerError("A token of another realm was given to `withoutNotifying`. Give tokens of \(name).")
            }
        }
    }
}

/// What ``Realm/observe(_:)`` calls.
public typealias NotificationBlock = Realm.NotificationBlock

/// The observers of a realm itself. Used where the realm is.
final class RealmObservers {
    private var all: [Observation] = []

    func add(_ observation: Observation) { all.append(observation) }

    func tell(_ notification: Realm.Notification, except tokens: [NotificationToken] = []) {
        all.removeAll { $0.isEnded }
        let silent = tokens.compactMap(\.observation)
        for observation in all where !silent.contains(where: { $0 === observation }) {
            observation.tell(.realm(notification), isOwn: true)
        }
    }
}
