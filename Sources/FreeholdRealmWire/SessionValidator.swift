/// A check of a server's messages to one official client before they are sent.
///
/// It follows the messages of both sides of a connection:
///
///     try validator.receive(message)
///     try validator.send(answer)
///
/// A message that it refuses would terminate the client, end the connection, or leave a session silent.
public struct SessionValidator: Sendable {
    /// The version of the connection's protocol.
    public let version: Int
    private var sessions: [UInt64: Session] = [:]
    private var pings: [UInt64] = []

    /// Error codes at which the client terminates, because it expects that they never occur.
    static let fatalCodes: Set<Int> = [104, 202, 203, 205, 207, 214, 215, 218, 219, 220, 221, 224]
    /// The actions that a server may request.
    static let actions: Set<String> = [
        "NoAction", "ProtocolViolation", "ApplicationBug", "Warning", "Transient", "DeleteRealm", "ClientReset",
        "ClientResetNoRecovery", "MigrateSchema", "RefreshUser", "RefreshLocation", "LogOutUser",
    ]
    static let levels: Set<String> = ["fatal", "error", "warn", "info", "detail", "debug", "trace"]

    public init(version: Int) { self.version = version }

    // MARK: Messages of the client

    /// Updates the state with a message of the client.
    ///
    /// - Throws: `OutgoingError` if an official client doesn't send the message in this state.
    public mutating func receive(_ message: RealmClientMessage) throws(OutgoingError) {
        switch message {
        case .ping(let timestamp, _): pings.append(timestamp)
        case .bind(let bind):
            try Self.require(bind.session != 0, "A session has the number 0")
            try Self.require(sessions[bind.session]?.isDead != false, "A session is bound twice")
            sessions[bind.session] = Session(needsIdent: bind.needsIdent)
        case .ident(let ident):
            try change(ident.session) { session throws(OutgoingError) in
                try Self.require(session.file == nil || session.file == ident.file.ident, "A file has two idents")
                session.file = ident.file.ident
                session.isLive = true
                (session.download, session.latest) = (ident.download, ident.latest.version)
                session.queries[ident.queryVersion] = ident.download.server == 0 ? .waiting : .complete
                session.newestQuery = ident.queryVersion
            }
        case .query(let number, let version, _):
            try change(number) { session throws(OutgoingError) in
                try Self.require(
                    session.isLive && version > session.newestQuery,
                    "A query set isn't newer than the last one"
                )
                session.queries[version] = .waiting
                session.newestQuery = version
            }
        case .upload(let upload):
            try change(upload.session) { session throws(OutgoingError) in
                try Self.require(session.isLive, "An upload precedes its ident")
            }
        case .mark(let number, let mark):
            try change(number) { session throws(OutgoingError) in
                try Self.require(mark > session.receivedMark, "The numbers of marks don't rise")
                session.receivedMark = mark
                session.markedQueries[mark] = session.newestQuery
            }
        case .unbind(let number):
            try change(number) { session throws(OutgoingError) in session.isUnbinding = true }
            // The end of a session that had an error isn't answered.
            if sessions[number]?.isDead == true { sessions[number] = nil }
        case .error(let number, _, _):
            try change(number) { session throws(OutgoingError) in session.hasFailed = true }
        }
    }

    // MARK: Messages of the server

