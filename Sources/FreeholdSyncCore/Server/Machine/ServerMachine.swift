/// A node of a sync server, without a network and without a store (sync-design.md, sections 8 to 10).
///
/// What happens comes in as events, in any order that a network and a store can make; what is to be done goes out as actions. It does no IO
/// and reads no clock. Everything that must outlive the node is in the store, so a machine that is thrown away is replaced by a new one
/// on the same store. Several nodes may work on one stream: each transaction names the head that it stands on.
public struct ServerMachine: Sendable {
    public internal(set) var configuration: ServerConfiguration
    let matcher: any ConditionMatcher

    var connections: [ConnectionNumber: Connection] = [:]
    var sessions: SessionTable
    var streams: [StreamName: StreamState] = [:]
    var purposes: [RequestNumber: Asked] = [:]
    /// The requests that users cause.
    var shares: [SyncString: RequestShare] = [:]
    /// The users of requests that count for their shares.
    var askers: [RequestNumber: SyncString] = [:]
    private var lastRequest: RequestNumber = 0
    /// Work that was handed out.
    var works: [WorkNumber: WorkPurpose] = [:]
    var lastWork: WorkNumber = 0

    /// Of the event at work.
    var actions: [ServerAction] = []
    /// It doesn't go back.
    var now: Int64 = 0
    /// As the caller has it: timers are set by it.
    var callersNow: Int64 = 0
    private var draws: [UInt64] = []
    private var salts: UInt64 = 0
    /// The bytes of the rows of all streams, and of some that have ended.
    var rowBytes = 0
    /// Users some of whose sessions wait until the user's sessions keep less.
    var stalled: Set<SyncString> = []
    /// The time at which they are looked at again, while the node is full.
    var nextRelief: Int64 = 0
    /// Of streams to which somebody without a file writes.
    var writers: [StreamName: StreamWriter] = [:]
    /// Classes of apps whose objects aren't taken now.
    var held: [SyncString: Set<SyncString>] = [:]
    private var isTrimming = false
    private var bootstraps: UInt64 = 0
    /// The number of times that the machine began to remember a stream.
    private var memories: UInt64 = 0

    public init(_ configuration: ServerConfiguration, matcher: any ConditionMatcher) {
        self.configuration = configuration
        self.matcher = matcher
        sessions = SessionTable(share: configuration.userBytes)
    }

    /// Serves other apps from now on. Sessions that are bound go on, so an app that was there stays, and lets nobody in.
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
        /// The bytes of messages that are on their way in parts.
        var outgoing: UInt64 = 0
        var sessions: Set<SessionNumber> = []
    }

    /// Why the store was asked.
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
        /// A step behind the published head.
        case follow(StreamName)
        /// The head and the hash at the published one, since the store had no such step.
        case gap(StreamName, Cursor)
        /// The hash at the version of an own commit.
        case check(StreamName, Cursor)
        case writer(StreamName)
        case firstHead(StreamName)
        case guest(StreamName)
        case note
    }

    /// A request that the store hasn't answered.
    struct Asked: Sendable {
        let purpose: Purpose
        /// What was known of the stream when the request was made. Nil if the stream wasn't known.
        let known: KnownHead?
    }

    /// - Parameter now: the server's time, in milliseconds since 2015-01-01.
    /// - Complexity: O(what the event is about, messages that it sends, sessions that wait for something).
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
        case .drain(let after):
            for key in sessions.keys.sorted() { send(key, .notice(key.number, Notice(.leaving(after: after)))) }
        }
        resumeStalled()
        defer { actions = [] }
        return actions
    }

    // MARK: Tools

    /// Random bits. Two are there at each event, for a secret.
    mutating func draw() -> UInt64 { draws.removeLast() }

    /// Bits that no other node's log has. They needn't be secret.
    mutating func salt() -> UInt64 {
        salts = salts &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return salts
    }

    /// Tells bootstraps apart: a page that was asked for one must not be taken for another one's.
    mutating func nextBootstrap() -> UInt64 {
        bootstraps += 1
        return bootstraps
    }

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

    /// Begins to remember a stream.
    mutating func remember(_ name: StreamName, at head: StreamHead) {
        memories += 1
        streams[name] = StreamState(head, memory: memories)
    }

    /// Tells a client something that is said in stored names.
    mutating func send(_ key: SessionKey, _ message: ServerMessage) {
        guard let session = sessions[key] else { return sendPlain(key, message) }
        if let message = Self.shown(message, session) { sendPlain(key, message) }
    }

    /// Tells a client something that is said in its own names.
    mutating func sendPlain(_ key: SessionKey, _ message: ServerMessage) { sendInOrder(key, message) }

    mutating func emit(_ key: SessionKey, _ message: ServerMessage, bytes size: UInt64) {
        actions.append(.send(key.connection, message))
        sessions[key]?.credit -= Int64(clamping: size)
    }

    /// Ends a connection with an error that tells nothing of what others do.
    mutating func end(_ connection: ConnectionNumber, _ fault: SyncFault, _ text: SyncString) {
        guard connections[connection] != nil else { return }
        actions.append(.send(connection, .error(nil, ErrorMessage(fault, text: text))))
        actions.append(.close(connection))
        forget(connection)
    }

    mutating func end(_ key: SessionKey, _ fault: SyncFault, _ text: SyncString) {
        guard sessions[key] != nil else { return }
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

    /// Makes sure that the stream is looked after.
    mutating func watch(_ stream: StreamName) {
        guard streams[stream]?.isLooking == false else { return }
        streams[stream]?.isLooking = true
        actions.append(.setTimer(.look(stream), at: callersNow &+ configuration.lookInterval))
    }
}

