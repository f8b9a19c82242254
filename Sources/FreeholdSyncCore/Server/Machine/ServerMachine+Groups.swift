/// Groups of commits. The machine reads the rows that a group needs, merges the commits, and writes the result in one transaction. Answers and
/// changes are sent after that.
extension ServerMachine {
    mutating func startGroup(_ name: StreamName) {
        guard role(of: name) == .merging else {
            if streams[name]?.queue.isEmpty == false { signal(.commitsWait(name)) }
            return
        }
        guard streams[name]?.group == nil, streams[name]?.queue.isEmpty == false,
            let items = streams[name]?.takeCommits(changes: configuration.groupChanges)
        else { return }
        streams[name]?.group = Group(items: items)
        runGroup(name)
    }

    private mutating func runGroup(_ name: StreamName) {
        guard let user = streams[name]?.group?.items.first?.user, let work = groupWork(name) else { return }
        streams[name]?.group?.retryAt = nil
        start(work, of: user, .group(name))
    }

    private mutating func groupWork(_ name: StreamName) -> GroupWork? {
        let salt = salt()
        guard let stream = streams[name], let group = stream.group, let app = configuration.apps[name.app] else {
            return nil
        }
        return GroupWork(
            group.items,
            app.merge,
            group.ownRows.isEmpty ? stream.rows : StoreRows(head: stream.rows.head),
            adding: group.ownRows,
            copies: stream.copies,
            salt: salt,
            now: now,
            quota: configuration.userDiskBytes,
            broken: configuration.broken
        )
    }

    /// Writes a group after its merge, or reads the rows that the merge still needs.
    mutating func takeGroup(_ work: GroupWork, _ name: StreamName) {
        guard var group = streams[name]?.group else { return }
        if let query = work.missing { return read(query, name) }
        if let query = readAgain(work, name) { return read(query, name) }
        (group.items, group.results, group.faults, group.originals) =
            (work.items, work.results, work.faults, work.originals)
        group.transaction = work.transaction
        streams[name]?.group = group
        guard let commit = work.commit else { return finishGroup(name, asked: nil) }
        guard role(of: name) == .merging else { return requeue(name) }
        request(name, .commit(commit), .commit(name))
    }

    /// Removes the remembered rows of files whose commits couldn't be merged. An equal head doesn't prove that the remembered rows are equal to those
    /// of the store. A store that was restored and has reached the same version again may have assigned the number of a file to another file. The
    /// adoption of a commit that another copy of a file had sent changes the last commit of the file, but not the head.
    ///
    /// - Returns: The rows to read before the commits fail. Returns `nil` if no commit failed, or if the rows were read for this group.
    private mutating func readAgain(_ work: GroupWork, _ name: StreamName) -> RowQuery? {
        guard let group = streams[name]?.group, group.ownRows.isEmpty else { return nil }
        let files = Set(work.faults.map(\.item.ident)).subtracting(group.readAgain)
        guard !files.isEmpty else { return nil }
        streams[name]?.group?.readAgain.formUnion(files)
        streams[name]?.rows.forget(files)
        var query = RowQuery()
        query.files = files
        return query
    }

    private mutating func read(_ query: RowQuery, _ name: StreamName) {
        guard let group = streams[name]?.group else { return }
        guard group.reads < 100 else {
            // Other nodes have committed first each time.
            streams[name]?.group = nil
            for item in group.items { fail(item, .transient(after: 1_000), "The commits can't be merged now.", name) }
            return
        }
        streams[name]?.group?.reads += 1
        streams[name]?.group?.askedFiles = query.files
        var query = query
        query.mostBytes = configuration.groupBytes
        request(name, .read(query), .rows(name))
    }

    /// The maximum number of objects in an answer whose rows are kept for later groups.
    private static let rememberedObjects = 2_000

