/// Merges commits into a stream (sync-design.md, sections 4 to 6; `docs/sync-decisions.md`).
///
/// It reads and writes only the objects that a commit names. Objects that a unique constraint or a delete rule may still refuse are
/// copied first, others change in place.
public struct StreamMerge: Sendable {
    public let rules: MergeRules

    public init(_ rules: MergeRules) { self.rules = rules }

    /// Merges a commit, whole or not at all, and answers it. A resend changes nothing and gets the same answer.
    ///
    /// - Parameters:
    ///   - oldLists: the lists that the commit is about as its author saw them, if the author knows that the commit is from before the horizon.
    ///   - rights: what its author may write. Nil: everything.
    ///   - isShared: several people commit under the file's number, each of whom knows what it names as seen, and nothing more.
    ///   - lensed: what its author called things, if that is something else.
    ///   - refusing: why all changes are refused. Nil: they are merged.
    ///   - now: the server's wall clock, in milliseconds since 2015-01-01. If it goes back, that isn't believed.
    /// - Throws: `MergeError`, before anything is changed, and what the store throws.
    public func apply(
        _ commit: Commit,
        from ident: FileIdent,
        oldLists: [OldList]? = nil,
        rights: (any SessionRights)? = nil,
        isShared: Bool = false,
        lensed: LensedCommit? = nil,
        refusing reason: RefusalReason? = nil,
        now: Int64,
        to store: inout some MergeStore
    ) throws -> MergeAnswer {
        let last = try store.lastCommit(of: ident)
        if commit.number <= last.number, let answer = try store.answer(to: commit.number, of: ident) { return answer }
        guard commit.number == last.number + 1 else { throw MergeError.gap(expected: last.number + 1) }
        let seen = commit.seen.values.reduce(commit.base, max)
        guard seen <= store.version else { throw MergeError.unknownVersion }
        let isOld = commit.base < store.horizon
        guard !isOld || oldLists != nil else { throw MergeError.behindHorizon }

        let now = max(now, store.now)
        let clock = try Clock.effective(
            client: commit.clock,
            now: now,
            seen: store.greatestClock(upTo: seen),
            last: last.clock
        )
        let stamp = Stamp(clock: clock, ident: ident)
        let parents = try store.parents(of: ident)
        let old = isOld ? OldWork(oldLists ?? [], version: store.version, seen: lensed?.seen) : nil
        var refused = refusedAtOnce(commit, ident)
        if let reason { for change in commit.changes { refused[change.object] = reason } }
        // For which fields the user may not write objects.
        var fields: [ObjectName: SyncString] = [:]
        while true {
            var attempt = CommitMerge(
                commit,
                stamp,
                store.version + 1,
                rules,
                refused,
                parents,
                old,
                rights,
                isShared,
                lensed
            )
            let new = try attempt.run(&store)
            if !new.isEmpty {
                refused.merge(new) { $1 }
                fields.merge(attempt.forbiddenFields) { $1 }
                refuseMore(&refused, commit)
                continue
            }
            try attempt.finish(&store)
            let answer = MergeAnswer(
                commit: commit.number,
                version: store.version + 1,
                clock: clock,
                refusals: attempt.refusals.map { $0.naming(fields[$0.change.object]) }.bounded
            )
            try store.finish(answer, of: ident, now: now)
            return answer
        }
    }

    /// The objects that are refused whatever the state is.
    private func refusedAtOnce(_ commit: Commit, _ ident: FileIdent) -> [ObjectName: RefusalReason] {
        var refused: [ObjectName: RefusalReason] = [:]
        for change in commit.changes {
            let name = change.object
            if !rules.createOnly.isEmpty, rules.createOnly.contains(name.className) {
                let isCreate = if case .create = change { true } else { false }
                if !isCreate { refused[name] = .createOnly }
            }
            if refused.isEmpty || refused[name] == nil, rules.forbids(ident, commit, name) {
                refused[name] = .forbidden
            }
        }
        refuseMore(&refused, commit)
        return refused
    }

    /// Refuses what goes with the refused.
    private func refuseMore(_ refused: inout [ObjectName: RefusalReason], _ commit: Commit) {
        guard !refused.isEmpty else { return }
        if rules.refusesWholeCommits {
            for change in commit.changes where refused[change.object] == nil { refused[change.object] = .commitRefused }
            return
        }
        var isMore = true
        while isMore {
            isMore = false
            for change in commit.changes {
                guard case .delete(let name, .cascade(let cause)) = change else { continue }
                guard refused[cause] != nil, refused[name] == nil else { continue }
                refused[name] = .causeRefused
                isMore = true
            }
        }
    }
}
