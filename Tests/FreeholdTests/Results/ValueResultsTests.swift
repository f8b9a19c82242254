import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

@Suite("Results: values of collections")
struct ValueResultsTests {
    private func withOwner(managed: Bool, _ body: (StageOwner, Realm) throws -> Void) throws {
        let realm = try stageRealm()
        let owner = StageOwner()
        if managed { try realm.write { realm.add(owner) } }
        realm.beginWrite()
        try body(owner, realm)
        realm.cancelWrite()
    }

    @Test(arguments: [false, true])
    func `lists, sets and maps of values are sorted, made distinct and limited, in any order`(managed: Bool) throws {
        try withOwner(managed: managed) { owner, _ in
            owner.numbers.append(objectsIn: [3, nil, 1, 3, nil, 2])
            let numbers = owner.numbers
            expectEqual(Array(numbers.sorted(ascending: true)), [nil, nil, 1, 2, 3, 3])
            expectEqual(Array(numbers.sorted(byKeyPath: "self", ascending: false)), [3, 3, 2, 1, nil, nil])
            expectEqual(Array(numbers.distinct()), [3, nil, 1, 2])
            expectEqual(Array(numbers.distinct().sorted(ascending: false).limited(to: 2)), [3, 2])
            expectEqual(Array(numbers.limited(to: 4).sorted(ascending: true).offset(by: 1)), [1, 3, 3])
            expectEqual(Array(numbers.sorted(by: ["self"]).distinct(by: ["self"])), [nil, 1, 2, 3])
            let sorted = numbers.sorted(ascending: true)
            expect(sorted.min() == 1 && sorted.max() == 3 && sorted.sum() == 9 && sorted.average() == 2.25)
            expect(sorted.min(ofProperty: "self") == 1 && numbers.sum(ofProperty: "self") == 9)
            expect(numbers.distinct().sum() == 6 && numbers.offset(by: 5).average() == 2.0)
            expect(sorted.index(of: 2) == 3 && sorted.index(of: nil) == 0 && sorted.index(of: 7) == nil)
            expect(sorted.first == .some(nil) && sorted.last == 3 && sorted[2] == 1 && !sorted.isEmpty)
            expect(numbers.limited(to: 0).first == nil && numbers.limited(to: 0).sum() == 0)
            expect(sorted.description.hasPrefix("Results<Optional<Int>> (\n\t[0] nil"))
            owner.words.insert(objectsIn: ["b", "é", "a", "B"])
            expectEqual(Array(owner.words.sorted(ascending: false)), ["é", "b", "a", "B"])
            expectEqual(owner.words.sorted().limited(to: 1).first, "B")
            for (key, value) in [("x", 5), ("y", nil), ("z", 5)] as [(String, Int?)] {
                owner.counts[key] = .some(value)
            }
            expect(Array(owner.counts.sorted()) == [nil, 5, 5] && Array(owner.counts.distinct()) == [5, nil])
            expect(Array(owner.counts.limited(to: 2)) == [5, nil] && Array(owner.counts.offset(by: 2)) == [5])
            expect(owner.counts.sum() == 10 && owner.counts.max() == 5 && owner.counts.average() == 5.0)
            owner.anything.append(objectsIn: ["b", 2, .double(1.5), .none, .bool(true), .double(2), ["a": 1], [1]])
            expectEqual(
                Array(owner.anything.sorted(byKeyPath: "self")),
                [.none, .bool(true), .double(1.5), 2, .double(2), "b", [1], ["a": 1]]
            )
            expectEqual(owner.anything.distinct(by: ["self"]).count, 7)
            expectEqual(owner.anything.distinct(by: ["self"]).index(of: ["a": 1]), 5)
            expectEqual(owner.anything.sum(ofProperty: "self"), Decimal128("5.5"))
            expectEqual(AnyRealmCollection(numbers).sorted(ascending: true).max(), 3)
        }
    }

