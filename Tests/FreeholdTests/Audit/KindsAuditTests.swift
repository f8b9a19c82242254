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

    /// How many links of each kind lead here.
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

    /// Values of every kind, without objects of other rows.
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
        #expect(any == expected, "\(place)")
        #expect(
            Array(anys) == Self.scalars.sorted { $0.key < $1.key }.map(\.value) + [[1, ["y": 2.5]], nil],
            "\(place)"
        )
        #expect(Set(anySet) == Set(Self.scalars.values), "\(place)")
        for (key, value) in Self.scalars { #expect(anyMap[key] == value, "\(place) \(key)") }
        #expect(anyMap.count == Self.scalars.count + 1 && anyMap["nested"] == ["z": [true]], "\(place)")
        #expect(part?.name == "part" && part?.inner?.name == "inner" && part?.any == [1, "two"], "\(place)")
        #expect(part?.partMap["deep"]??.name == "deep", "\(place)")
        #expect(parts.map(\.name) == ["a", "b"] && parts[1].inner?.name == "c", "\(place)")
        #expect(partMap.keys == ["null", "x"] && partMap["x"]??.name == "mx" && partMap["null"]! == nil, "\(place)")
        #expect(mood == .merry && grade == .high && Set(moods) == [.merry, .calm], "\(place)")
        #expect(Set(grades) == [.low, nil, .high] && moodMap["a"] == .cross, "\(place)")
        #expect(gradeMap["b"] == .some(.high) && gradeMap.keys == ["b", "n"] && gradeMap["n"]! == nil, "\(place)")
        #expect(Set(codes) == [KACode("DE"), KACode("FR")] && codeMap["home"] == KACode("GB"), "\(place)")
        #expect(spot == KAPoint(1, 2) && goal == KAPoint(3, 4), "\(place)")
        #expect(Array(way) == [KAPoint(5, 6), KAPoint(7, 8)], "\(place)")
        #expect(spots.keys == ["here", "none"] && spots["here"] == .some(KAPoint(9, 10)), "\(place)")
        #expect(blob == Data(0..<40), "\(place)")
    }
}

private let kaTypes: [ObjectBase.Type] = [KANode.self, KAPart.self, KASpot.self]

private func kaConfiguration(_ base: Realm.Configuration = newConfiguration()) -> Realm.Configuration {
    var configuration = base
    configuration.objectTypes = kaTypes
    return configuration
}

private func kaRealm() throws -> Realm { try Realm(configuration: kaConfiguration()) }

private func verify(_ realm: Realm, _ place: String = "") throws {
    #expect(try realm.core.database.snapshot().verify() == [], "\(place)")
}

private func rowCount(_ realm: Realm, _ name: String) -> Int {
    realm.core.view.count(realm.core.view.schema.table(named: name)!)
}

@Suite("Audit: kinds of data together")
struct KindsAuditTests {
    private static let all = [1, 2, 1, 2, 3, 2, 1, 2, 4, 1, 1]
    private static let none = Array(repeating: 0, count: 11)

    // MARK: Links

    @Test("Linking objects are right after each kind of edit, deletion and rollback", arguments: [false, true])
    func linkingObjects(addedAfter: Bool) throws {
        let realm = try kaRealm()
        let origin = KANode(1)
        let target = KANode(2)
        try realm.write {
            if addedAfter {
                origin.link(to: target)
                realm.add(origin)
            } else {
                realm.add([origin, target])
                origin.link(to: target)
            }
            #expect(target.counts == Self.all)
        }
        #expect(target.counts == Self.all)
        try verify(realm)
        // Everything is overwritten, and then rolled back.
        realm.beginWrite()
        origin.one = nil
        origin.many.remove(at: 0)
        origin.set.removeAll()
        origin.map["a"] = KANode?.none
        origin.any.dictionaryValue!["k"]!.listValue!.remove(at: 0)
        origin.anys[1].listValue![0] = 5
        origin.anySet.remove(.object(target))
        origin.anyMap["n"] = nil
        origin.part = KAPart("other")
        origin.parts[0].inner = nil
        origin.partMap.removeAll()
        #expect(target.counts == [0, 1, 0, 1, 2, 1, 0, 1, 1, 0, 0])
        realm.cancelWrite()
        #expect(target.counts == Self.all)
        try verify(realm)
        // The origin goes, and comes back.
        realm.beginWrite()
        realm.delete(origin)
        #expect(target.counts == Self.none && rowCount(realm, "KAPart") == 0)
        realm.cancelWrite()
        #expect(target.counts == Self.all && origin.fromOne.isEmpty)
        // The target goes, and comes back.
        realm.beginWrite()
        realm.delete(target)
        checkNulls(origin)
        realm.cancelWrite()
        #expect(target.counts == Self.all)
        try realm.write { realm.delete(target) }
        checkNulls(origin)
        try verify(realm)
        try realm.write { realm.delete(origin) }
        #expect(rowCount(realm, "KAPart") == 0 && rowCount(realm, "KASpot") == 0)
        try verify(realm)
    }

    private func checkNulls(_ origin: KANode) {
        #expect(origin.one == nil && origin.many.isEmpty && origin.set.isEmpty)
        #expect(origin.map.keys == ["a", "b"] && origin.map["a"]! == nil)
        #expect(origin.any == ["k": [nil, nil], "l": nil] && Array(origin.anys) == [nil, [nil], 1])
        #expect(Set(origin.anySet).subtracting([AnyRealmValue.none]) == [2], "\(origin.anySet)")
        #expect(origin.anyMap["m"] == AnyRealmValue.none && origin.anyMap["n"] == ["o": nil])
        #expect(origin.part?.target == nil && origin.part?.any == [nil] && origin.part?.nodes.isEmpty == true)
        #expect(origin.parts[0].target == nil && origin.parts[0].inner?.target == nil)
        #expect(origin.partMap["s"]??.target == nil && origin.partMap["s"]??.name == "t")
    }

