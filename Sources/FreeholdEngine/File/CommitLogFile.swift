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

/// The file of a commit log: two head pages, one for each of the last two generations, and the records of the newest generation. `docs/commit-log.md`
/// describes its layout.
final class CommitLogFile: Sendable {
    static let pageSize = 4096
    static let firstRecord = 2 * pageSize
    /// The default length of a log in bytes. Tests use others.
    static let capacity = 8 << 20
    static let suffix = ".commitlog"

    let path: String
    let descriptor: Int32
    private let identity: FileIdentity
    private let size: Int

    private init(_ path: String, _ descriptor: Int32, status: stat) {
        self.path = path
        size = Int(status.st_size)
        self.descriptor = descriptor
        identity = FileIdentity(status)
    }

    deinit { Platform.close(descriptor) }

    /// A Boolean value that indicates whether the file is still the one at its path.
    var isLinked: Bool {
        var status = stat()
        return stat(path, &status) == 0 && FileIdentity(status) == identity
    }

    // MARK: Opening

    /// Opens the log of a data file for writing, and creates the log if it is missing.
    ///
    /// - Parameters:
    ///   - mode: the permissions of the data file.
    ///   - capacity: the number of bytes that are filled with zeros before the first use. Because of them, an append doesn't change the metadata of
    ///     the file system.
    /// - Throws: `.io`, also if the file with that name isn't a log.
    static func make(_ dataPath: String, mode: mode_t, capacity: Int) throws(EngineError) -> CommitLogFile {
        let path = dataPath + suffix
        let descriptor = Platform.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode: mode & 0o777)
        guard descriptor >= 0 else { throw .system(errno, "The commit log can't be opened.", path: path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            let code = errno
            Platform.close(descriptor)
            throw .system(code, "The commit log can't be opened.", path: path)
        }
        let file = CommitLogFile(path, descriptor, status: status)
        try file.checkOwnership()
        try file.fill(to: capacity)
        return file
    }

