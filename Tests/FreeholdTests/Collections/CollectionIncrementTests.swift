import Foundation
import TestRandom
import Testing

@testable import Freehold

@Suite("Increments: lists and maps")
struct CollectionIncrementTests {
    @Test(
        "elements and values are incremented, managed and not; null stays null, and a missing key stays missing",
        arguments: [false, true]
    )
    func lists(managed: Bool) throws {
        try withCounters(managed: managed) { object in
            object.ints.append(objectsIn: [1, 2, 3])
            object.int8s.append(objectsIn: [1, -2])
            object.optionalInts.append(objectsIn: [1, nil, 3])
            expect(object.ints.increment(at: 1, by: 40) == 42 && object.ints.increment(at: 2) == 4)
            expectEqual(object.int8s.increment(at: 1, by: -126), -128)
            expectEqual(object.optionalInts.increment(at: 2, by: -4), -1)
            expect(object.optionalInts.increment(at: 1, by: 5) == nil)
            expect(Array(object.ints) == [1, 42, 4] && Array(object.int8s) == [1, -128])
            expectEqual(Array(object.optionalInts), [1, nil, -1])

            object.byName["a"] = 1
            object.int16sByName["é"] = -1
            object.optionalsByName["a"] = 1
            object.optionalsByName["null"] = .some(nil)
            expect(object.byName.increment("a", by: 41) == 42 && object.byName["a"] == 42)
            expect(object.byName.increment("b") == nil && object.byName.count == 1)
            expect(object.byName.increment("no.key") == nil && object.byName.increment("$no") == nil)
            expect(object.int16sByName.increment("é", by: -1) == -2 && object.int16sByName["é"] == -2)
            expect(object.optionalsByName.increment("a") == 2 && object.optionalsByName["a"] == 2)
            expect(object.optionalsByName.increment("null") == nil)
            expect(object.optionalsByName["null"] == .some(nil) && object.optionalsByName.increment("none") == nil)
            expectEqual(object.optionalsByName.count, 2)
        }
    }

    @Test
    func `large numbers are incremented`() throws {
        let realm = try incrementRealm()
        let object = IncrementCounters(1)
        object.ints.append(objectsIn: 0..<20_000)
        object.optionalInts.append(objectsIn: (0..<20_000).map { $0 % 10 == 0 ? nil : $0 })
        for i in 0..<5000 { object.byName["k\(i)"] = i }
        try realm.write { realm.add(object) }
        try realm.write {
            for i in stride(from: 0, to: 20_000, by: 7) {
                expectEqual(object.ints.increment(at: i, by: 1_000_000), i + 1_000_000)
                expectEqual(object.optionalInts.increment(at: i, by: -1), (i % 10 == 0 ? nil : i - 1))
            }
            for i in stride(from: 0, to: 5000, by: 11) {
                expectEqual(object.byName.increment("k\(i)", by: .min), .min + i)
            }
        }
        expect(
            object.ints.enumerated().allSatisfy {
                $0.element == ($0.offset % 7 == 0 ? $0.offset + 1_000_000 : $0.offset)
            }
        )
        expect(
            object.optionalInts.enumerated().allSatisfy { i, value in
                value == (i % 10 == 0 ? nil : i % 7 == 0 ? i - 1 : i)
            }
        )
        expect((0..<5000).allSatisfy { object.byName["k\($0)"] == ($0 % 11 == 0 ? .min + $0 : $0) })
        expectEqual(realm.verify(), [])
    }

    @Test("collections of dynamic objects are incremented")
    func dynamicObjects() throws {
        let realm = try incrementRealm()
        let object = IncrementCounters(1)
        object.ints.append(1)
        object.optionalsByName["a"] = 1
        try realm.write { realm.add(object) }
        let dynamic = try require(realm.dynamicObjects("IncrementCounters").first)
        try realm.write {
            expectEqual((dynamic.ints as? List<Int>)?.increment(at: 0), 2)
            expectEqual((dynamic.optionalsByName as? Map<String, Int?>)?.increment("a"), 2)
        }
        expect(object.ints[0] == 2 && object.optionalsByName["a"] == 2)
    }
}