    @Test("A node that links to itself in every way is deleted, and so is a ring; deleting the class leaves nothing")
    func selfLinks() throws {
        let realm = try kaRealm()
        let node = KANode(1)
        node.link(to: node)
        try realm.write { realm.add(node) }
        #expect(node.counts == Self.all)
        try verify(realm)
        try realm.write { realm.delete(node) }
        try verify(realm)
        #expect(rowCount(realm, "KAPart") == 0)
        try realm.write {
            let nodes = (0..<5).map { KANode($0) }
            for i in 0..<5 { nodes[i].link(to: nodes[(i + 1) % 5]) }
            realm.add(nodes[0])
        }
        #expect(realm.objects(KANode.self).allSatisfy { $0.counts == Self.all })
        try realm.write { realm.delete(realm.objects(KANode.self).where { $0.id < 2 }) }
        try verify(realm)
        #expect(realm.object(ofType: KANode.self, forPrimaryKey: 2)?.counts == Self.none)
        try realm.write { realm.delete(realm.objects(KANode.self)) }
        try verify(realm)
        #expect(rowCount(realm, "KAPart") == 0)
    }

    @Test("Inverse links out of embedded objects give the part, whose parent leads to the owner")
    func parents() throws {
        let realm = try kaRealm()
        let origin = KANode(1)
        let target = KANode(2)
        origin.link(to: target)
        try realm.write { realm.add(origin) }
        let names = target.fromParts.map(\.name).sorted()
        #expect(names == ["p", "q", "r", "t"])
        for part in target.fromParts {
            let parent = try #require(part.parent)
            if part.name == "r" {
                #expect((parent as? KAPart)?.name == "q" && part.parentProperty == "inner")
            } else {
                #expect(parent as? KANode == origin)
            }
        }
        #expect(target.fromParts.first { $0.name == "t" }?.parentProperty == "partMap")
        #expect(realm.objects(KANode.self).where { $0.fromParts.name == "t" }.count == 1)
        #expect(realm.objects(KANode.self).where { $0.fromAny.id == 1 }.first == target)
        #expect(realm.objects(KANode.self).where { $0.fromMap.count == 2 }.first == target)
    }

    // MARK: Maps of embedded objects

    @Test("A map's embedded objects are assigned, overwritten, removed, nulled, deleted, upserted and rolled back")
    func embeddedMaps() throws {
        let realm = try kaRealm()
        let node = KANode(1)
        try realm.write { realm.add(node) }
        func count() -> Int { rowCount(realm, "KAPart") }
        let first = KAPart("first", inner: KAPart("i"))
        try realm.write {
            node.partMap["a"] = first
            #expect(first.realm != nil && count() == 2)
            node.partMap["a"] = first
            #expect(count() == 2 && !first.isInvalidated)
            // A copy, as it has an owner.
            node.partMap["b"] = first
            #expect(count() == 4 && node.partMap["b"]! != first && node.partMap["b"]??.inner?.name == "i")
            node.part = first
            #expect(count() == 6)
            node.partMap["a"] = KAPart("second")
            #expect(first.isInvalidated && count() == 5)
            node.partMap["b"] = KAPart?.none
            #expect(count() == 3 && node.partMap.count == 2)
            node.partMap["b"] = nil
            #expect(node.partMap.count == 1)
            node.partMap.setValue(["name": "plain", "inner": ["name": "q"]], forKey: "c")
        }
        try verify(realm)
        try realm.write {
            // The entry becomes null with the object.
            realm.delete(node.partMap["a"]!!)
            #expect(node.partMap.keys.contains("a") && node.partMap["a"]! == nil)
        }
        try verify(realm)
        let before = count()
        realm.beginWrite()
        node.partMap.removeAll()
        node.partMap.merge([("z", KAPart("z"))]) { $1 }
        #expect(node.partMap.keys == ["z"])
        realm.cancelWrite()
        #expect(count() == before && !node.partMap.keys.contains("z"))
        for policy in [Realm.UpdatePolicy.all, .modified] {
            try realm.write {
                realm.create(
                    KANode.self,
                    value: ["id": 1, "partMap": ["u": ["name": "u"], "v": NSNull()] as [String: Any]],
                    update: policy
                )
            }
            #expect(node.partMap.keys == ["u", "v"] && node.partMap["u"]??.name == "u" && node.partMap["v"]! == nil)
            try verify(realm, "\(policy)")
        }
        // An upsert of an unmanaged object.
        try realm.write {
            let other = KANode(1)
            other.partMap["w"] = KAPart("w", inner: KAPart("w2"))
            realm.add(other, update: .modified)
        }
        #expect(node.partMap.keys == ["w"] && node.partMap["w"]??.inner?.name == "w2")
        try verify(realm)
        try realm.write {
            let map = node.partMap
            node.partMap = map
            #expect(node.partMap.count == 1)
        }
        try realm.write { realm.delete(node) }
        #expect(count() == 0)
        try verify(realm)
    }

    // MARK: Everything at once

