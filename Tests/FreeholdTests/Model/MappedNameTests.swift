import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

class NamesDog: Object {
    @Persisted(primaryKey: true, mapTo: "_dog_id") var id = 0
    @Persisted(indexed: true, mapTo: "dog_name") var name: String
    @Persisted(mapTo: "owner") var master: NamesPerson?
    @Persisted(mapTo: "lucky_numbers") var numbers: List<Int>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func mappedName() -> String? { "dogs" }
}

class NamesHuman: Object {
    @Persisted(mapTo: "first_name") var firstName = "Ada"
    @Persisted(wrappedValue: 36, indexed: true, mapTo: "years") var age: Int
    @Persisted(primaryKey: true, mapTo: "_key") var code: String
    @Persisted var plain = 1
    @Persisted(mapTo: "middle") var middleName: String?
    @Persisted var lastName = "Lovelace"
    @Persisted(mapTo: "best_friend") var friend: NamesPerson?
    @Persisted(mapTo: "all_friends") var friends: List<NamesPerson>
    var plainStored = "not stored"
    override class func propertiesMapping() -> [String: String] { ["lastName": "family_name", "age": "years"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class NamesPerson: NamesHuman {
    @Persisted(originProperty: "owner", mapTo: "pets") var dogs: LinkingObjects<NamesDog>
    override class func _realmObjectName() -> String? { "people" }
}

/// Its stored names are declared on both levels, and its initialiser creates objects with mapped names, too.
class NamesWorker: NamesHuman {
    @Persisted(mapTo: "job_title") var title = "none"
    var other: NamesDog?
    required override init() {
        super.init()
        other = NamesDog(value: ["id": 7, "name": "made by the initialiser"])
        title = "set by the initialiser"
    }
}

/// The same Swift name as a class of another test file's, and one over 57 bytes.
enum NamesInner {
    class NamesDog: Object {
        @Persisted var x = 1
        override class func mappedName() -> String? { "inner_dog" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}
class NamesOfAClassThatIsLongerThanTheFiftySevenBytesWhichAFileAllows: Object {
    @Persisted var x = 1
    override class func mappedName() -> String? { "long" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
class NamesOfASubclass: NamesOfAClassThatIsLongerThanTheFiftySevenBytesWhichAFileAllows {}

let namesTypes: [ObjectBase.Type] = [
    NamesDog.self, NamesPerson.self, NamesWorker.self, NamesInner.NamesDog.self, NamesOfASubclass.self,
    NamesOfAClassThatIsLongerThanTheFiftySevenBytesWhichAFileAllows.self,
]

@Suite("Mapped names")
struct MappedNameTests {
    private func configuration(_ base: Realm.Configuration) -> Realm.Configuration {
        var configuration = base
        configuration.objectTypes = namesTypes
        return configuration
    }

    private func newNamesRealm() throws -> Realm { try Realm(configuration: configuration(newConfiguration())) }

    @Test
    func `every form of declaration accepts its name, on both levels of a subclass`() {
        let person: [String: String] = [
            "firstName": "first_name", "age": "years", "code": "_key", "plain": "plain", "middleName": "middle",
            "lastName": "family_name", "friend": "best_friend", "friends": "all_friends",
        ]
        func mapping(_ object: ObjectBase) -> [String: String] {
            Dictionary(uniqueKeysWithValues: object.objectSchema.allProperties.map { ($0.name, $0.columnName) })
        }
        expectEqual(mapping(NamesHuman()), person)
        expectEqual(mapping(NamesPerson()), person.merging(["dogs": "pets"]) { $1 })
        expectEqual(mapping(NamesWorker()), person.merging(["title": "job_title"]) { $1 })
        expectEqual(
            mapping(NamesDog()),
            ["id": "_dog_id", "name": "dog_name", "master": "owner", "numbers": "lucky_numbers"]
        )
        let info = ClassInfo.of(NamesPerson.self)
        expect(info.primaryKeyIndex == 2 && info.properties.filter(\.isIndexed).map(\.name) == ["age"])
        expect(info.problems.isEmpty && ClassInfo.of(NamesWorker.self).problems.isEmpty)
    }

    @Test
    func `default values and initialisers work as without a mapped name`() {
        let person = NamesPerson()
        expect(person.firstName == "Ada" && person.age == 36 && person.code == "" && person.middleName == nil)
        expect(person.friends.isEmpty && person.dogs.isEmpty && person.friend == nil)
        let worker = NamesWorker()
        expect(worker.title == "set by the initialiser" && worker.other?.name == "made by the initialiser")
        worker.middleName = "K"
        expect(worker.middleName == "K" && worker.plainStored == "not stored")
    }

    @Test
    func `a class's stored name isn't its subclass's`() {
        expectEqual(ClassInfo.of(NamesWorker.self).tableName, "NamesWorker")
        expectEqual(ClassInfo.of(NamesOfASubclass.self).tableName, "NamesOfASubclass")
        expectEqual(ClassInfo.of(NamesPerson.self).tableName, "people")
        expectEqual(NamesPerson.className(), "NamesPerson")
    }

    @Test
    func `the file has the stored names, and returns the data under the public ones`() throws {
        try withNewFile { base in
            let configuration = configuration(base)
            do {
                let realm = try Realm(configuration: configuration)
                try realm.write {
                    let person = realm.create(NamesPerson.self, value: ["code": "a", "firstName": "Grace"])
                    let dog = realm.create(NamesDog.self, value: ["id": 1, "name": "Rex", "master": person])
                    dog.numbers.append(objectsIn: [1, 2])
                    realm.create(NamesInner.NamesDog.self)
                    realm.create(NamesOfAClassThatIsLongerThanTheFiftySevenBytesWhichAFileAllows.self)
                }
                let stored = realm.core.view.schema
                expectEqual(
                    stored.tables.map(\.name).sorted(),
                    ["NamesOfASubclass", "NamesWorker", "dogs", "inner_dog", "long", "people"]
                )
                expectEqual(
                    stored.table(named: "people")?.columns.map(\.name),
                    [
                        "first_name", "years", "_key", "plain", "middle", "family_name", "best_friend",
                        "all_friends",
                    ]
                )
                expectEqual(stored.table(named: "dogs")?.primaryKey?.name, "_dog_id")
            }
            let realm = try Realm(configuration: configuration)
            let dog = try require(realm.object(ofType: NamesDog.self, forPrimaryKey: 1))
            expect(dog.name == "Rex" && Array(dog.numbers) == [1, 2] && dog.master?.firstName == "Grace")
            expectEqual(dog.master?.dogs.first, dog)
            expectEqual(realm.objects(NamesInner.NamesDog.self).count, 1)
        }
    }

    @Test
    func `both names work in queries, sorts and aggregates`() throws {
        let realm = try newNamesRealm()
        try realm.write {
            for (i, name) in ["C", "A", "B"].enumerated() {
                let person = realm.create(NamesPerson.self, value: ["code": name, "firstName": name, "age": i])
                realm.create(
                    NamesDog.self,
                    value: ["id": i, "name": "dog of \(name)", "master": person] as [String: Any]
                )
            }
        }
        let dogs = realm.objects(NamesDog.self)
        expectEqual(dogs.where { $0.master.firstName == "A" }.map(\.id), [1])
        expectEqual(realm.objects(NamesPerson.self).where { $0.dogs.name == "dog of B" }.map(\.code), ["B"])
        for keyPath in ["master.firstName", "owner.first_name", "master.first_name", "owner.firstName"] {
            expectEqual(dogs.sorted(byKeyPath: keyPath).map(\.id), [1, 2, 0])
        }
        expectEqual(dogs.sorted(by: \.master?.firstName).map(\.id), [1, 2, 0])
        expectEqual(realm.objects(NamesPerson.self).sum(ofProperty: "years"), 3)
        expectEqual(realm.objects(NamesPerson.self).max(ofProperty: "age"), 2)
    }

    @Test(arguments: [false, true])
    func `both names work in dictionaries and subscripts, unmanaged and managed`(managed: Bool) throws {
        let realm = try newNamesRealm()
        let values: [String: Any] = [
            "_key": "k", "first_name": "Grace", "lastName": "Hopper", "years": 85,
            "best_friend": ["_key": "f", "firstName": "F"], "all_friends": [["code": "g", "first_name": "G"]],
        ]
        func check(_ person: NamesPerson) {
            expect(person.firstName == "Grace" && person.lastName == "Hopper" && person.age == 85)
            expect(person.friend?.firstName == "F" && person.friends.first?.firstName == "G")
            expect(person["first_name"] as? String == "Grace" && person["firstName"] as? String == "Grace")
            expectEqual(person.value(forKey: "family_name") as? String, "Hopper")
            person["first_name"] = "X"
            expectEqual(person.firstName, "X")
            person.setValue("Y", forKey: "firstName")
            expectEqual(person["first_name"] as? String, "Y")
        }
        if managed {
            try realm.write {
                let person = realm.create(NamesPerson.self, value: values)
                check(person)
                realm.create(NamesPerson.self, value: ["_key": "k", "years": 86] as [String: Any], update: .modified)
                expect(person.age == 86 && person.firstName == "Y")
            }
            expectEqual(realm.objects(NamesPerson.self).count, 3)
        } else {
            check(NamesPerson(value: values))
        }
    }

    @Test(arguments: [false, true])
    func `a value that is given under both names is an error`(inRealm: Bool) throws {
        let values = ["firstName": "a", "first_name": "b", "code": "k"]
        let error = #expect(throws: Realm.Error.self) {
            if inRealm {
                let realm = try newNamesRealm()
                try realm.write { realm.create(NamesPerson.self, value: values) }
            } else {
                _ = try NamesPerson(validating: values)
            }
        }
        expect(error?.code == .invalidValue && error?.className == "NamesPerson" && error?.property == "firstName")
        expectEqual(error?.message.contains("given twice, as \"firstName\" and as \"first_name\""), true)
    }

    @Test
    func `objects are copied between classes by public and stored names`() {
        class Source: Object {
            @Persisted var first_name = "stored"
            @Persisted var lastName = "public"
            @Persisted var years = 1
            @Persisted var code = "k"
            @Persisted var plain = 2
            @Persisted var middle: String?
            @Persisted var friend: NamesPerson?
            @Persisted var all_friends: List<NamesPerson>
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
        let copy = NamesPerson(value: Source())
        expect(copy.firstName == "stored" && copy.lastName == "public" && copy.code == "k" && copy.age == 1)
        expectEqual(NamesPerson(value: NamesWorker(value: ["firstName": "base"])).firstName, "base")
    }

    @Test
    func `the schema has both names, and is found by either`() throws {
        let realm = try newNamesRealm()
        let people = try require(realm.schema["people"])
        expect(realm.schema["NamesPerson"] == people && people.className == "people")
        expect(people["firstName"] == people["first_name"] && people["firstName"]?.name == "firstName")
        expect(people["friend"]?.objectClassName == "people" && people["pets"]?.objectClassName == "dogs")
        // Two classes have this name in Swift. Only the stored names distinguish them.
        expect(realm.schema["NamesDog"] == nil && realm.schema["dogs"] != nil && realm.schema["inner_dog"] != nil)
        expectEqual(people.primaryKeyProperty?.columnName, "_key")
    }

    @Test
    func `properties are printed with both names, in RealmSwift's layout`() throws {
        let realm = try newNamesRealm()
        let people = try require(realm.schema["people"])
        expectEqual(
            people["pets"]!.description,
            """
            dogs {
            \ttype = linking objects;
            \tobjectClassName = dogs;
            \tlinkOriginPropertyName = owner;
            \tcolumnName = pets;
            \tindexed = NO;
            \tisPrimary = NO;
            \tarray = YES;
            \tset = NO;
            \tdictionary = NO;
            \toptional = NO;
            }
            """
        )
        let text = "\(try #require(realm.schema["inner_dog"]))"
        expectEqual(
            text,
            """
            inner_dog {
            \tx {
            \t\ttype = int;
            \t\tcolumnName = x;
            \t\tindexed = NO;
            \t\tisPrimary = NO;
            \t\tarray = NO;
            \t\tset = NO;
            \t\tdictionary = NO;
            \t\toptional = NO;
            \t}
            }
            """
        )
        expect("\(realm.schema)".contains("\tinner_dog {\n\t\tx {\n\t\t\ttype = int;"))
        expect(people["code"]!.description.contains("\tindexed = YES;\n\tisPrimary = YES;"))
        expect(people["age"] != people["plain"] && people["age"] == people["years"])
        expect(people != realm.schema["dogs"])
    }

    @Test
    func `errors of a changed model contain the stored names`() throws {
        class Changed: Object {
            @Persisted(primaryKey: true, mapTo: "_dog_id") var id = ""
            @Persisted(mapTo: "dog_name") var name: Int
            override class func mappedName() -> String? { "dogs" }
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
        try withNewFile { base in
            _ = try Realm(configuration: configuration(base))
            var changed = base
            changed.objectTypes = [Changed.self]
            let error = #expect(throws: Realm.Error.self) { try Realm(configuration: changed) }
            expectEqual(error?.code, .schemaMismatch)
            for name in ["'dogs._dog_id'", "'dogs.dog_name'", "'dogs.owner'"] {
                expectEqual(error?.message.contains(name), true, "\(error?.message ?? "")")
            }
        }
    }

    @Test
    func `renaming only in Swift needs no migration`() throws {
        class Before: Object {
            @Persisted var name = ""
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
        class After: Object {
            @Persisted(mapTo: "name") var title = ""
            override class func mappedName() -> String? { "Before" }
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
        try withNewFile { base in
            var configuration = base
            do {
                configuration.objectTypes = [Before.self]
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.create(Before.self, value: ["kept"]) }
            }
            configuration.objectTypes = [After.self]
            try expectEqual(Realm(configuration: configuration).objects(After.self).first?.title, "kept")
        }
    }
}
