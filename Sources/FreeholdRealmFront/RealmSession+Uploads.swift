internal import FreeholdRealmWire
internal import FreeholdSyncCore

/// Uploads: changesets of the client as commits, and their answers.
extension RealmSession {
    /// Begins to process the uploads that wait, unless earlier ones are being merged.
    mutating func startBatch(_ output: inout RealmOutput) {
        guard phase == .live, batch == nil, isClaiming == nil, !uploads.isEmpty else { return }
        guard image.keptBytes <= 4 * configuration.limits.queueBytes else {
            return fail(208, "ClientReset", text: "the client integrates nothing", output: &output)
        }
        var batch = Batch(uploads: [], changesets: [])
        var bytes = 0
        while let upload = uploads.first, batch.uploads.isEmpty || bytes < configuration.limits.batchBytes {
            var changesets: [Changeset] = []
            for entry in upload.entries {
                bytes += entry.changeset.count
                do throws(WireError) {
                    changesets.append(try Changeset(bytes: entry.changeset, limits: configuration.limits.wire))
                } catch { return fail(212, "ApplicationBug", text: "bad changeset: \(error.reason)", output: &output) }
            }
            uploads.removeFirst()
            uploadBytes -= upload.entries.reduce(64) { $0 + $1.changeset.count + 64 }
            batch.uploads.append(upload)
            batch.changesets.append(changesets)
        }
        self.batch = batch
        guard takeSchema(&output) else { return }
        fetchTouched(&output)
    }

    // MARK: Schema

    /// Adds the classes and fields that the client declares.
    ///
    /// - Returns: `false` if the machine has to decide about them first, or the session ended.
    private mutating func takeSchema(_ output: inout RealmOutput) -> Bool {
        guard let batch else { return false }
        var declared: [Instruction] = []
        for changeset in batch.changesets.joined() {
            for instruction in changeset.instructions {
                switch instruction {
                case .addTable(let spec) where image.schema[spec.name]?.spec != spec: declared.append(instruction)
                case .addColumn(let column) where image.schema[column.table]?[column.field] != column:
                    declared.append(instruction)
                case .eraseTable, .eraseColumn:
                    fail(225, "ApplicationBug", text: "classes and fields can't be erased", output: &output)
                    return false
                default: break
                }
            }
        }
        guard !declared.isEmpty else { return true }
        do throws(RealmSchemaFault) {
            let new = try schema.adding(declared, version: schemaVersion)
            guard new.claim.hash != schema.claim.hash else {
                try extend(declared)
                return true
            }
            isClaiming = new
            output.passes.append(.claim(machine, new.claim))
        } catch { fail(225, "ApplicationBug", text: error.reason, output: &output) }
        return false
    }

    private mutating func extend(_ declared: [Instruction]) throws(RealmSchemaFault) {
        do throws(ApplyError) { try image.extend(declared) } catch { throw RealmSchemaFault(error.reason) }
    }

    /// Handles the machine's decision about a declared schema.
    mutating func takeClaimed(_ verdict: SchemaVerdict, _ output: inout RealmOutput) {
        guard let claimed = isClaiming else { return }
        isClaiming = nil
        switch verdict {
        case .accepted:
            let added = claimed.instructions(missingIn: image.schema)
            do throws(RealmSchemaFault) { try extend(added) } catch {
                return fail(225, "ApplicationBug", text: error.reason, output: &output)
            }
            schema = claimed
            fetchTouched(&output)
        case .documentsNeeded: fail(225, "ApplicationBug", text: "the server doesn't know the schema", output: &output)
        case .refused(let problems):
            fail(
                225,
                "ApplicationBug",
                text: problems.first?.text.string ?? "the schema isn't that of the app",
                output: &output
            )
        }
    }

    // MARK: Objects

    /// Requests the objects that the uploads touch.
    private mutating func fetchTouched(_ output: inout RealmOutput) {
        guard var batch else { return }
        for (upload, changesets) in zip(batch.uploads, batch.changesets) {
            for (entry, changeset) in zip(upload.entries, changesets) where entry.clientVersion > applied {
                for object in Set(changeset.instructions.compactMap(\.object)) {
                    guard image.schema[object.table]?.spec.kind == .topLevel else { continue }
                    guard object.sync != nil else {
                        return fail(212, "ApplicationBug", text: "bad changeset: a name isn't UTF-8", output: &output)
                    }
                    if batch.touched.insert(object).inserted, !image.kept.contains(object) {
                        batch.missing.append(object)
                    }
                }
            }
        }
        if told == nil { batch.missing = [] }
        self.batch = batch
        fetchMore(&output)
    }

