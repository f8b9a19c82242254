import CFreeholdLMDB
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

extension StorageEnvironment {
    /// Opens a file. Creates the file if it is missing or empty and the options allow writing. The function waits while the file is being replaced.
    ///
    /// A refused file is left unchanged, and nothing is created beside it. The caller has to check whether a valid file contains blocks of this
    /// engine. The function must not be called for a file that this process has open. `EnvironmentRegistry` ensures this.
    ///
    /// - Throws: `.fileNotFound`, `.permissionDenied`, `.invalidDatabase`, `.mapFull`, `.outOfDiskSpace`, `.io`.
    static func open(path: String, options: StorageOptions = .init()) throws(EngineError) -> StorageEnvironment {
        if options.inMemory { return try openInMemory(options) }
        let path = try canonicalPath(path)
        return try UnfinishedFile.retrying(path: path) { () throws(EngineError) in
            let presence = options.isShared ? try PresenceLock.shared(of: path) : nil
            return try openNow(path: path, options: options, presence: presence)
        }
    }

    /// Like `open(path:options:)`, without waiting.
    ///
    /// - Parameters:
    ///   - path: the path without symbolic links.
    ///   - presence: the lock that marks the file as open, if the caller has it already.
    static func openNow(
        path: String,
        options: StorageOptions,
        presence: PresenceLock?
    ) throws(EngineError) -> StorageOpening<StorageEnvironment> {
        let required: UInt64
        switch try check(path, options) {
        case .valid(let header): required = header.requiredSize
        case .unfinished where !options.readOnly: return .unfinished
        case .empty where !options.readOnly: required = 0
        case .empty, .unfinished: throw EngineError(.invalidDatabase, "The file is empty.", path: path)
        case .invalid(let reason, let detail):
            throw EngineError(.invalidDatabase, reason, detail: detail, path: path)
        case nil: return .unplayed
        }
        return try openChecked(path, options, required: required, taken: presence)
    }