    mutating func takeRows(_ answer: ServerStoreAnswer, _ name: StreamName, asked: KnownHead?) {
        guard streams[name]?.group != nil else { return }
        if case .failed(.limit(let text)) = answer { return refuseOversized(text, name) }
        guard case .rows(let rows) = answer else { return postpone(name) }
        guard learn(rows, name, asked: asked) else { return }
        // A newer head was reported since the rows were requested. A group needs the rows of the newest head.
        guard rows.head == streams[name]?.known || configuration.broken.contains(.noticesReturn) else {
            streams[name]?.group?.ownRows = []
            streams[name]?.group?.askedFiles = []
            return runGroup(name)
        }
        if let group = streams[name]?.group, !group.ownRows.isEmpty || rows.objects.count > Self.rememberedObjects {
            streams[name]?.group?.ownRows.append(rows)
        } else {
            streams[name]?.remember(rows)
        }
        guard failLostFiles(rows, name) else { return }
        runGroup(name)
    }

    /// Fails the commits of files that the store doesn't have any more. A file that never uploaded anything may have been removed while its first
    /// commit waited. The commit can't be answered under its number. The client binds again and gets another file.
    /// - Returns: `false` if the group has no commits left.
    private mutating func failLostFiles(_ rows: StoreRows, _ name: StreamName) -> Bool {
        guard var group = streams[name]?.group else { return false }
        let lost = group.askedFiles.filter { rows.files[$0] == nil }
        group.askedFiles = []
        let items = group.items.filter { lost.contains($0.ident) }
        group.items.removeAll { lost.contains($0.ident) }
        streams[name]?.group = group.items.isEmpty ? nil : group
        for item in items { fail(.lostFile(item), name) }
        guard group.items.isEmpty else { return true }
        startGroup(name)
        return false
    }

    mutating func takeCommit(_ answer: ServerStoreAnswer, _ name: StreamName, asked: KnownHead?) {
        guard let items = streams[name]?.group?.items, let known = streams[name]?.known else { return }
        switch answer {
        case .done: finishGroup(name, asked: asked)
        case .failed(.moved):
            guard role(of: name) == .merging else { return requeue(name) }
            streams[name]?.forgetRows(known)
            streams[name]?.group?.ownRows = []
            // Nothing was written. The answer with the rows contains the present head.
            var query = RowQuery()
            query.files = Set(items.map(\.ident))
            read(query, name)
        case .failed(.limit(let text)): refuseOversized(text, name)
        default: postpone(name)
        }
    }

    /// Merges the commits of a group one by one, after the group exceeded a limit of the store or of the node. A commit that exceeds the limit
    /// alone is refused as a whole, and the stream continues.
    private mutating func refuseOversized(_ text: SyncString, _ name: StreamName) {
        guard var stream = streams[name], var group = stream.group else { return }
        group.ownRows = []
        if group.items.count > 1 {
            stream.group = nil
            stream.separate += group.items.count
            stream.queuedChanges += group.items.reduce(0) { $0 + max($1.commit.changes.count, 1) }
            stream.queue.insert(contentsOf: group.items, at: 0)
            streams[name] = stream
            return startGroup(name)
        }
        switch group.items[0].refusal {
        case nil: group.items[0].refusal = CommitRefusal(.tooLarge)
        // The lists in which refused elements leave their places are too large themselves.
        case let refusal? where refusal.leavesPlaces: group.items[0].refusal?.leavesPlaces = false
        default:
            // The refusal is too large, too, because the names of objects have no maximum length.
            streams[name]?.group = nil
            let reason = SyncString("The store can't keep the commit: \(text)")
            for item in group.items { fail(item, .violation, reason, name) }
            return startGroup(name)
        }
        streams[name]?.group = group
        runGroup(name)
    }

    /// Schedules another attempt after the store failed or didn't report the result. The rows of the stream are discarded, and the group is
    /// merged again. If the commit was executed, the rows that are read then show it. The pause grows with each failure.
    private mutating func postpone(_ name: StreamName) {
        guard let known = streams[name]?.known else { return }
        guard role(of: name) == .merging else { return requeue(name) }
        streams[name]?.forgetRows(known)
        streams[name]?.group?.transaction = nil
        streams[name]?.group?.ownRows = []
        let failures = min((streams[name]?.group?.failures ?? 0) + 1, 6)
        streams[name]?.group?.failures = failures
        let time = callersNow &+ pause(after: failures)
        streams[name]?.group?.retryAt = time
        watch(name)
    }