extension SessionKey: Comparable {
    static func < (a: SessionKey, b: SessionKey) -> Bool { (a.connection, a.number) < (b.connection, b.number) }
}

/// What a node knows of a stream.
struct StreamState: Sendable {
    /// The number of this memory of the stream. Another one begins if the store went back, or after a while without sessions.
    let memory: UInt64
    /// The published head: live sessions have everything up to it.
    var head: StreamHead
    /// The newest head that the store answered; the published one, or a newer one.
    var known: StreamHead
    /// A Boolean value that indicates whether the store was asked for a step behind the published head.
    var isReading = false
    /// A Boolean value that indicates whether the store is to be asked for one, although no newer head is known.
    var isDue = false
    /// A Boolean value that indicates whether a step behind the published head is being compared with views.
    var isPublishing = false
    /// The most bytes of a step of other nodes that is being compared.
    var stepBytes = 0
    /// Own commits that were answered after a newer head was. The newer head may be of a store that went back behind them.
    var unverified: [Cursor] = []
    /// Files whose bind was answered with a head that isn't published.
    var waiting: [WaitingBind] = []
    var sessions = SessionList()
    /// Files whose sessions were ended by other binds, and how often of late.
    var fights: [FileIdent: Fight] = [:]
    /// What views sum up to, as far as a bootstrap told.
    var sums = StreamSums()
    /// Commits that wait.
    var queue: [QueuedCommit] = []
    /// How many changes they have.
    var queuedChanges = 0
    /// The number of commits at the beginning of the queue that are merged one by one, since the store couldn't keep them together.
    var separate = 0
    /// Commits that are being merged.
    var group: Group?
    /// Rows as they are at the known head.
    var rows: StoreRows
    /// The sizes of the objects in `rows`.
    var weights = RowWeights()
    /// The bytes of the rows that the machine's sum contains.
    var countedBytes = 0
    var isTimed = false
    var isLooking = false
    /// Copies of files whose next commit may be one that another copy sent already.
    var copies: Set<FileIdent> = []
    var guests = GuestSessions()

    init(_ head: StreamHead, memory: UInt64) {
        (self.head, known, self.memory) = (head, head, memory)
        rows = StoreRows(head: head)
    }

    /// A Boolean value that indicates whether nothing needs the stream any more.
    var isUnused: Bool { sessions.isEmpty && waiting.isEmpty && group == nil && queue.isEmpty }

    /// Removes all rows: those of another head can't be mixed with newer ones.
    mutating func forgetRows(_ head: StreamHead) {
        rows = StoreRows(head: head)
        weights = RowWeights()
    }
}

/// A head of a stream, in a memory of it.
struct KnownHead: Sendable {
    let head: StreamHead
    let memory: UInt64
}

/// A file whose session begins once the head of its bind is published.
struct WaitingBind: Sendable {
    let key: SessionKey
    let binding: ServerMachine.Binding
    let views: [View]
}

struct Fight: Sendable {
    var time: Int64
    var count = 0
}

struct QueuedCommit: Sendable {
    let session: SessionKey
    /// It came without a session.
    var submission: SubmissionNumber?
    let ident: FileIdent
    /// The user that the commit is of, and what it may see and write.
    let user: SyncString
    var rights: (any SessionRights)?
    /// In stored names. A submission has the number 0 before its first merge.
    private(set) var commit: Commit
    /// If its author has other names for things.
    private(set) var lensed: LensedCommit?
    private(set) var hash: RunningHash
    /// Of the session's commit before this one: it must be the file's last.
    private(set) var previous: RunningHash
    let wasSplit: Bool
    /// Nil if the commit is newer than the horizon that its author knows of.
    let oldLists: [OldList]?
    /// Bits of a submission's hash, which no other submission has.
    var salt: UInt64 = 0
    /// Why all changes of the commit are refused. Nil: they are merged.
    var refusal: CommitRefusal?

    /// As it was sent: credit is counted by it.
    var sent: Commit { lensed?.original ?? commit }

    /// Returns a submission as the next commit of its file.
    ///
    /// The hash depends on nothing but the submission, the number and the hash before it. So two attempts at one place of the file are one
    /// commit, and attempts at two places differ.
    func following(_ file: FileRow) -> QueuedCommit {
        var item = self
        let number = file.last + 1
        (item.commit, item.lensed) = (commit.renumbered(to: number), lensed?.renumbered(to: number))
        item.previous = file.hash
        item.hash = file.hash.appending(Array("\(number)".utf8), salt: salt)
        return item
    }
}

struct Group: Sendable {
    var items: [QueuedCommit]
    /// Rows that were read for a group with many objects. They aren't remembered.
    var ownRows: [StoreRows] = []
    var transaction: GroupTransaction?
    /// The answers, by the items' order.
    var results: [(item: QueuedCommit, answer: StoredAnswer)] = []
    /// Sessions that must end, and why.
    var faults: [(item: QueuedCommit, fault: SyncFault, text: SyncString)] = []
    /// The time of the next attempt, after the store failed. Nil: the group doesn't wait.
    var retryAt: Int64?
    /// The number of failed attempts in a row, up to 6.
    var failures = 0
    /// Copies of files with commits that no other copy sent.
    var originals: Set<FileIdent> = []
    /// How often rows were asked for.
    var reads = 0
    /// The files whose rows were asked for last.
    var askedFiles: Set<FileIdent> = []
}
