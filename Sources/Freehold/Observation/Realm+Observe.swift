import FreeholdEngine
import Synchronization

extension Realm {
    /// A notification for the observers of a realm.
    public enum Notification: String, Sendable {
        /// The realm shows a newer version: the result of its own commit, or a commit of another realm or process to
        /// which it has moved.
        case didChange = "RLMRealmDidChangeNotification"
        /// Another realm or process has committed, and ``autorefresh`` is `false`.
        case refreshRequired = "RLMRealmRefreshRequiredNotification"
    }

    public typealias NotificationBlock = (_ notification: Notification, _ realm: Realm) -> Void

    /// Calls the block when the realm has moved to a newer version, or when it has to be refreshed.
    ///
    /// For the realm's own commits, the commit calls the block. For other commits, the refresh calls it, which is
    /// automatic unless ``autorefresh`` is `false`.
    ///
    /// - Precondition: The realm is neither frozen nor read-only. It is confined to the main thread, a queue, an actor,
    ///   or a thread with a running run loop.
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

    /// Commits the write transaction without a notification for some of the observers.
    ///
    /// Use this method for a change that the observer made itself and has already shown. Otherwise it is like
    /// ``commitWrite()``.
    ///
    /// - Parameter tokens: The tokens of observations of this realm.
    /// - Throws: The errors of ``commitWrite()``.
    public func commitWrite(withoutNotifying tokens: [NotificationToken]) throws {
        core.check(tokens)
        try core.commit(withoutNotifying: tokens)
    }

    /// Runs the block in a write transaction and commits it without a notification for some of the observers. Otherwise
    /// it is like ``write(_:)``.
    ///
    /// - Parameter tokens: The tokens of observations of this realm.
    /// - Parameter block: A closure that makes the changes.
    @discardableResult
    public func write<R>(withoutNotifying tokens: [NotificationToken], _ block: () throws -> R) throws -> R {
        core.check(tokens)
        try core.begin()
        return try finish(withoutNotifying: tokens, block)
    }
}

extension RealmCore {
    /// Traps if a token doesn't belong to an observation of this realm.
    func check(_ tokens: [NotificationToken]) {
        verifyThread()
        for case let observation? in tokens.map(\.observation) {
            guard observation.isOf(self) else {
                programmerError("A token of another realm was given to `withoutNotifying`. Give tokens of \(name).")
            }
        }
    }
}

/// The type of the block of ``Realm/observe(_:)``.
public typealias NotificationBlock = Realm.NotificationBlock

/// The observers of a realm itself. They are used only where the realm is.
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
