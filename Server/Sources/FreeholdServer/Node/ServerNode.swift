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

/// A node of a sync server. It runs the machine on a separate event loop, and executes the machine's actions.
///
/// `NodeListener` accepts the connections. If a node is lost, its clients and its store have all data that another node needs.
public final class ServerNode: @unchecked Sendable {
    // The machine and the variables up to `drained` are used on `loop` only.
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
    /// The submissions that the machine still has although their callers have received an error after the timeout.
    private var lateSubmissions: [SubmissionNumber: StreamName] = [:]
    private var lastSubmission: SubmissionNumber = 0
    private var sweep: RepeatedTask?
    private var following: RepeatedTask?
    private var drained: EventLoopPromise<Void>?

    public let configuration: NodeConfiguration
    let authenticator: any Authenticator
    let logger: Logger
    let metrics: NodeMetrics
    let store: any NodeStore
    private let lastConnection = Atomic<UInt64>(0)
    /// A Boolean value that indicates whether the node has stopped. Later answers are ignored, because the loop may have ended.
    let isStopped = Atomic(false)
    private let state = Mutex(State())
    let apps: Mutex<[SyncString: NodeApp]>
    private let matcher: any ConditionMatcher
    private let start: (wall: Int64, instant: ContinuousClock.Instant)
    let seats = ChangeSeats()
    /// The last refused writes, conflicts and client resets.
    let records = NodeRecords()
    let loginTable = LoginTable()
    /// The official Realm clients that are connected.
    let realmClients = RealmClients()
    let followed = FollowedStreams()
    let reads: StoreReads
    /// The queue for long work.
    let work = WorkQueue()
    let shares: UserShares
    private let messages = MessageTurns()
    /// The bytes that connections and requests keep.
    let memory: MemoryLedger
    let machineMemory = Mutex(MachineMemory())

    private typealias GroupSize = (commits: Int, objects: Int)

    /// A request that the store hasn't answered.
    private struct Request {
        let at: Int64
        /// The head after the commit, or `nil` for other requests.
        let head: Cursor?
        /// The size of a group of commits, or `nil` for other requests.
        let size: GroupSize?
        let ingested: [SyncString: Int]
        let stream: StreamName
        let isWrite: Bool
    }

    /// A submission with a caller that waits for the outcome.
    private struct Waiting {
        let at: Int64
        let stream: StreamName
        let promise: EventLoopPromise<SubmissionOutcome>
    }

    private struct State {
        var isDraining = false
        var storeFailures = 0
        var storeFailure: String?
        /// Streams whose last write failed.
        var blocked: [StreamName: BlockedStream] = [:]
        var log = FailureLog()
        var connections = 0
        var sessions = 0
        var commits: UInt64 = 0
    }

    /// - Parameters:
    ///   - loop: The event loop of the machine. It should do no other work.
    ///   - matcher: The evaluation of the conditions of queries.
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
        // The node checks a token before the machine receives the `hello`, and puts the user's name in its place. A client can't send such a name
        // itself.
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

    /// The state of a node, for `/status`.
    public struct Status: Hashable, Sendable, Codable {
        public var isReady: Bool
        public var isDraining: Bool
        public var connections: Int
        public var sessions: Int
        public var commits: UInt64
        /// The reason why the last requests of the store failed, or `nil` if the last one succeeded.
        public var storeFailure: String?
        /// The streams whose last write failed, by name.
        public var blocked: [BlockedStream] = []
        /// The bytes that the node keeps.
        public var memory = MemoryStatus()
        /// The numbers of connected official Realm clients, by the names and versions of their SDKs.
        public var realmClients: [String: Int] = [:]
    }

    public var status: Status { makeStatus(memoryStatus) }

