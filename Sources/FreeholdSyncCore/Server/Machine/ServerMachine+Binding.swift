/// The binding of files: their identities, and their positions in the history of a stream.
extension ServerMachine {
    mutating func takeBind(_ answer: ServerStoreAnswer, _ key: SessionKey, asked: KnownHead?) {
        guard let session = sessions[key], let user = connections[key.connection]?.user else { return }
        guard case .bind(let file) = answer else {
            return end(key, .transient(after: 1_000), "The store can't be reached.")
        }
        // If the store was restored to an earlier state, the session has already ended, like all sessions of the stream.
        guard learn(file.head, session.stream, asked: asked) else { return }
        let bind = session.bind
        if let front = bind.front { return takeBind(file, of: front, key, user) }
        // The cursor of an interrupted bootstrap must belong to this history, too, because pending work on its objects names its versions.
        for (cursor, hash) in [(bind.cursor, file.cursor), (bind.bootstrap?.cursor, file.bootstrap)] {
            guard let cursor, cursor.epoch != file.head.epoch || hash != cursor.hash else { continue }
            return end(key, .storeReplaced, "The stream has another history.")
        }
        guard let identity = bind.file else {
            guard bind.journal.acknowledged == 0 else {
                return end(key, .violation, "A file without a number has acknowledged commits.")
            }
            return identify(key, user, file, fork: nil)
        }
        let journal = bind.journal
        guard let row = file.file,
            row.secret == SecretHash(identity.secret) || configuration.broken.contains(.checksSecrets)
        else {
            // The store is older than the file, or the client guessed a secret. The client gets a new number, and receives no data of another file.
            guard bind.isReset || journal.acknowledged == 0 else {
                return end(key, .storeReplaced, "The file isn't known.")
            }
            return identify(key, user, file, fork: Fork(common: 0))
        }
        guard row.user == user else { return end(key, .forbidden, "The file is another user's.") }
        if bind.isReset { return rebind(key, user, file, row) }
        guard journal.acknowledged <= row.last, file.hash == nil || file.hash == journal.hash else {
            return end(key, .storeReplaced, "The file's commits aren't those that the server has.")
        }
        let common = file.common(journal)
        if common < row.last {
            let answers = file.answers.prefix { $0.answer.commit <= common }
            return identify(key, user, file, fork: Fork(common: common, answers: Ack(Array(answers))))
        }
        // A sent commit may still wait at a node, and would be executed twice if the file got another number. So only a file without such commits
        // gets a new number.
        let isIdle = journal.acknowledged + UInt64(journal.pending.count) <= common
        if isIdle, isFoughtOver(row.ident, in: session.stream) {
            let answers = file.answers.prefix { $0.answer.commit <= common }
            return identify(key, user, file, fork: Fork(common: common, answers: Ack(Array(answers))))
        }
        note(key, row.ident)
        finish(key, file, row, identity: nil, fork: nil)
    }

    /// Returns whether two connected copies of a file repeatedly end each other's sessions. The copies have the same commits, so the node can't
    /// distinguish them by their commits. The copy that binds then gets another number.
    private mutating func isFoughtOver(_ ident: FileIdent, in name: StreamName) -> Bool {
        guard let stream = streams[name], stream.sessions[ident] != nil else { return false }
        var fight = stream.fights[ident] ?? Fight(time: now)
        fight.count = now - fight.time < 600_000 ? fight.count + 1 : 1
        fight.time = now
        let isOver = fight.count > 5
        streams[name]?.fights[ident] = isOver ? nil : fight
        if stream.fights.count > 1_000 { streams[name]?.fights = [:] }
        return isOver
    }

    /// Binds a file that resets because the server has another history, and finds the commits of the file that this store has.
    private mutating func rebind(_ key: SessionKey, _ user: SyncString, _ file: FileAnswer, _ row: FileRow) {
        guard let journal = sessions[key]?.bind.journal else { return }
        let common = file.lastCommon(journal, row)
        guard common > 0, common == row.last else { return identify(key, user, file, fork: Fork(common: common)) }
        // The client discards the commits after the common one, and creates other commits with their numbers. A copy of the file may still send the
        // discarded commits. The answers to them aren't for this session.
        sessions[key]?.bind.journal = JournalRange(acknowledged: common, hash: row.hash)
        note(key, row.ident)
        var plain = file
        plain.answers = []
        finish(key, plain, row, identity: nil, fork: nil)
    }

