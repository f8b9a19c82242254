/// The state machine of a sync server's node, without a network and without a store (sync-design.md, sections 8 to 10).
///
/// The caller passes events, in any order that a network and a store can produce, and executes the actions that the machine returns. The machine
/// does no IO and reads no clock. All data that must outlive the node is in the store, so a new machine on the same store can replace a discarded
/// one. Several nodes may work on one stream: each transaction names the head that it is based on.
public struct ServerMachine: Sendable {
    public internal(set) var configuration: ServerConfiguration
    let matcher: any ConditionMatcher

    var connections: [ConnectionNumber: Connection] = [:]
    var sessions: SessionTable
    var streams: [StreamName: StreamState] = [:]
    var purposes: [RequestNumber: Asked] = [:]
    /// The running and the waiting requests of each user.
    var shares: [SyncString: RequestShare] = [:]
    /// The user of each request that counts for the user's share.
    var askers: [RequestNumber: SyncString] = [:]
    private var lastRequest: RequestNumber = 0
    /// The purpose of each piece of work that the caller is executing.
    var works: [WorkNumber: WorkPurpose] = [:]
    var lastWork: WorkNumber = 0

    /// The actions for the event that is being handled.
    var actions: [ServerAction] = []
    /// The server's time, in milliseconds since 2015-01-01. It never decreases.
    var now: Int64 = 0
    /// The time that the caller passed with the event. It may decrease. Timers are set by it.
    var callersNow: Int64 = 0
    private var draws: [UInt64] = []
    private var salts: UInt64 = 0
    /// The size of the remembered rows of all streams, in bytes. It may include streams that have ended.
    var rowBytes = 0
    /// The users with sessions that wait until all sessions of the user keep fewer bytes.
    var stalled: Set<SyncString> = []
    /// The earliest time at which the sessions of `stalled` are checked again while the node is full.
    var nextRelief: Int64 = 0
    /// The file under which submissions are written, for each stream that has submissions.
    var writers: [StreamName: StreamWriter] = [:]
    /// The streams in which the node has another role than that of all streams.
    var roles: [StreamName: StreamRole] = [:]
    /// The signals that the caller hasn't taken yet.
    var signals: [StreamSignal] = []
    /// The classes whose objects aren't accepted now, by app.
    var held: [SyncString: Set<SyncString>] = [:]
    /// The notes for administrators that the caller hasn't taken.
    var notes: [ServerNote] = []
    private var isTrimming = false
    private var bootstraps: UInt64 = 0
    /// The number of stream states that the machine has created.
    private var memories: UInt64 = 0

    public init(_ configuration: ServerConfiguration, matcher: any ConditionMatcher) {
        self.configuration = configuration
        self.matcher = matcher
        sessions = SessionTable(share: configuration.userBytes)
    }

    /// Replaces the served apps. An app that is missing in the new ones is kept for the bound sessions, but its streams can't be bound any more.
    public mutating func setApps(_ apps: [SyncString: ServerApp]) {
        configuration.apps.merge(apps) { $1 }
        for name in configuration.apps.keys where apps[name] == nil {
            configuration.apps[name]?.allows = { _, _ in false }
        }
    }

    struct Connection: Sendable {
        /// Nil before `hello`.
        var user: SyncString?
        var takesParts = false
        /// The size of the messages that are being sent in parts, in bytes.
        var outgoing: UInt64 = 0
        var sessions: Set<SessionNumber> = []
    }

    /// The purpose of a request to the store.
    enum Purpose: Sendable {
        case bind(SessionKey)
        case identity(SessionKey, FileAnswer, FileSecret, Fork?)
        case rows(StreamName)
        case commit(StreamName)
        case part(SessionKey)
        case parts(SessionKey)
        case kept(SessionKey)
        case whole(SessionKey)
        case step(SessionKey, Cursor)
        case page(SessionKey, of: UInt64)
        case fetch(SessionKey, [ObjectName], Cursor)
        case head(StreamName)
        /// The step after the published head.
        case follow(StreamName)
        /// The head, and the hash at the published head, after the store had no step after the published head.
        case gap(StreamName, Cursor)
        /// The hash at the version of a commit that this node made.
        case check(StreamName, Cursor)
        case writer(StreamName)
        case firstHead(StreamName)
        case guest(StreamName)
        case note
        /// Bytes of a front end, and the number of the message that contained them.
        case noteFront(SessionKey, UInt64)
    }

