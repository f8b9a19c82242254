import FreeholdEngine
import Synchronization

/// A reference to a value of a realm that another thread, queue or actor can resolve once. The result is the live value
/// in a realm of that place.
///
/// ```swift
/// let reference = ThreadSafeReference(to: person)
/// queue.async {
///     let realm = try! Realm()
///     guard let person = realm.resolve(reference) else { return }   // deleted meanwhile
///     try! realm.write { person.visits += 1 }
/// }
/// ```
/// The version at which the reference was made stays in the file until the reference is resolved or released.
///
/// A reference that is made inside a write transaction may refer to an object that the transaction created. It resolves
/// to `nil` if the transaction hasn't been committed.
public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
    private let content: Content

    /// The passage, which can be taken once.
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

    /// Creates a reference to a managed object or collection.
    ///
    /// - Precondition: The value is managed and valid.
    public init(to value: Confined) { content = Content(Passage(value, "ThreadSafeReference(to:)")) }

    /// A Boolean value that indicates whether the reference was resolved already.
    public var isInvalidated: Bool { content.isTaken }

    fileprivate func take() -> Passage<Confined> {
        guard let passage = content.take() else {
            programmerError("A ThreadSafeReference was resolved twice. Make one for each time it is resolved.")
        }
        return passage
    }
}

/// A reference from a value of one realm to the same value in another realm of the file.
///
/// It keeps the version at which it was made in the file, and belongs to no thread.
final class Passage<Confined: ThreadConfined>: Sendable {
    let file: RealmFile
    let configuration: Realm.Configuration
    private let location: _Location
    fileprivate let version: Snapshot
    /// A Boolean value that indicates whether it was made inside a write transaction, which may have changed the value.
    let isUncommitted: Bool

    /// - Parameter caller: The name of the caller, for messages.
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

    /// Returns the value in another realm of the file, or nil if it doesn't exist. The realm moves to a newer version
    /// if necessary.
    func lead(to core: RealmCore) -> Confined? {
        core.reach(version, isUncommitted: isUncommitted)
        return location.find(core) as! Confined?
    }
}

extension Realm {
    /// Returns the value of the reference in this realm. Returns `nil` if the value was deleted or belongs to another
    /// file.
    ///
    /// If the realm shows an older version than the reference, it moves to the newest. If the realm hasn't been read
    /// yet, it shows the version at which the reference was made.
    ///
    /// - Precondition: The reference wasn't resolved before.
    public func resolve<Confined: ThreadConfined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
        core.verifyThread()
        let passage = reference.take()
        return passage.file === core.file ? passage.lead(to: core) : nil
    }
}

/// A wrapper for a variable or parameter with a value of a realm, which any thread can read. The result is the live
/// value in a realm of the reading thread, or `nil` if it was deleted.
///
/// ```swift
/// @ThreadSafe var person = realm.objects(Person.self).first
/// DispatchQueue.global().async { print(person?.name ?? "gone") }
/// ```
@propertyWrapper
public final class ThreadSafe<T: ThreadConfined>: Sendable {
    private let passage: Mutex<Passage<T>?>

    /// - Precondition: The value is managed and valid.
    public init(wrappedValue: T?) { passage = Mutex(wrappedValue.map { Passage($0, "@ThreadSafe") }) }

    /// The value. Reading it opens the realm at the present place if it isn't open there, and traps if that fails.
    ///
    /// A read releases the version of the previous read.
    public var wrappedValue: T? {
        get {
            guard let held = passage.withLock({ $0 }) else { return nil }
            let live = held.lead(to: .live(held.configuration, held.file, standIn: held.version))
            // The object may be committed later.
            if live == nil, held.isUncommitted { return nil }
            let next = live.map { Passage($0, "@ThreadSafe") }
            // Another thread may have assigned a value meanwhile.
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
