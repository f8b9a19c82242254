/// What happens to a `ClientMachine`.
public enum ClientEvent: Hashable, Sendable {
    /// The first event. The file is open.
    case started
    /// The answer to `ClientAction.connect`.
    case connectionOpened
    /// There is no connection any more, or none came about.
    case connectionClosed
    /// A message arrived, which took so many bytes.
    case received(ServerMessage, bytes: UInt64)
    /// The network took bytes of a message, or brought some, while an answer of the server is outstanding. So the connection is alive, however
    /// long a message takes.
    case progressed
    /// Somebody committed to the file, in whatever process.
    case committed
    case subscribed([ClassQuery])
    /// The answer to `ClientAction.store`. Answers come in the order of the requests.
    case stored(StoreOutcome)
    case timer(ClientTimer)
    /// Asks for `ClientReport.reached`, once everything that is in the file now has been answered.
    case waitForUpload(UInt64)
    /// Asks for `ClientReport.reached`, once everything is in the file that the server has now.
    case waitForDownload(UInt64)
    /// A new token. The machine goes on if it lacked one.
    case token(AccessToken)
    /// The app wants no connection for a while.
    case suspended
    /// The app wants a connection, at once.
    case resumed
}

/// What a `ClientMachine` wants done, in order.
public enum ClientAction: Hashable, Sendable {
    case connect
    case send(ClientMessage)
    /// Close the connection. `connectionClosed` may follow or not.
    case close
    /// The timer fires at this time of the device. There is one of each kind: a new time replaces the old one.
    case setTimer(ClientTimer, at: Int64)
    case clearTimer(ClientTimer)
    /// A transaction of the file. `stored` is its answer. If it fails, the machine has to be made and started anew.
    case store(StoreRequest)
    case report(ClientReport)
}

public enum ClientTimer: Hashable, Sendable, CaseIterable {
    case reconnect
    /// Ask the server whether it is there; and give it up if it didn't answer.
    case ping
}

/// What an app may want to know.
public enum ClientReport: Hashable, Sendable {
    case connection(ConnectionState)
    /// Own changes that the server didn't do. The file shows what the server has; it keeps the content, too.
    case refused([Refusal])
    /// Own commits up to this one were answered.
    case uploaded(upTo: UInt64)
    /// The file has the stream up to here.
    case downloaded(StreamVersion)
    /// Objects of a bootstrap that came, and about how many there will be.
    case progress(objects: UInt64, of: UInt64)
    case querySet(QuerySet)
    /// What `waitForUpload` or `waitForDownload` with this number waited for.
    case reached(UInt64)
    /// The machine waits for the app: a token (`auth`), another schema or another version of the app. Others pass by themselves.
    case fault(SyncFault, text: SyncString)
    case schemaRefused([SchemaProblem])
    /// Classes that the file had wrong. They are being healed.
    case mismatch([SyncString])
    /// The server has another history of the stream: the app has to reset the file.
    case resetNeeded
    /// The file is about to be reset: it still shows what it showed before.
    case resetBegins
    /// The file was reset: it shows the new store's state and the work that was recovered. So many commits were set aside for the app.
    case wasReset(lost: Int)
    /// The file was used twice: this one goes on under another ident.
    case forked
}

public enum ConnectionState: Hashable, Sendable {
    case disconnected
    case connecting
    case connected
}

/// What a machine has to know of its app.
public struct ClientConfiguration: Hashable, Sendable {
    public var app: SyncString
    public var stream: SyncValue?
    public var schema: SchemaClaim
    /// Sent if the server doesn't know the schema.
    public var documents: [SchemaDocument]
    public var token: AccessToken
    public var compressions: [CompressionKind] = []
    public var resetMode = ResetMode.recover
    public var session = SessionNumber(rawValue: 1)
    /// The bytes that the server may have sent without an answer.
    public var window: UInt64 = 4 << 20
    /// The bytes of commits that go into one message.
    public var uploadBytes: UInt64 = 256 << 10
    /// Messages that are several times as large are sent in parts of so many bytes, if the server takes that.
    public var partBytes: UInt64 = 16 << 10
    /// A Boolean value that indicates whether messages are sent and taken in parts.
    public var takesParts = true
    /// Parts of an incomplete message are written to the file once there are so many bytes of them, or after so many milliseconds.
    public var keptBytes: UInt64 = 1 << 20
    public var keepDelay: Int64 = 2_000
    /// The most bytes of one transaction of the server, which is kept in memory until it is whole.
    public var transactionBytes: UInt64 = 1 << 30
    /// The most objects with pending work that a message names.
    public var heldObjects = HeldObject.mostNamed
    /// In milliseconds.
    public var pingInterval: Int64 = 30_000
    public var shortestRetry: Int64 = 1_000
    public var longestRetry: Int64 = 60_000

    public init(
        app: SyncString,
        stream: SyncValue? = nil,
        schema: SchemaClaim = SchemaClaim(version: 0, hash: .empty),
        documents: [SchemaDocument] = [],
        token: AccessToken
    ) {
        self.app = app
        self.stream = stream
        self.schema = schema
        self.documents = documents
        self.token = token
    }
}
