/// Uploads: the commits of sessions until they belong to a group.
extension ServerMachine {
    mutating func take(_ upload: Upload, _ key: SessionKey) {
        guard var session = sessions[key] else { return }
        guard mayKeepMore(session.user) else { return endOverShare(key) }
        for commit in upload.commits {
            session.uploadDebt = session.uploadDebt.addingOrMax(configuration.commitSize(commit.commit))
            if !upload.oldLists.isEmpty { session.oldLists[commit.commit.number] = upload.oldLists }
        }
        session.uploadDebt = session.uploadDebt.addingOrMax(upload.oldLists.estimatedSize)
        session.inbox += upload.commits
        sessions[key] = session
        // A client may exceed its credit by one message. This bounds the uploads that wait.
        let most = configuration.uploadCredit &+ 2 &* configuration.limits.messageBytes
        guard session.uploadDebt <= most else { return end(key, .violation, "More was uploaded than allowed.") }
        readInbox(key)
    }

    mutating func readInbox(_ key: SessionKey) {
        // Commits of a file without a number can't be stored. They wait in the inbox, and their credit isn't returned to the client.
        guard sessions[key]?.isGuest != true else { return }
        // No copy of the session is kept, so the inbox isn't copied for each commit.
        while let (next, received) = sessions[key]?.nextUpload {
            let commit = next.commit
            guard commit.number > received else {
                sessions[key]?.inbox.removeFirst()
                let lists = sessions[key]?.oldLists.removeValue(forKey: commit.number)
                let debt = sessions[key]?.uploadDebt ?? 0
                sessions[key]?.uploadDebt = debt - min(debt, lists?.estimatedSize ?? 0)
                if sessions[key]?.stored?.message.number == commit.number { sessions[key]?.stored = nil }
                release(key, commit, wasSplit: sessions[key]?.parted[commit.number] != nil)
                continue
            }
            guard commit.number == received + 1 else {
                return end(key, .violation, "A commit before this one is missing.")
            }
            guard UInt64(commit.changes.count) <= configuration.limits.commitChanges else {
                return end(key, .violation, "The commit has too many changes.")
            }
            // The commit waits in the inbox, and its credit isn't returned to the client. Downloads continue.
            if let stream = sessions[key]?.stream, isHeld(commit.changes, stream) { return }
            if sessions[key]?.stored?.message.number == commit.number { return readStored(key) }
            if let part = next.part {
                guard var session = sessions[key], part.index == session.nextPart || part.index == 0 else {
                    return end(key, .violation, "A part before this one is missing.")
                }
                session.nextPart = part.index
                session.stagedBytes = part.index == 0 ? 0 : session.stagedBytes
                session.stagedBytes = session.stagedBytes.addingOrMax(commit.estimatedSize)
                let limit = configuration.limits.commitBytes
                guard limit == 0 || session.stagedBytes <= limit else {
                    return end(key, .tooLarge(limit: limit), "The commit is too large.")
                }
                session.isStoring = true
                session.fronts[commit.number] = next.front
                sessions[key] = session
                return request(session.stream, .stage(session.ident, next), .part(key))
            }
            sessions[key]?.inbox.removeFirst()
            sessions[key]?.received = commit.number
            sessions[key]?.nextPart = 0
            let wasSplit = sessions[key]?.parted[commit.number] != nil
            if sessions[key]?.heavy == commit.number { sessions[key]?.isMerging = true }
            enqueue(key, commit, next.hash, wasSplit: wasSplit, front: next.front)
        }
        proceed(key)
    }

    // MARK: Held classes

    /// Replaces the classes whose objects aren't accepted, and continues the uploads that need no longer wait.
    ///
    /// - Complexity: O(sessions)
    mutating func hold(_ classes: [SyncString: Set<SyncString>]) {
        held = classes.filter { !$0.value.isEmpty }
        for key in sessions.keys.sorted() where sessions[key]?.inbox.isEmpty == false { readInbox(key) }
    }

    func isHeld(_ changes: [Change], _ stream: StreamName) -> Bool {
        guard !held.isEmpty, let classes = held[stream.app] else { return false }
        return changes.contains { classes.contains($0.object.className) }
    }

    // MARK: Split commits

    mutating func takePart(_ answer: ServerStoreAnswer, _ key: SessionKey) {
        guard var session = sessions[key], let part = session.inbox.first else { return }
        if case .failed(.limit(let text)) = answer {
            return end(key, .violation, SyncString("The store can't keep a part: \(text)"))
        }
        guard case .done = answer else { return end(key, .transient(after: 1_000), "The store can't be reached.") }
        session.inbox.removeFirst()
        session.nextPart += 1
        session.isStoring = part.part?.isLast == true
        sessions[key] = session
        release(key, part.commit)
        if session.isStoring {
            let name = PartName(ident: session.ident, commit: part.commit.number)
            return request(session.stream, .parts(name), .parts(key))
        }
        readInbox(key)
    }

