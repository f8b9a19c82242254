import CFreeholdShims
import Synchronization

/// The executor of an actor or of the caller.
///
/// The runtime's own check for the current executor ends the process if the answer is no. Reading the current executor
/// and comparing it doesn't.
struct Executor: Sendable {
    /// The address of an object, or 0 if no serial executor runs the caller. For a default actor it is the actor.
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

    /// A Boolean value that indicates whether executors with several identities may be the same place, which only they
    /// can determine. It is stored in the lowest bits, in the format of `swift_executor_isComplexEquality`.
    var isOneOfSeveral: Bool { implementation & 7 == 1 }

    /// Returns a Boolean value that indicates whether the two executors exclude each other.
    ///
    /// - Precondition: Both are alive. The current executor and executors of live actors are.
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

/// An actor, or several actors with a shared executor, as a place. The place doesn't keep the actors alive, because an
/// actor may own its realm.
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

    /// A live actor of the place, or nil if no code can run there any more.
    var actor: (any Actor)? { residents.withLock { $0.lazy.compactMap(\.actor).first } }

    func join(_ other: ActorPlace) {
        guard other !== self, let actor = other.actor else { return }
        residents.withLock { residents in
            residents.removeAll { $0.actor == nil }
            if residents.contains(where: { $0.actor === actor }) { return }
            residents.append(Resident(actor: actor))
        }
    }

    /// A Boolean value that indicates whether the caller is certainly at the place. It is also valid in the
    /// deinitialiser of the actor.
    var isCurrent: Bool {
        let current = Executor.current
        if current.identity == executor.identity { return true }
        // The executor of a released actor may have been released, too.
        guard current.isOneOfSeveral, executor.isOneOfSeveral, let actor else { return false }
        return withExtendedLifetime(actor) { current.isSame(as: executor) }
    }
}