    /// A request that the store hasn't answered.
    struct Asked: Sendable {
        let purpose: Purpose
        /// The known head of the stream at the time of the request. Nil if the machine had no state of the stream.
        let known: KnownHead?
    }

    /// Handles an event, and returns the actions for the caller in order.
    ///
    /// - Parameter now: the server's time, in milliseconds since 2015-01-01.
    /// - Complexity: O(size of the event, messages that it sends, sessions that wait for something).
    public mutating func handle(
        _ event: ServerEvent,
        now: Int64,
        random: inout some RandomNumberGenerator
    ) -> [ServerAction] {
        self.now = max(self.now, now)
        callersNow = now
        while draws.count < 2 { draws.append(random.next()) }
        salts ^= random.next()
        switch event {
        case .opened(let connection):
            guard connections.count < configuration.connections else {
                actions.append(.close(connection))
                break
            }
            connections[connection] = Connection()
            if !isTrimming {
                isTrimming = true
                actions.append(.setTimer(.trim, at: now &+ configuration.trimInterval))
            }
        case .closed(let connection): forget(connection)
        case .received(let connection, let message, let bytes): receive(message, bytes, from: connection)
        case .unreadable(let connection): end(connection, .violation, "The message can't be read.")
        case .answered(let number, let answer):
            if let asked = purposes.removeValue(forKey: number) { take(answer, asked) }
            giveShare(of: number)
        case .timer(let timer): fire(timer)
        case .worked(let number, let result): take(result, number)
        case .moved(let stream): look(stream)
        case .committed(let stream, let step): take(given: step, stream)
        case .rightsChanged(let users): followRights(of: users)
        case .submit(let number, let submission): take(submission, number)
        case .hold(let classes): hold(classes)
        case .schemaChanged(let app): followSchema(of: app)
        case .coordinated(let command): take(command)
        case .drain(let after):
            for key in sessions.keys.sorted() { send(key, .notice(key.number, Notice(.leaving(after: after)))) }
        }
        resumeStalled()
        defer { actions = [] }
        return actions
    }

    // MARK: Tools

    /// Removes and returns 64 random bits. Each event begins with at least two such numbers, which is enough for one secret.
    mutating func draw() -> UInt64 { draws.removeLast() }

    /// Returns bits that the log of no other node contains. They needn't be secret.
    mutating func salt() -> UInt64 {
        salts = salts &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return salts
    }

    /// Returns a new number for a bootstrap. A page is used only for the bootstrap with the number of the request.
    mutating func nextBootstrap() -> UInt64 {
        bootstraps += 1
        return bootstraps
    }

    /// Requests something of the store, at once or when the user's share permits it.
    ///
    /// - Parameter user: the user that causes the request, if it counts for the user's share.
    mutating func request(
        _ stream: StreamName,
        _ kind: ServerStoreRequest.Kind,
        _ purpose: Purpose,
        of user: SyncString = ""
    ) {
        lastRequest += 1
        let known = streams[stream].map { KnownHead(head: $0.known, memory: $0.memory) }
        purposes[lastRequest] = Asked(purpose: purpose, known: known)
        var kind = kind
        if case .read(var query) = kind, query.known == nil {
            query.known = known?.head.version
            kind = .read(query)
        }
        ask(lastRequest, ServerStoreRequest(stream: stream, kind: kind), of: user)
    }

    /// Creates the state of a stream.
    mutating func remember(_ name: StreamName, at head: StreamHead) {
        memories += 1
        streams[name] = StreamState(head, memory: memories)
        streams[name]?.isKept = roles[name] == .merging
    }

