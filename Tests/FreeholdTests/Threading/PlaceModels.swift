import Dispatch
import Foundation
import Freehold

/// Runs jobs on a queue, as servers' event loops do.
final class LoopExecutor: SerialExecutor {
    let queue: DispatchQueue
    /// Whether executors of one queue declare themselves as equal.
    let isOneOfSeveral: Bool

    init(_ queue: DispatchQueue = DispatchQueue(label: "loop"), isOneOfSeveral: Bool = false) {
        self.queue = queue
        self.isOneOfSeveral = isOneOfSeveral
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        isOneOfSeveral ? UnownedSerialExecutor(complexEquality: self) : UnownedSerialExecutor(ordinary: self)
    }

    func isSameExclusiveExecutionContext(other: LoopExecutor) -> Bool { queue === other.queue }
}

/// An actor with a realm of its own.
protocol Place: Actor {
    var realm: Realm? { get set }
}

extension Place {
    func open(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    func close() { realm = nil }

    /// Returns whether objects that are frozen and thawed here belong to this actor's realm.
    func thaws() -> Bool {
        guard let realm, let person = realm.objects(THPerson.self).first else { return false }
        return person.freeze().thaw()?.realm == realm && realm.objects(THPerson.self).freeze().thaw()?.realm == realm
            && realm.freeze().thaw() == realm
    }

    func frozen() -> Frozen<THPerson> { Frozen(realm!.objects(THPerson.self).first!) }

    /// Thaws an object that was frozen elsewhere.
    func takes(_ frozen: Frozen<THPerson>) -> Bool { frozen.value.thaw()?.realm == realm }

    /// Resolves a reference that was created elsewhere.
    func resolves(_ reference: ThreadSafeReference<THPerson>) -> Int? { realm!.resolve(reference)?.id }

    func reads(_ variable: ThreadSafe<THPerson>) -> Bool { variable.wrappedValue?.realm == realm }
}

actor PlainPlace: Place {
    var realm: Realm?
}

/// An actor whose executor other actors may share.
actor LoopPlace: Place {
    let executor: LoopExecutor
    var realm: Realm?

    init(_ executor: LoopExecutor) { self.executor = executor }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

/// Runs where the main actor does.
actor MainPlace: Place {
    var realm: Realm?

    nonisolated var unownedExecutor: UnownedSerialExecutor { MainActor.sharedUnownedExecutor }
}
