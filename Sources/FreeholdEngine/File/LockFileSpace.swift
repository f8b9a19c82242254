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

/// LMDB makes its lock file a sparse one and writes to it as to memory: on a full device that would end the process
/// with SIGBUS. So its space is taken before LMDB opens it.
enum LockFileSpace {
    /// Of LMDB's layout: a slot, and the head with the first slot.
    private static let slotSize = 64
    private static let headSize = 192

    /// Gives the lock file its blocks, without changing its length or contents.
    ///
    /// Must not be called while this process has the file's environment open: closing any descriptor of a file drops
    /// all of a process's locks on it.
    ///
    /// - Throws: `.outOfDiskSpace`. Whatever else is wrong with the file is LMDB's to report.
    static func reserve(_ path: String, slots: Int) throws(EngineError) {
        let descriptor = Platform.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            if EngineError.isDiskFull(errno) { throw full(errno, path) }
            return
        }
        defer { Platform.close(descriptor) }
        let length = headSize + slotSize * max(0, slots - 1)
        // Not every file system can; those that can't are no worse off than before.
        let code = fh_reserve(descriptor, Int64(length))
        if EngineError.isDiskFull(code) { throw full(code, path) }
    }

    private static func full(_ code: Int32, _ path: String) -> EngineError {
        .system(code, "There is no room for the lock file.", path: path)
    }
}
