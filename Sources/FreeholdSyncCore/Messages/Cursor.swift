/// Up to where a client has a stream: which history of it, how far, and what that history was (sync-design.md, section 9).
///
/// Two cursors of one version that differ are of two histories: the store was restored, copied, or promoted too early.
public struct Cursor: Hashable, Sendable {
    /// A store gets a new one whenever it is copied.
    public let epoch: UInt64
    public let version: StreamVersion
    /// The running hash of the stream's log up to the version.
    public let hash: RunningHash

    public init(epoch: UInt64, version: StreamVersion, hash: RunningHash) {
        self.epoch = epoch
        self.version = version
        self.hash = hash
    }
}

/// A hash of a sequence that grows: of a stream's log, or of the commits of a file.
///
/// Who keeps the sequence makes it; everybody else only compares it. So its algorithm isn't part of the protocol. It
/// notices copies and restored backups, not forgery.
public struct RunningHash: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Of the empty sequence.
    public static let empty = RunningHash(high: 0, low: 0)

    /// The hash of this sequence and one thing more.
    ///
    /// - Parameters:
    ///   - bytes: the thing.
    ///   - salt: random bits, so that two files never make the same thing; 0 for none.
    /// - Complexity: O(*n*)
    public func appending(_ bytes: [UInt8], salt: UInt64 = 0) -> RunningHash {
        var (a, b) = (high ^ 0x9E37_79B9_7F4A_7C15, low ^ 0xD1B5_4A32_D192_ED03)
        func mix(_ word: UInt64) {
            a = Self.rotated((a ^ word) &* 0xFF51_AFD7_ED55_8CCD, 27) &+ b
            b = Self.rotated((b &+ word) &* 0xC4CE_B9FE_1A85_EC53, 31) ^ a
        }
        mix(salt)
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset + 8 <= bytes.count {
                mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
                offset += 8
            }
            var rest: UInt64 = 0
            for byte in bytes[offset...].reversed() { rest = rest << 8 | UInt64(byte) }
            mix(rest)
        }
        mix(UInt64(bytes.count))
        return RunningHash(high: Self.finished(a &+ b), low: Self.finished(b ^ Self.rotated(a, 17)))
    }

    private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 { word << count | word >> (64 - count) }

    private static func finished(_ word: UInt64) -> UInt64 {
        var word = (word ^ word >> 33) &* 0xFF51_AFD7_ED55_8CCD
        word = (word ^ word >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return word ^ word >> 33
    }
}