    @Test("A node of all kinds is the same unmanaged, added, created, copied and reopened")
    func everything() throws {
        let unmanaged = KANode(1)
        unmanaged.fill()
        unmanaged.check("unmanaged")
        KANode(value: unmanaged).check("Object(value:) of an unmanaged one")
        try withNewFile { base in
            let configuration = kaConfiguration(base)
            do {
                let realm = try Realm(configuration: configuration)
                try realm.write {
                    let copy = realm.create(KANode.self, value: unmanaged)
                    copy.check("created")
                    realm.delete(copy)
                    #expect(rowCount(realm, "KAPart") == 0 && rowCount(realm, "KASpot") == 0)
                    realm.add(unmanaged)
                    unmanaged.check("added")
                    let filled = KANode(2)
                    realm.add(filled)
                    filled.fill()
                    filled.check("filled when managed")
                    realm.create(KANode.self, value: unmanaged, update: .modified)
                    unmanaged.check("upserted by itself")
                }
                try verify(realm, "written")
                let detached = KANode(value: unmanaged)
                detached.check("detached")
                #expect(detached.realm == nil && detached.part?.realm == nil && detached.any.listValue?.realm == nil)
                let other = try kaRealm()
                try other.write {
                    other.create(KANode.self, value: unmanaged).check("created in another realm")
                    detached.id = 3
                    other.add(detached)
                }
                detached.check("detached, then added elsewhere")
                try verify(other, "other")
                // All by plain names.
                try other.write {
                    let node = other.create(KANode.self, value: ["id": 4])
                    for property in unmanaged.objectSchema.properties
                    where property.type != .linkingObjects && property.name != "id" {
                        node[property.name] = unmanaged[property.name]
                    }
                    node.check("assigned by name")
                    let upserted = other.create(KANode.self, value: unmanaged, update: .modified)
                    upserted.check("upserted from another realm")
                }
                try verify(other, "other by name")
                // Rolled back to what it was.
                realm.beginWrite()
                unmanaged.any = 1
                unmanaged.anys.removeAll()
                unmanaged.anySet.removeAll()
                unmanaged.anyMap.removeAll()
                unmanaged.part = nil
                unmanaged.parts.removeAll()
                unmanaged.partMap.removeAll()
                unmanaged.moods.formIntersection([KAMood.calm])
                unmanaged.codeMap["home"] = KACode("X")
                unmanaged.way.swapAt(0, 1)
                unmanaged.spots["here"] = KAPoint(0, 0)
                unmanaged.spot = KAPoint(0, 0)
                realm.cancelWrite()
                unmanaged.check("rolled back")
                try verify(realm, "rolled back")
            }
            let realm = try Realm(configuration: configuration)
            for node in realm.objects(KANode.self) { node.check("reopened") }
            #expect(realm.objects(KANode.self).count == 2)
            try verify(realm, "reopened")
        }
    }

    @Test("Graphs with links of all kinds are copied deeply between realms and detached")
    func deepCopies() throws {
        let realm = try kaRealm()
        let origin = KANode(1)
        let target = KANode(2)
        origin.link(to: target)
        target.fill()
        try realm.write { realm.add(origin) }
        let other = try kaRealm()
        try other.write { other.create(KANode.self, value: origin, update: .modified) }
        let copy = try #require(other.object(ofType: KANode.self, forPrimaryKey: 1))
        let copied = try #require(other.object(ofType: KANode.self, forPrimaryKey: 2))
        #expect(copied.counts == Self.all && copy.one == copied && copied.realm == other)
        #expect(other.objects(KANode.self).count == 2)
        copied.check("the target in another realm")
        try verify(other)
        // Again: nothing new.
        try other.write { other.create(KANode.self, value: origin, update: .all) }
        #expect(other.objects(KANode.self).count == 2 && copied.counts == Self.all)
        try verify(other)
        // An unmanaged graph.
        let plain = KANode(3)
        plain.link(to: KANode(4))
        let detached = KANode(value: plain)
        try other.write { other.add(detached) }
        #expect(other.object(ofType: KANode.self, forPrimaryKey: 4)?.counts == Self.all)
        try verify(other)
    }

    // MARK: Enums and custom types in sets and maps

