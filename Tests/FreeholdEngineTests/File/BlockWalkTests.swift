import Foundation
import Testing

@testable import FreeholdEngine

/// Stores in both orders, in files whose pages are read directly and in memory, where LMDB reads them.
struct `Walks through blocks` {
    private let folder = TemporaryFolder()

    struct Kind: CustomTestStringConvertible {
        let order: BlockOrder
        let isInMemory: Bool
        static let all = [BlockOrder.bySegment, .byCluster].flatMap { order in
            [false, true].map { Kind(order: order, isInMemory: $0) }
        }
        var testDescription: String { "\(order)\(isInMemory ? " in memory" : "")" }
    }

    private func open(_ kind: Kind) throws -> StorageEnvironment {
        let options = StorageOptions(mapSize: 1 << 28, inMemory: kind.isInMemory)
        let environment = try StorageEnvironment.open(path: folder.file(), options: options)
        environment.order = kind.order
        return environment
    }

    typealias Model = [BlockAddress: [UInt8]]

    private static let segments: [UInt32] =
        [0, 1, 2, 3] + Array(16..<48) + [104, 107, 108, 248, 252, 255, 256, 257, 260, 264, 511, 512, 516, 1 << 20]
        + [BlockAddress.maximumSegment - 3, BlockAddress.maximumSegment]

    private func check(_ source: some BlockSource, _ model: Model, _ random: inout SeededRandom) throws -> String? {
        let sorted = model.keys.sorted()
        var found: [BlockAddress] = []
        var next: BlockAddress? = BlockAddress(raw: 0)
        while let from = next {
            let run = try source.run(from: from)
            for (address, bytes) in run where model[address] != Array(bytes) { return "bytes at \(address)" }
            found += run.map(\.address)
            next = run.last.flatMap { $0.address.raw < .max ? BlockAddress(raw: $0.address.raw + 1) : nil }
        }
        if found != sorted { return "run has \(found.count), not \(sorted.count)" }
        for segment in Self.segments {
            let expected = sorted.filter { $0.segment == segment }.map(\.number)
            let first = random.next() % 4 == 0 ? expected.randomElement(using: &random) ?? 5 : 0
            let limit = random.next() % 4 == 0 ? 2 : Int.max
            var numbers: [UInt64] = []
            try source.forEach(segment: segment, from: first) { number, bytes in
                numbers.append(number)
                return numbers.count < limit
            }
            let wanted = expected.filter { $0 >= first }.prefix(limit)
            if numbers != Array(wanted) { return "segment \(segment) from \(first): \(numbers), not \(wanted)" }
        }
        let from = BlockAddress(segment: Self.segments.randomElement(using: &random)!, number: random.next() % 70)
        let run = try source.run(from: from).map(\.address)
        if run != Array(sorted.filter { $0 >= from }.prefix(run.count)) { return "run from \(from)" }
        let first = Set((0..<4).map { _ in Self.segments.randomElement(using: &random)! & ~7 })
        let owned = try source.addresses(ofColumns: first)
        let expected = sorted.filter { first.contains($0.segment & ~7) }
        return owned.sorted() == expected ? nil : "of columns \(first)"
    }

    private func check(_ reader: StorageReader, _ model: Model) throws -> String? {
        for segment in Self.segments {
            let last = model.keys.filter { $0.segment == segment }.max()?.number
            if try reader.lastNumber(in: segment) != last { return "last of \(segment)" }
            for number in [0, 1, 2, 3, 40, BlockAddress.maximumNumber] as [UInt64] {
                let address = BlockAddress(segment: segment, number: number)
                if try reader.find(address).map(Array.init) != model[address] { return "find \(address)" }
                let envelope = try reader.find(address, .checksum)
                if let bytes = envelope, Array(bytes) != model[address] { return "find \(address)" }
                if (envelope == nil) != (model[address] == nil) { return "gap \(address)" }
            }
        }
        return nil
    }

