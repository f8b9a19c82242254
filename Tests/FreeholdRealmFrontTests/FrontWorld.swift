import FreeholdEngine
import FreeholdRealmFront
import FreeholdRealmWire
import FreeholdSyncCore
import Testing

/// A server's machine on a store in memory, with connections of official clients and of Freehold clients.
///
/// Messages between a client and its front end wait in queues, so that a test decides about their order.
struct FrontWorld {
    var store = MemoryServerStore(epoch: 7)
    var machine: ServerMachine
    var configuration: RealmFrontConfiguration
    var fronts: [ConnectionNumber: RealmFront] = [:]
    /// The frames on their way to each client.
    var frames: [ConnectionNumber: [RealmServerMessage]] = [:]
    /// The messages that each Freehold client received.
    var messages: [ConnectionNumber: [ServerMessage]] = [:]
    var closed: [ConnectionNumber: UInt16] = [:]
    var logs: [RealmFrontLog] = []
    var validators: [ConnectionNumber: SessionValidator] = [:]
    private(set) var faults: [String] = []
    private var timers: [ServerTimer: Int64] = [:]
    private var last: ConnectionNumber = 0
    var now: Int64 = 300_000_000_000
    var random = SystemRandomNumberGenerator()
    /// A Boolean value that indicates whether requests to the store wait.
    var holdsStore = false
    private var heldRequests: [(RequestNumber, ServerStoreRequest)] = []
    /// A Boolean value that indicates whether messages of the machine to front ends wait, as they do on a busy server.
    var holdsMessages = false
    private var heldMessages: [(ConnectionNumber, ServerMessage)] = []
    private var events: [ServerEvent] = []
    private var isHandling = false

    static let app = SyncString("app")
    static let stream = StreamName(app: app)

    static let tables = [
        FreeholdEngine.TableSpec(
            "Person",
            columns: [
                FreeholdEngine.ColumnSpec("_id", .int), FreeholdEngine.ColumnSpec("name", .string),
                FreeholdEngine.ColumnSpec("age", .int, optional: true),
                FreeholdEngine.ColumnSpec("tags", .string, collection: .list),
                FreeholdEngine.ColumnSpec("scores", .int, collection: .set),
                FreeholdEngine.ColumnSpec("notes", .string, collection: .dictionary),
                FreeholdEngine.ColumnSpec("friends", .link, collection: .list, target: "Person"),
                FreeholdEngine.ColumnSpec("best", .link, optional: true, target: "Person"),
                FreeholdEngine.ColumnSpec("home", .link, optional: true, target: "Address"),
                FreeholdEngine.ColumnSpec("homes", .link, collection: .list, target: "Address"),
                FreeholdEngine.ColumnSpec("any", .mixed),
            ],
            primaryKey: "_id"
        ),
        FreeholdEngine.TableSpec(
            "Address",
            columns: [
                FreeholdEngine.ColumnSpec("street", .string),
                FreeholdEngine.ColumnSpec("rooms", .int, collection: .list),
            ],
            isEmbedded: true
        ),
        FreeholdEngine.TableSpec(
            "Event",
            columns: [FreeholdEngine.ColumnSpec("_id", .int), FreeholdEngine.ColumnSpec("text", .string)],
            primaryKey: "_id",
            isAsymmetric: true
        ),
    ]

    init(
        rules: MergeRules = MergeRules(),
        change: (inout ServerApp, inout RealmFrontConfiguration) -> Void = { _, _ in }
    ) {
        var rules = rules
        rules.createOnly.insert("Event")
        var app = ServerApp(rules: rules)
        configuration = RealmFrontConfiguration(app: Self.app) { $0 == 0 ? .tables(Self.tables) : .unknown }
        change(&app, &configuration)
        machine = ServerMachine(
            ServerConfiguration(apps: [Self.app: app]) { token, _ in token.text },
            matcher: QueryMatcher()
        )
    }

    // MARK: Connections

    /// Opens a connection of an official client.
    mutating func connect(version: Int = 14, user: SyncString = "user") -> ConnectionNumber {
        last += 1
        var front = RealmFront(configuration, version: version, user: user, agent: "RealmSync/14.14.0")
        handle(.opened(last))
        let actions = front.open(now: now)
        fronts[last] = front
        frames[last] = []
        validators[last] = SessionValidator(version: version)
        perform(actions, last)
        return last
    }

    /// Opens a connection of a Freehold client, without its session.
    mutating func connectFreehold(user: SyncString = "user") -> ConnectionNumber {
        last += 1
        handle(.opened(last))
        messages[last] = []
        pass(.hello(Hello(deviceTime: now, token: AccessToken(user))), last)
        return last
    }

