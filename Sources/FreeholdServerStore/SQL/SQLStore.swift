public import FreeholdSyncCore

/// A store that programs read and write with SQL. Any thread may use it.
public protocol SQLStore: Sendable {
    /// Executes a request of a node.
    func perform(_ request: ServerStoreRequest, _ answer: @escaping @Sendable (ServerStoreAnswer) -> Void)

    /// Brings the documents and views of an app into the form that its settings have. Only one server does so at a time.
    ///
    /// - Parameter views: Nil if the app has no views.
    /// - Returns: `nil` if nothing was to be done, or if another server does it.
    func follow(app: String, _ schema: SQLSchema, views: SQLViewOptions?) async throws -> SQLUpkeep?

    /// Returns the first stream after another one that has rows which wait. The number of the first stream is greater than `Int64.min`.
    func nextInbox(after number: Int64) async throws -> InboxStream?
    /// Returns the oldest rows of a stream that wait. Their number and size are bounded.
    func inboxRows(of stream: Int64) async throws -> [InboxRow]
    /// Takes the rows of a stream for this process, for five seconds.
    ///
    /// - Returns: false if another server has taken them.
    func claimInbox(of stream: Int64) async throws -> Bool
    /// Notes the results of rows that need no commit. Rows that have a result keep it.
    func finishInbox(_ results: [InboxResult], of stream: Int64) async throws
    /// Commits changes together with the results of the rows that they come from: both are stored, or none.
    func commit(_ commit: StoreCommit, of results: [InboxResult], stream: Int64) async -> InboxCommit
    /// Removes rows that have had a result for a time in milliseconds.
    func trimInbox(olderThan time: Int64) async throws
}

/// The result of `SQLStore.follow`.
public struct SQLUpkeep: Hashable, Sendable {
    /// The number of objects that got another form.
    public var objects: Int
    /// Nil if the views were as they should be.
    public var views: SQLViewReport?

    public init(objects: Int, views: SQLViewReport?) { (self.objects, self.views) = (objects, views) }
}

/// A stream with rows of the inbox that wait.
public struct InboxStream: Sendable {
    public let number: Int64
    /// Nil if the rows name a stream that doesn't exist.
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
    /// A JSON text.
    public let body: String?
    /// The version of the object that the program has read. Nil if any version is right.
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
    /// The version with which the change was made, or the newest version when it was refused.
    public var version: StreamVersion
    /// The reason for which the change wasn't made, or only a part of it.
    public var refused: String?

    public init(id: RunningHash, version: StreamVersion, refused: String? = nil) {
        (self.id, self.version, self.refused) = (id, version, refused)
    }
}

/// The result of a commit of rows of the inbox.
public enum InboxCommit: Sendable {
    case answered(ServerStoreAnswer)
    /// Nothing was done, because a row has a result already: another server has taken it.
    case taken
}
