/// The name of a stream: an app, and the value of its stream field (sync-design.md, section 8). All stored data belongs
/// to a stream.
public struct StreamName: Hashable, Sendable {
    public let app: SyncString
    /// The value of the stream field. `nil` if the app has one stream.
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
    /// The hash of the log up to the version.
    public var hash: RunningHash
    /// The greatest effective clock of the stream.
    public var clock: Clock
    /// The greatest time that any node has used so far, in milliseconds since 2015-01-01.
    public var now: Int64
    /// The version before which no deleted data is stored.
    public var horizon: StreamVersion
    /// The version after which the log contains all commits.
    public var logStart: StreamVersion

    public init(epoch: UInt64) {
        self.epoch = epoch
        (version, hash, clock, now, horizon, logStart) = (0, .empty, .zero, 0, 0, 0)
    }

    public var cursor: Cursor { Cursor(epoch: epoch, version: version, hash: hash) }
}

/// A commit in the log.
///
/// Before-images are whole objects. Together with the present rows, they give the state at each version that the log
/// contains. A bootstrap therefore reads a fixed version without an open snapshot.
public struct LogEntry: Sendable {
    public let version: StreamVersion
    public let hash: RunningHash
    /// The greatest effective clock of the stream at the version.
    public let clock: Clock
    /// The server's time at the commit, in milliseconds since 2015-01-01.
    public let time: Int64
    /// The file and the number of the commit.
    public let author: PartName
    public let changes: [BeforeImage]
}

/// The state of an object before a commit changed it. `object` is `nil` if the object didn't exist.
public struct BeforeImage: Sendable {
    public let name: ObjectName
    public let object: MergedObject?
}

/// A file that has been bound, or the file of a stream's submissions, whose user is empty. The row is stored for ever, unless the file never
/// uploaded anything (see `trimFiles`) or is an old file of submissions (see `trimWriters`).
public struct FileRow: Hashable, Sendable {
    public let ident: FileIdent
    public let user: SyncString
    public let secret: SecretHash
    /// The files from which the file was copied, and files whose commits it shares because both were copied from one
    /// file. The last one is first.
    public var parents: [FileParent]
    /// The number of the last commit, the running hash up to it, and its effective clock.
    public var last: UInt64 = 0
    public var hash: RunningHash = .empty
    public var clock: Clock = .zero
    /// The least version that unsent work can name, according to the last report.
    public var leastBase: StreamVersion?
    /// The time of the last bind, in milliseconds since 2015-01-01.
    public var time: Int64 = 0
    /// The query set whose bootstrap the file has, and the one that it will receive next.
    public var subscribed: Queries?
    public var pending: Queries?
    /// The classes of which the file may have objects: those of all sets since the last complete one.
    public var classes: Set<SyncString> = []
    /// The version of the commit that wrote the bytes of a front end, and these bytes. Empty for a file of a Freehold client.
    public var front: [UInt8] = []
}

extension FileRow {
    /// Returns a Boolean value that indicates whether the row is that of submissions of an earlier life of a server, or of an import.
    package func isOldWriter(keeping secret: SecretHash) -> Bool {
        user == "" && self.secret != secret && parents.isEmpty
    }
}

/// A file from which another one was copied.
public struct FileParent: Hashable, Sendable {
    public let ident: FileIdent

    /// The version of the stream up to which both files have the same commits. 0 if they have no commit in common. Then the number only leads
    /// to other copies of that file, which may have sent the same work.
    public let version: StreamVersion

    public init(ident: FileIdent, version: StreamVersion) {
        self.ident = ident
        self.version = version
    }
}

/// A commit that another copy of the file has already sent.
public struct CopiedCommit: Hashable, Sendable {
    public let ident: FileIdent
    public let answer: StoredAnswer

    public init(_ ident: FileIdent, _ answer: StoredAnswer) { (self.ident, self.answer) = (ident, answer) }
}

/// The answer to a commit. It is stored until the horizon, because a copy of the file may send the commit again. The
/// last answer is stored for ever.
public struct StoredAnswer: Hashable, Sendable {
    public let answer: MergeAnswer
    /// The running hash of the file's commits up to this one.
    public let hash: RunningHash
}

