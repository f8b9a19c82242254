/// Sessions of front ends, whose clients speak another protocol.
///
/// A front end exchanges messages with the machine like a client. In addition, it keeps bytes in the rows of its files, and receives objects
/// as a whole together with their state before a change.
extension ServerMachine {
    /// Binds a file of a front end. The row of the file has the file's commits, so the front end doesn't name them.
    mutating func takeBind(_ file: FileAnswer, of front: FrontBind, _ key: SessionKey, _ user: SyncString) {
        guard let identity = sessions[key]?.bind.file else { return identify(key, user, file, fork: nil) }
        guard var row = file.file, row.secret == SecretHash(identity.secret) else {
            return end(key, .storeReplaced, "The file isn't known.")
        }
        guard row.user == user else { return end(key, .forbidden, "The file is another user's.") }
        if let latest = front.latest, latest.version > 0 {
            let cursor = file.bootstrap.map { Cursor(epoch: file.head.epoch, version: latest.version, hash: $0) }
            guard cursor?.salt == latest.salt else {
                return end(key, .storeReplaced, "The stream has another history.")
            }
        }
        guard !front.isReading else {
            var bound = Bound(schema: .accepted, epoch: file.head.epoch, acknowledged: row.last, start: .nothing)
            bound.front = FrontRow(row, head: file.head.cursor)
            sendPlain(key, .bound(key.number, bound))
            return forget(key)
        }
        if let version = front.cursor {
            guard let hash = file.cursor else { return end(key, .storeReplaced, "The stream has another history.") }
            sessions[key]?.bind.cursor = Cursor(epoch: file.head.epoch, version: version, hash: hash)
        }
        sessions[key]?.bind.journal = JournalRange(acknowledged: row.last, hash: row.hash)
        note(key, row.ident)
        (row.subscribed, row.pending) = (front.queries, nil)
        row.classes.formUnion(front.queries?.queries.map(\.className) ?? [])
        var plain = file
        plain.answers = []
        finish(key, plain, row, identity: nil, fork: nil)
    }

    /// Stores bytes of a front end.
    mutating func note(_ bytes: [UInt8], _ number: UInt64, _ key: SessionKey) {
        guard let session = sessions[key], session.bind.front != nil else {
            return end(key, .violation, "Only front ends keep bytes.")
        }
        request(session.stream, .noteFront(session.ident, bytes), .noteFront(key, number), of: session.user)
    }

    mutating func takeNoted(_ answer: ServerStoreAnswer, _ key: SessionKey, _ number: UInt64) {
        guard sessions[key] != nil else { return }
        guard case .done = answer else { return end(key, .transient(after: 1_000), "The store can't be reached.") }
        sendPlain(key, .noted(key.number, number))
    }

    /// Decides about the schema that a client of a front end declares.
    mutating func take(_ claim: SchemaClaim, _ key: SessionKey) {
        guard let session = sessions[key], session.bind.front != nil, let app = configuration.apps[session.stream.app]
        else { return end(key, .violation, "Only front ends claim a schema.") }
        guard claim.documents.reduce(0, { $0 + $1.json.string.utf8.count }) <= configuration.schemaBytes else {
            return end(key, .schema, "The documents of the schema are too long.")
        }
        let judgement = app.judge?(claim) ?? SchemaJudgement(.accepted)
        if let rules = judgement.rules { configuration.apps[session.stream.app]?.merge = StreamMerge(rules) }
        sendPlain(key, .claimed(key.number, judgement.verdict))
    }
}

extension Session {
    /// A Boolean value that indicates whether the session is that of a front end.
    var isFront: Bool { bind.front != nil }
}

extension SessionLens {
    /// Translates batches with the states before the changes.
    func downWithStates(_ batches: [ClassBatch]) -> [ClassBatch] {
        var before = batches
        for index in before.indices {
            before[index].objects = before[index].objects.compactMap { update in
                update.before.map { ObjectUpdate(update.key, .whole(version: 0, born: 0, $0)) }
            }
        }
        before.removeAll { $0.objects.isEmpty }
        var states: [ObjectName: [ConfirmedField]] = [:]
        for batch in before.isEmpty ? [] : down(before) {
            for update in batch.objects {
                if case .whole(_, _, let fields) = update.content {
                    states[ObjectName(batch.className, update.key)] = fields
                }
            }
        }
        var shown = down(batches)
        for index in shown.indices {
            for place in shown[index].objects.indices {
                shown[index].objects[place].before =
                    states[ObjectName(shown[index].className, shown[index].objects[place].key)]
            }
        }
        return shown
    }
}
