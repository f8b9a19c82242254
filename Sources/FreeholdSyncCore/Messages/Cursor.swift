/// The position of a client in a stream: the version, and the history that the version belongs to (sync-design.md,
/// section 9). Two different cursors with equal versions belong to two histories. Two histories exist if the store was
/// restored or copied, or if a standby of its database was promoted before it had received all commits.
public struct Cursor: Hashable, Sendable {
    /// The epoch of the store. A copy of a store has a new epoch.
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

/// A hash of a growing sequence, such as a stream's log or the commits of a file.
///
/// Only the owner of the sequence computes the hash. Other programs only compare hashes, so the algorithm isn't part of
/// the protocol. The hash detects copies and restored backups. It doesn't detect forgery.
public struct RunningHash: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The hash of the empty sequence.
    public static let empty = RunningHash(high: 0, low: 0)

    /// Returns the hash of this sequence with one more item.
    ///
    /// - Parameters:
    ///   - bytes: The item.
    ///   - salt: Random bits that make equal items of two files different. 0 for none.
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
