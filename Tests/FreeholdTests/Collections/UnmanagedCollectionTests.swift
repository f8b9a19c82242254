import Foundation
import Freehold
import TestRandom
import Testing

/// Unmanaged sets and maps store few elements in another way than many. Random edits around the border are compared
/// with Swift's own collections. `FREEHOLD_SEED` repeats a seed.
struct UnmanagedCollectionTests {
    static let seeds = [
        UInt64(ProcessInfo.processInfo.environment["FREEHOLD_SEED"] ?? "") ?? TestSeed.random(in: 0 ... .max), 7,
    ]

    /// Strings that Swift calls equal, which are two.
    static let texts = ["", "\u{e9}", "e\u{301}"] + (0..<12).map { "text \($0)" } + [String(repeating: "x", count: 40)]

    private func edits<Element: RealmCollectionValue, Key: Hashable>(
        _ elements: [Element],
        _ seed: UInt64,
        _ key: (Element) -> Key
    ) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<40 {
            let set = MutableSet<Element>()
            var model: Set<Key> = []
            for _ in 0..<60 {
                let element = elements.randomElement(using: &random)!
                if Int.random(in: 0..<5, using: &random) < 3 {
                    set.insert(element)
                    model.insert(key(element))
                } else {
                    set.remove(element)
                    model.remove(key(element))
                }
                expectEqual(set.count, model.count, "seed \(seed)")
                expectEqual(Set(set.map(key)), model, "seed \(seed)")
            }
            for element in elements { expectEqual(set.contains(element), model.contains(key(element)), "seed \(seed)") }
            let other = MutableSet<Element>()
            other.insert(objectsIn: Array(set).shuffled(using: &random))
            expectEqual(set, other, "seed \(seed)")
            if let last = other.last {
                other.remove(last)
                expect(set != other, "seed \(seed)")
            }
        }
    }

    @Test(arguments: seeds) func `sets of strings distinguish them by their bytes`(seed: UInt64) {
        edits(Self.texts, seed) { Data($0.utf8) }
    }

    @Test(arguments: seeds) func `sets of numbers have the same content as plain ones, including NaN`(seed: UInt64) {
        edits(Array(-5...10), seed) { $0 }
        edits(Array(-5...10).map(Int64.init), seed) { $0 }
        edits([.nan, .infinity] + (0..<14).map { Double($0) / 3 }, seed) { $0.bitPattern }
    }

    @Test(arguments: seeds) func `sets of optionals contain null once`(seed: UInt64) {
        edits([nil] + (0..<14).map { Optional($0) }, seed) { $0 }
    }

    @Test(arguments: seeds) func `maps find each key by its bytes`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<40 {
            let map = Map<String, Int>()
            var model: [Data: Int] = [:]
            for _ in 0..<60 {
                let key = Self.texts.dropFirst().randomElement(using: &random)!
                let value = Int.random(in: 0..<5, using: &random) < 3 ? Int.random(in: 0..<100, using: &random) : nil
                map[key] = value
                model[Data(key.utf8)] = value
                expectEqual(map.count, model.count, "seed \(seed)")
                let found = Dictionary(uniqueKeysWithValues: map.map { (Data($0.key.utf8), $0.value) })
                expectEqual(found, model, "seed \(seed)")
                expectEqual(map[key], value, "seed \(seed)")
            }
            let other = Map<String, Int>()
            for entry in Array(map).shuffled(using: &random) { other[entry.key] = entry.value }
            expectEqual(map, other, "seed \(seed)")
            if let key = other.keys.last {
                other[key] = -1
                expect(map != other, "seed \(seed)")
            }
        }
    }
}
