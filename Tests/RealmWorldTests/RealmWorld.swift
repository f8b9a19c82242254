import FreeholdCompression
import FreeholdRealmFront

@testable import FreeholdRealmWire
@testable import FreeholdSyncCore
@testable import SyncWorlds
@testable import TestRealmClient

/// Official clients beside Freehold clients at one server, in one thread and from one seed.
///
/// Each official client has a connection with a `RealmFront`. The server, its store and the Freehold clients are those of
/// `JointWorld`.
struct RealmWorld {
    struct Options: Sendable, CustomStringConvertible {
        var name: String
        var officials = 2
        var freeholds = 1
        var steps = 120
        /// The percentage of commits among the steps. The more there are, the more of them are concurrent.
        var commits = 25
        /// The fields that the changes don't touch.
        var omitted: Set<WireText> = []
        /// The keys of the objects of the classes A and B.
        var keys = (1, 3)
        var deletions = 4
        /// The kinds of changes inside of objects. `nil` permits all kinds.
        var kinds: Set<LocalChange.Kind>?
        var hasNesting = true
        /// The percentage of collections among the values of mixed places.
        var nesting = 25
        /// A Boolean value that indicates whether the clients put embedded objects into dictionaries.
        var hasEmbeddedEntries = true
        /// The number of lost connections in a thousand steps.
        var drops = 20
        /// The number of restarts of official clients in a thousand steps.
        var restarts = 0
        /// The number of ends of the server's process in a thousand steps.
        var kills = 0
        /// The number of new sets of subscriptions in a thousand steps.
        var queries = 0
        /// The number of steps in a thousand in which the server's store returns to an earlier state.
        var rollbacks = 0
        /// The number of copies of an official client's file in a thousand steps.
        var copies = 0
        /// The number of steps in a thousand after which a front writes changed objects as a whole.
        var distrusts = 0
        /// The percentage of refused objects in the commits.
        var refusals = 0
        /// A Boolean value that indicates whether messages between the fronts and the machine wait, as they do between the threads of a
        /// server.
        var isBusy = false
        var resetMode = ResetTracker.Mode.recoverOrDiscard
        /// The pair rules that the official clients don't have: the server's prediction is wrong then.
        var broken: Set<MergeRule> = []
        var version = 14
        /// The rules of the merge.
        var usesModel = false

        var description: String { name }
    }

    struct Official {
        var client: TestRealmClient
        var front: RealmFront?
        var connection: ConnectionNumber?
        var up: [[UInt8]] = []
        var down: [[UInt8]] = []
        /// The messages that wait between the front and the machine. `nil` ends the connection.
        var toMachine: [(message: ClientMessage, bytes: UInt64)] = []
        var toFront: [ServerMessage?] = []
        var validator: SessionValidator?
        var offset: Int64
        var queryNumber = 0
        /// A Boolean value that indicates whether the file is a copy of another one, or was copied.
        var isCopied = false
    }

    let options: Options
    var joint: JointWorld
    var officials: [Official] = []
    private(set) var problems: [String] = []
    var counts: [String: Int] = [:]
    /// The entries that were sent to each file, by their version: N5.
    private var sent: [UInt64: [UInt64: DownloadEntry]] = [:]
    /// The changesets that the fronts received from each file, by their version.
    private var uploaded: [UInt64: [UInt64: Set<[UInt8]>]] = [:]
    private var backup: (any WorldStore)?
    private var changes: RandomChanges
    /// The last messages and changes, if the world is traced.
    var trace: [String] = []
    let isTracing: Bool
    /// The states that the server predicted and that a client didn't show.
    var mispredicted = 0

    private static let texts: [[(String, String)]] = [
        [("A", "TRUEPREDICATE"), ("B", "TRUEPREDICATE")],
        [("A", "n < 2"), ("B", "TRUEPREDICATE")],
        [("A", "TRUEPREDICATE"), ("B", "n > 1")],
        [("B", "TRUEPREDICATE"), ("A", "b == false"), ("A", "n == 1")],
    ]

