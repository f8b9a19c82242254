import FreeholdSyncCore

/// Plays a history on the merge and on the oracle, and compares after each event.
struct Difference: CustomStringConvertible {
    let event: Int
    let description: String

    /// Returns `nil` if the merges agree.
    init?(_ history: History, observing observe: (History.Event, MergedStream, MergeAnswer?) -> Void = { _, _, _ in }) {
        var oracle = Oracle()
        oracle.rules = history.rules
        var stream = MergedStream(history.rules)
        for (index, event) in history.events.enumerated() {
            let expected = Result { try Self.apply(event, to: &oracle) }
            let result = Result { try stream.apply(event) }
            observe(event, stream, try? result.get())
            let (a, b) = (Self.text(of: expected), Self.text(of: result))
            if a != b {
                self.event = index
                description = "event \(index) got another answer\n\(b)\nexpected\n\(a)"
                return
            }
            let (stored, own) = (oracle.stored(), stream.stored())
            guard stored != own else { continue }
            self.event = index
            let names = Set(stored.keys).union(own.keys).filter { stored[$0] != own[$0] }
            description =
                names.map { name in
                    let properties = Set((stored[name] ?? [:]).keys).union((own[name] ?? [:]).keys)
                    let lines = properties.filter { stored[name]?[$0] != own[name]?[$0] }.map {
                        "\(name).\($0) is \(own[name]?[$0]?.description ?? "none"), expected \(stored[name]?[$0]?.description ?? "none")"
                    }
                    return lines.isEmpty
                        ? "\(name) is there: \(own[name] != nil), expected \(stored[name] != nil)"
                        : lines.joined(separator: "\n")
                }.joined(separator: "\n") + "\nafter event \(index)"
            return
        }
        return nil
    }

    private static func apply(_ event: History.Event, to oracle: inout Oracle) throws -> Oracle.Answer? {
        switch event {
        case .arrival(let ident, let commit, let now): return try oracle.apply(commit, from: ident, serverNow: now)
        case .trim(let horizon): oracle.trim(horizon: horizon)
        case .mergeNeighbouringAdds: oracle.mergeNeighbouringAdds()
        }
        return nil
    }

    private static func text(of result: Result<Oracle.Answer?, any Error>) -> String {
        switch result {
        case .success(let answer?): text(answer.commit, answer.version, answer.clock, answer.refusals)
        case .success: ""
        case .failure(let error): "\(error)"
        }
    }

    private static func text(of result: Result<MergeAnswer?, any Error>) -> String {
        switch result {
        case .success(let answer?): text(answer.commit, answer.version, answer.clock, answer.refusals)
        case .success: ""
        case .failure(let error): "\(error)"
        }
    }

    private static func text(_ commit: UInt64, _ version: StreamVersion, _ clock: Clock, _ refusals: [Refusal])
        -> String
    {
        (["commit \(commit), version \(version), \(clock)"]
            + refusals.sorted { $0.index < $1.index }.map { "    \($0.index) \($0.reason)" })
            .joined(separator: "\n")
    }
}

extension History {
    /// A smaller history that still shows a difference: without the changes and the events that don't matter for it.
    func shrunk() -> History {
        var best = self
        guard let difference = Difference(best) else { return self }
        best.events = Array(best.events[...difference.event])
        var isSmaller = true
        while isSmaller {
            isSmaller = false
            for index in best.events.indices.reversed() {
                for candidate in best.without(event: index) where Difference(candidate) != nil {
                    best = candidate
                    isSmaller = true
                    break
                }
            }
        }
        return best
    }

    /// The history without an event, and without one change of it. A commit's number and version stay used.
    private func without(event index: Int) -> [History] {
        var candidates: [History] = []
        func add(_ event: Event?) {
            var copy = self
            if let event { copy.events[index] = event } else { copy.events.remove(at: index) }
            candidates.append(copy)
        }
        guard case .arrival(let ident, let commit, let now) = events[index] else {
            add(nil)
            return candidates
        }
        let isLast = index == events.count - 1
        let isResend = events[..<index].contains {
            if case .arrival(ident, let other, _) = $0 { other.number == commit.number } else { false }
        }
        if isResend || isLast { add(nil) }
        for change in commit.changes.indices {
            var changes = commit.changes
            changes.remove(at: change)
            add(.arrival(ident, commit.with(changes), serverNow: now))
        }
        return candidates
    }
}

extension Commit {
    fileprivate func with(_ changes: [Change]) -> Commit {
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
