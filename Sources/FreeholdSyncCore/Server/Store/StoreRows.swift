/// Names a stream: an app, and the value of its stream field (sync-design.md, section 8). All that a server stores belongs to one.
public struct StreamName: Hashable, Sendable {
    public let app: SyncString
    /// Nil if the app has one stream.
    public let value: SyncValue?

    public init(app: SyncString, value: SyncValue? = nil) {
        self.app = app
        self.value = value
    }
}

/// The row whose update orders the commits of a stream.
public struct StreamHead: Hashable, Sendable {
    public var epoch: UInt64
    public var version: StreamVersion
    /// Of the log up to the version.
    public var hash: RunningHash
    /// The greatest effective clock.
    public var clock: Clock
    /// The greatest time that any node ever took for the present.
    public var now: Int64
    /// Behind this version nothing dead is kept.
    public var horizon: StreamVersion
    /// The log holds the commits behind this version.
    public var logStart: StreamVersion

    public init(epoch: UInt64) {
        self.epoch = epoch
        (version, hash, clock, now, horizon, logStart) = (0, .empty, .zero, 0, 0, 0)
    }

    public var cursor: Cursor { Cursor(epoch: epoch, version: version, hash: hash) }
}

/// One commit in the log.
///
/// Before-images are whole objects: with the rows of today they give the state at every version that the log reaches. So a bootstrap is
/// pinned to a version without a snapshot that somebody has to hold open.
public struct LogEntry: Sendable {
    public let version: StreamVersion
    public let hash: RunningHash
    /// The greatest effective clock up to the version.
    public let clock: Clock
    /// The server's time.
    public let time: Int64
    /// Whose commit it is.
    public let author: PartName
    public let changes: [BeforeImage]
}

/// What an object was before a commit changed it. Nil if there was none.
public struct BeforeImage: Sendable {
    public let name: ObjectName
    public let object: MergedObject?
}

/// A file that was bound once. It is kept for ever.
public struct FileRow: Hashable, Sendable {
    public let ident: FileIdent
    public let user: SyncString
    public let secret: SecretHash
    /// The files that it was copied from, and those whose commits were its own, too, since both were copied from one: the last one first.
    public var parents: [FileParent]
    /// The number of the last commit, the running hash up to it, and its effective clock.
    public var last: UInt64 = 0
    public var hash: RunningHash = .empty
    public var clock: Clock = .zero
    /// The least version that unsent work can name, as it was reported last.
    public var leastBase: StreamVersion?
    /// The time of the last bind.
    public var time: Int64 = 0
    /// The query set whose bootstrap the file has, and the one that it is about to get.
    public var subscribed: Queries?
    public var pending: Queries?
    /// The classes of which it may hold objects: those of every set since the last complete one.
    public var classes: Set<SyncString> = []
}

/// A file that another one was copied from.
public struct FileParent: Hashable, Sendable {
    public let ident: FileIdent

    /// What the file did up to this version of the stream, both did.
    public let version: StreamVersion

    public init(ident: FileIdent, version: StreamVersion) {
        self.ident = ident
        self.version = version
    }
}

/// A commit that a copy of a file sent before another one did.
public struct CopiedCommit: Hashable, Sendable {
    public let ident: FileIdent
    public let answer: StoredAnswer

    public init(_ ident: FileIdent, _ answer: StoredAnswer) { (self.ident, self.answer) = (ident, answer) }
}

/// The answer to a commit. It is kept until the horizon, since a copy of the file may send the commit once more; the last one for ever.
public struct StoredAnswer: Hashable, Sendable {
    public let answer: MergeAnswer
    /// The running hash of the file's commits up to it.
    public let hash: RunningHash
}

/// What changed between two versions: of each object what it was, and what it is.
public struct StreamStep: Sendable {
    public var from: Cursor
    public var to: Cursor
    /// The greatest effective clock at `to`.
    public var clock: Clock
    public var objects: [ObjectStep]
    /// The last commit of each file in it.
    public var authors: [FileIdent: UInt64] = [:]
    /// Up to where the objects are trimmed: whoever holds less must be told of whole ones. It can be later than the horizon that a machine knows.
    public var horizon: StreamVersion
}

public struct ObjectStep: Sendable {
    public let name: ObjectName
    public let before: MergedObject?
    public let after: MergedObject?
}

/// The objects of a class in a range of keys, as they were at a version. Dead ones aren't there.
public struct ObjectPage: Sendable {
    public var objects: [(name: ObjectName, object: MergedObject)]
    /// The class has no more.
    public var isLast: Bool
    /// Up to where the objects are trimmed, as in a step.
    public var horizon: StreamVersion
    /// The last key that was looked at, if the page ends before the last key that was asked for. Nil for a page of all objects.
    public var through: PrimaryKey?

    /// The bytes of objects, as they are in memory, behind which a page ends. The last object may exceed them.
    public static let mostBytes = 1 << 20

    /// Ends the page behind so many objects, or behind the object that reaches the most bytes.
    package mutating func cut(objects count: Int) {
        var bytes = 0
        let end = objects.firstIndex { object in
            bytes += object.object.estimatedBytes
            return bytes >= Self.mostBytes
        }
        let kept = min(count, end.map { $0 + 1 } ?? objects.count)
        guard kept < objects.count else { return }
        objects.removeLast(objects.count - kept)
        isLast = false
    }
}

extension StreamStep {
    /// The bytes of objects behind which a step of several commits ends. The last commit may exceed them.
    public static let mostBytes = 4 << 20
}

/// A transaction that takes commits in.
public struct StoreCommit: Sendable {
    /// The head must be this one, or nothing is done.
    public var expected: StreamHead
    public var head: StreamHead
    public var entries: [LogEntry] = []
    /// Each name once.
    public var objects: [(name: ObjectName, object: MergedObject)] = []
    public var ingested: [ObjectName: [NewField]] = [:]
    public var files: [FileIdent: FileRow] = [:]
    public var answers: [FileIdent: [StoredAnswer]] = [:]
    /// Parts that became whole commits.
    public var finishedParts: [PartName] = []
    /// The bytes that users' commits add, or remove if they are negative. Empty without a quota.
    public var growth: [SyncString: Int64] = [:]
}

/// Names a commit, or the parts of a split one.
public struct PartName: Hashable, Sendable {
    public let ident: FileIdent
    public let commit: UInt64
}
