/// A set of values, or a dictionary: a register for each value or key (sync-design.md, section 5).
struct KeyedCollection<Key: Hashable & Sendable>: Sendable {
    private(set) var entries: [Key: Register] = [:]
    /// Of the write that made the collection. Registers that it wrote have no mark of their own.
    let base: Mark
    /// The rank of the assignment that stands.
    private(set) var assignment: Rank?

    init(base: Mark, entries: [Key: Register] = [:], assignment: Rank? = nil) {
        self.base = base
        self.entries = entries
        self.assignment = assignment
    }

    // MARK: Writing

    mutating func set(_ key: Key, _ held: Register.Held, _ mark: Mark) {
        entries[key, default: Register()].set(held, mark, base: base)
    }

    /// Removes the key: a write like others.
    mutating func remove(_ key: Key, _ mark: Mark) { set(key, .absent, mark) }

    /// Works on the register of a key.
    mutating func edit(_ key: Key, _ body: (inout Register, Mark) -> Outcome) -> Outcome {
        body(&entries[key, default: Register()], base)
    }

    /// Takes the writes that the author saw, except of the hidden keys.
    mutating func clear(_ author: Author, hidden: Set<Key>) {
        take(author.mark(.real)) { key, mark in author.saw(mark) && !hidden.contains(key) }
    }

    /// Takes what the author saw, and unseen what earlier assignments brought, and writes anew. If a later assignment stands, the new writes
    /// happen and are taken at once.
    mutating func assign(_ items: [(Key, Register.Held)], _ mark: Mark, _ author: Author, hidden: Set<Key>) {
        let wins = assignment.map { mark.rank >= $0 } ?? true
        take(mark) { key, other in
            author.saw(other) ? !hidden.contains(key) : other.isAssigned && other.rank < mark.rank
        }
        if wins { assignment = mark.rank }
        for (key, held) in items { set(key, wins ? held : .absent, mark) }
    }

    private mutating func take(_ mark: Mark, where isTaken: (Key, Mark) -> Bool) {
        for index in entries.indices {
            let key = entries.keys[index]
            entries.values[index].take(by: mark, base: base) { isTaken(key, $0) }
        }
    }

    mutating func forEachRegister(_ body: (inout Register) -> Void) {
        for index in entries.indices { body(&entries.values[index]) }
    }

    // MARK: Reading

    /// What there is, without what was removed.
    var present: [Key: Register.Held] {
        entries.compactMapValues { register in
            let value = register.value
            return value.isAbsent ? nil : value
        }
    }
}
