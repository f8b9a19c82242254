import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

@Suite("Embedded objects")
struct EmbeddedObjectTests {
    /// How many rows of an embedded class there are.
    static func count(_ type: ObjectBase.Type, _ realm: Realm) -> Int {
        realm.core.view.count(realm.core.requireTable(for: type).table)
    }

    private func count(_ type: ObjectBase.Type, _ realm: Realm) -> Int { Self.count(type, realm) }

    @Test
    func `an unmanaged embedded object is an ordinary object, created from values of any kind`() throws {
        let address = EMAddress(value: ["street": "High Street", "zip": 7, "hall": ["size": 3]])
        expect(address.street == "High Street" && address.city == nil && address.zip == 7 && address.hall?.size == 3)
        expect(address.realm == nil && address.parent == nil && address.parentProperty == nil)
        expect(!address.isInvalidated && address.isSameObject(as: address) && address.residents.isEmpty)
        expect(address.objectSchema.isEmbedded && address.objectSchema.className == "EMAddress")
        expectEqual(EMRoom(value: [4]).size, 4)
        #expect(throws: Realm.Error.self) { try EMRoom(validating: ["size": "large"]) }
        try expectEqual(EMRoom(validating: ["size": 9]).size, 9)
        address["zip"] = 8
        expect(address["zip"] as? Int == 8 && address["city"] == nil)
        let wrong = EMRoom(value: ["size": "large"])
        let realm = try newEmbeddedRealm()
        #expect(throws: Realm.Error.self) {
            try realm.write { realm.add(EMPerson(1, home: EMAddress(value: ["hall": wrong]))) }
        }
    }

    @Test
    func `embedded objects of an added object become managed in place, and are found after reopening`() throws {
        try withNewFile { configuration in
            var configuration = configuration
            configuration.objectTypes = embeddedTestTypes
            do {
                let realm = try Realm(configuration: configuration)
                let home = EMAddress("Rome", rooms: [1, 2]), old = EMAddress("Oslo")
                home.hall = EMRoom(5, inner: EMRoom(6))
                let (hall, list) = (home.hall!, home.rooms)
                let person = EMPerson(1, home: home, homes: [old, EMAddress("Bern")])
                try realm.write { realm.add(person) }
                expect(person.home == home && home.realm == realm && home.rooms === list && hall.realm == realm)
                expect(home.hall == hall && hall.inner?.size == 6 && person.homes[0] == old)
                expect(home.parent == person && home.parentProperty == "home")
                expect(old.parent == person && old.parentProperty == "homes" && hall.inner?.parent == hall)
                expect(realm.core.view is Snapshot)
            }
            let realm = try Realm(configuration: configuration)
            let person = try require(realm.object(ofType: EMPerson.self, forPrimaryKey: 1))
            expect(person.home?.city == "Rome" && person.home?.rooms.map(\.size) == [1, 2])
            expect(person.homes.map(\.city) == ["Oslo", "Bern"] && person.home?.hall?.inner?.size == 6)
            expect(count(EMRoom.self, realm) == 4 && count(EMAddress.self, realm) == 3)
            try realm.write {
                person.home?.hall?.inner?.size = 60
                person.homes[1].street = "New Street"
            }
            expect(person.home?.hall?.inner?.size == 60 && person.homes[1].street == "New Street")
        }
    }

    @Test
    func `an embedded object that is replaced, removed or set to nil is deleted with all below it`() throws {
        let realm = try newEmbeddedRealm()
        let home = EMAddress("Rome", rooms: [1, 2])
        home.hall = EMRoom(5, inner: EMRoom(6))
        let (room, inner) = (home.rooms[0], home.hall!.inner!)
        let person = EMPerson(1, home: home)
        try realm.write { realm.add(person) }
        expectEqual(count(EMRoom.self, realm), 4)
        try realm.write {
            person.home = EMAddress("Paris", rooms: [9])
            // At once, inside the transaction.
            expect(home.isInvalidated && room.isInvalidated && inner.isInvalidated && home.parent == nil)
            expect(person.home?.city == "Paris" && count(EMRoom.self, realm) == 1)
        }
        expect(home.isInvalidated && home.realm == nil && count(EMAddress.self, realm) == 1)
        let paris = person.home!
        try realm.write {
            person.homes.append(EMAddress("A", rooms: [1]))
            person.homes.append(EMAddress("B", rooms: [2]))
            person.homes.append(EMAddress("C", rooms: [3]))
        }
        let (a, b, c) = (person.homes[0], person.homes[1], person.homes[2])
        try realm.write {
            person.homes[0] = EMAddress("D")
            person.homes.remove(at: 1)
            person.home = nil
        }
        expect(a.isInvalidated && b.isInvalidated && !c.isInvalidated && paris.isInvalidated)
        expect(person.homes.map(\.city) == ["D", "C"] && count(EMRoom.self, realm) == 1)
        try realm.write { person.homes.removeAll() }
        expect(c.isInvalidated && count(EMAddress.self, realm) == 0 && count(EMRoom.self, realm) == 0)
    }

    @Test
    func `deleting the owner, or its class, deletes embedded objects, and a rollback restores them`() throws {
        let realm = try newEmbeddedRealm()
        let person = EMPerson(1, home: EMAddress("Rome", rooms: [1, 2]), homes: [EMAddress("Oslo")])
        let home = person.home!
        try realm.write { realm.add([person, EMPerson(2, home: EMAddress("Bern"))]) }
        realm.beginWrite()
        realm.delete(person)
        expect(home.isInvalidated && count(EMAddress.self, realm) == 1)
        realm.cancelWrite()
        let again = try require(realm.object(ofType: EMPerson.self, forPrimaryKey: 1))
        expect(again.home?.rooms.map(\.size) == [1, 2] && count(EMAddress.self, realm) == 3)
        try realm.write { realm.delete(again) }
        expect(count(EMAddress.self, realm) == 1 && count(EMRoom.self, realm) == 0)
        try realm.write { realm.delete(realm.objects(EMPerson.self)) }
        expectEqual(count(EMAddress.self, realm), 0)
        try realm.write { realm.add(EMPerson(3, home: EMAddress("X", rooms: [1]))) }
        try realm.write { realm.deleteAll() }
        expect(embeddedTestTypes.allSatisfy { count($0, realm) == 0 })
    }

    @Test
    func `an embedded object can be deleted alone: its owner's link becomes nil, its owner's list loses it`() throws {
        let realm = try newEmbeddedRealm()
        let person = EMPerson(1, home: EMAddress("Rome", rooms: [1]), homes: [EMAddress("Oslo"), EMAddress("Bern")])
        try realm.write { realm.add(person) }
        let oslo = person.homes[0]
        try realm.write {
            realm.delete(person.home!)
            realm.delete(oslo)
        }
        expect(person.home == nil && person.homes.map(\.city) == ["Bern"] && oslo.isInvalidated)
        expectEqual(count(EMRoom.self, realm), 0)
        try realm.write { realm.delete(person.homes) }
        expect(person.homes.isEmpty && count(EMAddress.self, realm) == 0)
    }

    // MARK: Copies

    @Test
    func `a managed embedded object is copied by an assignment elsewhere, and stays at its place`() throws {
        let realm = try newEmbeddedRealm()
        let a = EMPerson(1, home: EMAddress("Rome", rooms: [1, 2])), b = EMPerson(2)
        a.home!.hall = EMRoom(3, inner: EMRoom(4))
        try realm.write { realm.add([a, b]) }
        try realm.write {
            b.home = a.home
            b.homes.append(a.home!)
            b.homes.append(b.homes[0])
            b.homes.insert(a.home!, at: 0)
        }
        expect(a.home!.city == "Rome" && b.home != a.home && b.home!.rooms.map(\.size) == [1, 2])
        expect(b.home!.hall!.inner!.size == 4 && b.homes.count == 3 && Set(b.homes).count == 3)
        expect(count(EMAddress.self, realm) == 5 && count(EMRoom.self, realm) == 20)
        try realm.write {
            b.home!.city = "Copy"
            b.home!.hall!.size = 30
        }
        expect(a.home!.city == "Rome" && a.home!.hall!.size == 3 && b.homes[0].city == "Rome")
        // An owned object can replace its owner.
        try realm.write { a.home!.hall = a.home!.hall!.inner }
        expect(a.home!.hall!.size == 4 && a.home!.hall!.inner == nil && a.home!.parent == a)
    }

    @Test
    func `assigning an embedded object to its own place keeps it`() throws {
        let realm = try newEmbeddedRealm()
        let person = EMPerson(1, home: EMAddress("Rome"), homes: [EMAddress("A"), EMAddress("B")])
        try realm.write { realm.add(person) }
        let (home, first) = (person.home!, person.homes[0])
        try realm.write {
            person.home = person.home
            person.home = home
            person.homes[0] = person.homes[0]
            person.homes = person.homes
        }
        expect(person.home == home && !home.isInvalidated && person.homes[0] == first && !first.isInvalidated)
        expectEqual(count(EMAddress.self, realm), 3)
    }

    @Test
    func `moving, swapping and sorting inside a list keeps embedded objects`() throws {
        let realm = try newEmbeddedRealm()
        let person = EMPerson(1, homes: ["c", "a", "d", "b"].map { EMAddress($0) })
        try realm.write { realm.add(person) }
        let all = Array(person.homes)
        try realm.write { person.homes.move(from: 0, to: 3) }
        expectEqual(person.homes.map(\.city), ["a", "d", "b", "c"])
        try realm.write {
            person.homes.swapAt(0, 2)
            person.homes.reverse()
        }
        expectEqual(person.homes.map(\.city), ["c", "a", "d", "b"])
        try realm.write { person.homes.sort { $0.city! < $1.city! } }
        expectEqual(person.homes.map(\.city), ["a", "b", "c", "d"])
        try realm.write { person.homes.move(fromOffsets: [0, 1], toOffset: 4) }
        expectEqual(person.homes.map(\.city), ["c", "d", "a", "b"])
        expect(all.allSatisfy { !$0.isInvalidated } && Set(person.homes) == Set(all))
        try realm.write { person.homes.replaceSubrange(1..<3, with: [EMAddress("x")]) }
        expect(person.homes.map(\.city) == ["c", "x", "b"] && count(EMAddress.self, realm) == 3)
    }

    @Test
    func `an unmanaged embedded object at two places of a graph is copied for the second`() throws {
        let realm = try newEmbeddedRealm()
        let address = EMAddress("Rome", rooms: [1])
        let inner = EMRoom(7)
        address.hall = inner
        let a = EMPerson(1, home: address, homes: [address]), b = EMPerson(2, home: address)
        a.friend = b
        try realm.write { realm.add(a) }
        expect(a.home == address && inner.parent == address && a.homes[0] != address && b.home != address)
        for copy in [a.homes[0], b.home!] {
            expect(copy.city == "Rome" && copy.hall?.size == 7 && copy.rooms.count == 1)
        }
        expect(count(EMAddress.self, realm) == 3 && count(EMRoom.self, realm) == 6)
    }

    @Test(arguments: [false, true])
    func `a ring of unmanaged embedded objects is an error, and nothing is added`(isCreated: Bool) throws {
        let realm = try newEmbeddedRealm()
        let outer = EMRoom(1, inner: EMRoom(2))
        outer.inner!.inner = outer
        defer { outer.inner = nil }
        let address = EMAddress("Rome")
        address.hall = outer
        let error = #expect(throws: Realm.Error.self) {
            try realm.write {
                if isCreated {
                    realm.create(EMPerson.self, value: ["id": 1, "home": address])
                } else {
                    realm.add(EMPerson(1, home: address))
                }
            }
        }
        expect(error?.code == .invalidValue && error?.className == "EMRoom")
        expect(realm.objects(EMPerson.self).isEmpty)
        #expect(throws: Realm.Error.self) { try EMPerson(validating: EMPerson(1, home: address)) }
    }

    @Test(arguments: [false, true])
    func `Object(value:) copies embedded objects deeply`(isManaged: Bool) throws {
        let realm = try newEmbeddedRealm()
        let person = EMPerson(1, home: EMAddress("Rome", rooms: [1, 2]), homes: [EMAddress("Oslo")])
        person.home!.hall = EMRoom(3, inner: EMRoom(4))
        person.friend = EMPerson(2)
        if isManaged { try realm.write { realm.add(person) } }
        let copy = EMPerson(value: person)
        expect(copy.realm == nil && copy.home!.realm == nil && copy.home !== person.home)
        expect(copy.home!.hall!.inner !== person.home!.hall!.inner && copy.home!.hall!.inner!.size == 4)
        expect(copy.home!.rooms.map(\.size) == [1, 2] && copy.homes[0].realm == nil && copy.homes[0].city == "Oslo")
        expectEqual(copy.friend, person.friend)
        copy.home!.hall!.size = 30
        expectEqual(person.home!.hall!.size, 3)
        let address = EMAddress(value: person.home!)
        expect(address.realm == nil && address.hall!.inner!.size == 4 && address.hall !== person.home!.hall)
        // Plain data that contains an unmanaged embedded object uses that object.
        let given = EMAddress("Given")
        expect(EMPerson(value: ["id": 3, "home": given]).home === given)
        if isManaged { expect(EMPerson(value: ["id": 3, "home": person.home!]).home!.realm == nil) }
    }

    @Test
    func `a deep chain can be copied and deleted`() throws {
        let realm = try newEmbeddedRealm()
        let depth = 2_000
        let address = EMAddress("Deep")
        var room = EMRoom(0)
        address.hall = room
        for i in 1..<depth {
            room.inner = EMRoom(i)
            room = room.inner!
        }
        let person = EMPerson(1, home: address)
        try realm.write { realm.add(person) }
        expectEqual(count(EMRoom.self, realm), depth)
        let copy = EMPerson(value: person)
        try realm.write { person.homes.append(person.home!) }
        expect(count(EMRoom.self, realm) == 2 * depth && copy.home?.hall?.inner?.size == 1)
        try realm.write { realm.delete(person) }
        expectEqual(count(EMRoom.self, realm), 0)
    }

    // MARK: Creating and updating

    @Test("create accepts nested dictionaries, arrays and objects")
    func create() throws {
        let realm = try newEmbeddedRealm()
        let given = EMAddress("Given")
        try realm.write {
            let person = realm.create(
                EMPerson.self,
                value: [
                    "id": 1, "home": ["city": "Rome", "hall": [3], "rooms": [["size": 1], [2]]] as [String: Any],
                    "homes": [["city": "Oslo"], given] as [Any],
                ] as [String: Any]
            )
            expect(person.home?.city == "Rome" && person.home?.street == "Main Street")
            expect(person.home?.hall?.size == 3 && person.home?.rooms.map(\.size) == [1, 2])
            expect(person.homes.map(\.city) == ["Oslo", "Given"] && given.realm == nil)
            // An embedded object of another is copied.
            realm.create(EMPerson.self, value: ["id": 2, "home": person.home!] as [String: Any])
        }
        expect(
            realm.objects(EMPerson.self).map { $0.home!.rooms.count } == [2, 2] && count(EMAddress.self, realm) == 4
        )
        #expect(throws: Realm.Error.self) {
            try realm.write { realm.create(EMPerson.self, value: ["id": 3, "home": ["zip": "x"]] as [String: Any]) }
        }
        expect(realm.objects(EMPerson.self).count == 2 && count(EMAddress.self, realm) == 4)
    }

    @Test
    func `an update changes embedded objects in place, and those of lists only with .modified`() throws {
        let realm = try newEmbeddedRealm()
        try realm.write {
            realm.add(EMPerson(1, home: EMAddress("Rome", rooms: [1, 2]), homes: [EMAddress("A"), EMAddress("B")]))
        }
        let person = realm.objects(EMPerson.self)[0]
        let (home, room, a, b) = (person.home!, person.home!.rooms[1], person.homes[0], person.homes[1])
        func update(_ policy: Realm.UpdatePolicy) throws -> ChangeRecord? {
            let before = try realm.core.database.snapshot().version
            try realm.write {
                realm.create(
                    EMPerson.self,
                    value: [
                        "id": 1, "home": ["city": "Rome", "rooms": [[1], [20]]] as [String: Any],
                        "homes": [["city": "A"], ["city": "C"], ["city": "D"]],
                    ] as [String: Any],
                    update: policy
                )
            }
            let snapshot = try realm.core.database.snapshot()
            return snapshot.version == before ? nil : snapshot.changes(ofVersion: snapshot.version)
        }
        let record = try update(.modified)
        expect(person.home == home && home.rooms[1] == room && room.size == 20 && person.homes[0] == a)
        expect(person.homes[1] == b && person.homes.map(\.city) == ["A", "C", "D"] && home.street == "Main Street")
        let table = { (type: ObjectBase.Type) in realm.core.requireTable(for: type).table }
        expectEqual(record?.changes(of: table(EMRoom.self))?.modified.count, 1)
        expectEqual(record?.changes(of: table(EMAddress.self))?.modified.values.map(\.count), [1])
        // Nothing differs any more.
        expect(try update(.modified) == nil)
        _ = try update(.all)
        expect(person.home == home && a.isInvalidated && person.homes.map(\.city) == ["A", "C", "D"])
        expect(count(EMAddress.self, realm) == 4 && count(EMRoom.self, realm) == 2)
        let other = EMPerson(1, home: EMAddress("New"), homes: [EMAddress("A")])
        let (rome, new) = (person.home!, other.home!)
        try realm.write { realm.add(other, update: .modified) }
        expect(person.home == rome && new == rome && rome.city == "New" && person.homes.count == 1)
    }

    @Test(arguments: [false, true])
    func `an object that occurs twice in an upserted graph keeps one of its embedded objects`(isThere: Bool) throws {
        let realm = try newEmbeddedRealm()
        if isThere { try realm.write { realm.add(EMPerson(1, home: EMAddress("Old", rooms: [1]))) } }
        try realm.write {
            realm.create(
                EMPerson.self,
                value: [
                    "id": 2, "home": ["landlord": ["id": 1, "home": ["city": "X"]] as [String: Any]],
                    "friend": ["id": 1, "home": ["city": "Y", "rooms": [[2]]] as [String: Any]] as [String: Any],
                ] as [String: Any],
                update: .modified
            )
        }
        expect(
            count(EMAddress.self, realm) == 2
                && ["X", "Y"].contains(realm.object(ofType: EMPerson.self, forPrimaryKey: 1)?.home?.city)
        )
        expect(realm.core.view is Snapshot && (realm.core.view as? Snapshot)?.verify() == [])
    }

    // MARK: Queries and inverse links

    @Test
    func `queries lead through embedded objects like through links`() throws {
        let realm = try newEmbeddedRealm()
        try realm.write {
            realm.add(EMPerson(1, home: EMAddress("Rome", rooms: [1, 5]), homes: [EMAddress("Oslo")]))
            realm.add(EMPerson(2, home: EMAddress("Bern", rooms: [9])))
            realm.add(EMPerson(3))
        }
        let people = realm.objects(EMPerson.self)
        expectEqual(people.where { $0.home.city == "Rome" }.map(\.id), [1])
        expectEqual(people.where { $0.home == nil }.map(\.id), [3])
        expectEqual(people.where { $0.homes.city == "Oslo" }.map(\.id), [1])
        expectEqual(people.where { $0.home.rooms.size > 4 }.map(\.id), [1, 2])
        expectEqual(people.where { $0.home.rooms.count == 2 }.map(\.id), [1])
        expectEqual(people.sorted(byKeyPath: "home.city", ascending: false).map(\.id), [3, 1, 2])
        expectEqual(people[0].home!.rooms.where { $0.size == 5 }.count, 1)
        expectEqual(people[0].home!.rooms.sum(of: \.size), 6)
    }

    @Test
    func `linking objects lead from and to embedded objects`() throws {
        let realm = try newEmbeddedRealm()
        let a = EMPerson(1, home: EMAddress("Rome")), b = EMPerson(2, homes: [EMAddress("Oslo")])
        try realm.write { realm.add([a, b]) }
        try realm.write {
            a.home!.landlord = b
            b.homes[0].landlord = b
            a.home!.hall = EMRoom(1)
        }
        expect(b.houses.map(\.city) == ["Rome", "Oslo"] && b.houses[0] == a.home && b.houses[0].parent == a)
        expect(a.home!.residents.map(\.id) == [1] && b.homes[0].residents.isEmpty)
        expectEqual(a.home!.hall!.halls.map(\.city), ["Rome"])
        expectEqual(realm.objects(EMPerson.self).where { $0.houses.count == 2 }.map(\.id), [2])
        let houses = b.houses
        realm.beginWrite()
        realm.delete(a)
        expectEqual(houses.map(\.city), ["Oslo"])
        b.homes.removeAll()
        expect(houses.isEmpty)
        realm.cancelWrite()
        expectEqual(houses.count, 2)
        try realm.write { realm.delete(b) }
        expect(a.home!.landlord == nil && houses.isInvalidated)
    }

    @Test
    func `an embedded object prints with its properties, to depth 5`() throws {
        let realm = try newEmbeddedRealm()
        let person = EMPerson(1, home: EMAddress("Rome"))
        person.home!.hall = EMRoom(1, inner: EMRoom(2, inner: EMRoom(3, inner: EMRoom(4, inner: EMRoom(5)))))
        for text in [
            person.description,
            try {
                try realm.write { realm.add(person) }; return person.description
            }(),
        ] {
            expect(text.contains("city = Rome") && text.contains("size = 3"))
            expect(!text.contains("size = 4") && text.contains("<Maximum depth exceeded>"))
        }
        let home = person.home!
        expect(home.description.hasPrefix("EMAddress {"))
        try realm.write { person.home = nil }
        expectEqual(home.description, "[invalid object]")
    }

    @Test
    func `changes by key-value access are reported, and the owner's class may be unknown`() throws {
        let realm = try newEmbeddedRealm()
        let person = EMPerson(1, home: EMAddress("Rome"))
        try realm.write { realm.add(person) }
        let home = person.home!
        try realm.write {
            home["zip"] = 5
            person["home"] = ["city": "Kiel", "rooms": [[7]]] as [String: Any]
        }
        expect(home.isInvalidated && person.home?.city == "Kiel" && person.home?.rooms.first?.size == 7)
        try realm.write { person["home"] = nil }
        expect(person.home == nil && count(EMRoom.self, realm) == 0)
        try realm.write { person["homes"] = [["city": "A"], ["city": "B"]] }
        expectEqual(person.homes.map(\.city), ["A", "B"])
        try realm.write { person["homes"] = nil }
        expect(person.homes.isEmpty && count(EMAddress.self, realm) == 0)
    }
}
