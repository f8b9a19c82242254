import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

/// Calls in any order on every kind of collection, against the same done to arrays.
@Suite("Results: stages in written order")
struct StageChainTests {
    /// A call on a collection, and its effect on an array.
    private enum Step: CaseIterable {
        case older, named, byAge, byName, byBest, byScore, byPart, distinctAge, distinctBest, distinctTwo, limit, offset
    }

    private func apply(_ step: Step, _ results: some RealmCollection<StageDog>, _ n: Int) -> Results<StageDog> {
        switch step {
        case .older: results.where { $0.age > n % 4 }
        case .named: results.where { $0.name != "Rex" }
        case .byAge: results.sorted(by: \.age, ascending: n % 2 == 0)
        case .byName: results.sorted(by: [SortDescriptor(keyPath: "name"), SortDescriptor(keyPath: \StageDog.weight)])
        case .byBest: results.sorted(byKeyPath: "best.age", ascending: n % 2 == 0)
        case .byScore: results.sorted(byKeyPath: n % 3 == 0 ? "scores[a]" : "scores['b']", ascending: n % 2 == 0)
        case .byPart: results.sorted(by: \.part?.weight)
        case .distinctAge: results.distinct(by: ["age"])
        case .distinctBest: results.distinct(by: [\StageDog.best?.name])
        case .distinctTwo: results.distinct(by: ["mood", "any"])
        case .limit: results.limited(to: n)
        case .offset: results.offset(by: n / 3)
        }
    }

    private func apply(_ step: Step, _ dogs: [StageDog], _ n: Int) -> [StageDog] {
        switch step {
        case .older: dogs.filter { $0.age.map { $0 > n % 4 } ?? false }
        case .named: dogs.filter { $0.name != "Rex" }
        case .byAge: sorted(dogs, n % 2 == 0) { any($0.age) }
        case .byName: sorted(sorted(dogs, true) { any($0.weight) }, true) { AnyRealmValue.string($0.name) }
        case .byBest: sorted(dogs, n % 2 == 0) { $0.best.map { any($0.age) } }
        case .byScore: sorted(dogs, n % 2 == 0) { any($0.scores[n % 3 == 0 ? "a" : "b"]) }
        case .byPart: sorted(dogs, true) { $0.part.map { any($0.weight) } }
        case .distinctAge: distinct(dogs) { [any($0.age)] }
        case .distinctBest: distinct(dogs) { $0.best.map { [AnyRealmValue.string($0.name)] } }
        case .distinctTwo: distinct(dogs) { [AnyRealmValue.string($0.mood.rawValue), $0.any] }
        case .limit: Array(dogs.prefix(n))
        case .offset: Array(dogs.dropFirst(n / 3))
        }
    }

    private func any(_ value: Int?) -> AnyRealmValue {
        if let value { AnyRealmValue.int(value) } else { AnyRealmValue.none }
    }

    private func any(_ value: Double?) -> AnyRealmValue {
        if let value { AnyRealmValue.double(value) } else { AnyRealmValue.none }
    }

    /// - Parameter value: `nil` behind a null link.
    private func sorted(
        _ dogs: [StageDog],
        _ ascending: Bool,
        _ value: (StageDog) -> AnyRealmValue?
    ) -> [StageDog] {
        let values = dogs.map(value)
        return dogs.indices.sorted { i, j in
            let isBefore: (Int, Int) -> Bool = { a, b in
                guard let x = values[a] else { return false }
                guard let y = values[b] else { return true }
                return AnyRealmValue.isOrderedBefore(x, y)
            }
            if ascending ? isBefore(i, j) : isBefore(j, i) { return true }
            if ascending ? isBefore(j, i) : isBefore(i, j) { return false }
            return i < j
        }.map { dogs[$0] }
    }