    @Test("Enums and custom types in sets and maps: edits, queries, bad values", arguments: [false, true])
    func mappedElements(managed: Bool) throws {
        let realm = try kaRealm()
        let node = KANode(1)
        node.fill()
        realm.beginWrite()
        if managed { realm.add(node) }
        #expect(node.moods.contains(.merry) && !node.moods.contains(.cross) && !node.moods.insert(.calm))
        #expect(node.moods.remove(.calm) && !node.moods.remove(.calm) && node.moods.count == 1)
        #expect(node.grades.contains(nil) && node.grades.remove(nil) && !node.grades.contains(nil))
        #expect(node.codes.insert(KACode("IT")) && node.codes.isSubset(of: node.codes))
        node.codes.formUnion([KACode("IT"), KACode("ES")])
        #expect(node.codes.count == 4)
        node.codes.subtract([KACode("IT")])
        #expect(Set(node.codes) == [KACode("DE"), KACode("FR"), KACode("ES")])
        node.codeMap.merge(["home": KACode("A"), "z": KACode("B")].map { ($0.key, $0.value) }) { a, b in
            KACode(a.text + b.text)
        }
        #expect(node.codeMap["home"]?.text == "GBA" && node.codeMap["z"]?.text == "B")
        node.moodMap["a"] = nil
        node.moodMap["b", default: .calm] = .merry
        #expect(node.moodMap.keys == ["b"] && node.moodMap.values == [.merry])
        node.way.insert(KAPoint(0, 0), at: 1)
        node.way.move(from: 0, to: 2)
        #expect(Array(node.way) == [KAPoint(0, 0), KAPoint(7, 8), KAPoint(5, 6)])
        node.way.replaceSubrange(0..<2, with: [KAPoint(1, 1)])
        #expect(Array(node.way) == [KAPoint(1, 1), KAPoint(5, 6)])
        node.spots["here"] = KAPoint(2, 2)
        node.spots["there"] = KAPoint(3, 3)
        node.spots["here"] = nil
        #expect(node.spots.keys == ["none", "there"] && node.spots["there"]! == KAPoint(3, 3))
        node.goal = nil
        node.way.removeAll()
        #expect(node.goal == nil && node.spot == KAPoint(1, 2))
        if managed {
            #expect(rowCount(realm, "KASpot") == 2)
            try realm.commitWrite()
            try verify(realm)
        } else {
            realm.cancelWrite()
        }
        for (property, value) in [
            ("moods", ["sad"]), ("grades", [7]), ("moodMap", ["a": "sad"]), ("gradeMap", ["a": 7]),
            ("codes", ["long one"]),
            ("codeMap", ["a": "long one"]), ("moods", [nil] as [String?]), ("mood", NSNull()), ("part", 5),
            ("partMap", ["a.b": NSNull()]), ("anyMap", ["$a": 1]), ("anySet", [[1]]), ("any", ["a.b": 1]),
            ("spots", ["a": ["x": "no"]]), ("set", [NSNull()]),
        ] as [(String, Any)] {
            let error = #expect(throws: Realm.Error.self, "\(property) \(value)") {
                try realm.write { realm.create(KANode.self, value: ["id": 99, property: value]) }
            }
            #expect(error?.property != nil || property == "any", "\(property) \(String(describing: error))")
            #expect(realm.object(ofType: KANode.self, forPrimaryKey: 99) == nil)
        }
        try verify(realm)
    }

    // MARK: Mixed

    @Test("Two handles of nested collections see edits after siblings moved, rollbacks and moves of rows")
    func nestedHandles() throws {
        let realm = try kaRealm()
        let node = KANode(1)
        let target = KANode(2)
        try realm.write {
            realm.add([node, target])
            node.anys.append(objectsIn: [["a"], [["b"], .object(target)], ["k": ["c"]]])
            node.anyMap["m"] = [[1], [2]]
        }
        let one = try #require(node.anys[1].listValue?[0].listValue)
        let two = try #require(node.anys[1].listValue?[0].listValue)
        let map = try #require(node.anys[2].dictionaryValue)
        let inMap = try #require(node.anyMap["m"]?.listValue?[1].listValue)
        try realm.write {
            node.anys.remove(at: 0)
            one.append(.object(target))
            #expect(Array(two) == ["b", .object(target)] && target.fromAnys.count == 2)
            node.anys.insert(["new"], at: 0)
            node.anys.swapAt(0, 2)
            two.insert("x", at: 0)
            map["d"] = .object(target)
            #expect(Array(one) == ["x", "b", .object(target)] && target.fromAnys.count == 3)
            node.anyMap["l"] = 0
            node.anyMap["m"]?.listValue?.remove(at: 0)
            inMap.append(3)
            #expect(node.anyMap["m"] == [[2, 3]] && node.anyMap.count == 2)
        }
        #expect(
            Array(node.anys) == [
                ["k": ["c"], "d": .object(target)], [["x", "b", .object(target)], .object(target)], ["new"],
            ]
        )
        try verify(realm)
        realm.beginWrite()
        one.removeAll()
        node.anys.removeAll()
        #expect(one.isInvalidated && two.isInvalidated && map.isInvalidated && target.fromAnys.isEmpty)
        realm.cancelWrite()
        #expect(!one.isInvalidated && Array(two) == ["x", "b", .object(target)] && target.fromAnys.count == 3)
        try realm.write {
            two.removeLast()
            #expect(one.count == 2 && target.fromAnys.count == 2)
            // A nested list is put into another place, of another object too: a copy.
            target.any = .list(two)
            target.any.listValue?.append("copy")
            #expect(one.count == 2)
            node.any = ["self": .list(two), "copy": .list(one)]
            node.any.dictionaryValue?["self"]?.listValue?.append(.dictionary(map))
        }
        #expect(node.any == ["self": ["x", "b", ["k": ["c"], "d": .object(target)]], "copy": ["x", "b"]])
        try verify(realm)
        try realm.write { realm.delete(target) }
        #expect(
            node.any == ["self": ["x", "b", ["k": ["c"], "d": nil]], "copy": ["x", "b"]]
                && map["d"] == AnyRealmValue.none
        )
        try verify(realm)
    }

    @Test("100 levels are taken in each place, 101 are an error that changes nothing; also by an edit below")
    func levels() throws {
        func deep(_ levels: Int) -> AnyRealmValue {
            (0..<levels).reduce(.int(0)) { inner, i in i % 2 == 0 ? .fromArray([inner]) : ["k": inner] }
        }
        let realm = try kaRealm()
        let node = KANode(1)
        let target = KANode(2)
        try realm.write { realm.add([node, target]) }
        let places: [(String, (AnyRealmValue) -> Void, () -> AnyRealmValue?)] = [
            ("any", { node.any = $0 }, { node.any }),
            ("anys", { node.anys.append($0) }, { node.anys.last }),
            ("anyMap", { node.anyMap["k"] = $0 }, { node.anyMap["k"] }),
            ("by name", { node["any"] = $0 }, { node.any }),
        ]
        for (name, write, read) in places {
            try realm.write { write(deep(100)) }
            #expect(read() == deep(100), "\(name)")
            #expect(throws: Realm.Error.self, "\(name)") { try realm.write { write(deep(101)) } }
            #expect(read() == deep(100), "\(name)")
        }
        // The innermost list of the 100.
        var inner = node.any
        for _ in 0..<99 { inner = inner.listValue?[0] ?? inner.dictionaryValue!["k"]! }
        let last = try #require(
            inner.listValue ?? inner.dictionaryValue.flatMap { _ in nil } ?? nil as List<AnyRealmValue>?
        )
        try realm.write { last.append(.object(target)) }
        #expect(target.fromAny.count == 1)
        #expect(throws: Realm.Error.self) { try realm.write { last.append([1]) } }
        #expect(last.count == 2)
        let copy = KANode(value: node)
        #expect(copy.any.listValue != nil || copy.any.dictionaryValue != nil)
        try verify(realm)
    }

    @Test(
        "Mixed sets hold each value once across numeric kinds, null and objects, like Swift's sets",
        arguments: [false, true]
    )
    func mixedSets(managed: Bool) throws {
        let realm = try kaRealm()
        let node = KANode(1)
        let target = KANode(2)
        realm.beginWrite()
        if managed { realm.add([node, target]) }
        let set = node.anySet
        let values: [AnyRealmValue] = [
            .int(1), .double(1), .float(1), .decimal128(1), .bool(true), "1", nil, nil, .object(target),
            .object(target),
            .data(Data("1".utf8)), .double(.nan), .double(.nan), .double(0.1), .float(0.1),
        ]
        for value in values { set.insert(value) }
        #expect(set.count == Set(values).count, "\(set)")
        for value in values { #expect(set.contains(value), "\(value)") }
        #expect(!set.contains(.int(2)) && !set.contains(.bool(false)) && !set.contains([1]))
        #expect(set.remove(.decimal128(1)) && !set.contains(.int(1)) && set.remove(nil) && !set.contains(nil))
        #expect(set.remove(.object(target)) && !set.contains(.object(target)))
        if managed {
            #expect(target.fromAnySet.isEmpty)
            try realm.commitWrite()
            try verify(realm)
        } else {
            realm.cancelWrite()
        }
    }

    // MARK: Dynamic

    @Test("Dynamic objects read, write and make all kinds")
    func dynamic() throws {
        let realm = try kaRealm()
        try realm.write {
            let typed = KANode(1)
            typed.fill()
            realm.add(typed)
        }
        let typed = try #require(realm.objects(KANode.self).first)
        let object = try #require(realm.dynamicObject(ofType: "KANode", forPrimaryKey: 1))
        #expect((object.moods as? MutableSet<String>).map { Set($0) } == ["merry", "calm"])
        #expect((object.grades as? MutableSet<Int?>).map { Set($0) } == [-1, nil, 300])
        #expect((object.codeMap as? Map<String, String>)?["home"] == "GB")
        #expect((object.spot as? DynamicObject)?.x as? Int == 1)
        #expect((object.way as? List<DynamicObject>)?.last?.y as? Int == 8)
        #expect(object.dynamicMap("partMap")["x"]??.name as? String == "mx")
        #expect(object.dynamicMap("spots")["here"]??.x as? Int == 9)
        #expect((object["any"] as? Map<String, AnyRealmValue>)?["int"] == -7)
        #expect((object.anySet as? MutableSet<AnyRealmValue>)?.count == KANode.scalars.count)
        try realm.write {
            object.moods = ["cross"]
            object.codeMap = ["a": "B"]
            object.spot = ["x": 5, "y": 6]
            object.way = [["x": 1], [2, 3]] as [Any]
            object.spots = ["s": ["x": 4], "n": NSNull()] as [String: Any]
            object.any = ["deep": [["list": [1, nil]]]] as [String: Any]
            object.anySet = [1, "a", typed] as [Any]
            object.anyMap = ["o": typed, "l": [typed]] as [String: Any]
            object.part = ["name": "np", "parts": [["name": "c"]], "any": [1, 2]] as [String: Any]
            object.partMap = ["pm": ["name": "in map"]]
            object.dynamicMutableSet("set").insert(object)
            object.dynamicMap("map")["self"] = object
            object.dynamicList("many").append(object)
            object.one = object
        }
        #expect(Set(typed.moods) == [.cross] && typed.codeMap["a"] == KACode("B") && typed.spot == KAPoint(5, 6))
        #expect(Array(typed.way) == [KAPoint(1, 0), KAPoint(2, 3)] && typed.spots["s"]! == KAPoint(4, 0))
        #expect(typed.any == ["deep": [["list": [1, nil]]]] && Set(typed.anySet) == [1, "a", .object(typed)])
        #expect(typed.anyMap["l"] == [.object(typed)] && typed.part?.parts[0].name == "c" && typed.part?.any == [1, 2])
        #expect(typed.partMap["pm"]??.name == "in map")
        #expect(typed.counts.prefix(4) == [1, 1, 1, 1] && typed.fromAnySet.count == 1 && typed.fromAnyMap.count == 2)
        try verify(realm)
        try realm.write {
            let made = realm.dynamicCreate(
                "KANode",
                value: [
                    "id": 7, "one": ["id": 8, "partMap": ["x": ["name": "8x"]]], "set": [["id": 9], typed],
                    "map": ["k": ["id": 10], "n": NSNull()], "mood": "merry", "anys": [["a": [1]], object],
                    "parts": [["name": "p", "target": typed]], "spot": ["x": 1],
                ] as [String: Any]
            )
            #expect((made.one as? DynamicObject)?.id as? Int == 8 && made.dynamicMutableSet("set").count == 2)
            #expect((made.anys as? List<AnyRealmValue>)?[0] == ["a": [1]])
        }
        let made = try #require(realm.object(ofType: KANode.self, forPrimaryKey: 7))
        #expect(made.one?.partMap["x"]??.name == "8x" && made.mood == .merry && made.map["k"]??.id == 10)
        #expect(
            made.anys[1].object(KANode.self) == typed && made.parts[0].target == typed && made.spot == KAPoint(1, 0)
        )
        #expect(throws: Realm.Error.self) { try realm.write { realm.dynamicCreate("KANode", value: ["id": 7]) } }
        #expect(throws: Realm.Error.self) { try realm.write { object.anySet = [[1]] } }
        #expect(throws: Realm.Error.self) { try realm.write { object.partMap = ["a.b": ["name": "x"]] } }
        try verify(realm)
        try realm.write { realm.delete(object) }
        #expect(made.anys[1] == AnyRealmValue.none && made.set.count == 1 && typed.isInvalidated)
        try verify(realm)
    }

    // MARK: Names and KVC

    @Test("Key paths lead through sets and maps, whose elements fold")
    func keyValueCoding() throws {
        let realm = try kaRealm()
        let node = KANode(1)
        node.set.insert(objectsIn: [KANode(2), KANode(3)])
        node.map["a"] = KANode(5)
        node.map["n"] = KANode?.none
        node.partMap["p"] = KAPart("pp", inner: KAPart("in"))
        for managed in [false, true] {
            if managed { try realm.write { realm.add(node) } }
            #expect((node.set.value(forKey: "id") as? [Int]).map { Set($0) } == [2, 3])
            #expect(node.set.value(forKeyPath: "@sum.id") as? Int == 5)
            #expect(node.value(forKeyPath: "set.@max.id") as? Int == 3)
            #expect((node.map.value(forKey: "a") as? KANode)?.id == 5 && node.map.value(forKey: "n") == nil)
            #expect(
                node.map.value(forKeyPath: "a.id") as? Int == 5 && node.map.value(forKeyPath: "@count") as? Int == 2
            )
            #expect(node.map.value(forKeyPath: "@max.id") as? Int == 5)
            #expect(node.value(forKeyPath: "map.a.id") as? Int == 5, "\(managed)")
            #expect(node.value(forKeyPath: "map.@count") as? Int == 2, "\(managed)")
            #expect(node.value(forKeyPath: "partMap.p.inner.name") as? String == "in", "\(managed)")
            #expect(node.value(forKeyPath: "part.inner.name") == nil)
        }
        try realm.write {
            node.set.setValue(KAGrade.high, forKey: "grade")
            node.map.setValue(["id": 6], forKey: "b")
            node.setValue(KAMood.cross, forKeyPath: "map.a.mood")
            node.setValue(nil, forKeyPath: "map.n")
        }
        #expect(node.map.keys == ["a", "b"])
        #expect(node.set.allSatisfy { $0.grade == .high } && node.map["b"]??.id == 6 && node.map["a"]??.mood == .cross)
    }

    @Test(
        "Operators that unite are refused of sets and maps",
        arguments: ["set", "map", "set of its owner", "map of its owner"]
    )
    func unions(_ place: String) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [place] in
            let node = KANode(1)
            switch place {
            case "set": _ = node.set.value(forKeyPath: "@unionOfObjects.id")
            case "map": _ = node.map.value(forKeyPath: "@distinctUnionOfObjects.id")
            case "set of its owner": _ = node.value(forKeyPath: "set.@unionOfArrays.many")
            default: _ = node.value(forKeyPath: "map.@distinctUnionOfArrays.many")
            }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("nion") && message.contains("set or map"), "\(message)")
    }

    // MARK: Queries

    @Test("Queries reach embedded objects, enums, mixed values, sets and maps")
    func queries() throws {
        let realm = try kaRealm()
        try realm.write {
            for i in 0..<6 {
                let node = KANode(i)
                node.part = i == 5 ? nil : KAPart("p\(i)", inner: i % 2 == 0 ? KAPart("even") : nil)
                node.part?.any = .int(i)
                node.parts.append(objectsIn: (0..<i).map { KAPart("x\($0)") })
                node.partMap["k"] = i == 3 ? nil : KAPart("m\(i)")
                node.mood = KAMood.allCases[i % 3]
                node.grade = i == 0 ? nil : (i < 3 ? .low : .high)
                node.any = i % 2 == 0 ? .int(i) : .double(Double(i))
                node.anys.append(objectsIn: [.string("s\(i)"), .int(i)])
                node.anySet.insert(.int(i))
                node.moods.insert(KAMood.allCases[i % 3])
                node.grades.insert(i == 1 ? nil : .low)
                node.codes.insert(KACode("c\(i)"))
                node.moodMap["m"] = KAMood.allCases[i % 3]
                node.spot = KAPoint(i, -i)
                node.goal = i == 4 ? KAPoint(4, 4) : nil
                realm.add(node)
                if i > 0 {
                    let previous = realm.object(ofType: KANode.self, forPrimaryKey: i - 1)!
                    node.set.insert(previous)
                    node.map["prev"] = previous
                    node.anyMap["prev"] = .object(previous)
                }
            }
        }
        let all = realm.objects(KANode.self)
        func ids(_ condition: (Query<KANode>) -> Query<Bool>) -> [Int] { all.where(condition).map(\.id) }
        #expect(ids { $0.part.name == "p2" } == [2] && ids { $0.part.inner.name == "even" } == [0, 2, 4])
        #expect(
            ids { $0.part == nil } == [5] && ids { $0.part.any == 3 } == [3] && ids { $0.parts.name == "x3" } == [4, 5]
        )
        #expect(ids { $0.mood == .cross } == [1, 4] && ids { $0.mood.in([.calm, .merry]) } == [0, 2, 3, 5])
        #expect(
            ids { $0.grade == nil } == [0] && ids { $0.grade == .high } == [3, 4, 5]
                && ids { $0.grade != .low } == [0, 3, 4, 5]
        )
        #expect(
            ids { $0.mood.rawValue.starts(with: "c") } == [0, 1, 3, 4] && ids { $0.grade.rawValue > 0 } == [3, 4, 5]
        )
        #expect(ids { $0.any == .int(3) } == [3] && ids { $0.any == .float(2) } == [2] && ids { $0.any > 3 } == [4, 5])
        #expect(ids { $0.anys.contains("s4") } == [4] && ids { $0.anySet.contains(.double(2)) } == [2])
        #expect(ids { $0.moods.contains(.merry) } == [2, 5] && ids { $0.grades.contains(nil) } == [1])
        #expect(
            ids { $0.codes.contains(KACode("c3")) } == [3]
                && ids { $0.codes.containsAny(in: [KACode("c1"), KACode("c5")]) } == [1, 5]
        )
        #expect(
            ids { $0.set.id == 2 } == [3] && ids { $0.set.contains(all[0]) } == [1]
                && ids { $0.set.part.inner.name == "even" } == [1, 3, 5]
        )
        #expect(ids { $0.spot.persistableValue.x > 3 } == [4, 5] && ids { $0.goal.persistableValue.x > 3 } == [4])
        // A link to nothing on the way: last, and first where the order falls.
        #expect(all.sorted(byKeyPath: "part.name", ascending: false).first?.id == 5)
        #expect(all.sorted(byKeyPath: "part.name").last?.id == 5)
        #expect(all.sorted(by: \.any, ascending: false).map(\.id) == [5, 4, 3, 2, 1, 0])
        #expect(all[3].map.where { $0.mood == .merry }.map(\.id) == [2])
        #expect(all.filter { $0.fromAnyMap.count == 1 }.count == 5)
        #expect(ids { $0.fromSet.id == 3 } == [2] && ids { $0.fromAnyMap.id == 3 } == [2])
    }

    @Test("A condition on a custom type's own members traps, and says what to write")
    func customMembers() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try kaRealm().objects(KANode.self).where { $0.spot.x > 3 }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("persistableValue"), "\(message.prefix(500))")
    }

    // MARK: Printing

    @Test("A node of all kinds prints, to depth 5, with 100 elements and 24 bytes", arguments: [false, true])
    func printing(managed: Bool) throws {
        let realm = try kaRealm()
        let node = KANode(1)
        node.fill()
        node.one = node
        node.anys.removeAll()
        node.anys.append(objectsIn: (0..<150).map { .int($0) })
        for i in 0..<120 { node.anyMap["k\(i)"] = .string("v\(i)") }
        node.grades.removeAll()
        if managed { try realm.write { realm.add(node) } }
        let text = node.description
        #expect(text.contains("<Maximum depth exceeded>") && text.contains("... 50 elements skipped."))
        #expect(text.contains("<000102030405060708090a0b0c0d0e0f1011121314151617…> (40 bytes)"))
        #expect(!text.contains("AnyRealmValue.") && !text.contains("Optional("), "\(text.prefix(3000))")
        #expect(text.contains("mood = merry") && text.contains("[home] GB"), "\(text.prefix(3000))")
    }
}

