import Foundation
import TestRandom
import TestScript
import Testing

@testable import FreeholdEngine

/// The digest of all blocks of a file. It detects a block of an older version, which is valid by itself.
struct `The digest` {
    private let folder = TemporaryFolder()

    private static var seed: UInt64 {
        UInt64(ProcessInfo.processInfo.environment["FREEHOLD_SEED"] ?? "") ?? TestSeed.random(in: 0..<1 << 32)
    }

    private func open(_ path: String, _ key: EncryptionKey? = nil) throws -> Database {
        var options = Database.Options()
        options.encryptionKey = key
        options.mapSize = 1 << 28
        return try Database.open(at: path, options: options)
    }

    /// The blocks that the digest covers, by address, in their stored form.
    private func blocks(_ snapshot: Snapshot) throws -> [BlockAddress: [UInt8]] {
        var found: [BlockAddress: [UInt8]] = [:]
        var from = BlockAddress(raw: 0)
        while true {
            let run = try snapshot.run(from: from)
            guard let last = run.last else { return found }
            for (address, stored) in run where FileDigest.covers(address) { found[address] = Array(stored) }
            from = BlockAddress(raw: last.address.raw + 1)
        }
    }

    private func digest(_ snapshot: Snapshot) throws -> FileDigest? {
        let stored = snapshot.storedBlock(FileDigest.address)
        return try FileDigest.find(stored, version: snapshot.version, snapshot.core.envelope, path: "")
    }

    private func expectDigest(_ snapshot: Snapshot, _ source: SourceLocation = #_sourceLocation) throws {
        var expected = FileDigest()
        expected.version = snapshot.version
        for (address, bytes) in try blocks(snapshot) {
            expected.add(bytes.withUnsafeBytes { snapshot.core.envelope.stamp($0, at: address) })
        }
        try expectEqual(digest(snapshot), expected, sourceLocation: source)
        expectEqual(snapshot.verify(), [], sourceLocation: source)
    }

    @Test(arguments: [nil, Script.key])
    func `the digest matches the blocks after every commit, and in copies`(key: EncryptionKey?) throws {
        let seed = Self.seed
        print("seed \(seed)")
        let script = Script(seed: seed)
        let path = folder.file()
        var state = State()
        for number in Int64(1)...25 {
            state = try script.commit(number...number, to: try open(path, key), from: state)
            try expectDigest(try open(path, key).snapshot())
        }
        let copy = folder.file("copy.realm")
        try open(path, key).snapshot().copy(to: copy, key: key)
        try expectDigest(try open(copy, key).snapshot())
        _ = try Database.compact(at: path, key: key)
        try expectDigest(try open(path, key).snapshot())
        state = try script.commit(26...30, to: try open(path, key), from: state)
        let snapshot = try open(path, key).snapshot()
        try expectDigest(snapshot)
        expectEqual(State(snapshot), state)
    }

    @Test func `the digest identifies a block of a plain file from an older version`() throws {
        let seed = Self.seed
        print("seed \(seed)")
        var generator = SeededRandom(seed: seed)
        let path = folder.file()
        var options = Database.Options()
        options.clusterSpan = 100
        let database = try Database.open(at: path, options: options)
        var transaction = try database.beginWrite()
        let columns = (0..<5).map { ColumnSpec("c\($0)", $0 == 0 ? .int : .double) }
        try transaction.applySchema([TableSpec("T", columns: columns)])
        var table = try require(transaction.schema.table(named: "T"))
        for i in 0..<1000 {
            let key = try transaction.create(table)
            for column in table.columns {
                try transaction.set(
                    column,
                    key,
                    to: column.type == .int ? .int(Int64(i) << 40) : .double(1 / Double(i + 1))
                )
            }
        }
        let before = try transaction.commit()
        transaction = try database.beginWrite()
        table = try require(transaction.schema.table(named: "T"))
        for cluster in 0..<10 {
            for column in table.columns where Bool.random(using: &generator) {
                let key = ObjectKey(Int64(cluster * 100) + .random(in: 0..<100, using: &generator))
                try transaction.set(column, key, to: column.type == .int ? .int(5) : .double(0.1))
            }
        }
        let after = try transaction.commit()
        let (old, new) = (try blocks(before), try blocks(after))
        let image = try Data(contentsOf: URL(fileURLWithPath: path))
        let changed = new.filter { old[$0.key]?.count == $0.value.count && old[$0.key] != $0.value }.keys
            .filter { address in table.columns.contains { $0.segment(.leaf) == address.segment } }
            .sorted { $0.raw < $1.raw }
        expect(changed.count > 5)
        let column = Dictionary(uniqueKeysWithValues: table.columns.map { ($0.segment(.leaf), $0.name) })
        for address in changed.shuffled(using: &generator).prefix(8) {
            var image = image
            while let range = image.range(of: Data(new[address]!)) {
                image.replaceSubrange(range, with: old[address]!)
            }
            let path = folder.file("image-\(address.raw).realm")
            try image.write(to: URL(fileURLWithPath: path))
            let first = address.number * 100
            try expectEqual(
                Database.open(at: path).snapshot().verify(),
                [
                    "block \(address.number) of segment \(address.segment) ('T.\(column[address.segment]!)', leaf of the objects"
                        + " \(first) to \(first + 99)) is of another version than the rest: something put it back."
                ]
            )
        }
    }

    @Test func `the digest reports that there are several blocks of an older version`() throws {
        let path = folder.file()
        let database = try open(path)
        let first = try database.beginWrite()
        try first.applySchema([TableSpec("T", columns: [ColumnSpec("a", .double), ColumnSpec("b", .double)])])
        let table = try require(first.schema.table(named: "T"))
        for i in 0..<100 {
            let key = try first.create(table)
            for column in table.columns { try first.set(column, key, to: .double(1 / Double(i + 1))) }
        }
        _ = try first.commit()
        let old = try blocks(try database.snapshot())
        let second = try database.beginWrite()
        for column in table.columns { try second.set(column, ObjectKey(5), to: .double(42.125)) }
        _ = try second.commit()
        let new = try blocks(try database.snapshot())
        var image = try Data(contentsOf: URL(fileURLWithPath: path))
        let copy = folder.file("image.realm")
        var count = 0
        for column in table.columns {
            let address = BlockAddress(segment: column.segment(.leaf), number: 0)
            while let range = image.range(of: Data(try require(new[address]))) {
                image.replaceSubrange(range, with: try require(old[address]))
            }
            try image.write(to: URL(fileURLWithPath: copy))
            count += 1
            let problems = try open(copy).snapshot().verify()
            expectEqual(problems.count, 1)
            expect(
                count == 1
                    ? problems[0].contains("('T.a', leaf of the objects 0 to") : problems == [FileDigest.mismatch]
            )
            let refusal = error { () throws(EngineError) in _ = try Database.compact(at: copy) }
            expectEqual(refusal?.message, FileDigest.mismatch)
            for suffix in ["-lock", ".writer"] { unlink(copy + suffix) }
        }
    }

    @Test func `a plain file's stamp contains the checksum of the block at its address`() {
        var generator = SeededRandom(seed: 7)
        for _ in 0..<1000 {
            let address = BlockAddress(raw: .random(in: 0 ... .max, using: &generator))
            let other = BlockAddress(raw: .random(in: 0 ... .max, using: &generator))
            let checksum = UInt32.random(in: 0 ... .max, using: &generator)
            let stamp = PlainStamp.stamp(checksum, at: address)
            expectEqual(PlainStamp.checksum(stamp, at: address), checksum)
            expect(PlainStamp.checksum(stamp, at: other) == nil)
        }
    }
}
