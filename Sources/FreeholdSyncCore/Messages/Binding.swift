/// The request that opens a session. It describes the file and its state.
public struct Bind: Hashable, Sendable {
    public var app: SyncString
    /// The value of the app's stream field. `nil` if the app has one stream.
    public var stream: SyncValue?
    /// The identity of the file. `nil` until the server has given it one.
    public var file: FileIdentity?
    public var schema: SchemaClaim
    /// The position of the file in the stream. `nil` if the file has no data yet.
    public var cursor: Cursor?
    /// The view of which the file has the state, as the server named it.
    public var view: UInt64?
    /// The version of the last `queries` for which the file received the end of a bootstrap. 0 if there is none.
    public var queryVersion: UInt64
    public var journal: JournalRange
    /// The least version that unsent work can name. `nil` if there is no such work.
    public var leastBase: StreamVersion?
    /// The objects with pending work, and the versions of them that the client has. Bootstraps send these objects as
    /// differences.
    public var held: [HeldObject]
    /// The last position of a bootstrap that was interrupted by the end of the connection.
    public var bootstrap: BootstrapPosition?
    /// The view of that bootstrap.
    public var bootstrapView: UInt64?

    /// A Boolean value that indicates whether the file resets because the server has another history. Then `journal`
    /// names all commits that the file still has, answered or not, and `bound` reports which of them the server has,
    /// possibly as a fork.
    public var isReset = false

    /// The beginning of a message that the file received in parts. The server continues the message if it still has it.
    public var partial: PartialMessage?

    /// The state of a file of another protocol. Only front ends of the server set it. It is never sent.
    public var front: FrontBind?

    public init(
        app: SyncString,
        stream: SyncValue? = nil,
        file: FileIdentity? = nil,
        schema: SchemaClaim,
        cursor: Cursor? = nil,
        view: UInt64? = nil,
        queryVersion: UInt64 = 0,
        journal: JournalRange = JournalRange(),
        leastBase: StreamVersion? = nil,
        held: [HeldObject] = [],
        bootstrap: BootstrapPosition? = nil
    ) {
        self.app = app
        self.stream = stream
        self.file = file
        self.schema = schema
        self.cursor = cursor
        self.view = view
        self.queryVersion = queryVersion
        self.journal = journal
        self.leastBase = leastBase
        self.held = held
        self.bootstrap = bootstrap
    }
}

/// The number of a file, with the secret that proves it.
public struct FileIdentity: Hashable, Sendable {
    public let ident: FileIdent
    public let secret: FileSecret

    public init(ident: FileIdent, secret: FileSecret) {
        self.ident = ident
        self.secret = secret
    }
}

/// A secret of 128 random bits. Its description shows only dots.
public struct FileSecret: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    public var description: String { "…" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The schema of a file.
public struct SchemaClaim: Hashable, Sendable {
    public var version: UInt64
    /// The hash of the documents. Schemas with equal hashes are equal.
    public var hash: RunningHash
    /// The documents, if the server requested them.
    public var documents: [SchemaDocument]

    public init(version: UInt64, hash: RunningHash, documents: [SchemaDocument] = []) {
        self.version = version
        self.hash = hash
        self.documents = documents
    }
}

/// The JSON document of a class's schema (sync-design.md, section 11).
public struct SchemaDocument: Hashable, Sendable {
    public let className: SyncString
    public let json: SyncString

    public init(className: SyncString, json: SyncString) {
        self.className = className
        self.json = json
    }
}

/// The commits in a file's journal after the last one whose answer the file has, described by their hashes.
///
/// The server compares the hashes with those of its own commits. If a hash differs, the file was copied or restored
/// from a backup.
public struct JournalRange: Hashable, Sendable {
    /// The number of the last commit whose answer the file has. 0 if there is none.
    public var acknowledged: UInt64
    /// The running hash up to that commit.
    public var hash: RunningHash
    /// The running hashes up to each of the later commits, or up to the first ``mostPending`` of them.
    public var pending: [RunningHash]

    /// The maximum number of hashes of a range. Fewer commits can have been sent without an answer. A file with more
    /// unanswered commits sends the other hashes at a later bind.
    public static let mostPending = 100_000

