import Foundation
import TestRandom
import Testing

@testable import Freehold

@Suite("Realm: random operations against plain dictionaries")
struct RandomOperationsTests {
    /// The expected content of the realm. Names identify people.
    struct Model: Equatable {
        struct Dog: Equatable {
            var name: String
            var age: Int
            var weight: Double?
        }
        struct Person: Equatable {
            var favourite: Int?
            var dogs: [Int] = []
            var tags: [String] = []
        }
        var dogs: [Int: Dog] = [:]
        var people: [String: Person] = [:]

        mutating func deleteDog(_ id: Int) {
            dogs[id] = nil
            for name in people.keys {
                people[name]!.dogs.removeAll { $0 == id }
                if people[name]!.favourite == id { people[name]!.favourite = nil }
            }
        }
    }

    private func contents(_ realm: Realm) -> Model {
        var model = Model()
        for dog in realm.objects(RTDog.self) {
            model.dogs[dog.id] = Model.Dog(name: dog.name, age: dog.age, weight: dog.weight)
        }
        for person in realm.objects(RTPerson.self) {
            model.people[person.name] = Model.Person(
                favourite: person.favourite?.id,
                dogs: person.dogs.map(\.id),
                tags: Array(person.tags)
            )
        }
        return model
    }

    private func checkQueries(_ realm: Realm, _ model: Model, _ age: Int) {
        expectEqual(
            Set(realm.objects(RTDog.self).where { $0.age > age }.map(\.id)),
            Set(model.dogs.filter { $0.value.age > age }.keys)
        )
        expectEqual(
            realm.objects(RTDog.self).where { $0.name == "n\(age)" }.count,
            model.dogs.values.count { $0.name == "n\(age)" }
        )
        let fans = model.people.filter { $0.value.dogs.contains { model.dogs[$0]!.age < age } }
        expectEqual(Set(realm.objects(RTPerson.self).where { $0.dogs.age < age }.map(\.name)), Set(fans.keys))
        expectEqual(realm.objects(RTDog.self).sum(of: \.age), model.dogs.values.reduce(0) { $0 + $1.age })
        for (id, _) in model.dogs.prefix(5) {
            let owners = model.people.values.reduce(0) { $0 + $1.dogs.count { $0 == id } }
            expectEqual(realm.object(ofType: RTDog.self, forPrimaryKey: id)?.owners.count, owners)
        }
    }

    private func operate(_ realm: Realm, _ model: inout Model, _ random: inout SeededRandom) -> Bool {
        let id = Int.random(in: 0..<30, using: &random)
        let dog = Model.Dog(
            name: "n\(Int.random(in: 0..<9, using: &random))",
            age: Int.random(in: -5..<300, using: &random),
            weight: Bool.random(using: &random) ? nil : Double.random(in: 0..<1, using: &random)
        )
        let name = "p\(Int.random(in: 0..<8, using: &random))"
        let person = realm.objects(RTPerson.self).where { $0.name == name }.first
        let stored = realm.object(ofType: RTDog.self, forPrimaryKey: id)
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1:
            realm.add(RTDog(id: id, name: dog.name, age: dog.age, weight: dog.weight))
            if stored != nil { return false }
            model.dogs[id] = dog
        case 2:
            realm.add(RTDog(id: id, name: dog.name, age: dog.age, weight: dog.weight), update: .modified)
            model.dogs[id] = dog
        case 3:
            realm.create(RTDog.self, value: ["id": id, "age": dog.age], update: .all)
            model.dogs[id, default: Model.Dog(name: "Rex", age: 0, weight: nil)].age = dog.age
        case 4:
            guard let stored else { break }
            realm.delete(stored)
            model.deleteDog(id)
        case 5:
            guard let stored else { break }
            stored.name = dog.name
            stored.weight = dog.weight
            model.dogs[id]!.name = dog.name
            model.dogs[id]!.weight = dog.weight
        case 6:
            guard person == nil else { break }
            realm.create(RTPerson.self, value: ["name": name])
            model.people[name] = Model.Person()
        case 7:
            guard let person else { break }
            person.favourite = stored
            model.people[name]!.favourite = stored?.id
        case 8:
            guard let person, let stored else { break }
            let i = Int.random(in: 0...person.dogs.count, using: &random)
            person.dogs.insert(stored, at: i)
            model.people[name]!.dogs.insert(id, at: i)
        case 9:
            guard let person, !person.dogs.isEmpty else { break }
            let i = Int.random(in: 0..<person.dogs.count, using: &random)
            person.dogs.remove(at: i)
            model.people[name]!.dogs.remove(at: i)
        case 10:
            guard let person else { break }
            let tags = (0..<Int.random(in: 0..<4, using: &random)).map { "t\($0)\(dog.name)" }
            person.tags.append(objectsIn: tags)
            model.people[name]!.tags += tags
        default:
            guard let person else { break }
            realm.delete(person)
            model.people[name] = nil
        }
        return true
    }

    @Test(arguments: 0..<4)
    func `a realm holds what the operations say, through commits, cancels and bad data`(_: Int) throws {
        let seed = TestSeed.random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        let realm = try newRealm()
        var model = Model()
        for _ in 0..<60 {
            var next = model
            var isGood = true
            realm.beginWrite()
            for _ in 0..<Int.random(in: 1..<15, using: &random) where isGood {
                isGood = operate(realm, &next, &random)
            }
            expectEqual(contents(realm), next, "seed \(seed)")
            checkQueries(realm, next, Int.random(in: 0..<9, using: &random))
            if !isGood {
                expectEqual(thrownCode { try realm.commitWrite() }, .duplicatePrimaryKey, "seed \(seed)")
            } else if Int.random(in: 0..<5, using: &random) == 0 {
                realm.cancelWrite()
            } else {
                try realm.commitWrite()
                model = next
            }
            expectEqual(contents(realm), model, "seed \(seed)")
            checkQueries(realm, model, Int.random(in: 0..<9, using: &random))
        }
    }

    @Test(arguments: [false, true])
    func `threads that read and write see only whole transactions`(withLog: Bool) throws {
        try withNewFile { configuration in
            var configuration = configuration
            configuration.usesCommitLog = withLog
            let realm = try Realm(configuration: configuration)
            try realm.write { for i in 0..<20 { realm.add(RTDog(id: i, age: 0)) } }
            let group = DispatchGroup()
            for worker in 0..<4 {
                group.enter()
                Thread { [configuration] in
                    defer { group.leave() }
                    do {
                        let realm = try Realm(configuration: configuration)
                        for round in 0..<25 {
                            if worker % 2 == 0 {
                                try realm.write { for dog in realm.objects(RTDog.self) { dog.age += 1 } }
                            } else {
                                realm.refresh()
                                let ages = Set(realm.objects(RTDog.self).map(\.age))
                                expectEqual(ages.count, 1, "round \(round)")
                            }
                        }
                    } catch { Issue.record(error) }
                }.start()
            }
            group.wait()
            realm.refresh()
            expect(realm.objects(RTDog.self).allSatisfy { $0.age == 50 })
        }
    }
}
