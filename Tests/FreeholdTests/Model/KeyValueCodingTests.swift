import Foundation
import Testing

@testable import Freehold

class KeyedDog: Object {
    @Persisted var name = ""
    @Persisted var age: Int?
    @Persisted var weight = 0.5
    @Persisted var price: Decimal128
    @Persisted(mapTo: "born_on") var born = Date(timeIntervalSince1970: 0)
    @Persisted var tags: List<String>
    @Persisted var friend: KeyedDog?
    @Persisted var friends: List<KeyedDog>
    @Persisted(originProperty: "friend") var friendOf: LinkingObjects<KeyedDog>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class KeyedOwner: Object {
    @Persisted var dogs: List<KeyedDog>
    @Persisted var numbers: List<Int>
    @Persisted var maybe: List<Double?>
    @Persisted var dates: List<Date>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private func keyedRealm() throws -> Realm {
    var configuration = newConfiguration()
    configuration.objectTypes = [KeyedDog.self, KeyedOwner.self]
    return try Realm(configuration: configuration)
}

private func owner() -> KeyedOwner {
    let dogs = (0..<4).map { i in
        KeyedDog(
            value: [
                "name": ["A", "B", "A", "C"][i], "age": [3, nil, 5, 1][i] as Any, "weight": Double(i),
                "price": Decimal128(i), "born": Date(timeIntervalSince1970: Double(i)), "tags": ["x", "t\(i)"],
            ] as [String: Any]
        )
    }
    dogs[0].friend = dogs[1]
    dogs[2].friend = dogs[1]
    dogs[0].friends.append(objectsIn: [dogs[1], dogs[2]])
    dogs[3].friends.append(dogs[1])
    let owner = KeyedOwner(value: ["numbers": [3, 1, 2, 1], "maybe": [1.5, nil, 2.5]] as [String: Any])
    owner.dates.append(objectsIn: [Date(timeIntervalSince1970: 9), Date(timeIntervalSince1970: 8)])
    owner.dogs.append(objectsIn: dogs)
    return owner
}

@Suite("Key-value coding")
struct KeyValueCodingTests {
    /// Unmanaged, managed, and inside of a write.
    private func forEachState(_ body: (KeyedOwner) throws -> Void) throws {
        try body(owner())
        let realm = try keyedRealm()
        let managed = owner()
        try realm.write {
            realm.add(managed)
            try body(managed)
        }
        try body(managed)
    }

    @Test
    func `a collection returns a property of each element, or the elements`() throws {
        try forEachState { owner in
            let dogs = owner.dogs
            expectEqual(dogs.value(forKey: "name") as? [String], ["A", "B", "A", "C"])
            expect(
                dogs.value(forKey: "age") as? [Int?] == [3, nil, 5, 1] && dogs.value(forKey: "age") as? [Int] == nil
            )
            expectEqual(dogs.value(forKey: "self") as? [KeyedDog], Array(dogs))
            expectEqual(dogs.value(forKey: "friend") as? [KeyedDog?], [dogs[1], nil, dogs[1], nil])
            expectEqual((dogs.value(forKey: "tags") as? [List<String>])?.map(\.count), [2, 2, 2, 2])
            expectEqual(dogs.value(forKey: "born_on") as? [Date], dogs.value(forKey: "born") as? [Date])
            expectEqual(owner.numbers.value(forKey: "self") as? [Int], [3, 1, 2, 1])
            expectEqual(AnyRealmCollection(dogs).value(forKey: "name") as? [String], ["A", "B", "A", "C"])
        }
    }

    @Test
    func `key paths lead through links and collections`() throws {
        try forEachState { owner in
            expectEqual(owner.value(forKeyPath: "dogs.name") as? [String], ["A", "B", "A", "C"])
            expectEqual(owner.value(forKeyPath: "dogs.friend.name") as? [String?], ["B", nil, "B", nil])
            expectEqual(owner.value(forKeyPath: "dogs.@count") as? Int, 4)
            expectEqual(owner.value(forKeyPath: "dogs.@avg.age") as? Double, 3)
            expectEqual(owner.value(forKeyPath: "dogs.friends.@count") as? Int, 4)
            expectEqual(owner.value(forKeyPath: "numbers") as? List<Int>, owner.numbers)
            let dog = owner.dogs[0]
            expectEqual(dog.value(forKeyPath: "friend.name") as? String, "B")
            expect(dog.value(forKeyPath: "friend.friend.name") == nil)
            expectEqual(dog.value(forKeyPath: "friends.@max.age") as? Int, 5)
            expectEqual(
                dog.value(forKeyPath: "friend.friendOf.name") as? [String],
                (dog.realm == nil ? [] : ["A", "A"])
            )
            expectEqual(owner.dogs.value(forKeyPath: "friends.name") as? [[String]], [["B", "A"], [], [], ["B"]])
        }
    }

    @Test
    func `operators compute one value from many`() throws {
        try forEachState { owner in
            let dogs = owner.dogs
            expectEqual(dogs.value(forKeyPath: "@count") as? Int, 4)
            expect(dogs.value(forKeyPath: "@min.age") as? Int == 1 && dogs.value(forKeyPath: "@max.age") as? Int == 5)
            expect(
                dogs.value(forKeyPath: "@sum.age") as? Int == 9 && dogs.value(forKeyPath: "@avg.age") as? Double == 3
            )
            expectEqual(dogs.value(forKeyPath: "@sum.weight") as? Double, 6)
            expectEqual(dogs.value(forKeyPath: "@avg.price") as? Decimal128, Decimal128("1.5"))
            expectEqual(dogs.value(forKeyPath: "@max.born_on") as? Date, Date(timeIntervalSince1970: 3))
            expectEqual(owner.numbers.value(forKeyPath: "@sum.self") as? Int, 7)
            expectEqual(owner.numbers.value(forKeyPath: "@avg.self") as? Double, 1.75)
            expectEqual(owner.maybe.value(forKeyPath: "@min.self") as? Double, 1.5)
            expectEqual(owner.dates.value(forKeyPath: "@min.self") as? Date, Date(timeIntervalSince1970: 8))
            let none = KeyedOwner().dogs
            expect(none.value(forKeyPath: "@count") as? Int == 0 && none.value(forKeyPath: "@sum.age") as? Int == 0)
            expect(none.value(forKeyPath: "@min.age") == nil && none.value(forKeyPath: "@avg.age") == nil)
        }
    }

    @Test
    func `operators unite values and collections, with distinct values on request`() throws {
        try forEachState { owner in
            let dogs = owner.dogs
            expectEqual(dogs.value(forKeyPath: "@unionOfObjects.name") as? [String], ["A", "B", "A", "C"])
            expectEqual(dogs.value(forKeyPath: "@distinctUnionOfObjects.name") as? [String], ["A", "B", "C"])
            expectEqual(dogs.value(forKeyPath: "@distinctUnionOfObjects.friend") as? [KeyedDog?], [dogs[1], nil])
            expectEqual(
                dogs.value(forKeyPath: "@unionOfArrays.tags") as? [String],
                ["x", "t0", "x", "t1", "x", "t2", "x", "t3"]
            )
            expectEqual(
                dogs.value(forKeyPath: "@distinctUnionOfArrays.tags") as? [String],
                ["x", "t0", "t1", "t2", "t3"]
            )
            expectEqual(dogs.value(forKeyPath: "@distinctUnionOfArrays.friends") as? [KeyedDog], [dogs[1], dogs[2]])
            expectEqual(owner.numbers.value(forKeyPath: "@distinctUnionOfObjects.self") as? [Int], [3, 1, 2])
        }
    }

    @Test
    func `results and linking objects answer like lists`() throws {
        let realm = try keyedRealm()
        try realm.write { realm.add(owner()) }
        let dogs = realm.objects(KeyedDog.self)
        let some = dogs.where { $0.weight > 0 }.sorted(by: \.weight, ascending: false)
        expectEqual(some.value(forKey: "name") as? [String], ["C", "A", "B"])
        expect(some.value(forKeyPath: "@sum.age") as? Int == 6 && some.value(forKeyPath: "@count") as? Int == 3)
        expectEqual(some.value(forKeyPath: "@distinctUnionOfArrays.tags") as? [String], ["x", "t3", "t2", "t1"])
        let friendOf = try require(dogs.where { $0.name == "B" }.first).friendOf
        expectEqual(friendOf.value(forKeyPath: "@max.age") as? Int, 5)
        expectEqual(friendOf.value(forKey: "name") as? [String], ["A", "A"])
    }

    @Test
    func `setting a key sets it on every element`() throws {
        try withNewFile { base in
            var configuration = base
            configuration.objectTypes = [KeyedDog.self, KeyedOwner.self]
            do {
                let realm = try Realm(configuration: configuration)
                let owner = owner()
                owner.dogs.setValue(7, forKey: "age")
                expectEqual(owner.dogs.map { $0.age ?? 0 }, [7, 7, 7, 7])
                owner.numbers.setValue(4, forKey: "self")
                expectEqual(Array(owner.numbers), [4, 4, 4, 4])
                try realm.write {
                    realm.add(owner)
                    realm.objects(KeyedDog.self).where { $0.name == "A" }.setValue("Z", forKey: "name")
                    owner.dogs.setValue(nil, forKey: "friend")
                    owner.dogs.setValue(nil, forKey: "friends")
                    owner.maybe.setValue(nil, forKey: "self")
                    owner.setValue(8, forKeyPath: "dogs.age")
                    owner.dogs[1].setValuesForKeys(["name": "Q", "born_on": Date(timeIntervalSince1970: 5)])
                }
            }
            let realm = try Realm(configuration: configuration)
            let owner = try require(realm.objects(KeyedOwner.self).first)
            expect(owner.dogs.map(\.name) == ["Z", "Q", "Z", "C"] && owner.dogs.allSatisfy { $0.friend == nil })
            expect(owner.dogs.allSatisfy { $0.friends.isEmpty && $0.age == 8 })
            expect(Array(owner.maybe) == [nil, nil, nil] && owner.dogs[1].born == Date(timeIntervalSince1970: 5))
        }
    }

    @Test
    func `values of several properties are a dictionary that creates an equal object`() {
        let dog = owner().dogs[1]
        let values = dog.dictionaryWithValues(forKeys: ["name", "age", "born_on", "tags"])
        expect(values["name"] as? String == "B" && values["age"] is NSNull && values.count == 4)
        let copy = KeyedDog(value: values)
        expect(copy.name == "B" && copy.age == nil && copy.born == dog.born && Array(copy.tags) == ["x", "t1"])
    }

    @Test
    func `an unsuitable value is recorded, thrown by the write, and changes nothing of its object`() throws {
        let realm = try keyedRealm()
        let owner = owner()
        try realm.write { realm.add(owner) }
        for (key, value, code) in [
            ("weight", "text" as Any?, Realm.Error.Code.invalidValue), ("weight", nil, .missingValue),
        ] {
            let error = #expect(throws: Realm.Error.self) {
                try realm.write { owner.dogs.setValue(value, forKey: key) }
            }
            expect(error?.code == code && error?.property == key && owner.dogs[3].weight == 3)
        }
        for value in ["text", nil] as [Any?] {
            #expect(throws: Realm.Error.self) { try realm.write { owner.numbers.setValue(value, forKey: "self") } }
            expectEqual(Array(owner.numbers), [3, 1, 2, 1])
        }
    }

    @Test(arguments: [
        ("@count.name", "goes on behind @count"), ("@min.friend.age", "nested key paths"), ("@min", "name it"),
        ("@median.age", "unknown operator @median"), ("@min.name", "can't be"), ("@sum.born", "can't be"),
        ("@unionOfArrays.name", "can't be made of"), ("nothing", "no property"),
        ("name.length", "no property 'length'"),
    ])
    func `a meaningless key path traps`(_ keyPath: String, _ words: String) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [keyPath] in
            _ = owner().dogs.value(forKeyPath: keyPath)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains(words), "\(message)")
    }

    @Test
    func `setting outside of a write transaction traps, even for an empty collection`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try keyedRealm().objects(KeyedDog.self).setValue(1, forKey: "age")
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("outside a write"))
    }
}