    init(seed: UInt64, _ options: Options, isTracing: Bool = false) throws {
        self.options = options
        self.isTracing = isTracing
        var joined = JointWorld.Options(name: options.name)
        joined.clients = options.freeholds
        joined.queries = ["A", "B"].map {
            FreeholdSyncCore.ClassQuery(className: $0, condition: "TRUEPREDICATE")
        }
        joined.hasFirstObject = false
        let refused = UInt64(options.refusals)
        joint = JointWorld(seed: seed, joined, server: { RealmWorld.machine(seed: seed, refusals: refused) })
        changes = RandomChanges(
            keys: [
                ("A", (0..<options.keys.0).map { .int(Int64($0)) }),
                ("B", (0..<options.keys.1).map { .string(WireText("b\($0)")) }),
            ],
            omitted: options.omitted,
            hasNesting: options.hasNesting,
            hasEmbeddedEntries: options.hasEmbeddedEntries,
            nesting: options.nesting,
            deletions: options.deletions,
            kinds: options.kinds
        )
        for number in 0..<options.officials {
            var client = try TestRealmClient(
                schema: WorldSchema.instructions,
                resetMode: options.resetMode,
                version: options.version,
                compression: SystemZlib(),
                time: UInt64(joint.time)
            )
            if options.usesModel || !options.broken.isEmpty { client.file.merge = .model(without: options.broken) }
            client.subscribe(to: Self.texts[0])
            officials.append(
                Official(client: client, offset: .random(in: -60_000...60_000, using: &joint.random))
            )
            connect(number)
        }
        settle()
    }

    private static func machine(seed: UInt64, refusals: UInt64) -> ServerMachine {
        var app = ServerApp(rules: MergeRules())
        if refusals > 0 {
            var rules = MergeRules()
            rules.forbids = { ident, commit, name in
                var random = SeededRandom(seed: seed ^ UInt64(ident.rawValue) << 40 ^ commit.number << 20)
                for byte in name.description.utf8 { random = SeededRandom(seed: random.next() ^ UInt64(byte)) }
                return random.next() % 100 < refusals
            }
            app = ServerApp(rules: rules)
        }
        let schema = ConditionSchema(WorldSchema.tables)
        app.schema = { schema }
        var configuration = ServerConfiguration(apps: ["test": app]) { token, _ in token.text }
        configuration.commitSize = { UInt64($0.estimatedSize) }
        return ServerMachine(configuration, matcher: QueryMatcher())
    }

    private mutating func note(_ text: String) { counts[text, default: 0] += 1 }

    private mutating func record(_ text: @autoclosure () -> String) {
        if isTracing { trace.append(text()) }
    }

    // MARK: Connections

    private mutating func connect(_ index: Int, isFast: Bool = false) {
        guard officials[index].connection == nil, !officials[index].client.isStopped else { return }
        joint.lastConnection += 1
        officials[index].connection = joint.lastConnection
        var configuration = RealmFrontConfiguration(app: "test") { _ in .tables(WorldSchema.tables) }
        configuration.commitSize = { UInt64($0.estimatedSize) }
        officials[index].front = RealmFront(
            configuration,
            version: options.version,
            user: "anna",
            agent: "test",
            compression: SystemZlib()
        )
        officials[index].validator = SessionValidator(version: options.version)
        officials[index].client.connect(isFast: isFast)
        record("official \(index) connects")
        joint.run(.opened(joint.lastConnection))
        perform(officials[index].front!.open(now: joint.time), index)
        route()
    }

    private mutating func disconnect(_ index: Int, code: Int? = nil) {
        guard let connection = officials[index].connection else { return }
        record("official \(index) loses its connection, code \(code.map { "\($0)" } ?? "none")")
        // The machine handles what the front has passed before it is notified of the end.
        while !officials[index].toMachine.isEmpty { deliverToMachine(index) }
        officials[index].connection = nil
        officials[index].front = nil
        officials[index].up = []
        officials[index].down = []
        officials[index].toFront = []
        if let code { officials[index].client.closed(code: code) } else { officials[index].client.disconnect() }
        joint.run(.closed(connection))
        route()
    }

    // MARK: The front

