import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

class MixStreet: EmbeddedObject {
    @Persisted var name = "unnamed"
    @Persisted var number: Int8 = 1
    @Persisted var inner: MixStreet?
    @Persisted var more: List<MixStreet>
    @Persisted var byName: Map<String, MixStreet?>
    @Persisted var town: MixTown?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MixTown: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = "town"
    @Persisted var street: MixStreet?
    @Persisted var streets: List<MixStreet>
    @Persisted var streetsByName: Map<String, MixStreet?>
    @Persisted var near: MixTown?
    @Persisted var others: List<MixTown>
    @Persisted var otherSet: MutableSet<MixTown>
    @Persisted var otherMap: Map<String, MixTown?>
    @Persisted var any: AnyRealmValue
    @Persisted var anyList: List<AnyRealmValue>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private func mixRealm() throws -> Realm {
    var configuration = newConfiguration()
    configuration.objectTypes = [MixTown.self, MixStreet.self]
    return try Realm(configuration: configuration)
}

@Suite("Typed objects in dynamic ones, and the reverse")
struct TypedInDynamicTests {
    @Test
    func `an unmanaged typed embedded object is assigned to a dynamic object's property`() throws {
        let realm = try mixRealm()
        let typed = MixStreet(value: ["Broadway", 3] as [Any])
        typed.inner = MixStreet(value: ["inner"])
        typed.more.append(MixStreet(value: ["more"]))
        try realm.write {
            let town = realm.dynamicCreate("MixTown", value: ["id": 1])
            town["street"] = typed
            // It has become the accessor of its row.
            expect(typed.realm == realm && typed.parentProperty == "street" && typed.inner?.name == "inner")
            town["streets"] = [MixStreet(value: ["a"]), typed, ["name": "b"]] as [Any]
            town["streetsByName"] = ["x": MixStreet(value: ["c"])]
            (town["streets"] as! List<DynamicObject>)[0]["inner"] = MixStreet(value: ["d"])
            // Within an embedded dynamic object.
            (town["street"] as! DynamicObject)["byName"] = ["y": MixStreet(value: ["e"]), "z": nil]
        }
        let town = try require(realm.objects(MixTown.self).first)
        expect(town.street?.name == "Broadway" && town.street?.number == 3 && town.street?.inner?.name == "inner")
        expect(town.street?.more.map(\.name) == ["more"] && town.street?.byName["y"]??.name == "e")
        expect(town.streets.map(\.name) == ["a", "Broadway", "b"] && town.streets[0].inner?.name == "d")
        expect(town.streets[1].more.map(\.name) == ["more"] && town.streetsByName["x"]??.name == "c")
    }

    @Test("typed objects are assigned to dynamic links, collections and mixed values, and become rows")
    func objects() throws {
        let realm = try mixRealm()
        let near = MixTown(value: ["id": 2, "street": ["name": "s2"]])
        try realm.write {
            let town = realm.dynamicCreate("MixTown", value: ["id": 1])
            town["near"] = near
            expectEqual(near.realm, realm)
            town["others"] = [near, MixTown(value: ["id": 3])]
            town["otherSet"] = [MixTown(value: ["id": 4]), near]
            town["otherMap"] = ["a": MixTown(value: ["id": 5]), "b": nil]
            town["any"] = MixTown(value: ["id": 6, "streets": [["name": "s6"]]])
            town["anyList"] = [MixTown(value: ["id": 7]), ["k": near], 5] as [Any]
            realm.dynamicCreate(
                "MixTown",
                value: ["id": 8, "street": MixStreet(value: ["s8"]), "near": near] as [String: Any]
            )
        }
        let town = try require(realm.object(ofType: MixTown.self, forPrimaryKey: 1))
        expect(town.near == near && town.others.map(\.id) == [2, 3] && Set(town.otherSet.map(\.id)) == [2, 4])
        expect(town.otherMap["a"]??.id == 5 && town.any.object(MixTown.self)?.streets.first?.name == "s6")
        expect(town.anyList[0].object(MixTown.self)?.id == 7 && town.anyList.count == 3)
        expectEqual(town.anyList[1].dictionaryValue?["k"]?.object(MixTown.self), near)
        let last = try require(realm.object(ofType: MixTown.self, forPrimaryKey: 8))
        expect(last.street?.name == "s8" && last.near == near)
    }

    @Test
    func `typed objects accept dynamic objects`() throws {
        let realm = try mixRealm()
        try realm.write {
            let dynamic = realm.dynamicCreate("MixTown", value: ["id": 1, "street": ["name": "s"]] as [String: Any])
            let typed = realm.create(MixTown.self, value: ["id": 2])
            typed["near"] = dynamic
            typed["street"] = dynamic["street"]
            typed["others"] = [dynamic]
            typed["any"] = dynamic
            let third = realm.create(
                MixTown.self,
                value: ["id": 3, "near": dynamic, "street": dynamic["street"], "others": [dynamic, typed]]
                    as [String: Any?]
            )
            expect(third.near?.id == 1 && third.street?.name == "s" && third.others.map(\.id) == [1, 2])
            let unmanaged = MixTown(value: ["id": 4, "street": dynamic["street"]!, "near": dynamic] as [String: Any])
            expect(unmanaged.street?.name == "s" && unmanaged.near?.id == 1)
            expect(typed.near?.id == 1 && typed.street?.name == "s" && typed.others.map(\.id) == [1])
            expect(typed.street != typed.near?.street && typed.any.object(MixTown.self)?.id == 1)
        }
    }

