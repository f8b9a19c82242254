import Foundation
import TestRandom
import Testing

@testable import FreeholdEngine

struct StorageTransactionTests {
    let folder = TemporaryFolder()

    @Test func `addresses keep their parts and order`() {
        let address = BlockAddress(segment: BlockAddress.maximumSegment, number: BlockAddress.maximumNumber)
        expectEqual(address.raw, .max)
        expect(address.segment == BlockAddress.maximumSegment && address.number == BlockAddress.maximumNumber)
        expect(BlockAddress(segment: 1, number: BlockAddress.maximumNumber) < BlockAddress(segment: 2, number: 0))
    }

    @Test func `readers keep their version`() throws {
        let environment = try StorageEnvironment.open(path: folder.file())
        let empty = try environment.beginRead()
        let first = try environment.write { writer throws(EngineError) in try writer.put(1, 1, [1]) }
        let one = try environment.beginRead()
        let second = try environment.write { writer throws(EngineError) in try writer.put(1, 1, bytes(2, 9000)) }
        let two = try environment.beginRead()
        try environment.write { writer throws(EngineError) in try writer.remove(BlockAddress(segment: 1, number: 1)) }
        expect((empty.version, first, second) == (0, 1, 2))
        expect((one.version, two.version) == (1, 2))
        expect(empty.bytes(1, 1) == nil)
        expectEqual(one.bytes(1, 1), [1])
        expectEqual(two.bytes(1, 1), bytes(2, 9000))
        expectEqual(environment.lastVersion, 3)
        expect(try environment.beginRead().bytes(1, 1) == nil)
    }

    @Test func `a walk through a segment visits its blocks only, in order`() throws {
        let environment = try StorageEnvironment.open(path: folder.file())
        let numbers: [UInt64] = [5, 0, 1 << 39, 300, 7, 70000]
        try environment.write { writer throws(EngineError) in
            for number in numbers {
                for segment: UInt32 in [1, 2, 3] { try writer.put(segment, number, [UInt8(segment)]) }
            }
            var seen: [UInt64] = []
            try writer.forEach(segment: 2) { number, bytes in
                seen.append(number)
                return bytes[0] == 2 && seen.count < 4
            }
            expectEqual(seen, Array(numbers.sorted().prefix(4)))
        }
        let reader = try environment.beginRead()
        expectEqual(reader.numbers(in: 2), numbers.sorted())
        expectEqual(reader.numbers(in: 4), [])
        expectEqual(reader.numbers(in: 0), [])
    }

    @Test func `an empty commit creates no version, and an abort leaves nothing`() throws {
        let environment = try StorageEnvironment.open(path: folder.file())
        try expectEqual(environment.write { _ in }, 0)
        try expectEqual(
            environment.write { writer throws(EngineError) in
                try writer.remove(BlockAddress(segment: 1, number: 1))
            },
            0
        )
        try environment.writer.sync { () throws(EngineError) in
            let writer = try environment.beginWrite()
            try writer.put(1, 1, [1])
            expectEqual(writer.bytes(1, 1), [1])
            writer.abort()
        }
        // A writer that is dropped elsewhere is aborted on its thread.
        nonisolated(unsafe) var dropped: StorageWriter?
        try environment.writer.sync { () throws(EngineError) in
            dropped = try environment.beginWrite()
            try dropped?.put(1, 1, [1])
        }
        dropped = nil
        expectEqual(environment.lastVersion, 0)
        let version = try environment.write { writer throws(EngineError) in
            expectEqual(writer.baseVersion, 0)
            expect(writer.bytes(1, 1) == nil)
            try writer.put(1, 2, [1])
        }
        expectEqual(version, 1)
    }

    /// Random puts, removals and sizes against a dictionary, over commits, aborts and reopenings.
    @Test(arguments: [TestSeed.random(in: 0 ... .max), TestSeed.random(in: 1 ... .max)])
    func `random operations match a dictionary`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let path = folder.file()
        var environment = try StorageEnvironment.open(path: path)
        var model: [UInt64: [UInt8]] = [:]
        for round in 0..<60 {
            var next = model
            let commits = random.next() % 5 != 0
            let count = random.next() % 10 == 0 ? 400 : Int(random.next() % 30)
            try environment.writer.sync { () throws(EngineError) in
                let writer = try environment.beginWrite()
                for _ in 0..<count {
                    let number = random.next() % 500
                    if random.next() % 4 == 0 {
                        try writer.remove(BlockAddress(segment: 9, number: number))
                        next[number] = nil
                    } else {
                        let size = [1, 16, 200, 2000, 2030, 4080, 8176, 20000, 32752][Int(random.next() % 9)]
                        let value = bytes(UInt8(truncatingIfNeeded: random.next()), size)
                        try writer.put(9, number, value)
                        next[number] = value
                    }
                }
                if commits { _ = try writer.commit() } else { writer.abort() }
            }
            if commits { model = next }
            let info = try require(environment.info)
            expect(info.fileSize >= info.pageCount * 4096, "seed \(seed), round \(round)")
            expect(info.fileSize <= info.pageCount * 4096 + 2 * FileExtent.step, "seed \(seed), round \(round)")
            if random.next() % 8 == 0 {
                environment.close()
                environment = try StorageEnvironment.open(path: path)
            }
        }
        let reader = try environment.beginRead()
        expectEqual(reader.numbers(in: 9), model.keys.sorted(), "seed \(seed)")
        for (number, value) in model { expectEqual(reader.bytes(9, number), value, "seed \(seed)") }
    }

    @Test func `a full map names the setting, and writing continues`() throws {
        let environment = try StorageEnvironment.open(path: folder.file(), options: .init(mapSize: 1 << 20))
        try environment.write { writer throws(EngineError) in try writer.put(1, 1, bytes(1, 8000)) }
        let found = error { () throws(EngineError) in
            try environment.write { writer throws(EngineError) in
                for number: UInt64 in 2..<1000 { try writer.put(1, number, bytes(2, 8000)) }
            }
        }
        expectEqual(found?.code, .mapFull)
        expectEqual(found?.message.contains("`mapSize`"), true)
        try expectEqual(environment.beginRead().numbers(in: 1), [1])
        try expectEqual(environment.write { writer throws(EngineError) in try writer.put(1, 2, bytes(2, 8000)) }, 2)
    }

    @Test func `an error stays with its transaction`() throws {
        let environment = try StorageEnvironment.open(path: folder.file(), options: .init(mapSize: 1 << 20))
        try environment.writer.sync { () throws(EngineError) in
            let writer = try environment.beginWrite()
            var number: UInt64 = 0
            let first = error { () throws(EngineError) in
                while true {
                    try writer.put(1, number, bytes(2, 8000))
                    number += 1
                }
            }
            expectEqual(first?.code, .mapFull)
            expectEqual(code { () throws(EngineError) in try writer.put(1, 0, [1]) }, .mapFull)
            expectEqual(code { () throws(EngineError) in _ = try writer.commit() }, .mapFull)
        }
        expectEqual(environment.lastVersion, 0)
    }
}
