#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
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
    /// The newest commits are in a log that nobody owns any longer.
    case unplayed
}

/// A file whose creation failed, for want of space or because the machine stopped, before LMDB had written the two pages
/// that it makes a file with. It never had a version, so it is emptied and made anew.
enum UnfinishedFile {
    /// Opens a file, again and again while others exchange it or make it.
    static func retrying<Opened>(
        path: String,
        _ open: () throws(EngineError) -> StorageOpening<Opened>
    ) throws(EngineError) -> Opened {
        while true {
            switch try open() {
            case .opened(let opened): return opened
            case .exchanged: continue
            case .unfinished: try makeAnew(path)
            case .unplayed: try CommitLogRecovery.run(path)
            }
        }
    }

    /// Waits for others who do the same, and for those who are just looking at the file.
    private static func makeAnew(_ path: String) throws(EngineError) {
        let path = try StorageEnvironment.canonicalPath(path)
        let making = try PresenceLock.making(of: path)
        defer { withExtendedLifetime(making) {} }
        for _ in 0..<1000 {
            // Whoever made it has it open.
            guard try isUnfinished(path) else { return }
            if try empty(path) { return }
            usleep(.random(in: 500..<5000))
        }
        throw EngineError(.invalidDatabase, "The file's creation was broken off, and somebody has it open.", path: path)
    }

    /// Empties the file if it still is unfinished. - Returns: false where others have it open or are about to.
    private static func empty(_ path: String) throws(EngineError) -> Bool {
        guard let presence = try PresenceLock.exclusive(of: path) else { return false }
        defer { withExtendedLifetime(presence) {} }
        guard try isUnfinished(path) else { return true }
        guard truncate(path, 0) == 0 else { throw .system(errno, "The file can't be made anew.", path: path) }
        return true
    }

    private static func isUnfinished(_ path: String) throws(EngineError) -> Bool {
        let descriptor = Platform.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno, "The file can't be opened.", path: path) }
        defer { Platform.close(descriptor) }
        return try FileHeader.isUnfinished(descriptor)
    }
}