    /// Hands what the machine sent to the connections of official clients to their fronts.
    private mutating func route() {
        while !joint.undelivered.isEmpty {
            let (connection, message) = joint.undelivered.removeFirst()
            guard let index = officials.firstIndex(where: { $0.connection == connection }) else { continue }
            if options.isBusy { officials[index].toFront.append(message) } else { take(message, index) }
        }
    }

    private mutating func take(_ message: ServerMessage?, _ index: Int) {
        guard let message else { return disconnect(index, code: 1011) }
        record("machine to \(index): \(message)")
        perform(officials[index].front!.received(message, now: joint.time), index)
    }

    /// Passes the first message that waits for a front.
    private mutating func deliverToFront(_ index: Int) {
        guard !officials[index].toFront.isEmpty else { return }
        take(officials[index].toFront.removeFirst(), index)
        route()
    }

    /// Passes the first message of a front that waits for the machine.
    private mutating func deliverToMachine(_ index: Int) {
        guard !officials[index].toMachine.isEmpty, let connection = officials[index].connection else { return }
        let (message, bytes) = officials[index].toMachine.removeFirst()
        joint.run(.received(connection, message, bytes: bytes))
        route()
    }

    private mutating func perform(_ actions: [RealmFrontAction], _ index: Int) {
        for action in actions {
            guard let connection = officials[index].connection else { return }
            switch action {
            case .send(let frame):
                check(frame, index)
                officials[index].down.append(frame)
            case .pass(let message, let bytes):
                record("front \(index) passes \(message)")
                if options.isBusy {
                    officials[index].toMachine.append((message, bytes))
                } else {
                    joint.run(.received(connection, message, bytes: bytes))
                }
            case .close(let code):
                note("closed by the front")
                disconnect(index, code: Int(code))
                return
            case .log: break
            }
        }
        officials[index].front?.checkInvariants()
    }

    /// Checks a frame of the server before it is sent.
    private mutating func check(_ frame: [UInt8], _ index: Int) {
        do {
            let message = try officials[index].client.codec.serverMessage(frame)
            record("server to \(index): \(Self.text(message))")
            try officials[index].validator?.send(message)
            if case .error(let error) = message {
                note("error \(error.code) \(error.action): \(error.message)")
                if options.copies == 0, options.rollbacks == 0, error.message.contains("copy") {
                    problems.append("official \(index) is regarded as a copy: \(error.message)")
                }
            }
            guard case .download(let download) = message, download.batch == .steady,
                let ident = officials[index].client.file.ident?.ident, officials[index].client.fresh == nil
            else { return }
            for entry in download.entries {
                note("entries")
                if let old = sent[ident]?[entry.serverVersion], old != entry, !officials[index].isCopied {
                    problems.append("N5: the entry \(entry.serverVersion) was sent with another content before")
                }
                sent[ident, default: [:]][entry.serverVersion] = entry
            }
        } catch { problems.append("official \(index): the server's message is refused: \(error)") }
    }

    private static func text(_ message: RealmServerMessage) -> String {
        guard case .download(let download) = message else { return "\(message)" }
        let entries = download.entries.map { entry in
            let changeset = (try? Changeset(bytes: entry.changeset))?.instructions ?? []
            return "(\(entry.serverVersion), \(entry.clientVersion)) \(changeset)"
        }
        return
            "download \(download.download) upload \(download.upload) \(download.batch) query \(download.queryVersion): "
            + entries.joined(separator: "; ")
    }

    // MARK: Messages

    /// Collects the frames that a client wants to send.
    private mutating func collect(_ index: Int) {
        guard officials[index].connection != nil else { return }
        do {
            while let message = officials[index].client.nextMessage() {
                record("official \(index) sends \(Self.text(message))")
                try officials[index].validator?.receive(message)
                officials[index].up.append(try officials[index].client.codec.encoded(message))
                note("sent \(message.name)")
            }
        } catch { problems.append("official \(index): \(error)") }
    }

    private static func text(_ message: RealmClientMessage) -> String {
        guard case .upload(let upload) = message else { return "\(message)" }
        let entries = upload.entries.map { entry in
            let changeset = (try? Changeset(bytes: entry.changeset))?.instructions ?? []
            return "\(entry.clientVersion) on \(entry.serverVersion) at \(entry.timestamp): \(changeset)"
        }
        return "upload \(upload.progress): " + entries.joined(separator: "; ")
    }

