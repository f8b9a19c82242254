internal import Synchronization

/// The change records of past commits, in the file: block = version << 8 | part. Trimmed behind the slowest reader,
/// and capped in versions and bytes: who is behind the cap compares states instead.
enum History {
    static let maximumVersions: UInt64 = 1000
    /// Records are cut off beyond this: their readers compare instead.
    static let maximumParts = 129
    private static let partSize = BlockLimits.maximumSize

    static func append(
        _ record: [UInt8],
        to writer: StorageWriter,
        version: UInt64,
        slowestReader: () -> UInt64
    ) throws(EngineError) {
        var bytes = record
        if bytes.count > ChangeRecord.maximumSize { bytes = [0] }
        var part: UInt64 = 0
        var at = 0
        while at < bytes.count {
            let end = min(bytes.count, at + partSize)
            let address = BlockAddress(segment: Catalogue.historySegment, number: version << 8 | part)
            let slice = Array(bytes[at..<end])
            try withUnsafeBytesOf(slice) { (raw) throws(EngineError) in try writer.put(address, raw) }
            at = end
            part += 1
        }
        guard version % 16 == 0 || bytes.count > 1 << 16 else { return }
        let oldest = version > maximumVersions ? version - maximumVersions : 0
        try trim(writer, before: max(oldest, min(slowestReader(), version)))
    }

    /// Removes the oldest records, at most a few at a time so that no commit pays for many.
    private static func trim(_ writer: StorageWriter, before version: UInt64) throws(EngineError) {
        guard version > 0 else { return }
        var old: [UInt64] = []
        try writer.forEach(segment: Catalogue.historySegment) { number, _ in
            guard number >> 8 < version, old.count < 64 else { return false }
            old.append(number)
            return true
        }
        for number in old {
            try writer.remove(BlockAddress(segment: Catalogue.historySegment, number: number))
        }
    }
}

extension Snapshot {
    /// Returns the record of a commit up to this version, or `nil` if the history no longer has it, or it was too large.
    public func changes(ofVersion version: UInt64) -> ChangeRecord? {
        guard version > 0, version <= self.version else { return nil }
        var bytes: [UInt8] = []
        for part in 0..<UInt64(History.maximumParts) {
            let address = BlockAddress(segment: Catalogue.historySegment, number: version << 8 | part)
            guard let stored = storedBlock(address) else { break }
            let size = bytes.count
            // Who has no record compares.
            guard let block = core.envelope.bytes(stored, at: address) else { return nil }
            bytes += block
            if bytes.count - size < BlockLimits.maximumSize { break }
        }
        guard bytes.count > 1 else { return nil }
        // Of tables that have been dropped since nothing is known: such a record is done without.
        let limit = schema.tables.map { tableState($0).nextKey }.max() ?? 0
        return bytes.withUnsafeBytes { ChangeRecord.decode($0, version: version, keysBelow: limit) }
    }
}
