import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

private func memoryRealm() throws -> Realm {
    try Realm(
        configuration: Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString,
            objectTypes: [Everything.self, ModelDog.self, ModelPerson.self, ModelMaker.self, ModelMapped.self]
        )
    )
}

@Suite("Managed objects")
struct ManagedObjectTests {
    @Test("every type is read as stored, in the transaction, after it, and through another accessor")
    func roundTrip() throws {
        let realm = try memoryRealm()
        let object = Everything()
        object.bool = true
        object.int = -5
        object.int8 = -128
        object.int16 = .max
        object.int32 = .min
        object.int64 = .max
        object.float = 1.25
        object.double = -.infinity
        object.string = String(repeating: "ä", count: 3000)
        object.data = Data([0, 255, 1])
        let date = Date(timeIntervalSince1970: 1_700_000_000.25)
        object.date = date
        object.decimal = Decimal128("12.50")
        let (objectId, uuid) = (object.objectId, object.uuid)
        object.optBool = false
        object.optInt8 = 7
        object.optDate = date
        object.optString = ""
        object.link = ModelDog()
        object.ints.append(objectsIn: [1, 2, 3])

        func check(_ o: Everything, _ place: String) {
            expect(o.bool && o.int == -5 && o.int8 == -128 && o.int16 == .max && o.int32 == .min, "\(place)")
            expect(
                o.int64 == .max && o.float == 1.25 && o.double == -.infinity && o.data == Data([0, 255, 1]),
                "\(place)"
            )
            expect(o.string == String(repeating: "ä", count: 3000) && o.date == date, "\(place)")
            expect(o.decimal == Decimal128("12.50") && o.objectId == objectId && o.uuid == uuid, "\(place)")
            expect(o.optBool == false && o.optInt8 == 7 && o.optDate == date && o.optString == "", "\(place)")
            expect(o.optInt == nil && o.optData == nil && o.optDecimal == nil && o.optUUID == nil, "\(place)")
            expect(o.optFloat == nil && o.optDouble == nil && o.optObjectId == nil, "\(place)")
            expect(o.link?.name == "Rex" && Array(o.ints) == [1, 2, 3] && o.links.isEmpty, "\(place)")
        }
        try realm.write {
            realm.add(object)
            check(object, "in the transaction")
        }
        check(object, "after the transaction")
        let other = realm.objects(Everything.self)[0]
        check(other, "another accessor")
        expect(other == object && other.hash == object.hash && other !== object && other.isSameObject(as: object))
        expectEqual("\(other)", "\(object)")

        try realm.write {
            other.int += 1
            other.optInt = 4
            other.optString = nil
            other.link = nil
            other["double"] = 2
            expect(object.int == -4 && object.optInt == 4 && object.optString == nil && object.link == nil)
        }
        expect(object.int == -4 && object.double == 2 && object.optString == nil)
    }

    @Test
    func `the primary key of a stored object can't be changed, and assigning the same one has no effect`() throws {
        let realm = try memoryRealm()
        let dog = ModelDog()
        dog._id = 4
        let hash = dog.hash
        try realm.write {
            realm.add(dog)
            dog._id = 4
        }
        expectEqual(dog.hash, hash)
        #expect(throws: Realm.Error.self) {
            try realm.write { dog._id = 5 }
        }
        expectEqual(dog._id, 4)
    }

    @Test
    func `an unsuitable value is recorded, and the write throws it`() throws {
        let realm = try memoryRealm()
        let object = Everything()
        try realm.write { realm.add(object) }
        do {
            try realm.write { object["int8"] = 300 }
            Issue.record("no error")
        } catch let error as Realm.Error {
            expect(error.property == "int8" && error.code == .invalidValue)
        }
        expectEqual(object.int8, 0)
    }

    @Test
    func `deleted objects and those of a cancelled write are invalid`() throws {
        let realm = try memoryRealm()
        let (kept, gone, never) = (ModelPerson(), ModelPerson(), ModelPerson())
        try realm.write { realm.add([kept, gone]) }
        let dogs = gone.dogs
        try realm.write {
            realm.delete(gone)
            expect(gone.isInvalidated && dogs.isInvalidated && !kept.isInvalidated)
        }
        realm.beginWrite()
        realm.add(never)
        realm.cancelWrite()
        expect(gone.isInvalidated && gone.realm == nil && never.isInvalidated && !kept.isInvalidated)
        expectEqual("\(gone)", "[invalid object]")
    }

    @Test
    func `initialisers that create objects, and properties that aren't stored, work for accessors`() throws {
        let realm = try memoryRealm()
        try realm.write {
            realm.add(ModelMaker())
            realm.add(ModelPerson())
        }
        expectEqual(realm.objects(ModelMaker.self)[0].other?.name, "Rex")
        let person = realm.objects(ModelPerson.self)[0]
        expect(person.notStored == 8 && person.alsoNotStored == 6)
        person.notStored = 9
        expect(person.notStored == 9 && person.both == "")
    }

    @Test
    func `mapped names are those of the file, and Swift's names those of the code`() throws {
        let realm = try memoryRealm()
        let object = ModelMapped(value: ["key": "k", "swiftName": 3])
        try realm.write { realm.add(object) }
        expect(object.swiftName == 3 && object["swiftName"] as? Int == 3)
        expectEqual(realm.objects(ModelMapped.self).where { $0.swiftName == 3 }.count, 1)
    }

    @Test
    func `an object outlives the Realm value that returned it`() throws {
        func make() throws -> ModelPerson {
            let realm = try memoryRealm()
            let person = ModelPerson(value: ["name": "Ann", "dogs": [["_id": 1]]])
            try realm.write { realm.add(person) }
            return realm.objects(ModelPerson.self)[0]
        }
        let person = try make()
        expect(person.name == "Ann" && person.dogs[0]._id == 1)
    }
}
