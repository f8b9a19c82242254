import Foundation
import RealmSwift
import Testing

class RSOwner: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name = ""
    @Persisted var dogs: List<RSDog>
}

class RSDog: Object {
    @Persisted(indexed: true) var name: String
    @Persisted var age: Int?
    @Persisted var weight: Decimal128
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<RSOwner>

    convenience init(name: String, age: Int?) {
        self.init()
        self.name = name
        self.age = age
    }
}

@Suite("import RealmSwift")
struct RealmSwiftTests {
    @Test("code written for RealmSwift compiles and runs with the import that it has")
    func unchanged() throws {
        var configuration = Realm.Configuration(inMemoryIdentifier: "RealmSwiftTests")
        configuration.objectTypes = [RSOwner.self, RSDog.self]
        let realm = try Realm(configuration: configuration)
        let owner = RSOwner(value: ["name": "Ada", "dogs": [["name": "Rex", "age": 7], ["name": "Fay"]]])
        try realm.write {
            realm.add(owner, update: .modified)
            owner.dogs.append(RSDog(name: "Max", age: 2))
        }
        let found = realm.objects(RSDog.self)
            .where { $0.age > 1 && $0.owners.name == "Ada" }
            .sorted(by: \.name, ascending: false)
        #expect(found.map(\.name) == ["Rex", "Max"])
        #expect(found.first?.owners.first == owner)
        #expect(realm.object(ofType: RSOwner.self, forPrimaryKey: owner._id)?.dogs.count == 3)
        do {
            try realm.write { realm.add(RSOwner(value: ["_id": owner._id])) }
            Issue.record("a second object with the key was added")
        } catch let error as Realm.Error {
            #expect(error.code == .duplicatePrimaryKey)
        }
        #expect(realm.objects(RSOwner.self).count == 1)
    }
}