    /// Requests a new number for a file.
    ///
    /// - Parameter fork: The last commit in common with the file that the bind names. Nil if the bind names no file.
    mutating func identify(_ key: SessionKey, _ user: SyncString, _ file: FileAnswer, fork: Fork?) {
        guard let session = sessions[key] else { return }
        let isFront = session.bind.front != nil
        let secret = isFront ? FileSecret(salt: Int64(max(draw() >> 1, 1))) : FileSecret(high: draw(), low: draw())
        var (parents, clock) = ([FileParent](), Clock.zero)
        // A client that doesn't know the file's secret inherits nothing.
        if let fork, let row = file.file, row.secret == session.bind.file.map({ SecretHash($0.secret) }) {
            let known = file.answer(to: fork.common)
            clock = known?.clock ?? row.clock
            // A file without a common commit also inherits the parents, because its work may name elements that the parents created.
            parents = row.parents
            if fork.common > 0 {
                let version = known?.version ?? file.answers.first.map { $0.answer.version - 1 } ?? file.head.version
                let earlier = row.parents.map { FileParent(ident: $0.ident, version: min($0.version, version)) }
                parents = [FileParent(ident: row.ident, version: version)] + earlier
            } else if !session.bind.journal.pending.isEmpty {
                // Another copy of that file may have the same unsent commits, and the number is what relates the two copies.
                parents = [FileParent(ident: row.ident, version: 0)] + row.parents
            }
        }
        request(
            session.stream,
            .makeFile(user: user, secret: SecretHash(secret), parents: parents, clock: clock),
            .identity(key, file, secret, fork),
            of: user
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
        // If the answer is lost, the new number stays unused.
        if case .failed(let failure) = answer, failure.isFullDisk, sessions[key]?.bind.front == nil,
            bindGuest(key, file, fork)
        {
            return
        }
        guard case .file(let row) = answer else {
            return end(key, .transient(after: 1_000), "The store can't be reached.")
        }
        note(key, row.ident)
        var known = row
        // The copy has the same queries and objects as the original.
        (known.subscribed, known.pending) = (file.file?.subscribed, file.file?.pending)
        known.classes = file.file?.classes ?? []
        for (queries, isComplete) in [(known.subscribed, true), (known.pending, false)] {
            guard let queries, let session = sessions[key] else { continue }
            let kind = ServerStoreRequest.Kind.noteQueries(row.ident, queries, isComplete: isComplete)
            request(session.stream, kind, .note, of: session.user)
        }
        var plain = file
        plain.answers = []
        finish(key, plain, known, identity: FileIdentity(ident: row.ident, secret: secret), fork: fork)
    }

    mutating func note(_ key: SessionKey, _ ident: FileIdent) {
        guard let session = sessions[key] else { return }
        note(session, ident, leastBase: session.bind.leastBase)
    }

    /// Requests that the store records the present state of a bound session's file.
    mutating func note(_ key: SessionKey) {
        guard let session = sessions[key], session.ident != .me else { return }
        note(session, session.ident, leastBase: session.leastBase)
    }

    private mutating func note(_ session: Session, _ ident: FileIdent, leastBase: StreamVersion?) {
        let acknowledged = session.confirmed(as: ident)
        let kind = ServerStoreRequest.Kind.noteFile(
            ident,
            acknowledged: acknowledged,
            leastBase: leastBase,
            time: now
        )
        request(session.stream, kind, .note, of: session.user)
    }

    /// The data of a file that is being bound.
    struct Binding: Sendable {
        let file: FileAnswer
        let row: FileRow
        let identity: FileIdentity?
        let fork: Fork?
        /// The query set whose interrupted bootstrap continues.
        let begun: Queries?
        /// The number of changes of the session's rights before its views were made.
        let rightsChanges: Int
    }

    /// Compiles the queries of a file that is being bound. The session begins after that.
    mutating func finish(
        _ key: SessionKey,
        _ file: FileAnswer,
        _ row: FileRow,
        identity: FileIdentity?,
        fork: Fork?
    ) {
        guard let session = sessions[key] else { return }
        let bind = session.bind
        // The store notes a bootstrap as complete once it is sent, but its end may not have arrived. A client without a cursor can continue it.
        // With objects of an earlier view, it begins again.
        let sets = bind.cursor == nil ? [row.pending, row.subscribed] : [row.pending]
        let begun = sets.compactMap { $0 }.first { $0.version == bind.bootstrap?.queryVersion }
        let binding = Binding(
            file: file,
            row: row,
            identity: identity,
            fork: fork,
            begun: begun,
            rightsChanges: session.rightsChanges
        )
        let queries = [row.subscribed, begun].compactMap { $0 }
        start(views(of: queries, session), of: session.user, .bind(key, binding))
    }

    /// Begins a session, or queues it until the head of its answer is published.
    ///
    /// - Parameter views: the view of the query set that the client has, and the view of the one whose bootstrap continues.
    mutating func finish(_ key: SessionKey, _ binding: Binding, views: [View]) {
        let (file, row, identity, fork) = (binding.file, binding.row, binding.identity, binding.fork)
        if let changes = sessions[key]?.rightsChanges, changes != binding.rightsChanges {
            return finish(key, file, row, identity: identity, fork: fork)
        }
        guard var session = sessions[key] else { return }
        let (stream, bind) = (session.stream, session.bind)
        if let known = streams[stream], known.head.version < file.head.version {
            streams[stream]?.waiting.append(WaitingBind(key: key, binding: binding, views: views))
            watch(stream)
            streams[stream]?.isDue = known.known.version < file.head.version
            return follow(stream)
        }
        (session.ident, session.secret) = (row.ident, row.secret)
        (session.horizon, session.leastBase) = (file.head.horizon, bind.leastBase)
        session.classes = row.classes
        session.hold(Dictionary(bind.held.map { ($0.name, $0.version) }) { max($0, $1) })
        session.bind.held = []
        session.acknowledged = identity == nil ? bind.journal.acknowledged : 0
        if identity != nil {
            session.bind.journal = bind.isReset ? JournalRange() : bind.journal.renumbered(behind: fork?.common)
        }
        (session.received, session.receivedHash) = (row.last, row.hash)
        (session.cursor, session.told) = (bind.cursor, bind.cursor)
        // The connection may have ended after the last answer, but before the step of that commit was sent. Perhaps the step changes nothing in the
        // client's view.
        session.awaited = max(
            (file.answers.last ?? file.known)?.answer.version ?? 0,
            fork?.answers?.versions.last ?? 0
        )
        session.holdsUnknown = bind.cursor != nil || bind.bootstrap != nil
        session.masks = Self.masks(bind)
        session.partial = bind.partial
        if identity == nil, let staged = file.staged, staged.message.number == row.last + 1,
            configuration.limits.commitBytes > 0
        {
            session.staged = staged
        }
        session.state = .idle
        let start = begin(&session, binding, views: views)
        sessions[key] = session
        if streams[stream] == nil { remember(stream, at: file.head) }
        // Another copy may have sent the commits that were made before the file was copied.
        let last = (file.answers.last ?? file.known)?.answer.version
        if !row.parents.isEmpty, row.last == 0 || row.parents.contains(where: { $0.version == last }) {
            streams[stream]?.copies.insert(row.ident)
        }
        let other = streams[stream]?.sessions[row.ident]
        streams[stream]?.sessions.insert(key, of: row.ident, session.view)
        // The new session replaces an older session of the file. The client has lost the connection of the older session, or the older session
        // belongs to a copy of the file. The node detects the copy at its next bind.
        if let other, other != key { end(other, .transient(after: 1_000), ErrorMessage.boundAnew) }
        watch(stream)

        var bound = Bound(
            file: identity,
            schema: .accepted,
            epoch: file.head.epoch,
            acknowledged: row.last,
            fork: fork,
            start: start
        )
        bound.horizon = file.head.horizon
        if takesParts(key) { bound.staged = session.staged }
        if bind.front != nil {
            bound.front = FrontRow(row, head: file.head.cursor)
            bound.front?.cursor = session.cursor
        }
        send(key, .bound(key.number, bound))
        acknowledge(key, file.answers)
        if case .bootstrap(let bootstrap) = session.state { announce(key, bootstrap) }
        pump(key)
    }

    /// Returns the part of a bind's view numbers that identifies hidden and translated fields. Returns `nil` if it is unknown or ambiguous.
    private static func masks(_ bind: Bind) -> UInt32? {
        guard bind.cursor != nil || bind.bootstrap != nil else { return 0 }
        let views = (bind.cursor == nil ? [] : [bind.view]) + (bind.bootstrap == nil ? [] : [bind.bootstrapView])
        let masks = Set(views.map { $0.map(ViewIdentity.masks) })
        return masks.count == 1 ? masks.first! : nil
    }

    /// Sets the view and the state with which a session begins, and returns the point at which the client continues.
    private func begin(_ session: inout Session, _ binding: Binding, views: [View]) -> Bound.Start {
        let (bind, file, row) = (session.bind, binding.file, binding.row)
        session.queryBytes = max(row.subscribed?.bytes ?? 0, row.pending?.bytes ?? 0)
        let held = row.subscribed == nil ? nil : views.first.flatMap { $0.number == bind.view ? $0 : nil }
        let pending = binding.begun.flatMap { queries in views.last.map { (queries: queries, view: $0) } }
        let isReachable = bind.cursor.map { $0.version >= file.head.logStart } ?? false
        // The received chunks must be equal to those that would be sent now. The user's rights may have changed.
        if let position = bind.bootstrap, let pending, pending.queries.version == position.queryVersion,
            bind.bootstrapView == pending.view.number,
            position.cursor.epoch == file.head.epoch, file.bootstrap == position.cursor.hash,
            position.cursor.version >= file.head.logStart
        {
            let old: View? = bind.cursor == nil ? .empty : bind.cursor == position.cursor ? held : nil
            var bootstrap = Bootstrap(
                cursor: position.cursor,
                clock: file.head.clock,
                old: old,
                new: pending.view,
                queries: pending.queries
            )
            bootstrap.skips = position.last
            // Objects after the received chunks still have the form of the old view.
            bootstrap.isShown = old != nil || session.masks == pending.view.identity.masksNumber
            if old == nil { bootstrap.classes = row.classes.union(bootstrap.classes).sorted() }
            if let held, old != nil { session.view = held }
            session.state = .bootstrap(bootstrap)
            return .bootstrap
        }
        guard let held, isReachable, let queries = row.subscribed, bind.bootstrap == nil else { return .nothing }
        (session.view, session.queries, session.holdsUnknown) = (held, queries, false)
        session.state = .behind
        session.isUnchecked = true
        return .resume(nil)
    }
}

extension ErrorMessage {
    /// The text of the error that ends a session because another session has bound its file. Front ends recognise it.
    public static let boundAnew: SyncString = "The file was bound anew."
}

extension Session {
    /// Returns the last commit of a file whose answer the client knew when it was bound. The store must keep later answers, because they may have
    /// been lost.
    fileprivate func confirmed(as ident: FileIdent) -> UInt64 {
        bind.file?.ident == ident ? bind.journal.acknowledged : 0
    }
}

extension JournalRange {
    /// Returns the commits after a common one. A file with a new number counts them from 1.
    fileprivate func renumbered(behind common: UInt64?) -> JournalRange {
        let common = common ?? acknowledged
        guard common >= acknowledged else { return JournalRange() }
        return JournalRange(pending: Array(pending.dropFirst(Int(clamping: common - acknowledged))))
    }
}

extension FileAnswer {
    /// Returns the last commit that the store and a journal have in common. Both must have the acknowledged one.
    fileprivate func common(_ journal: JournalRange) -> UInt64 {
        var common = journal.acknowledged
        for (answer, hash) in zip(answers, journal.pending) {
            guard answer.answer.commit == common + 1, answer.hash == hash else { break }
            common += 1
        }
        return common
    }

    /// Returns the last commit that the store and a journal have in common. Returns 0 if the store has no commit of the journal.
    fileprivate func lastCommon(_ journal: JournalRange, _ row: FileRow) -> UInt64 {
        for (index, hash) in journal.pending.enumerated().reversed() {
            let number = journal.acknowledged &+ 1 &+ UInt64(index)
            if number == row.last
                ? row.hash == hash : answers.contains(where: { $0.answer.commit == number && $0.hash == hash })
            {
                return number
            }
        }
        return 0
    }

    fileprivate func answer(to commit: UInt64) -> MergeAnswer? {
        if known?.answer.commit == commit { return known?.answer }
        return answers.first { $0.answer.commit == commit }?.answer
    }
}

extension Ack {
    /// Creates the acknowledgement of consecutive answers. Returns `nil` if the array is empty.
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