    mutating func cut(_ connection: ConnectionNumber) {
        fronts[connection] = nil
        messages[connection] = nil
        handle(.closed(connection))
    }

    /// Replaces the machine and all front ends, like a process that ends and starts again.
    mutating func restart() {
        machine = ServerMachine(machine.configuration, matcher: QueryMatcher())
        (fronts, messages, timers, heldRequests, heldMessages) = ([:], [:], [:], [], [])
    }

    // MARK: Messages

    /// Passes a message of an official client.
    mutating func receive(_ message: RealmClientMessage, _ connection: ConnectionNumber) {
        guard let front = fronts[connection] else { return }
        do { try validators[connection]?.receive(message) } catch { faults.append("client: \(error)") }
        do {
            let codec = RealmMessageCodec(version: validators[connection]?.version ?? 14)
            receive(frame: try codec.encoded(message), connection)
        } catch { faults.append("\(error)") }
        _ = front
    }

    mutating func receive(frame: [UInt8], _ connection: ConnectionNumber) {
        guard var front = fronts.removeValue(forKey: connection) else { return }
        let actions = front.received(frame: frame, now: now)
        front.checkInvariants()
        fronts[connection] = front
        perform(actions, connection)
    }

    /// Passes a message of a Freehold client.
    mutating func pass(_ message: ClientMessage, _ connection: ConnectionNumber) {
        handle(.received(connection, message, bytes: 100))
    }

    private mutating func perform(_ actions: [RealmFrontAction], _ connection: ConnectionNumber) {
        let codec = RealmMessageCodec(version: validators[connection]?.version ?? 14)
        for action in actions {
            switch action {
            case .send(let bytes):
                do {
                    let message = try codec.serverMessage(bytes)
                    try validators[connection]?.send(message)
                    frames[connection, default: []].append(message)
                } catch { faults.append("server: \(error)") }
            case .pass(let message, let bytes): handle(.received(connection, message, bytes: bytes))
            case .close(let code): closed[connection] = code
            case .log(let log): logs.append(log)
            }
        }
        guard var front = fronts.removeValue(forKey: connection) else { return }
        let more = front.flushed()
        fronts[connection] = front
        if !more.isEmpty { perform(more, connection) }
    }

    // MARK: The machine

    /// Handles an event, and everything that follows from it, in order.
    mutating func handle(_ event: ServerEvent) {
        events.append(event)
        guard !isHandling else { return }
        isHandling = true
        while !events.isEmpty {
            let actions = machine.handle(events.removeFirst(), now: now, random: &random)
            for action in actions { perform(action) }
        }
        isHandling = false
    }

    private mutating func perform(_ action: ServerAction) {
        switch action {
        case .send(let connection, let message):
            if fronts[connection] == nil {
                messages[connection]?.append(message)
            } else if holdsMessages {
                heldMessages.append((connection, message))
            } else {
                pass(message, connection)
            }
        case .close(let connection): closed[connection] = closed[connection] ?? 1000
        case .request(let number, let request):
            if holdsStore {
                heldRequests.append((number, request))
            } else {
                events.append(.answered(number, store.perform(request)))
            }
        case .work(let number, var work): events.append(.worked(number, work.finish()))
        case .cancelWork, .submitted: break
        case .setTimer(let timer, let at): timers[timer] = at
        }
    }

    /// Passes a message of the machine to a front end.
    private mutating func pass(_ message: ServerMessage, _ connection: ConnectionNumber) {
        guard var front = fronts.removeValue(forKey: connection) else { return }
        let more = front.received(message, now: now)
        front.checkInvariants()
        fronts[connection] = front
        perform(more, connection)
    }

    /// Passes the messages to front ends that wait.
    mutating func releaseMessages() {
        holdsMessages = false
        let held = heldMessages
        heldMessages = []
        for (connection, message) in held { pass(message, connection) }
    }

    /// Passes the messages to front ends that wait, up to one that waits longer.
    mutating func releaseMessages(before isLast: (ServerMessage) -> Bool) {
        while let (connection, message) = heldMessages.first {
            if isLast(message) { return }
            heldMessages.removeFirst()
            pass(message, connection)
        }
        note("the message doesn't wait")
    }

