import Foundation
import Testing

@testable import FreeholdEngine

/// The time and the process in the records of commits.
struct `Stamps of commits` {
    /// Returns a record and its bytes without the stamp, as earlier versions of the library wrote them.
    private func record(_ origin: CommitOrigin = .local) throws -> (record: ChangeRecord, earlier: [UInt8]) {
        let database = try Database.inMemory(identifier: UUID().uuidString)
        var transaction = try database.beginWrite()
        try transaction.applySchema([
            TableSpec("A", columns: [ColumnSpec("n", .int), ColumnSpec("l", .int, collection: .list)])
        ])
        _ = try transaction.commit()
        transaction = try database.beginWrite()
        transaction.origin = origin
        _ = try transaction.create(transaction.schema.tables[0])
        let made = try transaction.commit()
        let record = try require(made.changes(ofVersion: made.version))
        var earlier = record
        earlier.stamp = nil
        return (record, earlier.encoded())
    }

    private func decode(_ bytes: [UInt8], _ version: UInt64) -> ChangeRecord? {
        bytes.withUnsafeBytes { ChangeRecord.decode($0, version: version) }
    }

    @Test(arguments: [CommitOrigin.local, .applier(7)])
    func `a record has the time and the process, in at most 12 bytes`(origin: CommitOrigin) throws {
        let before = Journal.now()
        let (record, earlier) = try record(origin)
        let stamp = try require(record.stamp)
        expect((before...Journal.now()).contains(stamp.milliseconds))
        expectEqual(stamp.processIdentifier, ProcessInfo.processInfo.processIdentifier)
        let bytes = record.encoded()
        expect(bytes.starts(with: earlier), "a program that doesn't know the stamp reads the same changes")
        expect(bytes.count - earlier.count <= 12)
        expectEqual(decode(bytes, record.version), record)
    }

    @Test func `a record of an earlier version of the library has no stamp`() throws {
        let (record, earlier) = try record()
        let read = try require(decode(earlier, record.version))
        expect(read.stamp == nil)
        expectEqual(read.tables, record.tables)
    }

    @Test func `a damaged stamp makes the record unusable, and further fields are skipped`() throws {
        let (record, earlier) = try record()
        let bytes = record.encoded()
        for count in earlier.count + 1..<bytes.count {
            expect(decode(Array(bytes[..<count]), record.version) == nil, "\(count) of \(bytes.count) bytes")
        }
        var later = ByteWriter()
        later.signed(-5)
        later.signed(1)
        later.string("a field that this version doesn't know")
        var longer = ByteWriter()
        longer.raw(earlier)
        later.bytes.withUnsafeBytes { longer.prefixed($0) }
        expectEqual(
            decode(longer.bytes, record.version)?.stamp,
            CommitStamp(milliseconds: -5, processIdentifier: 1)
        )
        // A process number has 32 bits.
        var large = ByteWriter()
        large.signed(.max)
        large.signed(.max)
        longer = ByteWriter()
        longer.raw(earlier)
        large.bytes.withUnsafeBytes { longer.prefixed($0) }
        expect(decode(longer.bytes, record.version) == nil)
    }
}
