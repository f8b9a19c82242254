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
public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
    private let content: Content

    /// The frozen thing, taken out once.
    private final class Content: Sendable {
        private let frozen: Mutex<Frozen<Confined>?>

        init(_ frozen: Frozen<Confined>) { self.frozen = Mutex(frozen) }

        var isTaken: Bool { frozen.withLock { $0 == nil } }

        func take() -> Frozen<Confined>? {
            frozen.withLock { frozen in
                defer { frozen = nil }
                return frozen
            }
        }
    }

    /// A reference to a managed object or collection.
    ///
    /// - Precondition: it is managed and valid, and wasn't made in the transaction that is open.
    public init(to value: Confined) {
        guard value._confinedCore != nil else {
            programmerError(
                "ThreadSafeReference(to:) was given an unmanaged \(Confined.self). Add it to a realm first, or pass the "
                    + "value itself."
            )
        }
        if value.isInvalidated {
            programmerError(
                "ThreadSafeReference(to:) was given an invalidated \(Confined.self). Check `isInvalidated` first."
            )
        }
        content = Content(Frozen(value))
    }

    /// Whether it was resolved already.
    public var isInvalidated: Bool { content.isTaken }

    fileprivate func take() -> Confined {
        guard let frozen = content.take() else {
            programmerError("A ThreadSafeReference was resolved twice. Make one for each time it is resolved.")
        }
        return frozen.value
    }
}

extension Realm {
    /// What the reference stands for, in this realm; nil if it was deleted.
    ///
    /// Moves to the newest version where the realm stands at an older one than the reference.
    ///
    /// - Precondition: the reference is to something of the same file, and wasn't resolved before.
    public func resolve<Confined: ThreadConfined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
        core.verifyThread()
        let frozen = reference.take()
        guard let origin = frozen._confinedCore, origin.file === core.file else {
            programmerError("A ThreadSafeReference was resolved in \(core), which isn't the realm it was made in.")
        }
        core.catchUp(with: origin)
        return frozen._moved(to: _RealmTarget(core))
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
    private let frozen: Mutex<Frozen<T>?>

    /// - Precondition: it is managed and valid.
    public init(wrappedValue: T?) { frozen = Mutex(wrappedValue.map { Self.frozen($0) }) }

    private static func frozen(_ value: T) -> Frozen<T> {
        guard value._confinedCore != nil else {
            programmerError("@ThreadSafe was given an unmanaged \(T.self). Add it to a realm first.")
        }
        return Frozen(value)
    }

    /// Opens the realm on the present thread where it isn't open there; traps where that fails.
    ///
    /// Reading it lets go of the version at which it was read before.
    public var wrappedValue: T? {
        get {
            guard let value = frozen.withLock({ $0 })?.value, let origin = value._confinedCore else { return nil }
            let core = origin.thawed()
            core.catchUp(with: origin)
            let live = value._moved(to: _RealmTarget(core))
            // Nil inside the transaction that made the object, which can't be frozen yet.
            if let live, core.transaction == nil {
                let newer = Frozen(live)
                frozen.withLock { $0 = newer }
            }
            return live
        }
        set {
            let new = newValue.map { Self.frozen($0) }
            frozen.withLock { $0 = new }
        }
    }
}
