internal import FreeholdRealmWire
internal import FreeholdSyncCore

/// Downloads: the changes of the server's state as entries for the client.
extension RealmSession {
    /// Handles a message of the machine.
    mutating func take(_ message: ServerMessage, next: () -> SessionNumber, _ output: inout RealmOutput) {
        guard phase != .dead else { return }
        owed &+= message.estimatedSize
        switch message {
        case .bound(_, let bound): take(bound, next: next, &output)
        case .queryError(_, let error): take(error, &output)
        case .ack(_, let ack): take(ack, &output)
        case .changes(_, let changes): take(changes, &output)
        case .bootstrapBegin(_, let begin): take(begin, &output)
        case .bootstrapChunk(_, let chunk): take(chunk, &output)
        case .bootstrapEnd(_, let end): take(end, &output)
        case .credit(_, let bytes): takeCredit(bytes, &output)
        case .marked(_, let mark, _):
            if batch?.lastNumber == nil {
                send(.mark(session: number, number: mark), &output)
            } else {
                heldMarks.append(mark)
            }
        case .notice(_, let notice):
            if case .leaving = notice.kind { output.close = output.close ?? 4003 }
        case .error(_, let error): take(error, &output)
        case .noted(_, let note): takeNoted(note, &output)
        case .claimed(_, let verdict): takeClaimed(verdict, &output)
        case .welcome, .pong, .part: break
        }
    }

    /// Sends the commits that waited for credit.
    mutating func takeCredit(_ bytes: UInt64, _ output: inout RealmOutput) {
        credit += Int64(clamping: bytes)
        sendCommits(&output)
    }

    private mutating func take(_ error: QueryError, _ output: inout RealmOutput) {
        let version = Int64(clamping: error.version)
        guard version != queryVersion || told == nil, bootstrap?.queryVersion != version else {
            let text = "a query can't be evaluated for an object: \(error.text.string)"
            output.logs.append(RealmFrontLog(.info, text, session: number))
            guard self.version >= 10 else { return }
            return send(.log(session: number, level: "warn", message: text, coID: ""), &output)
        }
        guard failedQueries.insert(version).inserted else { return }
        send(
            .queryError(session: number, code: 226, version: version, message: "\(error.className): \(error.text)"),
            &output
        )
    }

    private mutating func take(_ error: ErrorMessage, _ output: inout RealmOutput) {
        isOpen = false
        let text = error.text.string
        switch error.fault {
        case .transient:
            isReplaced = error.text == ErrorMessage.boundAnew
            fail(200, "Transient", text: text, tryAgain: true, output: &output)
        case .auth: fail(200, "RefreshUser", text: text, tryAgain: true, output: &output)
        case .forbidden: fail(206, "ApplicationBug", text: text, output: &output)
        case .schema: fail(225, "ApplicationBug", text: text, output: &output)
        case .query: fail(226, "ApplicationBug", text: text, output: &output)
        case .tooLarge: fail(201, "ApplicationBug", text: text, output: &output)
        case .violation: fail(200, "Transient", text: text, tryAgain: true, output: &output)
        case .storeReplaced:
            let isUnknown = text == "The file isn't known."
            fail(isUnknown ? 208 : 209, "ClientReset", text: text, output: &output)
        case .upgradeRequired: fail(201, "ApplicationBug", text: text, output: &output)
        }
    }

    // MARK: Objects

    /// Returns updates in the form of the client. Classes and fields that it doesn't have yet are requested from the app's schema.
    private mutating func read(_ batches: [ClassBatch]) -> [(WireObject, HeldChange)] {
        if batches.contains(where: { lacks($0) }) { refreshSchema() }
        var reader = ObjectReader(image.schema)
        var result: [(WireObject, HeldChange)] = []
        for batch in batches {
            let table = WireText(batch.className)
            guard let spec = image.schema[table]?.spec, spec.kind == .topLevel else { continue }
            for update in batch.objects {
                let object = WireObject(table: table, key: WireKey(update.key))
                guard object.key.fits(spec) else { continue }
                var change = HeldChange()
                change.before = update.before.map { reader.fields($0, of: table) }
                if case .whole(_, _, let fields) = update.content { change.after = reader.fields(fields, of: table) }
                result.append((object, change))
            }
        }
        return result
    }

    private func lacks(_ batch: ClassBatch) -> Bool {
        guard let table = image.schema[WireText(batch.className)] else { return true }
        return batch.objects.contains { update in
            guard case .whole(_, _, let fields) = update.content else { return false }
            return fields.contains { field in
                let name = WireText(field.name)
                return table[name] == nil && table.spec.primaryKey?.field != name
            }
        }
    }

