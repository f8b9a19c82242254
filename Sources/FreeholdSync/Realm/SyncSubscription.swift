public import Foundation
public import Freehold

/// What a file subscribes to in one class. A copy of what the file has; it is changed within `SyncSubscriptionSet.update` only.
public struct SyncSubscription: Hashable, Sendable {
    let kept: KeptSubscription
    let set: SubscriptionDraft?

    public var name: String? { kept.name }
    public var createdAt: Date { kept.created }
    public var updatedAt: Date { kept.updated }
    /// The name of the class in the file. Ours.
    public var objectClassName: String { kept.query.className }
    /// The condition, with the names of the file. Ours.
    public var queryString: String { kept.query.condition }

    public static func == (a: Self, b: Self) -> Bool { a.kept == b.kept }
    public func hash(into hasher: inout Hasher) { hasher.combine(kept) }

    /// Takes another condition.
    ///
    /// - Precondition: within an update; the class is the one that the subscription was made with.
    public func updateQuery<T: Object>(toType type: T.Type, where query: ((Query<T>) -> Query<Bool>)? = nil) {
        change { try $0.realm.storedQuery(type, query) }
    }

    /// The same with a query string.
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

/// A query to subscribe to.
public struct QuerySubscription<T: Object> {
    let name: String?
    let query: (Realm) throws -> StoredQuery

    /// All objects of the class.
    public init(name: String? = nil) { self.init(name) { try $0.storedQuery(T.self, nil) } }

    /// Those that meet a condition.
    public init(name: String? = nil, query: @escaping (Query<T>) -> Query<Bool>) {
        self.init(name) { try $0.storedQuery(T.self, query) }
    }

    /// Those that a query string finds.
    public init(name: String? = nil, where format: String, _ args: Any...) {
        self.init(name) { try $0.storedQuery(T.self, format, args) }
    }

    public init(name: String? = nil, where predicate: NSPredicate) {
        self.init(name) { try $0.storedQuery(T.self, predicate) }
    }

    private init(_ name: String?, _ query: @escaping (Realm) throws -> StoredQuery) {
        self.name = name
        self.query = query
    }
}

/// How far a set of subscriptions is.
public enum SyncSubscriptionState: Equatable, Sendable {
    /// All that it asks for is in the file.
    case complete
    /// The server refuses a part of it; the rest is there, or comes.
    case error(any Error)
    /// Some of what it asks for may not be in the file yet.
    case pending
    /// Another set took its place.
    case superseded

    public static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.complete, .complete), (.pending, .pending), (.superseded, .superseded): true
        case (.error(let a), .error(let b)): "\(a)" == "\(b)"
        default: false
        }
    }
}
