#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import Testing

@testable import FreeholdEngine

/// A tree and a sorted array with the same operations.
private final class Model {
    let store = MemoryBlockStore()
    var tree = IndexTree(segment: 3)
    var entries: Set<IndexTestEntry> = []
    let capacity: Int
    let stretch: Int?
    let changes = IndexChanges()
    private(set) var pauses = 0

    init(capacity: Int, stretch: Int? = nil) {
        self.capacity = capacity
        self.stretch = stretch
    }

    func insert(_ entry: IndexTestEntry) {
        guard entries.insert(entry).inserted else { return }
        entry.bytes.withUnsafeBytes { changes.insert($0, entry.key) }
    }

    func remove(_ entry: IndexTestEntry) {
        guard entries.remove(entry) != nil else { return }
        entry.bytes.withUnsafeBytes { changes.remove($0, entry.key) }
    }

    func apply() {
        pauses = 0
        tree.apply(changes, in: store, capacity: capacity, stretch: stretch) { tree in
            pauses += 1
            // At each pause of a short merge. A long one is checked at some, and the soak at all.
            guard pauses <= 3 || TestBudget.isSoak || pauses % 11 == 0 else { return }
            expectEqual(tree.checkInvariants(in: store, capacity: capacity), [])
        }
        expect(changes.isEmpty)
        expectEqual(tree.count, entries.count)
        expectEqual(tree.checkInvariants(in: store, capacity: capacity), [])
        expectEqual(tree.storage(in: store).blocks, store.count)
    }

    func list(_ lower: IndexTree.Bound? = nil, _ upper: IndexTree.Bound? = nil, reversed: Bool = false)
        -> [IndexTestEntry]
    {
        var list: [IndexTestEntry] = []
        tree.range(lower: lower, upper: upper, reversed: reversed, in: store) {
            list.append(IndexTestEntry(bytes: Array($0), key: $1))
            return true
        }
        return list
    }

    func keys(_ bytes: [UInt8]) -> [Int64] {
        var keys: [Int64] = []
        bytes.withUnsafeBytes {
            tree.forEach($0, in: store) {
                keys.append($0)
                return true
            }
        }
        return keys
    }

    func check(_ random: inout SeededRandom, _ value: (inout SeededRandom) -> [UInt8], lookups: Int = 12) {
        let sorted = entries.sorted()
        expectEqual(list(), sorted)
        expectEqual(tree.maximum(in: store) { IndexTestEntry(bytes: Array($0), key: $1) }, sorted.last)
        for _ in 0..<lookups {
            var bytes = value(&random)
            if let some = sorted.randomElement(using: &random), Bool.random(using: &random) { bytes = some.bytes }
            var other = value(&random)
            if other.lexicographicallyPrecedes(bytes) { swap(&other, &bytes) }
            let key = Int64.random(in: -2..<8, using: &random)
            let expected = sorted.filter { $0.bytes == bytes }.map(\.key)
            let (low, high) = (Bool.random(using: &random), Bool.random(using: &random))
            let between = sorted.filter {
                (low ? !$0.bytes.lexicographicallyPrecedes(bytes) : bytes.lexicographicallyPrecedes($0.bytes))
                    && (high ? !other.lexicographicallyPrecedes($0.bytes) : $0.bytes.lexicographicallyPrecedes(other))
            }
            let prefix = Array(bytes.prefix(Int.random(in: 1...bytes.count, using: &random)))
            expectEqual(keys(bytes), expected)
            bytes.withUnsafeBytes { b in
                expectEqual(tree.find(b, in: store), expected.first)
                expectEqual(tree.contains(b, key, in: store), expected.contains(key))
                other.withUnsafeBytes { o in
                    let lower = IndexTree.Bound(b, inclusive: low)
                    let upper = IndexTree.Bound(o, inclusive: high)
                    expectEqual(list(lower, upper), between)
                    expectEqual(list(lower, upper, reversed: true), between.reversed())
                    expectEqual(tree.count(lower: lower, upper: upper, in: store), between.count)
                }
            }
            var found: [IndexTestEntry] = []
            prefix.withUnsafeBytes {
                tree.forEach(prefix: $0, in: store) {
                    found.append(IndexTestEntry(bytes: Array($0), key: $1))
                    return true
                }
            }
            expectEqual(found, sorted.filter { $0.bytes.starts(with: prefix) })
        }
    }
}

