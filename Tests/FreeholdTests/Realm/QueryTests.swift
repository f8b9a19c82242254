import Foundation
import Testing

@testable import Freehold

@Suite("Query: closures of where, compared with the same condition in Swift")
struct QueryTests {
    /// A query and what it means.
    struct Case<T: Object>: Sendable, CustomTestStringConvertible {
        let name: String
        let query: @Sendable (Query<T>) -> Query<Bool>
        let condition: @Sendable (T) -> Bool

        var testDescription: String { name }

        init(
            _ name: String,
            _ query: @escaping @Sendable (Query<T>) -> Query<Bool>,
            _ condition: @escaping @Sendable (T) -> Bool
        ) {
            self.name = name
            self.query = query
            self.condition = condition
        }
    }

    static let names = ["Ada", "ada", "Bob", "Zoë", "", "a*b", "Adam"]

    private func populated() throws -> Realm {
        let realm = try newRealm()
        var generator = SystemRandomNumberGenerator()
        try realm.write {
            let dogs = (0..<40).map { i in
                RTDog(
                    id: i,
                    name: Self.names[i % Self.names.count],
                    age: Int.random(in: 0..<10, using: &generator),
                    weight: i % 3 == 0 ? nil : Double(i % 7)
                )
            }
            realm.add(dogs)
            for i in 0..<30 {
                let person = RTPerson(name: Self.names[i % Self.names.count])
                person.favourite = i % 4 == 0 ? nil : dogs.randomElement()!
                person.dogs.append(objectsIn: (0..<(i % 4)).map { _ in dogs.randomElement()! })
                person.tags.append(objectsIn: (0..<(i % 3)).map { Self.names[($0 + i) % 7] })
                person.scores.append(objectsIn: (0..<(i % 5)).map { $0 * i })
                realm.add(person)
            }
            let people = realm.objects(RTPerson.self)
            for (i, person) in people.enumerated() where i % 2 == 0 { person.friend = people[(i * 7) % 30] }
        }
        return realm
    }

    private func check<T: Object>(_ test: Case<T>) throws {
        let realm = try populated()
        let all = realm.objects(T.self)
        func compare() {
            let found = all.where(test.query)
            let expected = Array(all).filter(test.condition)
            expectEqual(Array(found), expected)
            expect(found.count == expected.count && found.first == expected.first && found.last == expected.last)
            let other = all.where { !test.query($0) }
            expectEqual(other.count + found.count, all.count)
        }
        compare()
        realm.beginWrite()
        realm.delete(all.first!)
        realm.create(T.self, value: T.self == RTDog.self ? ["id": 99] : [:])
        compare()
        realm.cancelWrite()
    }

    static let dogCases: [Case<RTDog>] = [
        Case("equal", { $0.age == 5 }, { $0.age == 5 }),
        Case("unequal", { $0.age != 5 }, { $0.age != 5 }),
        Case("less", { $0.age < 5 }, { $0.age < 5 }),
        Case("at most, at least", { $0.age <= 7 && $0.age >= 3 }, { $0.age <= 7 && $0.age >= 3 }),
        Case("or, not", { $0.age == 1 || !($0.age > 5) }, { $0.age == 1 || !($0.age > 5) }),
        Case("optional value", { $0.weight == 3 }, { $0.weight == 3 }),
        Case("optional null", { $0.weight == nil }, { $0.weight == nil }),
        Case("optional not null", { $0.weight != nil }, { $0.weight != nil }),
        Case("optional order", { $0.weight > 2 }, { ($0.weight ?? -1) > 2 }),
        Case("range", { $0.age.contains(3..<6) }, { (3..<6).contains($0.age) }),
        Case("closed range", { $0.age.contains(3...6) }, { (3...6).contains($0.age) }),
        Case("optional range", { $0.weight.contains(2.0..<4.0) }, { $0.weight.map { (2..<4).contains($0) } ?? false }),
        Case("in", { $0.age.in([1, 2, 8]) }, { [1, 2, 8].contains($0.age) }),
        Case("text equal, indexed", { $0.name == "Ada" }, { $0.name == "Ada" }),
        Case("text in, indexed", { $0.name.in(["Ada", "Zoë", "nobody"]) }, { ["Ada", "Zoë"].contains($0.name) }),
        Case("text contains", { $0.name.contains("d") }, { $0.name.contains("d") }),
        Case(
            "text contains, any case",
            { $0.name.contains("AD", options: .caseInsensitive) },
            { $0.name.lowercased().contains("ad") }
        ),
        Case("text starts", { $0.name.starts(with: "A") }, { $0.name.hasPrefix("A") }),
        Case("text ends", { $0.name.ends(with: "ë") }, { $0.name.hasSuffix("ë") }),
        Case(
            "text equals, any case",
            { $0.name.equals("ADA", options: .caseInsensitive) },
            { $0.name.lowercased() == "ada" }
        ),
        Case(
            "text differs, any case",
            { $0.name.notEquals("ADA", options: .caseInsensitive) },
            { $0.name.lowercased() != "ada" }
        ),
        Case("like", { $0.name.like("A?a*") }, { $0.name == "Ada" || $0.name == "Adam" }),
        Case(
            "text order",
            { $0.name > "B" },
            { Array($0.name.utf8).lexicographicallyPrecedes(Array("B".utf8)) == false && $0.name != "B" }
        ),
        Case("two columns", { $0.id > $0.age }, { $0.id > $0.age }),
        Case("backlink count", { $0.owners.count > 1 }, { $0.owners.count > 1 }),
        Case("backlink member", { $0.owners.name == "Bob" }, { $0.owners.contains { $0.name == "Bob" } }),
        Case("backlink of a link", { $0.admirers.count == 0 }, { $0.admirers.isEmpty }),
        Case(
            "far member",
            { $0.owners.friend.favourite.age > 4 },
            { $0.owners.contains { ($0.friend?.favourite?.age ?? 0) > 4 } }
        ),
    ]