    mutating func deliverUp(_ index: Int) {
        guard !officials[index].up.isEmpty, officials[index].connection != nil else { return }
        let frame = officials[index].up.removeFirst()
        noteUpload(frame, index)
        perform(officials[index].front!.received(frame: frame, now: joint.time), index)
        route()
    }

    mutating func deliverDown(_ index: Int) {
        guard !officials[index].down.isEmpty, officials[index].connection != nil else { return }
        let frame = officials[index].down.removeFirst()
        if isMisleading(frame, index) { return removeCopy(index) }
        officials[index].client.receive(frame: frame)
        checkClient(index)
        if officials[index].down.isEmpty, officials[index].connection != nil {
            perform(officials[index].front!.flushed(), index)
            route()
        }
    }

    // MARK: Copies

    private mutating func noteUpload(_ frame: [UInt8], _ index: Int) {
        let client = officials[index].client
        guard options.copies > 0, case .upload(let upload)? = try? client.codec.clientMessage(frame),
            let ident = client.file.ident?.ident
        else { return }
        for entry in upload.entries {
            uploaded[ident, default: [:]][entry.clientVersion, default: []].insert(entry.changeset)
        }
    }

    /// Returns a Boolean value that indicates whether a message acknowledges changes of another copy to a copied file.
    ///
    /// A server can't distinguish two copies before one of them has sent something. A message that was on its way to one of them
    /// reaches the other one, too.
    private func isMisleading(_ frame: [UInt8], _ index: Int) -> Bool {
        let client = officials[index].client
        guard officials[index].isCopied, case .download(let message)? = try? client.codec.serverMessage(frame),
            client.sessions.contains(where: { $0.number == message.session && $0.role == .main }),
            let ident = client.file.ident?.ident
        else { return false }
        let file = client.file
        guard message.upload.client <= file.newest else { return true }
        guard file.upload.client < message.upload.client else { return false }
        let versions = file.upload.client + 1...message.upload.client
        let own = Dictionary(
            uniqueKeysWithValues: file.history.filter(\.isUploaded).map { ($0.version, $0.bytes) }
        )
        let sent = uploaded[ident] ?? [:]
        return versions.contains { version in
            guard let bytes = own[version] else { return sent[version] != nil }
            return sent[version]?.contains(bytes) != true
        }
    }

    /// Resets a copy whose changes can't be uploaded any more. An app would delete its file.
    private mutating func removeCopy(_ index: Int) {
        note("misled copies")
        reset(index, isRecoveryPossible: true)
    }

    /// Lets a client that has nothing else to send send a ping.
    private mutating func ping(_ index: Int) {
        collect(index)
        guard officials[index].connection != nil, officials[index].client.pings.isEmpty,
            let message = officials[index].client.ping(timestamp: UInt64(joint.time))
        else { return }
        do {
            try officials[index].validator?.receive(message)
            officials[index].up.append(try officials[index].client.codec.encoded(message))
        } catch {
            problems.append("a ping can't be written: \(error)")
        }
    }

    private mutating func checkClient(_ index: Int) {
        officials[index].client.checkInvariants()
        let traps = officials[index].client.traps
        if !options.broken.isEmpty, !traps.isEmpty { return restore(index) }
        if !traps.isEmpty {
            problems.append("official \(index): \(traps.map(\.description).joined(separator: "; "))")
        }
        // A client that closed its connection because of a message has recorded a trap.
        if !officials[index].client.isConnected, officials[index].connection != nil { disconnect(index) }
    }

    /// Lets a client with a broken merge continue after a trap. A client that can't integrate a download receives all objects anew.
    private mutating func restore(_ index: Int) {
        mispredicted += 1
        let isHarmless = officials[index].client.traps.allSatisfy { $0.effect == .hidesWrite || $0.effect == .damages }
        officials[index].client.traps = []
        guard !isHarmless else { return }
        note("resets of broken clients")
        reset(index, isRecoveryPossible: false)
    }

