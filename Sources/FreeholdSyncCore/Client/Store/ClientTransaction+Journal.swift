extension ClientTransaction {
    /// Converts recorded transactions of the app into commits with numbers and names. It runs before every change of
    /// the confirmed state.
    ///
    /// - Parameters:
    ///   - count: The maximum number of the app's transactions.
    ///   - bytes: The approximate maximum size of these transactions. At least one is resolved.
    /// - Returns: A Boolean value that indicates whether unresolved transactions are left.
    @discardableResult
    package mutating func resolveLocalCommits(count: Int = .max, upTo bytes: Int = .max) throws -> Bool {
        let commits = try localCommits(upTo: bytes)
        if state.isReset, state.isPrepared {
            try postpone(commits)
            return try !localCommits(upTo: 1).isEmpty
        }
        guard !commits.isEmpty else { return false }
        var defaults: Set<ObjectName> = []
        var unchanged: Set<ObjectName> = []
        var replays: [ObjectName: Replay] = [:]
        for local in commits.prefix(count) {
            if care.setAside.contains(local.sequence) {
                // The effects of the transaction are removed as far as possible.
                try? misplace(local)
                try keepImages(of: local, &unchanged)
                try removeLocalCommit(local.sequence)
                continue
            }
            do {
                try resolve(local, replays: &replays)
            } catch is MisplacedEdit {
                try misplace(local)
            } catch {
                throw StoreTrouble(.work(sequence: local.sequence, classes: local.classes), error)
            }
            for case .set(let place, _, .byDefault) in local.edits { defaults.insert(place.object) }
            state.clock = max(state.clock, local.clock)
            try keepImages(of: local, &unchanged)
            try removeLocalCommit(local.sequence)
        }
        // While unresolved transactions are left, the file also shows their effects.
        if try !localCommits(upTo: 1).isEmpty { return true }
        if care.mayHaveLeftovers {
            defaults.formUnion(try unsealedDefaults())
            unchanged.formUnion(try shadowed().filter { try shadow(of: $0)?.isClean ?? false })
        }
        for name in unchanged.sorted() where try shadow(of: name)?.isClean ?? false { try change(name) { _ in } }
        for name in defaults.sorted() { try showDefaults(name) }
        return false
    }

    /// Returns the objects to which commits that weren't sent yet assign default values.
    ///
    /// - Complexity: O(unsent commits)
    private func unsealedDefaults() throws -> Set<ObjectName> {
        var names: Set<ObjectName> = []
        var number = state.sealed + 1
        while number <= state.lastCommit {
            for case .set(let place, _, .byDefault) in try commit(number)?.commit.changes ?? [] {
                names.insert(place.object)
            }
            number += 1
        }
        return names
    }

    /// Converts one transaction into one commit. Transactions aren't merged, because each has its own clock, and a
    /// refusal must affect only one of them.
    package mutating func resolve(_ local: LocalCommit) throws {
        var replays: [ObjectName: Replay] = [:]
        try resolve(local, replays: &replays)
    }

    /// - Parameter replays: The states of objects after their pending work. With them, a series of transactions doesn't
    ///   replay the pending work of an object for each transaction.
    private mutating func resolve(_ local: LocalCommit, replays: inout [ObjectName: Replay]) throws {
        var objects: [ObjectName: EditResolver.Work] = [:]
        objects.reserveCapacity(local.edits.count)
        for edit in local.edits {
            let name = edit.object
            guard objects.index(forKey: name) == nil else { continue }
            let shadow = try shadow(of: name) ?? Shadow(contents: local.before[name], version: version(of: name))
            // It is removed from the dictionary, since its lists are changed in place.
            objects[name] = EditResolver.Work(shadow, replay: replays.removeValue(forKey: name))
        }
        var resolver = EditResolver(commit: state.lastCommit + 1, objects: objects, lastNumber: state.lastNumber)
        objects = [:]
        try resolver.resolve(local.edits)
        state.lastNumber = resolver.lastNumber
        guard !resolver.changes.isEmpty else { return }
        let commit = Commit(
            number: resolver.commit,
            clock: local.clock,
            base: state.cursor?.version ?? 0,
            seen: resolver.seen,
            schemaVersion: local.schemaVersion,
            changes: resolver.changes
        )
        state.lastCommit = commit.number
        try put(JournalCommit(commit: commit, identity: local.identity, hash: newHash(commit, local.identity)))
        for (name, work) in resolver.objects where !work.pending.isEmpty {
            var shadow = work.shadow
            shadow.add(work.pending)
            try setShadow(shadow, of: name)
            replays[name] = work.replay
        }
    }

    /// Creates shadows of objects that the transaction left without pending work. They keep the state from before the
    /// transaction, because the journal doesn't repeat that state for later transactions.
    ///
    /// Such a clean shadow is removed at the next change of the object.
    private mutating func keepImages(of local: LocalCommit, _ unchanged: inout Set<ObjectName>) throws {
        for (name, contents) in local.before where try shadow(of: name) == nil {
            let version = try version(of: name)
            guard version != nil else { continue }
            try setShadow(Shadow(contents: contents, version: version), of: name)
            unchanged.insert(name)
        }
    }

    /// Restores a value that was overwritten by a default.
    private mutating func showDefaults(_ name: ObjectName) throws {
        guard let shadow = try shadow(of: name), let contents = try contents(of: name) else { return }
        try perform(ShownDifference(name, from: contents, to: shadow.contents).edits)
    }

    /// Handles a transaction that can't be sent to the server. Its edits are kept for the app, and its effects are
    /// removed.
    private mutating func misplace(_ local: LocalCommit) throws {
        try keep(.misplaced(local.edits))
        for name in Set(local.edits.map(\.object)).sorted() {
            let shadow = try shadow(of: name) ?? Shadow(contents: local.before[name], version: version(of: name))
            try perform(ShownDifference(name, from: contents(of: name), to: shadow.contents).edits)
        }
    }

    // MARK: Sending

    /// Returns the commits after a number, as many as fit into the size. They no longer change afterwards.
    ///
    /// - Parameters:
    ///   - horizon: The server's horizon. A commit whose base is before it is returned alone.
    ///   - salt: A source of random bits for commits that have no identity.
    mutating func seal(
        after number: UInt64,
        bytes: UInt64,
        horizon: StreamVersion,
        salt: inout some RandomNumberGenerator
    ) throws -> [UploadedCommit] {
        guard number < state.lastCommit else { return [] }
        var commits: [UploadedCommit] = []
        var size: UInt64 = 0
        var next = number + 1
        while next <= state.lastCommit, var entry = try commit(next) {
            size += entry.commit.estimatedSize
            if !commits.isEmpty, size > bytes || entry.commit.base < horizon { break }
            if entry.hash == nil {
                // An earlier version of the library recorded the transaction without an identity.
                let identity = entry.identity ?? salt.next()
                (entry.identity, entry.hash) = (identity, try newHash(entry.commit, identity))
                try put(entry)
            }
            guard let hash = entry.hash else { break }
            state.sealed = max(state.sealed, next)
            commits.append(UploadedCommit(commit: entry.commit, hash: hash))
            if entry.commit.base < horizon { break }
            next += 1
        }
        return commits
    }

    /// Returns the running hash up to a commit. The hash depends on the identities of the file's transactions. Copies
    /// of a file therefore have equal hashes for commits from before the copy.
    ///
    /// - Returns: `nil` if the commit or its predecessor has no identity yet. `seal` assigns one.
    func newHash(_ commit: Commit, _ identity: UInt64?) throws -> RunningHash? {
        guard let identity else { return nil }
        var previous = state.acknowledgedHash
        if commit.number > 1, commit.number - 1 > state.acknowledged {
            guard let hash = try self.commit(commit.number - 1)?.hash else { return nil }
            previous = hash
        }
        let words = [commit.number, commit.clock.rawValue, commit.base, UInt64(commit.changes.count)]
        let bytes = words.flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
        return previous.appending(bytes, salt: identity)
    }

    /// Returns the running hashes of unanswered commits. They include commits that this file never sent, since a copy
    /// of the file may have sent them. During a reset, the result has the hashes of all commits that are kept.
    func pendingHashes() throws -> [RunningHash] {
        var hashes: [RunningHash] = []
        var number = state.isReset && !state.isPrepared ? state.firstKept : state.acknowledged + 1
        while number <= state.lastCommit, hashes.count < JournalRange.mostPending, let hash = try commit(number)?.hash {
            hashes.append(hash)
            number += 1
        }
        return hashes
    }

    // MARK: Answers

    /// Applies answers of the server, except those that are known already.
    ///
    /// - Returns: The refused changes.
    mutating func acknowledge(_ ack: Ack, now: Int64) throws -> [Refusal] {
        var refusals: [Refusal] = []
        // The objects in the order of their first commits, which is the same at each run.
        var objects: [ObjectName] = []
        var answers: [ObjectName: [Shadow.Answer]] = [:]
        let refusalsOfCommits = Dictionary(grouping: ack.refusals, by: \.commit)
        for (index, version) in ack.versions.enumerated() {
            let number = ack.first &+ UInt64(index)
            guard number == state.acknowledged + 1, number <= state.lastCommit, var entry = try commit(number) else {
                continue
            }
            var refused = refusalsOfCommits[number] ?? []
            if !refused.isEmpty {
                // Large changes may lack their content, and their names may be from before a migration. The file has
                // the content and the present names.
                let isRenamed = try names(of: entry.commit.schemaVersion) != nil
                refused = refused.map { isRenamed ? $0.with(changeOf: entry.commit) : $0.completed(by: entry.commit) }
            }
            let answer = Shadow.Answer(commit: number, version: version, refusals: refused)
            for name in entry.commit.objects where !care.skipped.contains(name) {
                if answers[name] == nil { objects.append(name) }
                answers[name, default: []].append(answer)
            }
            for refusal in refused { try keep(.refused(refusal)) }
            refusals += refused
            entry.version = version
            entry.answeredAt = now
            try put(entry)
            state.acknowledged = number
            // A copy of the file may have sent the commit.
            state.sealed = max(state.sealed, number)
            state.acknowledgedHash = entry.hash ?? state.acknowledgedHash
        }
        // Many answers can be about one object. It is replayed once.
        for name in objects {
            let answers = answers[name] ?? []
            try about(name) { transaction in
                guard var shadow = try transaction.shadow(of: name) else { return }
                if shadow.isShownAlike(without: answers) {
                    shadow.acknowledge(answers)
                    try transaction.setShadow(shadow, of: name)
                } else {
                    try transaction.change(name) { $0.acknowledge(answers) }
                }
            }
        }
        for batch in ack.restored { try take(batch) }
        if state.acknowledged == state.lastCommit, ack.last == state.lastCommit {
            state.clock = ack.clock
        } else {
            state.clock = state.clock.pushed(by: ack.clock, wall: now)
        }
        try settle(upTo: state.cursor?.version ?? 0)
        try trimJournal(now: now)
        return refusals
    }

    /// Removes commits from the journal that were confirmed long ago (sync-design.md, section 7).
    private mutating func trimJournal(now: Int64) throws {
        let week: Int64 = 7 * 24 * 3_600 * 1_000
        while state.firstKept < state.firstPending {
            if var entry = try commit(state.firstKept) {
                guard let answeredAt = entry.answeredAt else {
                    // The store that replaced the old one has the commit. Its time in the journal starts now.
                    entry.answeredAt = now
                    return try put(entry)
                }
                guard now &- answeredAt > week || state.firstPending - state.firstKept > 10_000 else { return }
                try removeCommit(state.firstKept)
            }
            state.firstKept += 1
        }
    }
}

extension LocalCommit {
    /// The classes of the objects that the edits are about.
    package var classes: [SyncString] { Set(edits.map(\.object.className)).sorted() }
}
