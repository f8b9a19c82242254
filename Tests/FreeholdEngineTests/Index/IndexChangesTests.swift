import Testing

@testable import FreeholdEngine

struct IndexChangesTests {
    private func insert(_ changes: IndexChanges, _ bytes: [UInt8], _ key: Int64) {
        bytes.withUnsafeBytes { changes.insert($0, key) }
    }
    private func remove(_ changes: IndexChanges, _ bytes: [UInt8], _ key: Int64) {
        bytes.withUnsafeBytes { changes.remove($0, key) }
    }
    private func find(_ changes: IndexChanges, _ bytes: [UInt8]) -> IndexChanges.State {
        bytes.withUnsafeBytes { changes.find($0) }
    }
    private func entries(_ changes: IndexChanges) -> [IndexTestEntry] {
        (0..<changes.count).map {
            IndexTestEntry(bytes: Array(changes.bytes(changes.records[$0])), key: changes.records[$0].key)
        }
    }

    @Test func `Rising values need no sorting`() {
        let changes = IndexChanges()
        for i in 0..<1000 { changes.insertInt(Int64(i), key: Int64(i)) }
        expect(changes.isSorted)
        changes.insertInt(999, key: 1000)
        expect(changes.isSorted)
        changes.insertInt(999, key: 1000)
        expect(!changes.isSorted)
    }

    @Test func `An add and a removal of one entry cancel out`() {
        let changes = IndexChanges()
        changes.insertInt(2, key: 1)
        changes.removeInt(2, key: 1)
        changes.removeInt(1, key: 5)
        changes.insertInt(1, key: 6)
        changes.removeInt(3, key: 7)
        changes.insertInt(3, key: 7)
        changes.insertInt(4, key: 8)
        changes.removeInt(4, key: 8)
        changes.insertInt(4, key: 8)
        changes.sort()
        expectEqual(entries(changes).map(\.key), [5, 6, 8])
        expectEqual((0..<3).map { changes.records[$0].isInsert }, [false, true, true])
    }

    @Test func `The last change of a value is found`() {
        let changes = IndexChanges()
        expectEqual(find(changes, encodedInt(1)), .unchanged)
        changes.removeInt(5, key: 1)
        expectEqual(find(changes, encodedInt(5)), .removed)
        changes.insertInt(5, key: 2)
        expectEqual(find(changes, encodedInt(5)), .inserted(2))
        expectEqual(find(changes, encodedInt(6)), .unchanged)
        expectEqual(find(changes, encodedInt(4)), .unchanged)
        insert(changes, [OrderedEncoding.Tag.null], 9)
        expectEqual(find(changes, [OrderedEncoding.Tag.null]), .inserted(9))
        var seen: [Int64] = []
        encodedInt(5).withUnsafeBytes { changes.forEach($0) { key, _ in seen.append(key) } }
        expectEqual(seen, [2, 1])
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64]) func `random changes are found and sorted like in a dictionary`(
        seed: UInt64
    ) {
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        let changes = IndexChanges()
        let n = seed < 4 ? 300 : 4000
        var last: [[UInt8]: (Int64, Bool)] = [:]
        var net: [IndexTestEntry: (first: Bool, last: Bool)] = [:]
        for _ in 0..<n {
            let number = UInt64.random(in: 0..<(seed % 2 == 0 ? 200 : 100_000), using: &random)
            let bytes: [UInt8] =
                switch seed % 3 {
                case 0: encodedInt(Int64(bitPattern: number &* 0x1234_5678_9ABC))
                case 1: encodedString("a common beginning of strings \(number)")
                default:
                    number % 17 == 0
                        ? [OrderedEncoding.Tag.null] : encodedString(String(repeating: "\0", count: Int(number % 30)))
                }
            let entry = IndexTestEntry(bytes: bytes, key: Int64.random(in: 0..<4, using: &random))
            let isInsert = !(net[entry]?.last ?? Bool.random(using: &random))
            if isInsert { insert(changes, bytes, entry.key) } else { remove(changes, bytes, entry.key) }
            net[entry] = (net[entry]?.first ?? isInsert, isInsert)
            last[bytes] = (entry.key, isInsert)
            if Int.random(in: 0..<10, using: &random) == 0 {
                expectEqual(find(changes, bytes), (isInsert ? .inserted(entry.key) : .removed))
            }
        }
        for (bytes, state) in last { expectEqual(find(changes, bytes), (state.1 ? .inserted(state.0) : .removed)) }
        expectEqual(find(changes, encodedString("absent")), .unchanged)
        changes.sort()
        let expected = net.filter { $0.value.first == $0.value.last }
        expectEqual(entries(changes), expected.keys.sorted())
        for (i, entry) in entries(changes).enumerated() {
            expectEqual(changes.records[i].isInsert, expected[entry]?.last)
        }
    }
}