    /// Lets the app of a client whose reset failed delete its file: the store went back during the reset and lost the file that the reset was
    /// receiving, or another copy of that file is in use.
    private mutating func replaceFailedReset(_ index: Int) {
        guard options.rollbacks > 0 || options.copies > 0, officials[index].client.isStopped,
            case .resetFailed? = officials[index].client.events.last
        else { return }
        note("failed resets")
        reset(index, isRecoveryPossible: true)
    }

    /// Lets a client receive all objects anew.
    private mutating func reset(_ index: Int, isRecoveryPossible: Bool) {
        disconnect(index)
        officials[index].client.sessions = []
        officials[index].client.isStopped = false
        officials[index].client.file.reset = nil
        officials[index].client.beginReset(isRecoveryPossible: isRecoveryPossible)
    }

    /// Compares what the front predicts with what the client shows after everything has arrived.
    mutating func checkPrediction(_ index: Int) {
        // Entries whose state isn't stored yet are predicted, and not sent.
        guard joint.requests.isEmpty, joint.works.isEmpty else { return }
        let official = officials[index]
        guard official.toFront.isEmpty, official.toMachine.isEmpty else { return }
        guard let front = official.front, official.up.isEmpty, official.client.fresh == nil,
            official.client.file.reset == nil,
            let session = official.client.sessions.first(where: { $0.role == .main && $0.isUsable && $0.isIdentSent }),
            session.position == official.client.file.newest
                || !official.client.file.history.contains(where: {
                    $0.isUploaded && $0.version > session.position
                })
        else { return }
        var client = official.client
        for frame in official.down { client.receive(frame: frame) }
        guard client.traps.isEmpty, let predicted = front.shown(session: session.number) else { return }
        note("predictions")
        let difference = predicted.state.difference(
            to: client.shown,
            of: predicted.objects.sorted { $0.text < $1.text }
        )
        if difference.isEmpty { return }
        mispredicted += 1
        if options.broken.isEmpty {
            problems.append("official \(index) shows something else than predicted: \(difference.instructions)")
        }
    }

    // MARK: Steps

    private mutating func commitOfficial(_ index: Int) {
        var client = officials[index].client
        let time = UInt64(max(joint.time + officials[index].offset, 1))
        var writer = LocalWriter(state: client.shown, version: 0)
        var list: [LocalChange] = []
        for _ in 0..<Int.random(in: 1...4, using: &joint.random) {
            guard let change = changes.change(of: writer.state, using: &joint.random),
                (try? writer.make(change)) != nil
            else { continue }
            list.append(change)
        }
        guard !list.isEmpty else { return }
        do {
            try client.commit(list, time: time)
            officials[index].client = client
            note("official commits")
            record("official \(index) commits \(list)")
        } catch is LocalError { return } catch { problems.append("a local commit fails: \(error)") }
    }

    private mutating func commitFreehold(_ index: Int) {
        let data = joint.clients[index].store.data
        var writer = LocalWriter(state: WireState(data.objects, schema: WorldSchema.wire), version: 0)
        var edits: [LocalEdit] = []
        for _ in 0..<Int.random(in: 1...4, using: &joint.random) {
            guard let change = changes.change(of: writer.state, using: &joint.random),
                change.isPossibleInFreehold(writer.state)
            else { continue }
            guard !change.isIncrementOfNothing(data.objects) else { continue }
            let made = change.edits(of: writer.state)
            guard writer.makeLikeFreehold(change) else { continue }
            edits += made
        }
        guard !edits.isEmpty else { return }
        record("freehold \(index) commits \(edits)")
        joint.commit(edits, index)
        note("freehold commits")
        joint.handle(.committed, index)
        route()
    }

    private mutating func subscribe(_ index: Int) {
        officials[index].queryNumber += 1
        let texts = joint.random.pick(Self.texts)
        record("official \(index) subscribes to \(texts)")
        officials[index].client.subscribe(to: texts)
        note("subscriptions")
    }

    private mutating func restart(_ index: Int) throws {
        note("restarts")
        disconnect(index)
        record("official \(index) restarts")
        try officials[index].client.restart(time: UInt64(joint.time))
    }

