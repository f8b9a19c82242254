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
    case actor(any Actor)
    /// Anywhere: the realm never changes.
    case frozen

    /// What finds the realm of a confinement again.
    enum Key: Hashable {
        case thread(UInt64)
        case main
        case queue(ObjectIdentifier)
        case actor(ObjectIdentifier)
    }

    /// Of the caller: the main thread's, else this thread's.
    static var current: Confinement {
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
        if actor === MainActor.shared {
            QueueMark.markMain()
            return .main
        }
        return .actor(actor)
    }

    var key: Key? {
        switch self {
        case .thread(let serial): .thread(serial)
        case .main: .main
        case .queue(_, let mark): .queue(ObjectIdentifier(mark))
        case .actor(let actor): .actor(ObjectIdentifier(actor))
        case .frozen: nil
        }
    }

    /// Whether the caller is where the realm may be used. Of actors it traps where it isn't.
    ///
    /// - Parameter message: for that trap.
    func isHere(_ message: @autoclosure () -> String) -> Bool {
        switch self {
        case .thread(let serial): return serial == fh_thread_serial()
        case .main: return Self.isMain
        case .queue(_, let mark): return DispatchQueue.getSpecific(key: QueueMark.key) === mark
        case .actor(let actor):
            actor.preconditionIsolated(message())
            return true
        case .frozen: return true
        }
    }

    /// Whether the caller is on the queue or the actor.
    var isSurelyHere: Bool {
        switch self {
        case .thread, .frozen: false
        case .main: Self.isMain
        case .queue(_, let mark): DispatchQueue.getSpecific(key: QueueMark.key) === mark
        case .actor(let actor): isCurrentExecutor(actor.unownedExecutor)
        }
    }

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
        case .actor(let actor): "the actor \(type(of: actor))"
        case .frozen: "any thread"
        }
    }
}

/// What the runtime's public calls trap about, answered.
private func isCurrentExecutor(_ executor: UnownedSerialExecutor) -> Bool {
    let words = unsafeBitCast(executor, to: (identity: UInt, implementation: UInt).self)
    return fh_is_current_executor(words.identity, words.implementation)
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