    private mutating func fetchMore(_ output: inout RealmOutput) {
        guard let missing = batch?.missing, !missing.isEmpty else { return commitBatch(&output) }
        // A request names objects of one class.
        let table = missing[0].table
        let next = missing.filter { $0.table == table }.prefix(configuration.limits.fetchedObjects)
        batch?.fetching = Set(next)
        let fetching = batch?.fetching ?? []
        batch?.missing.removeAll { fetching.contains($0) }
        output.passes.append(.fetch(machine, next.compactMap(\.sync)))
    }

    /// Handles requested objects. They have the state of the position that was processed last.
    mutating func takeFetched(_ updates: [(WireObject, HeldChange)], _ output: inout RealmOutput) {
        for (object, change) in updates where batch?.fetching.remove(object) != nil {
            // If changes wait, the client has the state before them.
            let isNew = !image.kept.contains(object)
            image.keep(object, held[object].map(\.before) ?? change.after)
            // The client may show changes of its own that the server has after this position.
            if isNew, isUncertain { image.doubt(object, isContradiction: false) }
        }
        if batch?.fetching.isEmpty == true { fetchMore(&output) }
    }

    // MARK: Commits

    /// Creates the commits of a batch, once all objects that it changes are known.
    private mutating func commitBatch(_ output: inout RealmOutput) {
        guard var batch, let told else {
            if self.batch != nil {
                fail(200, "Transient", text: "an upload precedes the first bootstrap", tryAgain: true, output: &output)
            }
            return
        }
        let rest = state.rest
        // Without an entry in flight, the client has the state of the processed position.
        for object in batch.touched {
            batch.before[object] = .some(image.kept.contains(object) ? image.shown[object] : nil)
        }
        var commits: [UploadedCommit] = []
        batch.progress = acknowledged
        for (upload, changesets) in zip(batch.uploads, batch.changesets) {
            for (entry, changeset) in zip(upload.entries, changesets) {
                guard expected?.take(entry) ?? true else { return failCopy(&output) }
                guard entry.clientVersion > applied else { continue }
                guard entry.serverVersion <= lastServer else {
                    return fail(209, "ClientReset", text: "bad server version", output: &output)
                }
                integrate(entry.serverVersion)
                do throws(CommitMaker.Fault) {
                    if let commit = try self.commit(entry, changeset, at: told, &batch) {
                        var made = UploadedCommit(commit: commit, hash: last.hash, part: nil)
                        accepted = entry.clientVersion
                        made.front = FrontBytes(head: FrontState.head(accepted), rest: rest)
                        commits.append(made)
                    }
                } catch {
                    // The client's reset records its changes again, on the server's state.
                    report.contradictions += 1
                    return fail(208, "ClientReset", text: "an upload doesn't fit: \(error.reason)", output: &output)
                }
            }
            guard expected?.permits(progress: upload.progress.client, applied: applied) ?? true else {
                return failCopy(&output)
            }
            if upload.progress.server <= lastServer { integrate(upload.progress.server) }
            batch.progress.client = max(batch.progress.client, upload.progress.client, applied)
            batch.progress.server = max(batch.progress.server, min(upload.progress.server, lastServer))
        }
        takeBootstrapped(&batch)
        batch.lastNumber = commits.isEmpty ? nil : last.number
        if expected?.isDone(applied: applied) == true {
            expected = nil
            if commits.isEmpty, replayedVersion > 0 {
                // The effects of the commits that were sent again may still be on their way.
                (batch.lastNumber, batch.version) = (last.number, replayedVersion)
                self.batch = batch
                return settleIfPossible(&output)
            }
        }
        self.batch = batch
        guard !commits.isEmpty else {
            // Nothing is sent between the parts of a bootstrap.
            guard bootstrap != nil else { return finishBatch(&output) }
            self.batch?.waitsForBootstrap = true
            return
        }
        unsent += commits
        sendCommits(&output)
    }

    /// Restores the states of objects that parts of a running bootstrap have replaced. The client made the changesets before it integrated these
    /// parts.
    private mutating func takeBootstrapped(_ batch: inout Batch) {
        guard let bootstrap, !bootstrap.isChangeOfView else { return }
        for (object, fields) in bootstrap.showing where batch.touched.contains(object) {
            self.bootstrap?.replaced[object] = batch.before[object]
            batch.before[object] = .some(fields)
            image.doubt(object, isContradiction: false)
        }
    }

