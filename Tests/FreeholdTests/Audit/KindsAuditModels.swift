import Foundation
import Testing

@testable import Freehold

enum KAMood: String, PersistableEnum, Codable { case calm, cross, merry }
enum KAGrade: Int16, PersistableEnum, Codable { case low = -1, high = 300 }

struct KACode: FailableCustomPersistable, Codable, Hashable {
    typealias PersistedType = String
    let text: String
    init(_ text: String) { self.text = text }
    init?(persistedValue: String) {
        if persistedValue.count > 3 { return nil }
        text = persistedValue
    }
    var persistableValue: String { text }
}

class KASpot: EmbeddedObject {
    @Persisted var x: Int
    @Persisted var y: Int
}

struct KAPoint: CustomPersistable, Codable, Hashable {
    typealias PersistedType = KASpot
    var x: Int
    var y: Int
    init(_ x: Int, _ y: Int) {
        self.x = x
        self.y = y
    }
    init(persistedValue: KASpot) { self.init(persistedValue.x, persistedValue.y) }
    var persistableValue: KASpot { KASpot(value: ["x": x, "y": y]) }
}

class KAPart: EmbeddedObject {
    @Persisted var name = ""
    @Persisted var inner: KAPart?
    @Persisted var parts: List<KAPart>
    @Persisted var target: KANode?
    @Persisted var any: AnyRealmValue
    @Persisted var partMap: Map<String, KAPart?>
    @Persisted var nodes: MutableSet<KANode>

    convenience init(_ name: String, target: KANode? = nil, inner: KAPart? = nil) {
        self.init()
        self.name = name
        self.target = target
        self.inner = inner
    }
}