    @Test
    func `results of values are live, and end with their owner`() throws {
        let realm = try stageRealm()
        let owner = StageOwner()
        try realm.write { realm.add(owner) }
        let top = owner.numbers.sorted(ascending: false).limited(to: 2)
        expect(top.isEmpty && top.realm == realm && top == top && top != owner.numbers.sorted(ascending: false))
        try realm.write {
            owner.numbers.append(objectsIn: [1, 5, 3])
            expectEqual(Array(top), [5, 3])
            owner.numbers.append(9)
            expectEqual(Array(top), [9, 5])
            for number in top { owner.numbers.append(number) }
            expectEqual(owner.numbers.count, 6)
        }
        expectEqual(Array(top), [9, 9])
        owner.realm!.beginWrite()
        owner.anything.append([[1, 2]])
        let nested = owner.anything.sorted(byKeyPath: "self")[0].listValue!
        nested.append(3)
        expectEqual(owner.anything[0], [[1, 2], 3])
        owner.realm!.cancelWrite()
        try realm.write { realm.delete(owner) }
        expect(top.isInvalidated && top.isEmpty && top.count == 0 && top.sum() == 0)
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `random values have the same results as arrays`(seed: UInt64) throws {
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        let owner = StageOwner()
        let realm = try stageRealm()
        try realm.write { realm.add(owner) }
        for _ in 0..<20 {
            let values: [Int?] = (0..<random.number(0..<40)).map { _ in
                [nil, .min, .min + 1, .max, 0, random.number(-5..<5)][random.number(0..<6)]
            }
            try realm.write {
                owner.numbers.removeAll()
                owner.numbers.append(objectsIn: values)
            }
            var results: Results<Int?> = owner.numbers.offset(by: 0)
            var expected = values
            for _ in 0..<4 {
                let n = random.number(0..<20)
                switch random.number(0..<4) {
                case 0:
                    results = results.sorted(ascending: n % 2 == 0)
                    expected.sort { a, b in
                        let (x, y) = n % 2 == 0 ? (a, b) : (b, a)
                        guard let y else { return false }
                        return x.map { $0 < y } ?? true
                    }
                case 1:
                    results = results.distinct()
                    var seen: Set<Int?> = []
                    expected = expected.filter { seen.insert($0).inserted }
                case 2:
                    results = results.limited(to: n + 5)
                    expected = Array(expected.prefix(n + 5))
                default:
                    results = results.offset(by: n / 8)
                    expected = Array(expected.dropFirst(n / 8))
                }
            }
            expectEqual(Array(results), expected, "seed \(seed)")
            expectEqual(results.sum(), expected.compactMap { $0 }.reduce(0, &+), "seed \(seed)")
        }
    }

    @Test
    func `unmanaged collections of objects are aggregated like managed ones`() throws {
        var random = SeededRandom(seed: 7)
        let owner = StageOwner()
        owner.dogs.append(objectsIn: stageDogs(30, &random))
        owner.pack.insert(objectsIn: owner.dogs)
        for dog in owner.dogs { owner.byName["\(dog.id)"] = dog }
        owner.byName["none"] = .some(nil)
        func values() -> [String] {
            func all(_ collection: some RealmCollection<StageDog>) -> [String] {
                ["age", "weight", "price", "best.age", "part.weight", "born", "any"].flatMap { key -> [String] in
                    let minimum: AnyRealmValue? = key == "any" ? collection.min(ofProperty: key) : nil
                    if key == "born" { return ["\(collection.max(ofProperty: key) as Date?)"] }
                    if key == "any" { return ["\(String(describing: minimum))"] }
                    let mean: Double? = collection.average(ofProperty: key)
                    let least: Double? = collection.min(ofProperty: key)
                    let total: Double = collection.sum(ofProperty: key)
                    return ["\(key) \(String(describing: least)) \(total) \(String(describing: mean))"]
                }
            }
            let most: Int? = owner.byName.max(ofProperty: "age")
            let sum: Double = owner.byName.sum(ofProperty: "part.weight")
            return all(owner.dogs) + all(owner.pack) + ["\(String(describing: most)) \(sum)"]
        }
        let before = values()
        let realm = try stageRealm()
        try realm.write {
            realm.add(owner)
            expectEqual(values(), before)
        }
        expectEqual(values(), before)
        expect(StageOwner().dogs.sum(of: \.weight) == 0 && StageOwner().dogs.min(of: \.age) == nil)
    }

    @Test
    func `enums and values that are stored as objects are sorted and filtered by their stored form`() throws {
        let realm = try stageRealm()
        let owner = StageOwner()
        let unmanaged = List([StageWeight(3, "c"), StageWeight(0.5, "a")])
        func total(_ weights: some RealmCollection<StageWeight>) -> Double { weights.sum(ofProperty: "weight") }
        func most(_ weights: some RealmCollection<StageWeight>) -> Double? { weights.max(ofProperty: "weight") }
        expect(total(unmanaged) == 3.5 && most(unmanaged) == 3)
        try realm.write {
            realm.add(owner)
            owner.weights.append(objectsIn: [StageWeight(3, "c"), StageWeight(1, "a"), StageWeight(2, "b")])
            owner.moods.append(objectsIn: [.merry, .calm, .merry])
        }
        let sorted = owner.weights.sorted(byKeyPath: "weight")
        expect(Array(sorted).map(\.code) == ["a", "b", "c"] && sorted.first?.kilograms == 1 && sorted[1].code == "b")
        expect(sorted.offset(by: 1).map(\.kilograms) == [2, 3] && sorted.index(of: StageWeight(3, "c")) == 2)
        expectEqual(owner.weights.filter("weight > 1").map(\.code), ["c", "b"])
        expect(total(owner.weights) == 6 && most(sorted.limited(to: 2)) == 2)
        expect(
            Array(owner.moods.sorted()) == [.calm, .merry, .merry] && Array(owner.moods.distinct()) == [.merry, .calm]
        )
        expectEqual(owner.moods.sorted(ascending: false).index(of: .calm), 2)
    }

    @Test
    func `key paths with operators concern the elements of every collection`() throws {
        let realm = try stageRealm()
        let owner = StageOwner()
        try realm.write {
            realm.add(owner)
            for i in 0..<4 {
                owner.dogs.append(realm.create(StageDog.self, value: ["id": i, "age": i, "name": "n\(i % 2)"]))
            }
            owner.dogs.append(owner.dogs[3])
            owner.numbers.append(objectsIn: [2, 2, nil, 4])
            owner.anything.append(objectsIn: [1, .double(0.5)])
        }
        let top = owner.dogs.sorted(by: \.age, ascending: false).limited(to: 3)
        expect(top.value(forKeyPath: "@sum.age") as? Int == 8 && top.value(forKeyPath: "@count") as? Int == 3)
        expectEqual(top.value(forKeyPath: "@distinctUnionOfObjects.name") as? [String], ["n1", "n0"])
        expectEqual(top.value(forKeyPath: "@avg.age") as? Double, 8.0 / 3)
        let numbers = owner.numbers.distinct()
        expect(
            numbers.value(forKeyPath: "@sum.self") as? Int == 6 && numbers.value(forKeyPath: "@max.self") as? Int == 4
        )
        expectEqual((numbers.value(forKey: "self") as? [Any?])?.map { $0.flatMap { $0 as? Int } }, [2, nil, 4])
        expectEqual(owner.anything.value(forKeyPath: "@sum.self") as? Decimal128, Decimal128("1.5"))
        expectEqual(owner.value(forKeyPath: "dogs.@max.age") as? Int, 3)
    }
}