enum IndexTestShape: String, CaseIterable, Sendable {
    case smallInts, anyInts, shortStrings, longStrings, fewValues, mixed

    func value(_ random: inout SeededRandom) -> [UInt8] {
        switch self {
        case .smallInts: return encodedInt(Int64.random(in: -300..<300, using: &random))
        case .anyInts: return encodedInt(Int64(bitPattern: random.next()) >> Int64.random(in: 0..<63, using: &random))
        case .shortStrings:
            return encodedString(
                String((0..<Int.random(in: 0..<12, using: &random)).map { _ in "ab\0é".randomElement(using: &random)! })
            )
        case .longStrings:
            let end = Int.random(in: 0..<200, using: &random)
            return encodedString(String(repeating: "long ", count: Int.random(in: 11..<16, using: &random)) + "\(end)")
        case .fewValues: return encodedInt(Int64.random(in: 0..<3, using: &random))
        case .mixed:
            switch Int.random(in: 0..<8, using: &random) {
            case 0: return [OrderedEncoding.Tag.null]
            case 1: return [OrderedEncoding.Tag.bool, 1]
            case 2, 3: return Self.anyInts.value(&random)
            case 4: return Self.longStrings.value(&random)
            default: return Self.shortStrings.value(&random)
            }
        }
    }
}

struct IndexTreeTests {
    @Test(arguments: IndexTestShape.allCases, [64, 200, 600, BlockLimits.twoPages])
    func `random batches have the same result as on a sorted array`(shape: IndexTestShape, capacity: Int) {
        let isLong = TestBudget.isSoak || ProcessInfo.processInfo.environment["FREEHOLD_LONG"] == "1"
        for run in 0..<(isLong ? 30 : 1) {
            randomBatches(shape, capacity, seed: UInt64(capacity * 31 + shape.rawValue.utf8.count + run * 1_000_003))
        }
    }

    private func randomBatches(_ shape: IndexTestShape, _ capacity: Int, seed: UInt64) {
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        let model = Model(capacity: capacity, stretch: [nil, 1, 7].randomElement(using: &random)!)
        for round in 0..<14 {
            // The tree grows, changes, shrinks, becomes empty and grows again.
            let adds = [120, 1, 60, 30, 5, 0, 90][round % 7]
            let removals = [0, 3, 40, 60, 1, Int.max, 0][round % 7]
            for _ in 0..<adds {
                model.insert(
                    IndexTestEntry(
                        bytes: shape.value(&random),
                        key: Int64.random(in: -2..<(shape == .fewValues ? 400 : 8), using: &random)
                    )
                )
            }
            if removals == .max {
                for entry in model.entries.sorted() { model.remove(entry) }
            } else {
                for entry in model.entries.sorted().shuffled(using: &random).prefix(removals) { model.remove(entry) }
            }
            model.apply()
            model.check(&random, shape.value, lookups: TestBudget.cases(3, soak: 5))
        }
        model.tree.removeAll(in: model.store)
        expect(model.store.count == 0 && model.tree.isEmpty && model.tree.count == 0)
    }

    @Test(arguments: [100, BlockLimits.twoPages])
    func `Appended runs fill their blocks`(capacity: Int) {
        let model = Model(capacity: capacity)
        var next: Int64 = 0
        for run in [1, 500, 10, 3000, 1] {
            for _ in 0..<run {
                model.insert(IndexTestEntry(bytes: encodedInt(next), key: next))
                next += 1
            }
            model.apply()
        }
        let storage = model.tree.storage(in: model.store)
        if capacity == BlockLimits.twoPages {
            expect(storage.bytes < 5 * model.entries.count)
            expectEqual(storage.blocks, 3)
        }
        for value in stride(from: Int64(0), to: next, by: 97) { expectEqual(model.keys(encodedInt(value)), [value]) }
    }

