extension ClientTransaction {
    /// Continues the file under a new ident. Commits that both copies have count as answered. The other commits are
    /// numbered from 1.
    mutating func fork(_ fork: Fork, now: Int64) throws {
        if let ack = fork.answers { _ = try acknowledge(ack, now: now) }
        let common = min(fork.common, state.lastCommit)
        var rest: [JournalCommit] = []
        var number = max(common, state.acknowledged) + 1
        while number <= state.lastCommit {
            if let entry = try commit(number) { rest.append(entry) }
            number += 1
        }
        // Answered commits stay in the shadows until they are confirmed. Their old numbers must not collide with new
        // ones.
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
        (state.acknowledged, state.acknowledgedHash, state.sealed) = (0, .empty, 0)
        (state.firstKept, state.firstPending, state.lastCommit) = (1, 1, UInt64(rest.count))
        for var entry in rest {
            // The hash doesn't change: another copy of the file may have sent the commit, and the server recognises the
            // commit by its hash.
            entry.commit = entry.commit.numbered(entry.commit.number - common)
            try put(entry)
        }
    }

    // MARK: Another history

    /// Begins a reset: removes what the file stores about the old store's history. The content that the file shows
    /// stays until the new state arrives. The file's commits stay until the store reports which of them it has.
    mutating func reset(_ mode: ResetMode) {
        (state.isReset, state.isPrepared, state.resetMode) = (true, false, mode)
        (state.cursor, state.view, state.bootstrap, state.wanted) = (nil, nil, nil, [])
    }

    /// Handles the new store's report about which of the file's commits it has. The effects of the other commits are
    /// removed. These commits are done again later, or discarded.
    ///
    /// - Returns: The number of commits that were set aside for the app.
    mutating func prepareReset(_ bound: Bound, now: Int64) throws -> Int {
        let known = min(bound.fork?.common ?? (bound.file == nil ? bound.acknowledged : 0), state.lastCommit)
        var lost = 0
        if state.resetMode == .discard {
            lost = try discardCommits(after: known)
        } else {
            state.recovery = try recoveries(after: known) + state.recovery
        }
        for name in try shadowed() { try change(name) { $0.discard() } }
        for className in try confirmedClasses() {
            for (key, _) in try confirmed(in: KeyRange(className: className)) {
                try setVersion(0, of: ObjectName(className, key))
            }
        }
        try forgetCommits(after: known, isNewFile: bound.file != nil)
        // These commits never received an answer. The time for which they are kept starts now.
        for number in state.firstKept..<max(state.firstPending, state.firstKept) {
            guard var entry = try commit(number), entry.answeredAt == nil else { continue }
            entry.answeredAt = now
            try put(entry)
        }
        state.isPrepared = true
        state.forked = [:]
        if let set = state.querySets.last { state.querySets = [QuerySet(version: set.version, queries: set.queries)] }
        return lost
    }

    private mutating func discardCommits(after known: UInt64) throws -> Int {
        var lost = 0
        var number = max(known + 1, state.firstKept)
        while number <= state.lastCommit {
            if let entry = try commit(number), !entry.commit.changes.isEmpty {
                try keep(.discarded(entry.commit))
                lost += 1
            }
            number += 1
        }
        return lost
    }

    private mutating func forgetCommits(after known: UInt64, isNewFile: Bool) throws {
        let hash = try commit(known)?.hash ?? .empty
        var number = isNewFile ? state.firstKept : max(known + 1, state.firstKept)
        while number <= state.lastCommit {
            try removeCommit(number)
            number += 1
        }
        let last = isNewFile ? 0 : known
        (state.acknowledged, state.sealed, state.lastCommit, state.firstPending) = (last, last, last, last + 1)
        state.acknowledgedHash = last == 0 ? .empty : hash
        state.firstKept = isNewFile ? 1 : min(state.firstKept, last + 1)
    }

    /// Removes the effects of transactions that the app committed while the file waits for the new state. They are done
    /// again as soon as the file has that state.
    mutating func postpone(_ locals: [LocalCommit]) throws {
        var first: [ObjectName: [SyncString: MergedContent]?] = [:]
        var last: [ObjectName: [SyncString: MergedContent]?] = [:]
        for local in locals {
            for name in Set(local.edits.map(\.object)).sorted() {
                let before = last[name] ?? local.before[name]
                if first[name] == nil { first[name] = .some(before) }
                var mine = before
                for edit in local.edits where edit.object == name { try edit.apply(to: &mine) }
                last[name] = .some(mine)
                let adds = before == nil || mine == nil ? [:] : local.adds(of: name)
                var base = before
                for property in adds.keys { base?[property] = mine?[property] }
                state.recovery.append(Recovery(name: name, base: base, mine: mine, adds: adds))
            }
            state.clock = max(state.clock, local.clock)
            try removeLocalCommit(local.sequence)
        }
        for (name, before) in first.sorted(by: { $0.key < $1.key }) {
            try perform(ShownDifference(name, from: contents(of: name), to: before).edits)
        }
    }

    /// Ends a reset after the file has received the state of the new store. Objects that the new store doesn't have are
    /// deleted, and recovered work is done again as own work.
    ///
    /// - Returns: The number of commits that were set aside for the app.
    mutating func endReset() throws -> Int {
        state.isReset = false
        for className in try confirmedClasses() {
            for (key, version) in try confirmed(in: KeyRange(className: className)) where version == 0 {
                try change(ObjectName(className, key)) { try $0.apply(.erased) }
            }
        }
        let (recovery, last) = (state.recovery, state.lastCommit)
        state.recovery = []
        var failed: [LostWork] = []
        for own in recovery {
            if let edits = own.edits(over: try contents(of: own.name)) {
                try redo(edits, own.name)
            } else {
                failed.append(.misplaced(own.edits))
            }
        }
        for work in failed { try keep(work) }
        guard state.resetMode == .recoverOrDiscard, !failed.isEmpty else { return failed.count }
        // The recovery failed in part, so all of it is discarded.
        let lost = try discardCommits(after: last)
        for name in try shadowed() { try change(name) { $0.discard() } }
        try forgetCommits(after: last, isNewFile: false)
        return failed.count + lost
    }

    /// Applies edits of an object as own work of the file.
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