class KANode: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var one: KANode?
    @Persisted var many: List<KANode>
    @Persisted var set: MutableSet<KANode>
    @Persisted var map: Map<String, KANode?>
    @Persisted var any: AnyRealmValue
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var anySet: MutableSet<AnyRealmValue>
    @Persisted var anyMap: Map<String, AnyRealmValue>
    @Persisted var part: KAPart?
    @Persisted var parts: List<KAPart>
    @Persisted var partMap: Map<String, KAPart?>
    @Persisted var mood: KAMood
    @Persisted(indexed: true) var grade: KAGrade?
    @Persisted var moods: MutableSet<KAMood>
    @Persisted var grades: MutableSet<KAGrade?>
    @Persisted var moodMap: Map<String, KAMood>
    @Persisted var gradeMap: Map<String, KAGrade?>
    @Persisted var codes: MutableSet<KACode>
    @Persisted var codeMap: Map<String, KACode>
    @Persisted var spot: KAPoint
    @Persisted var goal: KAPoint?
    @Persisted var way: List<KAPoint>
    @Persisted var spots: Map<String, KAPoint?>
    @Persisted var blob: Data
    @Persisted(originProperty: "one") var fromOne: LinkingObjects<KANode>
    @Persisted(originProperty: "many") var fromMany: LinkingObjects<KANode>
    @Persisted(originProperty: "set") var fromSet: LinkingObjects<KANode>
    @Persisted(originProperty: "map") var fromMap: LinkingObjects<KANode>
    @Persisted(originProperty: "any") var fromAny: LinkingObjects<KANode>
    @Persisted(originProperty: "anys") var fromAnys: LinkingObjects<KANode>
    @Persisted(originProperty: "anySet") var fromAnySet: LinkingObjects<KANode>
    @Persisted(originProperty: "anyMap") var fromAnyMap: LinkingObjects<KANode>
    @Persisted(originProperty: "target") var fromParts: LinkingObjects<KAPart>
    @Persisted(originProperty: "any") var fromPartAny: LinkingObjects<KAPart>
    @Persisted(originProperty: "nodes") var fromPartSet: LinkingObjects<KAPart>

    convenience init(_ id: Int) {
        self.init()
        self.id = id
    }

    /// The number of links of each kind to this object.
    var counts: [Int] {
        [
            fromOne.count, fromMany.count, fromSet.count, fromMap.count, fromAny.count, fromAnys.count,
            fromAnySet.count, fromAnyMap.count, fromParts.count, fromPartAny.count, fromPartSet.count,
        ]
    }

    /// Links to the node in every way.
    func link(to node: KANode) {
        one = node
        many.append(objectsIn: [node, node])
        set.insert(node)
        map["a"] = node
        map["b"] = node
        any = ["k": [.object(node), .object(node)], "l": .object(node)]
        anys.append(objectsIn: [.object(node), [.object(node)], 1])
        anySet.insert(objectsIn: [.object(node), .object(node), 2])
        anyMap["m"] = .object(node)
        anyMap["n"] = ["o": .object(node)]
        let part = KAPart("p", target: node)
        part.any = [.object(node)]
        part.nodes.insert(node)
        self.part = part
        parts.append(KAPart("q", target: node, inner: KAPart("r", target: node)))
        partMap["s"] = KAPart("t", target: node)
    }

    /// Returns values of every kind, without objects of other rows.
    func fill() {
        any = .fromDictionary(Self.scalars.merging(["list": [1, [2, ["x": nil]]]]) { $1 })
        anys.append(objectsIn: Self.scalars.sorted { $0.key < $1.key }.map(\.value) + [[1, ["y": 2.5]], nil])
        anySet.insert(objectsIn: Self.scalars.values)
        for (key, value) in Self.scalars { anyMap[key] = value }
        anyMap["nested"] = ["z": [true]]
        part = KAPart("part", inner: KAPart("inner"))
        part?.any = [1, "two"]
        part?.partMap["deep"] = KAPart("deep")
        parts.append(objectsIn: [KAPart("a"), KAPart("b", inner: KAPart("c"))])
        partMap["x"] = KAPart("mx")
        partMap["null"] = KAPart?.none
        mood = .merry
        grade = .high
        moods.insert(objectsIn: [.merry, .calm])
        grades.insert(objectsIn: [.low, nil, .high])
        moodMap["a"] = .cross
        gradeMap["b"] = KAGrade.high
        gradeMap["n"] = KAGrade?.none
        codes.insert(objectsIn: [KACode("DE"), KACode("FR")])
        codeMap["home"] = KACode("GB")
        spot = KAPoint(1, 2)
        goal = KAPoint(3, 4)
        way.append(objectsIn: [KAPoint(5, 6), KAPoint(7, 8)])
        spots["here"] = KAPoint(9, 10)
        spots["none"] = KAPoint?.none
        blob = Data(0..<40)
    }

    static var scalars: [String: AnyRealmValue] {
        [
            "none": nil, "int": .int(-7), "bool": .bool(true), "float": .float(1.5), "double": .double(0.1),
            "string": "hé\u{0}llo", "data": .data(Data([0, 255])), "date": .date(Date(timeIntervalSince1970: 1.25)),
            "objectId": .objectId(try! ObjectId(string: "0123456789abcdef01234567")),
            "decimal": .decimal128(Decimal128(number: 12)),
            "uuid": .uuid(UUID(uuidString: "00000000-0000-0000-0000-00000000002A")!),
        ]
    }

    func check(_ place: String) {
        let expected: AnyRealmValue = .fromDictionary(Self.scalars.merging(["list": [1, [2, ["x": nil]]]]) { $1 })
        expectEqual(any, expected, "\(place)")
        expectEqual(
            Array(anys),
            Self.scalars.sorted { $0.key < $1.key }.map(\.value) + [[1, ["y": 2.5]], nil],
            "\(place)"
        )
        expectEqual(Set(anySet), Set(Self.scalars.values), "\(place)")
        for (key, value) in Self.scalars { expectEqual(anyMap[key], value, "\(place) \(key)") }
        expect(anyMap.count == Self.scalars.count + 1 && anyMap["nested"] == ["z": [true]], "\(place)")
        expect(part?.name == "part" && part?.inner?.name == "inner" && part?.any == [1, "two"], "\(place)")
        expectEqual(part?.partMap["deep"]??.name, "deep", "\(place)")
        expect(parts.map(\.name) == ["a", "b"] && parts[1].inner?.name == "c", "\(place)")
        expect(partMap.keys == ["null", "x"] && partMap["x"]??.name == "mx" && partMap["null"]! == nil, "\(place)")
        expect(mood == .merry && grade == .high && Set(moods) == [.merry, .calm], "\(place)")
        expect(Set(grades) == [.low, nil, .high] && moodMap["a"] == .cross, "\(place)")
        expect(gradeMap["b"] == .some(.high) && gradeMap.keys == ["b", "n"] && gradeMap["n"]! == nil, "\(place)")
        expect(Set(codes) == [KACode("DE"), KACode("FR")] && codeMap["home"] == KACode("GB"), "\(place)")
        expect(spot == KAPoint(1, 2) && goal == KAPoint(3, 4), "\(place)")
        expectEqual(Array(way), [KAPoint(5, 6), KAPoint(7, 8)], "\(place)")
        expect(spots.keys == ["here", "none"] && spots["here"] == .some(KAPoint(9, 10)), "\(place)")
        expectEqual(blob, Data(0..<40), "\(place)")
    }
}

let kaTypes: [ObjectBase.Type] = [KANode.self, KAPart.self, KASpot.self]

func kaConfiguration(_ base: Realm.Configuration = newConfiguration()) -> Realm.Configuration {
    var configuration = base
    configuration.objectTypes = kaTypes
    return configuration
}

func kaRealm() throws -> Realm { try Realm(configuration: kaConfiguration()) }

func kaVerify(_ realm: Realm, _ place: String = "") throws {
    try expectEqual(realm.core.database.snapshot().verify(), [], "\(place)")
}

func kaRowCount(_ realm: Realm, _ name: String) -> Int {
    realm.core.view.count(realm.core.view.schema.table(named: name)!)
}