    mutating func failCopy(_ output: inout RealmOutput) {
        fail(208, "ClientReset", text: "the file is a copy with other changes", output: &output)
    }

    private mutating func integrate(_ version: UInt64) {
        guard let entry = image.integrate(version) else { return }
        base = max(base, entry.streamVersion)
        receipts.confirm(DownloadCursor(server: entry.serverVersion, client: entry.clientVersion))
    }

    /// Returns the commit of a changeset, and applies the changeset to the image.
    ///
    /// - Returns: `nil` if the changeset changes no object, or became a commit before.
    private mutating func commit(
        _ entry: UploadEntry,
        _ changeset: Changeset,
        at told: Cursor,
        _ batch: inout Batch
    ) throws(CommitMaker.Fault) -> Commit? {
        applied = entry.clientVersion
        receipts.add(entry)
        let changes = changeset.withoutSchema
        guard !changes.isEmpty else { return nil }
        report.uploads += 1
        let isReplay = entry.clientVersion <= accepted
        let number = isReplay ? 0 : last.number + 1
        guard number < 1 << 31 else { throw CommitMaker.Fault(reason: "the file has too many commits") }
        var isForgotten: Set<WireObject> = []
        for case .createObject(let object) in changes.firstInstructions {
            guard image.stored[object] != nil, !image.doubtful.contains(object), image.isBootstrapping else { continue }
            // The client created the object before it received a bootstrap that contains it.
            isForgotten.insert(object)
            image.doubt(object, isContradiction: false)
        }
        let shown = changes.erasesObjects ? image.differing(changes) : [:]
        var maker = CommitMaker(changes, state: image.takeStored(without: isForgotten), shown: shown, number: number)
        let made = try maker.changes(of: changes)
        var state = maker.takeState()
        state.forget(changes, of: .asymmetric)
        let own = MergeEntry(order: ChangeOrder(timestamp: entry.timestamp, ident: wireIdent), changeset: changes)
        batch.own.append(image.commit(state, own))
        guard !made.isEmpty else { return nil }
        guard !isReplay else {
            expected?.takeCommit(entry)
            return nil
        }
        last = (number, last.hash.appending(entry.changeset, salt: entry.clientVersion))
        batch.clientVersions[number] = entry.clientVersion
        let version = image.queue.isEmpty ? told.version : base
        var seen: [ObjectName: StreamVersion] = [:]
        for change in made { seen[change.object] = version }
        return Commit(
            number: number,
            clock: Clock(milliseconds: Int64(clamping: entry.timestamp)),
            base: version,
            seen: seen,
            schemaVersion: schemaVersion,
            changes: made
        )
    }

    /// The size in bytes above which a commit is sent in parts.
    private static let wholeBytes: UInt64 = 2 << 20

    /// Sends the waiting commits for which the machine has granted credit.
    mutating func sendCommits(_ output: inout RealmOutput) {
        // A state that is being stored must not replace the one that is stored with the commits.
        guard noted.sent == noted.stored else { return }
        while credit > 0, !unsent.isEmpty {
            let next = unsent.removeFirst()
            let size = configuration.commitSize(next.commit)
            guard size <= Self.wholeBytes || next.part != nil || next.commit.changes.count < 2 else {
                unsent.insert(contentsOf: next.parts(of: Self.wholeBytes, configuration.commitSize), at: 0)
                continue
            }
            credit -= Int64(clamping: size)
            output.passes.append(.upload(machine, Upload(commits: [next])))
        }
    }

    // MARK: Answers

    mutating func take(_ ack: Ack, _ output: inout RealmOutput) {
        guard var batch, let lastNumber = batch.lastNumber, ack.last <= lastNumber else {
            // Commits of an earlier session of the file were merged only now. The next session continues after them.
            return fail(200, "Transient", text: "the file is bound anew", tryAgain: true, output: &output)
        }
        for (offset, version) in ack.versions.enumerated() {
            let number = ack.first &+ UInt64(offset)
            image.name { id in
                guard let own = id.pendingNumber, own >> 32 == number else { return id }
                return ElementID(change: version, number: own)
            }
            if number == lastNumber { batch.version = version }
        }
        for refusal in ack.refusals {
            guard let client = batch.clientVersions[refusal.commit] else { continue }
            batch.refusals.append((client, refusal))
        }
        self.batch = batch
        settleIfPossible(&output)
    }