/// The expected content of a realm.
private struct IncrementModel: Equatable {
    var int = 0
    var int8: Int8 = 0
    var optional: Int?
    var indexed = 0
    var optionalIndexed: Int?
    var count = 0
    var ints: [Int] = []
    var optionals: [Int?] = []
    var byName: [String: Int] = [:]
    var optionalsByName: [String: Int?] = [:]

    init() {}

    init(_ object: IncrementCounters) {
        (int, int8, optional) = (object.int, object.int8, object.optionalInt)
        (indexed, optionalIndexed, count) = (object.indexed, object.optionalIndexed, object.tally!.count)
        (ints, optionals) = (Array(object.ints), Array(object.optionalInts))
        for (key, value) in object.byName.asKeyValueSequence() { byName[key] = value }
        for (key, value) in object.optionalsByName.asKeyValueSequence() {
            optionalsByName.updateValue(value, forKey: key)
        }
    }
}

@Suite("Increments: random operations against plain values")
struct RandomIncrementTests {
    @Test(arguments: [
        UInt64(ProcessInfo.processInfo.environment["FREEHOLD_SEED"] ?? "") ?? TestSeed.random(in: 0 ... .max), 11,
    ])
    func `adds and sets in random order, of a realm and of plain values`(seed: UInt64) throws {
        let rounds = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] == nil ? 12 : 400
        var cases = 0
        print("RandomIncrementTests: FREEHOLD_SEED=\(seed), \(rounds) rounds")
        var random = SeededRandom(seed: seed)
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("freehold-\(UUID().uuidString).realm")
        let configuration = Realm.Configuration(fileURL: url, objectTypes: incrementTypes)
        defer { _ = try? Realm.deleteFiles(for: configuration) }
        do {
            let realm = try Realm(configuration: configuration)
            var models = (0..<12).map { _ in IncrementModel() }
            try realm.write {
                for i in models.indices {
                    let object = IncrementCounters(i)
                    object.tally = IncrementTally()
                    // Half of the values are stored out of line.
                    let count = i % 2 == 0 ? 20 : 1500
                    models[i].ints = (0..<count).map { _ in .random(in: -9...9, using: &random) }
                    models[i].optionals = models[i].ints.map { $0 == 0 ? nil : $0 }
                    for k in 0..<(count / 10) { models[i].byName["\(k)"] = k }
                    for k in 0..<(count / 10) {
                        models[i].optionalsByName.updateValue(k % 3 == 0 ? nil : k, forKey: "\(k)")
                    }
                    object.ints.append(objectsIn: models[i].ints)
                    object.optionalInts.append(objectsIn: models[i].optionals)
                    object.byName.merge(models[i].byName) { $1 }
                    object.optionalsByName.merge(models[i].optionalsByName) { $1 }
                    realm.add(object)
                }
            }
            let objects = models.indices.map { realm.object(ofType: IncrementCounters.self, forPrimaryKey: $0)! }
            for round in 0..<rounds {
                cases += 1
                let before = models
                var touched: Set<Int> = []
                realm.beginWrite()
                for _ in 0..<Int.random(in: 1...60, using: &random) {
                    let i = Int.random(in: models.indices, using: &random)
                    touched.insert(i)
                    change(objects[i], &models[i], &random)
                }
                if Int.random(in: 0..<5, using: &random) == 0 {
                    realm.cancelWrite()
                    models = before
                } else {
                    try realm.commitWrite()
                }
                for i in touched {
                    expectEqual(IncrementModel(objects[i]), models[i], "round \(round), object \(i)")
                }
                let wanted = models[Int.random(in: models.indices, using: &random)]
                expectEqual(
                    realm.objects(IncrementCounters.self).where { $0.indexed == wanted.indexed }.count,
                    models.filter { $0.indexed == wanted.indexed }.count
                )
                expectEqual(
                    realm.objects(IncrementCounters.self).where { $0.optionalIndexed == wanted.optionalIndexed }.count,
                    models.filter { $0.optionalIndexed == wanted.optionalIndexed }.count
                )
            }
            expectEqual(cases, rounds)
            expectEqual(realm.verify(), [])
        }
    }

    /// Returns an amount. Some amounts make sums wrap around.
    private func amount(_ random: inout SeededRandom) -> Int {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .random(in: .min ... .max, using: &random)
        case 1: 0
        default: .random(in: -20...20, using: &random)
        }
    }

    private func change(_ object: IncrementCounters, _ model: inout IncrementModel, _ random: inout SeededRandom) {
        let by = amount(&random)
        let value: Int? = Int.random(in: 0..<6, using: &random) == 0 ? nil : amount(&random)
        func sum(_ a: Int?) -> Int? { a.map { $0 &+ by } }
        switch Int.random(in: 0..<18, using: &random) {
        case 0, 1:
            model.int &+= by
            expectEqual(object.increment(\.int, by: by), model.int)
        case 2:
            model.int &+= by
            expectEqual(object.increment("int", by: by), model.int)
        case 3:
            model.int = value ?? 0
            object.int = model.int
        case 4:
            let narrow = Int8(truncatingIfNeeded: by)
            if model.int8.addingReportingOverflow(narrow).overflow {
                model.int8 = narrow
                object.int8 = narrow
            } else {
                model.int8 += narrow
                expectEqual(object.increment(\.int8, by: narrow), model.int8)
            }
        case 5:
            model.optional = sum(model.optional)
            expectEqual(object.increment(\.optionalInt, by: by), model.optional)
        case 6:
            model.optional = value
            object.optionalInt = value
        case 7:
            model.indexed &+= by
            expectEqual(object.increment(\.indexed, by: by), model.indexed)
        case 8:
            model.indexed = value ?? 0
            object.indexed = model.indexed
        case 9:
            model.optionalIndexed = sum(model.optionalIndexed)
            expectEqual(object.increment("optionalIndexed", by: by), model.optionalIndexed)
        case 10:
            model.optionalIndexed = value
            object.optionalIndexed = value
        case 11:
            model.count &+= by
            expectEqual(object.increment(\.tally!.count, by: by), model.count)
        case 12, 13:
            let i = Int.random(in: model.ints.indices, using: &random)
            model.ints[i] &+= by
            expectEqual(object.ints.increment(at: i, by: by), model.ints[i])
        case 14:
            let i = Int.random(in: model.optionals.indices, using: &random)
            model.optionals[i] = sum(model.optionals[i])
            expectEqual(object.optionalInts.increment(at: i, by: by), model.optionals[i])
        case 15:
            let key = "\(Int.random(in: 0...model.byName.count, using: &random))"
            let new = sum(model.byName[key])
            model.byName[key] = new
            expectEqual(object.byName.increment(key, by: by), new)
        case 16:
            let key = "\(Int.random(in: 0...model.optionalsByName.count, using: &random))"
            let new = model.optionalsByName[key].flatMap { sum($0) }
            if model.optionalsByName[key] != nil { model.optionalsByName.updateValue(new, forKey: key) }
            expectEqual(object.optionalsByName.increment(key, by: by), new)
        default:
            // The removed and the inserted elements have other positions.
            let i = Int.random(in: model.ints.indices, using: &random)
            model.ints.append(model.ints.remove(at: i))
            object.ints.move(from: i, to: model.ints.count - 1)
            model.optionals[i] = value
            object.optionalInts[i] = value
            model.optionalsByName.updateValue(value, forKey: "\(i)")
            object.optionalsByName["\(i)"] = .some(value)
            model.byName["\(i)"] = nil
            object.byName["\(i)"] = nil
        }
    }
}