    /// Adds the classes and fields that were added to the app's schema.
    private mutating func refreshSchema() {
        guard case .tables(let tables) = configuration.schema(schemaVersion), tables != schema.tables,
            let new = try? RealmSchema(tables, version: schemaVersion)
        else { return }
        let added = new.instructions(missingIn: image.schema)
        guard (try? image.extend(added)) != nil else { return }
        schema = new
        addedSchema += added
    }

    // MARK: Steps

    private mutating func take(_ changes: Changes, _ output: inout RealmOutput) {
        let updates = read(changes.classes)
        if changes.from == changes.to, !changes.classes.isEmpty, batch?.fetching.isEmpty == false {
            // The parts of a bootstrap contain the earlier form of the objects that leave the view.
            guard bootstrap == nil else { return heldFetched += updates }
            return takeFetched(updates, &output)
        }
        hold(updates)
        isContinuing = changes.continues
        heldTo = changes.to
        settleIfPossible(&output)
    }

    private mutating func hold(_ updates: [(WireObject, HeldChange)]) {
        for (object, change) in updates {
            if held[object] == nil { held[object] = change } else { held[object]?.after = change.after }
        }
    }

    /// Processes the held changes, unless uploads have to be merged or sent again before.
    mutating func settleIfPossible(_ output: inout RealmOutput) {
        guard !isContinuing, bootstrap == nil, let position = heldTo ?? told else { return }
        if let batch, batch.waitsForBootstrap { return finishBatch(&output) }
        if let batch, batch.lastNumber != nil {
            guard let version = batch.version, position.version >= version else { return }
            return finishBatch(&output)
        }
        guard expected == nil, heldTo != nil else { return }
        settle(&output)
    }

    /// Sends the differences between what the client shows and the server's state, and acknowledges the client's uploads.
    ///
    /// - Parameters:
    ///   - before: The objects that uploads touched, with the server's states before the uploads.
    ///   - refusals: The refused changes of the uploads.
    ///   - acknowledges: A Boolean value that indicates whether the client waits for an answer to an upload.
    mutating func settle(
        touching before: [WireObject: WireFields?] = [:],
        refusals: (client: UInt64, updates: [ServerError.Compensation.Update])? = nil,
        acknowledges: Bool = false,
        _ output: inout RealmOutput
    ) {
        var changes: [DifferenceMaker.Change] = []
        var position = heldTo ?? told
        if let old = told, let new = position, old.version > new.version { position = old }
        for object in Set(held.keys).union(before.keys).union(image.doubtful) {
            let isKept = image.kept.contains(object)
            // For each other doubtful object, the client should show the server's state.
            let wanted = held[object].map(\.after) ?? before[object] ?? image.shown[object]
            let change = DifferenceMaker.Change(
                object: object,
                shown: isKept ? image.shown[object] : held[object]?.before,
                wanted: wanted,
                isAbsolute: image.doubtful.contains(object) || isUncertain && !isKept
            )
            changes.append(change)
        }
        told = position
        let states = held
        (held, heldTo) = ([:], nil)
        let made = DifferenceMaker(changes, schema: image.schema)
        report.absoluteRepairs += UInt64(made.absolute)
        let isEmpty = made.instructions.isEmpty && addedSchema.isEmpty && refusals == nil
        guard !isEmpty else {
            image.trust(Set(changes.map(\.object)))
            if acknowledges {
                if !image.queue.isEmpty { note(&output) }
                acknowledge(&output)
            }
            return image.drop(except: batch?.touched ?? [])
        }
        if !before.isEmpty, !made.instructions.isEmpty { report.repairs += 1 }
        for change in changes { image.keep(change.object, states[change.object]?.before) }
        append(made, showing: changes, refusals: refusals, &output)
        image.trust(Set(changes.map(\.object)))
        image.drop(except: batch?.touched ?? [])
    }

