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

/// A random number that distinguishes one generation of a file's commit log from all others.
struct CommitLogSalt: Hashable, Sendable {
    static let size = 16

    let first: UInt64
    let second: UInt64

    static func random() -> CommitLogSalt {
        CommitLogSalt(first: .random(in: 1 ... .max), second: .random(in: 0 ... .max))
    }
}

/// A mark in the data file which states that the newest commits are in a commit log, and in which generation.
///
/// It is in the file's first page, after LMDB's root. LMDB writes there only when it creates a file. The mark can therefore be read before LMDB
/// opens the file, and written without a transaction.
struct CommitLogMark: Hashable, Sendable {
    let generation: UInt64
    let salt: CommitLogSalt

    enum Content: Equatable {
        /// The file is complete without a log.
        case clear
        case set(CommitLogMark)
        /// The bytes are neither zeros nor a valid mark.
        case damaged
    }

    private static let offset = 2048
    private static let size = 36
    private static let magic: UInt64 = 0x474F_4C54_4D43_4846  // "FHCMTLOG"

    static func read(_ descriptor: Int32) -> Content {
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { bytes in
            guard pread(descriptor, bytes.baseAddress, size, off_t(offset)) == size else { return .clear }
            let magic = UInt64(littleEndian: bytes.load(as: UInt64.self))
            guard magic == Self.magic else { return bytes.allSatisfy { $0 == 0 } ? .clear : .damaged }
            let checksum = UInt32(littleEndian: bytes.load(fromByteOffset: 32, as: UInt32.self))
            guard fh_checksum(0, bytes.baseAddress, 32) == checksum else { return .damaged }
            func word(_ offset: Int) -> UInt64 {
                UInt64(littleEndian: bytes.load(fromByteOffset: offset, as: UInt64.self))
            }
            return .set(CommitLogMark(generation: word(8), salt: CommitLogSalt(first: word(16), second: word(24))))
        }
    }

    /// Writes the mark, or zeros, and waits until it is on the disk. After an error, it is unknown which of the two is on the disk.
    static func write(_ mark: CommitLogMark?, to descriptor: Int32) -> Int32 {
        var w = ByteWriter()
        if let mark {
            w.fixed(magic)
            w.fixed(mark.generation)
            w.fixed(mark.salt.first)
            w.fixed(mark.salt.second)
            w.fixed(w.bytes.withUnsafeBytes { fh_checksum(0, $0.baseAddress, $0.count) })
        } else {
            w.raw([UInt8](repeating: 0, count: size))
        }
        let code = w.bytes.withUnsafeBytes { CommitLogFile.write($0, to: descriptor, at: offset) }
        return code == 0 ? fh_sync(descriptor) : code
    }
}
