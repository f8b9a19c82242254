public import FreeholdEngine
public import FreeholdRealmWire
public import FreeholdSyncCore

/// The settings of a front end for official Realm clients.
public struct RealmFrontConfiguration: Sendable {
    /// The name of the app in the server's machine.
    public var app: SyncString
    /// The value of the stream that the clients receive, or `nil` for the app's own stream.
    public var stream: SyncValue?
    /// A closure that returns the classes of a schema version in the names of that version, or `unknown`.
    public var schema: @Sendable (_ version: UInt64) -> RealmSchemaAnswer
    /// A closure that returns the number of bytes of upload credit that a commit uses. The machine must use the same function.
    public var commitSize: @Sendable (Commit) -> UInt64 = { 64 + 64 * UInt64($0.changes.count) }
    /// A Boolean value that indicates whether the state of a file is stored before an entry is sent, so that a restarted server can
    /// continue from it. If it is false, the server writes changed objects as a whole after a restart.
    public var storesQueues = true
    public var limits = RealmFrontLimits()

    public init(
        app: SyncString,
        stream: SyncValue? = nil,
        schema: @escaping @Sendable (_ version: UInt64) -> RealmSchemaAnswer
    ) {
        (self.app, self.stream, self.schema) = (app, stream, schema)
    }
}

/// The classes of a schema version.
public enum RealmSchemaAnswer: Sendable {
    case tables([FreeholdEngine.TableSpec])
    /// No version has this number. The client receives the error 235.
    case unknown
}

/// The maximum sizes that a front end keeps for one connection.
public struct RealmFrontLimits: Hashable, Sendable {
    /// The maximum number of sessions of a connection.
    public var sessions = 64
    /// The size of waiting uploads, in bytes, above which the caller should stop reading the connection: see `RealmFront.isFull`.
    public var uploadBytes = 8 << 20
    /// The size of a session's queue, in bytes, above which the session receives no changes until its client has integrated some. At four times this
    /// size, an upload leads to a client reset.
    public var queueBytes = 8 << 20
    /// The maximum size of the changesets that become commits together, in bytes.
    public var batchBytes = 4 << 20
    /// The maximum number of kept objects up to which a session keeps objects that leave the view in a bootstrap.
    public var keptObjects = 20_000
    /// The maximum number of objects in one request.
    public var fetchedObjects = 5_000
    /// The maximum number of messages that wait while a session is being bound.
    public var waitingMessages = 1_000
    /// The maximum size of the data that the machine may send before the connection has written earlier data, in bytes.
    public var downloadBytes: UInt64 = 4 << 20
    public var wire = WireLimits.usual

    public init() {}
}

/// An action that a front end requests. The caller executes actions in their order.
public enum RealmFrontAction: Sendable {
    /// One binary frame to the client.
    case send([UInt8])
    /// A message to the server's machine, and its size.
    case pass(ClientMessage, bytes: UInt64)
    /// The end of the connection, with the code of the close frame: 4001 lets the client renew its token, 4003 lets it look for the server
    /// again, 1002 reports a message that can't be read, and 1009 is a client reset.
    case close(code: UInt16)
    /// A line for the server's log. It contains no values and no tokens.
    case log(RealmFrontLog)
}

/// A line for the server's log.
public struct RealmFrontLog: Hashable, Sendable {
    public enum Level: Hashable, Sendable {
        case debug
        case info
        case warning
    }

    public var level: Level
    public var text: String
    /// The number of the session on its connection, or `nil`.
    public var session: UInt64?

    public init(_ level: Level, _ text: String, session: UInt64? = nil) {
        (self.level, self.text, self.session) = (level, text, session)
    }
}

/// The reason why the server ends a connection.
public enum RealmEndReason: Hashable, Sendable {
    /// The token has expired, or its log-in has ended.
    case tokenExpired
    /// The server ends, or the user is served elsewhere.
    case movedAway
    /// The client sends nothing, or receives too slowly.
    case idle
    /// A message is too large.
    case tooLarge
}

/// The state of a session, for administrators.
public struct RealmSessionReport: Hashable, Sendable {
    /// The number of the session on its connection.
    public var session: UInt64
    /// The number of the file, or `nil` if it has none yet.
    public var file: FileIdent?
    /// The name and version of the client's SDK.
    public var agent: String?
    public var schemaVersion: UInt64
    /// The number of changesets that the client uploaded.
    public var uploads: UInt64 = 0
    /// The number of entries that were sent after uploads because the server's merge had another result than the client's.
    public var repairs: UInt64 = 0
    /// The objects that were written as a whole.
    public var absoluteRepairs: UInt64 = 0
    /// The number of cases in which the prediction of the client's state was contradictory.
    public var contradictions: UInt64 = 0
    /// The number of groups of uploads of which the server refused at least one change.
    public var refusals: UInt64 = 0
    /// The number of entries that the client hasn't integrated yet.
    public var queued = 0
    public var keptBytes = 0
}
