/// Files: who they are, and what they have.
extension ServerMachine {
    mutating func takeBind(_ answer: ServerStoreAnswer, _ key: SessionKey) {
        guard let session = sessions[key], let user = connections[key.connection]?.user else { return }
        guard case .bind(let file) = answer else {
            return end(key, .transient(after: 1_000), "The store can't be reached.")
        }
        let bind = session.bind
        if let cursor = bind.cursor, cursor.epoch != file.head.epoch || file.cursor != cursor.hash {
            return end(key, .storeReplaced, "The stream has another history.")
        }
        guard let identity = bind.file else {
            guard bind.journal.acknowledged == 0 else {
                return end(key, .violation, "A file without a number has acknowledged commits.")
            }
            return identify(key, user, file, fork: nil)
        }
        guard let row = file.file, row.secret == SecretHash(identity.secret), row.user == user else {
            return end(key, .forbidden, "The file isn't known.")
        }
        let journal = bind.journal
        guard journal.acknowledged <= row.last, file.hash == nil || file.hash == journal.hash else {
            return end(key, .storeReplaced, "The file's commits aren't those that the server has.")
        }
        let common = journal.acknowledged + UInt64(zip(file.answers, journal.pending).prefix { $0.hash == $1 }.count)
        if common < row.last {
            let answers = file.answers.prefix { $0.answer.commit <= common }
            return identify(key, user, file, fork: Fork(common: common, answers: Ack(Array(answers))))
        }
        note(key, row.ident)
        finish(key, file, row, identity: nil, fork: nil)
    }

    private mutating func identify(_ key: SessionKey, _ user: SyncString, _ file: FileAnswer, fork: Fork?) {
        guard let session = sessions[key] else { return }
        let secret = FileSecret(high: draw(), low: draw())
        request(
            session.stream,
            .makeFile(user: user, secret: SecretHash(secret), parent: fork == nil ? nil : session.bind.file?.ident),
            .identity(key, file, secret, fork)
        )
    }

    mutating func takeIdentity(
        _ answer: ServerStoreAnswer,
        _ key: SessionKey,
        _ file: FileAnswer,
        _ secret: FileSecret,
        _ fork: Fork?
    ) {
        guard sessions[key] != nil else { return }
        // A number whose answer was lost stays unused.
        guard case .file(let row) = answer else {
            return end(key, .transient(after: 1_000), "The store can't be reached.")
        }
        note(key, row.ident)
        var known = row
        // The copy has what the original has.
        (known.subscribed, known.pending) = (file.file?.subscribed, file.file?.pending)
        known.classes = file.file?.classes ?? []
        for (queries, isComplete) in [(known.subscribed, true), (known.pending, false)] {
            guard let queries, let session = sessions[key] else { continue }
            request(session.stream, .noteQueries(row.ident, queries, isComplete: isComplete), .note)
        }
        var plain = file
        plain.answers = []
        finish(key, plain, known, identity: FileIdentity(ident: row.ident, secret: secret), fork: fork)
    }

    private mutating func note(_ key: SessionKey, _ ident: FileIdent) {
        guard let session = sessions[key] else { return }
        let acknowledged = session.bind.file?.ident == ident ? session.bind.journal.acknowledged : 0
        let kind = ServerStoreRequest.Kind.noteFile(
            ident,
            acknowledged: acknowledged,
            leastBase: session.bind.leastBase,
            time: now
        )
        request(session.stream, kind, .note)
    }

    /// The session begins.
    private mutating func finish(
        _ key: SessionKey,
        _ file: FileAnswer,
        _ row: FileRow,
        identity: FileIdentity?,
        fork: Fork?
    ) {
        guard var session = sessions[key] else { return }
        let (stream, bind) = (session.stream, session.bind)
        // Of two sessions of one file the new one counts: the other's connection is dead, or it is a copy and is found out.
        for other in streams[stream]?.sessions.sorted() ?? [] where sessions[other]?.ident == row.ident {
            end(other, .transient(after: 1_000), "The file was bound anew.")
        }
        session.ident = row.ident
        session.classes = row.classes
        session.held = Dictionary(bind.held.map { ($0.name, $0.version) }) { max($0, $1) }
        session.acknowledged = identity == nil ? bind.journal.acknowledged : 0
        session.received = row.last
        (session.cursor, session.told) = (bind.cursor, bind.cursor)
        session.holdsUnknown = bind.cursor != nil || bind.bootstrap != nil
        session.state = .idle
        let start = begin(&session, file, row)
        sessions[key] = session
        if streams[stream] == nil { streams[stream] = StreamState(file.head) }
        streams[stream]?.sessions.insert(key)
        learn(file.head, stream)
        watch(stream)

        let bound = Bound(
            file: identity,
            schema: .accepted,
            epoch: file.head.epoch,
            acknowledged: row.last,
            fork: fork,
            start: start
        )
        send(key, .bound(key.number, bound))
        acknowledge(key, file.answers)
        if case .bootstrap(let bootstrap) = session.state { announce(key, bootstrap) }
        pump(key)
    }

    private func begin(_ session: inout Session, _ file: FileAnswer, _ row: FileRow) -> Bound.Start {
        let bind = session.bind
        let held = row.subscribed.map { View($0, matcher) }.flatMap { $0.number == bind.view ? $0 : nil }
        let isReachable = bind.cursor.map { $0.version >= file.head.logStart } ?? false
        if let position = bind.bootstrap, let pending = row.pending, pending.version == position.queryVersion,
            position.cursor.epoch == file.head.epoch, file.bootstrap == position.cursor.hash,
            position.cursor.version >= file.head.logStart
        {
            let old: View? = bind.cursor == nil ? .empty : bind.cursor == position.cursor ? held : nil
            var bootstrap = Bootstrap(
                cursor: position.cursor,
                clock: file.head.clock,
                old: old,
                new: View(pending, matcher),
                queries: pending
            )
            bootstrap.skips = position.last
            if old == nil { bootstrap.classes = row.classes.union(bootstrap.classes).sorted() }
            if let held, old != nil { session.view = held }
            session.state = .bootstrap(bootstrap)
            return .bootstrap
        }
        guard let held, isReachable, let queries = row.subscribed, bind.bootstrap == nil else { return .nothing }
        (session.view, session.queries, session.holdsUnknown) = (held, queries, false)
        session.state = .behind
        return .resume(nil)
    }
}

extension Ack {
    /// Nil if there are no answers.
    init?(_ answers: [StoredAnswer]) {
        guard let first = answers.first, let last = answers.last else { return nil }
        self.init(
            first: first.answer.commit,
            versions: answers.map(\.answer.version),
            clock: last.answer.clock,
            refusals: answers.flatMap(\.answer.refusals)
        )
    }
}
