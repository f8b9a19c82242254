import CFreeholdShims

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// Says to all processes that a file is open, so that its data file is exchanged or deleted by nobody else.
///
/// A lock of an open file description on the third byte of `….writer`: shared by everyone who has the database open,
/// exclusive for who exchanges its file. The kernel drops it with the process. Who opens the database read-only where
/// that file isn't and can't be made goes without.
final class PresenceLock: Sendable {
    /// The locks on `….writer` beside those of `WriterLock`.
    private enum Byte: Int64 {
        case presence = 2
        case making
        case use
    }

    private let descriptor: Int32
    private let byte: Byte
    private let generation = ForkGeneration.current

    private init(_ descriptor: Int32, _ byte: Byte) {
        self.descriptor = descriptor
        self.byte = byte
    }

    /// In a forked child the lock is the parent's, whom closing one of its descriptors doesn't concern.
    deinit {
        if generation.isCurrent {
            _ = fh_ofd_unlock(descriptor, byte.rawValue, 1)
            if byte == .presence { _ = fh_ofd_unlock(descriptor, Byte.use.rawValue, 1) }
        }
        Platform.close(descriptor)
    }

    /// That of one who has the file open; waits while it is exchanged. Nil where `….writer` can't be opened.
    static func shared(of path: String) throws(EngineError) -> PresenceLock? {
        guard case .taken(let lock) = try lock(.presence, path + ".writer", O_RDONLY, isExclusive: false, waits: true)
        else {
            return nil
        }
        return lock
    }

    enum Attempt {
        case taken(PresenceLock)
        /// `….writer` can't be opened, for a reason that the error number tells.
        case unavailable(Int32)
        /// Others hold a lock that this one doesn't go with.
        case refused
    }

    /// The same without waiting: `.refused` while the file is exchanged.
    static func sharedNow(of path: String) throws(EngineError) -> Attempt {
        try lock(.presence, path + ".writer", O_RDONLY, isExclusive: false, waits: false)
    }

    /// That of one who exchanges the file. Nil where somebody has it open.
    static func exclusive(of path: String) throws(EngineError) -> PresenceLock? {
        let name = path + ".writer"
        switch try lock(.presence, name, O_RDWR | O_CREAT, isExclusive: true, waits: false) {
        case .taken(let lock): return try isInUseWithout(path) ? nil : lock
        case .refused: return nil
        case .unavailable(let code): throw .system(code, "The file's lock can't be opened.", path: name)
        }
    }

    /// That of one who makes an unfinished file anew: waits for others who do. It has no part in who may open the file. Those
    /// who would make it wait here, where they don't keep each other from the exclusive lock that making it needs.
    static func making(of path: String) throws(EngineError) -> PresenceLock {
        let name = path + ".writer"
        switch try lock(.making, name, O_RDWR | O_CREAT, isExclusive: true, waits: true) {
        case .taken(let lock): return lock
        case .refused: throw .system(EAGAIN, "The file's lock can't be taken.", path: name)
        case .unavailable(let code): throw .system(code, "The file's lock can't be opened.", path: name)
        }
    }

    /// A Boolean value that indicates whether somebody else, of this process or another, uses the file: has looked at it, found it right, and opened
    /// it.
    var isUsedByOthers: Bool { fh_ofd_is_locked(descriptor, Byte.use.rawValue, 1) == 1 }

    /// The same of a file that the caller has no lock of.
    static func isUsed(_ path: String) -> Bool {
        let descriptor = Platform.open(path + ".writer", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { Platform.close(descriptor) }
        return fh_ofd_is_locked(descriptor, Byte.use.rawValue, 1) == 1
    }

    /// Says that the file is used, for as long as this lock is held.
    func use() throws(EngineError) {
        let code = fh_ofd_lock(descriptor, Byte.use.rawValue, 1, 0, 0)
        guard code == 0 else { throw .system(code, "The file's lock can't be taken.") }
    }

    private static func lock(
        _ byte: Byte,
        _ name: String,
        _ flags: Int32,
        isExclusive: Bool,
        waits: Bool
    ) throws(EngineError) -> Attempt {
        while true {
            let descriptor = Platform.open(name, flags | O_CLOEXEC, 0o644)
            guard descriptor >= 0 else { return .unavailable(errno) }
            let code = fh_ofd_lock(descriptor, byte.rawValue, 1, isExclusive ? 1 : 0, waits ? 1 : 0)
            guard code == 0 else {
                Platform.close(descriptor)
                if code == EAGAIN || code == EACCES { return .refused }
                throw .system(code, "The file's lock can't be taken.", path: name)
            }
            let made = PresenceLock(descriptor, byte)
            // Somebody may have deleted it, and others hold another of that name.
            var mine = stat()
            var found = stat()
            if fstat(descriptor, &mine) == 0, stat(name, &found) == 0, FileIdentity(mine) == FileIdentity(found) {
                return .taken(made)
            }
        }
    }

    /// Returns whether another process has LMDB's lock file open: one that goes without this lock, or an older Freehold.
    ///
    /// The only place but `LockFile` and `LockFileSpace` that opens that file. It may, because this process has no environment of the
    /// database: closing a descriptor drops all locks that a process has on a file.
    private static func isInUseWithout(_ path: String) throws(EngineError) -> Bool {
        let name = path + "-lock"
        let descriptor = Platform.open(name, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return false }
            throw .system(errno, "The lock file can't be opened.", path: name)
        }
        defer { Platform.close(descriptor) }
        // What LMDB does to find out whether it is the first.
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0
        lock.l_len = 1
        guard fcntl(descriptor, F_SETLK, &lock) != 0 else { return false }
        if errno == EAGAIN || errno == EACCES { return true }
        throw .system(errno, "The lock file can't be locked.", path: name)
    }
}
