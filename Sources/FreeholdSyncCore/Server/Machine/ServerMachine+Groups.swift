/// Groups of commits: read what they need, merge them, write all in one transaction, and only then tell anybody.
extension ServerMachine {
    mutating func startGroup(_ name: StreamName) {
        guard var stream = streams[name], stream.group == nil, !stream.queue.isEmpty else { return }
        var (count, changes) = (0, 0)
        let most = stream.separate > 0 ? 1 : stream.queue.count
        while count < most, changes < configuration.groupChanges {
            changes += max(stream.queue[count].commit.changes.count, 1)
            count += 1
        }
        stream.separate -= min(stream.separate, count)
        stream.group = Group(items: Array(stream.queue.prefix(count)))
        stream.queue.removeFirst(count)
        stream.queuedChanges -= changes
        streams[name] = stream
        runGroup(name)
    }

    private mutating func runGroup(_ name: StreamName) {
        guard var stream = streams[name], var group = stream.group, let app = configuration.apps[name.app] else {
            return
        }
        (group.results, group.faults, group.originals, group.retryAt) = ([], [], [], nil)
        var query = RowQuery()
        for item in group.items {
            query.add(item, app.merge.rules, lacking: stream.rows)
            if configuration.userDiskBytes > 0, stream.rows.users[item.user] == nil { query.users.insert(item.user) }
        }
        guard query.isEmpty else {
            streams[name]?.group = group
            return read(query, name)
        }
        var transaction = GroupTransaction(stream.rows)
        let salt = salt()
        for item in group.items {
            do {
                let isCopy = stream.copies.contains(item.ident) && !group.originals.contains(item.ident)
                try merge(item, app, &transaction, &group, salt, isCopy: isCopy)
            } catch let missing as RowsMissing {
                streams[name]?.group = group
                return read(missing.query, name)
            } catch let error as MergeError {
                let fault: (SyncFault, SyncString) =
                    switch error {
                    case .gap: (.transient(after: 1_000), "A commit before this one is missing.")
                    case .unknownVersion: (.violation, "The commit names a version that never was.")
                    // The next bind tells the client of the horizon.
                    case .behindHorizon: (.transient(after: 0), "The commit is older than what the server keeps.")
                    }
                group.faults.append((item, fault.0, fault.1))
            } catch {
                group.faults.append((item, .transient(after: 1_000), "The commit can't be merged now."))
            }
        }
        transaction.forgetRows()
        group.transaction = transaction
        stream.group = group
        streams[name] = stream
        guard !transaction.files.isEmpty else { return finishGroup(name) }
        var commit = StoreCommit(expected: transaction.expected, head: transaction.head)
        commit.entries = transaction.entries
        commit.objects = transaction.objects.map { ($0.name, $0.after) }
        commit.ingested = transaction.ingested
        commit.files = transaction.files
        commit.answers = transaction.answers
        commit.growth = transaction.growth
        commit.finishedParts = group.items.filter(\.wasSplit).map {
            PartName(ident: $0.ident, commit: $0.commit.number)
        }
        request(name, .commit(commit), .commit(name))
    }

    private func merge(
        _ item: QueuedCommit,
        _ app: ServerApp,
        _ transaction: inout GroupTransaction,
        _ group: inout Group,
        _ salt: UInt64,
        isCopy: Bool
    ) throws {
        guard let file = transaction.file(item.ident) else {
            throw RowsMissing { $0.files = [item.ident] }
        }
        if item.commit.number <= file.last {
            guard let stored = transaction.storedAnswer(to: item.commit.number, of: item.ident) else {
                throw MergeError.gap(expected: file.last + 1)
            }
            guard stored.hash == item.hash else {
                // A copy of the file was faster. The next bind finds out what the two have in common.
                group.faults.append((item, .transient(after: 0), "The file is used twice."))
                return
            }
            group.results.append((item, stored))
            return
        }
        guard item.commit.number > file.last + 1 || item.previous == file.hash else {
            group.faults.append((item, .transient(after: 0), "The file is used twice."))
            return
        }
        if isCopy, item.submission == nil, item.commit.number == file.last + 1 {
            if let copied = try transaction.copied(item.hash, of: item.ident) {
                let answer = try transaction.adopt(copied, as: item.commit.number, of: item.ident)
                group.results.append((item, answer))
                return
            }
            group.originals.insert(item.ident)
        }
        transaction.commitHash = item.hash
        transaction.salt = salt &+ transaction.version
        let refusal = try item.refusal ?? quotaRefusal(of: item, transaction)
        let changed = configuration.userDiskBytes > 0 ? Set(item.commit.changes.map(\.object)) : []
        let before = try transaction.bytes(of: changed)
        let answer = try app.merge.apply(
            item.commit,
            from: item.ident,
            oldLists: item.oldLists,
            rights: item.rights,
            isShared: item.submission != nil,
            lensed: item.lensed,
            refusing: refusal,
            now: now,
            to: &transaction
        )
        group.results.append((item, StoredAnswer(answer: answer, hash: item.hash)))
        let growth = try transaction.bytes(of: changed) - before
        if growth != 0 { transaction.grow(item.user, by: growth) }
    }

