/// The client's side of the protocol (sync-design.md, section 9), for one file.
///
/// It is a value that does nothing by itself: an event goes in, actions come out. It holds no objects: what it takes in it hands on to the file
/// as requests, one after the other, and each request is one transaction. So it may be killed at any moment and made anew.
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
    /// Counts connections: what was asked for in an earlier one has no effect on a later one.
    var generation: UInt64 = 0
    var failures = 0
    var isSuspended = false
    /// The machine waits for the app.
    var isBlocked = false
    /// The server doesn't take what the file is. It may later, so an app that resumes tries again.
    var isRefused = false

    /// The requests that the file hasn't answered.
    var requests: [Request] = []
    /// Marks that the server has answered, and how many requests are to be answered before they are reached.
    var marks: [(id: UInt64, after: Int)] = []
    var unsentMarks: [UInt64] = []
    /// What waits for work to be sent, and the last commit of that work. None while a reset decides what becomes of it.
    var uploadMarks: [(id: UInt64, upTo: UInt64?)] = []

    // MARK: What the file is

    var state = ClientState()
    var isDescribed = false
    var hasWork = false

    // MARK: The session

    var limits = MessageLimits()
    /// The most bytes of a message that the server was found to accept.
    var knownLimit = UInt64.max
    var uploadCredit: UInt64 = 0
    var grantedBytes: UInt64 = 0
    var sentThrough: UInt64 = 0
    /// The server's, as it said.
    var horizon: StreamVersion = 0
    var sendsDocuments = false
    var sentQueries: UInt64 = 0
    /// A query set that the server can't serve at all. It isn't sent again.
    var rejectedQueries: UInt64?
    var isCollecting = false
    var parts: [Changes] = []
    var partBytes: UInt64 = 0
    /// A commit that is being sent in parts, and what the server kept of one at the bind.
    var outgoing: OutgoingParts?
    var staged: PartialMessage?
    /// A message that comes in parts, its bytes that aren't done with, and what the file kept of one at the bind.
    var incoming: IncomingParts?
    var incomingBytes: UInt64 = 0
    var keptParts: PartialMessage?
    var fetching: Set<ObjectName> = []
    var healing: [SyncString: Int] = [:]
    var misfits = 0
    /// The least base of unsent work that the server was told.
    var reportedBase: StreamVersion?
    /// Commits that a reset set aside so far.
    var resetLost = 0
    var pingedAt: Int64?
    /// A Boolean value that indicates whether bytes were sent or received since the last time of a ping.
    var hasProgressed = false
    var greetedAt: Int64 = 0
    var bestRoundTrip = Int64.max

    var output: [ClientAction] = []

    /// How far the connection is.
    enum Link: Hashable, Sendable {
        case stopped
        case waiting
        case connecting
        case greeting
        /// `bind` is on its way, or what it says is being read.
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
            /// A reset numbered the file's commits anew.
            case uploadMarks
            case leastBase
            case work
            case other
        }

        let generation: UInt64
        let purpose: Purpose
        /// The bytes of messages that are done with once it is answered.
        let bytes: UInt64
    }

    public init(_ configuration: ClientConfiguration) { self.configuration = configuration }

    var serverTakesParts: Bool { configuration.takesParts && limits.commitBytes > 0 }

    /// Whether the session is bound, so that work goes up and down.
    public var isReady: Bool { link == .ready }

    /// - Parameters:
    ///   - now: the device's clock, in milliseconds since 2015-01-01.
    ///   - random: spreads the times of new connections.
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