    /// Sends a client a message that contains stored names. The session's lens translates them.
    mutating func send(_ key: SessionKey, _ message: ServerMessage) {
        guard let session = sessions[key] else { return sendPlain(key, message) }
        if let message = Self.shown(message, session) { sendPlain(key, message) }
    }

    /// Sends a client a message that contains the client's own names.
    mutating func sendPlain(_ key: SessionKey, _ message: ServerMessage) { sendInOrder(key, message) }

    mutating func emit(_ key: SessionKey, _ message: ServerMessage, bytes size: UInt64) {
        actions.append(.send(key.connection, message))
        sessions[key]?.credit -= Int64(clamping: size)
    }

    /// Ends a connection with an error. The text must not contain data of other users.
    mutating func end(_ connection: ConnectionNumber, _ fault: SyncFault, _ text: SyncString) {
        guard connections[connection] != nil else { return }
        actions.append(.send(connection, .error(nil, ErrorMessage(fault, text: text))))
        actions.append(.close(connection))
        forget(connection)
    }

    mutating func end(_ key: SessionKey, _ fault: SyncFault, _ text: SyncString) {
        guard let session = sessions[key] else { return }
        note(
            .ended(
                EndedSession(
                    stream: session.stream,
                    user: session.user,
                    file: session.ident,
                    fault: fault,
                    text: text
                )
            )
        )
        actions.append(.send(key.connection, .error(key.number, ErrorMessage(fault, text: text))))
        forget(key)
    }

    mutating func forget(_ key: SessionKey) {
        guard let session = sessions.removeValue(forKey: key) else { return }
        cancelWork(of: session)
        streams[session.stream]?.guests.remove(key)
        keepIncoming(session)
        if session.stagedBytes > 0 {
            request(session.stream, .dropParts(PartName(ident: session.ident, commit: session.received + 1)), .note)
        }
        for case .parts(let parts, _) in session.outbox { noteDone(parts.message.count, key) }
        if configuration.isCoordinated { removeWaiting(session) }
        connections[key.connection]?.sessions.remove(key.number)
        if let head = streams[session.stream]?.head.cursor,
            streams[session.stream]?.sessions.remove(key, of: session.ident, session.view.identity) == true
        {
            streams[session.stream]?.sums.retire(session.view.identity, head: head)
        }
        if streams[session.stream]?.waiting.isEmpty == false {
            streams[session.stream]?.waiting.removeAll { $0.key == key }
        }
        if streams[session.stream]?.isUnused == true { streams[session.stream] = nil }
    }

    private mutating func forget(_ connection: ConnectionNumber) {
        guard let old = connections.removeValue(forKey: connection) else { return }
        for number in old.sessions.sorted() { forget(SessionKey(connection: connection, number: number)) }
    }

    // MARK: Answers and timers

    private mutating func take(_ answer: ServerStoreAnswer, _ asked: Asked) {
        let known = asked.known
        switch asked.purpose {
        case .bind(let key): takeBind(answer, key, asked: known)
        case .identity(let key, let file, let secret, let fork): takeIdentity(answer, key, file, secret, fork)
        case .rows(let stream): takeRows(answer, stream, asked: known)
        case .commit(let stream): takeCommit(answer, stream, asked: known)
        case .part(let key): takePart(answer, key)
        case .parts(let key): takeParts(answer, key)
        case .kept(let key): takeKept(answer, key)
        case .whole(let key): takeStored(answer, key)
        case .step(let key, let cursor): takeStep(answer, key, cursor, asked: known)
        case .page(let key, let bootstrap): takePage(answer, key, bootstrap)
        case .fetch(let key, let names, let cursor): takeFetched(answer, key, names, cursor)
        case .head(let stream):
            switch answer {
            case .rows(let rows): learn(rows, stream, asked: known)
            case .head(let head): learn(head, stream, asked: known)
            default: break
            }
        case .follow(let stream): takeFollowed(answer, stream, asked: known)
        case .gap(let stream, let cursor): takeGap(answer, stream, behind: cursor, asked: known)
        case .check(let stream, let cursor): takeCheck(answer, stream, cursor: cursor, asked: known)
        case .writer(let stream): takeWriter(answer, stream)
        case .firstHead(let stream): takeFirstHead(answer, stream, asked: known)
        case .guest(let stream): if case .file = answer { endGuests(stream) }
        case .note: break
        case .noteFront(let key, let number): takeNoted(answer, key, number)
        }
    }

