/// A synced file in memory, for tests and tools.
///
/// `crashes` makes transactions fail. A failed transaction was performed completely or not at all, and the caller
/// doesn't know which.
public struct MemoryClientStore: ClientStore, Sendable {
    public struct Crash: Error, Hashable {
        /// A Boolean value that indicates whether the crash happens after the transaction was performed.
        public let isAfter: Bool

        public init(isAfter: Bool) { self.isAfter = isAfter }
    }

    public struct Data: ClientTransaction, Sendable {
        public var state = ClientState()
        public var care = StoreCare()
        /// Objects that make each transaction of the session fail that stores them.
        var unstorable: Set<ObjectName> = []
        public private(set) var objects: [ObjectName: [SyncString: MergedContent]] = [:]
        public private(set) var versions: [ObjectName: StreamVersion] = [:]
        public private(set) var shadows: [ObjectName: Shadow] = [:]
        public private(set) var local: [LocalCommit] = []
        public private(set) var commits: [UInt64: JournalCommit] = [:]
        public private(set) var lost: [LostWork] = []
        private var parts: (message: PartedMessage, bytes: [UInt8])?
        private var sums: [SyncString: ClassChecksum] = [:]
        var lastSequence: UInt64 = 0
        /// The edits of the last transaction, in the form in which an observer receives them.
        public internal(set) var edited: [LocalEdit] = []
    }

    public private(set) var data = Data()
    /// The crashes of the next transactions. `nil` stands for a transaction that doesn't crash.
    public var crashes: [Crash?] = []

    public init() {}

    /// Makes all transactions of the session fail that store one of these objects.
    package mutating func setUnstorable(_ names: Set<ObjectName>) { data.unstorable = names }

    /// Creates a copy of a file.
    public init(_ data: Data) { self.data = data }

    public mutating func transact<Result>(_ body: (inout Data) throws -> Result) throws -> Result {
        var copy = data
        copy.edited = []
        let result = try body(&copy)
        let crash = crashes.isEmpty ? nil : crashes.removeFirst()
        if crash.map({ $0.isAfter }) ?? true { data = copy }
        if let crash { throw crash }
        return result
    }

    /// Commits a transaction of the app.
    ///
    /// - Parameters:
    ///   - wall: The device's time, in milliseconds since 2015-01-01.
    ///   - identity: The random bits that identify the transaction.
    /// - Throws: `MisplacedEdit` if an edit names a missing object, element or entry. Then nothing is changed.
    public mutating func commit(
        _ edits: [LocalEdit],
        wall: Int64,
        schemaVersion: UInt64 = 0,
        identity: UInt64? = .random(in: .min ... .max)
    ) throws {
        var copy = data
        copy.edited = []
        try copy.commit(edits, wall: wall, schemaVersion: schemaVersion, identity: identity)
        data = copy
    }
}

extension MemoryClientStore.Data {
    /// Records edits of the app as a part of this transaction. If an edit is misplaced, the effects of the edits before
    /// it stay.
    ///
    /// - Parameters:
    ///   - wall: The device's time, in milliseconds since 2015-01-01.
    ///   - identity: The random bits that identify the app's transaction.
    /// - Throws: `MisplacedEdit` if an edit names a missing object, element or entry.
    public mutating func commit(
        _ edits: [LocalEdit],
        wall: Int64,
        schemaVersion: UInt64 = 0,
        identity: UInt64? = .random(in: .min ... .max)
    ) throws {
        var before: [ObjectName: [SyncString: MergedContent]] = [:]
        for edit in edits {
            let name = edit.object
            let isClean = shadows[name] == nil && !local.contains { $0.edits.contains { $0.object == name } }
            if isClean, before[name] == nil { before[name] = objects[name] }
        }
        try perform(edits)
        lastSequence += 1
        state.clock = Clock.ofCommit(wall: wall &+ state.offset, last: state.clock)
        local.append(
            LocalCommit(
                sequence: lastSequence,
                clock: state.clock,
                schemaVersion: schemaVersion,
                identity: identity,
                edits: edits,
                before: before
            )
        )
    }

    public func contents(of name: ObjectName) -> [SyncString: MergedContent]? { objects[name] }

    public mutating func perform(_ edits: [LocalEdit]) throws {
        for edit in edits { try edit.apply(to: &objects[edit.object]) }
        edited += edits
    }

    public func version(of name: ObjectName) -> StreamVersion? { versions[name] }

    public mutating func setVersion(_ version: StreamVersion?, of name: ObjectName) {
        let old = versions[name]
        guard old != version else { return }
        var sum = sums[name.className] ?? ClassChecksum(className: name.className)
        if let old { sum.remove(name.key, version: old) }
        if let version { sum.add(name.key, version: version) }
        sums[name.className] = sum
        versions[name] = version
    }

    public func confirmed(in range: KeyRange) -> [(key: PrimaryKey, version: StreamVersion)] {
        versions.filter { name, _ in
            name.className == range.className && range.after.map { name.key > $0 } ?? true
                && range.through.map { name.key <= $0 } ?? true
        }.map { (key: $0.key.key, version: $0.value) }.sorted { $0.key < $1.key }
    }

    public func confirmedClasses() -> [SyncString] { Set(versions.keys.map(\.className)).sorted() }

    public func checksum(of className: SyncString) -> ClassChecksum {
        sums[className] ?? ClassChecksum(className: className)
    }

    public func shadow(of name: ObjectName) -> Shadow? { shadows[name] }
    public mutating func setShadow(_ shadow: Shadow?, of name: ObjectName) throws {
        if unstorable.contains(name) { throw Unstorable(name: name) }
        shadows[name] = shadow
    }

    /// The error of an object that a test made unstorable.
    package struct Unstorable: Error, Hashable {
        package let name: ObjectName
    }

    public func shadowed() -> [ObjectName] { shadows.keys.sorted() }

    public func localCommits() -> [LocalCommit] { local }
    public mutating func removeLocalCommit(_ sequence: UInt64) { local.removeAll { $0.sequence == sequence } }

    public func commit(_ number: UInt64) -> JournalCommit? { commits[number] }
    public mutating func put(_ commit: JournalCommit) { commits[commit.commit.number] = commit }
    public mutating func removeCommit(_ number: UInt64) { commits[number] = nil }

    public func partial() -> PartialMessage? {
        parts.map { PartialMessage(message: $0.message, received: UInt64($0.bytes.count)) }
    }

    public mutating func keepPart(_ part: MessagePart) { parts = (part.message, keptBytes() + part.bytes) }
    public func keptBytes() -> [UInt8] { parts?.bytes ?? [] }
    public mutating func removeParts() { parts = nil }

    public mutating func keep(_ lost: LostWork) { self.lost.append(lost) }

    /// Returns and removes the work that was kept for the app.
    public mutating func takeLost() -> [LostWork] {
        defer { lost = [] }
        return lost
    }
}