// MARK: Codable and JSON

class KACodedPart: EmbeddedObject, Codable {
    @Persisted var name = ""
    @Persisted var grade: KAGrade
    @Persisted var parts: List<KACodedPart>
}

class KACoded: Object, Codable {
    @Persisted(primaryKey: true) var id: KAMood?
    @Persisted var any: AnyRealmValue
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var anyMap: Map<String, AnyRealmValue>
    @Persisted var numbers: MutableSet<Int>
    @Persisted var maybe: MutableSet<String?>
    @Persisted var part: KACodedPart?
    @Persisted var parts: List<KACodedPart>
    @Persisted var partMap: Map<String, KACodedPart?>
    @Persisted var mood: KAMood
    @Persisted var grades: List<KAGrade?>
    @Persisted var gradeMap: Map<String, KAGrade?>
    @Persisted var moods: MutableSet<KAMood>
    @Persisted var codes: MutableSet<KACode>
    @Persisted var dates: Map<String, Date>
    @Persisted var blobs: MutableSet<Data>
    @Persisted var decimals: Map<String, Decimal128?>
    @Persisted var friend: KACoded?
    @Persisted var friends: Map<String, KACoded?>

    override class func propertiesMapping() -> [String: String] { ["mood": "the_mood", "part": "its_part"] }

