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

/// A lock that shows to all processes that a file is open, so that they don't replace or delete the data file.
///
/// It is a lock of an open file description on the third byte of `….writer`. It is shared between the processes that have the database open, and
/// exclusive for a process that replaces the file. The kernel releases it when the process ends. A process that opens the database read-only doesn't
/// need the lock if `….writer` is missing and can't be created.
final class PresenceLock: Sendable {
    /// The bytes of `….writer` that are locked, in addition to those of `WriterLock`.
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

    /// In a forked child the lock belongs to the parent, and closing the child's descriptor doesn't release it.
    deinit {
        if generation.isCurrent {
            _ = fh_ofd_unlock(descriptor, byte.rawValue, 1)
            if byte == .presence { _ = fh_ofd_unlock(descriptor, Byte.use.rawValue, 1) }
        }
        Platform.close(descriptor)
    }

    /// Returns the lock of a process that has the file open. Waits while the file is being replaced. Returns `nil` if `….writer` can't be opened.
    static func shared(of path: String) throws(EngineError) -> PresenceLock? {
        guard
            case .taken(let lock) = try lock(
                .presence,
                path + ".writer",
                flags: O_RDONLY,
                isExclusive: false,
                waits: true
            )
        else {
            return nil
        }
        return lock
    }

    enum Attempt {
        case taken(PresenceLock)
        /// `….writer` can't be opened. The error number is the reason.
        case unavailable(Int32)
        /// Another lock of the file is in conflict with this one.
        case refused
    }

    /// Like `shared(of:)`, without waiting: returns `.refused` while the file is being replaced.
    static func sharedNow(of path: String) throws(EngineError) -> Attempt {
        try lock(.presence, path + ".writer", flags: O_RDONLY, isExclusive: false, waits: false)
    }

    /// Returns the lock of a process that replaces the file. Returns `nil` if the file is open.
    static func exclusive(of path: String) throws(EngineError) -> PresenceLock? {
        let name = path + ".writer"
        switch try lock(.presence, name, flags: O_RDWR | O_CREAT, isExclusive: true, waits: false) {
        case .taken(let lock): return try isInUseWithout(path) ? nil : lock
        case .refused: return nil
        case .unavailable(let code): throw .system(code, "The file's lock can't be opened.", path: name)
        }
    }

    /// Returns the lock of a process that recreates an unfinished file. Waits for other processes that do the same. It doesn't affect which processes
    /// may open the file. Processes wait for this lock so that they don't prevent each other from taking the exclusive lock that the recreation
    /// needs.
    static func making(of path: String) throws(EngineError) -> PresenceLock {
        let name = path + ".writer"
        switch try lock(.making, name, flags: O_RDWR | O_CREAT, isExclusive: true, waits: true) {
        case .taken(let lock): return lock
        case .refused: throw .system(EAGAIN, "The file's lock can't be taken.", path: name)
        case .unavailable(let code): throw .system(code, "The file's lock can't be opened.", path: name)
        }
    }

    /// A Boolean value that indicates whether the file is in use elsewhere, in this process or another. A file is in use after a process has checked
    /// and opened it.
    var isUsedByOthers: Bool { fh_ofd_is_locked(descriptor, Byte.use.rawValue, 1) == 1 }

    /// Like `isUsedByOthers`, for a file on which the caller holds no lock.
    static func isUsed(_ path: String) -> Bool {
        let descriptor = Platform.open(path + ".writer", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { Platform.close(descriptor) }
        return fh_ofd_is_locked(descriptor, Byte.use.rawValue, 1) == 1
    }

    /// Marks the file as used, for as long as this lock is held.
    func use() throws(EngineError) {
        let code = fh_ofd_lock(descriptor, Byte.use.rawValue, 1, 0, 0)
        guard code == 0 else { throw .system(code, "The file's lock can't be taken.") }
    }

    private static func lock(
        _ byte: Byte,
        _ name: String,
        flags: Int32,
        isExclusive: Bool,
        waits: Bool
    ) throws(EngineError) -> Attempt {
        while true {
            let descriptor = Platform.open(name, flags | O_CLOEXEC, mode: 0o644)
            guard descriptor >= 0 else { return .unavailable(errno) }
            let code = fh_ofd_lock(descriptor, byte.rawValue, 1, isExclusive ? 1 : 0, waits ? 1 : 0)
            guard code == 0 else {
                Platform.close(descriptor)
                if code == EAGAIN || code == EACCES { return .refused }
                throw .system(code, "The file's lock can't be taken.", path: name)
            }
            let made = PresenceLock(descriptor, byte)
            // If the file was deleted, other processes may hold locks on another file of that name.
            var mine = stat()
            var found = stat()
            if fstat(descriptor, &mine) == 0, stat(name, &found) == 0, FileIdentity(mine) == FileIdentity(found) {
                return .taken(made)
            }
        }
    }

    /// Returns whether another process has LMDB's lock file open without this lock. Such a process is read-only, or it runs an older Freehold
    /// version.
    ///
    /// Apart from this function, only `LockFile` and `LockFileSpace` open that file. This is safe because this process has no environment of the
    /// database. Closing a descriptor releases all locks of a process on a file.
    private static func isInUseWithout(_ path: String) throws(EngineError) -> Bool {
        let name = path + "-lock"
        let descriptor = Platform.open(name, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return false }
            throw .system(errno, "The lock file can't be opened.", path: name)
        }
        defer { Platform.close(descriptor) }
        // LMDB makes the same test to find out whether it is the first process.
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