    private mutating func fire(_ timer: ServerTimer) {
        switch timer {
        case .group(let stream):
            streams[stream]?.isTimed = false
            startGroup(stream)
        case .look(let stream):
            streams[stream]?.isLooking = false
            guard streams[stream] != nil else { return }
            retry(stream)
            retryGuests(stream)
            retryCheck(stream)
            look(stream)
            watch(stream)
        case .trim:
            let (log, horizon) = (now - configuration.logAge, now - configuration.horizonAge)
            for key in sessions.keys.sorted() { note(key) }
            noteWriters()
            for stream in Set(streams.keys).union(writers.keys) {
                request(stream, .trim(log: log, horizon: horizon), .head(stream))
                request(stream, .trimParts(before: now - configuration.partAge), .note)
                request(stream, .trimFiles(unused: now - configuration.unusedFileAge, idle: horizon), .note)
                trimWriters(stream)
            }
            actions.append(.setTimer(.trim, at: callersNow &+ configuration.trimInterval))
        }
    }

    /// Sets the timer `look` of a stream, unless it is set.
    mutating func watch(_ stream: StreamName) {
        guard streams[stream]?.isLooking == false else { return }
        streams[stream]?.isLooking = true
        actions.append(.setTimer(.look(stream), at: callersNow &+ configuration.lookInterval))
    }
}

extension SessionKey: Comparable {
    static func < (a: SessionKey, b: SessionKey) -> Bool { (a.connection, a.number) < (b.connection, b.number) }
}

/// The state of a stream in a node.
struct StreamState: Sendable {
    /// The number of this state. The machine discards the state if the store was restored to an earlier state, or if nothing uses the stream. A later
    /// state of the stream has another number.
    let memory: UInt64
    /// The published head: live sessions have been sent everything up to it.
    var head: StreamHead
    /// The newest head that the store reported. It is the published head or a newer one.
    var known: StreamHead
    /// A Boolean value that indicates whether a request for the step after the published head is unanswered.
    var isReading = false
    /// A Boolean value that indicates whether the store is to be asked for such a step although no newer head is known.
    var isDue = false
    /// A Boolean value that indicates whether the step after the published head is being compared with views.
    var isPublishing = false
    /// The maximum size of the step of other nodes that is being compared with views, in bytes. 0 if there is no such step.
    var stepBytes = 0
    /// The commits of this node that the store confirmed after it had reported a newer head. The newer head may belong to a store that was restored
    /// to a version to a version before them.
    var unverified: [Cursor] = []
    /// The binds that the store answered with a head that isn't published yet.
    var waiting: [WaitingBind] = []
    var sessions = SessionList()
    /// The files with sessions that were ended by another bind of the file, and the number of recent cases.
    var fights: [FileIdent: Fight] = [:]
    /// The checksums of views. They are known for a view once a bootstrap has calculated them.
    var sums = StreamSums()
    /// The commits that wait for a group.
    var queue: [QueuedCommit] = []
    /// The number of changes in `queue`. A commit without changes counts as one.
    var queuedChanges = 0
    /// The number of commits at the beginning of the queue that are merged one by one, since a group of them was too large.
    var separate = 0
    /// The commits that are being merged.
    var group: Group?
    /// Rows that were read or written, as of the known head.
    var rows: StoreRows
    /// The sizes of the objects in `rows`.
    var weights = RowWeights()
    /// The size of `rows` that is included in `ServerMachine.rowBytes`.
    var countedBytes = 0
    var isTimed = false
    var isLooking = false
    /// Copies of files whose next commit may already have been sent by another copy.
    var copies: Set<FileIdent> = []
    var guests = GuestSessions()
    /// A Boolean value that indicates whether the state is kept without sessions and commits, because other nodes forward commits to this one.
    var isKept = false

