@testable import FreeholdServerNodes
@testable import FreeholdSyncCore

/// A server of the database: the streams, leases and rows of nodes, with the checks of each transaction.
struct Primary {
    var memory = MemoryServerStore(epoch: 7)
    var lease = StreamLease()
    var nodes: [SyncString: PresenceRow] = [:]
    var generation: UInt64
    /// A Boolean value that indicates whether the server answers.
    var isUp = true
    /// The commits of the log by their names, and the hashes and clocks of all versions.
    var commits: [PartName: StepCommit] = [:]
    var hashes: [RunningHash] = [.empty]
    var clocks: [Clock] = [.zero]
    var fileClocks: [FileIdent: (number: UInt64, clock: Clock)] = [:]

    init(generation: UInt64) { self.generation = generation }

    mutating func perform(_ request: NodeStoreRequest) -> NodeStoreAnswer {
        switch request {
        case .join(let name, let atLeast):
            let incarnation = max((nodes[name]?.identity.incarnation ?? 0) + 1, atLeast)
            let identity = NodeIdentity(name: name, incarnation: incarnation)
            nodes[name] = PresenceRow(identity: identity, beat: 0, state: .serving)
            return .joined(identity)
        case .beat(let row):
            if nodes[row.identity.name].map({ $0.identity <= row.identity }) ?? true { nodes[row.identity.name] = row }
            return .peers(nodes.values.sorted { $0.identity < $1.identity })
        case .lease: return .lease(lease)
        case .take(_, let expected, let holder):
            if lease == expected { lease = StreamLease(term: lease.term + 1, holder: holder) }
            return .lease(lease)
        }
    }

    /// Checks a commit that was executed: no gap, no commit twice, rising clocks (I1, I8).
    ///
    /// - Parameters:
    ///   - before: The head before the commit.
    ///   - bases: The versions that the authors of commits had seen, by the running hashes of the commits.
    mutating func note(_ commit: StoreCommit, after before: StreamHead, bases: [RunningHash: StreamVersion]) -> [String]
    {
        var problems: [String] = []
        var last = before.version
        if commit.head.now < before.now { problems.append("the server's time goes back at \(commit.head.version)") }
        for entry in commit.entries {
            let name = entry.author
            guard entry.version == last + 1, Int(entry.version) == hashes.count else {
                return problems + ["version \(entry.version) follows \(last)"]
            }
            last = entry.version
            guard let stored = commit.answers[name.ident]?.first(where: { $0.answer.commit == name.commit }) else {
                problems.append("commit \(name) has no answer")
                continue
            }
            if commits[name] != nil { problems.append("commit \(name) is in the log twice") }
            let file = fileClocks[name.ident] ?? (0, .zero)
            if name.commit != file.number + 1 { problems.append("commit \(name) follows \(file.number)") }
            let clock = stored.answer.clock
            if clock <= file.clock { problems.append("the clock of \(name) doesn't rise") }
            if let base = bases[stored.hash], Int(base) < clocks.count, clock <= clocks[Int(base)] {
                problems.append("commit \(name) is older than what its author saw")
            }
            fileClocks[name.ident] = (name.commit, clock)
            commits[name] = StepCommit(name.ident, stored)
            hashes.append(entry.hash)
            clocks.append(max(entry.clock, clocks.last ?? .zero))
        }
        if commit.head.version != last {
            problems.append("the head is \(commit.head.version), and the log ends at \(last)")
        }
        return problems
    }
}
