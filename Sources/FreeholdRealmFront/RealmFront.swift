public import FreeholdRealmWire
public import FreeholdSyncCore

/// The state machine of a connection of an official Realm client.
///
/// It stands between the frames of the client's WebSocket and a connection of `ServerMachine`, to which it behaves like a client of Freehold.
/// The caller passes frames and messages in their order, and executes the returned actions in theirs:
///
///     var front = RealmFront(configuration, version: 14, user: "user")
///     perform(front.open(now: now))
///     perform(front.received(frame: bytes, now: now))        // from the client
///     perform(front.received(message, now: now))             // from the machine
///     perform(front.flushed())                               // everything is written to the socket
///
/// The front end does no IO and has no clock. It stores the state of files in their rows, so that another process can continue them.
public struct RealmFront: Sendable {
    private let configuration: RealmFrontConfiguration
    private let codec: RealmMessageCodec
    private let user: SyncString
    private let agent: String?
    private var sessions = FrontSessions()
    /// The sessions by the machine's numbers.
    private var numbers: [SessionNumber: UInt64] = [:]
    private var lastNumber: UInt32 = 0
    private var credit: UInt64 = 0
    private var isClosed = false
    /// The files of sessions that a session of another connection has replaced.
    private var replacedFiles: Set<FileIdentity> = []
    /// The query sets whose parts the clients of earlier sessions have discarded, by session.
    private var discarded: [UInt64: Int64] = [:]
    /// The schemas of the versions that sessions use.
    private var schemas: [UInt64: RealmSchema] = [:]

    /// - Parameters:
    ///   - version: The version of the sub-protocol: see `RealmMessageCodec.version(offered:)`.
    ///   - user: The user of the connection's token.
    ///   - agent: The name and version of the client's SDK.
    /// - Precondition: `RealmMessageCodec.versions` contains `version`.
    public init(
        _ configuration: RealmFrontConfiguration,
        version: Int,
        user: SyncString,
        agent: String? = nil,
        compression: (any WireCompression)? = nil
    ) {
        (self.configuration, self.user, self.agent) = (configuration, user, agent)
        codec = RealmMessageCodec(version: version, compression: compression, limits: configuration.limits.wire)
    }

    /// A Boolean value that indicates whether so many uploads wait that the caller should not read the connection.
    public var isFull: Bool {
        sessions.values.reduce(0) { $0 + $1.uploadBytes } > configuration.limits.uploadBytes
    }

    /// The approximate size of the data that the sessions keep, in bytes.
    public var keptBytes: Int { sessions.values.reduce(0) { $0 + $1.keptBytes } }

    /// The states of the sessions, by rising numbers.
    public var sessionReports: [RealmSessionReport] {
        sessions.values.sorted { $0.number < $1.number }
            .map { session in
                var report = session.report
                report.contradictions += session.image.contradictions
                (report.queued, report.keptBytes) = (session.image.queue.count, session.keptBytes)
                return report
            }
    }

    // MARK: Events

    /// Returns the actions with which a connection begins.
    ///
    /// - Parameter now: The server's time, in milliseconds since 2015-01-01.
    public mutating func open(now: Int64) -> [RealmFrontAction] {
        let hello = Hello(deviceTime: now, token: AccessToken(user), agent: agent.map { SyncString($0) })
        return [.pass(.hello(hello), bytes: 64)]
    }

    /// Handles a binary frame of the client.
    ///
    /// - Complexity: O(*n*) for *n* bytes, and for the objects that an upload touches
    public mutating func received(frame: [UInt8], now: Int64) -> [RealmFrontAction] {
        guard !isClosed else { return [] }
        let message: RealmClientMessage
        do throws(WireError) { message = try codec.clientMessage(frame) } catch {
            isClosed = true
            let text = "unreadable message: \(error.reason)"
            let code = error.code == .tooLarge ? 103 : 106
            return connectionError(code, text) + [.log(RealmFrontLog(.info, text)), .close(code: 1002)]
        }
        var output = RealmOutput()
        switch message {
        case .ping(let timestamp, _):
            output.frames.append(.pong(timestamp: timestamp))
            for number in sessions.keys.sorted() { sessions[number]?.takePing(&output) }
        case .bind(let bind): self.bind(bind, &output)
        case .unbind(let number):
            if var session = sessions.removeValue(forKey: number) {
                if session.phase != .dead { output.frames.append(.unbound(session: number)) }
                remember(session)
                session.close(&output)
                numbers = numbers.filter { $0.value != number }
            }
        default:
            change(message.session) {
                $0.take(message, &$1)
            } output: {
                output = $0
            }
        }
        return actions(output)
    }

    /// Handles a message of the machine for this connection.
    public mutating func received(_ message: ServerMessage, now: Int64) -> [RealmFrontAction] {
        guard !isClosed else { return [] }
        var output = RealmOutput()
        switch message {
        case .welcome(let welcome):
            credit = welcome.credit
            // A client may bind before the machine has answered the `hello`. Its commits wait for credit.
            for number in sessions.keys.sorted() { sessions[number]?.takeCredit(credit, &output) }
        case .error(nil, let error):
            isClosed = true
            switch error.fault {
            case .auth: output.close = 4001
            case .tooLarge: output.close = 1009
            case .violation, .upgradeRequired: output.close = 1002
            default: output.close = 4003
            }
            output.logs.append(RealmFrontLog(.info, "the connection ends: \(error.text)"))
        default:
            guard let machine = message.session, let number = numbers[machine] else { break }
            let first = lastNumber
            var used = first
            change(number) { session, output in
                let next = { SessionNumber(rawValue: first + 1) }
                let before = session.machine
                session.take(message, next: next, &output)
                if session.machine != before { used = first + 1 }
                if session.machine != before { session.credit = 0 }
            } output: {
                output = $0
            }
            if used != first, let session = sessions[number] {
                lastNumber = used
                numbers[machine] = nil
                numbers[session.machine] = number
                sessions[number]?.credit = Int64(clamping: credit)
            }
        }
        return actions(output)
    }

