import Foundation
import Testing

@testable import FreeholdEngine

/// Change records in the file, of which only the form is checked. Records that can't be true are ignored.
struct `Damaged change records` {
    @Test(arguments: [
        ListEdit.Operation.insert(at: 4, count: 1), .insert(at: 0, count: .max), .insert(at: .max, count: .max),
        .remove(at: 1, count: .max), .remove(at: .max, count: 1), .remove(at: 2, count: 2), .set(at: 3),
        .set(at: .max), .move(from: 3, to: 0), .move(from: 0, to: 3),
    ]) func `an edit that doesn't fit the collection loses it`(edit: ListEdit.Operation) {
        var positions = EditedPositions(count: 3)
        positions.apply(.insert(at: 3, count: 1))
        positions.apply(.remove(at: 0, count: 1))
        expect(!positions.isLost && positions.count == 3)
        positions.apply(edit)
        expect(positions.isLost)
        positions.apply(.insert(at: 0, count: 1))
        expect(positions.isLost)
    }

    @Test func `the observation skips objects that were never created`() throws {
        let database = try Database.inMemory(identifier: UUID().uuidString)
        var transaction = try database.beginWrite()
        try transaction.applySchema([TableSpec("A", columns: [ColumnSpec("n", .int)])])
        let old = try transaction.commit()
        transaction = try database.beginWrite()
        let key = try transaction.create(transaction.schema.tables[0])
        let new = try transaction.commit()
        let record = try require(new.changes(ofVersion: new.version))
        expectEqual(VersionChanges([record], from: old, to: new)?.tables[record.tables[0].table]?.inserted, [key])
        for (first, next) in [(0, Int64.max), (0, 2), (.min, 1)] as [(Int64, Int64)] {
            var damaged = record
            damaged.tables[0].firstInserted = ObjectKey(first)
            damaged.tables[0].nextKey = ObjectKey(next)
            expect(VersionChanges([damaged], from: old, to: new) == nil)
        }
    }
}