    func fill() {
        any = ["a": [1, nil, true, "x", 2.5], "d": ["e": []]]
        anys.append(objectsIn: [1, [2], ["k": 3], nil])
        anyMap["x"] = [["y": 1]]
        anyMap["n"] = AnyRealmValue.none
        numbers.insert(objectsIn: [3, 1])
        maybe.insert(objectsIn: ["a", nil])
        part = KACodedPart(value: ["name": "p", "grade": KAGrade.high, "parts": [["name": "q"]]])
        parts.append(KACodedPart(value: ["name": "r"]))
        partMap["m"] = KACodedPart(value: ["name": "s"])
        partMap["n"] = KACodedPart?.none
        mood = .merry
        grades.append(objectsIn: [.high, nil])
        gradeMap["g"] = KAGrade.high
        gradeMap["n"] = KAGrade?.none
        moods.insert(.cross)
        codes.insert(KACode("DE"))
        dates["d"] = Date(timeIntervalSince1970: 100)
        blobs.insert(Data([1, 2]))
        decimals["one"] = Decimal128(number: 1)
        decimals["n"] = Decimal128?.none
    }

    func check(_ place: String) {
        #expect(any == ["a": [1, nil, true, "x", 2.5], "d": ["e": []]], "\(place): \(any)")
        #expect(Array(anys) == [1, [2], ["k": 3], nil] && anyMap["x"] == [["y": 1]], "\(place)")
        #expect(anyMap.keys == ["n", "x"] && anyMap["n"] == AnyRealmValue.none, "\(place)")
        #expect(Set(numbers) == [1, 3] && Set(maybe) == ["a", nil], "\(place)")
        #expect(part?.name == "p" && part?.grade == .high && part?.parts[0].name == "q", "\(place)")
        #expect(parts.map(\.name) == ["r"] && partMap["m"]??.name == "s", "\(place)")
        #expect(partMap.keys == ["m", "n"] && partMap["n"]! == nil, "\(place)")
        #expect(mood == .merry && Array(grades) == [.high, nil] && gradeMap["g"]! == .high, "\(place)")
        #expect(gradeMap.keys == ["g", "n"] && Set(moods) == [.cross] && Set(codes) == [KACode("DE")], "\(place)")
        #expect(dates["d"] == Date(timeIntervalSince1970: 100) && Set(blobs) == [Data([1, 2])], "\(place)")
        #expect(decimals["one"]! == Decimal128(number: 1) && decimals.keys == ["n", "one"], "\(place)")
    }
}

