/// The file under which a node writes the submissions of a stream.
///
/// With `ServerConfiguration.writerSecret`, each stream has one such file, which all nodes and all imports use, also after restarts. Another process
/// may take the number of a commit that waits. A submission therefore gets its number when it is merged: the number after the last commit that the
/// store has. If another commit has the number when the merge is repeated, the hash of the stored commit shows that.
struct StreamWriter: Sendable {
    /// The number of the file. Nil until the store has created or found it.
    var ident: FileIdent?
    /// The secret of the file.
    var secret: SecretHash?
    /// The number of the last commit whose outcome was reported.
    var done: UInt64 = 0
    /// The submissions that wait for the file or for the stream's head.
    var waiting: [(number: SubmissionNumber, submission: Submission)] = []
}

/// Submissions: changes of programs that have no file. They wait in the same queue as the commits of devices, and the same rights and merge rules
/// apply.
extension ServerMachine {
    /// The maximum number of submissions that wait for a stream's file or its group.
    private static var most: Int { 10_000 }

    mutating func take(_ submission: Submission, _ number: SubmissionNumber) {
        let name = submission.stream
        guard let app = configuration.apps[name.app],
            submission.isUnrestricted || app.allows(submission.user, name.value)
        else {
            return actions.append(.submitted(number, .failed(.forbidden, text: "The user may not use this.")))
        }
        guard UInt64(submission.changes.count) <= configuration.limits.commitChanges else {
            let fault = SyncFault.tooLarge(limit: configuration.limits.commitChanges)
            return actions.append(.submitted(number, .failed(fault, text: "There are too many changes.")))
        }
        guard !isHeld(submission.changes, name) else {
            let text: SyncString = "Objects of the class aren't taken now: too many wait to be handed on."
            return actions.append(.submitted(number, .failed(.transient(after: 5_000), text: text)))
        }
        let waiting = (writers[name]?.waiting.count ?? 0) + (streams[name]?.queue.count ?? 0)
        guard waiting < Self.most else {
            let text: SyncString = "Too many changes wait already."
            return actions.append(.submitted(number, .failed(.transient(after: 1_000), text: text)))
        }
        if streams[name] != nil, writers[name]?.ident != nil { return queue(submission, number, app) }
        let isFirst = writers[name]?.waiting.isEmpty ?? true
        writers[name, default: StreamWriter()].waiting.append((number, submission))
        if isFirst { prepare(name) }
    }

    /// Requests the file, or the stream's head, that is needed before submissions can be queued.
    private mutating func prepare(_ name: StreamName) {
        if writers[name]?.ident == nil {
            if let secret = configuration.writerSecret?(name) {
                return request(name, .openWriter(SecretHash(secret)), .writer(name))
            }
            let secret = SecretHash(FileSecret(high: draw(), low: draw()))
            request(name, .makeFile(user: "", secret: secret, parents: [], clock: .zero), .writer(name))
        } else {
            request(name, .read(RowQuery()), .firstHead(name))
        }
    }

    mutating func takeWriter(_ answer: ServerStoreAnswer, _ name: StreamName) {
        guard case .file(let row) = answer else { return failWaiting(name) }
        let waiting = writers[name]?.waiting ?? []
        writers[name] = StreamWriter(ident: row.ident, secret: row.secret, done: row.last, waiting: waiting)
        if streams[name] == nil { request(name, .read(RowQuery()), .firstHead(name)) } else { flush(name) }
    }

    mutating func takeFirstHead(_ answer: ServerStoreAnswer, _ name: StreamName, asked: KnownHead?) {
        guard case .rows(let rows) = answer else { return failWaiting(name) }
        if streams[name] == nil { remember(name, at: rows.head) } else { learn(rows, name, asked: asked) }
        if writers[name]?.ident == nil { prepare(name) } else { flush(name) }
    }

    /// Reports to the store that the answers of submissions aren't needed any more, so that the store may delete them.
    mutating func noteWriters() {
        for (name, writer) in writers {
            guard let ident = writer.ident else { continue }
            request(name, .noteFile(ident, acknowledged: writer.done, leastBase: nil, time: now), .note)
        }
    }

    /// Forgets the file of a stream's submissions after the store was restored to an earlier state, because the number may belong to another file.
    mutating func forgetWriter(_ name: StreamName) {
        guard let waiting = writers[name]?.waiting else { return }
        writers[name] = waiting.isEmpty ? nil : StreamWriter(waiting: waiting)
        if !waiting.isEmpty { prepare(name) }
    }

    /// Removes the files of submissions that earlier processes and imports created under other secrets.
    mutating func trimWriters(_ name: StreamName) {
        guard let secret = configuration.writerSecret?(name) else { return }
        request(name, .trimWriters(keeping: SecretHash(secret)), .note)
    }

    mutating func failWaiting(_ name: StreamName) {
        let waiting = writers[name]?.waiting ?? []
        writers[name]?.waiting = []
        for (number, _) in waiting {
            let text: SyncString = "The store can't be reached."
            actions.append(.submitted(number, .failed(.transient(after: 1_000), text: text)))
        }
    }

    private mutating func flush(_ name: StreamName) {
        let waiting = writers[name]?.waiting ?? []
        writers[name]?.waiting = []
        for (number, submission) in waiting {
            guard let app = configuration.apps[name.app] else { continue }
            queue(submission, number, app)
        }
    }

    private mutating func queue(_ submission: Submission, _ number: SubmissionNumber, _ app: ServerApp) {
        let name = submission.stream
        guard let ident = writers[name]?.ident, let head = streams[name]?.known else { return }
        watch(name)
        var seen = submission.seen
        for change in submission.changes where seen[change.object] == nil { seen[change.object] = head.version }
        for (name, version) in seen { seen[name] = min(version, head.version) }
        let commit = Commit(
            number: 0,
            clock: Clock(milliseconds: now),
            base: head.version,
            seen: seen,
            schemaVersion: submission.schemaVersion,
            changes: submission.changes
        )
        let lensed = submission.lens?.up(commit, [])
        let item = QueuedCommit(
            session: SessionKey(connection: 0, number: SessionNumber(rawValue: 0)),
            submission: number,
            ident: ident,
            secret: writers[name]?.secret,
            user: submission.user,
            rights: submission.isUnrestricted ? nil : app.rights?(submission.user, name.value),
            commit: lensed?.commit ?? commit,
            lensed: lensed,
            hash: .empty,
            previous: .empty,
            wasSplit: false,
            oldLists: nil,
            salt: salt()
        )
        enqueue(item, name)
    }
}
