public import Foundation
public import Freehold

/// What a file subscribes to: by its subscriptions it gets objects, and keeps them.
///
/// ```swift
/// try await realm.subscriptions.update {
///     realm.subscriptions.append(QuerySubscription<Dog>(name: "old dogs") { $0.age > 10 })
/// }
/// ```
/// It is kept in the file. A value of this type shows the file's newest set, and belongs to the realm's place.
public struct SyncSubscriptionSet {
    let realm: Realm
    let file: RealmSync

    private var draft: SubscriptionDraft? { file.draft(of: realm) }

    private var kept: KeptSubscriptions { draft?.kept ?? file.subscriptions() }

    private func shown(_ kept: KeptSubscription) -> SyncSubscription { SyncSubscription(kept: kept, set: draft) }

    // MARK: What is there

    public var count: Int { kept.all.count }
    public var isEmpty: Bool { count == 0 }
    public var first: SyncSubscription? { kept.all.first.map(shown) }
    public var last: SyncSubscription? { kept.all.last.map(shown) }

    /// Nil if there are fewer.
    public subscript(position: Int) -> SyncSubscription? {
        let all = kept.all
        return all.indices.contains(position) ? shown(all[position]) : nil
    }

    public func first(named name: String) -> SyncSubscription? {
        kept.all.first { $0.name == name }.map(shown)
    }

    /// The subscription to the same query.
    public func first<T: Object>(ofType type: T.Type, where query: @escaping (Query<T>) -> Query<Bool>)
        -> SyncSubscription?
    {
        first { try $0.storedQuery(type, query) }
    }

    public func first<T: Object>(ofType type: T.Type, where format: String, _ args: Any...) -> SyncSubscription? {
        first { try $0.storedQuery(type, format, args) }
    }

    public func first<T: Object>(ofType type: T.Type, where predicate: NSPredicate) -> SyncSubscription? {
        first { try $0.storedQuery(type, predicate) }
    }

    private func first(_ query: (Realm) throws -> StoredQuery) -> SyncSubscription? {
        let query = stored(query)
        return kept.all.first { $0.query == query }.map(shown)
    }

    private func stored(_ query: (Realm) throws -> StoredQuery) -> StoredQuery {
        do { return try query(realm) } catch { misused("A subscription's query doesn't fit the class: \(error)") }
    }

    /// How far the newest set is.
    public var state: SyncSubscriptionState { file.state(of: file.subscriptions()) }

    // MARK: Changing it

    /// Changes the subscriptions: all of the block's changes become one set, in a transaction of its own.
    ///
    /// - Parameter onComplete: called once, on a thread of the library's, as soon as all that the set asks for is in the file; with an
    ///   error if the server refuses a part of it, or another set takes its place.
    /// - Parameter block: changes the set.
    /// - Precondition: it isn't called within itself, nor in a write transaction.
    public func update(_ block: () -> Void, onComplete: (@Sendable ((any Error)?) -> Void)? = nil) {
        do {
            let kept = try change(block)
            file.send(kept, onComplete)
        } catch {
            if let onComplete { return onComplete(error) }
            misused("The subscriptions couldn't be stored: \(error)")
        }
    }

    /// Changes the subscriptions, and waits until all that they ask for is in the file.
    ///
    /// - Throws: what `onComplete` would be called with; `Realm.Error`. The set is stored unless it is a `Realm.Error`.
    public func update(_ block: () -> Void, _isolation actor: isolated (any Actor)? = #isolation) async throws {
        let kept = try change(block)
        let file = file
        try await file.wait(for: kept)
    }

    private func change(_ block: () -> Void) throws -> KeptSubscriptions {
        if draft != nil { misused("Subscriptions were updated within an update.") }
        if realm.isInWriteTransaction { misused("Subscriptions can't be updated in a write transaction.") }
        while true {
            let draft = SubscriptionDraft(realm, file.subscriptions())
            file.begin(draft)
            defer { file.end(draft) }
            block()
            guard draft.hasChanged else { return draft.base }
            do { return try file.store(draft) } catch let error as Realm.Error where error.code == .busy { continue }
        }
    }

    private func open(_ what: String) -> SubscriptionDraft {
        guard let draft else { misused("\(what) outside of an update. Call subscriptions.update { … }.") }
        return draft
    }

    /// - Precondition: within an update; no other subscription has the name.
    public func append<each T: Object>(_ subscriptions: repeat QuerySubscription<each T>) {
        let draft = open("Subscriptions were appended")
        repeat draft.append((each subscriptions).name, stored((each subscriptions).query))
    }

    public func remove(named name: String) {
        open("A subscription was removed").remove { $0.name == name }
    }

    public func remove(_ subscriptions: SyncSubscription...) {
        let gone = Set(subscriptions.map(\.kept.id))
        open("Subscriptions were removed").remove { gone.contains($0.id) }
    }

    public func remove<T: Object>(ofType type: T.Type, where query: @escaping (Query<T>) -> Query<Bool>) {
        let query = stored { try $0.storedQuery(type, query) }
        open("A subscription was removed").remove { $0.query == query }
    }

    public func remove<T: Object>(ofType type: T.Type, where format: String, _ args: Any...) {
        let query = stored { try $0.storedQuery(type, format, args) }
        open("A subscription was removed").remove { $0.query == query }
    }

    public func removeAll(unnamedOnly: Bool = false) {
        open("Subscriptions were removed").remove { !unnamedOnly || $0.name == nil }
    }

    /// Removes the subscriptions to a class by its name in the file. Freehold's own: a class that the program doesn't have any more has no type.
    public func removeAll(ofType className: String) {
        open("Subscriptions were removed").remove { $0.query.className == className }
    }

    public func removeAll<T: Object>(ofType type: T.Type) {
        let name = stored { try $0.storedQuery(type, nil) }.className
        open("Subscriptions were removed").remove { $0.query.className == name }
    }
}

extension SyncSubscriptionSet: Sequence {
    public func makeIterator() -> IndexingIterator<[SyncSubscription]> { kept.all.map(shown).makeIterator() }
}

extension Realm {
    /// What the realm's file subscribes to.
    ///
    /// - Precondition: the realm was opened with a configuration that syncs, and isn't frozen.
    public var subscriptions: SyncSubscriptionSet {
        guard let file = attachment as? RealmSync else {
            misused("\(self) doesn't sync, so it has no subscriptions. Open it with user.flexibleSyncConfiguration().")
        }
        if isFrozenRealm { misused("\(self) is frozen. Ask a live realm for its subscriptions.") }
        return SyncSubscriptionSet(realm: self, file: file)
    }

    /// The session that keeps the realm's file in step with the server. Nil of realms that don't sync, and of users who are logged out.
    public var syncSession: SyncSession? { (attachment as? RealmSync)?.session }
}
