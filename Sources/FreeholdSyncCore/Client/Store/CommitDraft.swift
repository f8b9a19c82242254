/// The last commit of a file, before it is sent: what follows can become a part of it.
struct CommitDraft {
    let number: UInt64
    private(set) var clock: Clock
    private let base: StreamVersion
    private var seen: [ObjectName: StreamVersion]
    private let schemaVersion: UInt64
    private(set) var changes: [Change]
    /// The objects of the changes.
    private var known: Set<ObjectName>
    /// It has to be written.
    private(set) var isChanged = false

    /// The most changes of commits that become one.
    private static let greatestCount = 1_000

    /// A new one, without anything.
    init(number: UInt64, _ local: LocalCommit, base: StreamVersion) {
        (self.number, clock, self.base, seen) = (number, local.clock, base, [:])
        (schemaVersion, changes, known) = (local.schemaVersion, [], [])
    }

    init(_ commit: Commit) {
        (number, clock, base, seen) = (commit.number, commit.clock, commit.base, commit.seen)
        (schemaVersion, changes) = (commit.schemaVersion, commit.changes)
        // One that is full takes nothing in, whatever it is about.
        known = changes.count < Self.greatestCount ? Set(changes.map(\.object)) : []
    }

    /// Whether it can take in what follows: its author saw the same.
    func canTake(_ local: LocalCommit, _ objects: [ObjectName: EditResolver.Work], cursor: StreamVersion) -> Bool {
        guard base == cursor, schemaVersion == local.schemaVersion,
            changes.count + local.edits.count <= Self.greatestCount
        else { return false }
        return objects.allSatisfy { name, work in !known.contains(name) || seen[name] == work.shadow.version }
    }

    mutating func add(_ resolver: EditResolver, _ local: LocalCommit) {
        clock = local.clock
        changes += resolver.changes
        if seen.isEmpty { seen = resolver.seen } else { seen.merge(resolver.seen) { $1 } }
        // One that is full by itself takes nothing in.
        if changes.count < Self.greatestCount { known.formUnion(resolver.changes.map(\.object)) }
        isChanged = true
    }

    var commit: Commit {
        Commit(number: number, clock: clock, base: base, seen: seen, schemaVersion: schemaVersion, changes: changes)
    }
}
