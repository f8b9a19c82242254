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

/// One process at a time syncs a file: who holds this lock. The system lets go of it when its process ends, however that is.
final class AgentLock: Sendable {
    private let path: String
    private let descriptor = Mutex<Int32>(-1)

    /// - Parameter path: of the file that syncs.
    init(_ path: String) { self.path = path + ".agent" }

    deinit { release() }

    /// Whether this process is the agent, from now on.
    ///
    /// - Throws: `EngineError` if there can't be a lock file.
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

    /// Whether some process, maybe this one, is the agent of a file. An agent that begins at this moment may have to try again.
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
