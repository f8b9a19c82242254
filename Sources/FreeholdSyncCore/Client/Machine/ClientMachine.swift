/// The client's side of the protocol (sync-design.md, section 9), for one file.
///
/// The machine is a value without side effects: its input is an event, and its output are actions. It holds no objects.
/// It passes received data to the file as requests, one after the other, and each request is one transaction. The
/// process may therefore be killed at any moment, and a new machine continues.
///
///     var machine = ClientMachine(configuration)
///     for action in machine.handle(.started, now: now, random: &random) {
///         switch action {
///         case .store(let request):
///             let outcome = try store.perform(request, now: now, random: &random)
///             // … and later machine.handle(.stored(outcome), …)
public struct ClientMachine: Sendable {
    public internal(set) var configuration: ClientConfiguration

    var link = Link.stopped
    /// The number of connections so far. An answer to a request of an earlier connection has no effect on a later one.
    var generation: UInt64 = 0
    var failures = 0
    var isSuspended = false
    /// A Boolean value that indicates whether the machine waits for the app.
    var isBlocked = false
    /// A Boolean value that indicates whether the server refused the file's schema or app. It may accept them later, so
    /// `resumed` tries again.
    var isRefused = false

    /// The requests that the file hasn't answered yet, oldest first.
    var requests: [Request] = []
    /// The marks that the server has answered. `after` is the number of requests that the file has to answer before the
    /// mark is reached.
    var marks: [(id: UInt64, after: Int)] = []
    var unsentMarks: [UInt64] = []
    /// The waits for uploads, and the last commit of each. `upTo` is `nil` while a reset decides about the commits.
    var uploadMarks: [(id: UInt64, upTo: UInt64?)] = []

    // MARK: The file

    var state = ClientState()
    var isDescribed = false
    var hasWork = false

    // MARK: The session

    var limits = MessageLimits()
    /// The maximum number of bytes of a message, as far as it is known from refused messages.
    var knownLimit = UInt64.max
    var uploadCredit: UInt64 = 0
    var grantedBytes: UInt64 = 0
    var sentThrough: UInt64 = 0
    /// The horizon that the server sent.
    var horizon: StreamVersion = 0
    var sendsDocuments = false
    var sentQueries: UInt64 = 0
    /// The version of a query set that the server can't serve. It isn't sent again.
    var rejectedQueries: UInt64?
    var isCollecting = false
    var parts: [Changes] = []
    var partBytes: UInt64 = 0
    /// `outgoing` is a commit that is being sent in parts. `staged` is the beginning of such a commit that the server
    /// had at the bind.
    var outgoing: OutgoingParts?
    var staged: PartialMessage?
    /// `incoming` is a message that arrives in parts, and `incomingBytes` the size of its parts for which no credit was
    /// granted yet. `keptParts` is the beginning of such a message that the file had at the bind.
    var incoming: IncomingParts?
    var incomingBytes: UInt64 = 0
    var keptParts: PartialMessage?
    var fetching: Set<ObjectName> = []
    var healing: [SyncString: Int] = [:]
    var misfits = 0
    /// The least base of unsent work that was last sent to the server.
    var reportedBase: StreamVersion?
    /// The number of commits that a reset has set aside so far.
    var resetLost = 0
    var pingedAt: Int64?
    /// A Boolean value that indicates whether bytes were sent or received since the ping timer last fired.
    var hasProgressed = false
    var greetedAt: Int64 = 0
    var bestRoundTrip = Int64.max

    var output: [ClientAction] = []

    /// The state of the connection.
    enum Link: Hashable, Sendable {
        case stopped
        case waiting
        case connecting
        case greeting
        /// `bind` was sent, or the file is storing the answer.
        case binding
        case ready
    }

    struct Request: Sendable {
        enum Purpose: Hashable, Sendable {
            case start
            case bind
            case bound(Bound)
            case resume(compare: [SyncString])
            case uploadMark(UInt64)
            /// The file's commits have new numbers after a reset.
            case uploadMarks
            case leastBase
            case work
            case other
        }

        let generation: UInt64
        let purpose: Purpose
        /// The size of the messages that are processed once the file has answered the request.
        let bytes: UInt64
    }

    public init(_ configuration: ClientConfiguration) { self.configuration = configuration }

    var serverTakesParts: Bool { configuration.takesParts && limits.commitBytes > 0 }

    /// A Boolean value that indicates whether the session is bound, so that commits are sent and changes received.
    public var isReady: Bool { link == .ready }

    /// Handles an event, and returns the actions that it causes.
    ///
    /// - Parameters:
    ///   - now: The device's time, in milliseconds since 2015-01-01.
    ///   - random: A source of random numbers. It spreads the times of new connections.
    public mutating func handle(
        _ event: ClientEvent,
        now: Int64,
        random: inout some RandomNumberGenerator
    ) -> [ClientAction] {
        output = []
        switch event {
        case .started: request(.describe, .start)
        case .connectionOpened: greet(now)
        case .connectionClosed: lose(now, &random)
        case .received(let message, let bytes):
            hasProgressed = true
            receive(message, bytes, now, &random)
        case .progressed: hasProgressed = true
        case .committed:
            hasWork = true
            upload()
        case .subscribed(let queries): request(.subscribe(queries), .other)
        case .stored(let outcome): take(outcome, now, &random)
        case .timer(let timer): fire(timer, now, &random)
        case .waitForUpload(let id): request(.describe, .uploadMark(id))
        case .waitForDownload(let id):
            if link == .ready { send(.mark(configuration.session, id)) }
            unsentMarks.append(id)
        case .token(let token): renew(token)
        case .suspended:
            isSuspended = true
            if link != .stopped { close(.stopped) }
            output.append(.clearTimer(.reconnect))
        case .resumed:
            isSuspended = false
            failures = 0
            if isRefused { (isBlocked, isRefused) = (false, false) }
            if link == .stopped || link == .waiting, isDescribed, !isBlocked { connect() }
        }
        return output
    }

    mutating func send(_ message: ClientMessage) { output.append(.send(message)) }
    mutating func report(_ report: ClientReport) { output.append(.report(report)) }

    mutating func request(_ request: StoreRequest, _ purpose: Request.Purpose, bytes: UInt64 = 0) {
        requests.append(Request(generation: generation, purpose: purpose, bytes: bytes))
        output.append(.store(request))
    }
}