    /// Returns why a commit is refused that might exceed its author's quota. Deletions are always taken.
    private func quotaRefusal(of item: QueuedCommit, _ transaction: GroupTransaction) throws -> RefusalReason? {
        guard configuration.userDiskBytes > 0 else { return nil }
        let added = item.commit.changes.reduce(UInt64(0)) { sum, change in
            if case .delete = change { sum } else { sum.addingOrMax(change.estimatedSize) }
        }
        guard added > 0, try transaction.usedBytes(of: item.user).addingOrMax(added) > configuration.userDiskBytes
        else { return nil }
        return .tooLarge
    }

    private mutating func read(_ query: RowQuery, _ name: StreamName) {
        guard let group = streams[name]?.group else { return }
        guard group.reads < 100 else {
            // The store has lost a file, or other nodes are always faster.
            streams[name]?.group = nil
            for item in group.items { fail(item, .transient(after: 1_000), "The commits can't be merged now.", name) }
            return
        }
        streams[name]?.group?.reads += 1
        var query = query
        query.mostBytes = configuration.groupBytes
        request(name, .read(query), .rows(name))
    }

    mutating func takeRows(_ answer: ServerStoreAnswer, _ name: StreamName) {
        guard streams[name]?.group != nil else { return }
        if case .failed(.limit(let text)) = answer { return refuseOversized(text, name) }
        guard case .rows(let rows) = answer else { return postpone(name) }
        learn(rows.head, name)
        streams[name]?.remember(rows)
        runGroup(name)
    }

    mutating func takeCommit(_ answer: ServerStoreAnswer, _ name: StreamName) {
        guard let stream = streams[name], let group = stream.group else { return }
        switch answer {
        case .done: finishGroup(name)
        case .failed(.moved):
            streams[name]?.forgetRows(stream.head)
            // Nothing was done. What the head is comes with the rows.
            var query = RowQuery()
            query.files = Set(group.items.map(\.ident))
            read(query, name)
        case .failed(.limit(let text)): refuseOversized(text, name)
        default: postpone(name)
        }
    }

    /// The store can never keep what the group writes, or what it is about is larger than what a node reads for it. The commits of the group are tried one by one. One that can't be kept alone is
    /// refused whole, and the stream goes on.
    private mutating func refuseOversized(_ text: SyncString, _ name: StreamName) {
        guard var stream = streams[name], var group = stream.group else { return }
        if group.items.count > 1 {
            stream.group = nil
            stream.separate += group.items.count
            stream.queuedChanges += group.items.reduce(0) { $0 + max($1.commit.changes.count, 1) }
            stream.queue.insert(contentsOf: group.items, at: 0)
            streams[name] = stream
            return startGroup(name)
        }
        guard group.items.first?.refusal == nil else {
            // Not even the refusal can be kept: the author's objects have names without bounds.
            streams[name]?.group = nil
            let reason = SyncString("The store can't keep the commit: \(text)")
            for item in group.items { fail(item, .violation, reason, name) }
            return startGroup(name)
        }
        group.items[0].refusal = .tooLarge
        streams[name]?.group = group
        runGroup(name)
    }

    /// The store failed, or the result isn't known: all that is known of the stream is dropped, and the group is merged anew, later. If the
    /// commit was done after all, the rows show it. The pause grows with each failure.
    private mutating func postpone(_ name: StreamName) {
        guard let stream = streams[name] else { return }
        streams[name]?.forgetRows(stream.head)
        streams[name]?.group?.transaction = nil
        let failures = min((stream.group?.failures ?? 0) + 1, 6)
        streams[name]?.group?.failures = failures
        streams[name]?.group?.retryAt = now &+ (configuration.lookInterval << (failures - 1)) / 2
        watch(name)
    }

    /// The timer: a group that waits is tried again.
    mutating func retry(_ name: StreamName) {
        guard let group = streams[name]?.group, let time = group.retryAt else { return startGroup(name) }
        guard time <= now else { return }
        streams[name]?.group?.retryAt = nil
        var query = RowQuery()
        query.files = Set(group.items.map(\.ident))
        for item in group.items { query.answers.insert(PartName(ident: item.ident, commit: item.commit.number)) }
        request(name, .read(query), .rows(name))
    }

