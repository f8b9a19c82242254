public import Foundation
public import Freehold

/// A subscription of a file to objects of one class. It is a copy of the stored subscription, and can only be changed
/// inside `SyncSubscriptionSet.update`.
public struct SyncSubscription: Hashable, Sendable {
    let kept: KeptSubscription
    let set: SubscriptionDraft?

    public var name: String? { kept.name }
    public var createdAt: Date { kept.created }
    public var updatedAt: Date { kept.updated }
    /// The name of the class in the file. This is an addition to RealmSwift's API.
    public var objectClassName: String { kept.query.className }
    /// The condition, with the names of the file. This is an addition to RealmSwift's API.
    public var queryString: String { kept.query.condition }

    public static func == (a: Self, b: Self) -> Bool { a.kept == b.kept }
    public func hash(into hasher: inout Hasher) { hasher.combine(kept) }

    /// Changes the condition.
    ///
    /// - Precondition: It is called inside an update, with the class of the subscription.
    public func updateQuery<T: Object>(toType type: T.Type, where query: ((Query<T>) -> Query<Bool>)? = nil) {
        change { try $0.realm.storedQuery(type, query) }
    }

    /// Changes the condition to a query string.
    public func updateQuery(to format: String, _ args: Any...) {
        change { try $0.storedQuery(className: kept.query.className, format, args) }
    }

    public func updateQuery(to predicate: NSPredicate) {
        change { try $0.storedQuery(className: kept.query.className, predicate) }
    }

    private func change(_ query: (SubscriptionDraft) throws -> StoredQuery) {
        guard let set, set.isOpen else {
            misused("A subscription was changed outside of an update. Call subscriptions.update { … }.")
        }
        do {
            let query = try query(set)
            guard query.className == kept.query.className else {
                misused(
                    "A subscription to \(kept.query.className) can't become one to \(query.className). Make another one."
                )
            }
            set.change(kept.id) { $0.query = query }
        } catch { misused("A subscription's query doesn't fit the class: \(error)") }
    }
}

/// A query for a new subscription.
public struct QuerySubscription<T: Object> {
    let name: String?
    let query: (Realm) throws -> StoredQuery

    /// Creates a query for all objects of the class.
    public init(name: String? = nil) { self.init(name) { try $0.storedQuery(T.self, nil) } }

    /// Creates a query for the objects that meet a condition.
    public init(name: String? = nil, query: @escaping (Query<T>) -> Query<Bool>) {
        self.init(name) { try $0.storedQuery(T.self, query) }
    }

    /// Creates a query for the objects that a query string finds.
    public init(name: String? = nil, where format: String, _ args: Any...) {
        self.init(name) { try $0.storedQuery(T.self, format, arguments: args) }
    }

    public init(name: String? = nil, where predicate: NSPredicate) {
        self.init(name) { try $0.storedQuery(T.self, predicate) }
    }

    private init(_ name: String?, _ query: @escaping (Realm) throws -> StoredQuery) {
        self.name = name
        self.query = query
    }
}

/// The state of a set of subscriptions.
public enum SyncSubscriptionState: Equatable, Sendable {
    /// The file has all objects of the set.
    case complete
    /// The server refuses a part of the set. The objects of the other subscriptions are in the file or will be
    /// downloaded.
    case error(any Error)
    /// The file may not have all objects of the set yet.
    case pending
    /// Another set replaced this one.
    case superseded

    public static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.complete, .complete), (.pending, .pending), (.superseded, .superseded): true
        case (.error(let a), .error(let b)): "\(a)" == "\(b)"
        default: false
        }
    }
}
