#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// The size of a database's file.
public struct FileUse: Equatable, Sendable {
    /// The size of the file in bytes.
    public let total: UInt64
    /// The size of the pages that the newest version needs, in bytes. The other pages are available for later versions.
    public let used: UInt64
}

/// The result of a compaction.
public struct FileCompaction: Equatable, Sendable {
    public let before: FileUse
    public let after: FileUse
}

extension Database {
    /// Returns the size of the file, and the part that the newest version needs.
    /// - Throws: `.invalidDatabase` if the list of free pages is damaged; `.readersFull`, `.environmentClosed`.
    /// - Complexity: O(free pages / 500).
    public func fileUse() throws(EngineError) -> FileUse {
        try core.storage.fileUse()
    }

    /// Rewrites a closed file without its free pages.
    ///
    /// Openers of the file wait meanwhile. The new file replaces the old one when it is complete, so the device needs space for both. After a
    /// failure, even of the machine, the old file remains. The memory use doesn't depend on the file's size.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - key: the encryption key of the file, before and after the compaction, or `nil` for a plain file.
    ///   - isWanted: receives the file's use and returns whether to continue. It must not open the file.
    /// - Returns: the use before and after the compaction, or `nil` if it wasn't wanted.
    /// - Throws: `.fileInUse` if the file is open in any process; `.fileNotFound`, `.invalidDatabase`, `.permissionDenied`, `.outOfDiskSpace`, `.io`.
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

    /// Replaces a closed file by a copy.
    ///
    /// - Parameters:
    ///   - path: the path without symbolic links.
    ///   - checksCopy: whether the copy is read and compared before it replaces the file.
    static func rewriteUnused(
        _ path: String,
        _ key: EncryptionKey?,
        checksCopy: Bool,
        isWanted: (FileUse, DatabaseHeader) -> Bool
    ) throws(EngineError) -> FileCompaction? {
        // The file is closed in all processes, so LMDB's lock isn't needed.
        let options = StorageOptions(readOnly: true, immutable: true)
        let source = try StorageEnvironment.open(path: path, options: options)
        let copy: BlockCopy
        let before: FileUse
        do {
            defer { source.close() }
            // The temporary name is always the same, so the file of a killed process is overwritten.
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
        // The lock file contains the version of the old file.
        unlink(path + "-lock")
        let made = try StorageEnvironment.open(path: path, options: options)
        defer { made.close() }
        return FileCompaction(before: before, after: try made.fileUse())
    }

    /// Returns the source of a copy for the blocks of a reader.
    ///
    /// - Throws: `.invalidDatabase` if the key isn't that of the file.
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

    /// Deletes the files of a closed database: the data file, LMDB's lock file, files that a killed compaction or copy left, and the symbolic link if
    /// the path is one. The file `….writer` remains, because other processes may be waiting for its lock.
    ///
    /// - Returns: whether a data file existed.
    /// - Throws: `.fileInUse` if the file is open; `.permissionDenied`, `.io`.
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

    /// Creates a file as a copy of another file, unless a file exists at the path.
    ///
    /// - Parameters:
    ///   - path: the path of the new file.
    ///   - source: a file that isn't written meanwhile, or that this process has open. Nothing is created beside it.
    ///   - key: the encryption key of the new file. The source has the same key, or isn't encrypted.
    /// - Returns: whether the file was created.
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
            // Another process or thread has created the file.
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
