/// A request of the server's machine to its store. Each request is one transaction.
///
/// The machine never calls a store itself: requests are actions, and answers are events that can arrive late, twice or
/// never. The same machine therefore works with a store in memory, in a file, or in a remote database.
public struct ServerStoreRequest: Sendable {
    public let stream: StreamName
    public let kind: Kind

    public enum Kind: Sendable {
        case bind(FileQuery)
        /// Creates a file's row with a number that no other file has had.
        ///
        /// The row of a copy has the files from which it was copied, and begins with their last effective clock.
        case makeFile(user: SyncString, secret: SecretHash, parents: [FileParent], clock: Clock)
        /// Returns the file under which submissions are written, which the hash of its secret names. The file is created if it is missing. All
        /// processes that request it with one secret receive the same file, whose `user` is empty.
        case openWriter(SecretHash)
        /// Stores the state that a file reports at a bind and from time to time. Answers to commits up to
        /// `acknowledged` are no longer needed if their versions aren't after the horizon.
        case noteFile(FileIdent, acknowledged: UInt64, leastBase: StreamVersion?, time: Int64)
        /// Stores the query set that the file has or will receive.
        case noteQueries(FileIdent, Queries, isComplete: Bool)
        /// Stores bytes of a front end in the row of its file.
        case noteFront(FileIdent, [UInt8])
        /// Reads rows. The request fails with `.limit` if the objects are larger than `mostBytes`.
        case read(RowQuery)
        case commit(StoreCommit)
        /// Stores a part of a split commit until its last part arrives.
        case stage(FileIdent, UploadedCommit)
        case parts(PartName)
        /// Removes the parts of a split commit whose session ended before the last part.
        case dropParts(PartName)
        /// Stores bytes of a file's commit that arrives in parts, after those that are stored. Bytes with the offset 0
        /// replace the stored ones. Other incomplete commits of the user may be removed to make room (`StagedParts`).
        case keepPart(FileIdent, MessagePart, time: Int64)
        /// Reads the stored bytes of a file's incomplete commit.
        case keptParts(FileIdent)
        /// Removes incomplete commits to which nothing was added since a time, and parts of files that weren't bound
        /// since.
        case trimParts(before: Int64)
        /// Removes files that never uploaded anything, that weren't copied from another file, and that weren't bound
        /// since a time. `unused` is the time for files that never received all objects of their queries, and `idle`
        /// the time for the other files.
        case trimFiles(unused: Int64, idle: Int64)
        /// Removes the files of submissions that have another secret, once no answer to their commits is after the horizon. Their numbers aren't
        /// assigned again.
        case trimWriters(keeping: SecretHash)
        /// Reads the changes after a cursor, up to about the given number of objects or `StreamStep.mostBytes`, and up
        /// to a version if one is given. The step contains whole commits only.
        case step(after: Cursor, objects: Int, through: StreamVersion? = nil)
        /// Reads objects in the state of a version, after a key. A page ends after `ObjectPage.mostBytes`.
        case page(class: SyncString, after: PrimaryKey?, at: StreamVersion, objects: Int)
        /// Reads the objects of a class with one of the keys, in the state of a version. The answer is a page. If it
        /// ends after `ObjectPage.mostBytes`, its `through` is the last key that was read.
        case keys([PrimaryKey], class: SyncString, at: StreamVersion)
        case objects([ObjectName], at: StreamVersion)
        /// Removes commits before the time `log` from the log, and moves the horizon to the last commit before the time
        /// `horizon`.
        case trim(log: Int64, horizon: Int64)
    }
}

/// The data that a bind needs.
public struct FileQuery: Hashable, Sendable {
    public var ident: FileIdent?
    /// The last acknowledged commit. The answer contains the answers to later commits, and the hash up to this one.
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
    /// The versions for which to read the greatest clock.
    public var clocks: Set<StreamVersion> = []
    public var links: Set<LinkQuery> = []
    public var holders: Set<HolderQuery> = []
    /// The files for which to read the commits of other copies of the same file, as far as the answers to them are
    /// stored.
    public var copies: Set<FileIdent> = []
    /// The users for which to read the number of bytes that their commits have added.
    public var users: Set<SyncString> = []
    /// The maximum total size of the objects, in bytes of memory. Larger objects cause `.failed(.limit)`.
    public var mostBytes = Int.max
    /// A version that the requester knows. The answer contains the hash at this version. With this hash, the requester recognises a store that was
    /// restored to an earlier state.
    public var known: StreamVersion?

