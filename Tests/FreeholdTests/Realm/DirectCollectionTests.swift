import Foundation
import Testing

@testable import Freehold

final class RTFilled: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var ints: List<Int>
    @Persisted var strings: List<String>
    @Persisted var doubles: List<Double>
    @Persisted var dates: List<Date>
    @Persisted var optionals: List<Int?>
    @Persisted var bytes: List<Data>
    @Persisted var words: MutableSet<String>
    @Persisted var numbers: MutableSet<Int>
    @Persisted var identifiers: MutableSet<UUID>
    @Persisted var counts: Map<String, Int>
    @Persisted var names: Map<String, String>
    @Persisted var scores: Map<String, Double?>
    @Persisted var flags: Map<String, Bool>
}

/// Objects with collections of plain values are added without a plan: as those with one are.
struct DirectCollectionTests {
    /// The same for the same seed.
    private func object(_ id: Int, _ seed: UInt64) -> RTFilled {
        var random = SeededRandom(seed: seed &* 1000 &+ UInt64(id))
        let object = RTFilled()
        object.id = id
        // Every 200th collection is large, in the soak every 40th. The number of properties has no factor in common with
        // either, so that each property has large collections.
        var number = id * 13
        func count() -> Int {
            number += 1
            return random.below(number.isMultiple(of: Self.isSoak ? 40 : 200) ? 3000 : 5)
        }
        for _ in 0..<count() { object.ints.append(Int(truncatingIfNeeded: random.next() >> UInt64(random.below(64)))) }
        for _ in 0..<count() { object.strings.append(random.string()) }
        for _ in 0..<count() { object.doubles.append([0, -0.0, .infinity, 1.5][random.below(4)]) }
        for _ in 0..<count() { object.dates.append(Date(timeIntervalSince1970: Double(random.below(1000)) / 8)) }
        for _ in 0..<count() { object.optionals.append(random.below(3) == 0 ? nil : random.below(9)) }
        for _ in 0..<count() { object.bytes.append(Data(repeating: 7, count: random.below(30) == 0 ? 9000 : 3)) }
        for _ in 0..<count() { object.words.insert(random.string()) }
        for _ in 0..<count() { object.numbers.insert(random.below(2000) - 1000) }
        for _ in 0..<count() {
            let (a, b) = (UInt8(random.below(4)), UInt8(random.below(256)))
            object.identifiers.insert(UUID(uuid: (a, b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
        }
        for _ in 0..<count() { object.counts[random.string() + "\(random.below(2000))"] = random.below(100) }
        for _ in 0..<count() { object.names[random.string()] = random.string() }
        for _ in 0..<count() { object.scores[random.string()] = .some(random.below(2) == 0 ? nil : 2.5) }
        for _ in 0..<count() { object.flags[random.string()] = random.below(2) == 0 }
        return object
    }

    private func withFile(_ body: (Realm.Configuration) throws -> Void) throws {
        try withNewFile { configuration in
            var configuration = configuration
            configuration.objectTypes = [RTFilled.self]
            try body(configuration)
        }
    }

    private static let isSoak = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] != nil

    @Test(arguments: UInt64(1)...(isSoak ? 40 : 2))
    func `direct additions have the same result as additions by a plan`(_ seed: UInt64) throws {
        try withFile { direct in
            try withFile { planned in
                let (a, b) = (try Realm(configuration: direct), try Realm(configuration: planned))
                for part in 0..<3 {
                    let ids = part * 100..<part * 100 + 100
                    try a.write { for id in ids { a.add(object(id, seed)) } }
                    // An update may have to find objects, so it is planned.
                    try b.write { for id in ids { b.add(object(id, seed), update: .all) } }
                }
                var cases = 0
                for (x, y) in zip(a.objects(RTFilled.self), b.objects(RTFilled.self)) {
                    let given = object(x.id, seed)
                    cases += 1
                    expect(Array(x.ints) == Array(y.ints) && Array(x.ints) == Array(given.ints))
                    expectEqual(Array(x.strings).map { Array($0.utf8) }, Array(given.strings).map { Array($0.utf8) })
                    expectEqual(Array(x.strings), Array(y.strings))
                    expectEqual(Array(x.doubles).map(\.bitPattern), Array(y.doubles).map(\.bitPattern))
                    expect(Array(x.dates) == Array(y.dates) && Array(x.dates) == Array(given.dates))
                    expect(Array(x.optionals) == Array(y.optionals) && Array(x.optionals) == Array(given.optionals))
                    expect(Array(x.bytes) == Array(y.bytes) && Array(x.bytes) == Array(given.bytes))
                    expect(Array(x.words) == Array(y.words) && x.words.count == given.words.count)
                    expect(Array(x.numbers) == Array(y.numbers) && Set(x.numbers) == Set(given.numbers))
                    expect(
                        Array(x.identifiers) == Array(y.identifiers) && x.identifiers.count == given.identifiers.count
                    )
                    expect(x.counts.keys == y.counts.keys && x.counts.values == y.counts.values)
                    expect(x.counts.keys == given.counts.keys && x.counts.values == given.counts.values)
                    expect(x.names.keys == y.names.keys && x.names.values == y.names.values)
                    expect(x.scores.keys == y.scores.keys && x.scores.values == y.scores.values)
                    expect(x.flags.keys == given.flags.keys && x.flags.values == given.flags.values)
                }
                expect(a.objects(RTFilled.self).count == 300 && cases == 300)
                print("DirectCollectionTests: seed \(seed), \(cases) objects")
                for realm in [a, b] {
                    let problems = realm.core.committed.verify()
                    expect(problems.isEmpty, "seed \(seed): \(problems.prefix(5))")
                }
            }
        }
    }

    @Test func `a managed object keeps its collections, and they are live`() throws {
        try withFile { configuration in
            let realm = try Realm(configuration: configuration)
            let object = RTFilled()
            let (ints, words, counts) = (object.ints, object.words, object.counts)
            ints.append(objectsIn: [3, 1])
            words.insert("b")
            counts["a"] = 1
            try realm.write {
                realm.add(object)
                expect(ints.realm != nil && words.realm != nil && counts.realm != nil)
                ints.append(2)
                words.insert("a")
                counts["b"] = 2
            }
            expectEqual(Array(object.ints), [3, 1, 2])
            expectEqual(Array(object.words), ["a", "b"])
            expectEqual(object.counts.keys, ["a", "b"])
            expect(object.ints === ints && object.counts === counts)
        }
    }

    @Test(arguments: ["with.dot", "$dollar"]) func `an invalid key adds nothing`(_ key: String) throws {
        try withFile { configuration in
            let realm = try Realm(configuration: configuration)
            let object = RTFilled()
            object.ints.append(1)
            object.counts[key] = 1
            expectEqual(thrownCode { try realm.write { realm.add(object) } }, .invalidValue)
            expect(object.realm == nil)
            expectEqual(realm.objects(RTFilled.self).count, 0)
            expect(object.ints.count == 1 && object.counts.count == 1)
        }
    }
}

extension SeededRandom {
    fileprivate mutating func string() -> String {
        ["", "a", "é", "e\u{301}", "B", "longer than what fits into fifteen bytes", "z\(below(50))"][below(7)]
    }
}
