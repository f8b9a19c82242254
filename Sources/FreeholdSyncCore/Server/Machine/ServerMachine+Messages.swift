/// Messages of clients.
extension ServerMachine {
    mutating func receive(_ message: ClientMessage, _ bytes: UInt64, from connection: ConnectionNumber) {
        guard let known = connections[connection] else { return }
        guard bytes <= configuration.limits.messageBytes else {
            return end(connection, .tooLarge(limit: configuration.limits.messageBytes), "The message is too large.")
        }
        if case .hello(let hello) = message { return greet(hello, connection) }
        guard let user = known.user else { return end(connection, .violation, "There was no hello.") }
        if case .ping(let ping) = message {
            actions.append(.send(connection, .pong(Pong(deviceTime: ping.deviceTime, serverTime: now))))
            return
        }
        guard let number = message.session else { return }
        let key = SessionKey(connection: connection, number: number)
        if case .bind(_, let bind) = message { return open(key, bind, user) }
        // A client may still send messages to a session that has ended, until it receives the end.
        guard let session = sessions[key] else { return }
        if case .credit(_, let more) = message {
            let (sum, overflow) = session.credit.addingReportingOverflow(Int64(clamping: more))
            sessions[key]?.credit = overflow ? .max : sum
            sessions[key]?.noteGrant(more, now)
            sendParts(key)
            if sessions[key]?.isLive == true { progress(key) }
            return pump(key)
        }
        if case .binding = session.state { return end(key, .violation, "The session isn't bound yet.") }
        switch message {
        case .queries(_, let queries): take(queries, key)
        case .upload(_, let upload): take(upload, key)
        case .part(_, let part): take(part, key)
        case .mark(_, let mark):
            guard session.marks.count < 1_000 else { return end(key, .violation, "There are too many marks.") }
            sessions[key]?.marks.append((mark, streams[session.stream]?.known.version ?? 0))
            progress(key)
        case .resume(_, let resume): take(Self.stored(resume, session), key)
        case .fetch(_, let names): take(names, key)
        case .unbind: forget(key)
        case .note(_, let number, let bytes): note(bytes, number, key)
        case .claim(_, let claim): take(claim, key)
        case .hello, .ping, .bind, .credit: break
        }
    }

    private mutating func greet(_ hello: Hello, _ connection: ConnectionNumber) {
        guard hello.versions.contains(1) else {
            return end(connection, .upgradeRequired, "The server speaks version 1 of the protocol.")
        }
        guard let user = configuration.authenticate(hello.token, now) else {
            return end(connection, .auth, "The token isn't accepted.")
        }
        if let old = connections[connection]?.user, old != user {
            return end(connection, .auth, "The token is another user's.")
        }
        connections[connection]?.user = user
        connections[connection]?.takesParts = hello.takesParts
        let welcome = Welcome(
            compression: hello.compressions.first(where: configuration.compressions.contains),
            limits: configuration.limits,
            serverTime: now,
            credit: configuration.uploadCredit
        )
        actions.append(.send(connection, .welcome(welcome)))
    }

    private mutating func open(_ key: SessionKey, _ bind: Bind, _ user: SyncString) {
        guard sessions[key] == nil else { return end(key, .violation, "The session is bound.") }
        let stream = StreamName(app: bind.app, value: bind.stream)
        let mayKeepMore = mayKeepMore(user)
        sessions[key] = Session(key: key, stream: stream, user: user, bind: bind)
        connections[key.connection]?.sessions.insert(key.number)
        let count = UInt64(connections[key.connection]?.sessions.count ?? 0)
        guard count <= configuration.limits.sessions else {
            return end(key, .violation, "There are too many sessions.")
        }
        guard let app = configuration.apps[bind.app], app.allows(user, bind.stream) else {
            return end(key, .forbidden, "The user may not use this.")
        }
        var bind = bind
        // Objects beyond the limit are sent whole.
        bind.held = bind.held.named(most: configuration.heldObjects, upTo: .max)
        guard bind.journal.pending.count <= configuration.pendingCommits else {
            let limit = UInt64(configuration.pendingCommits)
            return end(key, .tooLarge(limit: limit), "There are too many unanswered commits.")
        }
        guard mayKeepMore else { return endOverShare(key) }
        sessions[key]?.bindBytes = bind.journal.pending.count * 16
        sessions[key]?.heldBytes = bind.held.reduce(0) { $0 + $1.name.estimatedBytes }
        if !self.mayKeepMore(user) {
            // All held objects are sent whole, too.
            bind.held = []
            sessions[key]?.heldBytes = 0
        }
        guard bind.schema.bytes <= configuration.schemaBytes else {
            return end(key, .schema, "The documents of the schema are too long.")
        }
        let judgement = app.judge?(bind.schema) ?? SchemaJudgement(.accepted)
        if let rules = judgement.rules { configuration.apps[bind.app]?.merge = StreamMerge(rules) }
        guard judgement.verdict == .accepted else {
            // The client binds again, or can't continue.
            send(key, .bound(key.number, Bound(schema: judgement.verdict, epoch: 0, acknowledged: 0, start: .nothing)))
            return forget(key)
        }
        sessions[key]?.rights = app.rights?(user, bind.stream)
        sessions[key]?.lens = judgement.lens
        sessions[key]?.claim = bind.front == nil ? Session.number(of: bind.schema) : 0
        if let session = sessions[key] { sessions[key]?.bind = Self.stored(bind, session) }
        // The documents were checked, and they are large.
        sessions[key]?.bind.schema.documents = []
        if let ident = bind.file?.ident, let other = streams[stream]?.sessions[ident], let old = sessions[other] {
            // The parts that were received over the lost connection are kept.
            keepIncoming(old)
            sessions[other]?.incoming = nil
            giveBack(other)
        }
        let query = FileQuery(
            ident: bind.file?.ident,
            acknowledged: bind.front == nil ? bind.journal.acknowledged : UInt64(Int64.max),
            cursor: bind.front?.cursor ?? bind.cursor?.version,
            bootstrap: bind.front?.latest?.version ?? bind.bootstrap?.cursor.version
        )
        request(stream, .bind(query), .bind(key), of: user)
    }
}

extension SchemaClaim {
    /// The total size of all documents, in bytes.
    fileprivate var bytes: Int {
        documents.reduce(0) { $0 + $1.json.string.utf8.count + $1.className.string.utf8.count }
    }
}
