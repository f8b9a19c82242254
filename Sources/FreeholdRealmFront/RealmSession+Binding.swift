internal import FreeholdRealmWire
internal import FreeholdSyncCore

/// The beginning of sessions: idents, and the states of files.
extension RealmSession {
    /// Requests an ident for a new file.
    mutating func open(_ output: inout RealmOutput) {
        guard needsIdent else { return }
        bind(nil, FrontBind(), &output)
    }

    private mutating func bind(
        _ file: FileIdentity?,
        _ front: FrontBind,
        view: UInt64? = nil,
        _ output: inout RealmOutput
    ) {
        var bind = Bind(app: configuration.app, stream: configuration.stream, file: file, schema: schema.claim)
        bind.front = front
        bind.view = view
        bind.queryVersion = UInt64(clamping: queryVersion)
        isOpen = true
        output.passes.append(.bind(machine, bind))
        if !front.isReading { output.passes.append(.credit(machine, bytes: configuration.limits.downloadBytes)) }
    }

    /// Handles the client's identity and progress.
    ///
    /// - Parameter next: A number for another session with the machine, since the row is read first.
    mutating func take(_ ident: RealmClientMessage.Ident, _ output: inout RealmOutput) {
        guard phase == .bound, let identity = Self.identity(ident.file) else {
            return fail(208, "ClientReset", text: "bad client file ident", output: &output)
        }
        guard !replacedFiles.contains(identity) else {
            // Two open connections use the file at the same time.
            return fail(208, "ClientReset", text: "another copy of the file is in use", output: &output)
        }
        self.ident = ident
        (newestQuery, queryVersion) = (ident.queryVersion, ident.queryVersion)
        queries = ident.queries.map { ClassQueryText(className: SyncString($0.table), condition: SyncString($0.text)) }
        if let own = self.identity {
            guard own == identity else {
                return fail(208, "ClientReset", text: "bad client file ident", output: &output)
            }
            // A file that has just received its ident.
            if isOpen { return begin(&output) }
        }
        self.identity = identity
        phase = .reading
        var front = FrontBind(isReading: true)
        if ident.latest.version >> 20 > 0 {
            front.latest = .init(version: ident.latest.version >> 20, salt: ident.latest.salt)
        }
        bind(identity, front, &output)
    }

    /// Handles the machine's answer to a bind.
    ///
    /// - Parameter next: The number of the machine's next session.
    mutating func take(_ bound: Bound, next: () -> SessionNumber, _ output: inout RealmOutput) {
        switch bound.schema {
        case .accepted: break
        case .documentsNeeded:
            isOpen = false
            return fail(225, "ApplicationBug", text: "the server doesn't know the schema", output: &output)
        case .refused(let problems):
            isOpen = false
            let text = problems.first?.text.string ?? "the schema isn't that of the app"
            return fail(225, "ApplicationBug", text: text, output: &output)
        }
        guard let row = bound.front else { return }
        if phase == .binding, row.last != last.number {
            // Commits of an earlier session were merged after the row was read. The client would send them twice.
            return fail(200, "Transient", text: "the file has new commits", tryAgain: true, output: &output)
        }
        last = (row.last, row.hash)
        switch phase {
        case .bound:
            guard let file = bound.file else { return }
            identity = file
            report.file = file.ident
            send(.ident(session: number, file: Self.wireIdent(file)), &output)
        case .reading:
            // The machine has ended the session after the answer.
            isOpen = false
            machine = next()
            resume(row, &output)
        case .binding:
            report.file = identity?.ident
            finish(bound, row, &output)
        case .live, .dead: break
        }
    }

    /// Continues a file with the state in its row.
    private mutating func resume(_ row: FrontRow, _ output: inout RealmOutput) {
        guard let ident, let identity else { return }
        report.file = identity.ident
        let isNew = ident.download.server == 0
        guard !row.bytes.isEmpty, let state = try? FrontState(bytes: row.bytes) else {
            guard isNew, row.bytes.isEmpty else {
                return fail(208, "ClientReset", text: "the state of the file is lost", output: &output)
            }
            phase = .binding
            return bind(identity, FrontBind(), &output)
        }
        guard ident.download.server >> 20 <= row.head.version else {
            return fail(209, "ClientReset", text: "bad server version", output: &output)
        }
        // The state is stored before each entry is sent. So if the client has an entry that the row doesn't have, the store was restored to an
        // earlier state.
        guard !configuration.storesQueues || ident.download.server <= state.lastServer else {
            return fail(208, "ClientReset", text: "the file is newer than its state", output: &output)
        }
        guard state.receipts.permits(ident.download) else {
            return fail(208, "ClientReset", text: "the file is an earlier copy", output: &output)
        }
        // An acknowledgement follows the entries that were sent before it.
        let skipped = state.queue.contains { entry in
            entry.bootstrap == nil && entry.serverVersion > ident.download.server
                && entry.clientVersion < ident.download.client
        }
        guard !skipped else { return failCopy(&output) }
        guard continueSchema(state, &output) else { return }
        image = ClientImage(schema.wire)
        restore(state, row)
        if let before = image.cutBootstrap(after: ident.download.server) {
            (view, told) = (before.view, nil)
            guard let version = before.streamVersion, !isNew else {
                image = ClientImage(schema.wire)
                phase = .binding
                return bind(identity, FrontBind(), &output)
            }
            // Uploads that were made after the bootstrap was sent may have changed objects that the queue doesn't name.
            if applied > 0 { uncertainUpTo = row.head.version }
            return continueAt(version, row, &output)
        }
        guard !isNew, let version = state.streamVersion ?? told?.version else {
            image = ClientImage(schema.wire)
            phase = .binding
            return bind(identity, FrontBind(), &output)
        }
        continueAt(resumedVersion ?? version, row, &output)
    }

