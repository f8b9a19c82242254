import FreeholdSyncCore

/// The commits that reached a server, in their order, with what their authors knew: enough to compare any two merges.
///
/// `HistoryGenerator` creates one from a seed. It prints as a script.
struct History: CustomStringConvertible {
    enum Event {
        /// A commit, or a resend of one.
        case arrival(FileIdent, Commit, serverNow: Int64)
        case trim(horizon: StreamVersion)
        case mergeNeighbouringAdds
    }

    let seed: UInt64
    let rules: OracleRules
    var events: [Event] = []
    var writes: [Write] = []
    var listEdits: [ListEdit] = []

    /// A change of a commit.
    struct ChangeID: Hashable {
        let ident: FileIdent
        let commit: UInt64
        let index: Int
    }

    /// A single value was written. No two writes of a history write the same one.
    struct Write {
        let id: ChangeID
        let object: ObjectName
        let property: SyncString
        let isReal: Bool
        /// The content that its author saw before.
        let old: Content?
        let new: Content
    }

    /// The effect of a change on a list as its author saw it.
    struct ListEdit {
        let id: ChangeID
        let object: ObjectName
        let inserted: [OwnID]
        let removed: [OwnID]
        /// The new elements are those of an assignment, which a later one may remove unseen.
        let isAssignment: Bool
        /// The change removed all elements that its author had seen, including those that an earlier refused removal of
        /// the author had hidden from it.
        let cleared: Seen?
        /// Neighbouring slots. The author inserted the second one behind the first.
        let neighbours: [(OwnID, OwnID)]
    }

    /// Returns a stream after the whole history.
    func played(repeating times: Int = 1) throws -> Oracle {
        var stream = Oracle()
        stream.rules = rules
        for event in events {
            switch event {
            case .arrival(let ident, let commit, let now):
                for _ in 0..<times { try stream.apply(commit, from: ident, serverNow: now) }
            case .trim(let horizon): stream.trim(horizon: horizon)
            case .mergeNeighbouringAdds: stream.mergeNeighbouringAdds()
            }
        }
        return stream
    }

    var description: String {
        let lines = events.map { event in
            switch event {
            case .arrival(let ident, let commit, let now): "at \(now)ms \(ident): \(commit)"
            case .trim(let horizon): "trim behind \(horizon)"
            case .mergeNeighbouringAdds: "merge neighbouring adds"
            }
        }
        return (["history of seed \(seed)"] + lines).joined(separator: "\n")
    }
}