    @Test(arguments: Kind.all) func `walks find the content of a dictionary, in any order`(kind: Kind) throws {
        let seed = Seed.value
        var random = SeededRandom(seed: seed)
        let environment = try open(kind)
        var model: Model = [:]
        for round in TestBudget.range("BlockWalkTests", usual: 10, soak: 25) {
            var next = model
            var problem: String?
            try environment.write { writer throws(EngineError) in
                for _ in 0..<150 {
                    let segment = Self.segments.randomElement(using: &random)!
                    let kinds: [UInt64] = [0, random.next() % 50, BlockAddress.maximumNumber, random.next() % 4]
                    let address = BlockAddress(segment: segment, number: kinds.randomElement(using: &random)!)
                    if address == DatabaseHeader.address { continue }
                    if random.next() % 4 == 0 {
                        try writer.remove(address)
                        next[address] = nil
                    } else {
                        let count = random.next() % 8 == 0 ? 5000 : Int(random.next() % 300) + 8
                        let content = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                        let checksum = BlockEnvelope.checksum
                        var stored = [UInt8](repeating: 0, count: checksum.storedSize(count, at: address))
                        content.withUnsafeBytes { content in
                            stored.withUnsafeMutableBytes { checksum.wrap(content, at: address, into: $0) }
                        }
                        try writer.put(address.segment, address.number, stored)
                        next[address] = stored
                    }
                }
                do { problem = try check(writer, next, &random) } catch { problem = "\(error)" }
                // After what was found is kept, a change.
                let mark = BlockAddress(segment: 260, number: UInt64(round) + 100)
                try writer.put(mark.segment, mark.number, [1, 2, 3])
                next[mark] = [1, 2, 3]
                do { problem = try problem ?? check(writer, next, &random) } catch { problem = "\(error)" }
                try writer.remove(mark)
                next[mark] = nil
            }
            expect(problem == nil, "seed \(seed) round \(round) of \(kind)")
            let old = try environment.beginRead()
            model = next
            problem = try check(old, model, &random) ?? check(old, model)
            expect(problem == nil, "seed \(seed) round \(round) of \(kind)")
        }
        environment.close()
    }

    @Test(arguments: [BlockOrder.bySegment, .byCluster])
    func `walks find a segment's last block after the first ones of the next page were removed`(order: BlockOrder)
        throws
    {
        let environment = try open(Kind(order: order, isInMemory: false))
        try environment.write { writer throws(EngineError) in
            try writer.put(41, 7, [1])
            for number in 0..<300 as Range<UInt64> { try writer.put(42, number, bytes(2, 300)) }
        }
        for number in 0..<300 as Range<UInt64> {
            let reader = try environment.beginRead()
            try expectEqual(reader.lastNumber(in: 41), 7, "without \(number)")
            try expectEqual(reader.lastNumber(in: 42), 299)
            try environment.write { writer throws(EngineError) in
                try writer.remove(BlockAddress(segment: 42, number: number))
            }
        }
        expect(try environment.beginRead().lastNumber(in: 42) == nil)
    }

    /// The pages of the other values are zeroed. A read of such a page would report damage.
    @Test func `walks read only the values that are asked for`() throws {
        let path = folder.file()
        do {
            let environment = try open(Kind(order: .byCluster, isInMemory: false))
            try environment.write { writer throws(EngineError) in
                for number in 1...40 as ClosedRange<UInt64> {
                    for segment in [24, 32, 40] as [UInt32] {
                        try writer.put(segment, number, bytes(UInt8(segment), 5000))
                    }
                }
            }
            environment.close()
        }
        var file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        for page in 2..<file.count / 4096 where file[page * 4096 + 10] == 4 && file[page * 4096 + 16] != 32 {
            for i in page * 4096..<(page + 1) * 4096 { file[i] = 0 }
        }
        try Data(file).write(to: URL(fileURLWithPath: path))
        let environment = try open(Kind(order: .byCluster, isInMemory: false))
        let reader = try environment.beginRead()
        expectEqual(reader.numbers(in: 32), Array(1...40))
        try expectEqual(reader.lastNumber(in: 24), 40)
        try expectEqual(reader.addresses(ofColumns: [24, 40]).count, 80)
        #expect(throws: EngineError.self) { try reader.forEach(segment: 24) { _, _ in true } }
        environment.close()
    }
}