    private func pause(after failures: Int) -> Int64 { (configuration.lookInterval << max(failures - 1, 0)) / 2 }

    /// Repeats a waiting group if its time has come. Starts a group if there is none. Called by the timer.
    mutating func retry(_ name: StreamName) {
        guard let group = streams[name]?.group, let time = group.retryAt else { return startGroup(name) }
        // A later time than the pause permits shows that the node's clock was set back.
        guard time <= callersNow || time - callersNow > pause(after: group.failures) else { return }
        streams[name]?.group?.retryAt = nil
        var query = RowQuery()
        query.files = Set(group.items.map(\.ident))
        streams[name]?.group?.askedFiles = query.files
        for item in group.items where item.commit.number > 0 {
            query.answers.insert(PartName(ident: item.ident, commit: item.commit.number))
        }
        request(name, .read(query), .rows(name))
    }

    /// Sends the answers of a durable group, and then its changes.
    ///
    /// - Parameter asked: the known head at the time of the commit's request. Nil if nothing had to be stored.
    private mutating func finishGroup(_ name: StreamName, asked: KnownHead?) {
        guard let group = streams[name]?.group, let transaction = group.transaction else { return }
        if !group.originals.isEmpty { streams[name]?.copies.subtract(group.originals) }
        let isNext =
            streams[name]?.head.cursor == transaction.expected.cursor && streams[name]?.isPublishing == false
            && !transaction.entries.isEmpty
        // The rows are changed in place, because there are many.
        if streams[name]?.rows.head.cursor == transaction.expected.cursor {
            if group.ownRows.isEmpty {
                streams[name]?.take(transaction, group.items)
            } else {
                streams[name]?.forgetRows(transaction.head)
            }
            forgetRows(after: name)
        }
        if isNext { streams[name]?.isPublishing = true }
        if asked != nil {
            guard learn(transaction.head, name, asked: asked) else { return }
            verify(transaction.head.cursor, name)
        }
        noteConflicts(group, transaction, name)
        noteRefusals(group, transaction, name)
        answer(group, transaction, name)
        guard isNext, let views = streams[name]?.sessions.startStep(),
            let retired = streams[name]?.sums.retired(at: transaction.expected.cursor)
        else { return endGroup(name) }
        let work = StepWork(transaction, views, retired: retired, partedBytes: configuration.partedBytes)
        start(work, of: group.items.first?.user ?? "", .publish(name))
    }

    /// Publishes the step of a group after it was compared with the views of the stream's sessions.
    mutating func publish(_ work: StepWork, _ name: StreamName) {
        // No copy of the stream is kept, so that its tables aren't copied.
        guard let head = streams[name]?.group?.transaction?.head, let step = work.contents?.step else { return }
        // The head moves here and not earlier. If the last session of a view has just ended, the view's checksums belong to the old head.
        publish(work, of: step, to: head, in: name)
        endGroup(name)
    }

    /// Ends a group after its answers and changes were sent, and starts the next one.
    private mutating func endGroup(_ name: StreamName) {
        guard let group = streams[name]?.group else { return }
        streams[name]?.group = nil
        for key in sessions.restless(in: name) { pump(key) }
        let split = group.results.filter { $0.item.wasSplit && $0.item.origin == nil }
        for key in Set(split.map { currentSession(of: $0.item, name) }).sorted() {
            readInbox(key)
        }
        if streams[name]?.isUnused == true {
            streams[name] = nil
        } else {
            startGroup(name)
            follow(name)
        }
    }