    static let personCases: [Case<RTPerson>] = [
        Case("link member", { $0.favourite.age > 5 }, { ($0.favourite?.age ?? 0) > 5 }),
        Case(
            "link member text",
            { $0.favourite.name.starts(with: "A") },
            { $0.favourite?.name.hasPrefix("A") ?? false }
        ),
        Case("no link", { $0.favourite == nil }, { $0.favourite == nil }),
        Case("some link", { $0.favourite != nil }, { $0.favourite != nil }),
        Case("two links", { $0.friend.favourite.age < 5 }, { ($0.friend?.favourite?.age ?? 9) < 5 }),
        Case("any of a list", { $0.dogs.age > 5 }, { $0.dogs.contains { $0.age > 5 } }),
        Case("none of a list", { !($0.dogs.name == "Ada") }, { !$0.dogs.contains { $0.name == "Ada" } }),
        Case("count", { $0.dogs.count == 2 }, { $0.dogs.count == 2 }),
        Case("values contain", { $0.tags.contains("Ada") }, { $0.tags.contains("Ada") }),
        Case(
            "values contain any",
            { $0.tags.containsAny(in: ["Ada", "Bob"]) },
            { $0.tags.contains("Ada") || $0.tags.contains("Bob") }
        ),
        Case("values order", { $0.scores > 20 }, { $0.scores.contains { $0 > 20 } }),
        Case("values count", { $0.scores.count < 2 }, { $0.scores.count < 2 }),
        Case("values sum", { $0.scores.sum > 50 }, { $0.scores.reduce(0, +) > 50 }),
        Case("values max", { $0.scores.max == 3 }, { $0.scores.max() == 3 }),
        Case(
            "values avg",
            { $0.scores.avg > 5 },
            { $0.scores.isEmpty ? false : Double($0.scores.reduce(0, +)) / Double($0.scores.count) > 5 }
        ),
        Case("member max", { $0.dogs.age.max >= 8 }, { ($0.dogs.map(\.age).max() ?? 0) >= 8 }),
        Case("member sum", { $0.dogs.age.sum == 0 }, { $0.dogs.map(\.age).reduce(0, +) == 0 }),
        Case(
            "backlinks through a list",
            { $0.dogs.owners.name.contains("o") },
            { $0.dogs.contains { $0.owners.contains { $0.name.contains("o") } } }
        ),
    ]

    @Test(arguments: dogCases)
    func `conditions on dogs find their rows`(test: Case<RTDog>) throws { try check(test) }

    @Test(arguments: personCases)
    func `conditions on people find their rows`(test: Case<RTPerson>) throws { try check(test) }

    @Test("objects are compared by identity")
    func objects() throws {
        let realm = try populated()
        let people = realm.objects(RTPerson.self)
        let dog = try require(people.compactMap(\.favourite).first)
        expectEqual(people.where { $0.favourite == dog }.count, dog.admirers.count)
        expectEqual(people.where { $0.favourite != dog }.count, people.count - dog.admirers.count)
        expectEqual(Array(people.where { $0.dogs.contains(dog) }), people.filter { $0.dogs.contains(dog) })
        expect(people.where { $0.favourite == RTDog(id: 5) }.isEmpty)
        expectEqual(
            people.where { $0.favourite.in([dog, nil]) }.count,
            dog.admirers.count
                + people.where { $0.favourite == nil }.count
        )
    }

    @Test
    func `conditions narrow each other down`() throws {
        let realm = try populated()
        let dogs = realm.objects(RTDog.self)
        let found = dogs.where { $0.age > 2 }.sorted(by: \.age, ascending: false).where { $0.age < 8 }
        let expected = dogs.filter { $0.age > 2 && $0.age < 8 }.sorted { $0.age > $1.age }
        expectEqual(Array(found), Array(expected))
    }
}
