import Foundation
import Testing

@testable import Freehold

@Suite("Audit: mixed values, dynamic access, queries and printing of all kinds")
struct KindsAccessAuditTests {
    // MARK: Mixed

    @Test
    func `two handles of nested collections see each other's edits, after moves and rollbacks, too`() throws {
        let realm = try kaRealm()
        let node = KANode(1)
        let target = KANode(2)
        try realm.write {
            realm.add([node, target])
            node.anys.append(objectsIn: [["a"], [["b"], .object(target)], ["k": ["c"]]])
            node.anyMap["m"] = [[1], [2]]
        }
        let one = try require(node.anys[1].listValue?[0].listValue)
        let two = try require(node.anys[1].listValue?[0].listValue)
        let map = try require(node.anys[2].dictionaryValue)
        let inMap = try require(node.anyMap["m"]?.listValue?[1].listValue)
        try realm.write {
            node.anys.remove(at: 0)
            one.append(.object(target))
            expect(Array(two) == ["b", .object(target)] && target.fromAnys.count == 2)
            node.anys.insert(["new"], at: 0)
            node.anys.swapAt(0, 2)
            two.insert("x", at: 0)
            map["d"] = .object(target)
            expect(Array(one) == ["x", "b", .object(target)] && target.fromAnys.count == 3)
            node.anyMap["l"] = 0
            node.anyMap["m"]?.listValue?.remove(at: 0)
            inMap.append(3)
            expect(node.anyMap["m"] == [[2, 3]] && node.anyMap.count == 2)
        }
        expectEqual(
            Array(node.anys),
            [
                ["k": ["c"], "d": .object(target)], [["x", "b", .object(target)], .object(target)], ["new"],
            ]
        )
        try kaVerify(realm)
        realm.beginWrite()
        one.removeAll()
        node.anys.removeAll()
        expect(one.isInvalidated && two.isInvalidated && map.isInvalidated && target.fromAnys.isEmpty)
        realm.cancelWrite()
        expect(!one.isInvalidated && Array(two) == ["x", "b", .object(target)] && target.fromAnys.count == 3)
        try realm.write {
            two.removeLast()
            expect(one.count == 2 && target.fromAnys.count == 2)
            // A nested list is assigned to another place, also of another object, as a copy.
            target.any = .list(two)
            target.any.listValue?.append("copy")
            expectEqual(one.count, 2)
            node.any = ["self": .list(two), "copy": .list(one)]
            node.any.dictionaryValue?["self"]?.listValue?.append(.dictionary(map))
        }
        expectEqual(node.any, ["self": ["x", "b", ["k": ["c"], "d": .object(target)]], "copy": ["x", "b"]])
        try kaVerify(realm)
        try realm.write { realm.delete(target) }
        expect(
            node.any == ["self": ["x", "b", ["k": ["c"], "d": nil]], "copy": ["x", "b"]]
                && map["d"] == AnyRealmValue.none
        )
        try kaVerify(realm)
    }

