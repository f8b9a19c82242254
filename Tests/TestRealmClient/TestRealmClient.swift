@testable import FreeholdRealmWire

/// An official Realm client for tests: one file, and its connection.
///
/// It is written from the protocol's description only. It doesn't use the network and has no clock:
///
///     var client = try TestRealmClient(schema: instructions, resetMode: .recover, time: 0)
///     client.connect()
///     while let frame = try client.nextFrame() { server.receive(frame) }
///     client.receive(frame: answer)
///
/// Each message that an official client wouldn't survive is added to `traps`.
struct TestRealmClient: Sendable {
    var file: ClientFile
    /// The second file of a client reset.
    var fresh: ClientFile?
    /// A Boolean value that indicates whether the second file has all objects of the server.
    var isFreshComplete = false
    let resetMode: ResetTracker.Mode
    /// The compression and the version of the connections.
    var codec: RealmMessageCodec

    var isConnected = false
    var sessions: [ClientSession] = []
    private var lastSession: UInt64 = 0
    /// The pings that weren't answered.
    var pings: [UInt64] = []
    var traps: [ClientTrap] = []
    var events: [ClientEvent] = []
    var requests: [ClientRequest] = []
    /// A Boolean value that indicates whether the app's sync has ended for good, such as after an application error.
    var isStopped = false
    /// A Boolean value that indicates whether the app has paused its session.
    var isPaused = false
    /// A Boolean value that indicates whether a received changeset may not fit the classes of the app: N12.
    var mayDisagree = false
    /// The messages that were sent and received.
    var counts: [String: Int] = [:]
    /// The number of integrations, of merged own changesets and of applied instructions.
    var integrations = 0
    var merges = 0
    var applied = 0

    init(
        schema: [Instruction],
        resetMode: ResetTracker.Mode = .recoverOrDiscard,
        schemaVersion: Int64 = 0,
        version: Int = 14,
        compression: (any WireCompression)? = nil,
        time: UInt64
    ) throws {
        file = try ClientFile(appSchema: schema, schemaVersion: schemaVersion, time: time)
        self.resetMode = resetMode
        codec = RealmMessageCodec(version: version, compression: compression)
    }

    /// The objects that the app sees.
    var shown: WireState { file.state }

    // MARK: The connection

    /// Opens a connection.
    ///
    /// - Parameter isFast: A Boolean value that indicates whether the last connection ended less than a minute ago.
    mutating func connect(isFast: Bool = false) {
        guard !isConnected else { return }
        isConnected = true
        pings = []
        guard !isStopped, !isPaused else { return }
        guard !sessions.isEmpty else { return begin(.main, reason: file.reset == nil ? 0 : 1) }
        for index in sessions.indices where sessions[index].isBindSent {
            sessions[index] = renewed(sessions[index], isFast: isFast)
        }
    }

    /// Loses the connection. Messages on their way are lost.
    mutating func disconnect() {
        isConnected = false
        sessions.removeAll { ($0.isUnbindSent || $0.mustUnbind || $0.isDead) && !$0.bindsAgain }
        if isPaused || isStopped { sessions = [] }
    }

    /// Ends the process and starts it again. The file stays.
    mutating func restart(time: UInt64) throws {
        disconnect()
        sessions = []
        file.discardOpenBootstrap()
        fresh?.discardOpenBootstrap()
        isStopped = false
        // A bootstrap whose last part was stored is integrated before the first message.
        integrateStoredBootstrap()
        try file.open(time: time)
        guard let fresh, file.reset?.isMerged == false else { return }
        isFreshComplete = fresh.set(1)?.state == .complete
        begin(isFreshComplete ? .main : .fresh, reason: 1)
    }

    mutating func begin(_ role: ClientSession.Role, reason: Int64) {
        lastSession += 1
        var session = ClientSession(number: lastSession, role: role, reason: reason)
        session = renewed(session, isFast: false)
        sessions.append(session)
    }

    /// Returns a session as it is before its bind.
    private func renewed(_ old: ClientSession, isFast: Bool) -> ClientSession {
        var session = ClientSession(number: old.number, role: old.role, reason: old.reason)
        let file = file(of: old.role)
        session.position = file.upload.client
        session.sentProgress = file.upload.server
        session.sentQuery = file.activeVersion
        (session.answeredMark, session.sentMark) = (old.answeredMark, old.answeredMark)
        session.wantedMark = max(old.wantedMark, old.answeredMark)
        session.isBlocked = !isFast || old.isBlocked || file.ident == nil
        if session.isBlocked { session.wantedMark = max(session.wantedMark, session.answeredMark) + 1 }
        return session
    }

    func file(of role: ClientSession.Role) -> ClientFile { role == .fresh ? fresh ?? file : file }

    mutating func change<Result>(_ role: ClientSession.Role, _ body: (inout ClientFile) throws -> Result) rethrows
        -> Result
    {
        guard role == .fresh, fresh != nil else { return try body(&file) }
        return try body(&fresh!)
    }

    // MARK: The app

    /// Commits changes of the app, and returns the version of the commit.
    @discardableResult
    mutating func commit(_ changes: [LocalChange], time: UInt64) throws -> UInt64 {
        try file.commit(changes, time: time)
        for index in sessions.indices { sessions[index].emptyUploads = 0 }
        return file.newest
    }

    mutating func subscribe(to texts: [(table: String, text: String)]) {
        file.subscribe(to: texts)
        for index in sessions.indices { sessions[index].emptyUploads = 0 }
    }

    /// Asks for the answer of a mark: the app waits for all downloads.
    mutating func waitForDownloads() {
        for index in sessions.indices where sessions[index].role == .main { sessions[index].wantedMark += 1 }
    }

    /// Pauses the app's session.
    mutating func pause() {
        isPaused = true
        for index in sessions.indices { sessions[index].mustUnbind = true }
        if !isConnected { sessions = [] }
    }

    mutating func resume() {
        isPaused = false
        file.discardOpenBootstrap()
        if !sessions.contains(where: { $0.role == .main && !$0.mustUnbind && !$0.isUnbindSent }) {
            begin(.main, reason: file.reset == nil ? 0 : 1)
        }
    }

    /// Binds the sessions again whose delay has passed.
    mutating func bindAgain() {
        for index in sessions.indices where sessions[index].bindsAgain {
            // Clients of version 14 discard a bootstrap without its end. Earlier ones keep it until they restart.
            if codec.version >= 14 { change(sessions[index].role) { $0.discardOpenBootstrap() } }
            sessions[index] = renewed(sessions[index], isFast: true)
        }
    }

    /// A Boolean value that indicates whether nothing is left to send or to wait for.
    var isIdle: Bool {
        guard isConnected, !isStopped, fresh == nil, file.reset == nil || file.reset!.isMerged else { return false }
        guard let session = sessions.first(where: { $0.role == .main }) else { return false }
        return session.isUsable && session.isIdentSent && !session.isBlocked && file.isUploaded && file.isSubscribed
            && session.answeredMark == session.wantedMark && session.ownError == nil && pings.isEmpty
    }

    mutating func trap(_ effect: ClientTrap.Effect, rule: String, _ reason: String) {
        traps.append(ClientTrap(effect, rule: rule, reason))
    }

    func checkInvariants() {
        file.checkInvariants()
        fresh?.checkInvariants()
        precondition(sessions.count <= 3)
        for session in sessions {
            precondition(session.answeredMark <= session.sentMark || session.sentMark == session.answeredMark)
            precondition(session.position <= file(of: session.role).newest)
        }
    }
}
