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

/// The newest root of a data file, read from its two meta pages. It is read before LMDB opens (and maps) the file. A file that would cause a fault on
/// access is refused and left unchanged.
struct FileHeader: Equatable, Sendable {
    let pageSize: Int
    let mapSize: UInt64
    let lastPage: UInt64
    let version: UInt64

    /// The minimum length of the file in bytes.
    var requiredSize: UInt64 { (lastPage + 1) * UInt64(pageSize) }

    enum Content: Equatable {
        case empty
        /// The file contains only a part of the bytes with which LMDB creates a file. It never had a version.
        case unfinished
        case valid(FileHeader)
        /// The file is invalid, with the reason.
        case invalid(String, EngineError.Detail? = nil)
    }

    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let dataVersion: UInt32 = 1
    private static let metaPageFlag: UInt16 = 0x08
    private static let noPage = UInt64.max
    /// The maximum number of bytes that a process can map. Calculations with smaller sizes don't overflow.
    private static let maximumSize: UInt64 = 1 << 47
    /// The size of a page header and a meta record.
    static let metaSize = 16 + 136

    static func read(_ descriptor: Int32) throws(EngineError) -> Content {
        var content = try readOnce(descriptor)
        // Another process may be creating the file or writing a root.
        for _ in 0..<10 {
            switch content {
            case .empty, .valid: return content
            case .invalid: guard try startsLikeLMDB(descriptor) else { return content }
            case .unfinished: break
            }
            usleep(2000)
            content = try readOnce(descriptor)
        }
        return content
    }

    private static func startsLikeLMDB(_ descriptor: Int32) throws(EngineError) -> Bool {
        guard let meta = try meta(descriptor, at: 0) else { return false }
        return meta.loadUnaligned(fromByteOffset: 16, as: UInt32.self) == magic
    }

    private static func readOnce(_ descriptor: Int32) throws(EngineError) -> Content {
        if try size(of: descriptor) == 0 { return .empty }
        if try isRealms(descriptor) { return .invalid(realmsFile, .foreignFile) }
        if try isUnfinished(descriptor) { return .unfinished }
        guard let first = try meta(descriptor, at: 0) else {
            return .invalid("The file is too short to be a database.", .foreignFile)
        }
        let pageSize = Int(first.loadUnaligned(fromByteOffset: 16 + 24, as: UInt32.self))
        let one: FileHeader
        switch parse(first, index: 0, pageSize: pageSize) {
        case .success(let header): one = header
        case .failure(let reason): return .invalid(reason.text, reason.detail)
        }
        guard let second = try meta(descriptor, at: pageSize) else { return .invalid("The file is truncated.") }
        let other: FileHeader
        switch parse(second, index: 1, pageSize: pageSize) {
        case .success(let header): other = header
        case .failure(let reason): return .invalid(reason.text, reason.detail)
        }
        // If both versions are equal, LMDB takes the first root.
        let isSecond = other.version > one.version
        let newest = isSecond ? other : one
        // Two commits of another process between the two reads have the same effect. In this case, `read` tries again.
        guard one.isNeighbour(of: other) else { return .invalid(apart) }
        if let reason = checkRoots(isSecond ? second : first, newest) {
            return .invalid(reason.text, reason.detail)
        }
        // The size is read after the root, because a concurrent commit can only make the file longer.
        let size = try size(of: descriptor)
        guard size >= newest.requiredSize else {
            return .invalid(
                "The file is truncated: it has \(size) of the \(newest.requiredSize) bytes that its newest version needs."
            )
        }
        return .valid(newest)
    }

    /// The message if the two roots aren't those of neighbouring versions.
    private static let apart =
        "The file is damaged: its two roots aren't of neighbouring versions, so one of them is an older one that was put back, or its write was lost. Put a backup in its place."

    /// Returns whether this root and the other one can be the two roots of a file.
    ///
    /// Each commit replaces the older root, and a root is on the disk before the next one is written, so the versions are
    /// neighbours. A new file has version 0 in both.
    private func isNeighbour(of other: FileHeader) -> Bool {
        let (older, newer) = (min(version, other.version), max(version, other.version))
        return newer == 0 || newer - older == 1
    }

    private static let realmsFile =
        "This file was written by Realm, not by Freehold. Make a Freehold file of it: "
        + "`freehold import NEW --from-realm OLD`, or `Realm.importRealmFile(at:to:)` of the product FreeholdImport."