    @Test func `A range of removals frees its blocks`() {
        let model = Model(capacity: 100)
        let all = (0..<2000).map { IndexTestEntry(bytes: encodedInt(Int64($0)), key: Int64($0)) }
        for entry in all { model.insert(entry) }
        model.apply()
        let before = model.store.count
        for entry in all[100..<1900] { model.remove(entry) }
        model.apply()
        expect(model.store.count < before / 5)
        for entry in all[0..<100] { model.remove(entry) }
        model.apply()
        for entry in all[1900...] { model.remove(entry) }
        model.apply()
        expect(model.store.count == 0 && model.tree == IndexTree(segment: 3))
    }

    @Test(arguments: [1, 7, 1000])
    func `a merge pauses after each section`(stretch: Int) {
        let model = Model(capacity: 100, stretch: stretch)
        for i in 0..<1000 { model.insert(IndexTestEntry(bytes: encodedInt(Int64(i * 37 % 1000)), key: Int64(i))) }
        model.apply()
        expectEqual(model.pauses, 1000 / stretch - 1)
    }

    @Test func `Thinned-out blocks are joined`() {
        let model = Model(capacity: 400)
        let all = (0..<6000).map { IndexTestEntry(bytes: encodedInt(Int64($0) * 7), key: Int64($0)) }
        for entry in all { model.insert(entry) }
        model.apply()
        let before = model.store.count
        for (i, entry) in all.enumerated() where i % 10 != 0 { model.remove(entry) }
        model.apply()
        expect(model.store.count < before / 2)
    }

    @Test func `the largest values are removed one by one`() {
        let model = Model(capacity: 120)
        for i in 0..<400 {
            model.insert(IndexTestEntry(bytes: encodedInt(Int64(1000 - i)), key: 5))
            model.apply()
        }
        var random = SeededRandom(seed: 9)
        model.check(&random, IndexTestShape.anyInts.value)
    }

    @Test func `one value has thousands of keys`() {
        let model = Model(capacity: BlockLimits.twoPages)
        let bytes = encodedString("the same")
        for i in 0..<20_000 { model.insert(IndexTestEntry(bytes: bytes, key: Int64(i) * 3)) }
        model.insert(IndexTestEntry(bytes: encodedString("the tame"), key: 1))
        model.apply()
        expectEqual(model.keys(bytes).count, 20_000)
        expect(model.tree.storage(in: model.store).bytes < 45_000)
        expect(bytes.withUnsafeBytes { model.tree.contains($0, 59_997, in: model.store) })
        expect(!bytes.withUnsafeBytes { model.tree.contains($0, 59_998, in: model.store) })
    }

    @Test func `Changes without effect change nothing`() {
        let model = Model(capacity: 200)
        for i in 0..<100 { model.insert(IndexTestEntry(bytes: encodedInt(Int64(i)), key: 1)) }
        model.apply()
        model.changes.insertInt(5, key: 1)
        model.changes.removeInt(7, key: 2)
        model.changes.removeInt(-7, key: 2)
        model.apply()
        model.changes.removeInt(3, key: 3)
        var empty = IndexTree(segment: 4)
        empty.apply(model.changes, in: model.store)
        expect(empty.isEmpty)
    }

    @Test func `A small change rewrites one block`() {
        let model = Model(capacity: 200)
        for i in 0..<5000 { model.insert(IndexTestEntry(bytes: encodedInt(Int64(i) * 2), key: Int64(i))) }
        model.apply()
        let puts = model.store.puts
        model.remove(IndexTestEntry(bytes: encodedInt(4000), key: 2000))
        model.insert(IndexTestEntry(bytes: encodedInt(4001), key: 2000))
        model.apply()
        expectEqual(model.store.puts, puts + 1)
    }
}