    /// Ends the server's process. All connections are lost.
    private mutating func kill() {
        note("ends of the server")
        record("the server's process ends")
        for index in officials.indices where officials[index].connection != nil {
            officials[index].connection = nil
            officials[index].front = nil
            officials[index].up = []
            officials[index].down = []
            (officials[index].toFront, officials[index].toMachine) = ([], [])
            officials[index].client.disconnect()
        }
        joint.kill()
    }

    private mutating func rollBack() {
        guard let old = backup else {
            backup = joint.store
            return
        }
        note("rollbacks")
        kill()
        record("the store returns to an earlier state")
        joint.store = old
        backup = nil
        // Versions are numbered again, with other contents.
        sent = [:]
    }

    private mutating func copyFile() throws {
        guard officials.count > 1 else { return }
        let index = Int.random(in: officials.indices, using: &joint.random)
        let other = (index + 1) % officials.count
        note("copied files")
        disconnect(other)
        record("official \(other) receives a copy of the file of official \(index)")
        // Another process opens the copy.
        var client = officials[index].client
        try client.restart(time: UInt64(joint.time))
        client.events = []
        officials[other].client = client
        officials[index].isCopied = true
        officials[other].isCopied = true
    }

    mutating func run() throws {
        for number in 1...options.steps
        where problems.isEmpty && joint.problems.isEmpty && joint.store.problems.isEmpty {
            joint.time += .random(in: 0...400, using: &joint.random)
            try step()
            if !options.broken.isEmpty, number.isMultiple(of: 60) {
                settle()
                noteDifferences()
            }
        }
        gatherProblems()
        if problems.isEmpty { heal() }
    }

    private mutating func gatherProblems() { problems += joint.problems + joint.store.problems }

    private mutating func fault(_ name: Int) -> Bool { Int.random(in: 0..<1_000, using: &joint.random) < name }

    private mutating func step() throws {
        let count = officials.count + joint.clients.count
        let number = Int.random(in: 0..<count, using: &joint.random)
        joint.fireServerTimers()
        route()
        if fault(options.kills) { kill() }
        if fault(options.rollbacks) { rollBack() }
        if fault(options.copies) { try copyFile() }
        if options.distrusts > 0, fault(options.distrusts) {
            for index in officials.indices { officials[index].front?.distrust() }
        }
        guard number < officials.count else { return stepFreehold(number - officials.count) }
        if fault(options.restarts) { try restart(number) }
        if fault(options.drops) {
            note("drops")
            disconnect(number)
        }
        if fault(options.queries) { subscribe(number) }
        if officials[number].connection == nil, joint.random.chance(30) {
            connect(number, isFast: joint.random.chance(50))
        }
        switch kindOfStep() {
        case 0..<25: commitOfficial(number)
        case 25..<50:
            collect(number)
            for _ in 0..<Int.random(in: 1...4, using: &joint.random) { deliverUp(number) }
        case 50..<75: for _ in 0..<Int.random(in: 1...4, using: &joint.random) { deliverDown(number) }
        case 75..<95: answer(Int.random(in: 1...4, using: &joint.random))
        case 95: joint.time += 70_000
        case 96 where options.copies > 0: ping(number)
        default: officials[number].client.bindAgain()
        }
        if options.isBusy {
            for _ in 0..<Int.random(in: 0...3, using: &joint.random) { deliverToMachine(number) }
            for _ in 0..<Int.random(in: 0...3, using: &joint.random) { deliverToFront(number) }
        }
        if joint.random.chance(30) { checkPrediction(number) }
    }

    /// Returns a number below 100. The numbers below 25 are commits.
    private mutating func kindOfStep() -> Int {
        let number = Int.random(in: 0..<100, using: &joint.random)
        guard options.commits != 25 else { return number }
        let others = 100 - options.commits
        return number < options.commits ? 0 : 25 + (number - options.commits) * 75 / others
    }

    private mutating func answer(_ count: Int) {
        for _ in 0..<count {
            joint.answer()
            route()
        }
    }

    private mutating func stepFreehold(_ index: Int) {
        joint.fireTimers(index)
        route()
        if fault(options.drops) {
            joint.drop(index)
            route()
        }
        switch kindOfStep() {
        case 0..<25: commitFreehold(index)
        case 25..<50: for _ in 0..<Int.random(in: 1...3, using: &joint.random) { joint.deliverUp(index) }
        case 50..<75: for _ in 0..<Int.random(in: 1...4, using: &joint.random) { joint.deliverDown(index) }
        case 75..<95: answer(Int.random(in: 1...4, using: &joint.random))
        default: joint.handle(.committed, index)
        }
        route()
    }