    /// Answers the commits of a group.
    private mutating func answer(_ group: Group, _ transaction: GroupTransaction, _ name: StreamName) {
        var answers: [SessionKey: [StoredAnswer]] = [:]
        var restored: [SessionKey: [(SyncString, ObjectUpdate)]] = [:]
        for (item, answer) in group.results {
            if let origin = item.origin {
                let commit = PartName(ident: item.ident, commit: item.commit.number)
                signal(.forwardDone(name, origin, commit, answer.answer.version))
                continue
            }
            if let number = item.submission {
                let merged = answer.answer
                if writers[name]?.ident == item.ident { writers[name]?.done = merged.commit }
                actions.append(.submitted(number, .done(version: merged.version, refusals: merged.refusals)))
                continue
            }
            let key = currentSession(of: item, name)
            guard let session = sessions[key] else { continue }
            guard key == item.session || session.bind.journal.names(item) else {
                // The bound session belongs to a copy of the file, which has another commit with this number. Its next bind detects that.
                end(key, .transient(after: 0), "The file is used twice.")
                continue
            }
            answers[key, default: []].append(answer)
            for refusal in answer.answer.refusals {
                // The refusal contains the author's names, so the stored names are taken from the commit.
                guard item.commit.changes.indices.contains(refusal.index),
                    case .delete(let object, _) = item.commit.changes[refusal.index],
                    let row = transaction.changed(object) ?? group.row(object) ?? streams[name]?.rows.objects[object]
                        ?? nil
                else { continue }
                var budget = WorkBudget(steps: configuration.objectSteps)
                guard session.coming.membership(object, row, budget: &budget).isShown else { continue }
                restored[key, default: []].append(
                    (object.className, session.coming.whole(object, row))
                )
            }
        }
        for key in answers.keys.sorted() {
            acknowledge(key, answers[key] ?? [], restored: [ClassBatch](restored[key] ?? []))
        }
        for (item, _) in group.results where item.origin == nil {
            release(currentSession(of: item, name), item.sent, wasSplit: item.wasSplit)
        }
        for fault in group.faults { fail(fault, name) }
    }

    /// Removes rows if those of all streams are too large: the oldest of this stream first, then those of streams without work.
    private mutating func forgetRows(after name: StreamName) {
        let most = configuration.rowBytes
        if let bytes = streams[name]?.weights.bytes, bytes > most { streams[name]?.trimRows(to: most / 2) }
        guard let bytes = streams[name]?.weights.bytes, let counted = streams[name]?.countedBytes else { return }
        rowBytes += bytes - counted
        streams[name]?.countedBytes = bytes
        guard rowBytes > most else { return }
        // The sum may include streams that have ended, so it is calculated again.
        var idle: [(name: StreamName, bytes: Int)] = []
        rowBytes = 0
        for (other, state) in streams {
            rowBytes += state.weights.bytes
            if state.group == nil, other != name { idle.append((other, state.weights.bytes)) }
        }
        idle.sort { $0.bytes > $1.bytes }
        for (other, bytes) in idle where rowBytes > most / 2 {
            rowBytes -= bytes
            streams[other]?.trimRows(to: 0)
            streams[other]?.countedBytes = 0
        }
        if rowBytes > most { streams[name]?.trimRows(to: most / 4) }
    }

    private mutating func fail(_ fault: CommitFault, _ name: StreamName) {
        // The next submission gets another file.
        if fault.isFileLost, writers[name]?.ident == fault.item.ident { writers[name]?.ident = nil }
        fail(fault.item, fault.fault, fault.text, name)
    }

    /// Ends the session, or the submission, of a commit that can't be merged.
    mutating func fail(_ item: QueuedCommit, _ fault: SyncFault, _ text: SyncString, _ name: StreamName) {
        if let origin = item.origin {
            let commit = PartName(ident: item.ident, commit: item.commit.number)
            return signal(.forwardFailed(name, origin, commit, fault, text: text))
        }
        guard let number = item.submission else { return end(item.session, fault, text) }
        actions.append(.submitted(number, .failed(fault, text: text)))
    }

    /// Returns the session that receives the answer to a commit. The file may have been bound again since the commit was queued.
    func currentSession(of item: QueuedCommit, _ name: StreamName) -> SessionKey {
        if sessions[item.session]?.ident == item.ident { return item.session }
        return streams[name]?.sessions[item.ident] ?? item.session
    }
}

extension Group {
    /// Returns an object of the rows that were read for this group only.
    fileprivate func row(_ name: ObjectName) -> MergedObject? {
        for rows in ownRows { if let row = rows.objects[name] { return row } }
        return nil
    }
}

