import Synchronization

/// How an environment is opened.
struct StorageOptions: Sendable {
    static let defaultMapSize = 32 << 30
    static let smallestFallback = 64 << 20
    /// What all files of a process share where each takes the default: each comes to lie in memory twice, and both are far
    /// less than there is (128 TiB).
    static let sharedMapSize = 8 << 40
    static let smallestShare = 256 << 20

    /// Bytes of address space to reserve: the largest the file can grow. Nil reserves 32 GiB, or less where the
    /// process may not have that much, or has more than 256 files open.
    var mapSize: Int?
    /// Without `mapSize`: bytes that the file is likely to need, for which more is reserved where it can be.
    var expectedSize: UInt64 = 0
    /// Snapshots of the file that can live at once, in all processes. The file's first opener decides.
    var maximumReaders = 1024
    /// Nothing of the database is written. LMDB still keeps its lock file beside it.
    var readOnly = false
    /// The file is known not to change while it is open (on read-only media, in a container image), so no lock
    /// file is needed. Only with `readOnly`.
    var immutable = false
    /// Commits aren't flushed, and the file goes away with the environment.
    var inMemory = false
    /// A file that nobody else knows of yet: no lock file, and commits aren't flushed (`sync()` does it once).
    var isPrivate = false
    /// Bytes of the commit log, where there is one.
    var logCapacity = CommitLogFile.capacity
    /// The caller has the exclusive `PresenceLock`.
    var isAlone = false
    /// Commits are those of a log that is played: they aren't flushed, because the log is there until the whole file is.
    var isReplay = false
    /// For tests.
    var faults: FaultInjector?

    /// A Boolean value that indicates whether others may open the file for writing while this environment lives.
    var isShared: Bool { !inMemory && !isPrivate && !(readOnly && immutable) }

    init(
        mapSize: Int? = nil,
        expectedSize: UInt64 = 0,
        maximumReaders: Int = 1024,
        readOnly: Bool = false,
        immutable: Bool = false,
        inMemory: Bool = false,
        isPrivate: Bool = false,
        faults: FaultInjector? = nil
    ) {
        self.mapSize = mapSize
        self.expectedSize = expectedSize
        self.maximumReaders = maximumReaders
        self.readOnly = readOnly
        self.immutable = immutable
        self.inMemory = inMemory
        self.isPrivate = isPrivate
        self.faults = faults
    }

    /// Returns whether an environment opened with these options can serve a request for `other`.
    func isCompatible(with other: StorageOptions) -> Bool {
        readOnly == other.readOnly && immutable == other.immutable && inMemory == other.inMemory
    }
}

/// Lets a test make operations fail as a disk would.
final class FaultInjector: Sendable {
    enum Operation: Sendable { case read, write, put, extend, commit, root, sync, logWrite, logSync }

    private let decide: Mutex<@Sendable (Operation) -> Int32>

    /// `decide` gives the error number an operation fails with; 0 lets it go on.
    init(_ decide: @escaping @Sendable (Operation) -> Int32) { self.decide = Mutex(decide) }

    func set(_ decide: @escaping @Sendable (Operation) -> Int32) { self.decide.withLock { $0 = decide } }

    func error(at operation: Operation) -> Int32 {
        let decide = self.decide.withLock { $0 }
        return decide(operation)
    }
}
