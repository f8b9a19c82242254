public import Foundation
public import Freehold

/// The subscriptions of a file. They determine which objects the file receives and keeps.
///
/// ```swift
/// try await realm.subscriptions.update {
///     realm.subscriptions.append(QuerySubscription<Dog>(name: "old dogs") { $0.age > 10 })
/// }
/// ```
/// The set is stored in the file. A value of this type shows the newest set of the file, and belongs to the thread or
/// actor of the realm.
public struct SyncSubscriptionSet {
    let realm: Realm
    let file: RealmSync

    private var draft: SubscriptionDraft? { file.draft(of: realm) }

    private var kept: KeptSubscriptions { draft?.kept ?? file.subscriptions() }

    private func shown(_ kept: KeptSubscription) -> SyncSubscription { SyncSubscription(kept: kept, set: draft) }

    // MARK: Contents

    public var count: Int { kept.all.count }
    public var isEmpty: Bool { count == 0 }
    public var first: SyncSubscription? { kept.all.first.map(shown) }
    public var last: SyncSubscription? { kept.all.last.map(shown) }

    /// Returns the subscription at a position, or `nil` if there are fewer subscriptions.
    public subscript(position: Int) -> SyncSubscription? {
        let all = kept.all
        return all.indices.contains(position) ? shown(all[position]) : nil
    }

    public func first(named name: String) -> SyncSubscription? {
        kept.all.first { $0.name == name }.map(shown)
    }

    /// Returns the subscription to the same query.
    public func first<T: Object>(ofType type: T.Type, where query: @escaping (Query<T>) -> Query<Bool>)
        -> SyncSubscription?
    {
        first { try $0.storedQuery(type, query) }
    }

    public func first<T: Object>(ofType type: T.Type, where format: String, _ args: Any...) -> SyncSubscription? {
        first { try $0.storedQuery(type, format, arguments: args) }
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

    /// The state of the newest set.
    public var state: SyncSubscriptionState { file.state(of: file.subscriptions()) }

    // MARK: Changes

    /// Changes the subscriptions. All changes of the block become one set, which is stored in a transaction of its own.
    ///
    /// - Parameter onComplete: A closure that is called once, on a thread of the library, as soon as the file has all
    ///   objects of the set. It receives an error if the set can't be stored, if the server refuses a part of it, or if
    ///   another set replaces it. If `onComplete` is `nil`, an error of storing ends the program.
    /// - Parameter block: A closure that changes the set. It may be called several times, if other processes change the
    ///   set at the same time.
    /// - Precondition: It isn't called inside another update or a write transaction.
    public func update(_ block: () -> Void, onComplete: (@Sendable ((any Error)?) -> Void)? = nil) {
        do {
            let kept = try change(block)
            file.send(kept, onComplete)
        } catch {
            if let onComplete { return onComplete(error) }
            misused("The subscriptions couldn't be stored: \(error)")
        }
    }

    /// Changes the subscriptions, and waits until the file has all of their objects.
    ///
    /// - Throws: The errors that `onComplete` receives, and `Realm.Error`. The set is stored, except after a
    ///   `Realm.Error`.
    public func update(_ block: () -> Void, _isolation actor: isolated (any Actor)? = #isolation) async throws {
        let kept = try change(block)
        let file = file
        try await file.wait(for: kept)
    }

    /// Stores the changes of the block, and sends the set to the server without waiting.
    func store(_ block: () -> Void) throws { file.send(try change(block), nil) }

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

    /// Appends subscriptions.
    ///
    /// - Precondition: It is called inside an update, and no other subscription has the name.
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
        let query = stored { try $0.storedQuery(type, format, arguments: args) }
        open("A subscription was removed").remove { $0.query == query }
    }

    public func removeAll(unnamedOnly: Bool = false) {
        open("Subscriptions were removed").remove { !unnamedOnly || $0.name == nil }
    }

    /// Removes the subscriptions to a class by its name in the file. This is an addition to RealmSwift's API, for
    /// classes that the program no longer has.
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
    /// The subscriptions of the realm's file.
    ///
    /// - Precondition: The realm was opened with a configuration that syncs, and isn't frozen.
    public var subscriptions: SyncSubscriptionSet {
        guard let file = attachment as? RealmSync else {
            misused("\(self) doesn't sync, so it has no subscriptions. Open it with user.flexibleSyncConfiguration().")
        }
        if isFrozenRealm { misused("\(self) is frozen. Ask a live realm for its subscriptions.") }
        return SyncSubscriptionSet(realm: self, file: file)
    }

    /// The session that syncs the realm's file. `nil` for a realm that doesn't sync, and for a logged-out user.
    public var syncSession: SyncSession? { (attachment as? RealmSync)?.session }
}