    /// Opens the log of a data file for reading, or returns `nil` if it is missing.
    static func open(_ dataPath: String) throws(EngineError) -> CommitLogFile? {
        let path = dataPath + suffix
        let descriptor = Platform.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .system(errno, "The commit log can't be opened.", path: path)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            Platform.close(descriptor)
            throw .system(code, "The commit log can't be opened.", path: path)
        }
        return CommitLogFile(path, descriptor, status: status)
    }

    /// Throws an error unless the file begins with zeros or heads, because other files must not be overwritten.
    private func checkOwnership() throws(EngineError) {
        var bytes = [UInt8](repeating: 0, count: Self.firstRecord)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw .system(errno, "The commit log can't be read.", path: path) }
        for start in stride(from: 0, to: count, by: Self.pageSize) {
            let page = bytes[start..<min(start + Self.pageSize, count)]
            guard page.starts(with: CommitLogHead.magic) || page.allSatisfy({ $0 == 0 }) else {
                throw EngineError(.io, "There is a file in the commit log's place that is none.", path: path)
            }
        }
    }

    /// Removes the log of a data file without a mark, if there is one.
    static func remove(_ dataPath: String) {
        guard let file = try? open(dataPath), (try? file.checkOwnership()) != nil else { return }
        unlink(file.path)
    }

    private func fill(to capacity: Int) throws(EngineError) {
        guard size < capacity else { return }
        let zeros = [UInt8](repeating: 0, count: 1 << 18)
        var at = size
        while at < capacity {
            let count = min(zeros.count, capacity - at)
            let code = zeros.withUnsafeBytes {
                Self.write(UnsafeRawBufferPointer(rebasing: $0[..<count]), to: descriptor, at: at)
            }
            guard code == 0 else {
                // The commits will need the space. A child process that is being started may have the file open for a moment.
                _ = ftruncate(descriptor, off_t(size))
                if size == 0 { unlink(path) }
                throw .system(code, "There isn't enough space for the commit log.", path: path)
            }
            at += count
        }
        var code = fh_sync(descriptor)
        if code == 0 { code = Self.syncFolder(of: path) }
        guard code == 0 else { throw .system(code, "The commit log can't be flushed.", path: path) }
    }

    /// Flushes the folder so that the file's name is on the disk.
    private static func syncFolder(of path: String) -> Int32 {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = Platform.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { Platform.close(descriptor) }
        return fsync(descriptor) == 0 ? 0 : errno
    }

    // MARK: Bytes

    /// Writes all of the bytes. Returns 0 or an error number.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int) -> Int32 {
        var done = 0
        while done < bytes.count {
            let count = pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            if count < 0 { return errno }
            if count == 0 { return ENOSPC }
            done += count
        }
        return 0
    }

    func write(_ head: CommitLogHead) -> Int32 {
        let page = Int(head.mark.generation & 1) * Self.pageSize
        return head.encoded().withUnsafeBytes { Self.write($0, to: descriptor, at: page) }
    }

    func write(_ record: [UInt8], at offset: Int) -> Int32 {
        record.withUnsafeBytes { Self.write($0, to: descriptor, at: offset) }
    }

    func sync() -> Int32 { fh_sync(descriptor) }

    /// Returns the head on a generation's page, or `nil` if the page doesn't have a valid one.
    func head(_ page: Int) -> CommitLogHead? {
        read(at: page * Self.pageSize, count: Self.pageSize).flatMap(CommitLogHead.decode)
    }

    private func read(at offset: Int, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        return found == count ? bytes : nil
    }

    /// Returns the payload of the record at an offset and the offset of the next record, or `nil` if the offset doesn't have a record of that
    /// generation and version.
    func record(at offset: Int, _ salt: CommitLogSalt, version: UInt64) -> (payload: ArraySlice<UInt8>, end: Int)? {
        guard let start = read(at: offset, count: CommitLogRecord.headSize),
            let size = CommitLogRecord.payloadSize(start, salt, version: version), size <= self.size,
            let whole = read(at: offset, count: CommitLogRecord.headSize + size), CommitLogRecord.isValid(whole)
        else { return nil }
        return (whole[CommitLogRecord.headSize...], CommitLogRecord.end(offset, size: CommitLogRecord.headSize + size))
    }

    /// Throws an error if the end of a generation's records can't result from a crash.
    ///
    /// The records end with the first one that isn't valid, because it wasn't on the disk before the crash. If a later record states that the invalid
    /// one was on the disk, the invalid one has been damaged since.
    ///
    /// - Throws: `.invalidDatabase`.
    func checkEnd(_ head: CommitLogHead, path: String) throws(EngineError) {
        var version = head.version
        var offset = Self.firstRecord
        while let (_, end) = record(at: offset, head.mark.salt, version: version + 1) {
            version += 1
            offset = end
        }
        for place in stride(from: offset, to: size, by: Self.pageSize) {
            guard let start = read(at: place, count: CommitLogRecord.headSize),
                let found = CommitLogRecord.version(start, head.mark.salt), found > version,
                let (payload, _) = record(at: place, head.mark.salt, version: found),
                let durable = try CommitLogRecord.durableVersion(payload), durable > version
            else { continue }
            throw EngineError(
                .invalidDatabase,
                "The file's commit log is damaged: the commit of version \(version + 1) can't be read, and version \(found), which is later, can. Both files were left as they are. Put a backup in their place.",
                path: path
            )
        }
    }

    /// Returns whether the record area begins with a record of the generation.
    func begins(with salt: CommitLogSalt, after version: UInt64) -> Bool {
        record(at: Self.firstRecord, salt, version: version + 1) != nil
    }
}

/// The head of a generation: a version of the data file, all of whose pages are on the disk.
struct CommitLogHead: Equatable {
    static let magic = Array("FHLOGHED".utf8)
    private static let format: UInt32 = 1

