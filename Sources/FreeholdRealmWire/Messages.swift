/// A message of an official client.
public enum RealmClientMessage: Hashable, Sendable {
    case bind(Bind)
    case ident(Ident)
    case query(session: UInt64, version: Int64, queries: [ClassQuery])
    case upload(Upload)
    case mark(session: UInt64, number: UInt64)
    case unbind(session: UInt64)
    /// `timestamp` is returned in the answer. `roundTrip` is the last round trip in milliseconds, or 0.
    case ping(timestamp: UInt64, roundTrip: UInt64)
    /// The client couldn't integrate a download. It sends nothing afterwards.
    case error(session: UInt64, code: Int, message: String)

    /// The start of a session. The client chooses its number, which isn't 0.
    public struct Bind: Hashable, Sendable {
        public var session: UInt64
        /// A Boolean value that indicates whether the file has no ident yet.
        public var needsIdent: Bool
        /// The version of the schema. Versions of the protocol below 11 don't have it.
        public var schemaVersion: Int64?
        /// The reason for the session: 0 for a normal session, or 1 for a client reset. Versions of the protocol below 10 don't have it.
        public var reason: Int64?
        /// The bytes of a signed token. Empty if the token is in the address of the connection.
        public var token: [UInt8] = []

        public init(session: UInt64, needsIdent: Bool, schemaVersion: Int64? = nil, reason: Int64? = nil) {
            self.session = session
            self.needsIdent = needsIdent
            self.schemaVersion = schemaVersion
            self.reason = reason
        }
    }

    /// The identity and the progress of a file.
    public struct Ident: Hashable, Sendable {
        public var session: UInt64
        public var file: RealmFileIdent
        public var download: DownloadCursor
        public var latest: LatestVersion
        public var queryVersion: Int64
        public var queries: [ClassQuery]

        public init(
            session: UInt64,
            file: RealmFileIdent,
            download: DownloadCursor,
            latest: LatestVersion,
            queryVersion: Int64,
            queries: [ClassQuery]
        ) {
            self.session = session
            self.file = file
            self.download = download
            self.latest = latest
            self.queryVersion = queryVersion
            self.queries = queries
        }
    }

    /// Changesets of the client, and its progress.
    public struct Upload: Hashable, Sendable {
        public var session: UInt64
        /// The client's version up to which it has uploaded, and the server's version that it had integrated at this version.
        public var progress: UploadCursor
        /// The server's version from which the client needs the history.
        public var lockedServer: UInt64
        public var entries: [UploadEntry]

        public init(session: UInt64, progress: UploadCursor, lockedServer: UInt64, entries: [UploadEntry]) {
            self.session = session
            self.progress = progress
            self.lockedServer = lockedServer
            self.entries = entries
        }
    }

    /// The number of the session, or 0 for a message of the connection.
    public var session: UInt64 {
        switch self {
        case .bind(let bind): bind.session
        case .ident(let ident): ident.session
        case .upload(let upload): upload.session
        case .query(let session, _, _), .mark(let session, _), .unbind(let session), .error(let session, _, _): session
        case .ping: 0
        }
    }
}

/// A message of a server.
public enum RealmServerMessage: Hashable, Sendable {
    case ident(session: UInt64, file: RealmFileIdent)
    case download(Download)
    case mark(session: UInt64, number: UInt64)
    case unbound(session: UInt64)
    case pong(timestamp: UInt64)
    case error(ServerError)
    case queryError(session: UInt64, code: Int, version: Int64, message: String)
    /// A line for the client's log. Versions of the protocol below 10 don't have it.
    case log(session: UInt64, level: String, message: String, coID: String)

    /// Changesets for the client, and its progress.
    public struct Download: Hashable, Sendable {
        public enum Batch: Int, Hashable, Sendable {
            /// A part of a bootstrap. More follow.
            case more = 0
            /// The last part of a bootstrap.
            case last = 1
            /// Changes after the bootstrap.
            case steady = 2
        }

        public var session: UInt64
        public var download: DownloadCursor
        public var latest: LatestVersion
        /// The acknowledgement of the client's changesets up to its version. A server version of 0 means that the server version is unknown.
        public var upload: UploadCursor
        public var queryVersion: Int64
        public var batch: Batch
        /// The progress of a bootstrap from 0 to 1. Versions of the protocol below 12 only have 0 and 1.
        public var progress: Double
        public var entries: [DownloadEntry]

        public init(
            session: UInt64,
            download: DownloadCursor,
            latest: LatestVersion,
            upload: UploadCursor,
            queryVersion: Int64,
            batch: Batch,
            progress: Double,
            entries: [DownloadEntry]
        ) {
            self.session = session
            self.download = download
            self.latest = latest
            self.upload = upload
            self.queryVersion = queryVersion
            self.batch = batch
            self.progress = progress
            self.entries = entries
        }
    }