    /// Ends a batch whose commits are merged and whose effects are known.
    mutating func finishBatch(_ output: inout RealmOutput) {
        guard let batch else { return }
        self.batch = nil
        (settled, acknowledged) = (applied, batch.progress)
        let hasCommits = batch.lastNumber != nil
        var refusals: (client: UInt64, updates: [ServerError.Compensation.Update])?
        if let client = batch.refusals.map(\.client).max() {
            report.refusals += 1
            var updates: [ServerError.Compensation.Update] = []
            var named: Set<WireObject> = []
            for (_, refusal) in batch.refusals {
                let object = WireObject(refusal.change.object)
                guard named.insert(object).inserted, updates.count < 1_000 else { continue }
                updates.append(.init(reason: refusal.reason.text(refusal.field), object: object))
            }
            refusals = (client, updates)
        }
        if hasCommits {
            settle(touching: batch.before, refusals: refusals, acknowledges: true, &output)
        } else if expected == nil {
            settle(touching: batch.before, acknowledges: true, &output)
        } else {
            acknowledge(&output)
        }
        storeState(&output)
        let marks = heldMarks
        heldMarks = []
        for mark in marks { send(.mark(session: number, number: mark), &output) }
        takeHeldMessages(&output)
        startBatch(&output)
    }
}

extension Changeset {
    /// A Boolean value that indicates whether objects are deleted.
    fileprivate var erasesObjects: Bool {
        instructions.contains { if case .eraseObject = $0 { true } else { false } }
    }

    /// The first instruction of each object.
    fileprivate var firstInstructions: [Instruction] {
        var named: Set<WireObject> = []
        return instructions.filter { instruction in instruction.object.map { named.insert($0).inserted } ?? false }
    }

    /// The changeset without the instructions that create classes and fields.
    fileprivate var withoutSchema: Changeset {
        let isPlain = instructions.allSatisfy { $0.object != nil }
        if isPlain { return self }
        return Changeset(instructions.filter { $0.object != nil })
    }
}

extension WireState {
    /// Removes the objects of a kind of class that a changeset touches.
    fileprivate mutating func forget(_ changeset: Changeset, of kind: TableSpec.Kind) {
        for object in Set(changeset.instructions.compactMap(\.object)) where schema[object.table]?.spec.kind == kind {
            self[object] = nil
        }
    }
}

extension UploadedCommit {
    /// Returns the parts of a commit that is too large for a message.
    fileprivate func parts(of bytes: UInt64, _ size: (Commit) -> UInt64) -> [UploadedCommit] {
        let average = max(size(commit) / UInt64(max(commit.changes.count, 1)), 1)
        let count = max(Int(clamping: bytes / average), 1)
        var parts: [UploadedCommit] = []
        var start = 0
        while start < commit.changes.count {
            let end = min(start + count, commit.changes.count)
            let changes = Array(commit.changes[start..<end])
            let names = Set(changes.map(\.object))
            let piece = Commit(
                number: commit.number,
                clock: commit.clock,
                base: commit.base,
                seen: commit.seen.filter { names.contains($0.key) },
                schemaVersion: commit.schemaVersion,
                changes: changes
            )
            let isLast = end == commit.changes.count
            var part = UploadedCommit(
                commit: piece,
                hash: hash,
                part: Part(index: UInt32(parts.count), isLast: isLast)
            )
            if isLast { part.front = front }
            parts.append(part)
            start = end
        }
        return parts
    }
}

extension RefusalReason {
    /// The text of the reason, for the app.
    fileprivate func text(_ field: SyncString?) -> String {
        let text: String =
            switch self {
            case .objectGone: "the object doesn't exist any more"
            case .instanceGone: "the embedded object doesn't exist any more"
            case .forbidden: "write not allowed by the rules of the app"
            case .notUnique: "another object has the same unique values"
            case .denied: "other objects link to the object"
            case .causeRefused, .commitRefused: "another change of the same write was refused"
            case .createOnly: "the class only accepts new objects"
            case .malformed: "the place of the change doesn't exist"
            case .elementGone: "the element of the list doesn't exist any more"
            case .tooLarge: "the object is too large"
            case .replaced, .retyped: "the value was replaced"
            }
        return field.map { "\(text) (field '\($0)')" } ?? text
    }
}
