#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// How large a database's file is.
public struct FileUse: Equatable, Sendable {
    /// Bytes of the file.
    public let total: UInt64
    /// Bytes of pages that the newest version needs; the rest is free for later versions.
    public let used: UInt64
}

/// What a compaction came to.
public struct FileCompaction: Equatable, Sendable {
    public let before: FileUse
    public let after: FileUse
}

extension Database {
    /// How large the file is, and how much of it the newest version needs. - Complexity: O(free pages / 500).
    /// - Throws: `.invalidDatabase` where its list of free pages is damaged; `.readersFull`, `.environmentClosed`.
    public func fileUse() throws(EngineError) -> FileUse {
        try core.storage.fileUse()
    }

    /// Rewrites a file that nobody has open without its free pages.
    ///
    /// Whoever opens the file meanwhile waits. A new file takes the place of the old one when it is complete, so that
    /// the device needs room for both; a failure, even of the machine, leaves the old one. The memory it takes doesn't
    /// depend on the file's size.
    ///
    /// - Parameters:
    ///   - path: of the file.
    ///   - key: what the file is encrypted with, now and after, or `nil` for a plain one.
    ///   - isWanted: is given the file's use, and says whether to go on. It must not open the file.
    /// - Returns: the use before and after, or `nil` if it wasn't wanted.
    /// - Throws: `.fileInUse` where somebody has the file open, in this process or another; `.fileNotFound`,
    ///   `.invalidDatabase`, `.permissionDenied`, `.outOfDiskSpace`, `.io`.
    public static func compact(
        at path: String,
        key: EncryptionKey? = nil,
        isWanted: (FileUse) -> Bool = { _ in true }
    ) throws(EngineError) -> FileCompaction? {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .system(errno, "The file can't be compacted.", path: path) }
        return try EnvironmentRegistry.shared.whileUnused(path: path) { path throws(EngineError) in
            let start = Diagnostics.start(.maintenance)
            let made = try rewriteUnused(path, key, checksCopy: false) { use, _ in isWanted(use) }
            if let made, let start {
                let (before, after) = (made.before.total, made.after.total)
                Diagnostics.send(
                    .compacted(.init(path: path, bytesBefore: before, bytesAfter: after, lasted: .now - start))
                )
            }
            return made
        }
    }

    /// Puts a copy in the place of a file that nobody has open.
    ///
    /// - Parameters:
    ///   - path: without symbolic links.
    ///   - checksCopy: whether the copy is read again before it takes the file's place.
    static func rewriteUnused(
        _ path: String,
        _ key: EncryptionKey?,
        checksCopy: Bool,
        isWanted: (FileUse, DatabaseHeader) -> Bool
    ) throws(EngineError) -> FileCompaction? {
        // Nobody else has it open, so that LMDB's lock isn't needed.
        let options = StorageOptions(readOnly: true, immutable: true)
        let source = try StorageEnvironment.open(path: path, options: options)
        let copy: BlockCopy
        let before: FileUse
        do {
            defer { source.close() }
            // The same for all: what a killed process left is overwritten.
            copy = try BlockCopy(to: path, temporaryPath: path + ".compacting")
            before = try source.fileUse()
            let reader = try source.beginRead()
            let blocks = try copySource(reader, key)
            guard isWanted(before, blocks.header) else { return nil }
            let sum = try copy.write(from: blocks, key: key, mode: source.fileMode, faults: nil) {
                from throws(EngineError) in try reader.run(from: from)
            }
            if checksCopy { try copy.check(sum, key: key) }
        }
        try copy.replace()
        // Its numbers are those of the old file's versions.
        unlink(path + "-lock")
        let made = try StorageEnvironment.open(path: path, options: options)
        defer { made.close() }
        return FileCompaction(before: before, after: try made.fileUse())
    }

    /// What the blocks are that a reader gives.
    ///
    /// - Throws: `.invalidDatabase` where the key isn't the file's.
    static func copySource(
        _ reader: StorageReader,
        _ key: EncryptionKey?
    ) throws(EngineError) -> BlockCopy.Source {
        let path = reader.environment.path
        let header = try DatabaseHeader.decode(try reader.find(DatabaseHeader.address), path: path)
        let envelope = try header.envelope(key, path: path)
        reader.environment.order = header.order
        let digest = try FileDigest.find(reader.get(FileDigest.address), version: reader.version, envelope, path: path)
        let room = reader.environment.copyRoom
        return BlockCopy.Source(header: header, envelope: envelope, room: room, trees: reader.trees, digest: digest)
    }

    /// Deletes the files of a database that nobody has open: the data, LMDB's lock file, what a killed compaction or copy
    /// left, and the symbolic link, if the path is one. The file `….writer` stays, because others may be waiting at it.
    ///
    /// - Returns: whether there was a data file.
    /// - Throws: `.fileInUse` where somebody has the file open; `.permissionDenied`, `.io`.
    public static func deleteFiles(at path: String) throws(EngineError) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return false }
            throw .system(errno, "The file can't be deleted.", path: path)
        }
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        return try EnvironmentRegistry.shared.whileUnused(path: path, playsLog: false) { file throws(EngineError) in
            for name in isLink ? [file, path] : [file] where unlink(name) != 0 {
                throw .system(errno, "The file can't be deleted.", path: name)
            }
            unlink(file + "-lock")
            unlink(file + ".compacting")
            CommitLogFile.remove(file)
            BlockCopy.removeLeftovers(file)
            return true
        }
    }

    /// Makes a file as a copy of another, where there is none at its path yet.
    ///
    /// - Parameters:
    ///   - path: of the file.
    ///   - source: a file that nobody writes to, or that this process has open. Nothing is made beside it.
    ///   - key: what the new file is encrypted with; the source has the same key, or isn't encrypted.
    /// - Returns: whether it was made.
    /// - Throws: `.fileNotFound`, `.invalidDatabase`, `.permissionDenied`, `.outOfDiskSpace`, `.io`.
    public static func seed(
        _ path: String,
        from source: String,
        key: EncryptionKey? = nil
    ) throws(EngineError) -> Bool {
        var status = stat()
        guard lstat(path, &status) != 0 else { return false }
        do throws(EngineError) {
            if let storage = EnvironmentRegistry.shared.options(ofOpen: source) {
                var options = Options()
                options.readOnly = storage.readOnly
                options.encryptionKey = key
                let database: Database
                do throws(EngineError) { database = try open(at: source, options: options) } catch {
                    guard error.code == .fileInUse else { throw error }
                    options.encryptionKey = nil
                    database = try open(at: source, options: options)
                }
                try database.snapshot().copy(to: path, key: key, isWritable: true)
                return true
            }
            let options = StorageOptions(readOnly: true, immutable: true)
            let environment = try StorageEnvironment.open(path: source, options: options)
            defer { environment.close() }
            let reader = try environment.beginRead()
            let header = try DatabaseHeader.decode(reader.get(DatabaseHeader.address), path: source)
            let blocks = try copySource(reader, header.encryption == nil ? nil : key)
            let copy = try BlockCopy(to: path)
            try copy.write(from: blocks, key: key, mode: environment.fileMode | 0o200, faults: nil) {
                from throws(EngineError) in try reader.run(from: from)
            }
            try copy.finish()
            return true
        } catch {
            // Somebody else was faster.
            if error.code == .fileExists { return false }
            throw error
        }
    }
}

extension StorageEnvironment {
    func fileUse() throws(EngineError) -> FileUse {
        let reader = try beginRead()
        guard let info else { throw EngineError(.environmentClosed, "The file has been closed.", path: path) }
        let used = info.pageCount - (try reader.freePageCount(limit: info.pageCount))
        return FileUse(total: info.fileSize, used: used * UInt64(info.pageSize))
    }
}
