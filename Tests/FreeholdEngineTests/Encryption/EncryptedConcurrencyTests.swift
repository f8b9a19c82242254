import Foundation
import Synchronization
import TestScript
import Testing

@testable import FreeholdEngine

/// Many threads that open the same blocks of an encrypted file, while one writes.
struct EncryptedConcurrencyTests {
    @Test(arguments: [1 << 30, 60_000]) func `readers see whole versions in any order of opening`(kept: Int) throws {
        let folder = TemporaryFolder()
        var options = Database.Options()
        options.encryptionKey = Script.key
        options.openedBytesKept = kept
        options.mapSize = 1 << 28
        let database = try Database.open(at: folder.file(), options: options)
        let made = try database.beginWrite()
        try made.applySchema([
            TableSpec("T", columns: [ColumnSpec("n", .int), ColumnSpec("s", .string, indexed: true)])
        ])
        let table = try require(made.schema.table(named: "T"))
        let (number, text) = (table.columns[0], table.columns[1])
        // In every version all objects have one number.
        for i in 0..<6000 {
            let key = try made.create(table)
            try made.set(number, key, to: .int(1 << 40))
            try made.set(text, key, to: .string("object \(i)"))
        }
        _ = try made.commit()
        let isDone = Atomic(false)
        let wrong = Atomic(0)
        let rounds = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 5) { thread in
            if thread == 0 {
                for n in 2...8 as ClosedRange<Int64> {
                    do {
                        let transaction = try database.beginWrite()
                        for key in transaction.keys(table) { try transaction.set(number, key, to: .int(n << 40)) }
                        _ = try transaction.commit()
                    } catch { Issue.record(error) }
                }
                isDone.store(true, ordering: .releasing)
                return
            }
            repeat {
                guard let snapshot = try? database.snapshot() else {
                    wrong.add(1, ordering: .relaxed)
                    return
                }
                var random = SystemRandomNumberGenerator()
                let first = snapshot.readInt(number, ObjectKey(0))
                for _ in 0..<300 {
                    let key = ObjectKey(Int64.random(in: 0..<6000, using: &random))
                    let isRight =
                        snapshot.readInt(number, key) == first && snapshot.readString(text, key) == "object \(key.raw)"
                        && snapshot.find(.string("object \(key.raw)"), indexed: text) == [key]
                    if !isRight { wrong.add(1, ordering: .relaxed) }
                }
                rounds.add(1, ordering: .relaxed)
            } while !isDone.load(ordering: .acquiring)
        }
        expectEqual(wrong.load(ordering: .relaxed), 0)
        expect(rounds.load(ordering: .relaxed) >= 4)
        try expectEqual(database.snapshot().verify(), [])
    }
}
