#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What came of opening a file without waiting.
enum StorageOpening<Opened> {
    case opened(Opened)
    /// Somebody exchanges the file: who opens it has to wait.
    case exchanged
    /// The file's creation was broken off before it had a root.
    case unfinished
}

/// A file whose creation failed, for want of space or because the machine stopped, before LMDB had written the two pages
/// that it makes a file with. It never had a version, so it is emptied and made anew.
enum UnfinishedFile {
    /// Opens a file, again and again while others exchange it or make it.
    static func retrying<Opened>(
        path: String,
        _ open: () throws(EngineError) -> StorageOpening<Opened>
    ) throws(EngineError) -> Opened {
        var attempts = 0
        while true {
            switch try open() {
            case .opened(let opened): return opened
            case .exchanged: continue
            case .unfinished:
                // Those who come at once keep each other from it, for a moment.
                if try empty(path) { continue }
                attempts += 1
                guard attempts < 1000 else {
                    throw EngineError(
                        .invalidDatabase,
                        "The file's creation was broken off, and somebody has it open.",
                        path: path
                    )
                }
                usleep(.random(in: 500..<5000))
            }
        }
    }

    /// Empties the file if it still is unfinished. - Returns: false where others have it open or are about to.
    private static func empty(_ path: String) throws(EngineError) -> Bool {
        let path = try StorageEnvironment.canonicalPath(path)
        guard let presence = try PresenceLock.exclusive(of: path) else { return false }
        defer { withExtendedLifetime(presence) {} }
        let descriptor = Platform.open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno, "The file can't be opened.", path: path) }
        defer { Platform.close(descriptor) }
        guard try FileHeader.read(descriptor) == .unfinished else { return true }
        guard ftruncate(descriptor, 0) == 0 else { throw .system(errno, "The file can't be made anew.", path: path) }
        return true
    }
}