    private mutating func continueAt(_ version: StreamVersion, _ row: FrontRow, _ output: inout RealmOutput) {
        guard let identity else { return }
        told = Cursor(epoch: 0, version: version, hash: .empty)
        phase = .binding
        var front = FrontBind(cursor: version)
        front.queries = Queries(
            version: UInt64(clamping: queryVersion),
            queries: queries.map { FreeholdSyncCore.ClassQuery(className: $0.className, condition: $0.condition) }
        )
        bind(identity, front, view: view, &output)
    }

    /// Restores the state of a file from its row.
    private mutating func restore(_ state: FrontState, _ row: FrontRow) {
        guard let ident else { return }
        (accepted, applied, base, view) = (state.accepted, state.applied, state.base, state.view)
        lastServer = max(state.lastServer, ident.download.server)
        sentServer = ident.download.server
        if state.schemaMark != schema.claim.hash.low {
            addedSchema = schema.instructions(missingIn: WireSchema())
        }
        acknowledged = UploadCursor(client: ident.download.client, server: 0)
        receipts = state.receipts
        receipts.confirm(ident.download)
        begun = state.begun.flatMap { $0.queryVersion > ident.queryVersion ? $0 : nil }
        isResumed = true
        resumedVersion = nil
        if applied < accepted, ident.download.client >= accepted {
            // The answers were received, so that the state after the commits was the server's. Otherwise it would have been stored.
            applied = accepted
            settled = applied
            if row.version > 0 { resumedVersion = row.version }
            return
        }
        let expected = ExpectedUploads(
            state.receipts,
            after: ident.download.client,
            last: accepted,
            hash: state.hash,
            lastHash: row.hash
        )
        if !expected.isDone(applied: applied) { self.expected = expected }
        if applied < accepted { replayedVersion = row.version }
        settled = applied
        image.restore(state.queue, state.stored)
    }

    /// Selects the schema version of the file. A client of another version continues under the file's version until it has migrated.
    ///
    /// - Returns: `false` if the session ended.
    private mutating func continueSchema(_ state: FrontState, _ output: inout RealmOutput) -> Bool {
        guard state.schemaVersion != schemaVersion else { return true }
        guard case .tables(let tables) = configuration.schema(state.schemaVersion),
            let old = try? RealmSchema(tables, version: state.schemaVersion)
        else {
            fail(208, "ClientReset", text: "the schema version of the file isn't served any more", output: &output)
            return false
        }
        var error = ServerError(
            session: number,
            code: 236,
            message: "the file belongs to schema version \(state.schemaVersion)",
            tryAgain: false,
            action: "MigrateSchema"
        )
        error.previousSchemaVersion = Int64(clamping: state.schemaVersion)
        send(.error(error), &output)
        (schemaVersion, schema) = (state.schemaVersion, old)
        report.schemaVersion = state.schemaVersion
        return true
    }

    /// Begins a bound session.
    private mutating func finish(_ bound: Bound, _ row: FrontRow, _ output: inout RealmOutput) {
        guard let ident else { return }
        switch bound.start {
        case .resume:
            told = row.cursor
            phase = .live
            resend(after: ident.download.server, &output)
        case .nothing where ident.download.server == 0: return begin(&output)
        case .nothing, .bootstrap:
            return fail(208, "ClientReset", text: "the file is too old, or its view has changed", output: &output)
        }
        takeWaiting(&output)
    }

    /// Requests the first bootstrap.
    private mutating func begin(_ output: inout RealmOutput) {
        guard let ident else { return }
        guard ident.download.server == 0 else {
            return fail(208, "ClientReset", text: "bad client file ident", output: &output)
        }
        phase = .live
        image = ClientImage()
        addedSchema = schema.instructions(missingIn: WireSchema())
        do throws(ApplyError) { try image.extend(addedSchema) } catch {
            return fail(225, "ApplicationBug", text: error.reason, output: &output)
        }
        subscribe(ident.queryVersion, queries, &output)
        takeWaiting(&output)
    }

