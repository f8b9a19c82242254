#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import Dispatch
public import FreeholdSyncCore
public import Logging
public import Metrics
public import NIOCore
import NIOPosix
import Synchronization

/// A node of a sync server: the machine on a loop of its own, which does what the machine wants done.
///
/// `NodeListener` brings connections. Whatever is lost with a node, its clients and its store make good.
public final class ServerNode: @unchecked Sendable {
    // The machine and what follows it are touched on `loop` only.
    let loop: any EventLoop
    private(set) var machine: ServerMachine
    private var random = SystemRandomNumberGenerator()
    var peers: [ConnectionNumber: Peer] = [:]
    /// The connections of each user.
    let users: UserConnections
    private var timers: [ServerTimer: Scheduled<Void>] = [:]
    private var requests: [RequestNumber: Request] = [:]
    private var ingested: @Sendable (StreamName, [SyncString: Int]) -> Void = { _, _ in }
    private var sessions = 0
    private var submissions: [SubmissionNumber: Waiting] = [:]
    /// Those that the machine still has, though nobody waits for them any more.
    private var lateSubmissions: [SubmissionNumber: StreamName] = [:]
    private var lastSubmission: SubmissionNumber = 0
    private var sweep: RepeatedTask?
    private var following: RepeatedTask?
    private var drained: EventLoopPromise<Void>?

    public let configuration: NodeConfiguration
    let authenticator: any Authenticator
    let logger: Logger
    let metrics: NodeMetrics
    private let store: any NodeStore
    private let lastConnection = Atomic<UInt64>(0)
    /// Answers that come later go nowhere: the loop may be gone.
    let isStopped = Atomic(false)
    private let state = Mutex(State())
    let apps: Mutex<[SyncString: NodeApp]>
    private let matcher: any ConditionMatcher
    private let start: (wall: Int64, instant: ContinuousClock.Instant)
    let seats = ChangeSeats()
    let loginTable = LoginTable()
    let followed = FollowedStreams()
    let reads: StoreReads
    /// Work that takes long.
    let work = WorkQueue()
    let shares: UserShares
    private let messages = MessageTurns()
    /// The bytes that connections and requests keep.
    let memory: MemoryLedger
    let machineMemory = Mutex(MachineMemory())

    /// A request that the store hasn't answered.
    private struct Request {
        let at: Int64
        /// The head that a commit makes.
        let head: Cursor?
        let ingested: [SyncString: Int]
        let stream: StreamName
        let isWrite: Bool
    }

    /// A submission that somebody waits for.
    private struct Waiting {
        let at: Int64
        let stream: StreamName
        let promise: EventLoopPromise<SubmissionOutcome>
    }

    private struct State {
        var isDraining = false
        var storeFailures = 0
        /// Streams whose last write failed.
        var blocked: [StreamName: BlockedStream] = [:]
        var log = FailureLog()
        var connections = 0
        var sessions = 0
        var commits: UInt64 = 0
    }