    private func distinct(_ dogs: [StageDog], _ values: (StageDog) -> [AnyRealmValue]?) -> [StageDog] {
        var seen: Set<[AnyRealmValue]> = []
        return dogs.filter { dog in values(dog).map { seen.insert($0).inserted } ?? false }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `random chains on all kinds of collections have the same results as on arrays`(seed: UInt64) throws {
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        let realm = try stageRealm()
        let owner = StageOwner()
        try realm.write {
            realm.add(stageDogs(40, &random))
            realm.add(owner)
            let all = Array(realm.objects(StageDog.self))
            for _ in 0..<60 { owner.dogs.append(all[random.number(0..<40)]) }
            for _ in 0..<25 { owner.pack.insert(all[random.number(0..<40)]) }
            for i in 0..<20 { owner.byName["\(i)"] = random.oneIn(4) ? .some(nil) : all[random.number(0..<40)] }
        }
        for round in 0..<40 {
            let inTransaction = random.oneIn(3)
            if inTransaction {
                realm.beginWrite()
                realm.objects(StageDog.self)[random.number(0..<40)].age = random.number(0..<6)
                owner.dogs.move(from: random.number(0..<60), to: random.number(0..<60))
            }
            let source: any RealmCollection<StageDog>
            switch round % 4 {
            case 0: source = realm.objects(StageDog.self)
            case 1: source = owner.dogs
            case 2: source = owner.pack
            default: source = AnyRealmCollection(owner.dogs)
            }
            let steps = (0..<random.number(1..<6)).map { _ in
                (step: Step.allCases[random.number(0..<Step.allCases.count)], n: random.number(0..<30))
            }
            func check(_ source: some RealmCollection<StageDog>) {
                let note: Comment = "seed \(seed) round \(round) \(type(of: source)) \(steps)"
                var expected = Array(source)
                var results: Results<StageDog>?
                for (step, n) in steps {
                    results = results.map { apply(step, $0, n) } ?? apply(step, source, n)
                    expected = apply(step, expected, n)
                }
                let found = results!
                expectEqual(found.map(\.id), expected.map(\.id), note)
                expect(found.count == expected.count && found.first?.id == expected.first?.id, note)
                expectEqual(found.last?.id, expected.last?.id, note)
                expectEqual(found.sum(ofProperty: "age"), expected.compactMap(\.age).reduce(0, +), note)
                expectEqual(found.min(ofProperty: "part.weight"), expected.compactMap { $0.part?.weight }.min(), note)
                expectEqual(found.max(of: \.born), expected.map(\.born).max(), note)
                let mean: Double? = found.average(ofProperty: "best.age")
                let ages = expected.compactMap { $0.best?.age }
                expectEqual(mean, (ages.isEmpty ? nil : Double(ages.reduce(0, +)) / Double(ages.count)), note)
                if let some = expected.randomElement(using: &random) {
                    expectEqual(found.index(of: some), expected.firstIndex { $0.id == some.id }, note)
                }
            }
            check(source)
            let mapped = owner.byName.sorted(by: \.name).distinct(by: ["age"]).limited(to: 4)
            let values = apply(
                .distinctAge,
                sorted(owner.byName.values.compactMap { $0 }, true) { AnyRealmValue.string($0.name) },
                0
            )
            expectEqual(mapped.map { $0!.id }, values.prefix(4).map(\.id), "seed \(seed) round \(round)")
            if inTransaction { if random.oneIn(2) { realm.cancelWrite() } else { try realm.commitWrite() } }
        }
    }

    @Test
    func `linking objects are filtered, sorted, made distinct and limited`() throws {
        let realm = try stageRealm()
        let dog = StageDog()
        try realm.write {
            realm.add(dog)
            for (i, name) in ["b", "a", "c", "a"].enumerated() {
                let owner = StageOwner()
                owner.name = name
                owner.dogs.append(objectsIn: i == 0 ? [dog, dog] : [dog])
                owner.numbers.append(i)
                realm.add(owner)
            }
        }
        expectEqual(dog.owners.count, 5)
        expectEqual(dog.owners.sorted(by: \.name).distinct(by: ["name"]).map(\.name), ["a", "b", "c"])
        expectEqual(
            dog.owners.distinct(by: [\StageOwner.name]).sorted(by: \.name, ascending: false).map(\.name),
            [
                "c", "b", "a",
            ]
        )
        expectEqual(dog.owners.offset(by: 2).limited(to: 2).where { $0.name == "a" }.map(\.name), ["a"])
        expectEqual(
            dog.owners.sorted(byKeyPath: "numbers[0]", ascending: false).map(\.name),
            ["a", "c", "a", "b", "b"]
        )
    }

    @Test
    func `limits count the previous stage's elements, and later stages see only the limited ones`() throws {
        let realm = try stageRealm()
        try realm.write {
            for i in 0..<10 { realm.create(StageDog.self, value: ["id": i, "age": 9 - i]) }
        }
        let dogs = realm.objects(StageDog.self)
        expectEqual(dogs.limited(to: 3).sorted(by: \.age).map(\.id), [2, 1, 0])
        expectEqual(dogs.sorted(by: \.age).limited(to: 3).map(\.id), [9, 8, 7])
        expectEqual(dogs.limited(to: 3).where { $0.age < 9 }.map(\.id), [1, 2])
        expectEqual(dogs.where { $0.age < 9 }.limited(to: 3).map(\.id), [1, 2, 3])
        expect(dogs.offset(by: 8).map(\.id) == [8, 9] && dogs.offset(by: 80).isEmpty && dogs.limited(to: 0).isEmpty)
        let top = dogs.sorted(by: \.age, ascending: false).limited(to: 2)
        expect(top.map(\.id) == [0, 1] && top.sum(of: \.age) == 17)
        try realm.write { realm.delete(dogs[0]) }
        expect(top.map(\.id) == [1, 2] && top.sum(of: \.age) == 15)
        try realm.write { realm.delete(top) }
        expectEqual(dogs.map(\.id), Array(3..<10))
    }
}
