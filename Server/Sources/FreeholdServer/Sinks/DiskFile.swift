#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The system calls of sinks. Tests replace them by failing ones.
package struct DiskCalls: Sendable {
    /// Works like `pwrite`: returns the number of written bytes, or −1 with `errno`.
    package var write: @Sendable (Int32, UnsafeRawPointer, Int, Int) -> Int = { pwrite($0, $1, $2, off_t($3)) }
    /// Works like `fdatasync`.
    package var sync: @Sendable (Int32) -> Int32 = { descriptor in
        #if canImport(Darwin)
            fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : fsync(descriptor)
        #else
            fdatasync(descriptor)
        #endif
    }
    /// Works like `ftruncate`.
    package var truncate: @Sendable (Int32, Int) -> Int32 = { ftruncate($0, off_t($1)) }

    package init() {}

    package static let system = DiskCalls()
}

/// Calls the system's `close`, because methods have the same name.
private func closeDescriptor(_ descriptor: Int32) { close(descriptor) }

/// An open file. It must be used by one thread at a time.
final class DiskFile {
    let path: String
    /// The descriptor. −1 after the file was closed.
    private var descriptor: Int32
    private let calls: DiskCalls

    /// Opens a file. A missing file is created with the mode 0600.
    ///
    /// - Parameter isNew: A Boolean value that indicates whether the file must not exist.
    init(_ path: String, isNew: Bool = false, calls: DiskCalls) throws(IngestFailure) {
        self.path = path
        self.calls = calls
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | (isNew ? O_EXCL : 0), 0o600)
        guard descriptor >= 0 else { throw Self.failure("can't be opened", path) }
    }

    deinit { close() }

    /// Closes the file. No other method may be called afterwards.
    func close() {
        guard descriptor >= 0 else { return }
        // A forked child process shares the lock until it starts its program, so closing the descriptor isn't
        // sufficient.
        _ = flock(descriptor, LOCK_UN)
        closeDescriptor(descriptor)
        descriptor = -1
    }

    /// Locks the file against other processes that lock it, until it is closed.
    func lock() throws(IngestFailure) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK
                ? IngestFailure("\(path) is used by another process.", code: EWOULDBLOCK)
                : Self.failure("can't be locked", path)
        }
    }

    func size() throws(IngestFailure) -> Int {
        // Reads and writes have explicit offsets, so the position in the file has no meaning.
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else { throw Self.failure("can't be read", path) }
        return Int(end)
    }

    /// Reads up to a number of bytes from an offset on.
    func read(at offset: Int, count: Int) throws(IngestFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress! + done, count - done, off_t(offset + done))
            }
            guard got >= 0 else {
                if errno == EINTR { continue }
                throw Self.failure("can't be read", path)
            }
            guard got > 0 else { break }
            done += got
        }
        bytes.removeLast(count - done)
        return bytes
    }

    /// Writes all bytes. After an error, a part of them may be written.
    func write(_ bytes: [UInt8], at offset: Int) throws(IngestFailure) {
        var done = 0
        while done < bytes.count {
            let put = bytes.withUnsafeBytes { buffer in
                calls.write(descriptor, buffer.baseAddress! + done, buffer.count - done, offset + done)
            }
            guard put > 0 else {
                if put < 0, errno == EINTR { continue }
                throw Self.failure("can't be written", path)
            }
            done += put
        }
    }

    /// Waits until all written bytes are on the disk.
    func sync() throws(IngestFailure) {
        guard calls.sync(descriptor) == 0 else { throw Self.failure("can't be written", path) }
    }

    func truncate(to size: Int) throws(IngestFailure) {
        guard calls.truncate(descriptor, size) == 0 else { throw Self.failure("can't be cut off", path) }
    }

    /// Makes the names in a folder durable.
    static func syncFolder(_ path: String) throws(IngestFailure) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("can't be opened", path) }
        defer { closeDescriptor(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("can't be written", path) }
    }

    private static func failure(_ what: String, _ path: String) -> IngestFailure {
        let code = errno
        return IngestFailure("\(path) \(what): \(String(cString: strerror(code))).", code: code)
    }
}
