/// A set of values, or a dictionary: a register for each value or key (sync-design.md, section 5).
struct KeyedCollection<Key: Hashable & Sendable>: Sendable {
    private(set) var entries: [Key: Register] = [:]
    /// Of the write that made the collection. Registers that it wrote have no mark of their own.
    let base: Mark
    /// The rank of the assignment that stands.
    private(set) var assignment: Rank?
    /// What the last clear or assignment looked at. A commit that clears often looks at each key once.
    private var sweep: Sweep?

    /// All keys were looked at by one commit, except those that were written since.
    private struct Sweep: Sendable {
        /// The version that the commit takes.
        let version: StreamVersion
        /// The rank of an assignment. Nil for a clear, which takes less.
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

    /// Removes the key: a write like others.
    mutating func remove(_ key: Key, _ mark: Mark) { set(key, .absent, mark) }

    /// Works on the register of a key.
    mutating func edit(_ key: Key, _ body: (inout Register, Mark) -> Outcome) -> Outcome {
        if sweep != nil { sweep?.keys.insert(key) }
        return body(&entries[key, default: Register()], base)
    }

    /// Takes the writes that the author saw, except of the hidden keys.
    mutating func clear(_ author: Author, hidden: Set<Key>) {
        take(author.mark(.real), assigning: nil, isWhole: hidden.isEmpty) { key, mark in
            author.saw(mark) && !hidden.contains(key)
        }
    }

    /// Takes what the author saw, and unseen what earlier assignments brought, and writes anew. If a later assignment stands, the new writes
    /// happen and are taken at once.
    mutating func assign(_ items: [(Key, Register.Held)], _ mark: Mark, _ author: Author, hidden: Set<Key>) {
        let wins = assignment.map { mark.rank >= $0 } ?? true
        take(mark, assigning: mark.rank, isWhole: hidden.isEmpty) { key, other in
            author.saw(other) ? !hidden.contains(key) : other.isAssigned && other.rank < mark.rank
        }
        if wins { assignment = mark.rank }
        for (key, held) in items { set(key, wins ? held : .absent, mark) }
    }

    /// - Parameters:
    ///   - rank: of an assignment.
    ///   - isWhole: no key is spared.
    /// - Complexity: O(*n*) for the first one of a commit, then O(keys that were written since)
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

    /// The commit is done.
    mutating func forgetSweep() { sweep = nil }

    // MARK: Reading

    /// What there is, without what was removed.
    var present: [Key: Register.Held] {
        entries.compactMapValues { register in
            let value = register.value
            return value.isAbsent ? nil : value
        }
    }
}
