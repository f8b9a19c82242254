internal import CFreeholdShims

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// The recovery, which applies the commits of a commit log to its data file. It always begins at the log's checkpoint, whatever the file contains.
/// The way in which the last writers ended doesn't matter. After a crash at any point, the recovery can begin again.
enum CommitLogRecovery {
    /// Waits for other recoveries of the file, and for processes that are examining the file.
    ///
    /// - Throws: `.invalidDatabase` if the log is missing, belongs to another file, or is damaged. In this case, nothing is changed.
    static func run(_ path: String) throws(EngineError) {
        let path = try StorageEnvironment.canonicalPath(path)
        let making = try PresenceLock.making(of: path)
        defer { withExtendedLifetime(making) {} }
        for _ in 0..<1000 {
            // A process that has the file open has played the log.
            if PresenceLock.isUsed(path) { return }
            if let presence = try PresenceLock.exclusive(of: path) {
                defer { withExtendedLifetime(presence) {} }
                return try play(path)
            }
            usleep(.random(in: 500..<5000))
        }
        throw EngineError(.invalidDatabase, "The commit log can't be played because the file is open.", path: path)
    }

    /// Plays the log of a file that isn't in use, if it has one. Nothing is created beside other files.
    static func runIfNeeded(_ path: String) throws(EngineError) {
        let descriptor = Platform.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { Platform.close(descriptor) }
        guard case .set = CommitLogMark.read(descriptor), !PresenceLock.isUsed(path) else { return }
        try run(path)
    }

    /// Like `run(_:)`, for a caller that holds the exclusive presence lock.
    static func play(_ path: String) throws(EngineError) {
        let descriptor = Platform.open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            // The caller that opens the file will report that it is missing.
            if errno == ENOENT || errno == EACCES || errno == EROFS { return }
            throw .system(errno, "The file can't be opened.", path: path)
        }
        defer { Platform.close(descriptor) }
        guard case .set(let mark) = CommitLogMark.read(descriptor) else { return }
        let (file, head) = try find(mark, of: path)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw .system(errno, "The file's size can't be read.", path: path)
        }
        guard UInt64(status.st_size) >= head.fileSize else {
            throw EngineError(
                .invalidDatabase,
                "The file is truncated: it has \(status.st_size) of the \(head.fileSize) bytes that the version in its commit log needs.",
                path: path
            )
        }
        try file.checkEnd(head, path: path)
        for (i, root) in head.roots.enumerated() {
            let code = root.withUnsafeBytes { CommitLogFile.write($0, to: descriptor, at: i * Int(head.pageSize)) }
            guard code == 0 else { throw .system(code, "The file can't be put back.", path: path) }
        }
        try replay(file, head, path: path)
        let code = CommitLogMark.write(nil, to: descriptor)
        guard code == 0 else { throw .system(code, "The file can't be flushed.", path: path) }
        unlink(file.path)
    }

    /// Returns the log and the head of the generation that a mark names.
    private static func find(
        _ mark: CommitLogMark,
        of path: String
    ) throws(EngineError) -> (CommitLogFile, CommitLogHead) {
        guard let file = try CommitLogFile.open(path) else {
            throw EngineError(
                .invalidDatabase,
                "The file's newest commits are in its commit log, which is missing: put `\(path)\(CommitLogFile.suffix)` back, or a backup in the file's place.",
                path: path
            )
        }
        let foreign = EngineError(
            .invalidDatabase,
            "The commit log beside the file isn't the one that its newest commits are in: put the right one back, or a backup in the file's place.",
            path: path
        )
        guard let head = file.head(Int(mark.generation & 1)), head.mark == mark else { throw foreign }
        // The records of the next generation are written only after the mark in the file names it. The file is therefore older than its log.
        if let next = file.head(Int(~mark.generation & 1)), next.mark.generation == mark.generation + 1,
            file.begins(with: next.mark.salt, after: next.version)
        {
            throw foreign
        }
        return (file, head)
    }

    private static func replay(_ file: CommitLogFile, _ head: CommitLogHead, path: String) throws(EngineError) {
        var options = StorageOptions()
        options.isAlone = true
        options.isReplay = true
        guard
            case .opened(let environment) = try StorageEnvironment.openNow(
                path: path,
                options: options,
                presence: nil
            )
        else { throw EngineError(.invalidDatabase, "The file can't be opened for its commit log.", path: path) }
        defer { environment.close() }
        // The pin prevents the reuse of the checkpoint's pages, so that the checkpoint remains readable after a crash.
        let pin = try environment.beginRead()
        defer { withExtendedLifetime(pin) {} }
        guard pin.version == head.version else {
            throw EngineError(.invalidDatabase, "The commit log's checkpoint isn't in the file.", path: path)
        }
        let header = try DatabaseHeader.decode(try pin.find(DatabaseHeader.address), path: path)
        environment.order = header.order
        var version = head.version
        var offset = CommitLogFile.firstRecord
        while let (payload, end) = file.record(at: offset, head.mark.salt, version: version + 1) {
            try environment.writer.sync { () throws(EngineError) in
                let writer = try environment.beginWrite()
                do throws(EngineError) {
                    let isWhole = try CommitLogRecord.forEach(payload) { (key, stored) throws(EngineError) in
                        try writer.replay(key, stored)
                    }
                    guard isWhole, try writer.commit() == version + 1 else {
                        throw EngineError(
                            .invalidDatabase,
                            "The commit log's record \(version + 1) is damaged.",
                            path: path
                        )
                    }
                } catch {
                    writer.abort()
                    throw error
                }
            }
            version += 1
            offset = end
        }
        let code = fh_sync(environment.descriptor)
        guard code == 0 else { throw .system(code, "The file can't be flushed.", path: path) }
    }
}
