import CFreeholdShims
import Dispatch
import Foundation

/// The place to which a realm is confined.
enum Confinement: Sendable {
    /// One thread, given by its serial number.
    case thread(UInt64)
    /// The main thread, the main queue and the main actor, which are one place.
    case main
    case queue(DispatchQueue, QueueMark)
    case actor(ActorPlace)
    /// All places, for a realm that never changes.
    case frozen

    /// The key for the look-up of a realm by its confinement.
    enum Key: Hashable {
        case thread(UInt64)
        case main
        case queue(ObjectIdentifier)
        /// The executor of an actor. Actors that share an executor are one place.
        case executor(UInt)
    }

    /// The confinement of the caller: that of the main thread or otherwise of the current thread.
    static var current: Confinement {
        QueueMark.markMain()
        if isMain { return .main }
        return .thread(fh_thread_serial())
    }

    /// - Precondition: The queue is serial.
    static func on(_ queue: DispatchQueue) -> Confinement {
        if queue === DispatchQueue.main {
            QueueMark.markMain()
            return .main
        }
        return .queue(queue, QueueMark.of(queue))
    }

    static func on(_ actor: any Actor) -> Confinement {
        let executor = Executor(of: actor)
        if executor.identity == Executor.main.identity {
            QueueMark.markMain()
            return .main
        }
        return .actor(ActorPlace(actor, executor))
    }

    var key: Key? {
        switch self {
        case .thread(let serial): .thread(serial)
        case .main: .main
        case .queue(_, let mark): .queue(ObjectIdentifier(mark))
        case .actor(let place): .executor(place.executor.identity)
        case .frozen: nil
        }
    }

    /// The keys of the queue and the actor on which the caller certainly runs. A realm of the queue has precedence,
    /// because a queue's block can run inside an actor's code (`sync`), but not the reverse.
    static var surroundings: [Key] {
        var keys: [Key] = []
        if let mark = DispatchQueue.getSpecific(key: QueueMark.key), mark !== QueueMark.main {
            keys.append(.queue(ObjectIdentifier(mark)))
        }
        let executor = Executor.current
        if executor.identity != 0 { keys.append(.executor(executor.identity)) }
        return keys
    }

    /// Returns a Boolean value that indicates whether the caller is where the realm may be used. For actors, it traps
    /// instead of returning false.
    ///
    /// - Parameter message: The message of the trap.
    func isHere(_ message: @autoclosure () -> String) -> Bool {
        switch self {
        case .thread(let serial): return serial == fh_thread_serial()
        case .main: return Self.isMain
        case .queue(_, let mark): return DispatchQueue.getSpecific(key: QueueMark.key) === mark
        case .actor(let place):
            if place.isCurrent { return true }
            // A custom executor can have its own check.
            guard let actor = place.actor else { return false }
            actor.preconditionIsolated(message())
            return true
        case .frozen: return true
        }
    }

    /// A Boolean value that indicates whether the caller is certainly where the realm may be used. Doesn't trap.
    var isSurelyHere: Bool {
        switch self {
        case .actor(let place): place.isCurrent
        case .thread, .main, .queue, .frozen: isHere("")
        }
    }

    /// Adds another actor with the same executor to the place.
    func join(_ other: Confinement) {
        if case .actor(let place) = self, case .actor(let joining) = other { place.join(joining) }
    }

    /// A Boolean value that indicates whether no code can run at the place any more.
    var isGone: Bool { if case .actor(let place) = self { place.actor == nil } else { false } }

    /// The main queue may run on any thread while the main thread waits for it (`dispatchMain`, an async `main`).
    static var isMain: Bool {
        fh_is_main_thread() != 0 || DispatchQueue.getSpecific(key: QueueMark.key) === QueueMark.main
    }

    /// A description for messages, such as "the thread that …".
    var described: String {
        switch self {
        case .thread: "the thread that opened it"
        case .main: "the main thread or the main actor"
        case .queue(let queue, _): "the queue \"\(queue.label)\""
        case .actor(let place): "the actor \(place.name)"
        case .frozen: "any thread"
        }
    }
}

/// A mark that identifies a queue. A queue keeps its mark for its lifetime.
final class QueueMark: Sendable {
    static let key = DispatchSpecificKey<QueueMark>()
    static let main = QueueMark()

    private static let isMainMarked: Bool = {
        DispatchQueue.main.setSpecific(key: key, value: main)
        return true
    }()

    static func markMain() { _ = isMainMarked }

    /// Returns the mark of the queue. Concurrent first calls return the same mark.
    static func of(_ queue: DispatchQueue) -> QueueMark {
        lock.lock()
        defer { lock.unlock() }
        if let mark = queue.getSpecific(key: key) { return mark }
        let mark = QueueMark()
        queue.setSpecific(key: key, value: mark)
        return mark
    }

    private static let lock = NSLock()
}