    /// It is durable: acks go first, then what changed.
    private mutating func finishGroup(_ name: StreamName) {
        guard let group = streams[name]?.group, let transaction = group.transaction, let before = streams[name]?.head
        else { return }
        streams[name]?.group = nil
        if !group.originals.isEmpty { streams[name]?.copies.subtract(group.originals) }
        // In place: there are many rows.
        if streams[name]?.rows.head.cursor == transaction.expected.cursor {
            streams[name]?.take(transaction, group.items)
            forgetRows(after: name)
        }
        let isNext = before.cursor == transaction.expected.cursor && !transaction.entries.isEmpty

        var answers: [SessionKey: [StoredAnswer]] = [:]
        var restored: [SessionKey: [(SyncString, ObjectUpdate)]] = [:]
        for (item, answer) in group.results {
            if let number = item.submission {
                let merged = answer.answer
                if writers[name]?.ident == item.ident { writers[name]?.done = merged.commit }
                actions.append(.submitted(number, .done(version: merged.version, refusals: merged.refusals)))
                continue
            }
            let key = currentSession(of: item, name)
            guard let session = sessions[key] else { continue }
            guard key == item.session || session.bind.journal.names(item) else {
                // A copy of the file is bound now, which has another commit of this number. The next bind finds out.
                end(key, .transient(after: 0), "The file is used twice.")
                continue
            }
            answers[key, default: []].append(answer)
            for refusal in answer.answer.refusals {
                // The refusal has the author's names.
                guard item.commit.changes.indices.contains(refusal.index),
                    case .delete(let object, _) = item.commit.changes[refusal.index],
                    let row = streams[name]?.rows.objects[object] ?? nil,
                    session.coming.contains(object, row)
                else { continue }
                restored[key, default: []].append(
                    (object.className, session.coming.whole(object, row))
                )
            }
        }
        for key in answers.keys.sorted() {
            acknowledge(key, answers[key] ?? [], restored: [ClassBatch](restored[key] ?? []))
        }
        for (item, _) in group.results { release(currentSession(of: item, name), item.sent, wasSplit: item.wasSplit) }
        for (item, fault, text) in group.faults { fail(item, fault, text, name) }
        if isNext {
            // Not before: sums of views whose last sessions ended just now are those of the old head.
            streams[name]?.head = transaction.head
            publish(
                StreamStep(
                    from: before.cursor,
                    to: transaction.head.cursor,
                    clock: transaction.head.clock,
                    objects: transaction.objects.map { ObjectStep(name: $0.name, before: $0.before, after: $0.after) },
                    horizon: transaction.head.horizon
                ),
                name
            )
        }
        for key in sessions.restless(in: name) { pump(key) }
        for key in Set(group.results.filter(\.item.wasSplit).map { currentSession(of: $0.item, name) }).sorted() {
            readInbox(key)
        }
        if streams[name]?.sessions.isEmpty == true, streams[name]?.queue.isEmpty == true {
            streams[name] = nil
        } else {
            startGroup(name)
        }
    }

    /// Removes rows if those of all streams are too large: the oldest of this stream first, then those of streams without work.
    private mutating func forgetRows(after name: StreamName) {
        guard let stream = streams[name] else { return }
        let most = configuration.rowBytes
        if stream.weights.bytes > most { streams[name]?.trimRows(to: most / 2) }
        let bytes = streams[name]?.weights.bytes ?? 0
        rowBytes += bytes - stream.countedBytes
        streams[name]?.countedBytes = bytes
        guard rowBytes > most else { return }
        // Streams end, so the sum is made anew.
        let idle = streams.filter { $0.value.group == nil && $0.key != name }
            .sorted { $0.value.weights.bytes > $1.value.weights.bytes }
        rowBytes = streams.values.reduce(0) { $0 + $1.weights.bytes }
        for (other, state) in idle where rowBytes > most / 2 {
            rowBytes -= state.weights.bytes
            streams[other]?.trimRows(to: 0)
            streams[other]?.countedBytes = 0
        }
        if rowBytes > most { streams[name]?.trimRows(to: most / 4) }
    }

    /// A commit can't be merged.
    private mutating func fail(_ item: QueuedCommit, _ fault: SyncFault, _ text: SyncString, _ name: StreamName) {
        guard let number = item.submission else { return end(item.session, fault, text) }
        // The next ones of its file would follow something that isn't there: they get another file.
        if writers[name]?.ident == item.ident { writers[name] = nil }
        actions.append(.submitted(number, .failed(fault, text: text)))
    }

