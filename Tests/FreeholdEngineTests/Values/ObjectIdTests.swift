import TestRandom
import Testing

@testable import FreeholdEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("ObjectId") struct ObjectIdTests {
    @Test
    func `Text of 24 hexadecimal digits is read and written`() throws {
        let id = try require(ObjectId(String("507F1f77bcf86cd799439011")))
        expectEqual(id.stringValue, "507f1f77bcf86cd799439011")
        expectEqual(id.description, id.stringValue)
        expectEqual(ObjectId("507f1f77bcf86cd799439011"), id)
        expectEqual(ObjectId().stringValue, "000000000000000000000000")
        expectEqual(id.timestamp, Date(timeIntervalSince1970: 1_350_508_407))
    }

    @Test(arguments: [
        "", "507f1f77bcf86cd79943901", "507f1f77bcf86cd7994390111", "507f1f77bcf86cd79943901g",
        "507f1f77bcf86cd799439 11", "éééééééééééé",
    ])
    func `other text is refused`(text: String) {
        expect(ObjectId(String(text)) == nil)
    }

    @Test
    func `a literal that isn't an id traps with a message`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ObjectId("507f1f77")
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("24 hexadecimal digits"))
    }

    @Test
    func `bytes are read as written and in order, at any alignment`() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32, alignment: 8)
        defer { buffer.deallocate() }
        let id = ObjectId("0102030405060708090a0b0c")
        for offset in 0..<8 {
            id.copyBytes(to: buffer.baseAddress! + offset)
            expectEqual(Array(buffer[offset..<offset + 12]), Array(1...12))
            expectEqual(ObjectId(bytes: UnsafeRawBufferPointer(rebasing: buffer[offset..<offset + 12])), id)
            expectEqual(ObjectId(leafBytes: UnsafeRawPointer(buffer.baseAddress! + offset)), id)
        }
        expectEqual(id.withUnsafeBytes { Array($0) }, Array(1...12))
    }

    @Test
    func `Ids compare and hash by their bytes`() {
        let seed = TestSeed.random(in: 0 ... .max)
        var generator = SeededRandom(seed: seed)
        for _ in 0..<1000 {
            let a = ObjectId(high: generator.next() & 3, low: UInt32(generator.next() & 3))
            let b = ObjectId(high: generator.next() & 3, low: UInt32(generator.next() & 3))
            expectEqual((a < b), (a.stringValue < b.stringValue), "seed \(seed)")
            expectEqual((a == b), (a.stringValue == b.stringValue), "seed \(seed)")
        }
        expect(ObjectId("0000000000000000ffffffff") < ObjectId("000000000000000100000000"))
    }

    @Test
    func `generated ids differ and contain the time`() {
        let before = Date()
        let ids = (0..<1000).map { _ in ObjectId.generate() }
        expectEqual(Set(ids).count, ids.count)
        expect(ids.allSatisfy { $0.timestamp >= before.addingTimeInterval(-1.001) && $0.timestamp <= Date() })
    }

    @Test
    func `parts are cut to their widths`() {
        let id = ObjectId(timestamp: Date(timeIntervalSince1970: 1000.9), machineId: 0x7F_AABBCC, processId: 0x7_DDEE)
        expect(id.stringValue.hasPrefix("000003e8aabbccddee"))
        expect(
            ObjectId(timestamp: .distantPast, machineId: -1, processId: -1).stringValue.hasPrefix("00000000ffffffffff")
        )
        expect(ObjectId(timestamp: .distantFuture, machineId: 0, processId: 0).stringValue.hasPrefix("ffffffff"))
        expect(
            ObjectId(timestamp: Date(timeIntervalSince1970: .nan), machineId: 0, processId: 0).stringValue.hasPrefix(
                "00000000"
            )
        )
    }

    @Test
    func `JSON contains the digits, and other text is refused`() throws {
        let id = ObjectId.generate()
        let data = try JSONEncoder().encode([id])
        expectEqual(String(decoding: data, as: UTF8.self), "[\"\(id)\"]")
        try expectEqual(JSONDecoder().decode([ObjectId].self, from: data), [id])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([ObjectId].self, from: Data("[\"x\"]".utf8)) }
    }
}