    @Test
    func `100 levels are stored at each place, and 101 are an error that changes nothing`() throws {
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
            expectEqual(read(), deep(100), "\(name)")
            #expect(throws: Realm.Error.self, "\(name)") { try realm.write { write(deep(101)) } }
            expectEqual(read(), deep(100), "\(name)")
        }
        // The innermost list of the 100.
        var inner = node.any
        for _ in 0..<99 { inner = inner.listValue?[0] ?? inner.dictionaryValue!["k"]! }
        let last = try require(
            inner.listValue ?? inner.dictionaryValue.flatMap { _ in nil } ?? nil as List<AnyRealmValue>?
        )
        try realm.write { last.append(.object(target)) }
        expectEqual(target.fromAny.count, 1)
        #expect(throws: Realm.Error.self) { try realm.write { last.append([1]) } }
        expectEqual(last.count, 2)
        let copy = KANode(value: node)
        expect(copy.any.listValue != nil || copy.any.dictionaryValue != nil)
        try kaVerify(realm)
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
        expectEqual(set.count, Set(values).count, "\(set)")
        for value in values { expect(set.contains(value), "\(value)") }
        expect(!set.contains(.int(2)) && !set.contains(.bool(false)) && !set.contains([1]))
        expect(set.remove(.decimal128(1)) && !set.contains(.int(1)) && set.remove(nil) && !set.contains(nil))
        expect(set.remove(.object(target)) && !set.contains(.object(target)))
        if managed {
            expect(target.fromAnySet.isEmpty)
            try realm.commitWrite()
            try kaVerify(realm)
        } else {
            realm.cancelWrite()
        }
    }

    // MARK: Dynamic

    @Test
    func `dynamic objects read, write and create all kinds`() throws {
        let realm = try kaRealm()
        try realm.write {
            let typed = KANode(1)
            typed.fill()
            realm.add(typed)
        }
        let typed = try require(realm.objects(KANode.self).first)
        let object = try require(realm.dynamicObject(ofType: "KANode", forPrimaryKey: 1))
        expectEqual((object.moods as? MutableSet<String>).map { Set($0) }, ["merry", "calm"])
        expectEqual((object.grades as? MutableSet<Int?>).map { Set($0) }, [-1, nil, 300])
        expectEqual((object.codeMap as? Map<String, String>)?["home"], "GB")
        expectEqual((object.spot as? DynamicObject)?.x as? Int, 1)
        expectEqual((object.way as? List<DynamicObject>)?.last?.y as? Int, 8)
        expectEqual(object.dynamicMap("partMap")["x"]??.name as? String, "mx")
        expectEqual(object.dynamicMap("spots")["here"]??.x as? Int, 9)
        expectEqual((object["any"] as? Map<String, AnyRealmValue>)?["int"], -7)
        expectEqual((object.anySet as? MutableSet<AnyRealmValue>)?.count, KANode.scalars.count)
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
        expect(Set(typed.moods) == [.cross] && typed.codeMap["a"] == KACode("B") && typed.spot == KAPoint(5, 6))
        expect(Array(typed.way) == [KAPoint(1, 0), KAPoint(2, 3)] && typed.spots["s"]! == KAPoint(4, 0))
        expect(typed.any == ["deep": [["list": [1, nil]]]] && Set(typed.anySet) == [1, "a", .object(typed)])
        expect(typed.anyMap["l"] == [.object(typed)] && typed.part?.parts[0].name == "c" && typed.part?.any == [1, 2])
        expectEqual(typed.partMap["pm"]??.name, "in map")
        expect(typed.counts.prefix(4) == [1, 1, 1, 1] && typed.fromAnySet.count == 1 && typed.fromAnyMap.count == 2)
        try kaVerify(realm)
        try realm.write {
            let made = realm.dynamicCreate(
                "KANode",
                value: [
                    "id": 7, "one": ["id": 8, "partMap": ["x": ["name": "8x"]]], "set": [["id": 9], typed],
                    "map": ["k": ["id": 10], "n": NSNull()], "mood": "merry", "anys": [["a": [1]], object],
                    "parts": [["name": "p", "target": typed]], "spot": ["x": 1],
                ] as [String: Any]
            )
            expect((made.one as? DynamicObject)?.id as? Int == 8 && made.dynamicMutableSet("set").count == 2)
            expectEqual((made.anys as? List<AnyRealmValue>)?[0], ["a": [1]])
        }
        let made = try require(realm.object(ofType: KANode.self, forPrimaryKey: 7))
        expect(made.one?.partMap["x"]??.name == "8x" && made.mood == .merry && made.map["k"]??.id == 10)
        expect(
            made.anys[1].object(KANode.self) == typed && made.parts[0].target == typed && made.spot == KAPoint(1, 0)
        )
        #expect(throws: Realm.Error.self) { try realm.write { realm.dynamicCreate("KANode", value: ["id": 7]) } }
        #expect(throws: Realm.Error.self) { try realm.write { object.anySet = [[1]] } }
        #expect(throws: Realm.Error.self) { try realm.write { object.partMap = ["a.b": ["name": "x"]] } }
        try kaVerify(realm)
        try realm.write { realm.delete(object) }
        expect(made.anys[1] == AnyRealmValue.none && made.set.count == 1 && typed.isInvalidated)
        try kaVerify(realm)
    }

    // MARK: Names and KVC

    @Test
    func `key paths lead through sets and maps, and aggregate their elements`() throws {
        let realm = try kaRealm()
        let node = KANode(1)
        node.set.insert(objectsIn: [KANode(2), KANode(3)])
        node.map["a"] = KANode(5)
        node.map["n"] = KANode?.none
        node.partMap["p"] = KAPart("pp", inner: KAPart("in"))
        for managed in [false, true] {
            if managed { try realm.write { realm.add(node) } }
            expectEqual((node.set.value(forKey: "id") as? [Int]).map { Set($0) }, [2, 3])
            expectEqual(node.set.value(forKeyPath: "@sum.id") as? Int, 5)
            expectEqual(node.value(forKeyPath: "set.@max.id") as? Int, 3)
            expect((node.map.value(forKey: "a") as? KANode)?.id == 5 && node.map.value(forKey: "n") == nil)
            expect(
                node.map.value(forKeyPath: "a.id") as? Int == 5 && node.map.value(forKeyPath: "@count") as? Int == 2
            )
            expectEqual(node.map.value(forKeyPath: "@max.id") as? Int, 5)
            expectEqual(node.value(forKeyPath: "map.a.id") as? Int, 5, "\(managed)")
            expectEqual(node.value(forKeyPath: "map.@count") as? Int, 2, "\(managed)")
            expectEqual(node.value(forKeyPath: "partMap.p.inner.name") as? String, "in", "\(managed)")
            expect(node.value(forKeyPath: "part.inner.name") == nil)
        }
        try realm.write {
            node.set.setValue(KAGrade.high, forKey: "grade")
            node.map.setValue(["id": 6], forKey: "b")
            node.setValue(KAMood.cross, forKeyPath: "map.a.mood")
            node.setValue(nil, forKeyPath: "map.n")
        }
        expectEqual(node.map.keys, ["a", "b"])
        expect(node.set.allSatisfy { $0.grade == .high } && node.map["b"]??.id == 6 && node.map["a"]??.mood == .cross)
    }

    @Test(arguments: ["set", "map", "set of its owner", "map of its owner"])
    func `operators that unite values refuse sets and maps`(_ place: String) async {
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
        expect(message.contains("nion") && message.contains("set or map"), "\(message)")
    }

    // MARK: Queries

    @Test
    func `queries lead to embedded objects, enums, mixed values, sets and maps`() throws {
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
        expect(ids { $0.part.name == "p2" } == [2] && ids { $0.part.inner.name == "even" } == [0, 2, 4])
        expect(
            ids { $0.part == nil } == [5] && ids { $0.part.any == 3 } == [3] && ids { $0.parts.name == "x3" } == [4, 5]
        )
        expect(ids { $0.mood == .cross } == [1, 4] && ids { $0.mood.in([.calm, .merry]) } == [0, 2, 3, 5])
        expect(
            ids { $0.grade == nil } == [0] && ids { $0.grade == .high } == [3, 4, 5]
                && ids { $0.grade != .low } == [0, 3, 4, 5]
        )
        expect(
            ids { $0.mood.rawValue.starts(with: "c") } == [0, 1, 3, 4] && ids { $0.grade.rawValue > 0 } == [3, 4, 5]
        )
        expect(ids { $0.any == .int(3) } == [3] && ids { $0.any == .float(2) } == [2] && ids { $0.any > 3 } == [4, 5])
        expect(ids { $0.anys.contains("s4") } == [4] && ids { $0.anySet.contains(.double(2)) } == [2])
        expect(ids { $0.moods.contains(.merry) } == [2, 5] && ids { $0.grades.contains(nil) } == [1])
        expect(
            ids { $0.codes.contains(KACode("c3")) } == [3]
                && ids { $0.codes.containsAny(in: [KACode("c1"), KACode("c5")]) } == [1, 5]
        )
        expect(
            ids { $0.set.id == 2 } == [3] && ids { $0.set.contains(all[0]) } == [1]
                && ids { $0.set.part.inner.name == "even" } == [1, 3, 5]
        )
        expect(ids { $0.spot.persistableValue.x > 3 } == [4, 5] && ids { $0.goal.persistableValue.x > 3 } == [4])
        // A null link on the path: the object is last, and first in descending order.
        expectEqual(all.sorted(byKeyPath: "part.name", ascending: false).first?.id, 5)
        expectEqual(all.sorted(byKeyPath: "part.name").last?.id, 5)
        expectEqual(all.sorted(by: \.any, ascending: false).map(\.id), [5, 4, 3, 2, 1, 0])
        expectEqual(all[3].map.where { $0.mood == .merry }.map { $0?.id }, [2])
        expectEqual(all.filter { $0.fromAnyMap.count == 1 }.count, 5)
        expect(ids { $0.fromSet.id == 3 } == [2] && ids { $0.fromAnyMap.id == 3 } == [2])
    }

    // MARK: Printing

    @Test(arguments: [false, true])
    func `a node of all kinds prints to depth 5, with 100 elements and 24 bytes`(managed: Bool) throws {
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
        expect(text.contains("<Maximum depth exceeded>") && text.contains("... 50 elements skipped."))
        expect(text.contains("<000102030405060708090a0b0c0d0e0f1011121314151617…> (40 bytes)"))
        expect(!text.contains("AnyRealmValue.") && !text.contains("Optional("), "\(text.prefix(3000))")
        expect(text.contains("mood = merry") && text.contains("[home] GB"), "\(text.prefix(3000))")
    }
}
