/// A set or a dictionary, with a register for each value or key (sync-design.md, section 5).
struct KeyedCollection<Key: Hashable & Sendable>: Sendable {
    private(set) var entries: [Key: Register] = [:]
    /// The mark of the write that created the collection. Registers from that write have no mark of their own.
    let base: Mark
    /// The rank of the assignment that won.
    private(set) var assignment: Rank?
    /// The keys that the last clear or assignment examined. It lets a commit with many clears examine each key only
    /// once.
    private var sweep: Sweep?

    /// A record that one commit has examined all keys, except those that were written since.
    private struct Sweep: Sendable {
        /// The version of the commit.
        let version: StreamVersion
        /// The rank of the assignment. `nil` for a clear, which removes less.
        let rank: Rank?
        var keys: Set<Key> = []
    }

    init(base: Mark, entries: [Key: Register] = [:], assignment: Rank? = nil) {
        self.base = base
        self.entries = entries
        self.assignment = assignment
    }

    // MARK: Writing

    mutating func set(_ key: Key, _ held: Register.Held, _ mark: Mark) {
        entries[key, default: Register()].set(held, mark, base: base)
        if sweep?.version == mark.version { sweep?.keys.insert(key) } else { sweep = nil }
    }

    /// Removes the key. A removal is a write like any other.
    mutating func remove(_ key: Key, _ mark: Mark) { set(key, .absent, mark) }

    /// Calls a closure that edits the register of a key.
    mutating func edit(_ key: Key, _ body: (inout Register, Mark) -> Outcome) -> Outcome {
        if sweep != nil { sweep?.keys.insert(key) }
        return body(&entries[key, default: Register()], base)
    }

    /// Removes the entries that the author saw, except those with hidden keys.
    mutating func clear(_ author: Author, hidden: Set<Key>) {
        take(author.mark(.real), assigning: nil, isWhole: hidden.isEmpty) { key, mark in
            author.saw(mark) && !hidden.contains(key)
        }
    }

    /// Removes the entries that the author saw, and unseen entries of earlier assignments. Then writes the new items.
    /// If a later assignment has won, the new items are written and immediately removed.
    mutating func assign(_ items: [(Key, Register.Held)], _ mark: Mark, _ author: Author, hidden: Set<Key>) {
        let wins = assignment.map { mark.rank >= $0 } ?? true
        take(mark, assigning: mark.rank, isWhole: hidden.isEmpty) { key, other in
            author.saw(other) ? !hidden.contains(key) : other.isAssigned && other.rank < mark.rank
        }
        if wins { assignment = mark.rank }
        for (key, held) in items { set(key, wins ? held : .absent, mark) }
    }

    /// Removes entries that fulfil a condition.
    ///
    /// - Parameters:
    ///   - rank: The rank of the assignment. `nil` for a clear.
    ///   - isWhole: A Boolean value that indicates whether no keys are excepted.
    /// - Complexity: O(*n*) for the first clear or assignment of a commit, then O(keys that were written since)
    private mutating func take(
        _ mark: Mark,
        assigning rank: Rank?,
        isWhole: Bool,
        where isTaken: (Key, Mark) -> Bool
    ) {
        if let last = sweep, last.version == mark.version, rank == nil || rank == last.rank {
            for key in last.keys {
                guard let index = entries.index(forKey: key) else { continue }
                entries.values[index].take(by: mark, base: base) { isTaken(key, $0) }
            }
            if isWhole { sweep?.keys = [] }
            return
        }
        for index in entries.indices {
            let key = entries.keys[index]
            entries.values[index].take(by: mark, base: base) { isTaken(key, $0) }
        }
        sweep = isWhole ? Sweep(version: mark.version, rank: rank) : nil
    }

    mutating func forEachRegister(_ body: (inout Register) -> Void) {
        for index in entries.indices { body(&entries.values[index]) }
    }

    var isSwept: Bool { sweep != nil }

    /// Removes the record of the commit's clears and assignments at the end of the commit.
    mutating func forgetSweep() { sweep = nil }

    // MARK: Reading

    /// The entries without those that were removed.
    var present: [Key: Register.Held] {
        entries.compactMapValues { register in
            let value = register.value
            return value.isAbsent ? nil : value
        }
    }
}
