internal import Synchronization

/// The change records of past commits in the file. The number of a block is version << 8 | part. Records that are older than all readers are removed,
/// and the number of versions and bytes is limited. Readers without a record compare the states instead.
enum History {
    static let maximumVersions: UInt64 = 1000
    /// The maximum number of a record's parts. Longer records are cut off, and their readers compare the states instead.
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

    /// Removes the oldest records. A call removes only a few, so that the cost is distributed over the commits.
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
    /// Returns the record of a commit up to this version, or `nil` if the history doesn't contain it any more, or if it was too large.
    public func changes(ofVersion version: UInt64) -> ChangeRecord? {
        guard version > 0, version <= self.version else { return nil }
        var bytes: [UInt8] = []
        for part in 0..<UInt64(History.maximumParts) {
            let address = BlockAddress(segment: Catalogue.historySegment, number: version << 8 | part)
            guard let stored = storedBlock(address) else { break }
            let size = bytes.count
            // A reader without a record compares the states.
            guard let block = core.envelope.bytes(stored, at: address) else { return nil }
            bytes += block
            if bytes.count - size < BlockLimits.maximumSize { break }
        }
        guard bytes.count > 1 else { return nil }
        // The keys in tables that have been dropped since can't be checked, so such records aren't used.
        let limit = schema.tables.map { tableState($0).nextKey }.max() ?? 0
        return bytes.withUnsafeBytes { ChangeRecord.decode($0, version: version, keysBelow: limit) }
    }
}
