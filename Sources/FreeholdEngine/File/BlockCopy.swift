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

/// A writer of a file that contains the blocks of one version, in their order and without free pages.
///
/// The memory use doesn't depend on the file's size. The history of changes isn't copied, and the versions of the new file are counted from the
/// beginning. Blocks of an encrypted file are decrypted and then encrypted with the copy's own keys.
///
/// The file is written under a temporary name beside its destination and flushed. Then it receives its name, so that a killed process doesn't leave a
/// partial database under that name.
struct BlockCopy {
    /// The source of the blocks.
    struct Source {
        let header: DatabaseHeader
        let envelope: BlockEnvelope
        /// The number of bytes that the copy may need.
        let room: UInt64
        /// The pages that lead to the blocks. They are checked first, so that no block is missed. The value is `nil` if LMDB reads the pages without
        /// a check.
        var trees: PageMap.Trees?
        /// The digest of the blocks, or `nil` if the blocks aren't committed or the file doesn't have a digest.
        var digest: FileDigest?
        /// A Boolean value that indicates whether the journal is omitted, too.
        var leavesJournal = false
    }

    /// A sum that shows whether a copy has the blocks that were written to it. The history isn't counted.
    struct Sum: Equatable {
        private(set) var count = 0
        private(set) var checksums: UInt64 = 0

        /// - Parameter block: the decrypted block.
        mutating func add(_ block: UnsafeRawBufferPointer, at address: BlockAddress) {
            count += 1
            checksums &+= UInt64(fh_block_checksum(address.raw, block.baseAddress, block.count))
        }
    }

    /// The path of the destination, without symbolic links.
    let path: String
    private let temporaryPath: String
    /// The maximum number of bytes in one of LMDB's transactions.
    private static let batch = 16 << 20

    /// - Parameter temporaryPath: the temporary path, or `nil` for a unique name.
    init(to path: String, temporaryPath: String? = nil) throws(EngineError) {
        self.path = try StorageEnvironment.canonicalPath(path)
        self.temporaryPath = temporaryPath ?? Self.freshName(self.path)
    }

    /// A temporary name consists of the destination's name, this mark, the process identifier and a number of this many digits of base 36.
    private static let mark = ".copy-"
    private static let digits = 13

    private static func freshName(_ path: String) -> String {
        let number = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        return "\(path)\(mark)\(getpid())-" + String(repeating: "0", count: digits - number.count) + number
    }

