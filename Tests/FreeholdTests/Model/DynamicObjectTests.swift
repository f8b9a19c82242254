import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

class DynDog: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(mapTo: "dog_name") var name = "Rex"
    @Persisted var age: Int8 = 3
    @Persisted var weight: Float?
    @Persisted var born = Date(timeIntervalSince1970: 5)
    @Persisted var best: DynDog?
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<DynPerson>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class DynPerson: Object {
    @Persisted var name = ""
    @Persisted var dogs: List<DynDog>
    @Persisted var favourite: DynDog?
    @Persisted var numbers: List<Int16>
    @Persisted var maybe: List<String?>
    @Persisted var uuid = UUID(uuidString: "00000000-0000-0000-0000-00000000002A")!
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func mappedName() -> String? { "person" }
}

enum DynMood: String, PersistableEnum {
    case good, bad
}

class DynMoody: Object {
    @Persisted var mood = DynMood.bad
    @Persisted var maybe: DynMood?
    @Persisted var moods: List<DynMood>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private func dynConfiguration(_ base: Realm.Configuration = newConfiguration()) -> Realm.Configuration {
    var configuration = base
    configuration.objectTypes = [DynDog.self, DynPerson.self]
    return configuration
}

private func dynRealm() throws -> Realm { try Realm(configuration: dynConfiguration()) }

@discardableResult
private func fill(_ realm: Realm) throws -> DynPerson {
    try realm.write {
        realm.create(
            DynPerson.self,
            value: [
                "name": "Ada", "dogs": [["id": 1, "name": "A", "age": 7], ["id": 2, "name": "B", "weight": 2.5]],
                "favourite": ["id": 3, "best": ["id": 4]], "numbers": [3, 1, 2], "maybe": ["x", nil],
            ] as [String: Any]
        )
    }
}

@Suite("Dynamic objects")
struct DynamicObjectTests {
    @Test
    func `objects of a class are read by name, with the types of dynamic reads`() throws {
        let realm = try dynRealm()
        try fill(realm)
        for name in ["person", "DynPerson"] {
            let people = realm.dynamicObjects(name)
            expect(people.count == 1 && (people.first as Any) is DynamicObject)
            let person = try require(people.first)
            expect(person.name as? String == "Ada" && person["name"] as? String == "Ada")
            expectEqual(person.value(forKey: "name") as? String, "Ada")
            let dogs = try require(person.dogs as? List<DynamicObject>)
            expect(dogs.map { $0.dog_name as? String } == ["A", "B"] && dogs[0]["name"] as? String == "A")
            expect(dogs[0].age as? Int == 7 && dogs[1].weight as? Float == 2.5 && dogs[0].weight == nil)
            let numbers = try require(person.numbers as? List<Int>)
            expect(Array(numbers) == [3, 1, 2] && numbers.max() == 3)
            expectEqual((person.maybe as? List<String?>).map { Array($0) }, ["x", nil])
            let favourite = try require(person.favourite as? DynamicObject)
            expect((favourite.best as? DynamicObject)?.id as? Int == 4 && favourite.best is DynamicObject)
            expect(favourite.born as? Date == Date(timeIntervalSince1970: 5) && person.uuid is UUID)
            let owners = try require(dogs[0].owners as? LinkingObjects<DynamicObject>)
            expect(owners.count == 1 && owners[0] == person && owners.value(forKey: "name") as? [String] == ["Ada"])
        }
        expectEqual(realm.dynamicObject(ofType: "DynDog", forPrimaryKey: 2)?.name as? String, "B")
        expect(realm.dynamicObject(ofType: "DynDog", forPrimaryKey: 99) == nil)
    }

    @Test
    func `typed and dynamic objects of a row are equal, and are invalidated together`() throws {
        let realm = try dynRealm()
        let person = try fill(realm)
        let dynamic = try require(realm.dynamicObjects("person").first)
        expect(dynamic == person && person == (dynamic as ObjectBase) && dynamic.isSameObject(as: person))
        let dog: ObjectBase = person.dogs[0], other: ObjectBase = realm.dynamicObjects("DynDog")[0]
        expect(dog == other && dog.hashValue == other.hashValue && Set([dog, other]).count == 1)
        expect(dynamic != other && dynamic.realm == realm && dynamic.objectSchema == person.objectSchema)
        expect("\(dynamic)".hasPrefix("DynPerson {\n\tname = Ada;\n\tdogs = List<DynamicObject> ("))
        try realm.write {
            person.name = "Grace"
            expectEqual(dynamic.name as? String, "Grace")
            dynamic["name"] = "Barbara"
            expectEqual(person.name, "Barbara")
            realm.cancelWrite()
        }
        expect(dynamic.name as? String == "Ada" && person.name == "Ada")
        let dogs = try require(dynamic.dogs as? List<DynamicObject>)
        try realm.write { realm.delete(dynamic) }
        expect(dynamic.isInvalidated && person.isInvalidated && dogs.isInvalidated && dynamic.realm == nil)
        expectEqual((other as? DynamicObject)?.owners.map { ($0 as! LinkingObjects<DynamicObject>).isEmpty }, true)
    }