    public init() {}

    /// Adds the contents of another query.
    mutating func formUnion(_ other: RowQuery) {
        objects.formUnion(other.objects)
        files.formUnion(other.files)
        answers.formUnion(other.answers)
        clocks.formUnion(other.clocks)
        links.formUnion(other.links)
        holders.formUnion(other.holders)
        copies.formUnion(other.copies)
        users.formUnion(other.users)
    }

    var isEmpty: Bool {
        objects.isEmpty && files.isEmpty && answers.isEmpty && clocks.isEmpty && links.isEmpty && holders.isEmpty
            && copies.isEmpty && users.isEmpty
    }
}

/// The live objects that link to an object through a property.
public struct LinkQuery: Hashable, Sendable {
    public let target: ObjectName
    public let property: MergeRules.Property
}

/// The live objects of a class with given values.
public struct HolderQuery: Hashable, Sendable {
    public let className: SyncString
    public let values: [SetElement]
    public let properties: [SyncString]
}

/// The answer to a request.
public enum ServerStoreAnswer: Sendable {
    case bind(FileAnswer)
    case file(FileRow)
    case done
    case rows(StoreRows)
    case parts([UploadedCommit])
    /// The stored bytes, or `nil` if none are stored.
    case keptParts([UInt8]?)
    /// The step, or `nil` if the log doesn't begin early enough or the cursor belongs to another history. `RowQuery.known` finds out which.
    case step(StreamStep?)
    /// The page, or `nil` if the log doesn't begin early enough for the version.
    case page(ObjectPage?)
    /// The live objects, or `nil` if the log doesn't begin early enough for the version.
    case objects([ObjectName: MergedObject]?)
    case head(StreamHead)
    case failed(StoreFailure)
}

public enum StoreFailure: Error, Hashable, Sendable {
    /// Nothing was done for a temporary reason, such as a lost connection or a full disk. The text names the cause.
    case unavailable(SyncString)
    /// Nothing was done, and the same request will always fail, because a part of it is too large for the store.
    case limit(SyncString)
    /// Nothing was done, because the head isn't the expected one, or because a file that the commit writes is missing.
    /// Another node may have moved the head.
    case moved
    /// It is unknown whether the request was performed, because the answer was lost or took too long.
    case unknown
    /// Like `unknown`, for a commit that failed. The text names the cause.
    case uncertain(SyncString)
    /// Nothing was done, because the stored data can't be read. The text names the cause.
    case damaged(SyncString)
}

extension StoreFailure {
    /// Returns the failure of a write for which the disk or the quota has no space. Nothing was done. Reads still work,
    /// and the write will succeed as soon as there is space.
    ///
    /// - Parameter detail: The text of the store.
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
    /// The answers after the last one that the file has, by rising numbers.
    public var answers: [StoredAnswer]

    /// The answer to the last commit whose answer the file has. `nil` if it is no longer stored.
    public var known: StoredAnswer?
    /// The running hash up to that commit. `nil` if it is no longer known.
    public var hash: RunningHash?
    /// The hashes of the log at the version of the cursor, and at the version of the bootstrap.
    public var cursor: RunningHash?
    public var bootstrap: RunningHash?
    /// The stored beginning of the file's incomplete commit.
    public var staged: PartialMessage?
}

/// The rows of a `RowQuery`, which were read at one head.
public struct StoreRows: Sendable {
    public var head: StreamHead
    /// The requested objects. `nil` stands for a missing object.
    public var objects: [ObjectName: MergedObject?] = [:]
    public var files: [FileIdent: FileRow] = [:]
    public var answers: [PartName: StoredAnswer] = [:]
    /// The requested answers, including missing ones.
    public var asked: Set<PartName> = []
    public var clocks: [StreamVersion: Clock] = [:]
    public var links: [LinkQuery: [ObjectName]] = [:]
    public var holders: [HolderQuery: [ObjectName]] = [:]
    /// The commits of copies, by running hashes.
    public var copies: [FileIdent: [RunningHash: CopiedCommit]] = [:]
    /// The number of bytes that each user's commits have added, minus those that they removed.
    public var users: [SyncString: UInt64] = [:]
    /// The hash at ``RowQuery/known``. Nil if the head is before that version.
    public var known: RunningHash?
}
