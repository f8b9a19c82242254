/// The queries of a file. They replace its earlier queries.
public struct Queries: Hashable, Sendable {
    /// The version of the query set. It increases with each set.
    public var version: UInt64
    /// The queries. An object is in the view if it fulfils one of the conditions of its class.
    public var queries: [ClassQuery]

    public init(version: UInt64, queries: [ClassQuery]) {
        self.version = version
        self.queries = queries
    }
}

/// A condition in the query language, with its arguments inserted.
public struct ClassQuery: Hashable, Sendable {
    public let className: SyncString
    public let condition: SyncString

    public init(className: SyncString, condition: SyncString) {
        self.className = className
        self.condition = condition
    }
}

public struct QueryError: Hashable, Sendable {
    /// The version of the query set.
    public var version: UInt64
    public var className: SyncString
    /// The index of the condition among those of its class.
    public var index: UInt64
    /// The byte offset of the error in the UTF-8 text of the condition.
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
