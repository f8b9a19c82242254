import CFreeholdShims
import Dispatch
import Foundation

/// Where a realm may be used.
enum Confinement: Sendable {
    /// One thread, by its serial number.
    case thread(UInt64)
    /// The main thread, the main queue and the main actor, which are one.
    case main
    case queue(DispatchQueue, QueueMark)
    case actor(ActorPlace)
    /// Anywhere: the realm never changes.
    case frozen

    /// What finds the realm of a confinement again.
    enum Key: Hashable {
        case thread(UInt64)
        case main
        case queue(ObjectIdentifier)
        /// Of an actor: what runs it, so that actors that share an executor are one place.
        case executor(UInt)
    }

    /// Of the caller: the main thread's, else this thread's.
    static var current: Confinement {
        QueueMark.markMain()
        if isMain { return .main }
        return .thread(fh_thread_serial())
    }

    /// - Precondition: the queue is a serial one.
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

    /// The queue and the actor on which the caller surely is. A realm of the one is to be taken before one of the other: a
    /// queue's block may run inside of an actor's (`sync`), but nothing of an actor inside of a queue's.
    static var surroundings: [Key] {
        var keys: [Key] = []
        if let mark = DispatchQueue.getSpecific(key: QueueMark.key), mark !== QueueMark.main {
            keys.append(.queue(ObjectIdentifier(mark)))
        }
        let executor = Executor.current
        if executor.identity != 0 { keys.append(.executor(executor.identity)) }
        return keys
    }

    /// Whether the caller is where the realm may be used. Of actors it traps where it isn't.
    ///
    /// - Parameter message: for that trap.
    func isHere(_ message: @autoclosure () -> String) -> Bool {
        switch self {
        case .thread(let serial): return serial == fh_thread_serial()
        case .main: return Self.isMain
        case .queue(_, let mark): return DispatchQueue.getSpecific(key: QueueMark.key) === mark
        case .actor(let place):
            if place.isCurrent { return true }
            // An executor of its own may know better.
            guard let actor = place.actor else { return false }
            actor.preconditionIsolated(message())
            return true
        case .frozen: return true
        }
    }

    /// Whether the caller is where the realm may be used, as far as can be told without trapping.
    var isSurelyHere: Bool {
        switch self {
        case .actor(let place): place.isCurrent
        case .thread, .main, .queue, .frozen: isHere("")
        }
    }

    /// Another actor of the same executor uses what is confined here, too.
    func join(_ other: Confinement) {
        if case .actor(let place) = self, case .actor(let joining) = other { place.join(joining) }
    }

    /// Whether nothing can run there any more.
    var isGone: Bool { if case .actor(let place) = self { place.actor == nil } else { false } }

    /// The main queue may be served by any thread once the main thread waits for it (`dispatchMain`, an async `main`).
    static var isMain: Bool {
        fh_is_main_thread() != 0 || DispatchQueue.getSpecific(key: QueueMark.key) === QueueMark.main
    }

    /// For messages: "on the thread that …".
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

/// Tells whether code runs on a queue: a queue carries its mark for as long as it lives.
final class QueueMark: Sendable {
    static let key = DispatchSpecificKey<QueueMark>()
    static let main = QueueMark()

    private static let isMainMarked: Bool = {
        DispatchQueue.main.setSpecific(key: key, value: main)
        return true
    }()

    static func markMain() { _ = isMainMarked }

    /// Two first calls at once give one mark.
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
