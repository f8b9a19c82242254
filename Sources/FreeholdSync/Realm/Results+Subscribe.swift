public import Foundation
public import Freehold

/// When `subscribe` waits for the objects.
public enum WaitForSyncMode: Sendable {
    /// If it makes a subscription, or gives one another query.
    case onCreation
    /// Always; a new state of the server is waited for, too.
    case always
    case never
}

extension Results where Element: Object {
    /// Subscribes to what the results' query finds.
    ///
    /// ```swift
    /// let dogs = try await realm.objects(Dog.self).where { $0.age > 3 }.subscribe()
    /// ```
    /// Without a name nothing happens if there is an unnamed subscription to an equal query. A name that is taken gets this query.
    ///
    /// - Parameter timeout: in seconds, for the waiting. The subscription stays.
    /// - Returns: the results.
    /// - Throws: `QueryError` for queries that can't be subscribed to: those of lists, with a limit, with distinct values; a
    ///   `POSIXError` with `ETIMEDOUT`; what `SyncSubscriptionSet.update` throws.
    /// - Precondition: called on the main actor or an actor that the realm belongs to.
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
            set.update(change, onComplete: nil)
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

    /// Removes the subscription to an equal query that has no name. Doesn't wait.
    public func unsubscribe() {
        guard let realm = realmOfResults, let query = try? storedQuery() else { return }
        let set = realm.subscriptions
        set.update({ set.file.draft(of: realm)?.remove { $0.name == nil && $0.query == query } }, onComplete: nil)
    }
}

enum Timeout {
    /// - Throws: a `POSIXError` with `ETIMEDOUT` after so many seconds.
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