    public var session: UInt64 {
        switch self {
        case .download(let download): download.session
        case .error(let error): error.session
        case .ident(let session, _), .mark(let session, _), .unbound(let session), .queryError(let session, _, _, _),
            .log(let session, _, _, _):
            session
        case .pong: 0
        }
    }
}

/// The condition of a class in a set of subscriptions.
public struct ClassQuery: Hashable, Sendable {
    public var table: String
    /// The text of the query, in Realm's query language.
    public var text: String

    public init(table: String, text: String) {
        self.table = table
        self.text = text
    }
}

/// The ident of a file, and the secret that proves it.
public struct RealmFileIdent: Hashable, Sendable {
    public var ident: UInt64
    public var salt: Int64

    public init(ident: UInt64, salt: Int64) {
        self.ident = ident
        self.salt = salt
    }
}

/// The server's version that a client has integrated, and the client's version that the server had integrated at this version.
public struct DownloadCursor: Hashable, Sendable {
    public var server: UInt64
    public var client: UInt64

    public init(server: UInt64, client: UInt64) {
        self.server = server
        self.client = client
    }
}

/// The client's version up to which changes were uploaded, and the server's version that the client had integrated at this version.
public struct UploadCursor: Hashable, Sendable {
    public var client: UInt64
    public var server: UInt64

    public init(client: UInt64, server: UInt64) {
        self.client = client
        self.server = server
    }
}

/// The newest version of the server, and the salt of its history.
public struct LatestVersion: Hashable, Sendable {
    public var version: UInt64
    public var salt: Int64

    public init(version: UInt64, salt: Int64) {
        self.version = version
        self.salt = salt
    }
}

/// A changeset on its way to the server.
public struct UploadEntry: Hashable, Sendable {
    public var clientVersion: UInt64
    /// The base: the server's version that the client had integrated.
    public var serverVersion: UInt64
    /// Milliseconds since 2015-01-01 00:00 UTC.
    public var timestamp: UInt64
    /// The file that made the changeset, or 0 for the file of the session.
    public var origin: UInt64
    /// The bytes of the changeset: see `Changeset`.
    public var changeset: [UInt8]

    public init(clientVersion: UInt64, serverVersion: UInt64, timestamp: UInt64, origin: UInt64 = 0, changeset: [UInt8])
    {
        self.clientVersion = clientVersion
        self.serverVersion = serverVersion
        self.timestamp = timestamp
        self.origin = origin
        self.changeset = changeset
    }
}

/// A changeset on its way to a client.
public struct DownloadEntry: Hashable, Sendable {
    public var serverVersion: UInt64
    /// The client's version up to which its changes are in the base.
    public var clientVersion: UInt64
    public var timestamp: UInt64
    public var origin: UInt64
    /// The number of bytes before a compaction.
    public var originalSize: UInt64
    public var changeset: [UInt8]

    public init(
        serverVersion: UInt64,
        clientVersion: UInt64,
        timestamp: UInt64 = 1,
        origin: UInt64 = 1,
        originalSize: UInt64 = 0,
        changeset: [UInt8]
    ) {
        self.serverVersion = serverVersion
        self.clientVersion = clientVersion
        self.timestamp = timestamp
        self.origin = origin
        self.originalSize = originalSize
        self.changeset = changeset
    }
}

/// An error that ends a session or a connection, or reports refused changes.
public struct ServerError: Hashable, Sendable {
    /// The session, or 0 for an error of the connection.
    public var session: UInt64
    public var code: Int
    public var message: String
    public var tryAgain: Bool
    public var action: String
    public var logURL: String = ""
    public var shouldClientReset: Bool = false
    public var isRecoveryModeDisabled: Bool = false
    /// The refused changes, for code 231.
    public var compensation: Compensation?
    /// The schema version of the file, for code 236.
    public var previousSchemaVersion: Int64?

    /// The objects of which changes were refused.
    public struct Compensation: Hashable, Sendable {
        public var serverVersion: UInt64
        public var clientVersion: UInt64
        public var updates: [Update]

        public struct Update: Hashable, Sendable {
            public var reason: String
            public var object: WireObject

            public init(reason: String, object: WireObject) {
                self.reason = reason
                self.object = object
            }
        }

        public init(serverVersion: UInt64, clientVersion: UInt64, updates: [Update]) {
            self.serverVersion = serverVersion
            self.clientVersion = clientVersion
            self.updates = updates
        }
    }

    public init(session: UInt64, code: Int, message: String, tryAgain: Bool, action: String) {
        self.session = session
        self.code = code
        self.message = message
        self.tryAgain = tryAgain
        self.action = action
    }
}