    /// Checks a message of the server, and updates the state with it.
    public mutating func send(_ message: RealmServerMessage) throws(OutgoingError) {
        let version = version
        switch message {
        case .pong(let timestamp):
            guard let index = pings.firstIndex(of: timestamp) else {
                throw OutgoingError("A ping of this time is missing")
            }
            pings.remove(at: index)
        case .error(let error) where error.session == 0:
            try Self.checkForm(error)
            sessions.removeAll()
        case .error(let error): try change(error.session) { session throws(OutgoingError) in try session.send(error) }
        case .ident(let number, let file):
            try change(number) { session throws(OutgoingError) in
                try Self.require(
                    session.needsIdent && session.file == nil && !session.isDead,
                    "The session has an ident"
                )
                try Self.require(file.ident >= 1 && file.salt != 0, "An ident or its salt is 0")
                session.file = file.ident
            }
        case .download(let download):
            try change(download.session) { session throws(OutgoingError) in
                try session.send(download, version: version)
            }
        case .mark(let number, let mark):
            try change(number) { session throws(OutgoingError) in try session.send(mark: mark) }
        case .unbound(let number):
            try change(number) { session throws(OutgoingError) in
                try Self.require(session.isUnbinding && !session.isDead, "The session isn't unbinding")
            }
            sessions[number] = nil
        case .queryError(let number, _, let query, _):
            try change(number) { session throws(OutgoingError) in
                try Self.require(session.queries[query] == .waiting && !session.isDead, "The query set isn't waiting")
                session.queries[query] = .failed
            }
        case .log(let number, let level, _, _):
            try Self.require(version >= 10, "This version of the protocol has no log messages")
            try Self.require(Self.levels.contains(level), "The level of a log message is unknown")
            if number != 0 { try change(number) { _ throws(OutgoingError) in } }
        }
    }

    private mutating func change(
        _ number: UInt64,
        _ body: (inout Session) throws(OutgoingError) -> Void
    ) throws(OutgoingError) {
        guard var session = sessions[number] else { throw OutgoingError("The session is unknown") }
        try body(&session)
        sessions[number] = session
    }

    static func require(_ condition: Bool, _ reason: String) throws(OutgoingError) {
        if !condition { throw OutgoingError(reason) }
    }

    /// Checks the parts of an error that don't depend on the session.
    static func checkForm(_ error: ServerError) throws(OutgoingError) {
        try require(!fatalCodes.contains(error.code), "The client doesn't accept this code")
        try require((error.code >= 200) == (error.session != 0), "The code doesn't fit the session")
        try require(actions.contains(error.action), "The client doesn't accept this action")
        try require(error.action != "Transient" || error.tryAgain, "A transient error has to be tried again")
        try require((error.code == 231) == (error.compensation != nil), "Code 231 has refused changes")
        try require(error.code != 231 || error.tryAgain, "The app's wait for its upload would fail")
        try require(error.code != 236 || (error.previousSchemaVersion ?? -1) >= 0, "Code 236 has a previous version")
    }
}

/// The state of a session as the client knows it.
private struct Session: Sendable {
    enum Query: Sendable {
        case waiting
        case bootstrapping
        case complete
        case failed
    }

    let needsIdent: Bool
    var file: UInt64?
    /// A Boolean value that indicates whether the client has sent its ident.
    var isLive = false
    var isUnbinding = false
    /// A Boolean value that indicates whether the client couldn't integrate a download.
    var hasFailed = false
    /// A Boolean value that indicates whether the session had an error.
    var isDead = false
    var download = DownloadCursor(server: 0, client: 0)
    var acknowledged: UInt64 = 0
    var latest: UInt64 = 0
    var queries: [Int64: Query] = [:]
    var newestQuery: Int64 = 0
    /// The entries of the bootstrap that is being sent.
    var bootstrapped = 0
    var receivedMark: UInt64 = 0
    var answeredMark: UInt64 = 0
    /// The newest query set when each unanswered mark was received.
    var markedQueries: [UInt64: Int64] = [:]
    /// The versions of refusals whose entry wasn't sent yet.
    var refusals: [UInt64] = []

    init(needsIdent: Bool) { self.needsIdent = needsIdent }

    private func require(_ condition: Bool, _ reason: String) throws(OutgoingError) {
        try SessionValidator.require(condition, reason)
    }

    mutating func send(_ error: ServerError) throws(OutgoingError) {
        try SessionValidator.checkForm(error)
        try require(!isDead, "The session has had an error")
        if let compensation = error.compensation {
            try require(isLive, "Changes were refused before an ident")
            try require(
                compensation.serverVersion > (refusals.last ?? download.server),
                "A refusal has to precede its entry, and the versions have to rise"
            )
            refusals.append(compensation.serverVersion)
        } else if error.code != 236 {
            isDead = true
        }
    }