    private static let rounds = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] == nil ? 8 : 400

    @Test(arguments: 0..<rounds)
    func `random graphs of typed objects, dynamic objects and plain data are read as written`(round: Int) throws {
        let seed = (ProcessInfo.processInfo.environment["FREEHOLD_SEED"].flatMap { UInt64($0) } ?? 4711) + UInt64(round)
        print("TypedInDynamicTests: FREEHOLD_SEED=\(seed), 6 graphs")
        var maker = MixMaker(seed: seed)
        let realm = try mixRealm()
        for id in 1...6 {
            let wanted = try realm.write { () -> String in
                let town = realm.dynamicCreate("MixTown", value: ["id": id * 1000])
                var text = ""
                for property in ["street", "streets", "streetsByName", "near", "others", "otherMap", "any"] {
                    let (value, shown) = maker.value(property, realm)
                    town[property] = value
                    text += "\(property)=\(shown);"
                }
                return text
            }
            let town = try require(realm.object(ofType: MixTown.self, forPrimaryKey: id * 1000))
            expectEqual(MixMaker.shown(town), wanted, "seed \(seed)")
        }
        expect(realm.verify().isEmpty)
    }
}

/// Values in random forms, and what they should be.
private struct MixMaker {
    private var random: SeededRandom
    private var nextID = 1

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private mutating func below(_ n: Int) -> Int { random.below(n) }

    mutating func value(_ property: String, _ realm: Realm) -> (Any?, String) {
        switch property {
        case "street": return street(realm, 0)
        case "near", "any": return town(realm)
        case "streets": return list { $0.street(realm, 0) }
        case "others": return list { $0.town(realm) }
        case "streetsByName": return map { $0.street(realm, 0) }
        default: return map { $0.town(realm) }
        }
    }

    private mutating func list(_ make: (inout MixMaker) -> (Any?, String)) -> (Any?, String) {
        let made = (0..<below(4)).map { _ in make(&self) }
        return (made.map { $0.0! }, "[" + made.map { $0.1 }.joined(separator: ",") + "]")
    }

    private mutating func map(_ make: (inout MixMaker) -> (Any?, String)) -> (Any?, String) {
        let made = (0..<below(3)).map { ("k\($0)", make(&self)) }
        return (
            Dictionary(uniqueKeysWithValues: made.map { ($0.0, $0.1.0!) }),
            "{" + made.map { "\($0.0):\($0.1.1)" }.joined(separator: ",") + "}"
        )
    }

    /// Plain data, a typed object, or a dynamic one.
    private mutating func town(_ realm: Realm) -> (Any?, String) {
        nextID += 1
        let id = nextID * 7 + below(5) * 100_000
        let (street, shown) = street(realm, 1)
        let plain: [String: Any] = ["id": id, "street": street!]
        let text = "T\(id)(\(shown))"
        switch below(4) {
        case 0: return (realm.dynamicCreate("MixTown", value: plain, update: .modified), text)
        case 1: return (realm.create(MixTown.self, value: plain, update: .modified), text)
        default:
            let town = MixTown()
            town.id = id
            town["street"] = street
            return (town, text)
        }
    }

    private mutating func street(_ realm: Realm, _ depth: Int) -> (Any?, String) {
        nextID += 1
        let (id, name) = (nextID, "n\(nextID)")
        let inner = depth < 3 && below(2) == 0 ? street(realm, depth + 1) : nil
        let shown = "\(name)<\(inner?.1 ?? "")>"
        switch below(4) {
        case 0: return (["name": name, "inner": inner?.0 as Any] as [String: Any?], shown)
        case 1:
            // The value belongs to another object, so that it is copied.
            let owner = realm.dynamicCreate("MixTown", value: ["id": -id])
            owner["street"] = ["name": name, "inner": inner?.0 as Any] as [String: Any?]
            return (owner["street"], shown)
        default:
            let street = MixStreet()
            street.name = name
            street["inner"] = inner?.0
            return (street, shown)
        }
    }

    static func shown(_ town: MixTown) -> String {
        func text(_ street: MixStreet?) -> String { street.map { "\($0.name)<\(text($0.inner))>" } ?? "" }
        func text(_ town: MixTown?) -> String { town.map { "T\($0.id)(\(text($0.street)))" } ?? "" }
        var out = "street=\(text(town.street));streets=[\(town.streets.map { text($0) }.joined(separator: ","))];"
        let streets = town.streetsByName.asKeyValueSequence().map { "\($0.key):\(text($0.value))" }
        out += "streetsByName={\(streets.joined(separator: ","))};near=\(text(town.near));"
        out += "others=[\(town.others.map { text($0) }.joined(separator: ","))];"
        let others = town.otherMap.asKeyValueSequence().map { "\($0.key):\(text($0.value))" }
        return out + "otherMap={\(others.joined(separator: ","))};any=\(text(town.any.object(MixTown.self)));"
    }
}
