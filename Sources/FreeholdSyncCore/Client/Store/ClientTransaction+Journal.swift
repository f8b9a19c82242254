extension ClientTransaction {
    /// Gives numbers and names to what was committed. It comes before anything that changes what is confirmed.
    ///
    /// - Parameters:
    ///   - count: The greatest number of the app's transactions.
    ///   - bytes: About the greatest size of them together. At least one is resolved.
    /// - Returns: A Boolean value that indicates whether there are more.
    @discardableResult
    package mutating func resolveLocalCommits(count: Int = .max, upTo bytes: Int = .max) throws -> Bool {
        let commits = try localCommits(upTo: bytes)
        if state.isReset, state.isPrepared {
            try postpone(commits)
            return try !localCommits(upTo: 1).isEmpty
        }
        guard !commits.isEmpty || !care.defaults.isEmpty else { return false }
        var defaults: Set<ObjectName> = []
        var unchanged: Set<ObjectName> = []
        var replays: [ObjectName: Replay] = [:]
        for local in commits.prefix(count) {
            if care.setAside.contains(local.sequence) {
                // What it did is taken back, as far as that can be done.
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
        // While there are more, the file shows what these did, too.
        care.defaults.formUnion(defaults)
        if try !localCommits(upTo: 1).isEmpty { return true }
        for name in unchanged.sorted() where try shadow(of: name)?.isClean ?? false { try change(name) { _ in } }
        for name in care.defaults.sorted() { try showDefaults(name) }
        care.defaults = []
        return false
    }

    /// Gives a number and names to one transaction. It isn't joined with another one: each keeps its own clock, and a refusal concerns it alone.
    package mutating func resolve(_ local: LocalCommit) throws {
        var replays: [ObjectName: Replay] = [:]
        try resolve(local, replays: &replays)
    }

    /// - Parameter replays: what objects are behind their pending work. Without it each of many transactions would do all of that work again.
    private mutating func resolve(_ local: LocalCommit, replays: inout [ObjectName: Replay]) throws {
        var objects: [ObjectName: EditResolver.Work] = [:]
        objects.reserveCapacity(local.edits.count)
        for edit in local.edits {
            let name = edit.object
            guard objects.index(forKey: name) == nil else { continue }
            let shadow = try shadow(of: name) ?? Shadow(contents: local.before[name], version: version(of: name))
            // Taken out, since its lists are changed in place.
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

    /// Keeps the state of objects from before a transaction that left no work on them: the journal doesn't repeat it for the transactions behind it.
    ///
    /// A clean shadow that stays behind is removed when the object changes next.
    private mutating func keepImages(of local: LocalCommit, _ unchanged: inout Set<ObjectName>) throws {
        for (name, contents) in local.before where try shadow(of: name) == nil {
            let version = try version(of: name)
            guard version != nil else { continue }
            try setShadow(Shadow(contents: contents, version: version), of: name)
            unchanged.insert(name)
        }
    }

    /// A default that was written over a value gives way to it.
    private mutating func showDefaults(_ name: ObjectName) throws {
        guard let shadow = try shadow(of: name), let contents = try contents(of: name) else { return }
        try perform(ShownDifference(name, from: contents, to: shadow.contents).edits)
    }

    /// The commit can't be told to the server: it is handed to the app, and what it did is taken back.
    private mutating func misplace(_ local: LocalCommit) throws {
        try keep(.misplaced(local.edits))
        for name in Set(local.edits.map(\.object)).sorted() {
            let shadow = try shadow(of: name) ?? Shadow(contents: local.before[name], version: version(of: name))
            try perform(ShownDifference(name, from: contents(of: name), to: shadow.contents).edits)
        }
    }

    // MARK: Sending

    /// The commits behind a number, as many as fit. They won't change any more.
    ///
    /// - Parameters:
    ///   - horizon: a commit from before it comes alone.
    ///   - salts: random bits for each commit that was never sent.
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
                // Its transaction was made by a version that gave it no identity.
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

    /// The running hash up to a commit. It follows from the identities of the file's transactions, so the copies of a file have the same hashes
    /// for what was done before it was copied.
    ///
    /// - Returns: `nil` if the commit, or the one before it, has no identity yet: `seal` gives it one.
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

    /// The running hashes of commits that aren't answered, those that this file never sent among them: a copy of it may have. If a store with
    /// another history is asked which it has, the hashes of all commits that are kept.
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

    /// Takes answers in. Those that are known already are left out.
    ///
    /// - Returns: what was refused.
    mutating func acknowledge(_ ack: Ack, now: Int64) throws -> [Refusal] {
        var refusals: [Refusal] = []
        var answers: [ObjectName: [Shadow.Answer]] = [:]
        let refusalsOfCommits = Dictionary(grouping: ack.refusals, by: \.commit)
        for (index, version) in ack.versions.enumerated() {
            let number = ack.first &+ UInt64(index)
            guard number == state.acknowledged + 1, number <= state.lastCommit, var entry = try commit(number) else {
                continue
            }
            var refused = refusalsOfCommits[number] ?? []
            if !refused.isEmpty {
                // Large changes may lack their content, and after a migration they have old names: the file has both.
                let isRenamed = try names(of: entry.commit.schemaVersion) != nil
                refused = refused.map { isRenamed ? $0.with(changeOf: entry.commit) : $0.completed(by: entry.commit) }
            }
            let answer = Shadow.Answer(commit: number, version: version, refusals: refused)
            for name in entry.commit.objects where !care.skipped.contains(name) {
                answers[name, default: []].append(answer)
            }
            for refusal in refused { try keep(.refused(refusal)) }
            refusals += refused
            entry.version = version
            entry.answeredAt = now
            try put(entry)
            state.acknowledged = number
            // A copy of the file may have sent it.
            state.sealed = max(state.sealed, number)
            state.acknowledgedHash = entry.hash ?? state.acknowledgedHash
        }
        // Many transactions can be about one object, which is replayed once.
        for (name, answers) in answers.sorted(by: { $0.key < $1.key }) {
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

    /// Forgets commits that were confirmed long ago (sync-design.md, section 7).
    private mutating func trimJournal(now: Int64) throws {
        let week: Int64 = 7 * 24 * 3_600 * 1_000
        while state.firstKept < state.firstPending {
            if var entry = try commit(state.firstKept) {
                guard let answeredAt = entry.answeredAt else {
                    // A store that took the old one's place has it: its time begins now.
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
    /// The classes of the objects that it is about.
    package var classes: [SyncString] { Set(edits.map(\.object.className)).sorted() }
}
