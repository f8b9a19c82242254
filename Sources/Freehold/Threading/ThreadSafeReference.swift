import FreeholdEngine
import Synchronization

/// A reference to something of a realm that another thread, queue or actor can resolve, once, to the live thing of a
/// realm of its own.
///
/// ```swift
/// let reference = ThreadSafeReference(to: person)
/// queue.async {
///     let realm = try! Realm()
///     guard let person = realm.resolve(reference) else { return }   // deleted meanwhile
///     try! realm.write { person.visits += 1 }
/// }
/// ```
/// The version at which it was made stays in the file until it is resolved or let go of.
///
/// One that is made inside a write transaction may be to something that the transaction has made. It resolves to nil
/// where the transaction hasn't been committed.
public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
    private let content: Content

    /// The way, taken out once.
    private final class Content: Sendable {
        private let passage: Mutex<Passage<Confined>?>

        init(_ passage: Passage<Confined>) { self.passage = Mutex(passage) }

        var isTaken: Bool { passage.withLock { $0 == nil } }

        func take() -> Passage<Confined>? {
            passage.withLock { passage in
                defer { passage = nil }
                return passage
            }
        }
    }

    /// A reference to a managed object or collection.
    ///
    /// - Precondition: it is managed and valid.
    public init(to value: Confined) { content = Content(Passage(value, "ThreadSafeReference(to:)")) }

    /// Whether it was resolved already.
    public var isInvalidated: Bool { content.isTaken }

    fileprivate func take() -> Passage<Confined> {
        guard let passage = content.take() else {
            programmerError("A ThreadSafeReference was resolved twice. Make one for each time it is resolved.")
        }
        return passage
    }
}

/// The way from something of one realm to the same thing of another realm of the file.
///
/// Keeps the version of its beginning in the file, and belongs to no thread.
final class Passage<Confined: ThreadConfined>: Sendable {
    let file: RealmFile
    let configuration: Realm.Configuration
    private let location: _Location
    fileprivate let version: Snapshot
    /// Whether it was made inside a write transaction, which may have changed what it leads to.
    let isUncommitted: Bool

    /// - Parameter caller: for messages.
    init(_ value: Confined, _ caller: String) {
        guard let core = value._confinedCore else {
            programmerError(
                "\(caller) was given an unmanaged \(Confined.self). Add it to a realm first, or pass the value itself."
            )
        }
        core.verifyThread()
        if value.isInvalidated {
            programmerError("\(caller) was given an invalidated \(Confined.self). Check `isInvalidated` first.")
        }
        file = core.file
        configuration = core.configuration
        location = value._rlmLocation
        version = core.committed
        isUncommitted = core.transaction != nil
    }

    /// The thing of another realm of the file, which moves on where it has to; nil where it isn't there.
    func lead(to core: RealmCore) -> Confined? {
        core.reach(version, isUncommitted: isUncommitted)
        return location.find(core) as! Confined?
    }
}

extension Realm {
    /// What the reference stands for, in this realm; nil if it was deleted, and of another file.
    ///
    /// A realm that stands at an older version than the reference moves to the newest. One of which nothing has been read
    /// yet shows the version at which the reference was made.
    ///
    /// - Precondition: the reference wasn't resolved before.
    public func resolve<Confined: ThreadConfined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
        core.verifyThread()
        let passage = reference.take()
        return passage.file === core.file ? passage.lead(to: core) : nil
    }
}

/// A variable or parameter that holds something of a realm, and can be read on any thread: there it is the live thing
/// of a realm of that thread; nil if it was deleted.
///
/// ```swift
/// @ThreadSafe var person = realm.objects(Person.self).first
/// DispatchQueue.global().async { print(person?.name ?? "gone") }
/// ```
@propertyWrapper
public final class ThreadSafe<T: ThreadConfined>: Sendable {
    private let passage: Mutex<Passage<T>?>

    /// - Precondition: it is managed and valid.
    public init(wrappedValue: T?) { passage = Mutex(wrappedValue.map { Passage($0, "@ThreadSafe") }) }

    /// Opens the realm on the present thread where it isn't open there; traps where that fails.
    ///
    /// Reading it lets go of the version at which it was read before.
    public var wrappedValue: T? {
        get {
            guard let held = passage.withLock({ $0 }) else { return nil }
            let live = held.lead(to: .live(held.configuration, held.file, standIn: held.version))
            // What isn't there yet may be committed later.
            if live == nil, held.isUncommitted { return nil }
            let next = live.map { Passage($0, "@ThreadSafe") }
            // Another thread may have assigned meanwhile.
            let last = passage.withLock { passage in
                guard passage === held else { return next }
                defer { passage = next }
                return passage
            }
            withExtendedLifetime(last) {}
            return live
        }
        set {
            let new = newValue.map { Passage($0, "@ThreadSafe") }
            let last = passage.withLock { passage in
                defer { passage = new }
                return passage
            }
            withExtendedLifetime(last) {}
        }
    }
}