    // MARK: The end

    /// Delivers everything until nothing is left to send.
    private mutating func settle() {
        var quiet = 0
        for _ in 0..<600 where problems.isEmpty && joint.problems.isEmpty && quiet < 4 {
            joint.time += 3_000
            if joint.clients.indices.contains(where: { joint.connections[$0] == nil }) { joint.time += 200_000 }
            joint.fireServerTimers()
            route()
            var isQuiet = true
            for index in joint.clients.indices {
                joint.fireTimers(index)
                joint.handle(.committed, index)
                route()
            }
            for index in officials.indices {
                replaceFailedReset(index)
                if officials[index].connection == nil { connect(index) }
                officials[index].client.bindAgain()
            }
            isQuiet = deliverAll() && isQuiet
            if options.copies > 0, isQuiet {
                // A copy that lacks changes is noticed by its pings.
                for index in officials.indices { ping(index) }
                _ = deliverAll()
            }
            quiet = isQuiet ? quiet + 1 : 0
        }
        if quiet < 4, problems.isEmpty { problems.append("the messages don't end") }
    }

    /// Delivers all messages. Returns a Boolean value that indicates whether there were none except pings.
    private mutating func deliverAll() -> Bool {
        var isQuiet = true
        while problems.isEmpty, joint.problems.isEmpty {
            var isDone = joint.requests.isEmpty && joint.works.isEmpty
            joint.answer()
            route()
            for index in joint.clients.indices {
                let (up, down) = (joint.clients[index].up, joint.clients[index].down)
                if up.isEmpty, down.isEmpty { continue }
                isDone = false
                if !up.allSatisfy(Self.isPing) || !down.allSatisfy(Self.isPong) { isQuiet = false }
                joint.deliverUp(index)
                joint.deliverDown(index)
                route()
            }
            for index in officials.indices {
                collect(index)
                let official = officials[index]
                let waits = !official.toMachine.isEmpty || !official.toFront.isEmpty
                if official.up.isEmpty, official.down.isEmpty, !waits { continue }
                (isDone, isQuiet) = (false, false)
                deliverToMachine(index)
                deliverToFront(index)
                deliverUp(index)
                deliverDown(index)
                checkPrediction(index)
            }
            if isDone { break }
        }
        return isQuiet
    }

    private static func isPing(_ message: ClientMessage) -> Bool {
        if case .ping = message { true } else { false }
    }

    private static func isPong(_ message: ServerMessage) -> Bool {
        if case .pong = message { true } else { false }
    }

    /// Lets the fronts write all objects as a whole, since their predictions are wrong.
    private mutating func repairAll() {
        for index in officials.indices { officials[index].front?.distrust() }
        let present = WireState(
            joint.store.contents(of: JointWorld.stream).mapValues(\.contents),
            schema: WorldSchema.wire
        )
        var edits: [LocalEdit] = []
        for (table, keys) in changes.keys {
            for key in keys {
                let object = WireObject(table: table, key: key)
                if present[object] == nil { edits += LocalChange.create(object).edits(of: present) }
                edits.append(.set(LocalPlace(object.name, "n"), .value(.int(77)), .real))
            }
        }
        record("all objects are written again: \(edits)")
        joint.commit(edits, 0)
        settle()
        gatherProblems()
    }

    /// Counts the clients with a broken merge that show something else than the server has, after everything has arrived.
    private mutating func noteDifferences() {
        let expected = WireState(
            joint.store.contents(of: JointWorld.stream).mapValues(\.contents),
            schema: WorldSchema.wire
        )
        for official in officials where official.client.isIdle {
            let difference = official.client.shown.visible.difference(to: expected.visible)
            if !difference.isEmpty { mispredicted += 1 }
        }
    }

