extension ClientTransaction {
    /// The file goes on under a new ident: what both copies have counts as answered, the rest is numbered from 1.
    mutating func fork(_ fork: Fork, now: Int64) throws {
        if let ack = fork.answers { _ = try acknowledge(ack, now: now) }
        let common = fork.common
        var rest: [JournalCommit] = []
        var number = max(common, state.acknowledged) + 1
        while number <= state.lastCommit {
            if let entry = try commit(number) { rest.append(entry) }
            number += 1
        }
        // Commits that were answered stay in the shadows until they are confirmed. Their old numbers must not meet new ones.
        let offset = UInt64.max / 2
        for name in try shadowed() {
            guard var shadow = try shadow(of: name) else { continue }
            shadow.renumber { $0 > common ? $0 - common : $0 &+ offset }
            try setShadow(shadow, of: name)
        }
        while state.firstPending <= common, let entry = try commit(state.firstPending) {
            if let version = entry.version { state.forked[version, default: []] += entry.commit.objects }
            state.firstPending += 1
        }
        number = state.firstKept
        while number <= state.lastCommit {
            try removeCommit(number)
            number += 1
        }
        for var entry in rest {
            entry.commit = entry.commit.numbered(entry.commit.number - common)
            entry.hash = nil
            try put(entry)
        }
        (state.acknowledged, state.acknowledgedHash, state.sealed) = (0, .empty, 0)
        (state.firstKept, state.firstPending, state.lastCommit) = (1, 1, UInt64(rest.count))
    }

    // MARK: Another history

    /// Forgets all that the file had from the old store, except what it shows.
    ///
    /// - Returns: how many commits were set aside for the app.
    mutating func reset(_ mode: ResetMode) throws -> Int {
        var lost = 0
        let isRecovering = mode == .recover || mode == .recoverOrDiscard
        var recovery = state.recovery
        for name in try shadowed() {
            guard let shadow = try shadow(of: name) else { continue }
            recovery.append(
                Recovery(name: name, base: shadow.confirmedContents, mine: shadow.contents)
            )
            try change(name) { $0.discard() }
        }
        var number = state.acknowledged + 1
        while !isRecovering, number <= state.lastCommit {
            if let entry = try commit(number) {
                try keep(.discarded(entry.commit))
                lost += 1
            }
            number += 1
        }
        let known = Set(recovery.map(\.name))
        number = state.firstKept
        while number <= state.lastCommit {
            for case .create(let name, _) in try commit(number)?.commit.changes ?? [] where !known.contains(name) {
                recovery.append(Recovery(name: name, base: nil, mine: try contents(of: name)))
            }
            try removeCommit(number)
            number += 1
        }
        for name in try confirmedClasses() {
            for (key, _) in try confirmed(in: KeyRange(className: name)) {
                try setVersion(0, of: ObjectName(name, key))
            }
        }
        var fresh = ClientState()
        (fresh.clock, fresh.offset, fresh.lastNumber) = (state.clock, state.offset, state.lastNumber)
        if let set = state.querySets.last { fresh.querySets = [QuerySet(version: set.version, queries: set.queries)] }
        fresh.recovery = isRecovering ? recovery : []
        fresh.isReset = true
        state = fresh
        return lost
    }

    /// The file has the state of the new store: what isn't in it goes, and recovered work is done again as work of its own.
    mutating func endReset() throws {
        state.isReset = false
        for className in try confirmedClasses() {
            for (key, version) in try confirmed(in: KeyRange(className: className)) where version == 0 {
                try change(ObjectName(className, key)) { try $0.apply(.erased) }
            }
        }
        let recovery = state.recovery
        state.recovery = []
        for own in recovery {
            guard let edits = own.edits(over: try contents(of: own.name)) else {
                try keep(.misplaced(ShownDifference(own.name, from: own.base, to: own.mine).edits))
                continue
            }
            try redo(edits, own.name)
        }
    }

    /// Does edits of an object as work of the file's own.
    private mutating func redo(_ edits: [LocalEdit], _ name: ObjectName) throws {
        guard !edits.isEmpty else { return }
        var before: [ObjectName: [SyncString: MergedContent]] = [:]
        if try shadow(of: name) == nil { before[name] = try contents(of: name) }
        try perform(edits)
        state.clock = state.clock.next
        try resolve(LocalCommit(sequence: 0, clock: state.clock, edits: edits, before: before))
    }
}

extension Commit {
    func numbered(_ number: UInt64) -> Commit {
        Commit(
            number: number,
            clock: clock,
            base: base,
            seen: seen,
            schemaVersion: schemaVersion,
            changes: changes
        )
    }
}
