#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// The bytes of a Realm file, without the data that the encryption adds. They are mapped for reading, or decrypted page
/// by page to reserved address space at their first read.
final class FileBytes {
    let count: Int
    private let base: UnsafeRawPointer?
    private let mappedCount: Int
    private var pages: DecryptedPages?
    private let file: OpenFile
    /// The first bytes of the file. A commit changes its header or, if the file is encrypted, the code of the header.
    private let mark: [UInt8]

    /// The number of bytes of decrypted pages that are kept before `release` frees them.
    static let keptBytes = 64 << 20

    init(path: String, key: [UInt8]?) throws(RealmFileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.system("The file can't be opened", at: path) }
        file = OpenFile(descriptor)
        mark = Self.mark(descriptor, isEncrypted: key != nil)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.system("The file's size can't be read", at: path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw RealmFileError(.notARealmFile, "This isn't a file.", path: path)
        }
        let size = Int(status.st_size)
        if let key {
            let pages = try DecryptedPages(descriptor, fileSize: size, key: key)
            base = UnsafeRawPointer(pages.base)
            count = pages.count
            mappedCount = 0
            self.pages = pages
            return
        }
        count = size
        mappedCount = size
        guard size > 0 else {
            base = nil
            return
        }
        guard let map = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), map != MAP_FAILED else {
            throw Self.system("The file can't be mapped", at: path)
        }
        base = UnsafeRawPointer(map)
    }

    deinit { if mappedCount > 0, let base { munmap(UnsafeMutableRawPointer(mutating: base), mappedCount) } }

    var isEncrypted: Bool { pages != nil }

    /// A Boolean value that indicates whether a version has been written since the file was opened.
    var isChanged: Bool { Self.mark(file.descriptor, isEncrypted: isEncrypted) != mark }

    private static func mark(_ descriptor: Int32, isEncrypted: Bool) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: isEncrypted ? 64 : 24)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return Array(bytes.prefix(max(0, count)))
    }

    /// Returns the address of a range of the file, which is valid until `release`.
    @inline(__always)
    func address(of offset: Int, length: Int) throws(RealmFileError) -> UnsafeRawPointer {
        guard offset >= 0, length >= 0, offset <= count, length <= count - offset, let base else {
            throw .damaged("\(length) bytes go beyond the file's end", at: offset)
        }
        if let pages { try pages.decrypt(at: offset, length: length) }
        return base + offset
    }

    /// Frees memory. If many pages are decrypted, it frees them, and addresses from `address` become invalid. For a
    /// mapped file, it frees pages, which are loaded again when they are read.
    func release() {
        if let pages { return pages.release(over: Self.keptBytes) }
        if mappedCount > 0, let base { madvise(UnsafeMutableRawPointer(mutating: base), mappedCount, MADV_DONTNEED) }
    }

    private static func system(_ what: String, at path: String) -> RealmFileError {
        let code: RealmFileError.Code =
            switch errno {
            case ENOENT, ENOTDIR: .fileNotFound
            case EACCES, EPERM: .permissionDenied
            default: .io
            }
        return RealmFileError(code, "\(what): \(String(cString: strerror(errno))).", path: path)
    }
}

/// The owner of a file descriptor. It closes the descriptor when it is released, even if the initialiser of another
/// object has failed.
private final class OpenFile {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}
