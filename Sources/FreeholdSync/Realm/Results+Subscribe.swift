public import Foundation
public import Freehold

/// The condition on which `subscribe` waits for the objects.
public enum WaitForSyncMode: Sendable {
    /// Waits if the call creates a subscription, or changes the query of one.
    case onCreation
    /// Always waits, even if the subscription exists, until the file has the present state of the server.
    case always
    case never
}

extension Results where Element: Object {
    /// Subscribes to the objects that the query of the results finds.
    ///
    /// ```swift
    /// let dogs = try await realm.objects(Dog.self).where { $0.age > 3 }.subscribe()
    /// ```
    /// Without a name, the call has no effect if an unnamed subscription has an equal query. If a subscription has the
    /// given name, it receives this query.
    ///
    /// - Parameter timeout: The maximum time to wait, in seconds. The subscription stays after a timeout.
    /// - Returns: The results.
    /// - Throws: `QueryError` for queries that can't be subscribed to: queries of lists, with a limit, or with distinct
    ///   values; a `POSIXError` with the code `ETIMEDOUT` after a timeout; `Realm.Error` if the subscription can't
    ///   be stored; and the errors of the wait, as for `SyncSubscriptionSet.update`.
    /// - Precondition: It is called on the main actor, or on the actor to which the realm belongs.
    @discardableResult
    public func subscribe(
        name: String? = nil,
        waitForSync: WaitForSyncMode = .onCreation,
        timeout: TimeInterval? = nil,
        _isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Results {
        let query = try storedQuery()
        guard let realm = realmOfResults else { return self }
        let set = realm.subscriptions
        let file = set.file
        let old = file.subscriptions()
        let isThere = old.all.contains { $0.name == name && $0.query == query }
        if !isThere {
            let change = {
                guard let draft = file.draft(of: realm) else { return }
                if let name, let known = draft.kept.all.first(where: { $0.name == name }) {
                    draft.change(known.id) { $0.query = query }
                } else {
                    draft.append(name, query)
                }
            }
            try set.store(change)
        }
        let kept = file.subscriptions()
        switch waitForSync {
        case .never: return self
        case .onCreation where isThere: return self
        default: break
        }
        let session = file.session
        try await Timeout.run(timeout) {
            try await file.wait(for: kept)
            if waitForSync == .always { try await session?.waitForDownload() }
        }
        realm.refresh()
        return self
    }

    /// Removes the unnamed subscription with an equal query. It doesn't wait for the server.
    public func unsubscribe() {
        guard let realm = realmOfResults, let query = try? storedQuery() else { return }
        let set = realm.subscriptions
        set.update({ set.file.draft(of: realm)?.remove { $0.name == nil && $0.query == query } }, onComplete: nil)
    }
}

enum Timeout {
    /// Runs a closure with a time limit.
    ///
    /// - Throws: A `POSIXError` with the code `ETIMEDOUT` after the given number of seconds.
    static func run(_ seconds: TimeInterval?, _ body: @escaping @Sendable () async throws -> Void) async throws {
        guard let seconds else { return try await body() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: .seconds(seconds))
                throw POSIXError(
                    .ETIMEDOUT,
                    userInfo: [NSLocalizedDescriptionKey: "Waiting for update timed out after \(seconds) seconds."]
                )
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