    /// Removes the temporary files of processes that were killed while they copied to a path.
    ///
    /// - Parameter path: the path without symbolic links.
    static func removeLeftovers(_ path: String) {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        let (folder, prefix) = (String(path[...slash]), path[slash...].dropFirst() + mark)
        guard let listing = opendir(folder) else { return }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { bytes in
                bytes.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
            }
            guard name.hasPrefix(prefix), let process = copier(name.dropFirst(prefix.count)) else { continue }
            if kill(process, 0) != 0, errno == ESRCH { unlink(folder + name) }
        }
    }

    /// Returns the process identifier in the end of a temporary name, or `nil` if the name isn't a temporary name.
    private static func copier(_ end: Substring) -> pid_t? {
        let parts = end.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let process = pid_t(parts[0]), process > 0, parts[1].count == digits,
            parts[1].allSatisfy({ $0.isASCII && ($0.isNumber || $0.isLowercase) })
        else { return nil }
        return process
    }

    /// - Throws: `.fileExists` if a file has the destination's name.
    func checkDestination() throws(EngineError) {
        var status = stat()
        guard lstat(path, &status) != 0 else { throw existing }
    }

    private var existing: EngineError {
        EngineError(
            .fileExists,
            "There is something at the copy's destination. Choose another, or remove it.",
            path: path
        )
    }

    /// Writes the file under its temporary name.
    ///
    /// - Parameters:
    ///   - key: the key with which the copy is encrypted, or `nil` for a plain file.
    ///   - mode: the permissions of the file.
    ///   - next: returns the blocks of the source from an address on. An empty result is the end.
    /// - Returns: the sum of the written blocks.
    /// - Throws: `.invalidDatabase` if a block of the source is damaged.
    @discardableResult
    func write(
        from source: Source,
        key: EncryptionKey?,
        mode: mode_t,
        faults: FaultInjector?,
        _ next: (BlockAddress) throws(EngineError) -> BlockRun
    ) throws(EngineError) -> Sum {
        do throws(EngineError) {
            if let trees = source.trees {
                var check = PageCheck(trees)
                check.checkBlockPages()
                if let problem = check.problems.first { throw Damage.error(problem, path: path) }
            }
            Self.removeLeftovers(path)
            try makeEmptyFile()
            let options = StorageOptions(expectedSize: source.room, isPrivate: true, faults: faults)
            let target = try StorageEnvironment.open(path: temporaryPath, options: options)
            defer { target.close() }
            let (header, envelope) = try source.header.copied.sealed(key, path: path)
            target.order = header.order
            let sum = try copy(next, to: target, from: source, envelope: envelope, header: header.encoded())
            try target.writer.sync { () throws(EngineError) in target.trim() }
            try target.sync()
            guard fchmod(target.descriptor, mode & 0o777) == 0 else {
                throw .system(errno, "The copy can't be given its permissions.", path: temporaryPath)
            }
            return sum
        } catch {
            discard()
            throw error
        }
    }

    /// Creates the file. Other users can't read it until it receives its permissions.
    private func makeEmptyFile() throws(EngineError) {
        unlink(temporaryPath)
        let descriptor = Platform.open(temporaryPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode: 0o600)
        guard descriptor >= 0 else { throw .system(errno, "The copy can't be made.", path: path) }
        Platform.close(descriptor)
    }

    private func copy(
        _ next: (BlockAddress) throws(EngineError) -> BlockRun,
        to target: StorageEnvironment,
        from source: Source,
        envelope new: BlockEnvelope,
        header: [UInt8]
    ) throws(EngineError) -> Sum {
        var sum = Sum()
        var from = BlockAddress(raw: 0)
        var writer: StorageWriter?
        var pending = 0
        var found = FileDigest()
        func commit() throws(EngineError) {
            guard let open = writer else { return }
            writer = nil
            pending = 0
            try target.writer.sync { () throws(EngineError) in _ = try open.commit() }
        }
        while true {
            let run = try next(from)
            guard let last = run.last else { break }
            try target.writer.sync { () throws(EngineError) in
                if writer == nil { writer = try target.beginWrite(new) }
                let open = writer!
                for (address, stored) in run where address.segment != Catalogue.historySegment {
                    pending += stored.count
                    if address == DatabaseHeader.address {
                        try withUnsafeBytesOf(header) { (raw) throws(EngineError) in try open.put(address, raw) }
                        continue
                    }
                    let isSound: Void? = try source.envelope.withBlock(stored, at: address) {
                        (block) throws(EngineError) in
                        if source.leavesJournal {
                            if Catalogue.isJournal(address) { return }
                            if address == Catalogue.rootAddress, let root = CatalogueRoot.decode(block), root.hasJournal
                            {
                                try withUnsafeBytesOf(root.withoutJournal.encoded()) { (raw) throws(EngineError) in
                                    sum.add(raw, at: address)
                                    try open.put(address, raw)
                                }
                                return
                            }
                        }
                        sum.add(block, at: address)
                        try open.put(address, block)
                    }
                    guard isSound != nil else { throw source.envelope.damage(address, path: path) }
                    found.add(source.envelope.stamp(stored, at: address))
                }
            }
            if pending >= Self.batch { try commit() }
            guard last.address.raw < .max else { break }
            // The history is skipped without being read.
            let isHistory = last.address.segment == Catalogue.historySegment
            from =
                isHistory
                ? BlockAddress(segment: Catalogue.historySegment + 1, number: 0)
                : BlockAddress(raw: last.address.raw + 1)
        }
        if let expected = source.digest {
            found.version = expected.version
            guard found == expected else { throw EngineError(.invalidDatabase, FileDigest.mismatch, path: path) }
        }
        try commit()
        return sum
    }

    /// Reads the file under its temporary name and compares it.
    ///
    /// - Parameter sum: the sum of the blocks that were written.
    /// - Throws: `.invalidDatabase` if the file has other blocks. After an error, all files of the copy have been deleted.
    func check(_ sum: Sum, key: EncryptionKey?) throws(EngineError) {
        do throws(EngineError) {
            let options = StorageOptions(readOnly: true, immutable: true)
            let made = try StorageEnvironment.open(path: temporaryPath, options: options)
            defer { made.close() }
            let reader = try made.beginRead()
            if let trees = reader.trees {
                var check = PageCheck(trees)
                check.checkAll()
                if let problem = check.problems.first { throw Damage.error(problem, path: temporaryPath) }
            }
            let source = try Database.copySource(reader, key)
            var found = Sum()
            var from = BlockAddress(raw: 0)
            while true {
                let run = try reader.run(from: from)
                guard let last = run.last else { break }
                for (address, stored) in run
                where address.segment != Catalogue.historySegment && address != DatabaseHeader.address {
                    let isSound: Void? = try source.envelope.withBlock(stored, at: address) {
                        (block) throws(EngineError) in found.add(block, at: address)
                    }
                    guard isSound != nil else { throw source.envelope.damage(address, path: temporaryPath) }
                }
                from = BlockAddress(raw: last.address.raw + 1)
            }
            guard found == sum else { throw Damage.error("blocks of its copy are missing", path: path) }
        } catch {
            discard()
            throw error
        }
    }

    /// Renames the file to its destination.
    ///
    /// - Throws: `.fileExists` if a file with the destination's name was created in the meantime. After an error, all files of the copy have been
    ///   deleted.
    func finish() throws(EngineError) {
        if link(temporaryPath, path) == 0 {
            discard()
        } else {
            let code = errno
            // On file systems without hard links, the test for the name and the renaming can't be one step.
            guard code == EPERM || code == EOPNOTSUPP || code == ENOSYS else {
                discard()
                throw code == EEXIST ? existing : .system(code, "The copy can't be given its name.", path: path)
            }
            do throws(EngineError) { try checkDestination() } catch {
                discard()
                throw error
            }
            try takeName()
        }
        do throws(EngineError) { try flushFolder() } catch {
            unlink(path)
            throw error
        }
    }

    /// Replaces the file at the destination.
    func replace() throws(EngineError) {
        try takeName()
        try flushFolder()
    }

    private func takeName() throws(EngineError) {
        guard rename(temporaryPath, path) == 0 else {
            let code = errno
            discard()
            throw .system(code, "The copy can't be given its name.", path: path)
        }
    }

    func discard() { unlink(temporaryPath) }

    /// Flushes the folder so that the name survives a power failure.
    private func flushFolder() throws(EngineError) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = Platform.open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { Platform.close(descriptor) }
        // Some file systems can't flush folders.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else {
            throw .system(errno, "The folder can't be flushed.", path: path)
        }
        _ = fh_flush(descriptor)
    }
}

extension StorageEnvironment {
    /// The number of bytes that a copy may need. Encryption makes blocks longer, and the blocks of an open transaction aren't in the file yet.
    var copyRoom: UInt64 { max(fileSize * 2, info?.mapSize ?? 0) }

    /// The data file's permissions.
    var fileMode: mode_t {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_mode : 0o600
    }
}
