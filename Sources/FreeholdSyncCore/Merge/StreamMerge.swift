/// The refusal of all changes of a commit.
public struct CommitRefusal: Hashable, Sendable {
    public let reason: RefusalReason
    /// A Boolean value that indicates whether refused elements leave dead slots in their lists, so that later work can name these slots as
    /// neighbours. The objects of these lists are then read and written.
    public var leavesPlaces = true

    public init(_ reason: RefusalReason) { self.reason = reason }
}

/// Merges commits into a stream (sync-design.md, sections 4 to 6; `docs/sync-decisions.md`).
///
/// A merge reads and writes only the objects that a commit names. Objects that may still be refused by a unique
/// constraint, a delete rule or the rights of the author are copied first. Other objects are changed in place.
public struct StreamMerge: Sendable {
    public let rules: MergeRules
    /// The maximum number of changes in all attempts to merge a commit together, and the minimum number of attempts.
    var mostSteps = 1_000_000
    static let leastAttempts = 20

    public init(_ rules: MergeRules) { self.rules = rules }

    /// Merges a commit as a whole or not at all, and returns the answer. A repeated commit changes nothing and receives
    /// the same answer.
    ///
    /// - Parameters:
    ///   - oldLists: The lists that the commit is about, as their author saw them, if the author knows that the commit
    ///     is from before the horizon.
    ///   - rights: The rights of the author. `nil` if the author may write everything.
    ///   - isShared: A Boolean value that indicates whether several people commit under the number of the file. Each of
    ///     them knows only what its commit names as seen.
    ///   - lensed: The commit under the author's names, if these differ from the stream's.
    ///   - refusing: The reason why all changes are refused. `nil` if they are merged.
    ///   - now: The server's time, in milliseconds since 2015-01-01. An earlier time than in an earlier call is
    ///     replaced by that one.
    /// - Throws: `MergeError` before anything is changed, and the errors of the store.
    public func apply(
        _ commit: Commit,
        from ident: FileIdent,
        oldLists: [OldList]? = nil,
        rights: (any SessionRights)? = nil,
        isShared: Bool = false,
        lensed: LensedCommit? = nil,
        refusing refusal: CommitRefusal? = nil,
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
        var refused = refusal == nil ? refusedAtOnce(commit, ident) : [:]
        if refusal == nil, try refuseLongKeys(&refused, commit, store) { refuseMore(&refused, commit) }
        // The fields that the author has no right to write, by object.
        var fields: [ObjectName: SyncString] = [:]
        // A refusal can lead to the next one. If a large commit needs many attempts, its remaining changes are refused.
        var attemptsLeft = max(Self.leastAttempts, mostSteps / max(commit.changes.count, 1))
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
            if let refusal { try attempt.refuseAll(refusal, &store) }
            let new = try refusal == nil ? attempt.run(&store) : [:]
            if !new.isEmpty {
                refused.merge(new) { $1 }
                fields.merge(attempt.forbiddenFields) { $1 }
                refuseMore(&refused, commit)
                attemptsLeft -= 1
                if attemptsLeft == 0 {
                    for change in commit.changes where refused[change.object] == nil {
                        refused[change.object] = .commitRefused
                    }
                }
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

    /// Returns the objects that are refused regardless of the stored state.
    private func refusedAtOnce(_ commit: Commit, _ ident: FileIdent) -> [ObjectName: RefusalReason] {
        var refused: [ObjectName: RefusalReason] = [:]
        for change in commit.changes {
            let name = change.object
            if !rules.createOnly.isEmpty, rules.createOnly.contains(name.className) {
                let isCreate = if case .create = change { true } else { false }
                if !isCreate { refused[name] = .createOnly }
            }
            if change.hasLongName { refused[name] = .tooLarge }
            if refused.isEmpty || refused[name] == nil, rules.forbids(ident, commit, name) {
                refused[name] = .forbidden
            }
        }
        refuseMore(&refused, commit)
        return refused
    }

    /// Refuses new objects with keys that are too long. Clients and programs of earlier versions create them.
    /// - Returns: `true` if at least one object is refused.
    private func refuseLongKeys(
        _ refused: inout [ObjectName: RefusalReason],
        _ commit: Commit,
        _ store: some MergeStore
    ) throws -> Bool {
        var isAny = false
        for change in commit.changes {
            guard case .create(let name, _) = change, name.key.isTooLong, refused[name] == nil else { continue }
            if !rules.createOnly.contains(name.className), try store.object(name)?.isAlive == true { continue }
            refused[name] = .tooLarge
            isAny = true
        }
        return isAny
    }

    /// Adds the objects that have to be refused together with refused ones.
    private func refuseMore(_ refused: inout [ObjectName: RefusalReason], _ commit: Commit) {
        guard !refused.isEmpty else { return }
        if rules.refusesWholeCommits {
            for change in commit.changes where refused[change.object] == nil { refused[change.object] = .commitRefused }
            return
        }
        // The deleted objects, by the object whose deletion caused the deletion.
        var deleted: [ObjectName: [ObjectName]] = [:]
        for case .delete(let name, .cascade(let cause)) in commit.changes { deleted[cause, default: []].append(name) }
        guard !deleted.isEmpty else { return }
        var causes = Array(refused.keys)
        while let cause = causes.popLast() {
            for name in deleted[cause] ?? [] where refused[name] == nil {
                refused[name] = .causeRefused
                causes.append(name)
            }
        }
    }
}
