import Foundation
import Freehold
import FreeholdEngine
import Testing

private final class PTHome: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var guard_: PTDog?
    @Persisted var guests: List<PTDog>
}

private final class PTPerson: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var best: PTDog?
    @Persisted var dogs: List<PTDog>
    @Persisted var byName: Map<String, PTDog?>
    @Persisted var pack: MutableSet<PTDog>
    @Persisted var any: AnyRealmValue
    @Persisted var mixed: List<AnyRealmValue>
    @Persisted var home: PTHome?
    @Persisted var homes: List<PTHome>
}

private final class PTDog: Object {
    @Persisted(primaryKey: true) var id: String
    @Persisted var age = 3
    @Persisted(indexed: true) var breed = "mutt"
    @Persisted var friend: PTDog?
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<PTPerson>
    @Persisted(originProperty: "best") var fans: LinkingObjects<PTPerson>
    @Persisted(originProperty: "friend") var friends: LinkingObjects<PTDog>
}

private final class PTView: Projection<PTPerson> {
    @Projected(\PTPerson.name) var name
    @Projected(\PTPerson.best?.id) var best
    @Projected(\PTPerson.dogs.projectTo.age) var ages: ProjectedCollection<Int>
}

private struct PTValues: Codable {
    struct Dog: Codable { var id: String }
    var id: Int
    var best: Dog?
    var dogs: [Dog]
    var byName: [String: Dog?]
}

/// Every reading API returns the same result for a realm with links to missing objects and for a realm without them.
/// The links are at every place where a link can be.
@Suite("Placeholders: every reading API") struct PlaceholderTableTests {
    private static let types: [ObjectBase.Type] = [PTPerson.self, PTDog.self, PTHome.self]

    private struct Probe: CustomTestStringConvertible, Sendable {
        let name: String
        let read: @Sendable (Realm) throws -> Any?
        var testDescription: String { name }
    }

    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("freehold-\(UUID().uuidString)", isDirectory: true)