/// The changes between two versions, with the states of each changed object before and after them.
public struct StreamStep: Sendable {
    public var from: Cursor
    public var to: Cursor
    /// The greatest effective clock at `to`.
    public var clock: Clock
    public var objects: [ObjectStep]
    /// The commits of the step by rising versions, with the answers to them.
    public var commits: [StepCommit] = []
    /// The version up to which the objects are trimmed. A client with an older version must receive whole objects. It
    /// can be later than the horizon that a machine has read.
    public var horizon: StreamVersion
    /// The stream's head when the step was read. Nil for a step that wasn't read from the store: then the step ends at the newest head that
    /// its maker knows.
    public var head: StreamHead?
}

/// A commit of a step: the file that made it, and the answer to it.
public struct StepCommit: Hashable, Sendable {
    public let ident: FileIdent
    /// The commit's number, version, effective clock and refusals, and the running hash of the file's commits up to it.
    public let stored: StoredAnswer

    public init(_ ident: FileIdent, _ stored: StoredAnswer) { (self.ident, self.stored) = (ident, stored) }

    public var number: UInt64 { stored.answer.commit }
}

public struct ObjectStep: Sendable {
    public let name: ObjectName
    public let before: MergedObject?
    public let after: MergedObject?
}

/// The live objects of a class in a range of keys, in the state of a version.
public struct ObjectPage: Sendable {
    public var objects: [(name: ObjectName, object: MergedObject)]
    /// A Boolean value that indicates whether the class has no further objects.
    public var isLast: Bool
    /// The version up to which the objects are trimmed, as in a step.
    public var horizon: StreamVersion
    /// The last key that was read, if the page ends before the last requested key. `nil` for a page of all objects.
    public var through: PrimaryKey?

    /// The size in bytes of memory after which a page ends. The last object may exceed it.
    public static let mostBytes = 1 << 20

    /// Ends the page after a number of objects, or after the object that reaches the maximum size.
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
    /// The size of objects in bytes after which a step of several commits ends. The last commit may exceed it.
    public static let mostBytes = 4 << 20
    /// The sum of the weights of further commits that a step with too many bytes takes if they change only objects that the step has. Without
    /// them, each of many commits on one large object would be a step with that object.
    public static let mostFurtherWeight = 64 * 8

    /// Returns the weight of a further commit. The before-images of long lists are mostly stored as differences, and cost less to read.
    ///
    /// - Parameters:
    ///   - objects: The objects of the commit, as they were before the step.
    ///   - bytes: The bytes of the before-images that were read. 0 if none were read.
    public static func weight(ofFurther objects: some Sequence<MergedObject?>, bytes: Int) -> Int {
        guard bytes <= 64 << 10 else { return 8 }
        return objects.allSatisfy { $0?.hasList(ofAtLeast: MergedObject.longList) ?? false } ? 1 : 8
    }
}

/// A transaction that stores commits.
public struct StoreCommit: Sendable {
    /// The expected head. If the store has another head, it stores nothing.
    public var expected: StreamHead
    public var head: StreamHead
    public var entries: [LogEntry] = []
    /// The changed objects. Each name occurs once.
    public var objects: [(name: ObjectName, object: MergedObject)] = []
    public var ingested: [ObjectName: [NewField]] = [:]
    public var files: [FileIdent: FileRow] = [:]
    public var answers: [FileIdent: [StoredAnswer]] = [:]
    /// The parts that have become whole commits.
    public var finishedParts: [PartName] = []
    /// The number of bytes that the commits add to each user. It is negative if they remove bytes. Empty without a
    /// quota.
    public var growth: [SyncString: Int64] = [:]

    /// Returns a Boolean value that indicates whether the stored files are those that the commit expects. A store that was restored to an earlier
    /// state may have assigned a file's number to another file, although its head is the expected one. So the secret and the number of the last
    /// commit are compared.
    /// - Parameter stored: Returns the secret of a stored file and the number of its last commit, or `nil` if it doesn't exist.
    package func fits(_ stored: (FileIdent) throws -> (secret: SecretHash, last: UInt64)?) rethrows -> Bool {
        try Set(files.keys).union(answers.keys).allSatisfy { ident in
            guard let row = try stored(ident) else { return false }
            if let file = files[ident], file.secret != row.secret { return false }
            return answers[ident]?.first.map { row.last == $0.answer.commit &- 1 } ?? true
        }
    }
}

/// The name of a commit, or of the parts of a split commit.
public struct PartName: Hashable, Sendable {
    public let ident: FileIdent
    public let commit: UInt64
}
