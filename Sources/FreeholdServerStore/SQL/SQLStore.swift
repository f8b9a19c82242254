public import FreeholdSyncCore

/// A store that programs read and write with SQL. Any thread may use it.
public protocol SQLStore: Sendable {
    /// Executes a request of a node.
    func perform(_ request: ServerStoreRequest, _ answer: @escaping @Sendable (ServerStoreAnswer) -> Void)

    /// Converts the documents and views of an app to the form that its settings require. Only one server does this at a time.
    /// - Parameter views: The settings of the views, or `nil` if the app has no views.
    /// - Returns: The result, or `nil` if no conversion was needed, or if another server is converting.
    func follow(app: String, _ schema: SQLSchema, views: SQLViewOptions?) async throws -> SQLUpkeep?

    /// Returns the first stream with waiting rows whose number is greater than `number`. All numbers are greater than `Int64.min`.
    func nextInbox(after number: Int64) async throws -> InboxStream?
    /// Returns the oldest waiting rows of a stream, up to a maximum number and size.
    func inboxRows(of stream: Int64) async throws -> [InboxRow]
    /// Reserves the rows of a stream for this process, for five seconds.
    /// - Returns: `false` if another server has reserved them.
    func claimInbox(of stream: Int64) async throws -> Bool
    /// Stores the results of rows that need no commit. The result of a row that already has one isn't replaced.
    func finishInbox(_ results: [InboxResult], of stream: Int64) async throws
    /// Stores a commit and the results of the rows from which it was made, in one transaction.
    func commit(_ commit: StoreCommit, of results: [InboxResult], stream: Int64) async -> InboxCommit
    /// Removes rows that have had a result for longer than a number of milliseconds.
    func trimInbox(olderThan time: Int64) async throws
}

/// The result of `SQLStore.follow`.
public struct SQLUpkeep: Hashable, Sendable {
    /// The number of objects that were converted.
    public var objects: Int
    /// The changes of the views, or `nil` if they needed no change.
    public var views: SQLViewReport?

    public init(objects: Int, views: SQLViewReport?) { (self.objects, self.views) = (objects, views) }
}

/// A stream with waiting rows in the inbox.
public struct InboxStream: Sendable {
    public let number: Int64
    /// The stream's name, or `nil` if the rows name a stream that doesn't exist.
    public let name: StreamName?

    public init(number: Int64, name: StreamName?) { (self.number, self.name) = (number, name) }
}

/// A change of an object that a program has written with SQL.
public struct InboxRow: Sendable {
    /// The number of the row, which is a UUID.
    public let id: RunningHash
    /// The user with whose rights the change is made. If it is empty, the change has all rights.
    public let user: String
    public let className: String
    public let key: String?
    public let operation: String
    /// The content of the change, as JSON.
    public let body: String?
    /// The version of the object that the program has read, or `nil` if the change applies to any version.
    public let version: Int64?
    /// The time since the row was inserted, in milliseconds.
    public let age: Int64

    public init(
        id: RunningHash,
        user: String,
        className: String,
        key: String?,
        operation: String,
        body: String?,
        version: Int64?,
        age: Int64 = 0
    ) {
        (self.id, self.user, self.className, self.key) = (id, user, className, key)
        (self.operation, self.body, self.version, self.age) = (operation, body, version, age)
    }
}

/// The result of a row of the inbox.
public struct InboxResult: Sendable {
    public let id: RunningHash
    /// The version of the commit with the change. If the change was refused, the newest version at that time.
    public var version: StreamVersion
    /// The reason why the change, or a part of it, was refused.
    public var refused: String?

    public init(id: RunningHash, version: StreamVersion, refused: String? = nil) {
        (self.id, self.version, self.refused) = (id, version, refused)
    }
}

/// The result of a commit of rows of the inbox.
public enum InboxCommit: Sendable {
    case answered(ServerStoreAnswer)
    /// Nothing was stored, because a row already has a result from another server.
    case taken
}