/// Two classes of one Swift name.
enum KAOuter {
    class KATwin: Object {
        @Persisted(primaryKey: true) var id: Int?
        @Persisted var other: KAInner.KATwin?
        @Persisted var any: AnyRealmValue
        override class func mappedName() -> String? { "outer_twin" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}
enum KAInner {
    class KATwin: Object {
        @Persisted(primaryKey: true) var id: UUID?
        @Persisted(originProperty: "other") var twins: LinkingObjects<KAOuter.KATwin>
        @Persisted(originProperty: "any") var anyTwins: LinkingObjects<KAOuter.KATwin>
        override class func mappedName() -> String? { "inner_twin" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

@Suite("Audit: kinds of data in text, keys and names")
struct KindsTextAuditTests {
    private func realm(_ types: [ObjectBase.Type] = [KACoded.self, KACodedPart.self]) throws -> Realm {
        var configuration = newConfiguration()
        configuration.objectTypes = types
        return try Realm(configuration: configuration)
    }

    @Test("Codable takes all kinds there and back, managed and not", arguments: [false, true])
    func codable(managed: Bool) throws {
        let realm = try realm()
        let object = KACoded()
        object.fill()
        if managed { try realm.write { realm.add(object) } }
        let data = try JSONEncoder().encode(object)
        let decoded = try JSONDecoder().decode(KACoded.self, from: data)
        decoded.check("decoded")
        #expect(decoded.id == nil)
        decoded.id = .calm
        decoded.friend = object
        decoded.friends["f"] = object
        try realm.write { realm.add(decoded, update: .modified) }
        decoded.check("added")
        let again = try JSONDecoder().decode(KACoded.self, from: JSONEncoder().encode(decoded))
        again.check("again")
        again.friend?.check("friend")
        again.friends["f"]??.check("friend in map")
        try verify(realm)
    }

    @Test(
        "JSON takes all kinds out and in",
        arguments: [JSONExportOptions.Names.swift, .stored],
        [JSONExportOptions.Links.primaryKeys, .nested]
    )
    func json(_ names: JSONExportOptions.Names, _ links: JSONExportOptions.Links) throws {
        let realm = try realm()
        let object = KACoded()
        object.fill()
        object.id = .cross
        let friend = KACoded()
        friend.fill()
        friend.id = .merry
        object.friend = friend
        object.friends["f"] = friend
        object.friends["n"] = KACoded?.none
        try realm.write { realm.add(object) }
        let options = JSONExportOptions(names: names, links: links)
        let data = try realm.jsonData(of: KACoded.self, options: options)
        let other = try self.realm()
        for round in 0..<2 {
            try other.importJSON(from: data, into: KACoded.self)
            #expect(other.objects(KACoded.self).count == 2, "\(round)")
            for imported in other.objects(KACoded.self) { imported.check("imported \(round)") }
            let imported = try #require(other.object(ofType: KACoded.self, forPrimaryKey: KAMood.cross))
            #expect(
                imported.friend?.id == .merry && imported.friends["f"]??.id == .merry && imported.friends["n"]! == nil
            )
            try verify(other)
        }
        #expect(
            try other.objects(KACoded.self).sorted(by: \.id).jsonData(options: options)
                == realm.objects(KACoded.self).sorted(by: \.id).jsonData(options: options)
        )
        let bad = #"[{"id":"calm","partMap":{"a":{"name":5}}}]"#
        let error = #expect(throws: JSONError.self) { try other.importJSON(from: Data(bad.utf8), into: KACoded.self) }
        #expect("\(error!)".contains("name"), "\(error!)")
        for bad in [
            #"[{"id":"sad"}]"#, #"[{"id":"calm","moods":["sad"]}]"#, #"[{"id":"calm","codes":["long one"]}]"#,
            #"[{"id":"calm","gradeMap":{"a":7}}]"#, #"[{"id":"calm","anyMap":{"a.b":7}}]"#,
        ] {
            #expect(throws: JSONError.self, "\(bad)") { try other.importJSON(from: Data(bad.utf8), into: KACoded.self) }
        }
        #expect(other.objects(KACoded.self).count == 2)
    }