    init(_ head: StreamHead, memory: UInt64) {
        (self.head, known, self.memory) = (head, head, memory)
        rows = StoreRows(head: head)
    }

    /// A Boolean value that indicates whether nothing needs the stream any more.
    var isUnused: Bool { !isKept && sessions.isEmpty && waiting.isEmpty && group == nil && queue.isEmpty }

    /// Removes all rows, because rows of different heads can't be combined.
    mutating func forgetRows(_ head: StreamHead) {
        rows = StoreRows(head: head)
        weights = RowWeights()
    }
}

/// A head of a stream, and the number of the stream's state at that time.
struct KnownHead: Sendable {
    let head: StreamHead
    let memory: UInt64
}

/// A bind of a file whose session begins once the head of the bind's answer is published.
struct WaitingBind: Sendable {
    let key: SessionKey
    let binding: ServerMachine.Binding
    let views: [View]
}

/// The number of times that binds of one file ended each other's sessions, and the last time.
struct Fight: Sendable {
    var time: Int64
    var count = 0
}

/// A commit of a session, or a submission, that waits for a group or is in one.
struct QueuedCommit: Sendable {
    let session: SessionKey
    /// The number of the submission. Nil for a commit of a session.
    var submission: SubmissionNumber?
    /// The node that forwarded the commit. Nil for a commit of this node.
    var origin: ForwardOrigin?
    let ident: FileIdent
    /// The secret of the author's file. Nil for files that aren't in the store.
    let secret: SecretHash?
    /// The author of the commit, and the author's rights.
    let user: SyncString
    var rights: (any SessionRights)?
    /// The commit in stored names. A submission has the number 0 before its first merge.
    private(set) var commit: Commit
    /// The original commit and its translation. Nil if the author uses stored names.
    private(set) var lensed: LensedCommit?
    private(set) var hash: RunningHash
    /// The running hash of the session's preceding commit. That commit must be the last one of the file in the store.
    private(set) var previous: RunningHash
    let wasSplit: Bool
    /// The lists that the author sent for a commit whose base is older than the horizon that the author knows. Nil if the base isn't older.
    let oldLists: [OldList]?
    /// Bits that make the hash of a submission unique.
    var salt: UInt64 = 0
    /// The bytes that a front end stores together with the commit.
    var front: FrontBytes?
    /// The reason why all changes of the commit are refused, or `nil` if they are merged.
    var refusal: CommitRefusal?

    /// The commit as the author sent it. Its size determines the credit.
    var sent: Commit { lensed?.original ?? commit }

    /// Returns a submission as the next commit of its file. The hash depends only on the submission, the number and the previous hash. So two
    /// attempts with the same number and the same previous commit are one commit, and all other attempts are different commits.
    func following(_ file: FileRow) -> QueuedCommit {
        var item = self
        let number = file.last + 1
        (item.commit, item.lensed) = (commit.renumbered(to: number), lensed?.renumbered(to: number))
        item.previous = file.hash
        item.hash = file.hash.appending(Array("\(number)".utf8), salt: salt)
        return item
    }
}

/// Commits that are merged together and written in one transaction.
struct Group: Sendable {
    var items: [QueuedCommit]
    /// Rows that were read for a group with many objects. They aren't remembered.
    var ownRows: [StoreRows] = []
    var transaction: GroupTransaction?
    /// The commits and their answers, in the order of the items.
    var results: [(item: QueuedCommit, answer: StoredAnswer)] = []
    /// The commits that can't be merged. Their sessions end, or their submissions fail, with these errors.
    var faults: [CommitFault] = []
    /// The time of the next attempt after the store failed. Nil if the group doesn't wait for one.
    var retryAt: Int64?
    /// The number of failed attempts in a row, up to 6.
    var failures = 0
    /// Copies of files with commits that no other copy sent.
    var originals: Set<FileIdent> = []
    /// The number of times that rows were requested.
    var reads = 0
    /// The files whose rows were requested last.
    var askedFiles: Set<FileIdent> = []
    /// The files whose rows were read again, because commits of them couldn't be merged into the remembered rows.
    var readAgain: Set<FileIdent> = []
}