    /// Passes the messages and answers the requests that wait, and lets time pass until the commits are merged.
    ///
    /// - Parameter releases: A Boolean value that indicates whether messages to front ends are passed.
    mutating func settle(releases: Bool = true) {
        for _ in 0..<200 {
            if releases { releaseMessages() }
            holdsStore = false
            let requests = heldRequests
            heldRequests = []
            for (number, request) in requests { handle(.answered(number, store.perform(request))) }
            now += 10
            let due = timers.filter { timer in
                if case .group = timer.key { true } else if case .look = timer.key { timer.value <= now } else { false }
            }
            if due.isEmpty, requests.isEmpty { return }
            for timer in due.keys {
                timers[timer] = nil
                handle(.timer(timer))
            }
        }
    }

    /// Returns the frames that wait for a client, and removes them.
    mutating func take(_ connection: ConnectionNumber) -> [RealmServerMessage] {
        defer { frames[connection] = [] }
        return frames[connection] ?? []
    }

    mutating func note(_ fault: String) { faults.append(fault) }

    /// The live objects of the store.
    var contents: [ObjectName: [SyncString: MergedContent]] { store.contents(of: Self.stream).mapValues(\.contents) }
}

/// A small official client: it stores, commits, uploads and integrates downloads like the specification says.
struct OfficialClient {
    struct Local {
        let version: UInt64
        let base: UInt64
        let timestamp: UInt64
        let original: Changeset
        var reciprocal: Changeset
    }

    var state = WireState()
    var connection: ConnectionNumber = 0
    var session: UInt64 = 0
    var file: RealmFileIdent?
    var version: UInt64 = 2
    var log: [Local] = []
    var uploaded: UInt64 = 0
    var download = DownloadCursor(server: 0, client: 0)
    var upload = UploadCursor(client: 0, server: 0)
    var latest = LatestVersion(version: 0, salt: 0)
    var queryVersion: Int64 = 0
    var queries: [FreeholdRealmWire.ClassQuery] = []
    var wanted: (version: Int64, queries: [FreeholdRealmWire.ClassQuery])?
    var pending: [DownloadEntry] = []
    var marks: (sent: UInt64, answered: UInt64) = (0, 0)
    var errors: [ServerError] = []
    var compensations: [ServerError.Compensation] = []
    var queryErrors: [Int64] = []
    var schemaVersion: Int64 = 0
    /// A Boolean value that indicates whether uploads wait for the first mark.
    var isBlocked = true
    var time: UInt64 = 300_000_000_000
    var faults: [String] = []

    // MARK: Sessions

    mutating func bind(_ world: inout FrontWorld, reason: Int64 = 0) {
        session += 1
        isBlocked = true
        uploaded = upload.client
        pending = []
        let bind = RealmClientMessage.Bind(
            session: session,
            needsIdent: file == nil,
            schemaVersion: schemaVersion,
            reason: reason
        )
        world.receive(.bind(bind), connection)
        if file != nil { ident(&world) }
    }

    mutating func ident(_ world: inout FrontWorld) {
        guard let file else { return }
        let ident = RealmClientMessage.Ident(
            session: session,
            file: file,
            download: download,
            latest: latest,
            queryVersion: queryVersion,
            queries: queries
        )
        world.receive(.ident(ident), connection)
        mark(&world)
        if let wanted { query(wanted.version, wanted.queries, &world) }
    }

    mutating func mark(_ world: inout FrontWorld) {
        marks.sent += 1
        world.receive(.mark(session: session, number: marks.sent), connection)
    }

    mutating func query(_ version: Int64, _ queries: [FreeholdRealmWire.ClassQuery], _ world: inout FrontWorld) {
        wanted = (version, queries)
        world.receive(.query(session: session, version: version, queries: queries), connection)
        mark(&world)
    }

    // MARK: Writes

    /// Commits instructions that fit the present state.
    mutating func write(_ instructions: [Instruction]) {
        version += 2
        time += 1
        let changeset = Changeset(instructions)
        do {
            // The raw forms of the bytes belong to the changeset.
            let recorded = try Changeset(bytes: changeset.encoded())
            try state.apply(recorded)
            log.append(
                Local(
                    version: version,
                    base: download.server,
                    timestamp: time,
                    original: recorded,
                    reciprocal: recorded
                )
            )
        } catch { faults.append("a write fails: \(error)") }
    }