    @Test("Optional enum keys, mapped enum properties and conditions on them")
    func keys() throws {
        let realm = try realm()
        try realm.write {
            realm.create(KACoded.self, value: ["mood": "cross"])
            realm.create(KACoded.self, value: ["id": KAMood.merry, "the_mood": KAMood.merry])
            realm.create(KACoded.self, value: ["id": NSNull(), "anys": [1]] as [String: Any], update: .modified)
        }
        let all = realm.objects(KACoded.self)
        #expect(all.count == 2 && all.where { $0.id == nil }.first?.anys.count == 1)
        #expect(realm.object(ofType: KACoded.self, forPrimaryKey: KAMood?.none)?.mood == .cross)
        #expect(realm.object(ofType: KACoded.self, forPrimaryKey: "merry")?.mood == .merry)
        #expect(all.where { $0.mood == .merry }.count == 1 && all.sorted(byKeyPath: "the_mood").first?.mood == .cross)
        #expect(realm.dynamicObjects("KACoded").where { $0["the_mood", as: String.self] == "merry" }.count == 1)
        #expect(throws: Realm.Error.self) { try realm.write { realm.create(KACoded.self, value: ["id": "merry"]) } }
        #expect(throws: Realm.Error.self) { try realm.write { realm.create(KACoded.self) } }
        try verify(realm)
    }

    @Test("Two classes of one name link to each other, by property and mixed value")
    func twins() throws {
        let realm = try realm([KAOuter.KATwin.self, KAInner.KATwin.self])
        let inner = KAInner.KATwin()
        let outer = KAOuter.KATwin()
        outer.other = inner
        outer.any = .object(inner)
        try realm.write { realm.add(outer) }
        #expect(outer.other == inner && outer.any.object(KAInner.KATwin.self) == inner)
        #expect(outer.any.object(KAOuter.KATwin.self) == nil)
        #expect(inner.twins.first == outer && inner.anyTwins.first == outer)
        #expect(realm.dynamicObjects("inner_twin").count == 1)
        #expect(realm.objects(KAOuter.KATwin.self).where { $0.any == .object(inner) }.count == 1)
        #expect(realm.object(ofType: KAInner.KATwin.self, forPrimaryKey: UUID?.none) == inner)
        try realm.write {
            outer.any = .object(outer)
            #expect(inner.anyTwins.isEmpty)
        }
        try verify(realm)
        let other = try self.realm([KAOuter.KATwin.self, KAInner.KATwin.self])
        try other.write { other.create(KAOuter.KATwin.self, value: outer, update: .modified) }
        let copy = try #require(other.objects(KAOuter.KATwin.self).first)
        #expect(copy.any.object(KAOuter.KATwin.self) == copy && copy.other?.twins.first == copy)
        try verify(other)
    }
}