    public init(acknowledged: UInt64 = 0, hash: RunningHash = .empty, pending: [RunningHash] = []) {
        self.acknowledged = acknowledged
        self.hash = hash
        self.pending = pending
    }
}

/// An object, and the version of it that a client has.
public struct HeldObject: Hashable, Sendable {
    public let name: ObjectName
    public let version: StreamVersion

    public init(name: ObjectName, version: StreamVersion) {
        self.name = name
        self.version = version
    }

    /// The maximum number of objects that a message names. The server sends all other objects as a whole.
    public static let mostNamed = 100_000

    /// The maximum number of bytes of the object in a message.
    var estimatedSize: UInt64 {
        switch name.key {
        case .string(let text): 24 + UInt64(text.string.utf8.count)
        case .null, .int, .objectId, .uuid: 40
        }
    }
}

extension [HeldObject] {
    /// Returns the first objects, up to the limits of a message.
    ///
    /// A session works without the other objects: a bootstrap sends an object that isn't named as a whole or by its
    /// version, and a client that has another version of it fetches the object.
    func named(most count: Int, upTo bytes: UInt64) -> [HeldObject] {
        var size: UInt64 = 0
        return Array(
            prefix(Swift.max(count, 0)).prefix { object in
                size += object.estimatedSize
                return size <= bytes
            }
        )
    }
}

/// The answer to `bind`. It is followed by an `ack` for the commits that the server has and whose answers the file
/// doesn't have.
public struct Bound: Hashable, Sendable {
    /// The new identity of the file. `nil` if the file keeps its identity.
    public var file: FileIdentity?
    public var schema: SchemaVerdict
    public var epoch: UInt64
    /// The number of the file's last commit that the server has. 0 if there is none.
    public var acknowledged: UInt64
    /// The fork, if the file is a copy and continues under a new ident.
    public var fork: Fork?

    /// The server's horizon. A commit with an earlier base is sent with the lists that it is about (`Upload.oldLists`).
    public var horizon: StreamVersion = 0
    public var start: Start

    /// The beginning of a commit that the server received in parts. The client continues after it.
    public var staged: PartialMessage?

    /// The row of a file of another protocol. It is never sent.
    public var front: FrontRow?

    public enum Start: Hashable, Sendable {
        /// `changes` follow, beginning at the client's cursor. The checksums are those of the state at that cursor, if
        /// the server has them.
        case resume(Checksums?)
        /// `bootstrapBegin` follows.
        case bootstrap
        /// Nothing follows until the client sends `queries`, or binds again with the documents of its schema.
        case nothing
    }

    public init(
        file: FileIdentity? = nil,
        schema: SchemaVerdict,
        epoch: UInt64,
        acknowledged: UInt64,
        fork: Fork? = nil,
        start: Start
    ) {
        self.file = file
        self.schema = schema
        self.epoch = epoch
        self.acknowledged = acknowledged
        self.fork = fork
        self.start = start
    }
}

/// The commit up to which two copies of a file are equal.
public struct Fork: Hashable, Sendable {
    /// The last commit that both copies have. The later commits of the file are numbered from 1 under the new ident. It
    /// is also 0 if the file was reset and the server has none of its commits.
    public let common: UInt64
    /// The answers that the file doesn't have to commits up to `common`. All numbers after this message are those of
    /// the new ident.
    public let answers: Ack?

    public init(common: UInt64, answers: Ack? = nil) {
        self.common = common
        self.answers = answers
    }
}

public enum SchemaVerdict: Hashable, Sendable {
    case accepted
    /// The server doesn't have a schema with this hash. The client has to bind again with the documents.
    case documentsNeeded
    /// The app's schema doesn't contain these classes or properties. The session can't continue.
    case refused([SchemaProblem])
}

public struct SchemaProblem: Hashable, Sendable {
    public let className: SyncString
    /// The property, or `nil` if the problem is about the class.
    public let property: SyncString?
    public let text: SyncString

    public init(className: SyncString, property: SyncString? = nil, text: SyncString) {
        self.className = className
        self.property = property
        self.text = text
    }
}
