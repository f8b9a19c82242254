import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

@Suite("Results: groups")
struct GroupedTests {
    private static let seeds: ClosedRange<UInt64> =
        1...(ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] == nil ? 2 : 40)

    @Test(arguments: seeds)
    func `groups of random objects equal those of a dictionary`(seed: UInt64) throws {
        var (random, cases) = (SeededRandom(seed: seed), 0)
        let realm = try stageRealm()
        let owner = StageOwner()
        try realm.write {
            realm.add(stageDogs(60, &random))
            realm.add(owner)
            let all = Array(realm.objects(StageDog.self))
            for _ in 0..<80 { owner.dogs.append(all[random.number(0..<60)]) }
            for i in 0..<10 { realm.delete(all[i * 3]) }
        }
        for round in 0..<12 {
            if round == 6 { realm.beginWrite() }
            if round > 6 { realm.objects(StageDog.self)[round].age = round }
            let note: Comment = "seed \(seed) round \(round)"
            func check(_ dogs: some RealmCollection<StageDog>) {
                let all = Array(dogs)
                compare(dogs.grouped(by: \.age), all, note) {
                    [$0.age.map { AnyRealmValue.int($0) } ?? AnyRealmValue.none]
                } _: {
                    [$0.map { AnyRealmValue.int($0) } ?? AnyRealmValue.none]
                }
                compare(dogs.grouped(by: \.name), all, note) {
                    [AnyRealmValue.string($0.name)]
                } _: {
                    [AnyRealmValue.string($0)]
                }
                compare(dogs.grouped(by: \.any), all, note) {
                    [$0.any]
                } _: {
                    [$0]
                }
                compare(dogs.grouped(by: \.best?.name), all, note) {
                    [$0.best.map { AnyRealmValue.string($0.name) } ?? AnyRealmValue.none]
                } _: {
                    [$0.map { AnyRealmValue.string($0) } ?? AnyRealmValue.none]
                }
                compare(dogs.grouped(by: \.mood, \.born, \.weight), all, note) {
                    [
                        AnyRealmValue.string($0.mood.rawValue), AnyRealmValue.date($0.born),
                        AnyRealmValue.double($0.weight),
                    ]
                } _: {
                    (key: (StageMood, Date, Double)) in
                    [AnyRealmValue.string(key.0.rawValue), AnyRealmValue.date(key.1), AnyRealmValue.double(key.2)]
                }
                compare(dogs.grouped(by: ["price", "part.weight", "scores['a']"]), all, note) {
                    [
                        $0.price.map { AnyRealmValue.decimal128($0) } ?? AnyRealmValue.none,
                        $0.part?.weight.map { AnyRealmValue.double($0) } ?? AnyRealmValue.none,
                        $0.scores["a"].map { AnyRealmValue.int($0) } ?? AnyRealmValue.none,
                    ]
                } _: {
                    $0
                }
            }
            switch round % 3 {
            case 0: check(realm.objects(StageDog.self))
            case 1: check(owner.dogs)
            default: check(realm.objects(StageDog.self).where { $0.weight > 0 }.sorted(by: \.age).limited(to: 25))
            }
            cases += 1
        }
        print("GroupedTests: seed \(seed), \(cases) rounds")
        expectEqual(cases, 12)
        realm.cancelWrite()
    }

    private func compare<Key>(
        _ groups: GroupedResults<Key, StageDog>,
        _ dogs: [StageDog],
        _ note: Comment,
        _ keyOf: (StageDog) -> [AnyRealmValue],
        _ values: (Key) -> [AnyRealmValue]
    ) {
        let expected = Dictionary(grouping: dogs, by: keyOf).sorted { a, b in
            for (x, y) in zip(a.key, b.key) {
                if AnyRealmValue.isOrderedBefore(x, y) { return true }
                if AnyRealmValue.isOrderedBefore(y, x) { return false }
            }
            return false
        }
        expectEqual(groups.map { values($0.key) }, expected.map(\.key), note)
        for (group, (_, members)) in zip(groups, expected) {
            expectEqual(group.count, members.count, note)
            expectEqual(group.objects.map(\.id), members.map(\.id), note)
            expectEqual(group.sum(ofProperty: "age"), members.compactMap(\.age).reduce(0, +), note)
            expectEqual(group.sum(of: \.weight), members.map(\.weight).reduce(0, +), note)
            expectEqual(group.min(of: \.weight), members.map(\.weight).min(), note)
            expectEqual(group.max(ofProperty: "age"), members.compactMap(\.age).max(), note)
            expectEqual(group.max(of: \.born), members.map(\.born).max(), note)
            expectEqual(group.min(ofProperty: "price"), members.compactMap(\.price).min(), note)
            let ages = members.compactMap { $0.best?.age }
            let mean: Double? = ages.isEmpty ? nil : Double(ages.reduce(0, +)) / Double(ages.count)
            expectEqual(group.average(of: \.best?.age), mean, note)
        }
    }

    @Test
    func `objects as targets of links are keys, too, and groups follow the realm`() throws {
        let realm = try stageRealm()
        try realm.write {
            let best = realm.create(StageDog.self, value: ["id": 0, "age": 1])
            for i in 1..<5 { realm.create(StageDog.self, value: ["id": i, "age": i]).best = i < 4 ? best : nil }
        }
        let dogs = realm.objects(StageDog.self)
        let groups = dogs.where { $0.id > 0 }.grouped(by: \.best)
        expect(groups.map { $0.key?.id } == [nil, 0] && groups.map(\.count) == [1, 3])
        expect(groups.map { $0.sum(of: \.age) } == [4, 6] && groups.allKeys.last??.id == 0)
        let group = groups[1]
        try realm.write {
            dogs[4].best = dogs[0]
            expect(groups.map(\.count) == [4] && group.sum(of: \.age) == 10 && group.objects.count == 4)
            realm.delete(dogs[1])
            expect(groups.map(\.count) == [3] && groups[0].sum(of: \.age) == 9 && group.count == 3)
        }
        expect(groups.realm == realm && !groups.isInvalidated && groups.last?.count == 3)
        try realm.write { realm.deleteAll() }
        expect(groups.isEmpty && group.sum(of: \.age) == 0 && group.max(of: \.age) == nil)
    }

    @Test
    func `sums of integers wrap around, means don't, and NaN has a group of its own`() throws {
        let realm = try stageRealm()
        try realm.write {
            for (i, weight) in [Double.nan, 1, .nan, -0.0, 0].enumerated() {
                realm.create(StageDog.self, value: ["id": i, "age": Int.max, "weight": weight])
            }
        }
        let groups = realm.objects(StageDog.self).grouped(by: \.weight)
        expect(groups.map(\.count) == [2, 2, 1] && groups[0].key.isNaN && groups[1].key == 0)
        expect(groups[0].objects.map(\.id) == [0, 2] && groups[1].objects.map(\.id) == [3, 4])
        expect(groups[0].sum(of: \.age) == Int.max &+ Int.max && groups[0].average(of: \.age) == 0x1p63)
        expect(groups[0].min(of: \.weight) == nil && groups[2].max(of: \.weight) == 1)
    }
}