    mutating func send(_ world: inout FrontWorld) {
        guard !isBlocked else { return }
        let entries = log.filter { $0.version > uploaded }
        let progress = UploadCursor(client: version, server: download.server)
        guard !entries.isEmpty || progress.server > upload.server else { return }
        let sent = entries.map {
            UploadEntry(
                clientVersion: $0.version,
                serverVersion: $0.base,
                timestamp: $0.timestamp,
                changeset: (try? $0.original.encoded()) ?? []
            )
        }
        (uploaded, upload.server) = (version, progress.server)
        let message = RealmClientMessage.Upload(
            session: session,
            progress: progress,
            lockedServer: download.server,
            entries: sent
        )
        world.receive(.upload(message), connection)
    }

    // MARK: Downloads

    /// Takes a number of the frames that wait, or all of them.
    mutating func receive(_ world: inout FrontWorld, most: Int = .max) {
        var count = 0
        while count < most, let frame = world.frames[connection]?.first {
            world.frames[connection]?.removeFirst()
            count += 1
            take(frame, &world)
        }
    }

    private mutating func take(_ frame: RealmServerMessage, _ world: inout FrontWorld) {
        guard frame.session == session || frame.session == 0 else { return }
        switch frame {
        case .ident(_, let file):
            self.file = file
            ident(&world)
        case .download(let download): take(download, &world)
        case .mark(_, let number):
            marks.answered = number
            isBlocked = false
        case .error(let error):
            if let compensation = error.compensation {
                compensations.append(compensation)
            } else if error.code == 200, error.tryAgain {
                bind(&world)
            } else if error.code != 236 {
                errors.append(error)
                isBlocked = true
            } else {
                errors.append(error)
            }
        case .queryError(_, _, let version, _):
            queryErrors.append(version)
            wanted = nil
        case .unbound, .pong, .log: break
        }
    }

    private mutating func take(_ message: RealmServerMessage.Download, _ world: inout FrontWorld) {
        guard errors.isEmpty else { return faults.append("a download follows an error") }
        switch message.batch {
        case .more:
            pending += message.entries
            return
        case .last:
            integrate(pending + message.entries)
            pending = []
            queryVersion = message.queryVersion
            if let wanted, wanted.version == queryVersion { (queries, self.wanted) = (wanted.queries, nil) }
        case .steady:
            if message.entries.isEmpty, message.download.server != download.server {
                faults.append("N1: an empty download has a new version")
            }
            integrate(message.entries)
        }
        (download, latest) = (message.download, message.latest)
        upload.client = max(upload.client, message.upload.client)
        log.removeAll { $0.version <= download.client }
    }

    private mutating func integrate(_ entries: [DownloadEntry]) {
        for entry in entries {
            do {
                let changeset = try Changeset(bytes: entry.changeset)
                let places = log.indices.filter { log[$0].version > entry.clientVersion }
                var own = places.map {
                    MergeEntry(
                        order: ChangeOrder(timestamp: log[$0].timestamp, ident: file?.ident ?? 0),
                        changeset: log[$0].reciprocal
                    )
                }
                var incoming = [
                    MergeEntry(
                        order: ChangeOrder(timestamp: entry.timestamp, ident: entry.origin),
                        changeset: changeset
                    )
                ]
                try ClientMerge.transform(own: &own, incoming: &incoming)
                for (place, entry) in zip(places, own) { log[place].reciprocal = entry.changeset }
                try state.apply(incoming[0].changeset)
            } catch { faults.append("an entry can't be integrated: \(error)") }
        }
        if !entries.isEmpty { version += 1 }
    }

    // MARK: Reading

    func fields(_ key: Int64) -> WireFields? { state[WireObject(table: "Person", key: .int(key))] }
}

extension Instruction {
    static func person(_ key: Int64) -> WireObject { WireObject(table: "Person", key: .int(key)) }

    static func create(_ key: Int64) -> Instruction { .createObject(person(key)) }

    static func erase(_ key: Int64) -> Instruction { .eraseObject(person(key)) }

    static func set(
        _ key: Int64,
        _ field: WireText,
        _ value: Payload,
        at path: [PathElement] = []
    ) -> Instruction {
        let place = WirePath(object: person(key), field: field, elements: path)
        return .update(at: place, value: value, mark: .field(isDefault: false))
    }

    static func insert(
        _ key: Int64,
        _ field: WireText,
        at index: UInt32,
        _ value: Payload,
        size: Int
    ) -> Instruction {
        let place = WirePath(object: person(key), field: field, elements: [.index(index)])
        return .arrayInsert(at: place, value: value, priorSize: UInt32(size))
    }

    static func remove(_ key: Int64, _ field: WireText, _ index: UInt32, size: Int) -> Instruction {
        let place = WirePath(object: person(key), field: field, elements: [.index(index)])
        return .arrayErase(at: place, priorSize: UInt32(size))
    }
}