    @Test
    func `properties are assigned by name: values, typed and dynamic objects, plain data, nil`() throws {
        try withNewFile { base in
            do {
                let realm = try Realm(configuration: dynConfiguration(base))
                let typed = try fill(realm)
                let person = try require(realm.dynamicObjects("person").first)
                let dog = try require(realm.dynamicObject(ofType: "DynDog", forPrimaryKey: 2))
                try realm.write {
                    person.name = "Grace"
                    dog["dog_name"] = "Bo"
                    dog.age = 5
                    dog.weight = 1
                    person.numbers = [9, 8]
                    person.maybe = nil
                    (person.numbers as! List<Int>).append(7)
                    person.favourite = dog
                    expect(typed.favourite?.name == "Bo" && Array(typed.numbers) == [9, 8, 7] && typed.maybe.isEmpty)
                    person.favourite = typed.dogs[0]
                    expectEqual(typed.favourite, typed.dogs[0])
                    dog.best = ["id": 10, "name": "nested", "best": ["id": 11]] as [String: Any]
                    person.favourite = DynDog(value: ["id": 12, "name": "added"])
                    expectEqual(typed.favourite?.name, "added")
                    // Each form at once, and a list that is assigned to itself.
                    person.dogs = [dog, typed.dogs[0], ["id": 13], DynDog(value: ["id": 14])] as [Any]
                    person.dogs = person.dogs
                    (person.dogs as! List<DynamicObject>).append(
                        realm.dynamicObject(ofType: "DynDog", forPrimaryKey: 3)!
                    )
                    // Typed objects accept dynamic objects, too.
                    typed["favourite"] = dog
                    expectEqual(typed.favourite?.id, 2)
                    typed["dogs"] = [dog] + Array(typed.dogs).map { $0 as ObjectBase }
                }
            }
            let realm = try Realm(configuration: dynConfiguration(base))
            let person = try require(realm.objects(DynPerson.self).first)
            expect(person.dogs.map(\.id) == [2, 2, 1, 13, 14, 3] && person.favourite?.name == "Bo")
            expect(person.dogs[0].best?.name == "nested" && person.dogs[0].best?.best?.name == "Rex")
            expect(person.dogs[0].age == 5 && person.dogs[0].weight == 1 && person.name == "Grace")
        }
    }

    @Test("dynamicCreate creates graphs, with the class's default values, and updates by primary key")
    func create() throws {
        let realm = try dynRealm()
        try realm.write {
            let person = realm.dynamicCreate(
                "person",
                value: ["name": "Ada", "dogs": [["id": 1], ["id": 2, "dog_name": "B"]], "numbers": [1]] as [String: Any]
            )
            expectEqual((person.dogs as? List<DynamicObject>)?.map { $0.name as? String }, ["Rex", "B"])
            expectEqual(person.uuid as? UUID, DynPerson().uuid)
            let dog = realm.dynamicCreate("DynDog", value: ["id": 1, "age": 9] as [String: Any], update: .modified)
            expect(dog.age as? Int == 9 && dog.name as? String == "Rex" && realm.dynamicObjects("DynDog").count == 2)
            expectEqual(realm.dynamicCreate("DynDog", value: dog, update: .all), dog)
            // In the order of the properties, and from other objects.
            expectEqual(realm.dynamicCreate("DynDog", value: [5, "five"] as [Any]).name as? String, "five")
            let copy = realm.dynamicCreate("DynDog", value: DynDog(value: ["id": 6, "name": "six"]))
            expectEqual(copy.name as? String, "six")
            expectEqual(realm.create(DynDog.self, value: copy, update: .modified).id, 6)
            let holder = realm.create(DynPerson.self, value: ["favourite": copy, "dogs": [copy, dog]])
            expect(holder.favourite?.id == 6 && holder.dogs.map(\.id) == [6, 1])
        }
        expect(realm.objects(DynDog.self).count == 4 && realm.objects(DynPerson.self).count == 2)
    }