    /// Ends all faults, brings all clients to the newest state, and compares them.
    private mutating func heal() {
        record("the faults end")
        // A reset that discards changes also discards sets of subscriptions, so that the app subscribes again.
        for attempt in 0..<3 {
            for index in officials.indices where officials[index].queryNumber > 0 {
                let newest = officials[index].client.file.sets.last?.queries
                guard attempt == 0 || newest != SubscriptionSet.queries(of: Self.texts[0]) else { continue }
                officials[index].client.subscribe(to: Self.texts[0])
            }
            settle()
        }
        gatherProblems()
        guard problems.isEmpty else { return }
        if !options.broken.isEmpty {
            noteDifferences()
            repairAll()
        }
        guard problems.isEmpty else { return }
        let expected = WireState(
            joint.store.contents(of: JointWorld.stream).mapValues(\.contents),
            schema: WorldSchema.wire
        )
        for (index, official) in officials.enumerated() {
            counts["resets", default: 0] += official.client.events.count {
                if case .afterReset = $0 { true } else { false }
            }
            if !official.client.isIdle {
                problems.append(
                    "official \(index) isn't at rest: \(official.client.sessions) \(official.client.events)"
                )
            }
            let difference = official.client.shown.visible.difference(to: expected.visible)
            if !difference.isEmpty {
                problems.append("official \(index) ends differently, the server has: \(difference.instructions)")
            }
            for (key, value) in official.client.counts { counts[key, default: 0] += value }
            counts["merged changesets", default: 0] += official.client.merges
        }
        for (index, client) in joint.clients.enumerated() {
            let shown = WireState(client.store.data.objects, schema: WorldSchema.wire)
            let difference = shown.visible.difference(to: expected.visible)
            if !difference.isEmpty {
                problems.append("freehold \(index) ends differently, the server has: \(difference.instructions)")
            }
        }
    }
}

/// The system's zlib.
struct SystemZlib: WireCompression {
    func compressed(_ bytes: [UInt8]) -> [UInt8]? { ZlibCompression.shared.compressed(bytes) }

    func inflated(_ bytes: ArraySlice<UInt8>, count: Int) -> [UInt8]? {
        bytes.withUnsafeBytes { ZlibCompression.shared.inflated($0, count: count) }
    }
}

extension LocalChange {
    /// Returns a Boolean value that indicates whether a Freehold client can make the change: it has no edits inside of lists in
    /// mixed values.
    func isPossibleInFreehold(_ state: WireState) -> Bool {
        guard let path else { return true }
        guard let column = state.schema[path.object.table]?[path.field], column.kind == .mixed else { return true }
        let isOuter = path.elements.count == (column.collection == .single ? 0 : 1)
        switch self {
        case .insert, .remove, .move: return column.collection == .list && path.elements.count == 1
        case .removeAll: return path.elements.isEmpty && column.collection != .single
        case .set, .setDefault, .add, .removeEntry, .insertIntoSet, .removeFromSet:
            if isOuter || path.elements.isEmpty { return true }
            return !path.elements.dropFirst(column.collection == .single ? 0 : 1).contains {
                if case .index = $0 { true } else { false }
            }
        case .create, .delete: return true
        }
    }

    /// Returns a Boolean value that indicates whether the change adds to a field that was never written. The file in memory has no
    /// such field, unlike a file on a disk.
    func isIncrementOfNothing(_ objects: [ObjectName: [SyncString: MergedContent]]) -> Bool {
        guard case .add(let path, _) = self else { return false }
        guard path.elements.isEmpty, case .value(.int)? = objects[path.object.name]?[SyncString(path.field.description)]
        else { return true }
        return false
    }

    var path: WirePath? {
        switch self {
        case .create, .delete: nil
        case .set(let path, _), .setDefault(let path, _), .add(let path, _), .insert(let path, _), .remove(let path),
            .move(let path, _), .removeEntry(let path), .insertIntoSet(let path, _), .removeFromSet(let path, _),
            .removeAll(let path):
            path
        }
    }
}

extension LocalWriter {
    /// Makes a change on the objects of a Freehold client. Links to a deleted object stay, and are hidden.
    mutating func makeLikeFreehold(_ change: LocalChange) -> Bool {
        do {
            if case .delete(let object) = change { try record(.eraseObject(object)) } else { try make(change) }
            return true
        } catch { return false }
    }
}
