#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// The pages of an encrypted file, which are decrypted at their first read.
///
/// Before each 64 pages of data, the file has a page with two pairs for each of them. A pair consists of an
/// initialization number and the code of the encrypted bytes. The first pair is the newest, and the second is the one
/// before it, for an interrupted write.
final class DecryptedPages {
    let base: UnsafeMutableRawPointer
    /// The number of bytes without the pages of codes.
    let count: Int
    private let descriptor: Int32
    private let decryption: BlockDecryption
    private let codes: MessageCode
    private var isDecrypted: [Bool]
    private var decryptedCount = 0
    private var codePage: (number: Int, bytes: [UInt8]) = (-1, [])

    static let pageSize = 4096
    private static let pagesAGroup = 64

    init(_ file: Int32, fileSize: Int, key: [UInt8]) throws(RealmFileError) {
        guard key.count == 64 else {
            throw RealmFileError(.wrongKey, "A Realm file's key has 64 bytes; this one has \(key.count).")
        }
        let pages = fileSize / Self.pageSize
        let groups = (pages + Self.pagesAGroup) / (Self.pagesAGroup + 1)
        count = max(0, pages - groups) * Self.pageSize
        guard count > 0 else {
            throw RealmFileError(.notARealmFile, "The file is too short to be an encrypted Realm file.")
        }
        decryption = BlockDecryption(key: Array(key[..<32]))
        codes = MessageCode(key: Array(key[32...]))
        isDecrypted = Array(repeating: false, count: count / Self.pageSize)
        let map = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let map, map != MAP_FAILED else {
            throw RealmFileError(.io, "There is no room in memory for the decrypted file.")
        }
        let own = dup(file)
        guard own >= 0 else {
            munmap(map, count)
            throw RealmFileError(.io, "The file can't be kept open: \(String(cString: strerror(errno))).")
        }
        base = map
        descriptor = own
    }

    deinit {
        munmap(base, count)
        close(descriptor)
    }

    /// - Precondition: The range is within `count`.
    @inline(__always)
    func decrypt(at offset: Int, length: Int) throws(RealmFileError) {
        var page = offset / Self.pageSize
        let end = (offset + max(length, 1) - 1) / Self.pageSize
        while page <= end, page < isDecrypted.count {
            if !isDecrypted[page] { try decrypt(page) }
            page += 1
        }
    }

    func release(over limit: Int) {
        guard decryptedCount * Self.pageSize > limit else { return }
        madvise(base, count, MADV_DONTNEED)
        for i in isDecrypted.indices { isDecrypted[i] = false }
        decryptedCount = 0
    }

    private func decrypt(_ page: Int) throws(RealmFileError) {
        let group = page / Self.pagesAGroup
        if codePage.number != group {
            codePage = (group, try read(at: group * (Self.pagesAGroup + 1) * Self.pageSize))
        }
        let entry = page % Self.pagesAGroup * 64
        let place = (page + group + 1) * Self.pageSize
        let target = base + page * Self.pageSize
        let isWritten = codePage.bytes[entry..<(entry + 4)].contains { $0 != 0 }
        if isWritten {
            let sealed = try read(at: place)
            let code = codes.code(of: sealed)
            var at: Int?
            for pair in [entry, entry + 32] where code.elementsEqual(codePage.bytes[(pair + 4)..<(pair + 32)]) {
                at = at ?? pair
            }
            guard let at else {
                if page == 0 {
                    throw RealmFileError(.wrongKey, "The key doesn't open the file, or the file isn't encrypted.")
                }
                throw .damaged("a page's code doesn't fit", at: place)
            }
            var vector = [UInt8](repeating: 0, count: 16)
            vector.replaceSubrange(0..<4, with: codePage.bytes[at..<(at + 4)])
            for i in 0..<8 { vector[4 + i] = UInt8(truncatingIfNeeded: page * Self.pageSize >> (8 * i)) }
            decryption.decrypt(sealed, vector: vector, to: target)
        }
        isDecrypted[page] = true
        decryptedCount += 1
    }

    private func read(at place: Int) throws(RealmFileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.pageSize)
        var done = 0
        while done < Self.pageSize {
            let n = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress! + done, Self.pageSize - done, off_t(place + done))
            }
            if n < 0, errno == EINTR { continue }
            guard n > 0 else { throw .damaged("a page goes beyond the file's end", at: place) }
            done += n
        }
        return bytes
    }
}