    /// Returns whether the file has the mark of Realm's files.
    private static func isRealms(_ descriptor: Int32) throws(EngineError) -> Bool {
        var mark = [UInt8](repeating: 0, count: 4)
        let count = mark.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 16) }
        guard count >= 0 else { throw .system(errno, "The file can't be read.") }
        return mark.elementsEqual("T-DB".utf8)
    }

    /// The maximum length of a file whose creation was interrupted.
    private static let unfinishedLimit: UInt64 = 4 << 20

    /// Returns whether the file begins with the first page of a new file, or with a part of it, and its second page is incomplete.
    ///
    /// A file with a later version than the first, even if it contains only the header, has a version in its first page.
    static func isUnfinished(_ descriptor: Int32) throws(EngineError) -> Bool {
        let size = try size(of: descriptor)
        guard size <= unfinishedLimit else { return false }
        var bytes = [UInt8](repeating: 0, count: metaSize)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw .system(errno, "The file can't be read.") }
        for i in 0..<min(count, metaSize) {
            if let expected = newMeta[i], bytes[i] != expected { return false }
        }
        guard count == metaSize else { return true }
        let pageSize = Int(bytes.loadUnaligned(fromByteOffset: 16 + 24, as: UInt32.self))
        guard pageSize >= 512, pageSize <= 65536, let second = try meta(descriptor, at: pageSize) else {
            return size < UInt64(pageSize + metaSize)
        }
        switch parse(second, index: 1, pageSize: pageSize) {
        case .success(let header): return header.version == 0 && size < UInt64(2 * pageSize)
        case .failure: return true
        }
    }

    /// The bytes with which LMDB begins a new file. `nil` stands for bytes that depend on the way in which it was opened.
    private static let newMeta: [UInt8?] = {
        var out = [UInt8?](repeating: 0, count: metaSize)
        func put<T: FixedWidthInteger>(_ value: T, at offset: Int) {
            withUnsafeBytes(of: value) { for (i, byte) in $0.enumerated() { out[offset + i] = byte } }
        }
        put(metaPageFlag, at: 10)
        put(magic, at: 16)
        put(dataVersion, at: 20)
        // The size of the map, the page size and flags.
        for i in 32..<46 { out[i] = nil }
        put(noPage, at: 16 + 24 + 40)
        put(noPage, at: 16 + 72 + 40)
        put(UInt64(1), at: 16 + 120)
        return out
    }()

    private struct Reason: Error {
        let text: String
        var detail: EngineError.Detail?
    }

    private static let foreign = Reason(text: "The file isn't a Freehold database.", detail: .foreignFile)
    private static let damaged = Reason(text: "The file's header is damaged.")

    private static func parse(_ bytes: [UInt8], index: UInt64, pageSize: Int) -> Result<FileHeader, Reason> {
        func word(_ offset: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        guard bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self) == magic,
            bytes.loadUnaligned(fromByteOffset: 20, as: UInt32.self) == dataVersion
        else { return .failure(index == 0 ? foreign : damaged) }
        guard bytes.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == metaPageFlag,
            pageSize >= 512, pageSize <= 65536, pageSize & (pageSize - 1) == 0,
            bytes.loadUnaligned(fromByteOffset: 16 + 24, as: UInt32.self) == UInt32(pageSize)
        else { return .failure(damaged) }
        let lastPage = word(16 + 120)
        let version = word(16 + 128)
        guard lastPage >= 1, lastPage < maximumSize / UInt64(pageSize), version == 0 || version & 1 == index else {
            return .failure(damaged)
        }
        return .success(
            FileHeader(pageSize: pageSize, mapSize: word(16 + 16), lastPage: lastPage, version: version)
        )
    }

    /// Checks the roots of the newest version only. If the write of a root failed, LMDB restores the old version number but leaves the new roots in
    /// that page.
    private static func checkRoots(_ bytes: [UInt8], _ header: FileHeader) -> Reason? {
        func word(_ offset: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        let main = word(16 + 72 + 40)
        for root in [word(16 + 24 + 40), main] where root != noPage {
            // A new file consists of the two roots only.
            guard root > 1, root <= header.lastPage, header.version > 0 else { return damaged }
        }
        let flags = bytes.loadUnaligned(fromByteOffset: 16 + 72 + 4, as: UInt16.self)
        return flags == UInt16(MDB_INTEGERKEY) || main == noPage && flags == 0 ? nil : foreign
    }

    private static func size(of descriptor: Int32) throws(EngineError) -> UInt64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno, "The file's size can't be read.") }
        return UInt64(status.st_size)
    }

    /// Returns one of LMDB's root pages, up to the last byte that LMDB uses.
    static func meta(_ descriptor: Int32, at offset: Int) throws(EngineError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: metaSize)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        guard count >= 0 else { throw .system(errno, "The file can't be read.") }
        return count == metaSize ? bytes : nil
    }
}

extension [UInt8] {
    fileprivate func loadUnaligned<T: BitwiseCopyable>(fromByteOffset offset: Int, as type: T.Type) -> T {
        withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }
}
