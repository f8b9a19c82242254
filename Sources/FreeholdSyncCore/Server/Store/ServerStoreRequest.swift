/// What the server's machine asks of its store. Each request is one transaction.
///
/// The machine never calls a store itself: requests are actions, and answers come back as events, late, twice or never. So the same machine
/// stands on memory, a file, or a database behind a network.
public struct ServerStoreRequest: Sendable {
    public let stream: StreamName
    public let kind: Kind

    public enum Kind: Sendable {
        case bind(FileQuery)
        /// Makes a file's row with a number that no other ever had.
        ///
        /// A copy has the files that it was copied from, and begins with their last effective clock.
        case makeFile(user: SyncString, secret: SecretHash, parents: [FileParent], clock: Clock)
        /// What a file says of itself, at a bind and now and then. Answers before `acknowledged` aren't needed any more, as far as their
        /// versions lie at or behind the horizon.
        case noteFile(FileIdent, acknowledged: UInt64, leastBase: StreamVersion?, time: Int64)
        /// The query set that the file has, or is about to get.
        case noteQueries(FileIdent, Queries, isComplete: Bool)
        /// Rows. The request fails with `.limit` if the objects are larger than `mostBytes`.
        case read(RowQuery)
        case commit(StoreCommit)
        /// Keeps a part of a split commit until the last comes.
        case stage(FileIdent, UploadedCommit)
        case parts(PartName)
        /// Forgets the parts of a split commit, whose session ended before the last one.
        case dropParts(PartName)
        /// Keeps bytes of a file's commit that comes in parts, behind those that are kept; from the start on in place of them. Other
        /// incomplete commits of the user may give way to it (`StagedParts`).
        case keepPart(FileIdent, MessagePart, time: Int64)
        /// The bytes that are kept of a file's incomplete commit.
        case keptParts(FileIdent)
        /// Forgets incomplete commits to which nothing was added since a time, and parts of files that weren't bound since.
        case trimParts(before: Int64)
        /// Forgets files that never uploaded anything, that weren't copied from another file, and that weren't seen since a time: the first one for
        /// files that never had all objects that they asked for, the second one for the others.
        case trimFiles(unused: Int64, idle: Int64)
        /// What changed behind a cursor, up to about so many objects or `StreamStep.mostBytes`, and up to a version if one is given; whole
        /// commits only.
        case step(after: Cursor, objects: Int, through: StreamVersion? = nil)
        /// Objects as they were at a version, behind a key. A page ends behind `ObjectPage.mostBytes`.
        case page(class: SyncString, after: PrimaryKey?, at: StreamVersion, objects: Int)
        /// Those of a class's objects that have one of the keys, as they were at a version. The answer is a page. If it ends behind
        /// `ObjectPage.mostBytes`, its `through` is the last key that was looked at.
        case keys([PrimaryKey], class: SyncString, at: StreamVersion)
        case objects([ObjectName], at: StreamVersion)
        /// Cuts the log, and moves the horizon: to what was committed before these times.
        case trim(log: Int64, horizon: Int64)
    }
}

/// What a bind has to know.
public struct FileQuery: Hashable, Sendable {
    public var ident: FileIdent?
    /// The answers behind this commit are wanted, and the hash up to it.
    public var acknowledged: UInt64
    public var cursor: StreamVersion?
    public var bootstrap: StreamVersion?

    public init(
        ident: FileIdent?,
        acknowledged: UInt64,
        cursor: StreamVersion? = nil,
        bootstrap: StreamVersion? = nil
    ) {
        (self.ident, self.acknowledged, self.cursor, self.bootstrap) = (ident, acknowledged, cursor, bootstrap)
    }
}

/// The rows that a merge needs.
public struct RowQuery: Sendable {
    public var objects: Set<ObjectName> = []
    public var files: Set<FileIdent> = []
    public var answers: Set<PartName> = []
    /// The greatest clocks up to these versions.
    public var clocks: Set<StreamVersion> = []
    public var links: Set<LinkQuery> = []
    public var holders: Set<HolderQuery> = []
    /// The commits of files that were copied from the same files as these ones, as far as their answers are kept.
    public var copies: Set<FileIdent> = []
    /// The bytes that these users' commits have added.
    public var users: Set<SyncString> = []
    /// The bytes that the objects may have together, as they are in memory. More of them are `.failed(.limit)`.
    public var mostBytes = Int.max