    /// The session that the answer is for: the file may have been bound anew.
    private func currentSession(of item: QueuedCommit, _ name: StreamName) -> SessionKey {
        if sessions[item.session]?.ident == item.ident { return item.session }
        return streams[name]?.sessions[item.ident] ?? item.session
    }
}

extension JournalRange {
    /// Whether a commit is one of those that weren't answered at the bind.
    fileprivate func names(_ item: QueuedCommit) -> Bool {
        guard item.commit.number > acknowledged else { return true }
        let index = item.commit.number - acknowledged - 1
        return index < UInt64(pending.count) && pending[Int(index)] == item.hash
    }
}

extension RowQuery {
    /// What a commit surely needs.
    fileprivate mutating func add(_ item: QueuedCommit, _ rules: MergeRules, lacking rows: StoreRows) {
        let commit = item.commit
        if rows.files[item.ident] == nil { files.insert(item.ident) }
        if let file = rows.files[item.ident], commit.number <= file.last {
            let name = PartName(ident: item.ident, commit: commit.number)
            if rows.answers[name] == nil, !rows.asked.contains(name) { answers.insert(name) }
        }
        let seen = commit.seen.values.reduce(commit.base, max)
        if seen < rows.head.version, rows.clocks[seen] == nil { clocks.insert(seen) }
        // The objects of a commit that is refused needn't be read: they may be too large.
        guard item.refusal == nil else { return }
        for change in commit.changes {
            if rows.objects.index(forKey: change.object) == nil { objects.insert(change.object) }
            guard case .delete(let name, _) = change else { continue }
            for property in rules.denying {
                let query = LinkQuery(target: name, property: property)
                guard let found = rows.links[query] else {
                    links.insert(query)
                    continue
                }
                for name in found where rows.objects[name] == nil { objects.insert(name) }
            }
        }
    }
}

extension StreamState {
    /// Adds rows that were read.
    ///
    /// Nothing is removed meanwhile, since a group needs all its rows at once.
    fileprivate mutating func remember(_ new: StoreRows) {
        if rows.merge(new) {
            for (name, object) in new.objects { weights.set(name, to: object?.estimatedBytes ?? 64) }
        } else {
            rows = new
            weights = RowWeights()
            for (name, object) in new.objects { weights.set(name, to: object?.estimatedBytes ?? 64) }
        }
    }

    /// The group was committed: its rows are the newest.
    fileprivate mutating func take(_ transaction: GroupTransaction, _ items: [QueuedCommit]) {
        rows.take(transaction)
        var growth: [ObjectName: Int] = [:]
        for item in items {
            for change in item.commit.changes {
                growth[change.object, default: 0] += Int(clamping: change.estimatedSize)
            }
        }
        for changed in transaction.objects where !weights.grow(changed.name, by: growth[changed.name] ?? 0) {
            weights.set(changed.name, to: changed.after.estimatedBytes)
        }
    }

    fileprivate mutating func trimRows(to bytes: Int) {
        weights.trim(&rows.objects, to: bytes)
        if bytes == 0 { forgetRows(rows.head) }
    }
}

extension StoreRows {
    /// The most files that a node remembers of a stream.
    private static let capacity = 50_000

    /// Adds rows of the same head.
    ///
    /// - Returns: false if the head is another one: rows of different heads can't be mixed.
    fileprivate mutating func merge(_ new: StoreRows) -> Bool {
        guard new.head == head else { return false }
        objects.merge(new.objects) { $1 }
        files.merge(new.files) { $1 }
        answers.merge(new.answers) { $1 }
        asked.formUnion(new.asked)
        clocks.merge(new.clocks) { $1 }
        links.merge(new.links) { $1 }
        holders.merge(new.holders) { $1 }
        copies.merge(new.copies) { $1 }
        users.merge(new.users) { $1 }
        return true
    }

    /// The group was committed: these are its rows.
    fileprivate mutating func take(_ transaction: GroupTransaction) {
        head = transaction.head
        for changed in transaction.objects { objects[changed.name] = .some(changed.after) }
        for (ident, file) in transaction.files { files[ident] = file }
        for (user, growth) in transaction.growth { users[user] = users[user]?.adding(growth: growth) }
        // These may have changed with it.
        (links, holders, answers, clocks, asked, copies) = ([:], [:], [:], [:], [], [:])
        if files.count > Self.capacity { files = [:] }
        if users.count > Self.capacity { users = [:] }
    }
}