    mutating func send(mark: UInt64) throws(OutgoingError) {
        try require(!isDead, "The session has had an error")
        try require(mark > answeredMark && mark <= receivedMark, "The mark isn't expected")
        let query = markedQueries[mark].flatMap { queries[$0] }
        try require(
            query != .waiting && query != .bootstrapping,
            "The mark has to follow the bootstrap of its query set"
        )
        markedQueries = markedQueries.filter { $0.key > mark }
        answeredMark = mark
    }

    mutating func send(_ message: RealmServerMessage.Download, version: Int) throws(OutgoingError) {
        try require(isLive && !isDead, "The session can't receive downloads")
        try require(
            message.latest.version >= latest && message.latest.salt != 0,
            "The latest version falls, or has no salt"
        )
        try require(message.download.client >= download.client, "The client's version of the download falls")
        try require(
            message.download.client <= message.upload.client,
            "A download follows changes that aren't acknowledged"
        )
        try require(message.upload.client >= acknowledged, "An acknowledgement is taken back")
        try require(message.download.server >= message.upload.server, "The upload's version is above the download's")
        try require(message.download.server >= download.server, "The version of the download falls")
        try require(version >= 12 || message.progress == 0 || message.progress == 1, "The progress has to be 0 or 1")
        try require((0...1).contains(message.progress), "The progress isn't between 0 and 1")
        try checkEntries(of: message)
        switch message.batch {
        case .steady: try sendSteady(message)
        case .more, .last: try sendBootstrap(message)
        }
        (download, latest, acknowledged) = (message.download, message.latest.version, message.upload.client)
    }

    private func checkEntries(of message: RealmServerMessage.Download) throws(OutgoingError) {
        var (last, client) = (max(download.server, 1), download.client)
        for entry in message.entries {
            try require(entry.serverVersion >= last, "The versions of entries fall")
            try require(entry.serverVersion <= message.download.server, "An entry is above the version of its download")
            try require(
                entry.clientVersion <= message.download.client,
                "An entry follows changes of the client that are newer"
            )
            try require(entry.clientVersion >= client, "The client's versions of entries fall")
            try require(entry.origin != 0 && entry.origin != file, "An entry has the ident of its receiver, or none")
            (last, client) = (entry.serverVersion, entry.clientVersion)
        }
    }

    private mutating func sendSteady(_ message: RealmServerMessage.Download) throws(OutgoingError) {
        try require(queries.values.contains(.complete), "The first bootstrap has to precede all changes")
        try require(bootstrapped == 0, "A bootstrap hasn't ended")
        guard let first = message.entries.first?.serverVersion, let last = message.entries.last?.serverVersion else {
            // The client would answer each new version with an upload, so the exchange of messages would never end.
            return try require(
                message.download.server == download.server,
                "A download without changes has a new version"
            )
        }
        try require(last == message.download.server, "The version of the download isn't the last entry's")
        while let refusal = refusals.first, refusal <= last {
            try require(
                refusal >= first && message.entries.contains { $0.serverVersion == refusal },
                "The entry of a refusal was left out"
            )
            refusals.removeFirst()
        }
    }

    private mutating func sendBootstrap(_ message: RealmServerMessage.Download) throws(OutgoingError) {
        let state = queries[message.queryVersion]
        try require(state != nil && state != .failed, "The query set of a bootstrap is unknown or has failed")
        try require(
            queries.allSatisfy { $0.key <= message.queryVersion || $0.value != .complete },
            "The query set of a bootstrap is superseded"
        )
        bootstrapped += message.entries.count
        guard message.batch == .last else { return queries[message.queryVersion] = .bootstrapping }
        try require(bootstrapped > 0, "A bootstrap has no entry")
        bootstrapped = 0
        queries = queries.filter { $0.key >= message.queryVersion }
        queries[message.queryVersion] = .complete
    }
}
