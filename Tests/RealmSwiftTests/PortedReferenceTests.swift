// No import of Foundation: RealmSwift exports it, and has its own `SortDescriptor`.
import RealmSwift
import Testing

class ReferenceTown: Object {
    @Persisted var name = ""
    @Persisted var people = 0
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ReferenceCountry: Object {
    @Persisted var towns: List<ReferenceTown>
    @Persisted var sisters: MutableSet<ReferenceTown>
    @Persisted var twins: MutableSet<ReferenceTown>
    @Persisted var capitals: Map<String, ReferenceTown?>
    @Persisted var notes: Map<String, Int>
    @Persisted var maybe: Map<String, Int?>
    @Persisted var anything: Map<String, AnyRealmValue>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Names and references of ported programs")
struct PortedReferenceTests {
    private func forEachState(_ body: (ReferenceCountry) throws -> Void) throws {
        let country = ReferenceCountry()
        for (name, people) in [("b", 2), ("a", 1)] {
            country.towns.append(ReferenceTown(value: ["name": name, "people": people] as [String: Any]))
        }
        country.sisters.insert(country.towns[0])
        for people in 3...5 {
            country.twins.insert(ReferenceTown(value: ["name": "c", "people": people] as [String: Any]))
        }
        country.capitals["now"] = country.towns[1]
        country.notes["one"] = 1
        try body(country)
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [ReferenceTown.self, ReferenceCountry.self]
            )
        )
        try realm.write { realm.add(country) }
        try body(country)
    }

    @Test func `RealmSwift.SortDescriptor is the library's, beside Foundation's`() throws {
        let descriptor: RealmSwift.SortDescriptor = "name"
        let short = SortDescriptor(keyPath: "people", ascending: false)
        try forEachState { country in
            guard country.realm != nil else { return }
            expectEqual(country.towns.sorted(by: [descriptor]).map(\.name) as [String], ["a", "b"])
            expectEqual(country.towns.sorted(by: [short]).map(\.name) as [String], ["b", "a"])
        }
    }

    @Test func `lists and sets return names and key paths as arrays of references, too`() throws {
        try forEachState { country in
            let names: [AnyObject] = country.towns.value(forKeyPath: "name")
            expectEqual(names as? [String], ["b", "a"])
            let people: [AnyObject] = country.sisters.value(forKeyPath: "people")
            expectEqual(people as? [Int], [2])
            let once: [AnyObject] = country.twins.value(forKey: "name")
            expectEqual(once as? [String], ["c"])
            let each: [AnyObject] = country.twins.value(forKey: "people")
            expectEqual((each as? [Int])?.sorted(), [3, 4, 5])
            let union: [AnyObject] = country.towns.value(forKeyPath: "@unionOfObjects.people")
            expectEqual(union as? [Int], [2, 1])
            // Without a type, the calls have the same result as before.
            expectEqual(country.towns.value(forKeyPath: "@sum.people") as? Int, 3)
            expectEqual(country.sisters.value(forKeyPath: "@count") as? Int, 1)
        }
    }

    @Test func `maps return values as references, too`() throws {
        try forEachState { country in
            let capital: AnyObject? = country.capitals.value(forKey: "now")
            expectEqual((capital as? ReferenceTown)?.name, "a")
            let name: AnyObject? = country.capitals.value(forKeyPath: "now.name")
            expectEqual(name as? String, "a")
            let note: AnyObject? = country.notes.value(forKey: "one")
            expectEqual(note as? Int, 1)
            let none: AnyObject? = country.notes.value(forKey: "two")
            expect(none == nil)
            expectEqual(country.notes.value(forKey: "one") as? Int, 1)
            let path: AnyObject? = country.notes.value(forKeyPath: "@count")
            expectEqual(path as? Int, 1)
        }
    }

    @Test func `a null that is assigned by name makes an entry null, and nil removes it`() throws {
        try forEachState { country in
            let realm = country.realm
            realm?.beginWrite()
            defer { realm?.cancelWrite() }
            country.maybe.setValue(1, forKey: "a")
            country.maybe.setValue(NSNull(), forKey: "a")
            country.maybe.setValue(Int?.none as Any, forKey: "b")
            country.anything.setValue(NSNull(), forKey: "c")
            country.capitals.setValue(NSNull(), forKey: "now")
            expect(country.maybe.keys.sorted() == ["a", "b"] && country.maybe["a"] == .some(nil))
            expect(country.anything["c"] == AnyRealmValue.none && country.anything.count == 1)
            expect(country.capitals.keys == ["now"] && country.capitals["now"] == .some(nil))
            let null: AnyObject? = country.maybe.value(forKey: "a")
            expect(null is NSNull)
            expect(country.maybe.value(forKey: "a") == nil)
            country.maybe.setValue(nil, forKey: "a")
            country.notes.setValue(NSNull(), forKey: "one")
            expect(country.maybe.keys == ["b"] && country.notes.isEmpty)
        }
    }
}
