import Synchronization

/// The options with which an environment is opened.
struct StorageOptions: Sendable {
    static let defaultMapSize = 32 << 30
    static let smallestFallback = 64 << 20
    /// The maximum address space of all files of a process that use the default size. Each file is mapped twice, and the sum is far below the
    /// available 128 TiB.
    static let sharedMapSize = 8 << 40
    static let smallestShare = 256 << 20

    /// The address space to reserve in bytes, which is the maximum size of the file. If it is `nil`, 32 GiB are reserved, or less if the process's
    /// limit is lower or more than 256 files are open.
    var mapSize: Int?
    /// The expected size of the file in bytes, used without `mapSize`. More is reserved if possible.
    var expectedSize: UInt64 = 0
    /// The maximum number of live snapshots of the file in all processes. The first process that opens the file determines the number.
    var maximumReaders = 1024
    /// A Boolean value that indicates whether the database is only read. LMDB still has a lock file beside it.
    var readOnly = false
    /// A Boolean value that indicates whether the file doesn't change while it is open (on read-only media, in a container image), so that a lock
    /// file isn't needed. It requires `readOnly`.
    var immutable = false
    /// A Boolean value that indicates whether commits aren't flushed and the file is deleted with the environment.
    var inMemory = false
    /// A Boolean value that indicates whether the file isn't known to other processes yet. It has no lock file, and commits aren't flushed (`sync()`
    /// does this once).
    var isPrivate = false
    /// The size of the commit log in bytes, if the file has one.
    var logCapacity = CommitLogFile.capacity
    /// A Boolean value that indicates whether the caller has the exclusive `PresenceLock`.
    var isAlone = false
    /// A Boolean value that indicates whether the commits are those of a log that is played. They aren't flushed, because the log remains until the
    /// whole file is flushed.
    var isReplay = false
    /// The faults that are injected in tests.
    var faults: FaultInjector?

    /// A Boolean value that indicates whether other environments may open the file for writing while this environment lives.
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

/// An injector that makes operations fail like a failing disk.
final class FaultInjector: Sendable {
    enum Operation: Sendable { case read, write, put, extend, commit, root, sync, logWrite, logSync }

    private let decide: Mutex<@Sendable (Operation) -> Int32>

    /// - Parameter decide: returns the error number with which an operation fails, or 0 if it should succeed.
    init(_ decide: @escaping @Sendable (Operation) -> Int32) { self.decide = Mutex(decide) }

    func set(_ decide: @escaping @Sendable (Operation) -> Int32) { self.decide.withLock { $0 = decide } }

    func error(at operation: Operation) -> Int32 {
        let decide = self.decide.withLock { $0 }
        return decide(operation)
    }
}