extension JournalRange {
    /// Returns whether the bind named a commit as unanswered. Returns `true` for a commit that was acknowledged before.
    fileprivate func names(_ item: QueuedCommit) -> Bool {
        guard item.commit.number > acknowledged else { return true }
        let index = item.commit.number - acknowledged - 1
        return index < UInt64(pending.count) && pending[Int(index)] == item.hash
    }
}

extension RowQuery {
    /// Adds the rows that a commit needs in any case.
    mutating func add(_ item: QueuedCommit, _ rules: MergeRules, lacking rows: StoreRows) {
        let commit = item.commit
        if rows.files[item.ident] == nil { files.insert(item.ident) }
        if let file = rows.files[item.ident], commit.number > 0, commit.number <= file.last {
            let name = PartName(ident: item.ident, commit: commit.number)
            if rows.answers[name] == nil, !rows.asked.contains(name) { answers.insert(name) }
        }
        let seen = commit.seen.values.reduce(commit.base, max)
        if seen < rows.head.version, rows.clocks[seen] == nil { clocks.insert(seen) }
        if let refusal = item.refusal {
            // The other objects of a commit that is refused needn't be read: they may be too large.
            guard refusal.leavesPlaces else { return }
            for change in commit.changes where change.leavesPlaces {
                if rows.objects.index(forKey: change.object) == nil { objects.insert(change.object) }
            }
            return
        }
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
    /// Removes the commits of the next group from the queue. They have about `most` changes. If more wait, each user has a share of the group.
    fileprivate mutating func takeCommits(changes most: Int) -> [QueuedCommit] {
        var items: [QueuedCommit] = []
        var changes = 0
        if separate > 0 {
            separate -= 1
            items = [queue.removeFirst()]
        } else if queuedChanges <= most {
            items = queue
            queue = []
        } else {
            let share = max(most / Set(queue.map(\.user)).count, 1)
            var taken: [SyncString: Int] = [:]
            queue.removeAll { item in
                // The order of one user's commits isn't changed.
                guard changes < most, taken[item.user, default: 0] < share else { return false }
                let count = max(item.commit.changes.count, 1)
                taken[item.user, default: 0] += count
                changes += count
                items.append(item)
                return true
            }
        }
        queuedChanges -= items.reduce(0) { $0 + max($1.commit.changes.count, 1) }
        return items
    }

    /// Adds rows that were read.
    /// No rows are removed for them, because a group needs all its rows at the same time.
    fileprivate mutating func remember(_ new: StoreRows) {
        if rows.merge(new) {
            for (name, object) in new.objects { weights.set(name, to: object?.estimatedBytes ?? 64) }
        } else {
            rows = new
            weights = RowWeights()
            for (name, object) in new.objects { weights.set(name, to: object?.estimatedBytes ?? 64) }
        }
    }

    /// Updates the rows and their sizes after a group was committed.
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
    /// The maximum number of files, and of users, that a node keeps for a stream.
    private static let capacity = 50_000

    /// Adds rows of the same head.
    ///
    /// - Returns: `false` if the heads differ. Rows of different heads can't be combined.
    mutating func merge(_ new: StoreRows) -> Bool {
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

    /// Removes the rows of files, and the rows of their commits.
    fileprivate mutating func forget(_ idents: Set<FileIdent>) {
        for ident in idents { (files[ident], copies[ident]) = (nil, nil) }
        answers = answers.filter { !idents.contains($0.key.ident) }
        asked = asked.filter { !idents.contains($0.ident) }
    }

    /// Updates the rows after a group was committed.
    fileprivate mutating func take(_ transaction: GroupTransaction) {
        head = transaction.head
        for changed in transaction.objects { objects[changed.name] = .some(changed.after) }
        for (ident, file) in transaction.files { files[ident] = file }
        for (user, growth) in transaction.growth { users[user] = users[user]?.adding(growth: growth) }
        // The group may have changed these rows.
        (links, holders, answers, clocks, asked, copies) = ([:], [:], [:], [:], [], [:])
        if files.count > Self.capacity { files = [:] }
        if users.count > Self.capacity { users = [:] }
    }
}
