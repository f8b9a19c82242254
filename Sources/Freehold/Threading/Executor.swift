import CFreeholdShims
import Synchronization

/// What runs an actor's code, or the caller's.
///
/// The runtime's own question whether an executor is the current one ends the process where the answer is no. To look up
/// the current one and to compare asks nothing of anybody.
struct Executor: Sendable {
    /// The address of an object; 0 where the caller is run by no serial executor. Of a default actor it is the actor.
    let identity: UInt
    private let implementation: UInt

    private init(_ executor: UnownedSerialExecutor) {
        let words = unsafeBitCast(executor, to: (identity: UInt, implementation: UInt).self)
        identity = words.identity
        implementation = words.implementation
    }

    private init(_ executor: fh_executor) {
        identity = UInt(executor.identity)
        implementation = UInt(executor.implementation)
    }

    init(of actor: any Actor) { self.init(actor.unownedExecutor) }

    static let main = Executor(MainActor.sharedUnownedExecutor)

    static var current: Executor { Executor(fh_current_executor()) }

    /// Whether executors of several identities may be the same place, which they say themselves. In the lowest bits, as
    /// `swift_executor_isComplexEquality` reads them.
    var isOneOfSeveral: Bool { implementation & 7 == 1 }

    /// Whether the two keep each other's code from running at once.
    ///
    /// - Precondition: both are alive: the current one, and those of actors that are.
    func isSame(as other: Executor) -> Bool {
        if identity == other.identity { return true }
        guard isOneOfSeveral, other.isOneOfSeveral, let a = object, let b = other.object else { return false }
        return Self.isSame(a, b)
    }

    private var object: (any SerialExecutor)? {
        UnsafeRawPointer(bitPattern: identity).flatMap {
            Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() as? any SerialExecutor
        }
    }

    private static func isSame<E: SerialExecutor>(_ a: E, _ b: any SerialExecutor) -> Bool {
        (b as? E).map { a.isSameExclusiveExecutionContext(other: $0) } ?? false
    }
}

/// An actor as a place, or several actors that share an executor. They aren't kept alive, since an actor may keep its
/// realm.
final class ActorPlace: Sendable {
    private struct Resident {
        weak var actor: (any Actor)?
    }

    let executor: Executor
    let name: String
    private let residents: Mutex<[Resident]>

    init(_ actor: any Actor, _ executor: Executor) {
        self.executor = executor
        name = "\(type(of: actor))"
        residents = Mutex([Resident(actor: actor)])
    }

    /// One that lives; nil where nothing can run any more.
    var actor: (any Actor)? { residents.withLock { $0.lazy.compactMap(\.actor).first } }

    func join(_ other: ActorPlace) {
        guard other !== self, let actor = other.actor else { return }
        residents.withLock { residents in
            residents.removeAll { $0.actor == nil }
            if residents.contains(where: { $0.actor === actor }) { return }
            residents.append(Resident(actor: actor))
        }
    }

    /// Whether the caller surely is there. Also in the actor's own deinitialiser.
    var isCurrent: Bool {
        let current = Executor.current
        if current.identity == executor.identity { return true }
        // Of an actor that is gone the executor may be gone, too.
        guard current.isOneOfSeveral, executor.isOneOfSeveral, let actor else { return false }
        return withExtendedLifetime(actor) { current.isSame(as: executor) }
    }
}