    mutating func takeParts(_ answer: ServerStoreAnswer, _ key: SessionKey) {
        guard var session = sessions[key] else { return }
        guard case .parts(let parts) = answer else {
            return end(key, .transient(after: 1_000), "The store can't be reached.")
        }
        guard let whole = Commit(parts), let hash = parts.last?.hash,
            UInt64(whole.changes.count) <= configuration.limits.commitChanges
        else {
            // A copy of the file may have replaced the stored parts by those of another commit. The first copy that sends all parts of its commit
            // succeeds.
            return end(key, .transient(after: 1_000), "The parts don't make a commit.")
        }
        session.isStoring = false
        session.nextPart = 0
        session.stagedBytes = 0
        session.received = whole.number
        // The credit of its parts was already returned. The commits after it wait.
        (session.heavy, session.isMerging) = (whole.number, true)
        session.heavyBytes = Int(clamping: whole.estimatedSize)
        session.parted[whole.number] = 0
        sessions[key] = session
        let front = sessions[key]?.fronts.removeValue(forKey: whole.number)
        enqueue(key, whole, hash, wasSplit: true, front: front)
        readInbox(key)
    }

    // MARK: The queue

    private mutating func enqueue(
        _ key: SessionKey,
        _ commit: Commit,
        _ hash: RunningHash,
        wasSplit: Bool,
        front: FrontBytes? = nil
    ) {
        guard let session = sessions[key], streams[session.stream] != nil else { return }
        let lists = sessions[key]?.oldLists.removeValue(forKey: commit.number)
        sessions[key]?.uploadDebt -= min(session.uploadDebt, lists?.estimatedSize ?? 0)
        let isOld = commit.base < session.horizon
        let lensed = session.lens?.up(commit, isOld ? lists ?? [] : [])
        var item = QueuedCommit(
            session: key,
            ident: session.ident,
            secret: session.secret,
            user: session.user,
            rights: session.rights,
            commit: lensed?.commit ?? commit,
            lensed: lensed,
            hash: hash,
            previous: session.receivedHash,
            wasSplit: wasSplit,
            oldLists: isOld ? lensed?.oldLists ?? lists ?? [] : nil
        )
        item.front = front
        sessions[key]?.receivedHash = hash
        sessions[key]?.sent[commit.number] = hash
        enqueue(item, session.stream)
    }

    mutating func enqueue(_ item: QueuedCommit, _ name: StreamName) {
        streams[name]?.queue.append(item)
        streams[name]?.queuedChanges += max(item.commit.changes.count, 1)
        guard let changes = streams[name]?.queuedChanges, streams[name]?.group == nil else { return }
        guard role(of: name) == .merging else { return signal(.commitsWait(name)) }
        if changes >= configuration.groupChanges {
            startGroup(name)
        } else if streams[name]?.isTimed == false {
            streams[name]?.isTimed = true
            actions.append(.setTimer(.group(name), at: callersNow &+ configuration.groupDelay))
        }
    }

    /// Returns the credit of a commit to the client. For a commit in parts, that is the credit of the last parts.
    mutating func release(_ key: SessionKey, _ commit: Commit, wasSplit: Bool = false) {
        guard let session = sessions[key] else { return }
        if wasSplit { return releaseParted(commit.number, key) }
        let bytes = min(configuration.commitSize(commit), session.uploadDebt)
        sessions[key]?.uploadDebt -= bytes
        send(key, .credit(key.number, bytes: bytes))
    }

    /// Sends the answers of commits, except those that the client has.
    mutating func acknowledge(_ key: SessionKey, _ answers: [StoredAnswer], restored: [ClassBatch] = []) {
        guard var session = sessions[key] else { return }
        // A commit that was sent again while its group waited has two equal answers.
        var new: [StoredAnswer] = []
        for answer in answers where answer.answer.commit > new.last?.answer.commit ?? session.acknowledged {
            new.append(answer)
        }
        guard var ack = Ack(new) else { return }
        guard ack.first == session.acknowledged + 1 else {
            return end(key, .transient(after: 1_000), "An answer is missing.")
        }
        ack.restored = restored
        for answer in new { session.sent[answer.answer.commit] = nil }
        session.acknowledged = ack.last
        if ack.last > session.received, let last = new.last {
            (session.received, session.receivedHash) = (ack.last, last.hash)
        }
        session.awaited = max(session.awaited, ack.versions.last ?? 0)
        sessions[key] = session
        send(key, .ack(key.number, ack))
        // A commit that another copy of the file had already sent causes no step.
        if let cursor = cursor(of: session), session.awaited <= cursor.version { progress(key) }
        if configuration.isCoordinated { removeAnswered(key, through: ack.last) }
    }
}

extension Commit {
    /// Creates the commit that was split into these parts. Returns `nil` if the parts don't belong together.
    package init?(_ parts: [UploadedCommit]) {
        guard let first = parts.first?.commit, parts.last?.part?.isLast == true else { return nil }
        var (changes, seen): ([Change], [ObjectName: StreamVersion]) = ([], [:])
        for (index, part) in parts.enumerated() {
            let commit = part.commit
            guard part.part?.index == UInt32(index), part.hash == parts[0].hash, commit.number == first.number,
                commit.clock == first.clock,
                commit.base == first.base, commit.schemaVersion == first.schemaVersion
            else { return nil }
            changes += commit.changes
            seen.merge(commit.seen) { $1 }
        }
        self.init(
            number: first.number,
            clock: first.clock,
            base: first.base,
            seen: seen,
            schemaVersion: first.schemaVersion,
            changes: changes
        )
    }
}