    public init() {}

    var isEmpty: Bool {
        objects.isEmpty && files.isEmpty && answers.isEmpty && clocks.isEmpty && links.isEmpty && holders.isEmpty
            && copies.isEmpty && users.isEmpty
    }
}

/// Which live objects link to one by a property.
public struct LinkQuery: Hashable, Sendable {
    public let target: ObjectName
    public let property: MergeRules.Property
}

/// Which live objects of a class hold values.
public struct HolderQuery: Hashable, Sendable {
    public let className: SyncString
    public let values: [SetElement]
    public let properties: [SyncString]
}

/// What came of a request.
public enum ServerStoreAnswer: Sendable {
    case bind(FileAnswer)
    case file(FileRow)
    case done
    case rows(StoreRows)
    case parts([UploadedCommit])
    /// Nil if nothing is kept.
    case keptParts([UInt8]?)
    /// Nil if the log doesn't reach back to the cursor, or the cursor is of another history.
    case step(StreamStep?)
    /// Nil if the log doesn't reach back to the version.
    case page(ObjectPage?)
    /// Nil as for a page. Only what is alive.
    case objects([ObjectName: MergedObject]?)
    case head(StreamHead)
    case failed(StoreFailure)
}

public enum StoreFailure: Error, Hashable, Sendable {
    /// Nothing was done, for a reason that passes, such as a lost connection or a full disk. The text names the cause.
    case unavailable(SyncString)
    /// Nothing was done, and the same request will always fail: something in it is larger than what the store can keep.
    case limit(SyncString)
    /// The head isn't the expected one, since another node was there, or a file that the commit writes is missing. Nothing was done.
    case moved
    /// Nobody knows whether it was done: the answer was lost, or took too long.
    case unknown
    /// Like `unknown`, for a commit that failed. The text names the cause.
    case uncertain(SyncString)
    /// What is stored can't be read: what is wrong, and nothing was done.
    case damaged(SyncString)
}

extension StoreFailure {
    /// The failure of a write for which the disk, or the quota, has no room. Nothing was done. Reading goes on, and the same write succeeds
    /// once there is room.
    ///
    /// - Parameter detail: The store's text.
    public static func fullDisk(_ detail: String) -> StoreFailure {
        .unavailable(SyncString(detail.isEmpty ? fullDiskText : "\(fullDiskText) \(detail)"))
    }

    public var isFullDisk: Bool {
        guard case .unavailable(let text) = self else { return false }
        return text.string.hasPrefix(Self.fullDiskText)
    }

    private static let fullDiskText = "The disk is full."
}

public struct FileAnswer: Sendable {
    public var head: StreamHead
    public var file: FileRow?
    /// Behind what the file knows, by rising numbers.
    public var answers: [StoredAnswer]

    /// The answer to the last commit whose answer the file knows. Nil if it isn't kept any more.
    public var known: StoredAnswer?
    /// Up to the last commit whose answer the file knows. Nil if nobody knows any more.
    public var hash: RunningHash?
    /// Of the log at the cursor's version and at the bootstrap's.
    public var cursor: RunningHash?
    public var bootstrap: RunningHash?
    /// What is kept of the file's incomplete commit.
    public var staged: PartialMessage?
}

/// The rows of a `RowQuery`, all read at one head.
public struct StoreRows: Sendable {
    public var head: StreamHead
    /// Objects that were asked for and aren't there are nil.
    public var objects: [ObjectName: MergedObject?] = [:]
    public var files: [FileIdent: FileRow] = [:]
    public var answers: [PartName: StoredAnswer] = [:]
    /// Answers that were asked for, be they there or not.
    public var asked: Set<PartName> = []
    public var clocks: [StreamVersion: Clock] = [:]
    public var links: [LinkQuery: [ObjectName]] = [:]
    public var holders: [HolderQuery: [ObjectName]] = [:]
    /// By running hashes.
    public var copies: [FileIdent: [RunningHash: CopiedCommit]] = [:]
    /// The bytes that users' commits have added, less those that they removed.
    public var users: [SyncString: UInt64] = [:]
}
