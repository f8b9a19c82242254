import Foundation
import Freehold

/// A set of subscriptions during an update. It belongs to the thread or actor of its realm.
final class SubscriptionDraft: @unchecked Sendable {
    // A draft isn't sendable in itself. A subscription with a draft may be sent, but can't change it after the update.
    let realm: Realm
    let base: KeptSubscriptions
    private(set) var kept: KeptSubscriptions
    var isOpen = true
    private var lastNew: Int64 = -1

    init(_ realm: Realm, _ base: KeptSubscriptions) {
        self.realm = realm
        self.base = base
        kept = base
    }

    var hasChanged: Bool { kept != base }

    func storedQuery(className: String, _ format: String, _ arguments: [Any?]) throws -> StoredQuery {
        try realm.storedQuery(className: className, format, arguments)
    }

    func storedQuery(className: String, _ predicate: NSPredicate) throws -> StoredQuery {
        try realm.storedQuery(className: className, predicate)
    }

    func change(_ id: Int64, _ change: (inout KeptSubscription) -> Void) {
        guard let index = kept.all.firstIndex(where: { $0.id == id }) else {
            misused("A subscription was changed that doesn't exist any more.")
        }
        let before = kept.all[index]
        change(&kept.all[index])
        if kept.all[index] != before { kept.all[index].updated = .now }
    }

    func append(_ name: String?, _ query: StoredQuery) {
        if let name {
            guard !kept.all.contains(where: { $0.name == name }) else {
                misused("A subscription named '\(name)' already exists. To change it, use updateQuery(toType:where:).")
            }
        } else if kept.all.contains(where: { $0.name == nil && $0.query == query }) {
            return
        }
        let now = Date.now
        kept.all.append(KeptSubscription(id: lastNew, name: name, query: query, created: now, updated: now))
        lastNew -= 1
    }

    func remove(where isGone: (KeptSubscription) -> Bool) { kept.all.removeAll(where: isGone) }
}
