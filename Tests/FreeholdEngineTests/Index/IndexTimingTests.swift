import Testing

@testable import FreeholdEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Prints the costs of operations and checks nothing. For release builds, with FREEHOLD_LONG=1.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["FREEHOLD_LONG"] == "1"))
struct IndexTimingTests {
    private let n = 1_000_000

    private func time(_ what: String, _ count: Int, _ body: () -> Void) {
        let duration = ContinuousClock().measure(body)
        let nanoseconds = Double(duration.components.attoseconds) / 1e9 + Double(duration.components.seconds) * 1e9
        print("\(what): \((nanoseconds / Double(count) * 10).rounded() / 10) ns")
    }

    private func apply(_ what: String, _ changes: IndexChanges, _ tree: inout IndexTree, _ store: MemoryBlockStore) {
        let count = changes.count
        time("\(what), sort", count) { changes.sort() }
        time("\(what), apply", count) { tree.apply(changes, in: store) }
        let storage = tree.storage(in: store)
        print(
            "\(what): \(storage.blocks) blocks, \(Double(storage.bytes) / Double(tree.count)) bytes an entry, height \(tree.height)"
        )
    }

    private func find(_ what: String, _ needles: [UInt8], _ width: Int, _ tree: IndexTree, _ store: MemoryBlockStore) {
        var found = 0
        time("\(what), find", needles.count / width) {
            needles.withUnsafeBytes { buffer in
                for i in stride(from: 0, to: buffer.count, by: width)
                where tree.find(UnsafeRawBufferPointer(rebasing: buffer[i..<(i + width)]), in: store) != nil {
                    found += 1
                }
            }
        }
        expectEqual(found, needles.count / width)
    }

    @Test func `sequential ints`() {
        let store = MemoryBlockStore()
        var tree = IndexTree(segment: 1)
        let changes = IndexChanges()
        time("sequential ints, insert", n) { for i in 0..<Int64(n) { changes.insertInt(i, key: i) } }
        apply("sequential ints", changes, &tree, store)
        var random = SeededRandom(seed: 1)
        var needles: [UInt8] = []
        for _ in 0..<n { needles += encodedInt(Int64.random(in: 0..<Int64(n), using: &random)) }
        find("sequential ints", needles, 9, tree, store)
        time("sequential ints, 100 commits of 1,000, per entry", 100_000) {
            for round in 0..<100 {
                for i in 0..<1000 { changes.insertInt(Int64(n + round * 1000 + i), key: Int64(n + round * 1000 + i)) }
                tree.apply(changes, in: store)
            }
        }
        time("sequential ints, 1,000 commits of 1 in the middle", 1000) {
            for i in 0..<Int64(1000) {
                changes.removeInt(i * 997, key: i * 997)
                tree.apply(changes, in: store)
            }
        }
        expectEqual(tree.checkInvariants(in: store), [])
    }

    @Test(arguments: [true, false]) func `Random ints`(wide: Bool) {
        let what = wide ? "random 64-bit ints" : "shuffled 0 ..< 1M"
        let store = MemoryBlockStore()
        var tree = IndexTree(segment: 1)
        let changes = IndexChanges()
        var random = SeededRandom(seed: 2)
        let ints =
            wide ? (0..<n).map { _ in Int64(bitPattern: random.next()) } : (0..<Int64(n)).shuffled(using: &random)
        time("\(what), insert", n) { for i in 0..<n { changes.insertInt(ints[i], key: Int64(i)) } }
        apply(what, changes, &tree, store)
        let needles = ints.shuffled(using: &random).flatMap(encodedInt)
        find(what, needles, 9, tree, store)
        let more = (0..<n).map { _ in Int64(bitPattern: random.next()) }
        time("\(what), insert + pending look-up of another million", n) {
            for i in 0..<n {
                let state = OrderedEncoding.withInt(more[i]) { changes.find($0) }
                if state == .unchanged { changes.insertInt(more[i], key: Int64(n + i)) }
            }
        }
        apply("\(what), another million", changes, &tree, store)
        expectEqual(tree.checkInvariants(in: store), [])
    }

    @Test(arguments: [true, false]) func `Strings of 12 bytes`(random isRandom: Bool) {
        let what = isRandom ? "random strings" : "strings \"user-0001234\", shuffled"
        let store = MemoryBlockStore()
        var tree = IndexTree(segment: 1)
        let changes = IndexChanges()
        var random = SeededRandom(seed: 3)
        var bytes: [UInt8] = []
        for i in (0..<n).shuffled(using: &random) {
            if isRandom {
                bytes.append(OrderedEncoding.Tag.string)
                for _ in 0..<12 { bytes.append(UInt8.random(in: 97...122, using: &random)) }
            } else {
                let digits = String(i)
                bytes += encodedString("user-" + String(repeating: "0", count: 7 - digits.count) + digits)
            }
        }
        time("\(what), insert", n) {
            bytes.withUnsafeBytes { buffer in
                for i in 0..<n {
                    changes.insert(UnsafeRawBufferPointer(rebasing: buffer[(i * 13)..<(i * 13 + 13)]), Int64(i))
                }
            }
        }
        apply(what, changes, &tree, store)
        var needles: [UInt8] = []
        for i in (0..<n).shuffled(using: &random) { needles += bytes[(i * 13)..<(i * 13 + 13)] }
        find(what, needles, 13, tree, store)
        expectEqual(tree.checkInvariants(in: store), [])
    }
}
