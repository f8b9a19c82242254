import Foundation
import Freehold
import TestScript
import Testing

class EqualOwner: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var number = 3
    @Persisted var list: List<Int>
    @Persisted var set: MutableSet<Int>
    @Persisted var map: Map<String, Int>
    @Persisted var texts: Map<String, String?>
    @Persisted var any: AnyRealmValue
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// What is assigned counts as modified, be it equal to what was there, as in RealmSwift.
@Suite("Observation: assignment of what was there")
struct EqualAssignmentTests {
    enum Way: CaseIterable { case typed, byName, dynamic, create, update }

    static let properties = ["number", "list", "set", "map", "texts", "any"]

    private static func values() -> [String: Any] {
        [
            "number": 3, "list": [1, 2], "set": [1, 2], "map": ["a": 1, "b": 2], "texts": ["a": "x", "b": nil],
            "any": ["k": 1],
        ] as [String: Any]
    }

    private static func assign(_ property: String, _ way: Way, _ realm: Realm) {
        let owner = realm.object(ofType: EqualOwner.self, forPrimaryKey: 1)!
        let value = values()[property]!
        switch way {
        case .typed:
            let other = EqualOwner(value: values())
            switch property {
            case "number": owner.number = other.number
            case "list": owner.list = other.list
            case "set": owner.set = other.set
            case "map": owner.map = other.map
            case "texts": owner.texts = other.texts
            default: owner.any = other.any
            }
        case .byName: owner[property] = value
        case .dynamic: realm.dynamicObjects("EqualOwner")[0][property] = value
        case .create: realm.create(EqualOwner.self, value: ["id": 1, property: value], update: .all)
        case .update: realm.create(EqualOwner.self, value: ["id": 1, property: value], update: .modified)
        }
    }

    @Test(arguments: properties, Way.allCases)
    func `results are told of the object, its collections' observers aren't`(property: String, way: Way) async throws {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString,
            objectTypes: [EqualOwner.self]
        )
        let keeper = try Realm(configuration: configuration)
        try keeper.write {
            var values = Self.values()
            values["id"] = 1
            keeper.create(EqualOwner.self, value: values)
        }
        let place = ObservingQueue(configuration)
        let others = Self.properties.filter { $0 != property }
        try place.run { realm in
            let all = realm.objects(EqualOwner.self)
            place.tokens.append(all.observe(keyPaths: [property]) { place.note("own \(described($0))") })
            place.tokens.append(all.observe(keyPaths: others) { place.note("others \(described($0))") })
            let owner = all[0]
            place.tokens.append(
                owner.set.observe { if case .update = $0 { place.note("the set") } }
            )
            place.tokens.append(
                owner.map.observe { if case .update = $0 { place.note("the map") } }
            )
        }
        try await place.waitFor(2)
        try writeElsewhere(configuration) { Self.assign(property, way, $0) }
        // A change that all are told.
        try writeElsewhere(configuration) { realm in
            realm.add(EqualOwner(value: ["id": 2]))
        }
        try await place.waitFor(4)
        try await place.settle()
        let told = place.told.dropFirst(2)
        let own = told.filter { $0.hasPrefix("own") }
        // Only what differs is assigned by an update of that kind. Two commits may come as one change.
        let expected =
            way == .update
            ? [["own 2: -[] +[1] ~[] >[]"]]
            : [["own 1: -[] +[] ~[0] >[0]", "own 2: -[] +[1] ~[] >[]"], ["own 2: -[] +[1] ~[0] >[0]"]]
        #expect(expected.contains(own), "\(told)")
        #expect(told.filter { $0.hasPrefix("others") } == ["others 2: -[] +[1] ~[] >[]"], "\(told)")
        #expect(!told.contains("the set") && !told.contains("the map"), "\(told)")
        place.end()
        withExtendedLifetime(keeper) {}
    }
}
