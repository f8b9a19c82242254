import CFreeholdLMDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

extension EngineError {
    static func isDiskFull(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

    /// Returns the engine's error for an error of LMDB or the operating system.
    static func system(_ code: Int32, _ message: String, path: String? = nil) -> EngineError {
        let detail = String(cString: mdb_strerror(code))
        func make(_ name: Code, _ text: String, _ detail: Detail? = nil) -> EngineError {
            EngineError(name, text, detail: detail, path: path, underlying: code)
        }
        switch code {
        case ENOENT:
            return make(.fileNotFound, "\(message) The file or its folder doesn't exist.")
        case ENOTDIR:
            return make(.fileNotFound, "\(message) What should be its folder is none: parent path is not a directory.")
        case EACCES, EPERM, EROFS:
            return make(.permissionDenied, "\(message) \(detail).")
        case ENOSPC, EDQUOT:
            return make(.outOfDiskSpace, "\(message) The device or the quota is full; nothing was changed.")
        case EFBIG:
            return make(.outOfDiskSpace, "\(message) The file would exceed the file-size limit; nothing was changed.")
        case MDB_MAP_FULL:
            return make(.mapFull, "\(message) The file has reached its reserved size: open it with a larger `mapSize`.")
        case MDB_MAP_RESIZED:
            return make(
                .mapResized,
                "\(message) Another process grew the file past this process's map: release all snapshots, or reopen with a larger `mapSize`."
            )
        case MDB_READERS_FULL:
            return make(
                .readersFull,
                "\(message) Every reader slot is taken: release old snapshots, or raise `maximumReaders` (all processes must close the file first)."
            )
        case MDB_PANIC:
            return make(
                .environmentFailed,
                "\(message) An earlier write failed: close the file in this process and reopen it."
            )
        case MDB_INVALID, MDB_VERSION_MISMATCH:
            return make(
                .invalidDatabase,
                "\(message) The file isn't a Freehold database, or its lock file isn't.",
                .foreignFile
            )
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND:
            return make(.invalidDatabase, "\(message) The file is damaged (\(detail)).")
        case MDB_TXN_FULL:
            return make(.limitExceeded, "\(message) The transaction changes too much at once.")
        default:
            return make(.io, "\(message) \(detail).")
        }
    }
}
