import Foundation
import Testing

@testable import Freehold

@Suite("Realm: create, read, update, delete")
struct CRUDTests {
    @Test("an added object becomes managed and keeps its values")
    func add() throws {
        let realm = try newRealm()
        let dog = RTDog(id: 1, name: "Ada", age: 3, weight: 4.5)
        try realm.write { realm.add(dog) }
        expectEqual(dog.realm, realm)
        expect(dog.name == "Ada" && dog.age == 3 && dog.weight == 4.5)
        expectEqual(realm.objects(RTDog.self).count, 1)
        expectEqual(realm.objects(RTDog.self).first, dog)
        try realm.write { dog.age = 4 }
        expectEqual(realm.object(ofType: RTDog.self, forPrimaryKey: 1)?.age, 4)
        expect(realm.object(ofType: RTDog.self, forPrimaryKey: 2) == nil)
    }

    @Test
    func `every type of value survives being stored in a file`() throws {
        try withNewFile { configuration in
            let objectId = ObjectId.generate(), uuid = UUID(), date = Date(timeIntervalSince1970: 1_234_567.25)
            do {
                let realm = try Realm(configuration: configuration)
                try realm.write {
                    let object = RTEverything()
                    object.key = "k"
                    object.bool = true
                    object.int = .min
                    object.int8 = -7
                    object.float = 1.5
                    object.double = .pi
                    object.string = "Zoë"
                    object.data = Data([0, 1, 255])
                    object.date = date
                    object.decimal = Decimal128("12.50")
                    object.objectId = objectId
                    object.uuid = uuid
                    object.optionalInt = 5
                    realm.add(object)
                }
            }
            let realm = try Realm(configuration: configuration)
            let object = try require(realm.object(ofType: RTEverything.self, forPrimaryKey: "k"))
            expect(object.bool && object.int == .min && object.int8 == -7)
            expect(object.float == 1.5 && object.double == .pi && object.string == "Zoë")
            expect(object.data == Data([0, 1, 255]) && object.date == date)
            expectEqual(object.decimal, Decimal128("12.5"))
            expect(object.objectId == objectId && object.uuid == uuid)
            expect(object.optionalInt == 5 && object.optionalString == nil && object.optionalBool == nil)
        }
    }

    @Test("deleting an object invalidates its accessors and removes it from links and lists")
    func delete() throws {
        let realm = try newRealm()
        let dog = RTDog(id: 1), other = RTDog(id: 2)
        let person = RTPerson(name: "P")
        person.favourite = dog
        person.dogs.append(objectsIn: [dog, other, dog])
        try realm.write { realm.add(person) }
        expect(dog.owners.count == 2 && dog.admirers.count == 1)
        let again = realm.object(ofType: RTDog.self, forPrimaryKey: 1)!
        try realm.write {
            realm.delete(dog)
            expect(dog.isInvalidated && again.isInvalidated)
            expect(person.favourite == nil)
            expectEqual(person.dogs.map(\.id), [2])
        }
        expect(dog.isInvalidated && dog.realm == nil)
        expectEqual(realm.objects(RTDog.self).count, 1)
    }

    @Test
    func `delete accepts sequences, results and lists, and deleteAll deletes everything`() throws {
        let realm = try newRealm()
        try realm.write {
            for i in 0..<10 { realm.add(RTDog(id: i, age: i)) }
            let person = RTPerson(name: "P")
            person.dogs.append(objectsIn: realm.objects(RTDog.self))
            realm.add(person)
        }
        let dogs = realm.objects(RTDog.self)
        try realm.write { realm.delete(dogs.where { $0.age < 3 }) }
        expectEqual(dogs.map(\.id), [3, 4, 5, 6, 7, 8, 9])
        try realm.write { realm.delete([dogs[0], dogs[1], dogs[0]]) }
        expectEqual(dogs.count, 5)
        let person = realm.objects(RTPerson.self)[0]
        try realm.write { realm.delete(person.dogs) }
        expect(dogs.isEmpty && person.dogs.isEmpty)
        expect(!realm.isEmpty)
        try realm.write { realm.deleteAll() }
        expect(realm.isEmpty)
    }

    @Test("create accepts dictionaries, arrays and objects, nested")
    func create() throws {
        let realm = try newRealm()
        try realm.write {
            let fromDictionary = realm.create(
                RTPerson.self,
                value: [
                    "name": "Ada", "favourite": ["id": 1, "name": "Fay"],
                    "dogs": [["id": 2, "age": 7], [3, "Max", 1] as [Any]] as [Any], "tags": ["a", "b"],
                    "friend": NSNull(),
                ] as [String: Any]
            )
            expect(fromDictionary.favourite?.name == "Fay" && fromDictionary.friend == nil)
            expectEqual(fromDictionary.dogs.map(\.id), [2, 3])
            expectEqual(fromDictionary.dogs.map(\.name), ["Rex", "Max"])
            expectEqual(Array(fromDictionary.tags), ["a", "b"])

            let fromArray = realm.create(RTDog.self, value: [9, "Nine", 9, 1.5] as [Any])
            expect(fromArray.id == 9 && fromArray.weight == 1.5)

            let unmanaged = RTPerson(name: "Copy me")
            unmanaged.friends.append(RTPerson(name: "Friend"))
            unmanaged.friend = unmanaged
            unmanaged.dogs.append(fromArray)
            let copy = realm.create(RTPerson.self, value: unmanaged)
            expect(unmanaged.realm == nil && copy != unmanaged)
            expect(copy.friend == copy && copy.friends.first?.name == "Friend")
            expectEqual(copy.dogs.first, fromArray)
        }
        expectEqual(realm.objects(RTDog.self).count, 4)
        expectEqual(realm.objects(RTPerson.self).count, 3)
    }

    @Test
    func `an update keeps properties that aren't given, and null empties collections`() throws {
        let realm = try newRealm()
        try realm.write {
            realm.add(RTDog(id: 1, name: "One", age: 5, weight: 2))
            let same = realm.create(RTDog.self, value: ["id": 1, "age": 6], update: .modified)
            expect(same.name == "One" && same.age == 6 && same.weight == 2)
            realm.create(RTDog.self, value: ["id": 1, "weight": nil] as [String: Int?], update: .all)
            expect(same.weight == nil && same.name == "One")
            let replacement = RTDog(id: 1, name: "New", age: 0)
            realm.add(replacement, update: .modified)
            expect(replacement == same && same.name == "New" && same.age == 0)
            expect(realm.create(RTDog.self, value: same, update: .modified) === same)
        }
        expectEqual(realm.objects(RTDog.self).count, 1)
    }
}