    /// Sends an entry, and adds it to the queue.
    private mutating func append(
        _ made: DifferenceMaker,
        showing changes: [DifferenceMaker.Change],
        refusals: (client: UInt64, updates: [ServerError.Compensation.Update])?,
        _ output: inout RealmOutput
    ) {
        guard let told, let bytes = encoded(addedSchema + made.instructions, &output),
            let changeset = encoded(made.instructions, &output).flatMap({ try? Changeset(bytes: $0) })
        else { return }
        addedSchema = []
        let client = integrated
        var entry = QueuedEntry(
            serverVersion: nextServerVersion(told.version),
            streamVersion: told.version,
            clientVersion: client,
            original: bytes,
            changeset: changeset,
            ids: made.ids
        )
        if let refusals {
            entry.refusals = .init(
                serverVersion: entry.serverVersion,
                clientVersion: refusals.client,
                updates: refusals.updates
            )
        }
        let showing = Dictionary(changes.map { ($0.object, $0.wanted) }) { $1 }
        image.append(entry, showing: showing)
        note(&output)
        sentServer = entry.serverVersion
        if let refusals = entry.refusals { send(.error(compensation(refusals)), &output) }
        let sent = DownloadEntry(
            serverVersion: entry.serverVersion,
            clientVersion: client,
            originalSize: UInt64(bytes.count),
            changeset: bytes
        )
        send(download([sent]), &output)
    }

    /// Returns the bytes of instructions, after they were checked.
    private mutating func encoded(_ instructions: [Instruction], _ output: inout RealmOutput) -> [UInt8]? {
        let changeset = Changeset(instructions)
        do {
            try ChangesetValidator(version: version).check(changeset, schema: image.schema)
            return try changeset.encoded()
        } catch {
            output.logs.append(RealmFrontLog(.warning, "an entry isn't sent: \(error)", session: number))
            fail(225, "ApplicationBug", text: "an object can't be sent to this client", output: &output)
            return nil
        }
    }

    // MARK: Bootstraps

    private mutating func take(_ begin: BootstrapBegin, _ output: inout RealmOutput) {
        let version = Int64(clamping: begin.queryVersion)
        let isChangeOfView = told != nil && version == queryVersion
        if discarded == version {
            discarded = nil
            if begun?.queryVersion == version { begun = nil }
        }
        let earlier = begun?.queryVersion == version ? begun : nil
        if !isChangeOfView, let earlier, earlier.streamVersion < begin.cursor.version, self.version >= 14 {
            // Objects have changed, so that the part may contain objects that aren't in the view any more. These clients discard it if
            // their session is suspended.
            discarded = version
            let text = "a part of an earlier bootstrap has to be discarded"
            return fail(200, "Transient", text: text, tryAgain: true, output: &output)
        }
        abandonBootstrap()
        fetchAgain(&output)
        bootstrap = RunningBootstrap(
            queryVersion: version,
            serverVersion: isChangeOfView ? 0 : nextServerVersion(begin.cursor.version),
            before: .init(streamVersion: told?.version, view: view, queryVersion: queryVersion),
            isChangeOfView: isChangeOfView,
            isRepeated: earlier != nil || isResumed && !configuration.storesQueues,
            streamVersion: begin.cursor.version,
            held: held
        )
    }

    /// Reverts the changes of the parts of a bootstrap that is replaced by another one. The client discards these parts.
    private mutating func abandonBootstrap() {
        guard let running = bootstrap else { return }
        addedSchema = running.schema + addedSchema
        held = running.held
        for (object, fields) in running.replaced where batch?.touched.contains(object) == true {
            batch?.before[object] = .some(fields)
        }
    }

    private mutating func take(_ chunk: BootstrapChunk, _ output: inout RealmOutput) {
        guard var running = bootstrap else { return }
        let updates = read(chunk.classes)
        guard !running.isChangeOfView else { return hold(updates) }
        var changes: [DifferenceMaker.Change] = []
        let isMerging = batch?.lastNumber != nil || batch?.waitsForBootstrap == true
        for (object, change) in updates {
            // The client hasn't received changes that wait. The chunk contains the result of these changes.
            let waiting = held.removeValue(forKey: object)
            let before: WireFields? = waiting.map(\.before) ?? change.before
            if waiting != nil || change.after == nil && image.kept.count < configuration.limits.keptObjects {
                image.keep(object, before)
            }
            let isKept = image.kept.contains(object)
            let shown = isKept ? image.shown[object] : before
            // An object that the client has in another form, or may have, is written as a whole.
            let isKnown = shown != nil || running.isRepeated
            let isAbsolute = image.doubtful.contains(object) || isKnown && change.after != nil
            changes.append(.init(object: object, shown: shown, wanted: change.after, isAbsolute: isAbsolute))
            if isMerging, batch?.touched.contains(object) == true {
                image.doubt(object, isContradiction: false)
                if running.replaced[object] == nil, let earlier = batch?.before[object] {
                    running.replaced[object] = .some(earlier)
                }
                batch?.before[object] = .some(change.after)
            }
        }
        let made = DifferenceMaker(changes, schema: image.schema)
        let schema = addedSchema
        guard !made.instructions.isEmpty || !schema.isEmpty else { return bootstrap = running }
        guard let bytes = encoded(schema + made.instructions, &output) else { return }
        addedSchema = []
        running.schema += schema
        note(made, changes, &running)
        let entry = DownloadEntry(
            serverVersion: running.serverVersion,
            clientVersion: integrated,
            originalSize: UInt64(bytes.count),
            changeset: bytes
        )
        if running.entries == 0 {
            let earlier = begun?.queryVersion == running.queryVersion ? begun?.streamVersion : nil
            begun = BegunBootstrap(
                queryVersion: running.queryVersion,
                streamVersion: min(earlier ?? running.streamVersion, running.streamVersion)
            )
            note(&output)
        }
        running.entries += 1
        bootstrap = running
        send(
            download([entry], batch: .more, queryVersion: running.queryVersion, server: running.serverVersion),
            &output
        )
    }

