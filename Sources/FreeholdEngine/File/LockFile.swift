#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// The content of LMDB's lock file while the database is closed.
enum LockFile {
    private static let magic: UInt32 = 0xBEEF_C0DE

    /// Returns the version that the file had when it was last closed, or when the last process that had it open was killed. Returns `nil` if the
    /// version is unknown or didn't exist.
    ///
    /// The function must not be called while this process has the file's environment open, because closing any descriptor of a file releases all
    /// locks of the process on that file.
    static func lastVersion(of path: String) -> UInt64? {
        #if os(Linux)
            let descriptor = Platform.open(path + "-lock", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { Platform.close(descriptor) }
            // LMDB's layout is: magic and format, the mutex of the reader table, the version.
            let offset = (8 + MemoryLayout<pthread_mutex_t>.size + 7) & ~7
            var bytes = [UInt8](repeating: 0, count: offset + 8)
            let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
            guard count == bytes.count else { return nil }
            let (found, version) = bytes.withUnsafeBytes {
                ($0.load(as: UInt32.self), $0.load(fromByteOffset: offset, as: UInt64.self))
            }
            return found == magic && version > 0 && version < 1 << 48 ? version : nil
        #else
            // On other systems, LMDB's lock file has a different layout.
            return nil
        #endif
    }
}
