import Foundation
import Testing

@testable import Freehold

@Suite("Audit: kinds of data together")
struct KindsAuditTests {
    private static let all = [1, 2, 1, 2, 3, 2, 1, 2, 4, 1, 1]
    private static let none = Array(repeating: 0, count: 11)

    // MARK: Links

    @Test(arguments: [false, true])
    func `linking objects are right after each kind of edit, deletion and rollback`(addedAfter: Bool) throws {
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
            expectEqual(target.counts, Self.all)
        }
        expectEqual(target.counts, Self.all)
        try kaVerify(realm)
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
        expectEqual(target.counts, [0, 1, 0, 1, 2, 1, 0, 1, 1, 0, 0])
        realm.cancelWrite()
        expectEqual(target.counts, Self.all)
        try kaVerify(realm)
        // Deletes the origin, and restores it.
        realm.beginWrite()
        realm.delete(origin)
        expect(target.counts == Self.none && kaRowCount(realm, "KAPart") == 0)
        realm.cancelWrite()
        expect(target.counts == Self.all && origin.fromOne.isEmpty)
        // Deletes the target, and restores it.
        realm.beginWrite()
        realm.delete(target)
        checkNulls(origin)
        realm.cancelWrite()
        expectEqual(target.counts, Self.all)
        try realm.write { realm.delete(target) }
        checkNulls(origin)
        try kaVerify(realm)
        try realm.write { realm.delete(origin) }
        expect(kaRowCount(realm, "KAPart") == 0 && kaRowCount(realm, "KASpot") == 0)
        try kaVerify(realm)
    }

    private func checkNulls(_ origin: KANode) {
        expect(origin.one == nil && origin.many.isEmpty && origin.set.isEmpty)
        expect(origin.map.keys == ["a", "b"] && origin.map["a"]! == nil)
        expect(origin.any == ["k": [nil, nil], "l": nil] && Array(origin.anys) == [nil, [nil], 1])
        expectEqual(Set(origin.anySet).subtracting([AnyRealmValue.none]), [2], "\(origin.anySet)")
        expect(origin.anyMap["m"] == AnyRealmValue.none && origin.anyMap["n"] == ["o": nil])
        expect(origin.part?.target == nil && origin.part?.any == [nil] && origin.part?.nodes.isEmpty == true)
        expect(origin.parts[0].target == nil && origin.parts[0].inner?.target == nil)
        expect(origin.partMap["s"]??.target == nil && origin.partMap["s"]??.name == "t")
    }

    @Test("a node with links to itself is deleted, and so is a ring; deleting the class leaves nothing")
    func selfLinks() throws {
        let realm = try kaRealm()
        let node = KANode(1)
        node.link(to: node)
        try realm.write { realm.add(node) }
        expectEqual(node.counts, Self.all)
        try kaVerify(realm)
        try realm.write { realm.delete(node) }
        try kaVerify(realm)
        expectEqual(kaRowCount(realm, "KAPart"), 0)
        try realm.write {
            let nodes = (0..<5).map { KANode($0) }
            for i in 0..<5 { nodes[i].link(to: nodes[(i + 1) % 5]) }
            realm.add(nodes[0])
        }
        expect(realm.objects(KANode.self).allSatisfy { $0.counts == Self.all })
        try realm.write { realm.delete(realm.objects(KANode.self).where { $0.id < 2 }) }
        try kaVerify(realm)
        expectEqual(realm.object(ofType: KANode.self, forPrimaryKey: 2)?.counts, Self.none)
        try realm.write { realm.delete(realm.objects(KANode.self)) }
        try kaVerify(realm)
        expectEqual(kaRowCount(realm, "KAPart"), 0)
    }

    @Test
    func `inverse links from embedded objects lead to the part, whose parent leads to the owner`() throws {
        let realm = try kaRealm()
        let origin = KANode(1)
        let target = KANode(2)
        origin.link(to: target)
        try realm.write { realm.add(origin) }
        let names = target.fromParts.map(\.name).sorted()
        expectEqual(names, ["p", "q", "r", "t"])
        for part in target.fromParts {
            let parent = try require(part.parent)
            if part.name == "r" {
                expect((parent as? KAPart)?.name == "q" && part.parentProperty == "inner")
            } else {
                expectEqual(parent as? KANode, origin)
            }
        }
        expectEqual(target.fromParts.first { $0.name == "t" }?.parentProperty, "partMap")
        expectEqual(realm.objects(KANode.self).where { $0.fromParts.name == "t" }.count, 1)
        expectEqual(realm.objects(KANode.self).where { $0.fromAny.id == 1 }.first, target)
        expectEqual(realm.objects(KANode.self).where { $0.fromMap.count == 2 }.first, target)
    }

    // MARK: Maps of embedded objects

    @Test("a map's embedded objects are assigned, replaced, removed, nulled, deleted, upserted and rolled back")
    func embeddedMaps() throws {
        let realm = try kaRealm()
        let node = KANode(1)
        try realm.write { realm.add(node) }
        func count() -> Int { kaRowCount(realm, "KAPart") }
        let first = KAPart("first", inner: KAPart("i"))
        try realm.write {
            node.partMap["a"] = first
            expect(first.realm != nil && count() == 2)
            node.partMap["a"] = first
            expect(count() == 2 && !first.isInvalidated)
            // A copy, as it has an owner.
            node.partMap["b"] = first
            expect(count() == 4 && node.partMap["b"]! != first && node.partMap["b"]??.inner?.name == "i")
            node.part = first
            expectEqual(count(), 6)
            node.partMap["a"] = KAPart("second")
            expect(first.isInvalidated && count() == 5)
            node.partMap["b"] = KAPart?.none
            expect(count() == 3 && node.partMap.count == 2)
            node.partMap["b"] = nil
            expectEqual(node.partMap.count, 1)
            node.partMap.setValue(["name": "plain", "inner": ["name": "q"]], forKey: "c")
        }
        try kaVerify(realm)
        try realm.write {
            // The entry becomes null with the object.
            realm.delete(node.partMap["a"]!!)
            expect(node.partMap.keys.contains("a") && node.partMap["a"]! == nil)
        }
        try kaVerify(realm)
        let before = count()
        realm.beginWrite()
        node.partMap.removeAll()
        node.partMap.merge([("z", KAPart("z"))]) { $1 }
        expectEqual(node.partMap.keys, ["z"])
        realm.cancelWrite()
        expect(count() == before && !node.partMap.keys.contains("z"))
        for policy in [Realm.UpdatePolicy.all, .modified] {
            try realm.write {
                realm.create(
                    KANode.self,
                    value: ["id": 1, "partMap": ["u": ["name": "u"], "v": NSNull()] as [String: Any]],
                    update: policy
                )
            }
            expect(node.partMap.keys == ["u", "v"] && node.partMap["u"]??.name == "u" && node.partMap["v"]! == nil)
            try kaVerify(realm, "\(policy)")
        }
        // An upsert of an unmanaged object.
        try realm.write {
            let other = KANode(1)
            other.partMap["w"] = KAPart("w", inner: KAPart("w2"))
            realm.add(other, update: .modified)
        }
        expect(node.partMap.keys == ["w"] && node.partMap["w"]??.inner?.name == "w2")
        try kaVerify(realm)
        try realm.write {
            let map = node.partMap
            node.partMap = map
            expectEqual(node.partMap.count, 1)
        }
        try realm.write { realm.delete(node) }
        expectEqual(count(), 0)
        try kaVerify(realm)
    }

    // MARK: Everything at once

    @Test
    func `a node of all kinds is equal unmanaged, added, created, copied and reopened`() throws {
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
                    expect(kaRowCount(realm, "KAPart") == 0 && kaRowCount(realm, "KASpot") == 0)
                    realm.add(unmanaged)
                    unmanaged.check("added")
                    let filled = KANode(2)
                    realm.add(filled)
                    filled.fill()
                    filled.check("filled when managed")
                    realm.create(KANode.self, value: unmanaged, update: .modified)
                    unmanaged.check("upserted by itself")
                }
                try kaVerify(realm, "written")
                let detached = KANode(value: unmanaged)
                detached.check("detached")
                expect(detached.realm == nil && detached.part?.realm == nil && detached.any.listValue?.realm == nil)
                let other = try kaRealm()
                try other.write {
                    other.create(KANode.self, value: unmanaged).check("created in another realm")
                    detached.id = 3
                    other.add(detached)
                }
                detached.check("detached, then added elsewhere")
                try kaVerify(other, "other")
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
                try kaVerify(other, "other by name")
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
                try kaVerify(realm, "rolled back")
            }
            let realm = try Realm(configuration: configuration)
            for node in realm.objects(KANode.self) { node.check("reopened") }
            expectEqual(realm.objects(KANode.self).count, 2)
            try kaVerify(realm, "reopened")
        }
    }

    @Test
    func `graphs with links of all kinds are copied deeply between realms and detached`() throws {
        let realm = try kaRealm()
        let origin = KANode(1)
        let target = KANode(2)
        origin.link(to: target)
        target.fill()
        try realm.write { realm.add(origin) }
        let other = try kaRealm()
        try other.write { other.create(KANode.self, value: origin, update: .modified) }
        let copy = try require(other.object(ofType: KANode.self, forPrimaryKey: 1))
        let copied = try require(other.object(ofType: KANode.self, forPrimaryKey: 2))
        expect(copied.counts == Self.all && copy.one == copied && copied.realm == other)
        expectEqual(other.objects(KANode.self).count, 2)
        copied.check("the target in another realm")
        try kaVerify(other)
        // Again: nothing new.
        try other.write { other.create(KANode.self, value: origin, update: .all) }
        expect(other.objects(KANode.self).count == 2 && copied.counts == Self.all)
        try kaVerify(other)
        // An unmanaged graph.
        let plain = KANode(3)
        plain.link(to: KANode(4))
        let detached = KANode(value: plain)
        try other.write { other.add(detached) }
        expectEqual(other.object(ofType: KANode.self, forPrimaryKey: 4)?.counts, Self.all)
        try kaVerify(other)
    }

    // MARK: Enums and custom types in sets and maps

    @Test(arguments: [false, true])
    func `enums and custom types in sets and maps are edited and queried, and refuse bad values`(managed: Bool) throws {
        let realm = try kaRealm()
        let node = KANode(1)
        node.fill()
        realm.beginWrite()
        if managed { realm.add(node) }
        expect(node.moods.contains(.merry) && !node.moods.contains(.cross) && !node.moods.insert(.calm))
        expect(node.moods.remove(.calm) && !node.moods.remove(.calm) && node.moods.count == 1)
        expect(node.grades.contains(nil) && node.grades.remove(nil) && !node.grades.contains(nil))
        expect(node.codes.insert(KACode("IT")) && node.codes.isSubset(of: node.codes))
        node.codes.formUnion([KACode("IT"), KACode("ES")])
        expectEqual(node.codes.count, 4)
        node.codes.subtract([KACode("IT")])
        expectEqual(Set(node.codes), [KACode("DE"), KACode("FR"), KACode("ES")])
        node.codeMap.merge(["home": KACode("A"), "z": KACode("B")].map { ($0.key, $0.value) }) { a, b in
            KACode(a.text + b.text)
        }
        expect(node.codeMap["home"]?.text == "GBA" && node.codeMap["z"]?.text == "B")
        node.moodMap["a"] = nil
        node.moodMap["b", default: .calm] = .merry
        expect(node.moodMap.keys == ["b"] && node.moodMap.values == [.merry])
        node.way.insert(KAPoint(0, 0), at: 1)
        node.way.move(from: 0, to: 2)
        expectEqual(Array(node.way), [KAPoint(0, 0), KAPoint(7, 8), KAPoint(5, 6)])
        node.way.replaceSubrange(0..<2, with: [KAPoint(1, 1)])
        expectEqual(Array(node.way), [KAPoint(1, 1), KAPoint(5, 6)])
        node.spots["here"] = KAPoint(2, 2)
        node.spots["there"] = KAPoint(3, 3)
        node.spots["here"] = nil
        expect(node.spots.keys == ["none", "there"] && node.spots["there"]! == KAPoint(3, 3))
        node.goal = nil
        node.way.removeAll()
        expect(node.goal == nil && node.spot == KAPoint(1, 2))
        if managed {
            expectEqual(kaRowCount(realm, "KASpot"), 2)
            try realm.commitWrite()
            try kaVerify(realm)
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
            expect(error?.property != nil || property == "any", "\(property) \(String(describing: error))")
            expect(realm.object(ofType: KANode.self, forPrimaryKey: 99) == nil)
        }
        try kaVerify(realm)
    }
}
