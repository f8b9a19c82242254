import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

@Suite("Results: sections")
struct SectionedTests {
    private func dogs() throws -> (Realm, Results<StageDog>) {
        let realm = try stageRealm()
        try realm.write {
            for (i, name) in ["Rex", "Ada", "Rob", "Bo", "Al"].enumerated() {
                realm.create(StageDog.self, value: ["id": i, "name": name, "age": i == 3 ? nil : i % 2])
            }
            realm.objects(StageDog.self)[0].mood = .merry
            realm.objects(StageDog.self)[1].earlier = .cross
        }
        return (realm, realm.objects(StageDog.self))
    }

    @Test
    func `sections are keyed by values, optional ones and enums too, and by a closure's results`() throws {
        let (_, dogs) = try dogs()
        let byAge = dogs.sectioned(by: \.age)
        expect(byAge.allKeys == [nil, 0, 1] && byAge.map { $0.map(\.id) } == [[3], [0, 2, 4], [1]])
        expectEqual(dogs.sectioned(by: \.age, ascending: false).map(\.key), [1, 0, nil])
        let byMood = dogs.sectioned(
            by: \.mood,
            sortDescriptors: ["mood", SortDescriptor(keyPath: "name", ascending: false)]
        )
        expect(byMood.allKeys == [.calm, .merry] && byMood[0].map(\.name) == ["Rob", "Bo", "Al", "Ada"])
        expectEqual(dogs.sectioned(by: \.earlier).allKeys, [nil, .cross])
        let letters = dogs.sectioned(by: { String($0.name.prefix(1)) }, sortDescriptors: ["name"])
        expect(letters.allKeys == ["A", "B", "R"] && letters[2].map(\.name) == ["Rex", "Rob"])
        let initials = dogs.where { $0.id > 0 }.sectioned(sortDescriptors: ["name"]) { String($0.name.prefix(1)) }
        expect(initials.map(\.count) == [2, 1, 1] && initials[0].id == "A")
        expect(letters[IndexPath(item: 1, section: 2)].name == "Rob" && letters[[0, 0]].name == "Ada")
        let place = IndexPath(row: 3, section: 4)
        expect(place.section == 4 && place.row == 3 && place.item == 3)
        expect(letters == letters && letters != initials && letters[0] == letters[0] && letters[0] != letters[1])
        expect(letters.description.contains("[1] B: 1 elements") && letters[0].description.contains("Ada"))
        // A key that occurs twice is one section.
        expectEqual(
            dogs.sectioned(by: { $0.name.count }, sortDescriptors: ["id"]).map { $0.map(\.id) },
            [
                [0, 1, 2], [3, 4],
            ]
        )
    }

    @Test
    func `sections follow the realm, and a removed section is empty until its key returns`() throws {
        let (realm, dogs) = try dogs()
        let sections = dogs.sectioned(by: \.name), rex = sections[4]
        expect(rex.key == "Rob" && rex.count == 1 && sections.realm == realm)
        try realm.write {
            dogs[2].name = "Zed"
            expect(rex.isEmpty && sections.allKeys.last == "Zed")
            dogs[1].name = "Rob"
            expect(rex.map(\.id) == [1] && sections.count == 5)
            for dog in rex { dog.name = "gone" }
        }
        expect(rex.isEmpty && !rex.isInvalidated && rex.first == nil)
        try realm.write { realm.deleteAll() }
        expect(sections.isEmpty && sections.allKeys == [])
    }

    @Test
    func `lists, sets, maps' objects and values have sections`() throws {
        let (realm, dogs) = try dogs()
        let owner = StageOwner()
        try realm.write {
            realm.add(owner)
            owner.dogs.append(objectsIn: [dogs[0], dogs[0], dogs[1]])
            owner.pack.insert(objectsIn: dogs)
            owner.numbers.append(objectsIn: [3, nil, 4, 1, 2])
            owner.words.insert(objectsIn: ["bee", "a", "be"])
        }
        expectEqual(owner.dogs.sectioned(by: \.name).map { $0.map(\.id) }, [[1], [0, 0]])
        expectEqual(owner.pack.sectioned(by: \.age).map(\.count), [1, 3, 1])
        let odd = owner.numbers.sectioned(by: { $0.map { $0 % 2 == 1 } })
        expect(odd.allKeys == [nil, true, false] && odd.map { Array($0) } == [[nil], [1, 3], [2, 4]])
        expectEqual(
            owner.words.sectioned(by: { String($0.prefix(1)) }, ascending: false).map { Array($0) },
            [
                ["bee", "be"], ["a"],
            ]
        )
        expectEqual(List([1, 2, 3]).sectioned(by: { $0 > 1 }).map(\.count), [1, 2])
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `random sections equal those of a dictionary`(seed: UInt64) throws {
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        let realm = try stageRealm()
        try realm.write { realm.add(stageDogs(50, &random)) }
        let dogs = realm.objects(StageDog.self)
        for _ in 0..<5 {
            try realm.write { dogs[random.number(0..<50)].age = random.number(0..<9) }
            let sections = dogs.sectioned(by: \.age, sortDescriptors: ["age", "name"])
            let expected = Dictionary(grouping: dogs.sorted(by: \.name), by: \.age)
            expectEqual(sections.allKeys, expected.keys.sorted { ($0 ?? -1) < ($1 ?? -1) }, "seed \(seed)")
            for section in sections {
                expectEqual(section.map(\.id), expected[section.key]!.map(\.id), "seed \(seed)")
            }
        }
    }
}
