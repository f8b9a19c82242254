/// Opens a session: which file wants what, and what it has.
public struct Bind: Hashable, Sendable {
    public var app: SyncString
    /// The value of the app's stream field. Nil if the app has one stream.
    public var stream: SyncValue?
    /// Nil until the server gave the file one.
    public var file: FileIdentity?
    public var schema: SchemaClaim
    /// Nil if the file has nothing yet.
    public var cursor: Cursor?
    /// The view that the file's state is of, as the server called it.
    public var view: UInt64?
    /// The version of the last `queries` that the server answered with a bootstrap's end; 0 for none.
    public var queryVersion: UInt64
    public var journal: JournalRange
    /// The least version that unsent work can name. Nil if there is no such work.
    public var leastBase: StreamVersion?
    /// The objects with pending work and the versions of them that the client holds: bootstraps send these as differences.
    public var held: [HeldObject]
    /// Where a bootstrap was when the connection was lost.
    public var bootstrap: BootstrapPosition?
    /// The view that was to come by it.
    public var bootstrapView: UInt64?

    /// The server's history was another one than the file's, which starts anew: `journal` names all commits that the file still has, answered
    /// or not, and `bound` says which of them the server knows, be it by a fork.
    public var isReset = false

    /// What the file keeps of a message that came in parts. The server goes on behind it, if it still has that message.
    public var partial: PartialMessage?

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

/// A file's number and the secret that proves it.
public struct FileIdentity: Hashable, Sendable {
    public let ident: FileIdent
    public let secret: FileSecret

    public init(ident: FileIdent, secret: FileSecret) {
        self.ident = ident
        self.secret = secret
    }
}

/// 128 random bits. It prints as dots.
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

/// The schema that a file has.
public struct SchemaClaim: Hashable, Sendable {
    public var version: UInt64
    /// Of the documents. Equal hashes are equal schemas.
    public var hash: RunningHash
    /// The documents themselves, if the server asked for them.
    public var documents: [SchemaDocument]

    public init(version: UInt64, hash: RunningHash, documents: [SchemaDocument] = []) {
        self.version = version
        self.hash = hash
        self.documents = documents
    }
}

/// The JSON document of a class (sync-design.md, section 11).
public struct SchemaDocument: Hashable, Sendable {
    public let className: SyncString
    public let json: SyncString

    public init(className: SyncString, json: SyncString) {
        self.className = className
        self.json = json
    }
}

/// The commits that a file has in its journal behind the last one whose answer it knows, and what they are.
///
/// The server compares the hashes with those of the commits that it has. If one differs, the file was copied or restored from a
/// backup.
public struct JournalRange: Hashable, Sendable {
    /// The number of the last commit whose answer the file knows; 0 for none.
    public var acknowledged: UInt64
    /// The running hash up to that commit.
    public var hash: RunningHash
    /// The running hashes up to each of the commits behind it, or up to the first ``mostPending`` of them.
    public var pending: [RunningHash]

    /// The most hashes of a range. Fewer commits than these can be on their way at once; a file that waits with more names the others later.
    public static let mostPending = 100_000

    public init(acknowledged: UInt64 = 0, hash: RunningHash = .empty, pending: [RunningHash] = []) {
        self.acknowledged = acknowledged
        self.hash = hash
        self.pending = pending
    }
}

/// An object and the version of it that a client holds.
public struct HeldObject: Hashable, Sendable {
    public let name: ObjectName
    public let version: StreamVersion

    public init(name: ObjectName, version: StreamVersion) {
        self.name = name
        self.version = version
    }

    /// The most objects that a message names. The server sends objects that aren't named whole.
    public static let mostNamed = 100_000

    /// The bytes that the object takes in a message, at most.
    var estimatedSize: UInt64 {
        switch name.key {
        case .string(let text): 24 + UInt64(text.string.utf8.count)
        case .null, .int, .objectId, .uuid: 40
        }
    }
}

extension [HeldObject] {
    /// Returns the first objects, as many as a message may name.
    ///
    /// A session doesn't need the others: a bootstrap sends an object that isn't named whole, or by its version only. The client fetches an
    /// object of which it holds another version.
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

/// The answer to `bind`. Next comes an `ack` for the commits that the server has and whose answers the file doesn't know.
public struct Bound: Hashable, Sendable {
    /// What the file is from here on. Nil if it stays what it said.
    public var file: FileIdentity?
    public var schema: SchemaVerdict
    public var epoch: UInt64
    /// The number of the file's last commit that the server has; 0 for none.
    public var acknowledged: UInt64
    /// The file was copied, and goes on under a new ident.
    public var fork: Fork?

    /// Commits with an earlier base come with the lists that they are about (`Upload.oldLists`).
    public var horizon: StreamVersion = 0
    public var start: Start

    /// What the server keeps of a commit that comes in parts. The client goes on behind it.
    public var staged: PartialMessage?

    public enum Start: Hashable, Sendable {
        /// `changes` follow, from the client's cursor on. The sums are of the state at that cursor, if the server can tell.
        case resume(Checksums?)
        /// `bootstrapBegin` follows.
        case bootstrap
        /// Nothing follows until the client sends `queries`, or binds again with the schema's documents.
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

/// Where the work of two copies of a file parts.
public struct Fork: Hashable, Sendable {
    /// The last commit that both have. The file's later ones are numbered from 1 under the new ident. If the file was reset, it is 0 too if
    /// the server has none of the commits that the file named.
    public let common: UInt64
    /// The answers to those up to it that the file doesn't know. After this, numbers are those of the new ident.
    public let answers: Ack?

    public init(common: UInt64, answers: Ack? = nil) {
        self.common = common
        self.answers = answers
    }
}

public enum SchemaVerdict: Hashable, Sendable {
    case accepted
    /// The server doesn't know the hash: the client binds again, with the documents.
    case documentsNeeded
    /// The app's schema hasn't this. The session can't go on.
    case refused([SchemaProblem])
}

public struct SchemaProblem: Hashable, Sendable {
    public let className: SyncString
    /// Nil if it is about the class.
    public let property: SyncString?
    public let text: SyncString

    public init(className: SyncString, property: SyncString? = nil, text: SyncString) {
        self.className = className
        self.property = property
        self.text = text
    }
}