    /// Adds the changes of kept objects to the running bootstrap, whose entry in the queue needs them.
    private func note(
        _ made: DifferenceMaker,
        _ changes: [DifferenceMaker.Change],
        _ running: inout RunningBootstrap
    ) {
        guard !image.kept.isEmpty else { return }
        var insertions = 0
        for instruction in made.instructions {
            let isInsertion = if case .arrayInsert = instruction { true } else { false }
            defer { if isInsertion { insertions += 1 } }
            guard let object = instruction.object, image.kept.contains(object) else { continue }
            running.partial.append(instruction)
            if isInsertion { running.ids.append(made.ids.indices.contains(insertions) ? made.ids[insertions] : nil) }
        }
        for change in changes where image.kept.contains(change.object) {
            running.showing[change.object] = .some(change.wanted)
        }
    }

    private mutating func take(_ end: BootstrapEnd, _ output: inout RealmOutput) {
        guard let running = bootstrap else { return }
        bootstrap = nil
        view = end.checksums.view
        guard !running.isChangeOfView else {
            heldTo = end.cursor
            isContinuing = false
            takeHeldFetched(&output)
            return settleIfPossible(&output)
        }
        var entries: [DownloadEntry] = []
        if running.entries == 0 || !addedSchema.isEmpty {
            guard let bytes = encoded(addedSchema, &output) else { return }
            addedSchema = []
            entries = [
                DownloadEntry(
                    serverVersion: running.serverVersion,
                    clientVersion: integrated,
                    originalSize: UInt64(bytes.count),
                    changeset: bytes
                )
            ]
        }
        if batch?.lastNumber == nil || heldTo == nil { told = end.cursor } else { heldTo = end.cursor }
        if told == nil { told = end.cursor }
        queryVersion = running.queryVersion
        var entry = QueuedEntry(
            serverVersion: running.serverVersion,
            streamVersion: end.cursor.version,
            clientVersion: integrated,
            original: [],
            changeset: Changeset(running.partial),
            ids: running.ids
        )
        entry.bootstrap = running.before
        image.append(entry, showing: running.showing, over: batch?.own ?? [])
        note(&output)
        sentServer = running.serverVersion
        send(
            download(entries, batch: .last, queryVersion: running.queryVersion, server: running.serverVersion),
            &output
        )
        takeHeldFetched(&output)
        settleIfPossible(&output)
    }

    /// Handles the requested objects that arrived during a bootstrap.
    private mutating func takeHeldFetched(_ output: inout RealmOutput) {
        let updates = heldFetched
        heldFetched = []
        if !updates.isEmpty { takeFetched(updates, &output) }
    }

    /// Requests objects again that arrived during a bootstrap that another one replaces.
    private mutating func fetchAgain(_ output: inout RealmOutput) {
        guard !heldFetched.isEmpty else { return }
        output.passes.append(.fetch(machine, heldFetched.compactMap(\.0.sync)))
        heldFetched = []
    }

    // MARK: Credit

    /// Grants new credit to the machine after the connection has written the messages, unless the client's queue is too large.
    mutating func giveCredit(_ output: inout RealmOutput) {
        guard isOpen, owed > 0, image.keptBytes < configuration.limits.queueBytes else { return }
        output.passes.append(.credit(machine, bytes: owed))
        owed = 0
    }
}