    var mark: CommitLogMark
    var version: UInt64
    /// The length in bytes that the data file must have for that version.
    var fileSize: UInt64
    var pageSize: UInt32
    /// The two roots of LMDB, as stored in the first two pages.
    var roots: [[UInt8]]

    func encoded() -> [UInt8] {
        var w = ByteWriter()
        w.raw(Self.magic)
        w.fixed(Self.format)
        w.fixed(pageSize)
        w.fixed(mark.generation)
        w.fixed(mark.salt.first)
        w.fixed(mark.salt.second)
        w.fixed(version)
        w.fixed(fileSize)
        for root in roots { w.raw(root) }
        w.fixed(w.bytes.withUnsafeBytes { fh_checksum(0, $0.baseAddress, $0.count) })
        w.raw([UInt8](repeating: 0, count: CommitLogFile.pageSize - w.bytes.count))
        return w.bytes
    }

    static func decode(_ page: [UInt8]) -> CommitLogHead? {
        let size = 56 + 2 * FileHeader.metaSize
        return page.withUnsafeBytes { bytes in
            guard bytes.count >= size + 4, Array(bytes[..<8]) == magic else { return nil }
            let checksum = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: size, as: UInt32.self))
            guard fh_checksum(0, bytes.baseAddress, size) == checksum else { return nil }
            func word(_ offset: Int) -> UInt64 {
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
            let (format, pageSize) = (UInt32(truncatingIfNeeded: word(8)), UInt32(truncatingIfNeeded: word(8) >> 32))
            guard format == Self.format, pageSize >= 4096, pageSize <= 65536 else { return nil }
            let salt = CommitLogSalt(first: word(24), second: word(32))
            let roots = (0..<2).map { i in
                let start = 56 + i * FileHeader.metaSize
                return Array(bytes[start..<start + FileHeader.metaSize])
            }
            return CommitLogHead(
                mark: CommitLogMark(generation: word(16), salt: salt),
                version: word(40),
                fileSize: word(48),
                pageSize: pageSize,
                roots: roots
            )
        }
    }
}

/// The changes of one of LMDB's transactions, as bytes of the log.
struct CommitLogRecord {
    static let headSize = 40
    private static let magic: UInt32 = 0x4352_4846
    private static let removed = UInt32.max
    /// The key under which a record states the version that was on the disk when the record was written. The version is added to the key. The record
    /// stores it as the removal of a key that no block has. A Freehold version that doesn't understand it therefore removes nothing.
    private static let durableKey: UInt64 = 0xFFFF << 48

    private static func durableVersion(_ key: UInt64) -> UInt64? {
        key & durableKey == durableKey ? key & ~durableKey : nil
    }