    @Test(arguments: [
        ("age", 300 as (any Sendable)?, Realm.Error.Code.invalidValue), ("age", "old", .invalidValue),
        ("age", nil, .missingValue),
        ("id", 77, .primaryKeyChanged), ("best", "x", .invalidValue), ("best", ["id": 1], .duplicatePrimaryKey),
        ("owners", [Int](), .invalidValue), ("name", nil, .missingValue), ("born", 5, .invalidValue),
    ])
    func `bad data is recorded, the write throws it, and nothing changes`(
        _ key: String,
        _ value: (any Sendable)?,
        _ code: Realm.Error.Code
    ) throws {
        let realm = try dynRealm()
        try fill(realm)
        let dog = try require(realm.dynamicObject(ofType: "DynDog", forPrimaryKey: 1))
        let before = "\(dog)"
        let error = #expect(throws: Realm.Error.self) {
            try realm.write {
                dog[key] = value
                expectEqual("\(dog)", before)
            }
        }
        expect(error?.code == code && error?.className == "DynDog", "\(error.map { "\($0)" } ?? "")")
        expect("\(dog)" == before && realm.objects(DynDog.self).count == 4)
    }

    @Test
    func `dynamicCreate with bad data returns an unmanaged object that later calls can use`() throws {
        let realm = try dynRealm()
        try fill(realm)
        let error = #expect(throws: Realm.Error.self) {
            try realm.write {
                let dog = realm.dynamicCreate("DynDog", value: ["id": 1, "age": 4] as [String: Any])
                expect(realm.pendingError?.code == .duplicatePrimaryKey && dog.realm == nil)
                expect(dog.age as? Int == 3 && dog.name as? String == "Rex" && dog.best == nil)
                expectEqual((dog.owners as? LinkingObjects<DynamicObject>)?.isEmpty, true)
                dog.age = 5
                dog.best = ["id": 8]
                expect(dog.age as? Int == 5 && "\(dog)".contains("age = 5"))
                let person = realm.dynamicCreate("person", value: ["numbers": [100_000]])
                (person.numbers as! List<Int>).append(3)
                expect((person.numbers as! List<Int>).count == 1 && (person.dogs as! List<DynamicObject>).isEmpty)
                realm.dynamicObjects("person")[0].favourite = dog
                (realm.dynamicObjects("person")[0].dogs as! List<DynamicObject>).append(dog)
            }
        }
        expect(error?.code == .duplicatePrimaryKey && realm.objects(DynDog.self).count == 4)
        expect(realm.objects(DynPerson.self).count == 1 && realm.objects(DynPerson.self)[0].dogs.count == 2)
    }

    @Test
    func `results of dynamic objects are queried, sorted, aggregated, changed and deleted by name`() throws {
        let realm = try dynRealm()
        try fill(realm)
        let dogs = realm.dynamicObjects("DynDog")
        expectEqual(dogs.where { $0["age", as: Int.self] > 3 }.map { $0.id as? Int }, [1])
        expectEqual(dogs.where { $0["best.name", as: String.self].starts(with: "R") }.count, 1)
        expect(dogs.where { $0.dog_name == "B" }.count == 1 && dogs.where { $0.best == nil }.count == 3)
        expectEqual(dogs.where { $0["owners.name", as: String.self] == "Ada" }.count, 2)
        let people = realm.dynamicObjects("person")
        expectEqual(people.where { $0["dogs", as: List<DynamicObject>.self].count == 2 }.count, 1)
        expectEqual(people.where { $0["dogs", as: List<DynamicObject>.self].contains(dogs[0]) }.count, 1)
        expectEqual(people.where { $0["favourite", as: DynamicObject?.self] == dogs[0] }.count, 0)
        expectEqual(dogs.sorted(byKeyPath: "dog_name").map { $0.id as? Int }, [1, 2, 3, 4])
        expectEqual(dogs.sorted(by: \.name, ascending: false).last?.id as? Int, 1)
        expect(dogs.sum(ofProperty: "age") == 16 && dogs.max(ofProperty: "id") == 4)
        expectEqual(dogs.value(forKeyPath: "@max.age") as? Int, 7)
        expect(dogs.index(of: dogs[2]) == 2 && dogs.index(of: people[0]) == nil)
        expect(Array(dogs).count == 4 && Set(dogs).count == 4)
        // Objects that an iteration returned stay the same.
        var kept: [DynamicObject] = []
        for dog in dogs { kept.append(dog) }
        expectEqual(kept.map { $0.id as? Int }, [1, 2, 3, 4])
        try realm.write {
            dogs.setValue(1, forKey: "age")
            realm.delete(dogs.where { $0["id", as: Int.self] > 2 })
            realm.delete([dogs[0]])
        }
        expect(dogs.count == 1 && dogs[0].age as? Int == 1 && realm.objects(DynDog.self).count == 1)
    }

    @Test
    func `typed and dynamic objects return lists of objects by name`() throws {
        let realm = try dynRealm()
        let person = try fill(realm)
        let list = person.dynamicList("dogs")
        expect(
            list.map { $0.name as? String } == ["A", "B"]
                && list == realm.dynamicObjects("person")[0].dynamicList("dogs")
        )
        try realm.write { list.removeFirst() }
        expectEqual(person.dogs.map(\.name), ["B"])
    }

    @Test
    func `a file is opened without classes, read, and written with a schema made by hand`() throws {
        try withNewFile { base in
            var configuration = base
            let log = ObjectSchema(
                "Log",
                properties: [
                    Property("id", .int, primaryKey: true), Property("text", .string, mapTo: "log_text", indexed: true),
                    Property("level", .int, defaultValue: 3), Property("at", .date, optional: true),
                    Property("tags", .string, optional: true, collection: .list),
                    Property("parent", .object, objectClassName: "Log"),
                    Property("children", .linkingObjects, objectClassName: "Log", originProperty: "parent"),
                    Property("all", .object, collection: .list, objectClassName: "Log"),
                ]
            )
            configuration.objectTypes = nil
            configuration.schema = Schema([log])
            do {
                let realm = try Realm(configuration: configuration)
                try realm.write {
                    let parent = realm.dynamicCreate("Log", value: ["id": 1, "log_text": "one", "tags": ["a", nil]])
                    let child = realm.dynamicCreate(
                        "Log",
                        value: ["id": 2, "parent": parent, "level": 5] as [String: Any]
                    )
                    expect(child.level as? Int == 5 && parent.level as? Int == 3 && child.text as? String == "")
                    child.all = [parent, ["id": 3, "text": "three"]] as [Any]
                    expectEqual((parent.children as? LinkingObjects<DynamicObject>)?.first, child)
                }
                #expect(throws: Realm.Error.self) {
                    try realm.write { realm.dynamicCreate("Log", value: ["id": 4, "level": "high"] as [String: Any]) }
                }
            }
            // Only the file is known.
            configuration.schema = nil
            configuration.objectTypes = []
            do {
                let realm = try Realm(configuration: configuration)
                expect(
                    realm.schema.objectSchema.isEmpty && realm.storedSchema.objectSchema.map(\.className) == ["Log"]
                )
                let logs = realm.dynamicObjects("Log")
                expect(logs.count == 3 && logs.where { $0["log_text", as: String.self] == "three" }.count == 1)
                let child = try require(realm.dynamicObject(ofType: "Log", forPrimaryKey: 2))
                expectEqual((child.parent as? DynamicObject)?.log_text as? String, "one")
                expectEqual((child.all as? List<DynamicObject>)?.map { $0.id as? Int }, [1, 3])
                expectEqual((logs[0].tags as? List<String?>).map { Array($0) }, ["a", nil])
                try realm.write { child.log_text = "two" }
            }
            // The discovered schema, adjusted: an index and a class more.
            configuration.objectTypes = nil
            do {
                var stored: Schema
                do {
                    var bare = configuration
                    bare.objectTypes = []
                    stored = try Realm(configuration: bare).storedSchema
                }
                let level = try require(stored.objectSchema[0].properties.firstIndex { $0.name == "level" })
                stored.objectSchema[0].properties[level].isIndexed = true
                stored.objectSchema.append(ObjectSchema("New", properties: [Property("x", .double)]))
                configuration.schema = stored
                let realm = try Realm(configuration: configuration)
                expectEqual(
                    realm.dynamicObjects("Log").where { $0["level", as: Int.self] == 5 }[0].log_text as? String,
                    "two"
                )
                try realm.write { realm.dynamicCreate("New", value: [1.5]) }
                expectEqual(realm.dynamicObjects("New").sum(ofProperty: "x") as Double, 1.5)
            }
        }
    }

    @Test
    func `columns outside of the class are read and written by name`() throws {
        var schema = try Schema(classes: [DynDog.self, DynPerson.self])
        schema.objectSchema[0].properties.append(Property("chip", .string, optional: true))
        schema.objectSchema[0].properties.append(
            Property("friends", .object, collection: .list, objectClassName: "DynDog")
        )
        var configuration = newConfiguration()
        configuration.objectTypes = nil
        configuration.schema = schema
        let realm = try Realm(configuration: configuration)
        try realm.write {
            let dog = realm.create(DynDog.self, value: ["id": 1])
            dog["chip"] = "c1"
            expectEqual(dog["chip"] as? String, "c1")
            let other = realm.dynamicCreate(
                "DynDog",
                value: ["id": 2, "chip": "c2", "friends": [dog]] as [String: Any]
            )
            expect(other.name as? String == "Rex" && (other.friends as? List<DynamicObject>)?.first == dog)
            dog.dynamicList("friends").append(other)
            expectEqual((dog["friends"] as? List<DynamicObject>)?.count, 1)
        }
        expectEqual(
            realm.dynamicObjects("DynDog").where { $0["friends.chip", as: String.self] == "c2" }[0].id as? Int,
            1
        )
        expectEqual(realm.objects(DynDog.self).map(\.id), [1, 2])
    }

    @Test
    func `enums have their raw values, and accept only those of their cases`() throws {
        var configuration = newConfiguration()
        configuration.objectTypes = [DynMoody.self]
        let realm = try Realm(configuration: configuration)
        try realm.write {
            let object = realm.dynamicCreate("DynMoody", value: ["moods": ["good", "bad"]])
            expect(object.mood as? String == "bad" && object.maybe == nil)
            expectEqual((object.moods as? List<String>).map { Array($0) }, ["good", "bad"])
            object.mood = "good"
            object.maybe = DynMood.bad
        }
        let object = realm.objects(DynMoody.self)[0], dynamic = realm.dynamicObjects("DynMoody")[0]
        expect(object.mood == .good && object.maybe == .bad && dynamic.maybe as? String == "bad")
        for (key, value) in [("mood", "ugly" as Any), ("maybe", "ugly"), ("moods", ["good", "ugly"]), ("mood", 5)] {
            let error = #expect(throws: Realm.Error.self) { try realm.write { dynamic[key] = value } }
            expect(error?.code == .invalidValue && error?.property == key)
        }
        expect(object.mood == .good && object.moods.count == 2)
    }

    @Test
    func `naming policies and both names work for dynamic objects`() throws {
        var configuration = newConfiguration()
        configuration.objectTypes = [NamingHTMLPage.self, NamingAuthor.self]
        configuration.classNamingPolicy = .snakeCase
        configuration.propertyNamingPolicy = .snakeCase
        let realm = try Realm(configuration: configuration)
        try realm.write {
            let page = realm.dynamicCreate(
                "naming_html_page",
                value: ["_id": 1, "page_title": "t", "mainAuthor": ["fullName": "Ada"]] as [String: Any]
            )
            page.linked_pages = [page]
        }
        let page = realm.dynamicObjects("NamingHTMLPage")[0]
        expect(page.pageTitle as? String == "t" && page.page_title as? String == "t")
        expectEqual((page.main_author as? DynamicObject)?["full-name"] as? String, "Ada")
        expectEqual(realm.objects(NamingHTMLPage.self)[0].linkedPages[0].mainAuthor?.fullName, "Ada")
    }

    @Test
    func `dynamic realms release everything when they close`() throws {
        weak var core: RealmCore?
        weak var catalogue: ClassInfo?
        do {
            let realm = try dynRealm()
            try fill(realm)
            let person = realm.dynamicObjects("person")[0]
            expectEqual((person.dogs as? List<DynamicObject>)?.count, 2)
            core = realm.core
            catalogue = person._info
        }
        expect(core == nil && catalogue == nil)
    }

    @Test(arguments: 0..<8)
    func `misuse of dynamic objects traps`(kind: Int) async {
        let words = [
            ["has no class 'Nothing'", "DynDog, person"], ["DynPerson has no property \"nothing\""],
            ["outside a write transaction"], ["holds objects of class DynDog", "class DynPerson"],
            ["was deleted"], ["DynPerson.name isn't a list"], ["unmanaged DynPerson"], ["another thread"],
        ][kind]
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let realm = try dynRealm()
            try fill(realm)
            let person = realm.dynamicObjects("person")[0]
            switch kind {
            case 0: _ = realm.dynamicObjects("Nothing")
            case 1: _ = person.nothing
            case 2: person.name = "x"
            case 3: try realm.write { (person.dogs as! List<DynamicObject>).append(person) }
            case 4:
                try realm.write { realm.delete(person) }
                _ = person.name
            case 5: _ = person.dynamicList("name")
            case 6: _ = DynPerson().dynamicList("dogs")
            default:
                nonisolated(unsafe) let shared = person
                onOtherThread { _ = shared.name }
            }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for word in words { expect(message.contains(word), "\(message)") }
    }
}