    /// Grants new credit to the machine after all sent data was written to the socket.
    public mutating func flushed() -> [RealmFrontAction] {
        guard !isClosed else { return [] }
        var output = RealmOutput()
        for number in sessions.keys.sorted() { sessions[number]?.giveCredit(&output) }
        return actions(output)
    }

    /// Ends the connection.
    public mutating func end(_ reason: RealmEndReason) -> [RealmFrontAction] {
        guard !isClosed else { return [] }
        isClosed = true
        let code: UInt16 =
            switch reason {
            case .tokenExpired: 4001
            case .movedAway, .idle: 4003
            case .tooLarge: 1009
            }
        return [.close(code: code)]
    }

    // MARK: Sessions

    private mutating func bind(_ bind: RealmClientMessage.Bind, _ output: inout RealmOutput) {
        if var old = sessions.removeValue(forKey: bind.session) {
            // Only a session that had an error may be bound again.
            remember(old)
            old.close(&output)
            numbers = numbers.filter { $0.value != bind.session }
        }
        let version = UInt64(clamping: max(bind.schemaVersion ?? 0, 0))
        var schema = schemas[version]
        if case .tables(let tables) = configuration.schema(version) {
            if schema?.tables != tables { schema = try? RealmSchema(tables, version: version) }
        } else {
            schema = nil
        }
        guard sessions.count < configuration.limits.sessions, bind.session != 0, let schema else {
            let isFull = sessions.count >= configuration.limits.sessions
            let code = isFull ? 200 : 235
            let text = isFull ? "too many sessions" : "bad schema version"
            var error = ServerError(
                session: bind.session,
                code: code,
                message: text,
                tryAgain: isFull,
                action: isFull ? "Transient" : "ApplicationBug"
            )
            error.logURL = ""
            if bind.session != 0 { output.frames.append(.error(error)) }
            output.logs.append(RealmFrontLog(.info, text, session: bind.session))
            return
        }
        schemas[version] = schema
        lastNumber += 1
        let machine = SessionNumber(rawValue: lastNumber)
        var session = RealmSession(
            bind,
            configuration,
            version: codec.version,
            machine: machine,
            schema: schema,
            schemaVersion: version,
            agent: agent
        )
        session.credit = Int64(clamping: credit)
        (session.replacedFiles, session.discarded) = (replacedFiles, discarded[bind.session])
        session.open(&output)
        sessions[bind.session] = session
        numbers[machine] = bind.session
    }

    /// Remembers the data of an ended session that the next session of the same file needs.
    private mutating func remember(_ old: RealmSession) {
        discarded[old.number] = old.discarded
        if old.isReplaced, let identity = old.identity { replacedFiles.insert(identity) }
    }

    private mutating func change(
        _ number: UInt64,
        _ body: (inout RealmSession, inout RealmOutput) -> Void,
        output give: (RealmOutput) -> Void
    ) {
        var output = RealmOutput()
        // The only copy of the session is changed, so that its objects aren't copied.
        guard var session = sessions.removeValue(forKey: number) else { return give(output) }
        body(&session, &output)
        sessions[number] = session
        give(output)
    }

    // MARK: Actions

    private func connectionError(_ code: Int, _ text: String) -> [RealmFrontAction] {
        let error = ServerError(session: 0, code: code, message: text, tryAgain: true, action: "Transient")
        return (try? codec.encoded(.error(error))).map { [.send($0)] } ?? []
    }

    private mutating func actions(_ output: RealmOutput) -> [RealmFrontAction] {
        var actions = output.logs.map { RealmFrontAction.log($0) }
        for message in output.frames {
            do throws(WireError) { actions.append(.send(try codec.encoded(message))) } catch {
                isClosed = true
                actions.append(.log(RealmFrontLog(.warning, "a message can't be written: \(error.reason)")))
                actions.append(.close(code: 1011))
                return actions
            }
        }
        actions += output.passes.map { .pass($0, bytes: $0.size) }
        if let code = output.close {
            isClosed = true
            actions.append(.close(code: code))
        }
        return actions
    }

    // MARK: Checks

    /// Checks the sessions.
    package func checkInvariants() {
        for (number, session) in sessions {
            assert(session.number == number, "A session has another number.")
            assert(session.phase == .dead || numbers[session.machine] == number, "The machine's number is another one.")
            assert(session.batch != nil || session.heldMarks.isEmpty, "Marks wait for nothing.")
            session.receipts.checkInvariants()
            session.image.checkInvariants()
        }
    }

    /// Makes all sessions write changed objects as a whole. Tests call this method after a wrong prediction.
    package mutating func distrust() {
        for number in sessions.keys { sessions[number]?.uncertainUpTo = .max }
    }

    /// Returns the kept objects, and the front end's prediction of the state that the client shows for them. Returns `nil` if the session isn't live.
    package func shown(session: UInt64) -> (objects: Set<WireObject>, state: WireState)? {
        guard let session = sessions[session], session.phase == .live, session.batch == nil else { return nil }
        return (session.image.kept, session.image.shown)
    }
}

extension ClientMessage {
    /// The approximate size of the message.
    fileprivate var size: UInt64 {
        switch self {
        case .upload(_, let upload): upload.commits.reduce(64) { $0 + 64 + 64 * UInt64($1.commit.changes.count) }
        case .note(_, _, let bytes): 64 + UInt64(bytes.count)
        case .fetch(_, let names): 64 + 48 * UInt64(names.count)
        default: 64
        }
    }
}
