#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import Testing

@testable import FreeholdEngine

struct OrderedEncodingValueTests {
    private static func values(_ random: inout SeededRandom) -> [Value] {
        var values: [Value] = [.null, .bool(true), .bool(false), .string(""), .data(Data())]
        for _ in 0..<60 {
            let word = random.next()
            let shifted = Int64(bitPattern: word) >> Int64.random(in: 0..<64, using: &random)
            values.append(.int(shifted))
            values.append(.timestamp(Timestamp(seconds: shifted, nanoseconds: Int32(word % 1_000_000_000))))
            values.append(.string(String(shifted, radix: 36)))
            values.append(.data(withUnsafeBytes(of: word) { Data($0.prefix(Int(word % 9))) }))
            let id = withUnsafeBytes(of: (word, random.next())) { Array($0) }
            values.append(.objectId(id.withUnsafeBytes { ObjectId(bytes: $0) }))
            values.append(.uuid(UUID(uuid: id.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })))
            values.append(.link(ObjectKey(abs(shifted))))
        }
        return values
    }

    @Test func `Encoded values are in the order of the values`() {
        var random = SeededRandom(seed: 17)
        let values = Self.values(&random)
        let encoded = values.map { OrderedEncoding.with($0) { Array($0) }! }
        for i in values.indices {
            for j in values.indices {
                let order = Value.compare(values[i], with: values[j])
                expectEqual(encoded[i].lexicographicallyPrecedes(encoded[j]), (order < 0))
                expectEqual((encoded[i] == encoded[j]), (order == 0))
            }
        }
    }

    @Test func `Values reach the tree through the changes`() {
        let store = MemoryBlockStore()
        var tree = IndexTree(segment: 1)
        let changes = IndexChanges()
        var random = SeededRandom(seed: 18)
        let values = Array(Set(Self.values(&random)))
        for (i, value) in values.enumerated() { changes.insert(value, ObjectKey(Int64(i))) }
        tree.apply(changes, in: store)
        for (i, value) in values.enumerated() {
            let key = OrderedEncoding.with(value) { tree.find($0, in: store) }
            expectEqual(key, .some(.some(Int64(i))))
        }
        changes.remove(values[3], ObjectKey(3))
        tree.apply(changes, in: store)
        expectEqual(tree.count, values.count - 1)
    }

    @Test func `Floats, doubles and decimals are not indexed`() {
        expectEqual(
            ColumnType.allCases.filter { !OrderedEncoding.isIndexable($0) },
            [.float, .double, .decimal128]
        )
        for value: Value in [.float(1), .double(1)] { expect(OrderedEncoding.with(value) { $0.count } == nil) }
    }
}
