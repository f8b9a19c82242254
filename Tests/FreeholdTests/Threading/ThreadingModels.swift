import Foundation
import Freehold

final class THPerson: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted(indexed: true) var age = 0
    @Persisted var best: THPerson?
    @Persisted var friends: List<THPerson>
    @Persisted var tags: MutableSet<String>
    @Persisted var scores: Map<String, Int>
    @Persisted var notes: List<String>
    @Persisted var any: AnyRealmValue
    @Persisted(originProperty: "friends") var admirers: LinkingObjects<THPerson>

    convenience init(id: Int, name: String, age: Int) {
        self.init()
        self.id = id
        self.name = name
        self.age = age
    }
}

func threadingConfiguration() -> Realm.Configuration {
    Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [THPerson.self])
}

/// A realm with some people: the i-th of age i, friend of the two before.
func threadingRealm(_ configuration: Realm.Configuration, count: Int = 10) throws -> Realm {
    let realm = try Realm(configuration: configuration)
    try realm.write {
        var people: [THPerson] = []
        for i in 0..<count {
            let person = THPerson(id: i, name: "P\(i)", age: i)
            realm.add(person)
            person.best = people.last
            person.friends.append(objectsIn: people.suffix(2))
            person.tags.insert("t\(i % 3)")
            person.scores["a"] = i
            person.notes.append(objectsIn: ["x\(i)", "y"])
            person.any = .list(List())
            people.append(person)
        }
    }
    return realm
}

func person(_ id: Int, _ realm: Realm) -> THPerson { realm.object(ofType: THPerson.self, forPrimaryKey: id)! }
