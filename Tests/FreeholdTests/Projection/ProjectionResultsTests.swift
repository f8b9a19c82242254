import Foundation
import Testing

@testable import Freehold

@Suite("Projections: results, queries, sorts, sections")
struct ProjectionResultsTests {
    @Test
    func `results of projections have the same order and content as those of the objects`() throws {
        let realm = try projectionRealm()
        let people = realm.objects(PJPersonProjection.self)
        expect(people.count == 3 && people.map(\.firstName) == ["Ada", "Bob", "Cid"] && !people.isEmpty)
        expect(people.first?.firstName == "Ada" && people.last?.firstName == "Cid" && people[1].surname == "Baker")
        expectEqual(people.index(of: realm.pjProjection(2)), 1)
        expect(people.where { $0.age > 20 }.index(of: realm.pjProjection(2)) == nil)
        expect(people.index(of: PJPersonProjection(projecting: PJPerson(1, "", ""))) == nil)
        var kept: [PJPersonProjection] = []
        for person in people { kept.append(person) }
        expect(kept.map(\.age) == [36, 17, 50] && Set(kept).count == 3)
        expectEqual(people.objects(at: [0, 2]).map(\.firstName), ["Ada", "Cid"])
        try realm.write {
            realm.add(PJPerson(4, "Dan", ""))
            for person in people { person.age += 1 }
            realm.delete(realm.pjPerson(1))
        }
        expect(people.map(\.age) == [18, 51, 1] && kept[0].isInvalidated)
        expectEqual(AnyRealmCollection(people).map(\.firstName), ["Bob", "Cid", "Dan"])
        expect("\(people)".contains("PJPersonProjection<PJPerson>"))
        expectEqual(people.value(forKey: "firstName") as? [String], ["Bob", "Cid", "Dan"])
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let names: String
        let condition: @Sendable (Query<PJPersonProjection>) -> Query<Bool>
        let testDescription: String

        init(
            _ names: String,
            _ text: String,
            _ condition: @escaping @Sendable (Query<PJPersonProjection>) -> Query<Bool>
        ) {
            self.names = names
            self.condition = condition
            testDescription = text
        }
    }

    static let cases: [Case] = [
        Case("Ada", "firstName == 'Ada'") { $0.firstName == "Ada" },
        Case("Ada", "surname.starts(with: 'Love')") { $0.surname.starts(with: "Love") },
        Case("Ada Cid", "age > 20") { $0.age > 20 },
        Case("Ada", "homeCity == 'London'") { $0.homeCity == "London" },
        Case("Cid", "homeCity == nil") { $0.homeCity == nil },
        Case("Ada", "dogAge == 7") { $0.dogAge == 7 },
        Case("Bob Cid", "dogAge == nil") { $0.dogAge == nil },
        Case("Ada", "dogMood == .calm") { $0.dogMood == .calm },
        Case("Ada", "dogCity == 'Kennel'") { $0.dogCity == "Kennel" },
        Case("Ada", "dog.name == 'Rex'") { $0.dog.name == "Rex" },
        Case("Ada", "dog != nil") { $0.dog != nil },
        Case("Ada Cid", "friendsNames == 'Bob'") { $0.friendsNames == "Bob" },
        Case("Ada Cid", "friendsCities == 'Paris'") { $0.friendsCities == "Paris" },
        Case("Ada", "petNames == 'Fay' && petNames == 'Rex'") { $0.petNames == "Fay" && $0.petNames == "Rex" },
        Case("Ada", "cities.contains('ath')") { $0.cities.contains("ath") },
        Case("Bob Cid", "admirersNames == 'Ada'") { $0.admirersNames == "Ada" },
        Case("Ada", "tags.contains('y')") { $0.tags.contains("y") },
        Case("Ada", "scores['a'] == 1") { $0.scores["a"] == 1 },
        Case("Cid", "rootObject.id == 3") { $0.rootObject.id == 3 },
        Case("Bob", "!(friendsNames == 'Bob')") { !($0.friendsNames == "Bob") },
        Case("Ada", "(cities == 'Bath').count == 1") { ($0.cities == "Bath").count == 1 },
        Case("Ada Bob Cid", "mood.in([.calm, .merry])") { $0.mood.in([.calm, .merry]) },
        Case("Bob", "age.contains(10..<20)") { $0.age.contains(10..<20) },
    ]

    @Test(arguments: cases)
    func `conditions on projected properties equal those on the objects' properties`(_ test: Case) throws {
        let realm = try projectionRealm()
        let people = realm.objects(PJPersonProjection.self)
        let found = people.where(test.condition)
        expectEqual(found.map(\.firstName).joined(separator: " "), test.names)
        expectEqual(people.index(matching: test.condition), found.first.flatMap { people.index(of: $0) })
    }

    @Test
    func `strings and predicates use the objects' property names`() throws {
        let realm = try projectionRealm()
        let people = realm.objects(PJPersonProjection.self)
        expectEqual(
            people.filter("lastName BEGINSWITH 'B' OR address.city == %@", "London").map(\.firstName),
            ["Ada", "Bob"]
        )
        expectEqual(people.filter(NSPredicate(format: "age > 40")).map(\.firstName), ["Cid"])
        expectEqual(people.index(matching: "age == 17"), 1)
        #expect(throws: QueryError.self) { try people.filter(validating: "surname == 'Baker'") }
        let bob = realm.pjProjection(2)
        expectEqual(people.where { $0.rootObject.friends.contains(bob.rootObject) }.map(\.firstName), ["Ada", "Cid"])
        expectEqual(people.where { $0 == bob }.map(\.firstName), ["Bob"])
    }