    /// The status without the memory, which takes time for each user.
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
                storeFailure: state.storeFailure,
                blocked: state.blocked.values.sorted { ($0.app, $0.stream) < ($1.app, $1.stream) },
                memory: memory,
                realmClients: realmClients.agents
            )
        }
    }

    /// The server's time in milliseconds since 2015-01-01. It never decreases during the life of the node, and includes the time in which the
    /// computer sleeps.
    func now() -> Int64 { start.wall + Int64(start.instant.duration(to: .now) / .milliseconds(1)) }

    /// The server's time in seconds since 1970, for comparisons with tokens.
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

    /// Adds a message to the turns of its user. The user of a `hello` is known by then.
    func received(_ message: ClientMessage, _ bytes: Int, from peer: Peer) {
        add(.message(message, bytes: bytes, peer), of: peer)
    }

    private func add(_ item: MessageTurns.Item, of peer: Peer) {
        if messages.add(item, of: peer.turn) { loop.execute { self.takeTurn() } }
    }

    /// The maximum number of messages in a turn, and its maximum nanoseconds. Further messages of the user wait until all other users have had a
    /// turn.
    private static let turn = (messages: 64, time: UInt64(2_000_000))

    /// Returns whether the next messages of a user wait for the store. While the node drains, none do.
    private func isBusy(_ user: SyncString) -> Bool { drained == nil && machine.isBusy(user) }

    /// Handles messages of the next user in turn.
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
                // The user's turn may come before the task that opens the connection.
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
        // Requests of a closed connection are ignored. Its uploads are still handled.
        if peer.hasLeft, !message.isUpload { return }
        count(message, peer)
        handle(.received(peer.number, message, bytes: UInt64(bytes)))
    }

    /// A Boolean value that indicates whether messages of a user wait for the store.
    var hasParkedMessages: Bool { !messages.parked.isEmpty }

    /// Continues the messages of users that waited for the store.
    private func resumeParked() {
        for user in messages.parked.sorted() where !isBusy(user) {
            if messages.resume(user) { loop.execute { self.takeTurn() } }
        }
    }

    func unreadable(_ peer: Peer) { loop.execute { self.handle(.unreadable(peer.number)) } }

    private func count(_ message: ClientMessage, _ peer: Peer) {
        switch message {
        case .bind(_, let bind):
            // A front end reads the row of a file before it binds it.
            if bind.front?.isReading == true { return }
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
    /// Evaluates the conditions of queries.
    var conditions: any ConditionMatcher { matcher }

    // MARK: Changes without a file

    /// Merges changes with the rights of a user, as if a device that sees the newest state had committed them.
    ///
    /// - Returns: A future that succeeds when the changes are durable or have failed. If the node ends, or the store doesn't answer in time, the
    ///   outcome is `.failed(.transient)`, and it isn't known whether the changes were made.
    public func submit(_ submission: Submission) -> EventLoopFuture<SubmissionOutcome> {
        let promise = loop.makePromise(of: SubmissionOutcome.self)
        loop.execute {
            guard !self.isStopped.load(ordering: .acquiring) else { return self.giveUp(promise) }
            // Earlier submissions to the stream still wait after their timeout, so this one would wait too long, too.
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

    /// Reads from the store without the machine.
    ///
    /// - Returns: `.failed(.unknown)` also if the store doesn't answer in time, or the task is cancelled.
    func read(_ request: ServerStoreRequest) async -> ServerStoreAnswer { await read(request, in: nil) }

    /// Reads from the store within the share of a user, which permits a few reads at the same time. A read of a cancelled task counts until the
    /// store has answered.
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
        if case .failed(let failure) = answer {
            switch failure {
            case .moved, .limit: break
            case .unavailable, .damaged, .unknown, .uncertain: state.withLock { $0.storeFailure = failure.reason }
            }
        } else {
            state.withLock { ($0.storeFailures, $0.storeFailure) = (0, nil) }
        }
        return answer
    }

    // MARK: Apps and rights

    /// Replaces the served apps; see `ServerMachine.setApps`.
    func setApps(_ apps: [SyncString: NodeApp]) {
        self.apps.withLock { $0 = apps }
        followed.wake()
        let apps = apps.mapValues { $0.serverApp() }
        loop.execute { self.machine.setApps(apps) }
    }

    /// Applies changed rights of users to their sessions. `nil` stands for all users.
    func rightsChanged(of users: Set<SyncString>?) {
        followed.wake()
        loop.execute { self.handle(.rightsChanged(users)) }
    }

    /// Ends the sessions of an app after the versions of its schema have changed. They bind again, and continue at their cursors.
    func schemaChanged(of app: String) {
        loop.execute {
            guard !self.isStopped.load(ordering: .acquiring) else { return }
            self.handle(.schemaChanged(SyncString(app)))
        }
    }

    /// Checks immediately whether another program has committed to a stream, instead of at the next regular check.
    func look(at stream: StreamName) {
        loop.execute {
            guard !self.isStopped.load(ordering: .acquiring) else { return }
            self.handle(.timer(.look(stream)))
        }
    }

    /// Replaces the set of classes, by app, whose objects aren't accepted at present; see `ServerEvent.hold`.
    func hold(_ classes: [SyncString: Set<SyncString>]) {
        loop.execute {
            guard !self.isStopped.load(ordering: .acquiring) else { return }
            self.handle(.hold(classes))
        }
    }

    /// Sets a closure that receives the stream of each commit with objects of asymmetric classes, and the number of these objects by class. The
    /// closure is called on the node's loop.
    func onIngest(_ body: @escaping @Sendable (StreamName, [SyncString: Int]) -> Void) {
        loop.execute { self.ingested = body }
    }

    // MARK: The machine

    private func handle(_ event: ServerEvent) {
        let actions = machine.handle(event, now: now(), random: &random)
        let notes = machine.takeNotes()
        if !notes.isEmpty { records.take(notes) }
        var batches: [ConnectionNumber: [OutgoingMessage]] = [:]
        var shared: [SharedFrame] = []
        // Sessions with equal views receive equal parts.
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

    /// The interval in milliseconds at whose multiples streams are checked, so that a store can read many heads together.
    private static let lookGrid: Int64 = 200

    private func set(_ timer: ServerTimer, _ time: Int64) {
        var at = time
        if case .look = timer { at = (time + Self.lookGrid - 1) / Self.lookGrid * Self.lookGrid }
        timers[timer]?.cancel()
        timers[timer] = loop.scheduleTask(in: .milliseconds(max(at - now(), 0))) {
            self.timers[timer] = nil
            self.handle(.timer(timer))
        }
    }

    // MARK: The store

    private func ask(_ number: RequestNumber, _ request: ServerStoreRequest) {
        var (ingested, head, size) = ([SyncString: Int](), Cursor?.none, GroupSize?.none)
        if case .commit(let commit) = request.kind {
            head = commit.head.cursor
            for name in commit.ingested.keys { ingested[name.className, default: 0] += 1 }
            size = (commit.entries.count, commit.objects.count)
        }
        requests[number] = Request(
            at: now(),
            head: head,
            size: size,
            ingested: ingested,
            stream: request.stream,
            isWrite: request.kind.isWrite
        )
        perform(request) { answer in
            guard !self.isStopped.load(ordering: .acquiring) else { return }
            self.loop.execute { self.take(answer, number) }
        }
    }

    private func count(_ size: GroupSize) {
        metrics.groups.increment()
        metrics.commits.increment(by: size.commits)
        metrics.objects.increment(by: size.objects)
        state.withLock { $0.commits += UInt64(size.commits) }
    }

    /// Makes a request to the store, and measures its time.
    private func perform(_ request: ServerStoreRequest, _ answer: @escaping @Sendable (ServerStoreAnswer) -> Void) {
        let started = DispatchTime.now().uptimeNanoseconds
        let timer = metrics.store
        store.perform(request) {
            timer.recordNanoseconds(Int64(DispatchTime.now().uptimeNanoseconds - started))
            answer($0)
        }
    }

    /// - Parameter reason: The reason of a failure that the store didn't report.
    private func take(_ answer: ServerStoreAnswer, _ number: RequestNumber, _ reason: String? = nil) {
        guard let asked = requests.removeValue(forKey: number) else { return }
        // The closure is also called if it isn't known whether the objects were stored.
        if !asked.ingested.isEmpty { ingested(asked.stream, asked.ingested) }
        if let head = answer.head ?? (answer.isDone ? asked.head : nil) { followed.note(asked.stream, head) }
        // A group that the store refused, or that is tried again, isn't counted.
        if answer.isDone, let size = asked.size { count(size) }
        switch answer {
        // A moved head isn't a failure of the store. A commit that is too large is refused.
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
                (state.storeFailures, state.storeFailure) = (0, nil)
                guard asked.isWrite, state.blocked.removeValue(forKey: asked.stream) != nil else { return }
                state.log.succeeded("\(asked.stream)")
                metrics.note(state.blocked.values)
            }
        }
        handle(.answered(number, answer))
    }

    /// - Parameters:
    ///   - stream: The stream whose request failed, or `nil` for reads without the machine.
    ///   - isFullDisk: A Boolean value that indicates whether the disk is full. The node can still read, so it stays ready. `blocked` names the
    ///     streams that can't be written.
    private func noteFailure(
        _ reason: String,
        _ stream: StreamName? = nil,
        isWrite: Bool = false,
        isFullDisk: Bool = false
    ) {
        metrics.storeFailures.increment()
        let now = now()
        let (failures, isLogged) = state.withLock { state in
            if !isFullDisk { (state.storeFailures, state.storeFailure) = (state.storeFailures + 1, reason) }
            var failures = 1
            if isWrite, let stream {
                failures = (state.blocked[stream]?.failures ?? 0) + 1
                state.blocked[stream] = BlockedStream(
                    stream,
                    failures: failures,
                    reason: reason,
                    isDiskFull: isFullDisk
                )
                metrics.note(state.blocked.values)
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

    /// Notifies all clients that the node ends, and ends the remaining connections after a time.
    ///
    /// - Parameter milliseconds: The time in which clients may disconnect by themselves.
    /// - Returns: A future that succeeds when no client is connected any more.
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

    /// Ends the node like a killed process. Connections are cut without a message.
    public func kill() -> EventLoopFuture<Void> {
        loop.submit {
            self.stopTimers()
            for peer in self.peers.values { peer.cut() }
            self.peers = [:]
            self.requests = [:]
        }
    }

    /// Stops the timers and the pending work of the node. Call it after `drain(_:)`.
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
    /// A Boolean value that indicates whether the message contains changes that the client has made.
    fileprivate var isUpload: Bool {
        switch self {
        case .upload, .part: true
        default: false
        }
    }
}