    /// - Parameters:
    ///   - loop: the machine's own. Nothing else should work there.
    ///   - matcher: understands the conditions of queries.
    public init(
        _ configuration: NodeConfiguration,
        store: any NodeStore,
        authenticator: any Authenticator,
        matcher: any ConditionMatcher,
        loop: any EventLoop,
        logger: Logger,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) {
        apps = Mutex(configuration.apps)
        self.matcher = matcher
        (self.configuration, self.store, self.authenticator) = (configuration, store, authenticator)
        (self.loop, self.logger) = (loop, logger.safe)
        users = UserConnections(most: configuration.limits.connectionsPerUser)
        reads = StoreReads(most: configuration.limits.connections)
        shares = UserShares(most: configuration.limits.requestsPerUser)
        memory = MemoryLedger(configuration.limits)
        self.metrics = NodeMetrics(metrics)
        let seconds = Date().timeIntervalSince1970 - 1_420_070_400
        start = (Int64(seconds * 1_000), .now)
        // What a token says is found out before the machine hears of it: a user's name takes its place, which no client can say itself.
        var server = ServerConfiguration(apps: configuration.apps.mapValues { $0.serverApp() }) { token, _ in
            token.text.string.isEmpty ? nil : token.text
        }
        let limits = configuration.limits
        server.commitSize = { $0.estimatedSize }
        server.limits = MessageLimits(messageBytes: limits.messageBytes, sessions: limits.sessions)
        server.limits.commitBytes = limits.commitBytes
        server.groupDelay = configuration.groupDelay
        (server.userBytes, server.nodeBytes) = (limits.userBytes / 2, limits.nodeBytes)
        (server.queryBytes, server.userDiskBytes) = (limits.queryBytes, limits.userDiskBytes)
        if configuration.compressesMessages { server.compressions = [.zlib] }
        if let writers = configuration.writers { server.writerSecret = { writers.secret(of: $0) } }
        server.connections = limits.connections
        server.objectSteps = limits.objectSteps
        server.requestsPerUser = limits.requestsPerUser
        machine = ServerMachine(server, matcher: matcher)
        let interval = TimeAmount.milliseconds(max(min(limits.storeTimeout / 4, 1_000), 10))
        sweep = loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in self.failLateRequests() }
        let pause = TimeAmount.milliseconds(250)
        following = loop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { _ in self.followed.tick(self.now()) }
    }

    /// What a node says of itself.
    public struct Status: Hashable, Sendable, Codable {
        public var isReady: Bool
        public var isDraining: Bool
        public var connections: Int
        public var sessions: Int
        public var commits: UInt64
        /// The streams whose last write failed, by name.
        public var blocked: [BlockedStream] = []
        /// The bytes that the node keeps.
        public var memory = MemoryStatus()
    }

    public var status: Status { makeStatus(memoryStatus) }

    /// The status without the memory, which takes time for all users.
    var readiness: Status { makeStatus(MemoryStatus()) }

    var isDraining: Bool { state.withLock { $0.isDraining } }

    private func makeStatus(_ memory: MemoryStatus) -> Status {
        state.withLock { state in
            Status(
                isReady: !state.isDraining && state.storeFailures < 3,
                isDraining: state.isDraining,
                connections: state.connections,
                sessions: state.sessions,
                commits: state.commits,
                blocked: state.blocked.values.sorted { ($0.app, $0.stream) < ($1.app, $1.stream) },
                memory: memory
            )
        }
    }

    /// The server's time in milliseconds since 2015-01-01. It never goes back while the node lives, and goes on while the machine sleeps.
    func now() -> Int64 { start.wall + Int64(start.instant.duration(to: .now) / .milliseconds(1)) }

    /// The same clock, for what tokens say.
    var secondsSince1970: Double { Double(now()) / 1_000 + 1_420_070_400 }

    func nextConnection() -> ConnectionNumber { lastConnection.add(1, ordering: .relaxed).newValue }

    // MARK: Connections

    func opened(_ peer: Peer) { loop.execute { self.open(peer) } }

    /// Begins a connection, unless a message of it was handled before.
    private func open(_ peer: Peer) {
        guard !peer.isOpened else { return }
        peer.isOpened = true
        peers[peer.number] = peer
        handle(.opened(peer.number))
        note()
        if drained != nil { peer.finish() }
    }

    func closed(_ peer: Peer) { add(.closed(peer), of: peer) }

    private func close(_ peer: Peer) {
        guard peers.removeValue(forKey: peer.number) != nil else { return }
        peer.memory.close()
        loginTable.remove(peer.number)
        if let user = peer.countedUser { users.leave(user) }
        sessions -= peer.countedSessions
        handle(.closed(peer.number))
        note()
        if peers.isEmpty { drained?.succeed(()) }
    }

    private func note() {
        let (connections, sessions) = (peers.count, sessions)
        metrics.connections.set(connections)
        metrics.sessions.set(sessions)
        state.withLock { ($0.connections, $0.sessions) = (connections, sessions) }
    }

    /// A message whose sender, if it is a `hello`, is known.
    func received(_ message: ClientMessage, _ bytes: Int, from peer: Peer) {
        add(.message(message, bytes: bytes, peer), of: peer)
    }

    private func add(_ item: MessageTurns.Item, of peer: Peer) {
        if messages.add(item, of: peer.turn) { loop.execute { self.takeTurn() } }
    }

    /// The messages of a turn, and its nanoseconds. What follows them waits until all other users had their turn.
    private static let turn = (messages: 64, time: UInt64(2_000_000))

    /// Returns whether the next messages of a user wait for the store. While the node drains, none do.
    private func isBusy(_ user: SyncString) -> Bool { drained == nil && machine.isBusy(user) }

    /// Handles some messages of the user whose turn it is.
    private func takeTurn() {
        guard let user = messages.next() else { return }
        let start = DispatchTime.now().uptimeNanoseconds
        var (count, isBusy) = (0, isBusy(user))
        while !isBusy, count < Self.turn.messages, let item = messages.item(of: user) {
            switch item {
            case .closed(let peer):
                open(peer)
                close(peer)
            case .message(let message, let bytes, let peer):
                // The user's turn may come before that of the connection's beginning.
                open(peer)
                take(message, bytes, from: peer)
                peer.handled(bytes)
            }
            count += 1
            isBusy = self.isBusy(user)
            if DispatchTime.now().uptimeNanoseconds - start > Self.turn.time { break }
        }
        if messages.end(user, isBusy: isBusy) { loop.execute { self.takeTurn() } }
    }

    private func take(_ message: ClientMessage, _ bytes: Int, from peer: Peer) {
        // What a client asked for that has left isn't done any more. What it did is.
        if peer.hasLeft, !message.isUpload { return }
        count(message, peer)
        handle(.received(peer.number, message, bytes: UInt64(bytes)))
    }

    /// A Boolean value that indicates whether messages of a user wait for the store.
    var hasParkedMessages: Bool { !messages.parked.isEmpty }

    /// Lets users go on whose messages waited for the store.
    private func resumeParked() {
        for user in messages.parked.sorted() where !isBusy(user) {
            if messages.resume(user) { loop.execute { self.takeTurn() } }
        }
    }

    func unreadable(_ peer: Peer) { loop.execute { self.handle(.unreadable(peer.number)) } }

    private func count(_ message: ClientMessage, _ peer: Peer) {
        switch message {
        case .bind:
            peer.countedSessions += 1
            sessions += 1
            note()
        case .unbind: endSession(peer.number)
        default: break
        }
    }

    private func endSession(_ number: ConnectionNumber) {
        guard let peer = peers[number], peer.countedSessions > 0 else { return }
        peer.countedSessions -= 1
        sessions -= 1
        note()
    }

    func app(_ name: SyncString) -> NodeApp? { apps.withLock { $0[name] } }
    /// Understands conditions.
    var conditions: any ConditionMatcher { matcher }

    // MARK: Changes without a file

    /// Has changes merged, by the rights of a user, as if a device that sees the newest state had committed them.
    ///
    /// - Returns: when they are durable, or weren't done. A node that ends, or whose store doesn't answer in time, answers
    ///   `.failed(.transient)`: then nobody knows.
    public func submit(_ submission: Submission) -> EventLoopFuture<SubmissionOutcome> {
        let promise = loop.makePromise(of: SubmissionOutcome.self)
        loop.execute {
            guard !self.isStopped.load(ordering: .acquiring) else { return self.giveUp(promise) }
            // What waits there already is more than is worth to wait for.
            guard !self.lateSubmissions.values.contains(submission.stream) else {
                return promise.succeed(.failed(.transient(after: 1_000), text: "The store doesn't answer."))
            }
            self.lastSubmission += 1
            self.submissions[self.lastSubmission] = Waiting(
                at: self.now(),
                stream: submission.stream,
                promise: promise
            )
            self.handle(.submit(self.lastSubmission, submission))
        }
        return promise.futureResult
    }

    private func giveUp(_ promise: EventLoopPromise<SubmissionOutcome>) {
        promise.succeed(.failed(.transient(after: 1_000), text: "The node ends."))
    }

    /// Reads the store beside the machine.
    ///
    /// - Returns: `.failed(.unknown)` also if the store doesn't answer in time, or the task is cancelled.
    func read(_ request: ServerStoreRequest) async -> ServerStoreAnswer { await read(request, in: nil) }

    /// Reads the store in the turns of a user, which has a few reads at the same time. A read of a cancelled task counts until the store has answered.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before the read begins.
    func read(_ request: ServerStoreRequest, of user: SyncString) async throws -> ServerStoreAnswer {
        await read(request, in: try await shares.enter(user))
    }

    private func read(_ request: ServerStoreRequest, in place: UserShares.Place?) async -> ServerStoreAnswer {
        let answer = await reads.read(until: now() + configuration.limits.storeTimeout) { done in
            perform(request) { answer in
                place?.leave()
                done(answer)
            }
        }
        if case .failed = answer {} else { state.withLock { $0.storeFailures = 0 } }
        return answer
    }

    // MARK: Who is served

    /// Serves other apps from now on; see `ServerMachine.setApps`.
    func setApps(_ apps: [SyncString: NodeApp]) {
        self.apps.withLock { $0 = apps }
        followed.wake()
        let apps = apps.mapValues { $0.serverApp() }
        loop.execute { self.machine.setApps(apps) }
    }

    /// What users may see or write is another thing now. Nil: of all users.
    func rightsChanged(of users: Set<SyncString>?) {
        followed.wake()
        loop.execute { self.handle(.rightsChanged(users)) }
    }

    /// An app's schema has other versions: its sessions bind anew, and go on from where they are.
    func schemaChanged(of app: String) {
        loop.execute {
            guard !self.isStopped.load(ordering: .acquiring) else { return }
            self.handle(.schemaChanged(SyncString(app)))
        }
    }

    /// Objects of these classes, by app, aren't taken until other classes are named; see `ServerEvent.hold`.
    func hold(_ classes: [SyncString: Set<SyncString>]) {
        loop.execute {
            guard !self.isStopped.load(ordering: .acquiring) else { return }
            self.handle(.hold(classes))
        }
    }

    /// Has somebody told of commits that took objects of asymmetric classes in, and of how many of each class. On the node's loop.
    func onIngest(_ body: @escaping @Sendable (StreamName, [SyncString: Int]) -> Void) {
        loop.execute { self.ingested = body }
    }

    // MARK: The machine

    private func handle(_ event: ServerEvent) {
        let actions = machine.handle(event, now: now(), random: &random)
        var batches: [ConnectionNumber: [OutgoingMessage]] = [:]
        var shared: [SharedFrame] = []
        // Sessions with equal views are sent equal parts.
        var parts: [MessagePart: SharedFrame] = [:]
        var closing: [Peer] = []
        for action in actions {
            switch action {
            case .send(let number, let message):
                let frame: SharedFrame
                if case .part(_, var part) = message {
                    part.bytes = []
                    frame = parts[part] ?? SharedFrame(message)
                    parts[part] = frame
                } else if let equal = shared.last(where: { $0.isEqual(to: message) }) {
                    frame = equal
                } else {
                    frame = SharedFrame(message)
                    if case .changes = message { shared = shared.suffix(3) + [frame] }
                }
                batches[number, default: []].append(OutgoingMessage(session: message.session, frame: frame))
                if case .error(_?, _) = message { endSession(number) }
            case .close(let number): if let peer = peers[number] { closing.append(peer) }
            case .request(let number, let request): ask(number, request)
            case .submitted(let number, let outcome):
                submissions.removeValue(forKey: number)?.promise.succeed(outcome)
                lateSubmissions[number] = nil
            case .work(let number, let work):
                self.work.add(number, work) { result in
                    guard !self.isStopped.load(ordering: .acquiring) else { return }
                    self.loop.execute { self.handle(.worked(number, result)) }
                }
            case .cancelWork(let number): work.cancel(number)
            case .setTimer(let timer, let at): set(timer, at)
            }
        }
        resumeParked()
        Peer.send(batches.compactMap { number, messages in peers[number].map { ($0, messages) } })
        for peer in closing { peer.finish() }
    }

    private func set(_ timer: ServerTimer, _ at: Int64) {
        timers[timer]?.cancel()
        timers[timer] = loop.scheduleTask(in: .milliseconds(max(at - now(), 0))) {
            self.timers[timer] = nil
            self.handle(.timer(timer))
        }
    }

    // MARK: The store

    private func ask(_ number: RequestNumber, _ request: ServerStoreRequest) {
        var (ingested, head) = ([SyncString: Int](), Cursor?.none)
        if case .commit(let commit) = request.kind {
            head = commit.head.cursor
            for name in commit.ingested.keys { ingested[name.className, default: 0] += 1 }
            metrics.groups.increment()
            metrics.commits.increment(by: commit.entries.count)
            metrics.objects.increment(by: commit.objects.count)
            state.withLock { $0.commits += UInt64(commit.entries.count) }
        }
        requests[number] = Request(
            at: now(),
            head: head,
            ingested: ingested,
            stream: request.stream,
            isWrite: request.kind.isWrite
        )
        perform(request) { answer in
            guard !self.isStopped.load(ordering: .acquiring) else { return }
            self.loop.execute { self.take(answer, number) }
        }
    }

    /// Has the store do a request, and measures the time that it takes.
    private func perform(_ request: ServerStoreRequest, _ answer: @escaping @Sendable (ServerStoreAnswer) -> Void) {
        let started = DispatchTime.now().uptimeNanoseconds
        let timer = metrics.store
        store.perform(request) {
            timer.recordNanoseconds(Int64(DispatchTime.now().uptimeNanoseconds - started))
            answer($0)
        }
    }

    /// - Parameter reason: why it failed, if the store didn't say it.
    private func take(_ answer: ServerStoreAnswer, _ number: RequestNumber, _ reason: String? = nil) {
        guard let asked = requests.removeValue(forKey: number) else { return }
        // Also if nobody knows whether they were.
        if !asked.ingested.isEmpty { ingested(asked.stream, asked.ingested) }
        if let head = answer.head ?? (answer.isDone ? asked.head : nil) { followed.note(asked.stream, head) }
        switch answer {
        // A head that moved is no failure of the store, and a commit that is too large is refused.
        case .failed(.moved): break
        case .failed(.limit(let text)):
            logger.warning(
                "a request is larger than what the store can keep",
                metadata: ["app": "\(asked.stream.app)", "stream": "\(asked.stream)", "reason": "\(text)"]
            )
        case .failed(let failure):
            noteFailure(
                reason ?? failure.reason,
                asked.stream,
                isWrite: asked.isWrite,
                isFullDisk: failure.isFullDisk
            )
        default:
            state.withLock { state in
                state.storeFailures = 0
                guard asked.isWrite, state.blocked.removeValue(forKey: asked.stream) != nil else { return }
                state.log.succeeded("\(asked.stream)")
            }
        }
        handle(.answered(number, answer))
    }

    /// - Parameters:
    ///   - stream: The stream whose request failed. Nil: one of many reads.
    ///   - isFullDisk: The node goes on reading, so it stays ready. What can't be written is in `blocked`.
    private func noteFailure(
        _ reason: String,
        _ stream: StreamName? = nil,
        isWrite: Bool = false,
        isFullDisk: Bool = false
    ) {
        metrics.storeFailures.increment()
        let now = now()
        let (failures, isLogged) = state.withLock { state in
            if !isFullDisk { state.storeFailures += 1 }
            var failures = 1
            if isWrite, let stream {
                failures = (state.blocked[stream]?.failures ?? 0) + 1
                state.blocked[stream] = BlockedStream(stream, failures: failures, reason: reason)
            }
            return (failures, state.log.takes(reason, of: stream.map { "\($0)" } ?? "", at: now))
        }
        guard isLogged else { return }
        var metadata: Logger.Metadata = ["reason": "\(reason)"]
        if let stream {
            metadata["app"] = "\(stream.app)"
            metadata["stream"] = "\(stream)"
            if isWrite { metadata["failures"] = "\(failures)" }
        }
        logger.warning("the store failed", metadata: metadata)
    }

    private func failLateRequests() {
        noteMemory(machine)
        let limit = now() - configuration.limits.storeTimeout
        let reason = "it didn't answer within \(configuration.limits.storeTimeout / 1_000) seconds"
        for number in requests.filter({ $0.value.at < limit }).keys.sorted() { take(.failed(.unknown), number, reason) }
        if reads.failLate(now()) > 0 { noteFailure("a read isn't answered") }
        for (number, submission) in submissions where submission.at < limit {
            submissions[number] = nil
            lateSubmissions[number] = submission.stream
            submission.promise.succeed(.failed(.transient(after: 1_000), text: "The store doesn't answer."))
        }
    }

    // MARK: The end

    /// Tells all clients that the node goes away, and ends their connections after a while.
    ///
    /// - Parameter milliseconds: what clients have to leave by themselves.
    /// - Returns: succeeds when nobody is connected any more.
    public func drain(_ milliseconds: Int64) -> EventLoopFuture<Void> {
        state.withLock { $0.isDraining = true }
        followed.wake()
        let promise = loop.makePromise(of: Void.self)
        loop.execute {
            if let drained = self.drained { return drained.futureResult.cascade(to: promise) }
            self.drained = promise
            guard !self.peers.isEmpty else { return promise.succeed(()) }
            self.handle(.drain(after: UInt64(max(milliseconds, 0))))
            self.loop.scheduleTask(in: .milliseconds(milliseconds)) { for peer in self.peers.values { peer.finish() } }
        }
        return promise.futureResult
    }

    /// Ends at once, as a process does that is killed: connections are cut, nothing is said.
    public func kill() -> EventLoopFuture<Void> {
        loop.submit {
            self.stopTimers()
            for peer in self.peers.values { peer.cut() }
            self.peers = [:]
            self.requests = [:]
        }
    }

    /// Stops what the node does by itself. To be called once it is drained.
    public func stop() -> EventLoopFuture<Void> { loop.submit { self.stopTimers() } }

    private func stopTimers() {
        isStopped.store(true, ordering: .releasing)
        work.stop()
        for timer in timers.values { timer.cancel() }
        timers = [:]
        for submission in submissions.values { giveUp(submission.promise) }
        submissions = [:]
        reads.stop()
        followed.stop()
        for task in [sweep, following] { task?.cancel() }
        (sweep, following) = (nil, nil)
    }
}

extension ServerStoreAnswer {
    /// The head that the answer names.
    fileprivate var head: Cursor? {
        switch self {
        case .rows(let rows): rows.head.cursor
        case .head(let head): head.cursor
        case .bind(let answer): answer.head.cursor
        default: nil
        }
    }

    fileprivate var isDone: Bool { if case .done = self { true } else { false } }
}

extension ClientMessage {
    /// A Boolean value that indicates whether the message holds what a client has done.
    fileprivate var isUpload: Bool {
        switch self {
        case .upload, .part: true
        default: false
        }
    }
}