    @Test
    func `results of projections have sorts, distinct, limits and aggregates`() throws {
        let realm = try projectionRealm()
        let people = realm.objects(PJPersonProjection.self)
        expectEqual(people.sorted(by: \.surname, ascending: false).map(\.firstName), ["Ada", "Cid", "Bob"])
        expectEqual(people.sorted(by: \.homeCity).map(\.firstName), ["Ada", "Bob", "Cid"])
        expectEqual(people.sorted(by: \.homeCity, ascending: false).map(\.firstName), ["Cid", "Bob", "Ada"])
        expectEqual(people.sorted(byKeyPath: "age").limited(to: 2).map(\.firstName), ["Bob", "Ada"])
        expectEqual(people.sorted(by: [SortDescriptor(keyPath: \PJPersonProjection.age)]).offset(by: 2).first?.age, 50)
        expectEqual(people.distinct(by: [\.mood]).map(\.firstName), ["Ada"])
        expectEqual(people.distinct(by: ["lastName"]).count, 3)
        expect(people.max(of: \.age) == 50 && people.min(of: \.age) == 17 && people.sum(of: \.age) == 103)
        let mean: Double? = people.average(ofProperty: "age")
        expect(mean == 103 / 3.0 && people.sum(of: \.dogAge) == 7)
        expectEqual(people.sorted(by: \.rootObject.firstName).first?.firstName, "Ada")
    }

    @Test
    func `results of projections have sections and groups`() throws {
        let realm = try projectionRealm()
        try realm.write { realm.pjPerson(3).address = PJAddress("Paris") }
        let people = realm.objects(PJPersonProjection.self)
        let byCity = people.sectioned(by: \.homeCity)
        expect(byCity.allKeys == ["London", "Paris"] && byCity[1].map(\.firstName) == ["Bob", "Cid"])
        let byLetter = people.sectioned(by: { String($0.surnameCaps.prefix(1)) }, sortDescriptors: ["lastName"])
        expect(byLetter.allKeys == ["B", "C", "L"] && byLetter[0][0].firstName == "Bob")
        let frozen = byCity.freeze()
        try realm.write { realm.pjProjection(2).homeCity = "Aix" }
        expect(byCity.allKeys == ["Aix", "London", "Paris"] && frozen.allKeys == ["London", "Paris"])
        let groups = people.grouped(by: \.homeCity)
        expect(groups.allKeys == ["Aix", "London", "Paris"] && groups[0].objects.map(\.firstName) == ["Bob"])
        expectEqual(groups[2].max(of: \.age), 50)
    }

    @Test
    func `projections are frozen, thawed, and passed to other threads`() throws {
        let configuration = projectionConfiguration()
        let realm = try projectionRealm(configuration)
        let ada = realm.pjProjection(1)
        let frozen = ada.freeze()
        let (names, frozenResults) = (ada.friendsNames.freeze(), realm.objects(PJPersonProjection.self).freeze())
        try realm.write {
            ada.firstName = "A"
            ada.friendsNames[0] = "B"
        }
        expect(frozen.firstName == "Ada" && frozen.isFrozen && Array(names) == ["Bob", "Cid"] && names.isFrozen)
        expect(frozenResults[0].firstName == "Ada" && frozenResults[0].isFrozen)
        expect(frozen.thaw()?.firstName == "A" && names.thaw().map { Array($0) } == ["B", "Cid"])
        expect(frozen.thaw() == ada && frozen != ada && type(of: frozen.thaw()!) == PJPersonProjection.self)
        let reference = ThreadSafeReference(to: ada)
        let (list, results) = (
            ThreadSafeReference(to: ada.cities), ThreadSafeReference(to: realm.objects(PJNameProjection.self))
        )
        let sent = Frozen(ada)
        let lazily = ThreadSafe(wrappedValue: ada)
        let told = try onAnotherThread { () throws -> [String] in
            let realm = try Realm(configuration: configuration)
            let ada = realm.resolve(reference)!
            try realm.write { ada.surname = "King" }
            return [ada.surname, sent.value.surname, realm.resolve(list)![1], realm.resolve(results)![1].name]
                + [lazily.wrappedValue!.surname]
        }
        expectEqual(told, ["King", "Lovelace", "Bath", "B", "King"])
        realm.refresh()
        expect(ada.surname == "King" && ada.surnameCaps == "KING")
        try realm.write { realm.delete(realm.pjPerson(1)) }
        expect(frozen.thaw() == nil && frozen.firstName == "Ada")
    }

    @Test
    func `many threads read frozen projections at once`() async throws {
        let realm = try projectionRealm()
        let frozen = Frozen(realm.objects(PJPersonProjection.self))
        await withTaskGroup(of: [String].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<50).flatMap { _ in frozen.value.flatMap { Array($0.friendsNames) + [$0.surnameCaps] } }
                }
            }
            for await names in group { expect(names.count == 450 && names[2] == "LOVELACE") }
        }
    }
}