    /// Sends the entries again that were in flight when the connection was lost, in the form in which they were sent.
    private mutating func resend(after version: UInt64, _ output: inout RealmOutput) {
        for entry in image.queue where entry.serverVersion > version && entry.bootstrap == nil {
            if let refusals = entry.refusals { send(.error(compensation(refusals)), &output) }
            let sent = DownloadEntry(
                serverVersion: entry.serverVersion,
                clientVersion: entry.clientVersion,
                originalSize: UInt64(entry.original.count),
                changeset: entry.original
            )
            send(
                download([sent], server: entry.serverVersion, client: entry.clientVersion),
                &output
            )
            sentServer = max(sentServer, entry.serverVersion)
            acknowledged.client = max(acknowledged.client, entry.clientVersion)
            expected?.acknowledge(upTo: entry.clientVersion)
        }
        if expected?.isDone(applied: applied) == true { expected = nil }
    }

    func compensation(_ refusals: ServerError.Compensation) -> ServerError {
        // With `tryAgain` false, the app's wait for its upload would fail.
        var error = ServerError(
            session: number,
            code: 231,
            message: "changes were refused",
            tryAgain: true,
            action: "Warning"
        )
        error.compensation = refusals
        return error
    }

    private mutating func takeWaiting(_ output: inout RealmOutput) {
        let messages = waiting
        waiting = []
        for message in messages { take(message, &output) }
    }

    // MARK: Messages of the client

    /// Handles a message of a bound session.
    mutating func take(_ message: RealmClientMessage, _ output: inout RealmOutput) {
        if phase == .dead { return }
        if case .ident(let ident) = message { return take(ident, &output) }
        guard phase == .live else {
            guard waiting.count < configuration.limits.waitingMessages else {
                return fail(200, "Transient", text: "too many messages", tryAgain: true, output: &output)
            }
            return waiting.append(message)
        }
        switch message {
        case .query where isHolding, .mark where isHolding: hold(message, &output)
        case .query(_, let version, let queries): take(queries, version, &output)
        case .upload(let upload):
            let bytes = upload.entries.reduce(64) { $0 + $1.changeset.count + 64 }
            uploadBytes += bytes
            uploads.append(upload)
            idlePings = 0
            startBatch(&output)
        case .mark(_, let mark):
            marks.wanted = mark
            output.passes.append(.mark(machine, mark))
        case .error(_, let code, let message):
            output.logs.append(
                RealmFrontLog(
                    .warning,
                    "the client couldn't integrate a download: \(code) \(message.prefix(200))",
                    session: number
                )
            )
            fail(225, "ApplicationBug", text: "the client couldn't integrate a download (\(code))", output: &output)
        case .bind, .ident, .unbind, .ping: break
        }
    }

    private var isHolding: Bool { expected != nil || !heldMessages.isEmpty }

    /// Keeps a query set, and the marks after it, until the client has sent the expected changesets.
    ///
    /// The changes before the bootstrap can't be sent earlier. A mark before the query set permits the client to upload.
    private mutating func hold(_ message: RealmClientMessage, _ output: inout RealmOutput) {
        if case .mark(_, let mark) = message, heldMessages.isEmpty {
            marks.wanted = mark
            return output.passes.append(.mark(machine, mark))
        }
        if case .query(_, _, let queries) = message {
            heldQueryBytes += queries.reduce(0) { $0 + $1.table.utf8.count + $1.text.utf8.count }
        }
        guard heldMessages.count < configuration.limits.waitingMessages,
            heldQueryBytes <= configuration.limits.uploadBytes
        else {
            return fail(200, "Transient", text: "too many messages", tryAgain: true, output: &output)
        }
        heldMessages.append(message)
    }

    /// Handles the messages that were kept.
    mutating func takeHeldMessages(_ output: inout RealmOutput) {
        guard expected == nil, !heldMessages.isEmpty else { return }
        let messages = heldMessages
        (heldMessages, heldQueryBytes) = ([], 0)
        for message in messages { take(message, &output) }
    }

    /// Counts the pings of a client that doesn't send the expected changesets again. Such a client is a copy of the file that lacks these changesets.
    /// A client uploads directly after it has received the answer to its mark. It sends a second ping only after the answer to the first one, which
    /// is sent after the answer to the mark. So a client that has sent two pings and no upload has no changesets to send.
    mutating func takePing(_ output: inout RealmOutput) {
        guard phase == .live, expected != nil, batch == nil, uploads.isEmpty, isClaiming == nil, outbox.isEmpty,
            marks.sent >= marks.wanted
        else { return }
        idlePings += 1
        guard idlePings > 1 else { return }
        fail(208, "ClientReset", text: "the file is a copy that lacks changes", output: &output)
    }

    private mutating func take(_ texts: [FreeholdRealmWire.ClassQuery], _ version: Int64, _ output: inout RealmOutput) {
        guard version > newestQuery else {
            return fail(200, "Transient", text: "bad query version", tryAgain: true, output: &output)
        }
        newestQuery = version
        let queries = texts.map { ClassQueryText(className: SyncString($0.table), condition: SyncString($0.text)) }
        subscribe(version, queries, &output)
    }

    private mutating func subscribe(_ version: Int64, _ texts: [ClassQueryText], _ output: inout RealmOutput) {
        if failedQueries.count > 1_000 { failedQueries = [] }
        let all = texts.map { FreeholdSyncCore.ClassQuery(className: $0.className, condition: $0.condition) }
        output.passes.append(.queries(machine, Queries(version: UInt64(clamping: version), queries: all)))
    }
}
