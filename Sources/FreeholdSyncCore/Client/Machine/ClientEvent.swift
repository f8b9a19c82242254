/// An event that is the input of a `ClientMachine`.
public enum ClientEvent: Hashable, Sendable {
    /// The file has been opened. This is the first event.
    case started
    /// The connection that `ClientAction.connect` requested is open.
    case connectionOpened
    /// The connection has ended, or the attempt to connect has failed.
    case connectionClosed
    /// A message of the given size arrived.
    case received(ServerMessage, bytes: UInt64)
    /// The network sent or received bytes of a message while an answer of the server is outstanding. The connection therefore works, even if the
    /// transfer of a message takes a long time.
    case progressed
    /// A process committed to the file.
    case committed
    case subscribed([ClassQuery])
    /// The answer to `ClientAction.store`. The answers arrive in the order of the requests.
    case stored(StoreOutcome)
    case timer(ClientTimer)
    /// Requests `ClientReport.reached` with this number, as soon as the server has answered all commits that are in the
    /// file now.
    case waitForUpload(UInt64)
    /// Requests `ClientReport.reached` with this number, as soon as the file has everything that the server has now.
    case waitForDownload(UInt64)
    /// A new token. A machine that waits for a token continues.
    case token(AccessToken)
    /// The app wants no connection until `resumed`.
    case suspended
    /// The app wants a connection immediately.
    case resumed
}

/// An action that a `ClientMachine` requests from its caller. The caller performs the actions in order.
public enum ClientAction: Hashable, Sendable {
    case connect
    case send(ClientMessage)
    /// Close the connection. The event `connectionClosed` is optional after it.
    case close
    /// Start a timer that fires at this time of the device's clock. There is one timer of each kind: a new time
    /// replaces the old one.
    case setTimer(ClientTimer, at: Int64)
    case clearTimer(ClientTimer)
    /// Perform a transaction of the file, and answer with the event `stored`. If the transaction fails, create and
    /// start a new machine.
    case store(StoreRequest)
    case report(ClientReport)
}

public enum ClientTimer: Hashable, Sendable, CaseIterable {
    case reconnect
    /// Send a ping to the server. If the previous ping has no answer, close the connection.
    case ping
}

/// A report for the app.
public enum ClientReport: Hashable, Sendable {
    case connection(ConnectionState)
    /// Own changes that the server refused. The file shows the server's state, and keeps the content of the changes,
    /// too.
    case refused([Refusal])
    /// The server answered all own commits up to this number.
    case uploaded(upTo: UInt64)
    /// The file has all changes of the stream up to this version.
    case downloaded(StreamVersion)
    /// The number of objects of a bootstrap that arrived so far, and an estimate of their total number.
    case progress(objects: UInt64, of: UInt64)
    case querySet(QuerySet)
    /// The state that `waitForUpload` or `waitForDownload` with this number requested has been reached.
    case reached(UInt64)
    /// The server reported a fault. For some faults the machine waits for the app, for example for a token (`auth`),
    /// another schema or another version of the app. It retries after all other faults.
    case fault(SyncFault, text: SyncString)
    case schemaRefused([SchemaProblem])
    /// The names of classes whose objects in the file differed from the server's. The machine requests their correct
    /// state.
    case mismatch([SyncString])
    /// The server has another history of the stream: the app has to reset the file.
    case resetNeeded
    /// The file is about to be reset: it still shows what it showed before.
    case resetBegins
    /// The file was reset. It shows the state of the new store, and the work that was recovered. `lost` is the number
    /// of commits that were set aside for the app.
    case wasReset(lost: Int)
    /// Two copies of the file were in use. This copy continues under another ident.
    case forked
}

public enum ConnectionState: Hashable, Sendable {
    case disconnected
    case connecting
    case connected
}

/// The parameters of a `ClientMachine` that depend on its app.
public struct ClientConfiguration: Hashable, Sendable {
    public var app: SyncString
    public var stream: SyncValue?
    public var schema: SchemaClaim
    /// The documents of the schema. They are sent if the server doesn't have the schema.
    public var documents: [SchemaDocument]
    public var token: AccessToken
    public var compressions: [CompressionKind] = []
    public var resetMode = ResetMode.recover
    public var session = SessionNumber(rawValue: 1)
    /// The number of bytes that the server may send before it needs a new credit.
    public var window: UInt64 = 4 << 20
    /// The maximum number of bytes of commits in one message.
    public var uploadBytes: UInt64 = 256 << 10
    /// The size of a part, in bytes. Messages that are several times as large are sent in parts if the server accepts
    /// parts.
    public var partBytes: UInt64 = 16 << 10
    /// A Boolean value that indicates whether messages are sent and received in parts.
    public var takesParts = true
    /// The size in bytes after which the parts of an incomplete message are written to the file. They are also written
    /// after `keepDelay` milliseconds.
    public var keptBytes: UInt64 = 1 << 20
    public var keepDelay: Int64 = 2_000
    /// The maximum number of bytes of one transaction of the server. The parts of a transaction stay in memory until it
    /// is complete.
    public var transactionBytes: UInt64 = 1 << 30
    /// The maximum number of objects with pending work that a message names.
    public var heldObjects = HeldObject.mostNamed
    /// The maximum number of objects that are requested at the same time. Servers accept 100,000 (`HeldObject.mostNamed`).
    public var fetchedObjects = 10_000
    /// The time between two pings, in milliseconds. The next two times are in milliseconds, too.
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
