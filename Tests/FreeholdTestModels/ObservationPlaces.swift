package import Dispatch
import Foundation
package import Freehold
import Synchronization
import TestScript
import Testing

/// A queue with a realm of its own, and the notifications that its observers received. Everything is used on the queue.
package final class ObservingQueue: @unchecked Sendable {
    package let queue = DispatchQueue(label: "observing")
    package let configuration: Realm.Configuration
    package var log: [String] = []
    package var tokens: [NotificationToken] = []

    package init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    package func run<R>(_ body: (Realm) throws -> R) throws -> R {
        try queue.sync { try body(try Realm(configuration: configuration, queue: queue)) }
    }

    package func note(_ text: String) { log.append(text) }

    package var told: [String] { queue.sync { log } }

    /// Waits until a number of calls have arrived.
    package func waitFor(_ count: Int) async throws {
        if try await !eventually({ told.count >= count }) { throw NeverCame(told) }
    }

    /// Waits until nothing more can come, as far as is known.
    package func settle() async throws { try await Task.sleep(for: .milliseconds(60)) }

    package func end() { queue.sync { tokens = [] } }
}

/// Lines that several tasks add.
package final class Notes: Sendable {
    package init() {}

    private let lines = Mutex<[String]>([])

    package func add(_ text: String) { lines.withLock { $0.append(text) } }
    package var all: [String] { lines.withLock { $0 } }

    package func waitFor(_ count: Int) async throws {
        if try await !eventually({ all.count >= count }) { throw NeverCame(all) }
    }
}

package func described<C>(_ change: RealmCollectionChange<C>) -> String where C: RealmCollection {
    switch change {
    case .initial(let all): "initial \(all.count)"
    case .update(let all, let deletions, let insertions, let modifications):
        "\(all.count): -\(deletions) +\(insertions) ~\(modifications) >\(change.newModifications)"
    case .error(let error): "\(error)"
    }
}

/// A value of a property's change, in a word for collections, which are the live ones.
package func shown(_ value: Any?) -> String {
    guard let value else { return "-" }
    let type = "\(type(of: value))"
    let collections = ["List<", "MutableSet<", "Map<", "LinkingObjects<", "ProjectedCollection<"]
    return collections.contains { type.hasPrefix($0) } ? "live" : "\(value)"
}

/// A write of another thread.
package func writeElsewhere(_ configuration: Realm.Configuration, _ body: @escaping @Sendable (Realm) throws -> Void)
    throws
{
    try onAnotherThread {
        let realm = try Realm(configuration: configuration)
        try realm.write { try body(realm) }
    }
}

/// A copy of a collection, kept by its changes alone.
package final class ReplayedCollection: @unchecked Sendable {
    package let name: String
    package var copy: [String] = []
    package var calls = 0
    package var failure: String?

    package init(_ name: String) { self.name = name }

    package func take<C: RealmCollection>(_ change: RealmCollectionChange<C>, _ text: (C.Element) -> String) {
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
