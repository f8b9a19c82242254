import Dispatch
import Foundation
import Freehold
import Synchronization
import TestScript
import Testing

/// A queue with a realm of its own, and what the observers there were told. Everything is used on the queue.
final class ObservingQueue: @unchecked Sendable {
    let queue = DispatchQueue(label: "observing")
    let configuration: Realm.Configuration
    var log: [String] = []
    var tokens: [NotificationToken] = []

    init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    func run<R>(_ body: (Realm) throws -> R) throws -> R {
        try queue.sync { try body(try Realm(configuration: configuration, queue: queue)) }
    }

    func note(_ text: String) { log.append(text) }

    var told: [String] { queue.sync { log } }

    /// Waits until so many calls have come.
    func waitFor(_ count: Int) async throws {
        if try await !eventually({ told.count >= count }) { throw NeverCame(told) }
    }

    /// Waits until nothing more can come, as far as is known.
    func settle() async throws { try await Task.sleep(for: .milliseconds(60)) }

    func end() { queue.sync { tokens = [] } }
}

/// What several tasks note.
final class Notes: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ text: String) { lines.withLock { $0.append(text) } }
    var all: [String] { lines.withLock { $0 } }

    func waitFor(_ count: Int) async throws {
        if try await !eventually({ all.count >= count }) { throw NeverCame(all) }
    }
}

func described<C>(_ change: RealmCollectionChange<C>) -> String where C: RealmCollection {
    switch change {
    case .initial(let all): "initial \(all.count)"
    case .update(let all, let deletions, let insertions, let modifications):
        "\(all.count): -\(deletions) +\(insertions) ~\(modifications) >\(change.newModifications)"
    case .error(let error): "\(error)"
    }
}

/// A value of a property's change, in a word for collections, which are the live ones.
func shown(_ value: Any?) -> String {
    guard let value else { return "-" }
    let type = "\(type(of: value))"
    let collections = ["List<", "MutableSet<", "Map<", "LinkingObjects<", "ProjectedCollection<"]
    return collections.contains { type.hasPrefix($0) } ? "live" : "\(value)"
}

/// A write of another thread.
func writeElsewhere(_ configuration: Realm.Configuration, _ body: @escaping @Sendable (Realm) throws -> Void) throws {
    try onAnotherThread {
        let realm = try Realm(configuration: configuration)
        try realm.write { try body(realm) }
    }
}

func person(_ id: Int, _ realm: Realm) -> THPerson { realm.object(ofType: THPerson.self, forPrimaryKey: id)! }

/// A copy of a collection, kept by its changes alone.
final class ReplayedCollection: @unchecked Sendable {
    let name: String
    var copy: [String] = []
    var calls = 0
    var failure: String?

    init(_ name: String) { self.name = name }

    func take<C: RealmCollection>(_ change: RealmCollectionChange<C>, _ text: (C.Element) -> String) {
        calls += 1
        switch change {
        case .error(let error): failure = "\(error)"
        case .initial(let all):
            if calls != 1 { failure = "initial twice" }
            copy = all.map(text)
        case .update(let all, let deletions, let insertions, let modifications):
            let before = copy
            for i in deletions.reversed() { copy.remove(at: i) }
            for i in insertions { copy.insert(text(all[i]), at: i) }
            for i in change.newModifications { copy[i] = text(all[i]) }
            let now = all.map(text)
            if copy != now, failure == nil {
                failure = "\(before) -\(deletions) +\(insertions) ~\(modifications) gave \(copy), not \(now)"
            }
            copy = now
        }
    }
}
