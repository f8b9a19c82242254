import Foundation
import Freehold
import TestScript
import Testing

private final class EQPart: EmbeddedObject {
    @Persisted var sizes: MutableSet<Int>
}

private final class EQItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var other = 0
    @Persisted var list: List<Int>
    @Persisted var set: MutableSet<Int>
    @Persisted var map: Map<String, Int>
    @Persisted var part: EQPart?
    @Persisted var next: EQItem?
    @Persisted var items: List<EQItem>
}

/// Assignments of the present content to a collection.
@Suite("Observation: equal assignments")
struct EqualAssignmentTests {
    enum Way: String, CaseIterable, Sendable {
        case typed, byName, dynamic, valueForKey

        fileprivate func assign(_ name: String, of id: Int, _ realm: Realm) {
            let item = realm.object(ofType: EQItem.self, forPrimaryKey: id)!
            let values: [String: Any] = ["list": [1, 2], "set": [1, 2], "map": ["a": 1, "b": 2]]
            switch self {
            case .typed:
                switch name {
                case "list":
                    let list = List<Int>()
                    list.append(objectsIn: [1, 2])
                    item.list = list
                case "set":
                    let set = MutableSet<Int>()
                    set.insert(objectsIn: [1, 2])
                    item.set = set
                default:
                    let map = Map<String, Int>()
                    (map["a"], map["b"]) = (1, 2)
                    item.map = map
                }
            case .byName: item[name] = values[name]
            case .dynamic: realm.dynamicObject(ofType: "EQItem", forPrimaryKey: id)![name] = values[name]
            case .valueForKey: item.setValue(values[name], forKey: name)
            }
        }
    }

    private func made(_ configuration: Realm.Configuration) throws -> Realm {
        let keeper = try Realm(configuration: configuration)
        try keeper.write {
            let value: [String: Any] = [
                "id": 1, "list": [1, 2], "set": [1, 2], "map": ["a": 1, "b": 2], "part": ["sizes": [3]],
            ]
            let first = keeper.create(EQItem.self, value: value)
            keeper.create(EQItem.self, value: ["id": 2, "next": first, "items": [first]] as [String: Any])
        }
        return keeper
    }

    private func configuration() -> Realm.Configuration {
        Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [EQItem.self, EQPart.self])
    }

    @Test(arguments: Way.allCases)
    func `observers of objects, results and lists receive the assigned property`(_ way: Way) async throws {
        let configuration = configuration()
        let keeper = try made(configuration)
        let place = ObservingQueue(configuration)
        let names = ["list", "set", "map"]
        try place.run { realm in
            let first = try require(realm.object(ofType: EQItem.self, forPrimaryKey: 1))
            let second = try require(realm.object(ofType: EQItem.self, forPrimaryKey: 2))
            func note(_ what: String) -> (ObjectChange<EQItem>) -> Void {
                { change in
                    guard case .change(_, let properties) = change else { return place.note("\(what): \(change)") }
                    place.note("\(what): \(properties.map(\.name).sorted().joined(separator: ","))")
                }
            }
            place.tokens.append(first.observe(note("object")))
            for name in names { place.tokens.append(first.observe(keyPaths: [name], note("object by \(name)"))) }
            place.tokens.append(first.observe(keyPaths: ["other"], note("object by other")))
            func note<C: RealmCollection>(_ what: String) -> (RealmCollectionChange<C>) -> Void {
                { change in
                    guard case .update(_, let deleted, let inserted, let modified) = change else {
                        return place.note("initial")
                    }
                    place.note("\(what): \(deleted) \(inserted) \(modified)")
                }
            }
            place.tokens.append(realm.objects(EQItem.self).filter("id == 1").observe(note("results")))
            place.tokens.append(
                realm.objects(EQItem.self).filter("id == 2").observe(
                    keyPaths: ["next.map"],
                    note("results by next.map")
                )
            )
            place.tokens.append(second.items.observe(note("list")))
        }
        try await place.waitFor(3)
        for name in names {
            let before = place.told.count
            try writeElsewhere(configuration) { way.assign(name, of: 1, $0) }
            let count = name == "map" ? 5 : 4
            try await place.waitFor(before + count)
            let expected =
                ["list: [] [] [0]", "object by \(name): \(name)", "object: \(name)", "results: [] [] [0]"]
                + (name == "map" ? ["results by next.map: [] [] [0]"] : [])
            expectEqual(place.told[before...].sorted(), expected.sorted(), "\(name)")
        }
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test func `an equal set of an embedded object counts as a change of its owner`() async throws {
        let configuration = configuration()
        let keeper = try made(configuration)
        let place = ObservingQueue(configuration)
        try place.run { realm in
            place.tokens.append(
                realm.objects(EQItem.self).filter("id == 1").observe { change in
                    if case .update(_, _, _, let modified) = change { return place.note("\(modified)") }
                    place.note("initial")
                }
            )
        }
        try await place.waitFor(1)
        try writeElsewhere(configuration) { realm in
            let set = MutableSet<Int>()
            set.insert(3)
            realm.object(ofType: EQItem.self, forPrimaryKey: 1)!.part!.sizes = set
        }
        try await place.waitFor(2)
        expectEqual(place.told, ["initial", "[0]"])
        place.end()
        withExtendedLifetime(keeper) {}
    }

    @Test func `a collection that is assigned to itself, and an equal value of an update, change nothing`() async throws
    {
        let configuration = configuration()
        let keeper = try made(configuration)
        let place = ObservingQueue(configuration)
        try place.run { realm in
            place.tokens.append(
                try require(realm.object(ofType: EQItem.self, forPrimaryKey: 1)).observe { change in
                    guard case .change(_, let properties) = change else { return }
                    place.note(properties.map(\.name).sorted().joined(separator: ","))
                }
            )
        }
        try writeElsewhere(configuration) { realm in
            let item = realm.object(ofType: EQItem.self, forPrimaryKey: 1)!
            item.set = item.set
            item.map = item.map
            realm.create(
                EQItem.self,
                value: ["id": 1, "set": [1, 2], "map": ["a": 1, "b": 2]] as [String: Any],
                update: .modified
            )
            item.other = 1
        }
        try await place.waitFor(1)
        expectEqual(place.told, ["other"])
        place.end()
        withExtendedLifetime(keeper) {}
    }
}
