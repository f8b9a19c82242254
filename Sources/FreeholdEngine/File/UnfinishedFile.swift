#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// The result of opening a file without waiting.
enum StorageOpening<Opened> {
    case opened(Opened)
    /// The file is being replaced, so the opener has to wait.
    case exchanged
    /// The file's creation was interrupted before it had a root.
    case unfinished
    /// The newest commits are in a log without a living owner.
    case unplayed
}

/// A file whose creation failed before LMDB had written its first two pages, because the disk was full or the machine stopped. It never had a
/// version, so it is emptied and created again.
enum UnfinishedFile {
    /// Opens a file, and repeats this while other processes replace or create it.
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

    /// Waits for other processes that do the same, and for processes that are examining the file.
    private static func makeAnew(_ path: String) throws(EngineError) {
        let path = try StorageEnvironment.canonicalPath(path)
        let making = try PresenceLock.making(of: path)
        defer { withExtendedLifetime(making) {} }
        for _ in 0..<1000 {
            // Another process has finished the file and has it open.
            guard try isUnfinished(path) else { return }
            if try empty(path) { return }
            usleep(.random(in: 500..<5000))
        }
        throw EngineError(
            .invalidDatabase,
            "The file's creation was interrupted, and another process has it open.",
            path: path
        )
    }

    /// Empties the file if it is still unfinished.
    /// - Returns: false if other processes have it open or are about to open it.
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