    /// Creates two realms: one with links to a missing object Fido at every place, and one without.
    private func pair() throws -> (with: Realm.Configuration, without: Realm.Configuration) {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let both = ["with", "without"].map { name in
            Realm.Configuration(fileURL: folder.appendingPathComponent("\(name).realm"), objectTypes: Self.types)
        }
        for configuration in both {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                let rex = realm.create(PTDog.self, value: ["id": "Rex", "age": 4])
                let max = realm.create(PTDog.self, value: ["id": "Max", "age": 9, "breed": "boxer", "friend": rex])
                for id in 1...3 {
                    realm.create(
                        PTPerson.self,
                        value: [
                            "id": id, "name": "P\(id)", "best": id == 2 ? max : nil,
                            "dogs": id == 3 ? [] : [rex, max, rex],
                            "byName": ["r": rex, "n": nil] as [String: Any?], "pack": [rex],
                            "home": ["street": "S\(id)", "guests": [max]], "homes": [["street": "T"], ["street": "U"]],
                        ] as [String: Any?]
                    )
                }
            }
        }
        let database = try Database.open(at: both[0].fileURL!.path)
        let transaction = try database.beginWrite()
        transaction.origin = .applier(1)
        let (person, dog) = (transaction.schema.table(named: "PTPerson")!, transaction.schema.table(named: "PTDog")!)
        let home = transaction.schema.table(named: "PTHome")!
        let fido = try transaction.reference(to: dog, primaryKey: .string("Fido"))
        let rex = try transaction.reference(to: dog, primaryKey: .string("Rex"))
        let max = try transaction.reference(to: dog, primaryKey: .string("Max"))
        func column(_ name: String) -> Column { person.column(named: name)! }
        for id in [1, 3] as [Int64] {
            let row = transaction.find(primaryKey: .int(id), in: person)!
            try transaction.setStored(column("best"), row, to: .link(fido))
            let dogs = id == 3 ? [fido, fido] : [fido, rex, fido, max, rex, fido]
            try transaction.storedListAssign(column("dogs"), row, values: dogs.map { .link($0) })
            try transaction.storedDictionaryAssign(
                column("byName"),
                row,
                entries: [("a", .link(fido)), ("n", .null), ("r", .link(rex))]
            )
            try transaction.storedSetAssign(column("pack"), row, values: [.link(fido), .link(rex)])
            try transaction.setStored(column("any"), row, to: .objectLink(ObjectLink(tableID: dog.id, key: fido)))
            guard case .link(let inner) = transaction.value(column("home"), row) else { continue }
            try transaction.setStored(home.column(named: "guard_")!, inner, to: .link(fido))
            try transaction.storedListAssign(
                home.column(named: "guests")!,
                inner,
                values: [.link(fido), .link(max), .link(fido)]
            )
        }
        let maxRow = transaction.find(primaryKey: .string("Rex"), in: dog)!
        try transaction.setStored(dog.column(named: "friend")!, maxRow, to: .link(fido))
        let made = try transaction.commit()
        expectEqual(made.verify(), [])
        expectEqual(made.placeholderCount(made.schema.table(named: "PTDog")!), 1)
        return (both[0], both[1])
    }

    private static func people(_ realm: Realm) -> [PTPerson] {
        Array(realm.objects(PTPerson.self).sorted(byKeyPath: "id"))
    }

    private static let probes: [Probe] = {
        func all(_ name: String, _ read: @escaping @Sendable (PTPerson) throws -> Any?) -> Probe {
            Probe(name: name) { realm in try people(realm).map { try read($0) } }
        }
        func condition(_ text: String) -> Probe {
            Probe(name: text) { realm in
                Array(realm.objects(PTPerson.self).filter(text).sorted(byKeyPath: "id").map(\.id))
            }
        }
        func dogs(_ text: String) -> Probe {
            Probe(name: "dogs: " + text) { realm in
                Array(realm.objects(PTDog.self).filter(text).sorted(byKeyPath: "id").map(\.id))
            }
        }
        return [
            // Objects and results.
            Probe(name: "objects") { Array($0.objects(PTDog.self).sorted(byKeyPath: "id").map(\.id)) },
            Probe(name: "objects by key") { $0.object(ofType: PTDog.self, forPrimaryKey: "Fido") == nil },
            Probe(name: "count") { $0.objects(PTDog.self).count },
            Probe(name: "results: sum, min, max, average") { realm in
                let dogs = realm.objects(PTDog.self)
                return [dogs.sum(of: \.age), dogs.min(of: \.age), dogs.max(of: \.age), dogs.average(of: \.age)]
                    as [Any?]
            },
            Probe(name: "results: index") { $0.objects(PTDog.self).filter("breed == 'mutt'").count },
            Probe(name: "sections") { $0.objects(PTDog.self).sectioned(by: \.breed).map { ($0.key, $0.count) } },
            Probe(name: "groups") { $0.objects(PTDog.self).grouped(by: \.breed).map { ($0.key, $0.count) } },
            Probe(name: "distinct") { Array($0.objects(PTDog.self).distinct(by: ["breed"]).map(\.breed)).sorted() },
            Probe(name: "dynamic") { realm in
                realm.dynamicObjects("PTPerson").sorted(byKeyPath: "id").map { object in
                    [object["best"] == nil, object.dynamicList("dogs").count] as [Any]
                }
            },
            Probe(name: "isEmpty") { $0.isEmpty },
            Probe(name: "frozen") { realm in
                people(realm.freeze()).map { [$0.best?.id as Any, Array($0.dogs.map(\.id)), $0.pack.count] }
            },
            Probe(name: "document") { realm in
                var document = Data()
                _ = try realm.exportDocument { document += $0 }
                return String(decoding: document, as: UTF8.self)
            },
            Probe(name: "json") { String(decoding: try $0.objects(PTPerson.self).jsonData(), as: UTF8.self) },
            Probe(name: "snapshot") { realm in
                let values = try realm.objects(PTPerson.self).sorted(byKeyPath: "id").snapshot(as: PTValues.self)
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                return String(decoding: try encoder.encode(values), as: UTF8.self)
            },
            Probe(name: "projections") { realm in
                realm.objects(PTView.self).map { [$0.name, $0.best as Any, Array($0.ages)] as [Any] }
            },
            Probe(name: "fileUse") { $0.verify().isEmpty },
            // Single links.
            all("link") { $0.best?.id },
            all("link by name") { ($0["best"] as? PTDog)?.id },
            all("link by key path") { $0.value(forKeyPath: "best.age").map { "\($0)" } },
            all("description") { $0.description },
            all("mixed link") { "\($0.any)" },
            all("link of an embedded object") { $0.home?.guard_?.id },
            all("list of an embedded object") { $0.home.map { Array($0.guests.map(\.id)) } },
            all("embedded by key path") { $0.value(forKeyPath: "home.guests.@count").map { "\($0)" } },
            // Lists.
            all("list: count") { $0.dogs.count },
            all("list: isEmpty") { $0.dogs.isEmpty },
            all("list: iteration") { person in person.dogs.map(\.id) as [String] },
            all("list: subscript") { person in person.dogs.indices.map { person.dogs[$0].id } },
            all("list: first, last") { [$0.dogs.first?.id, $0.dogs.last?.id] },
            all("list: reversed") { $0.dogs.reversed().map(\.id) },
            all("list: index(of:)") { person in person.dogs.first.map { person.dogs.index(of: $0) as Any } },
            all("list: index(matching:)") { $0.dogs.index(matching: "age > 5") },
            all("list: filter") { Array($0.dogs.filter("age > 0").map(\.id)) },
            all("list: where") { person in person.dogs.where { $0.age > 5 }.count },
            all("list: sorted") { Array($0.dogs.sorted(byKeyPath: "age").map(\.id)) },
            all("list: sum, min, max, average") { person in
                [
                    person.dogs.sum(of: \.age), person.dogs.min(of: \.age), person.dogs.max(of: \.age),
                    person.dogs.average(of: \.age),
                ]
                    as [Any?]
            },
            all("list: values") { ($0.dogs.value(forKey: "id") as [AnyObject]).count },
            all("list: key path") { $0.value(forKeyPath: "dogs.@sum.age").map { "\($0)" } },
            all("list: frozen") { Array($0.dogs.freeze().map(\.id)) },
            all("list: sections") { $0.dogs.sectioned(by: \.breed).map(\.key) },
            // Sets and maps.
            all("set: count") { $0.pack.count },
            all("set: iteration") { person in person.pack.map(\.id).sorted() },
            all("set: filter") { $0.pack.filter("age > 0").count },
            all("set: sum") { $0.pack.sum(of: \.age) },
            all("map: keys") { $0.byName.keys.sorted() },
            all("map: count") { $0.byName.count },
            all("map: subscript") { [$0.byName["a"]??.id, $0.byName["r"]??.id, $0.byName["n"]??.id] },
            all("map: contains") { person in ["a", "n", "r"].map { person.byName.keys.contains($0) } },
            all("map: iteration") { person in
                person.byName.map { ($0.key, $0.value?.id) }.sorted { $0.0 < $1.0 }.map { "\($0)" }
            },
            all("map: values") { $0.byName.values.compactMap { $0?.id } },
            // Inverse links.
            Probe(name: "inverse links") { realm in
                realm.objects(PTDog.self).sorted(byKeyPath: "id").map {
                    [$0.owners.count, $0.fans.count, $0.friends.count]
                }
            },
            // Conditions.
            condition("best == nil"), condition("best != nil"), condition("best.age > 5"),
            condition("best.id == 'Fido'"),
            condition("ANY dogs.id == 'Fido'"), condition("ALL dogs.age > 0"), condition("NONE dogs.id == 'Rex'"),
            condition("dogs.@count == 3"), condition("dogs.@count == 0"), condition("dogs.@sum.age > 10"),
            condition("SUBQUERY(dogs, $d, $d.age > 0).@count == 3"), condition("dogs[0].id == 'Rex'"),
            condition("dogs[FIRST].id == 'Rex'"), condition("dogs[LAST].id == 'Rex'"), condition("byName.@count == 2"),
            condition("ANY byName.@keys == 'a'"), condition("byName['r'].age > 0"), condition("pack.@count == 1"),
            condition("ANY pack.age > 0"), condition("any == nil"), condition("any.@type == 'null'"),
            condition("home.guard_ == nil"), condition("home.guests.@count == 1"),
            condition("ANY home.guests.id == 'Fido'"),
            dogs("friend == nil"), dogs("friend.age > 0"), dogs("owners.@count > 0"), dogs("fans.@count == 0"),
            dogs("ANY owners.name == 'P1'"), dogs("@links.@count > 0"), dogs("id BEGINSWITH 'F'"),
        ]
    }()

    @Test func `every reading API returns the same result with and without placeholders`() throws {
        let (with, without) = try pair()
        let (one, two) = (try Realm(configuration: with), try Realm(configuration: without))
        for probe in Self.probes {
            let (a, b) = ("\(try probe.read(one) as Any)", "\(try probe.read(two) as Any)")
            expectEqual(a, b, "\(probe.name)")
            expect(!a.contains("Fido"), "\(probe.name): \(a)")
        }
        // In a transaction, too, where the reading is another way.
        try one.write {
            try two.write {
                for probe in Self.probes where probe.name != "frozen" && probe.name != "fileUse" {
                    let (a, b) = ("\(try probe.read(one) as Any)", "\(try probe.read(two) as Any)")
                    expectEqual(a, b, "in a transaction: \(probe.name)")
                }
            }
        }
    }

    @Test func `writes among placeholders have the same result as without them`() throws {
        let (with, without) = try pair()
        let (one, two) = (try Realm(configuration: with), try Realm(configuration: without))
        for realm in [one, two] {
            try realm.write {
                let person = realm.object(ofType: PTPerson.self, forPrimaryKey: 1)!
                let bo = realm.create(PTDog.self, value: ["id": "Bo", "age": 1])
                person.dogs.insert(bo, at: 1)
                person.dogs.remove(at: 0)
                person.dogs.move(from: 0, to: 2)
                person.byName["b"] = bo
                person.byName.removeObject(for: "n")
                person.pack.insert(bo)
                person.home?.guests.append(bo)
                let other = realm.object(ofType: PTPerson.self, forPrimaryKey: 3)!
                other.dogs.append(bo)
                other.best = bo
            }
        }
        for probe in Self.probes {
            expectEqual("\(try probe.read(one) as Any)", "\(try probe.read(two) as Any)", "\(probe.name)")
        }
    }
}
