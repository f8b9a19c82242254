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

/// The allocation of space for LMDB's lock file. LMDB creates it as a sparse file and writes to it through memory. On a full device, such a write
/// would end the process with SIGBUS. The space is therefore allocated before LMDB opens the file.
enum LockFileSpace {
    /// The sizes in LMDB's layout: a slot, and the head with the first slot.
    private static let slotSize = 64
    private static let headSize = 192

    /// Allocates the lock file's blocks without a change of its length or content.
    ///
    /// The function must not be called while this process has the file's environment open, because closing any descriptor of a file releases all
    /// locks of the process on that file.
    ///
    /// - Throws: `.outOfDiskSpace`. LMDB reports all other problems with the file.
    static func reserve(_ path: String, slots: Int) throws(EngineError) {
        let descriptor = Platform.open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode: 0o644)
        guard descriptor >= 0 else {
            if EngineError.isDiskFull(errno) { throw full(errno, path) }
            return
        }
        defer { Platform.close(descriptor) }
        let length = headSize + slotSize * max(0, slots - 1)
        // Some file systems can't allocate space. For them, the risk remains.
        let code = fh_reserve(descriptor, Int64(length))
        if EngineError.isDiskFull(code) { throw full(code, path) }
    }

    private static func full(_ code: Int32, _ path: String) -> EngineError {
        .system(code, "There isn't enough space for the lock file.", path: path)
    }
}
