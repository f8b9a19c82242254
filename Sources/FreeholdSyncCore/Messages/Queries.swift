/// What a file subscribes to. It replaces what it subscribed to before.
public struct Queries: Hashable, Sendable {
    /// Rises with each set.
    public var version: UInt64
    /// An object that fulfils one of its class's conditions is in the view.
    public var queries: [ClassQuery]

    public init(version: UInt64, queries: [ClassQuery]) {
        self.version = version
        self.queries = queries
    }
}

/// A condition, as text of the query language with its arguments put in.
public struct ClassQuery: Hashable, Sendable {
    public let className: SyncString
    public let condition: SyncString

    public init(className: SyncString, condition: SyncString) {
        self.className = className
        self.condition = condition
    }
}

public struct QueryError: Hashable, Sendable {
    /// Of the query set.
    public var version: UInt64
    public var className: SyncString
    /// Which of the class's conditions.
    public var index: UInt64
    /// Where in the condition's UTF-8.
    public var position: UInt64
    public var text: SyncString

    public init(version: UInt64, className: SyncString, index: UInt64, position: UInt64, text: SyncString) {
        self.version = version
        self.className = className
        self.index = index
        self.position = position
        self.text = text
    }
}
