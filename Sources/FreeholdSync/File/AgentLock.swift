#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif
import FreeholdEngine
import Synchronization

/// A lock that the process which syncs a file holds. At most one process does. The system releases the lock when the
/// process ends for any reason.
final class AgentLock: Sendable {
    private let path: String
    private let descriptor = Mutex<Int32>(-1)

    /// - Parameter path: The path of the file that syncs.
    init(_ path: String) { self.path = path + ".agent" }

    deinit { release() }

    /// Tries to take the lock. Returns whether this process holds it now.
    ///
    /// - Throws: `EngineError` if the lock file can't be opened.
    func acquire() throws -> Bool {
        try descriptor.withLock { descriptor in
            if descriptor >= 0 { return true }
            let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard opened >= 0 else {
                throw EngineError(
                    .io,
                    "The lock file of sync can't be opened: \(String(cString: strerror(errno))). [\(path)]"
                )
            }
            guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
                close(opened)
                return false
            }
            descriptor = opened
            return true
        }
    }

    /// Returns whether a process holds the lock of a file, possibly this one. A process that tries to take the lock at
    /// the same time may have to try again.
    static func isHeld(_ path: String) -> Bool {
        let opened = open(path + ".agent", O_RDONLY | O_CLOEXEC)
        guard opened >= 0 else { return false }
        defer { close(opened) }
        return flock(opened, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    func release() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }
}