    /// Returns a database in a temporary folder that only this environment can access. Its files are unlinked as soon as they are open, so that even
    /// a killed process doesn't leave them behind.
    private static func openInMemory(_ options: StorageOptions) throws(EngineError) -> StorageEnvironment {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/freehold-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .system(errno, "No folder can be made for an in-memory database.", path: parent)
        }
        let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        let path = folder + "/memory"
        defer {
            unlink(path)
            unlink(path + "-lock")
            rmdir(folder)
        }
        // The file isn't accessible to other processes.
        guard case .opened(let made) = try openChecked(path, options, required: 0) else {
            throw .system(EAGAIN, "An in-memory database can't be made.", path: path)
        }
        return made
    }

    /// Returns the path without symbolic links. If two processes used different paths for one file, each would use its own lock file.
    static func canonicalPath(_ path: String) throws(EngineError) -> String {
        if let real = realpath(path, nil) {
            defer { free(real) }
            return String(cString: real)
        }
        let code = errno
        var status = stat()
        guard code == ENOENT, lstat(path, &status) != 0 else {
            throw .system(code, "The file can't be found.", path: path)
        }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        guard !name.isEmpty else { throw EngineError(.fileNotFound, "The path names no file.", path: path) }
        guard let real = realpath(folder, nil) else { throw .system(errno, "The folder can't be found.", path: path) }
        defer { free(real) }
        let base = String(cString: real)
        return base == "/" ? "/" + name : base + "/" + name
    }

    /// Examines a file without LMDB. Returns `.empty` if the file has to be created.
    ///
    /// - Returns: the content, or `nil` if a commit log has to be played first.
    private static func check(_ path: String, _ options: StorageOptions) throws(EngineError) -> FileHeader.Content? {
        let descriptor = Platform.open(path, (options.readOnly ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK)
        if descriptor < 0 {
            switch errno {
            case ENOENT where !options.readOnly: return .empty
            case EISDIR: throw EngineError(.invalidDatabase, "The path is a folder's.", path: path)
            default: throw .system(errno, "The file can't be opened.", path: path)
            }
        }
        defer { Platform.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno, "The file can't be opened.", path: path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw EngineError(.io, "The path isn't a regular file's.", path: path)
        }
        // The roots aren't examined before this test, because a crash can have left any version in their place.
        if try needsLog(descriptor, path, options: options, isUsed: PresenceLock.isUsed(path)) { return nil }
        let content = try FileHeader.read(descriptor)
        if content == .empty || content == .unfinished, options.isShared, let version = LockFile.lastVersion(of: path) {
            throw EngineError(
                .invalidDatabase,
                "The file is empty, but its lock file says that it had version \(version): it was cut off. Put a backup in its place, or delete it to begin anew.",
                path: path
            )
        }
        return content
    }

    /// Returns whether the file is incomplete without its commit log, and no process that has it open will play the log.
    ///
    /// - Throws: `.invalidDatabase` if that can't be determined, or if the log can't be played because the file is opened read-only.
    private static func needsLog(
        _ descriptor: Int32,
        _ path: String,
        options: StorageOptions,
        isUsed: @autoclosure () -> Bool
    ) throws(EngineError) -> Bool {
        if options.isReplay { return false }
        switch CommitLogMark.read(descriptor) {
        case .clear: return false
        case .damaged:
            guard case .valid = try FileHeader.read(descriptor) else { return false }
            throw EngineError(.invalidDatabase, "The file's mark of its commit log is damaged.", path: path)
        case .set:
            if isUsed() { return false }
            guard options.readOnly else { return true }
            throw EngineError(
                .invalidDatabase,
                "The file's newest commits are still in its commit log: open it once for writing.",
                path: path
            )
        }
    }

    private static func openChecked(
        _ path: String,
        _ options: StorageOptions,
        required: UInt64,
        taken: PresenceLock? = nil
    ) throws(EngineError) -> StorageOpening<StorageEnvironment> {
        let mapSize = try reservation(options, required: required, path: path)
        // The writer lock's file is created first, so that a folder without write permission is detected before LMDB creates files.
        let lockPath = options.readOnly || !options.isShared ? nil : path + ".writer"
        let writerLock = try WriterLock(path: lockPath)
        do throws(EngineError) {
            let presence: PresenceLock?
            switch try present(path, options, taken: taken) {
            case .opened(let lock): presence = lock
            case .exchanged:
                writerLock.close()
                return .exchanged
            case .unfinished:
                writerLock.close()
                return .unfinished
            case .unplayed:
                writerLock.close()
                return .unplayed
            }
            return .opened(
                try openEnvironment(path, options, mapSize: mapSize, writerLock: writerLock, presence: presence)
            )
        } catch {
            writerLock.close()
            throw error
        }
    }

    /// Marks the file as open for other processes, if it is shared.
    private static func present(
        _ path: String,
        _ options: StorageOptions,
        taken: PresenceLock?
    ) throws(EngineError) -> StorageOpening<PresenceLock?> {
        var presence = taken
        guard options.isShared || options.inMemory else { return .opened(presence) }
        if presence == nil, options.isShared, !options.isAlone {
            switch try PresenceLock.sharedNow(of: path) {
            case .taken(let lock): presence = lock
            case .unavailable(let code):
                // Only a read-only process in a place that can't be written doesn't need the lock.
                if options.readOnly, code != EMFILE, code != ENFILE { break }
                throw EngineError.system(code, "The file's lock can't be opened.", path: path + ".writer")
            case .refused: return .exchanged
            }
        }
        if let presence {
            // From here on, no other process is playing a log, or has begun a log and ended.
            guard try !isUnplayed(path, options, presence: presence) else { return .unplayed }
            try presence.use()
        }
        try LockFileSpace.reserve(path + "-lock", slots: options.maximumReaders)
        return .opened(presence)
    }

    private static func openEnvironment(
        _ path: String,
        _ options: StorageOptions,
        mapSize: UInt64,
        writerLock: WriterLock,
        presence: PresenceLock?
    ) throws(EngineError) -> StorageEnvironment {
        var created: OpaquePointer?
        let code = mdb_env_create(&created)
        guard code == 0, let handle = created else { throw .system(code, "The file can't be opened.", path: path) }
        do throws(EngineError) {
            try openFile(handle, path, options: options, mapSize: mapSize)
            try openDatabase(handle, path)
            var descriptor: Int32 = -1
            mdb_env_get_fd(handle, &descriptor)
            // LMDB leaves this descriptor open for programs that the process starts.
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            var status = stat()
            guard fstat(descriptor, &status) == 0 else {
                throw .system(errno, "The file can't be opened.", path: path)
            }
            var statistics = MDB_stat()
            mdb_env_stat(handle, &statistics)
            return StorageEnvironment(
                handle: handle,
                path: path,
                options: options,
                pageSize: Int(statistics.ms_psize),
                descriptor: descriptor,
                identity: FileIdentity(status),
                writerLock: writerLock,
                presence: presence
            )
        } catch {
            mdb_env_close(handle)
            throw error
        }
    }

    private static func openFile(
        _ handle: OpaquePointer,
        _ path: String,
        options: StorageOptions,
        mapSize: UInt64
    ) throws(EngineError) {
        mdb_env_set_maxreaders(handle, UInt32(clamping: max(1, options.maximumReaders)))
        mdb_env_set_mapsize(handle, Int(mapSize))
        mdb_env_set_assert(handle) { handle, text in
            var path: UnsafePointer<CChar>?
            mdb_env_get_path(handle, &path)
            let what = text.map { String(cString: $0) } ?? "a page"
            Damage.stop(
                Damage.error("LMDB doesn't find what must hold: \(what)", path: path.map { String(cString: $0) } ?? "")
            )
        }
        // Read-ahead remains enabled, because a scan of a column from the disk reads neighbouring pages.
        var flags = UInt32(MDB_NOSUBDIR | MDB_NOTLS)
        if options.readOnly { flags |= UInt32(MDB_RDONLY) }
        if !options.isShared, !options.inMemory { flags |= UInt32(MDB_NOLOCK) }
        if options.inMemory || options.isPrivate || options.isReplay {
            flags |= UInt32(MDB_NOSYNC | MDB_NOMETASYNC)
        }
        let code = mdb_env_open(handle, path, flags, 0o644)
        guard code == 0 else {
            if code == ENOMEM { throw cannotReserve(mapSize, path) }
            throw .system(code, "The file can't be opened.", path: path)
        }
    }

    private static func isUnplayed(
        _ path: String,
        _ options: StorageOptions,
        presence: PresenceLock
    ) throws(EngineError) -> Bool {
        let descriptor = Platform.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        // The file is about to be created.
        guard descriptor >= 0 else { return false }
        defer { Platform.close(descriptor) }
        return try needsLog(descriptor, path, options: options, isUsed: presence.isUsedByOthers)
    }

    /// Sets the comparison of keys in LMDB. It doesn't write. The first write transaction of a new file stores the setting.
    private static func openDatabase(_ handle: OpaquePointer, _ path: String) throws(EngineError) {
        var transaction: OpaquePointer?
        var code = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction)
        if code == MDB_READERS_FULL {
            mdb_reader_check(handle, nil)
            code = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction)
        }
        guard code == 0 else { throw .system(code, "The file can't be opened.", path: path) }
        defer { mdb_txn_abort(transaction) }
        var database: MDB_dbi = 0
        code = mdb_dbi_open(transaction, nil, UInt32(MDB_INTEGERKEY), &database)
        guard code == 0, database == Self.database else {
            throw .system(code, "The file can't be opened.", path: path)
        }
    }

    // MARK: Address space

    private static func cannotReserve(_ size: UInt64, _ path: String) -> EngineError {
        EngineError(
            .mapFull,
            "\(size) bytes of address space can't be reserved: open the file with a smaller `mapSize`, or raise the process's limit.",
            path: path,
            underlying: ENOMEM
        )
    }

    static func canReserve(_ size: UInt64) -> Bool {
        guard let length = Int(exactly: size) else { return false }
        guard let address = mmap(nil, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
            address != MAP_FAILED
        else { return false }
        munmap(address, length)
        return true
    }

    /// Returns the map's size: the requested size or the default. If the process's limits don't allow the default, or the process has hundreds of
    /// files open, it is the largest half, quarter, … of the default that is possible.
    private static func reservation(
        _ options: StorageOptions,
        required: UInt64,
        path: String
    ) throws(EngineError) -> UInt64 {
        let granule: UInt64 = 1 << 16
        if let size = options.mapSize {
            guard size > 0 else {
                throw EngineError(.invalidArgument, "`mapSize` is \(size); it must be positive.", path: path)
            }
            let rounded = (max(UInt64(size), required) + granule - 1) / granule * granule
            guard canReserve(rounded) else { throw cannotReserve(rounded, path) }
            return rounded
        }
        var size = UInt64(StorageOptions.defaultMapSize)
        let files = UInt64(openFiles.load(ordering: .relaxed)) + 1
        while size > StorageOptions.smallestShare, size * files > StorageOptions.sharedMapSize { size /= 2 }
        while size < max(required * 2, min(options.expectedSize, 1 << 46)) { size *= 2 }
        while !canReserve(size) {
            guard size / 2 >= UInt64(StorageOptions.smallestFallback), size / 2 >= required else {
                throw cannotReserve(size, path)
            }
            size /= 2
        }
        return size
    }
}

/// Functions whose names are shadowed by the engine's own types.
enum Platform {
    static func open(_ path: String, _ flags: Int32, mode: mode_t = 0) -> Int32 {
        #if canImport(Glibc)
            Glibc.open(path, flags, mode)
        #elseif canImport(Musl)
            Musl.open(path, flags, mode)
        #elseif canImport(Android)
            Android.open(path, flags, mode)
        #else
            Darwin.open(path, flags, mode)
        #endif
    }

    @discardableResult
    static func close(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.close(descriptor)
        #elseif canImport(Musl)
            Musl.close(descriptor)
        #elseif canImport(Android)
            Android.close(descriptor)
        #else
            Darwin.close(descriptor)
        #endif
    }
}