    /// The bytes of the record, or `nil` if the transaction is too large for the log.
    private(set) var bytes: [UInt8]?
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
        var start: [UInt8] = []
        start.reserveCapacity(8 << 10)
        start.append(contentsOf: repeatElement(0, count: Self.headSize))
        bytes = start
    }

    /// Adds the stored bytes of a key.
    mutating func put(_ key: UInt64, _ stored: UnsafeRawBufferPointer) {
        append(key, UInt32(stored.count), stored: stored)
    }

    mutating func remove(_ key: UInt64) {
        append(key, Self.removed, stored: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    private mutating func append(_ key: UInt64, _ size: UInt32, stored: UnsafeRawBufferPointer) {
        guard let count = bytes?.count else { return }
        guard count + 12 + stored.count <= limit else {
            bytes = nil
            return
        }
        withUnsafeBytes(of: key.littleEndian) { bytes!.append(contentsOf: $0) }
        withUnsafeBytes(of: size.littleEndian) { bytes!.append(contentsOf: $0) }
        bytes!.append(contentsOf: stored)
    }

    /// Returns the complete record, or `nil` if it is too large.
    ///
    /// - Parameter durable: the newest version that was on the disk before this record was written.
    mutating func finish(_ salt: CommitLogSalt, version: UInt64, durable: UInt64) -> [UInt8]? {
        remove(Self.durableKey | durable)
        guard let size = bytes?.count else { return nil }
        bytes!.withUnsafeMutableBytes { raw in
            raw.storeBytes(of: Self.magic.littleEndian, toByteOffset: 0, as: UInt32.self)
            raw.storeBytes(of: salt.first.littleEndian, toByteOffset: 8, as: UInt64.self)
            raw.storeBytes(of: salt.second.littleEndian, toByteOffset: 16, as: UInt64.self)
            raw.storeBytes(of: version.littleEndian, toByteOffset: 24, as: UInt64.self)
            raw.storeBytes(of: UInt64(size - Self.headSize).littleEndian, toByteOffset: 32, as: UInt64.self)
            let checksum = fh_checksum(0, raw.baseAddress! + 8, size - 8)
            raw.storeBytes(of: checksum.littleEndian, toByteOffset: 4, as: UInt32.self)
        }
        return bytes
    }

    /// Returns the offset of the record after one of this size.
    static func end(_ offset: Int, size: Int) -> Int {
        (offset + size + CommitLogFile.pageSize - 1) / CommitLogFile.pageSize * CommitLogFile.pageSize
    }

    // MARK: Reading

    /// Returns the version of a generation's record, from the record's head. Returns `nil` if the bytes aren't the head of such a record.
    static func version(_ head: [UInt8], _ salt: CommitLogSalt) -> UInt64? {
        let version = head.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
        }
        return payloadSize(head, salt, version: version) == nil ? nil : version
    }

    /// Returns the newest version that was on the disk before the record was written. Returns `nil` for records of Freehold versions that didn't
    /// store it.
    static func durableVersion(_ payload: ArraySlice<UInt8>) throws(EngineError) -> UInt64? {
        var found: UInt64?
        _ = try forEachKey(payload) { key, stored in
            if stored == nil, let version = durableVersion(key) { found = version }
        }
        return found
    }

    static func payloadSize(_ head: [UInt8], _ salt: CommitLogSalt, version: UInt64) -> Int? {
        head.withUnsafeBytes { raw in
            func word(_ offset: Int) -> UInt64 {
                UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
            guard UInt32(truncatingIfNeeded: word(0)) == magic, word(8) == salt.first, word(16) == salt.second,
                word(24) == version, word(32) < 1 << 40
            else { return nil }
            return Int(word(32))
        }
    }

    static func isValid(_ whole: [UInt8]) -> Bool {
        whole.withUnsafeBytes { raw in
            let checksum = UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
            return fh_checksum(0, raw.baseAddress! + 8, raw.count - 8) == checksum
        }
    }

    /// Calls `body` with each change in its order: the bytes that were put, or `nil` if a key was removed.
    ///
    /// - Returns: false if the payload is invalid.
    static func forEach(
        _ payload: ArraySlice<UInt8>,
        _ body: (UInt64, UnsafeRawBufferPointer?) throws(EngineError) -> Void
    ) throws(EngineError) -> Bool {
        try forEachKey(payload) { (key, stored) throws(EngineError) in
            if stored != nil || durableVersion(key) == nil { try body(key, stored) }
        }
    }

    /// Calls `body` like `forEach`, and also with the key that states the durable version.
    private static func forEachKey(
        _ payload: ArraySlice<UInt8>,
        _ body: (UInt64, UnsafeRawBufferPointer?) throws(EngineError) -> Void
    ) throws(EngineError) -> Bool {
        try withUnsafeBytesOf(Array(payload)) { (raw) throws(EngineError) in
            var at = 0
            while at < raw.count {
                guard raw.count - at >= 12 else { return false }
                let key = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: at, as: UInt64.self))
                let size = UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: at + 8, as: UInt32.self))
                at += 12
                if size == removed {
                    try body(key, nil)
                    continue
                }
                guard raw.count - at >= Int(size) else { return false }
                try body(key, UnsafeRawBufferPointer(rebasing: raw[at..<at + Int(size)]))
                at += Int(size)
            }
            return true
        }
    }
}
