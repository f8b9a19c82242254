import FreeholdSyncCore

/// The part of the app's schema and rights that a merge needs.
struct OracleRules: Sendable {
    struct Property: Hashable, Sendable {
        let className: SyncString
        let property: SyncString
    }

    /// Unique constraints beyond the key: classes with properties whose values together must differ.
    var unique: [(className: SyncString, properties: [SyncString])] = []
    /// Properties with links whose delete rule is `deny`.
    var denying: [Property] = []
    /// Asymmetric classes.
    var asymmetric: Set<SyncString> = []
    /// A Boolean value that indicates whether a refusal refuses the whole commit.
    var refusesWholeCommits = false
    /// Returns whether a rule of the app forbids the commit's change of an object.
    var forbids: @Sendable (FileIdent, Commit, ObjectName) -> Bool = { _, _, _ in false }
}

/// The executable specification of sync-design.md: the clocks of section 4, the merge table of section 5, the lists of
/// section 6.
///
/// It keeps a whole copy of everything for each version, and its only aim is clarity. `docs/sync-decisions.md` lists
/// the questions that the design leaves open.
struct Oracle {
    var rules = OracleRules()

    /// The stream as it was at each version; the last is now.
    private(set) var copies: [[ObjectName: Incarnation]] = [[:]]
    /// The greatest effective clock up to each version.
    private(set) var clocks: [Clock] = [.zero]
    private(set) var files: [FileIdent: File] = [:]
    /// The rows of asymmetric classes.
    private(set) var ingested: [ObjectName: [NewField]] = [:]
    /// The present time of the oracle: the greatest time that it received.
    private(set) var now: Int64 = 0
    /// Dead data from before this version isn't kept.
    private(set) var horizon: StreamVersion = 0

    struct File: Hashable, Sendable {
        var lastCommit: UInt64 = 0
        var lastClock = Clock.zero
        /// All answers, so that a resend gets the same one.
        var answers: [Answer] = []
    }

    struct Answer: Hashable, Sendable {
        let commit: UInt64
        let version: StreamVersion
        let clock: Clock
        let refusals: [Refusal]
    }

    enum ProtocolError: Error, Hashable {
        /// An earlier commit of the file is missing.
        case gap(expected: UInt64)
        /// The author refers to a version that doesn't exist.
        case unknownVersion
        /// The author must resync by keys first (section 8).
        case behindHorizon
    }

    var version: StreamVersion { StreamVersion(copies.count - 1) }
    var objects: [ObjectName: Incarnation] { copies[copies.count - 1] }

    // MARK: Commits

    /// Merges a whole commit or nothing of it, and answers it. A resend changes nothing.
    ///
    /// - Parameters:
    ///   - serverNow: The server's wall clock. A time before the last one is ignored.
    ///   - clock: Replaces the effective clock, for the display of a client's own pending work.
    @discardableResult
    mutating func apply(
        _ commit: Commit,
        from ident: FileIdent,
        serverNow: Int64,
        clock: Clock? = nil
    ) throws -> Answer {
        let file = files[ident, default: File()]
        if commit.number >= 1, commit.number <= file.lastCommit { return file.answers[Int(commit.number) - 1] }
        guard commit.number == file.lastCommit + 1 else { throw ProtocolError.gap(expected: file.lastCommit + 1) }
        let seen = max(commit.base, commit.seen.values.max() ?? 0)
        guard seen <= version else { throw ProtocolError.unknownVersion }
        guard commit.base >= horizon else { throw ProtocolError.behindHorizon }

        now = max(now, serverNow)
        let effective = Clock.effective(
            client: commit.clock,
            now: now,
            seen: clocks[Int(seen)],
            last: file.lastClock
        )
        let stamp = Stamp(clock: clock ?? effective, ident: ident)

        let merge = Self.merged(Merge(self, commit, stamp))
        copies.append(merge.objects)
        clocks.append(max(clocks[clocks.count - 1], stamp.clock))
        ingested = merge.ingested
        let answer = Answer(commit: commit.number, version: version, clock: stamp.clock, refusals: merge.refusals)
        files[ident] = File(
            lastCommit: commit.number,
            lastClock: stamp.clock,
            answers: file.answers + [answer]
        )
        return answer
    }

    /// Tries the commit again without the objects that were refused, until no more are.
    private static func merged(_ start: Merge) -> Merge {
        var refused = start.forbidden()
        while true {
            if start.rules.refusesWholeCommits, !refused.isEmpty {
                for name in start.touched where refused[name] == nil { refused[name] = .commitRefused }
            }
            var merge = start
            guard let (name, reason) = merge.attempt(without: refused) else { return merge }
            refused[name] = reason
        }
    }

    /// Returns the stream at a version: the knowledge of a client that has downloaded up to it.
    func upTo(_ version: StreamVersion) -> Oracle {
        var past = self
        past.copies = Array(copies[...Int(version)])
        past.clocks = Array(clocks[...Int(version)])
        past.files = files.mapValues { file in
            let answers = file.answers.filter { $0.version <= version }
            return File(
                lastCommit: answers.last?.commit ?? 0,
                lastClock: answers.last?.clock ?? .zero,
                answers: answers
            )
        }
        return past
    }

    // MARK: Upkeep

    /// Forgets what was dead at a version (sync-design.md, sections 6 and 8). No unsent work may have a base before it.
    mutating func trim(horizon: StreamVersion) {
        self.horizon = max(self.horizon, horizon)
        var now = objects.filter { $0.value.died.map { $0 > horizon } ?? true }
        for name in now.keys {
            now[name]?.mapLists { $0.trim(horizon: horizon) }
        }
        copies[copies.count - 1] = now
    }

    /// Merges neighbouring adds of every counter. No add is lost, but a late write may count one too many.
    mutating func mergeNeighbouringAdds() {
        for name in objects.keys { copies[copies.count - 1][name]?.mapRegisters() }
    }

    /// Returns the object as its author saw it, for the resolution of references. An object from before the horizon
    /// hasn't changed up to it.
    func object(_ name: ObjectName, at version: StreamVersion) -> Incarnation? {
        copies[Int(max(version, horizon))][name]
    }
}

extension Incarnation {
    mutating func mapLists(_ change: (inout SlotList) -> Void) {
        mapFields { field in
            if case .list(var list) = field {
                change(&list)
                field = .list(list)
            }
        }
    }

    mutating func mapRegisters() {
        mapFields { field in
            switch field {
            case .value(var register):
                register.mergeNeighbouringAdds()
                field = .value(register)
            case .list(var list):
                list.mergeNeighbouringAdds()
                field = .list(list)
            case .dictionary(var entries):
                entries.mergeNeighbouringAdds()
                field = .dictionary(entries)
            case .set: break
            }
        }
    }

    private mutating func mapFields(_ change: (inout Field) -> Void) {
        for name in record.keys { change(&record[name]!) }
        for id in instances.keys {
            for name in instances[id]!.keys { change(&instances[id]![name]!) }
        }
    }
}
