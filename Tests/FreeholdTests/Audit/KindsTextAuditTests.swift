import Foundation
import Testing

@testable import Freehold

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
        expectEqual(any, ["a": [1, nil, true, "x", 2.5], "d": ["e": []]], "\(place): \(any)")
        expect(Array(anys) == [1, [2], ["k": 3], nil] && anyMap["x"] == [["y": 1]], "\(place)")
        expect(anyMap.keys == ["n", "x"] && anyMap["n"] == AnyRealmValue.none, "\(place)")
        expect(Set(numbers) == [1, 3] && Set(maybe) == ["a", nil], "\(place)")
        expect(part?.name == "p" && part?.grade == .high && part?.parts[0].name == "q", "\(place)")
        expect(parts.map(\.name) == ["r"] && partMap["m"]??.name == "s", "\(place)")
        expect(partMap.keys == ["m", "n"] && partMap["n"]! == nil, "\(place)")
        expect(mood == .merry && Array(grades) == [.high, nil] && gradeMap["g"]! == .high, "\(place)")
        expect(gradeMap.keys == ["g", "n"] && Set(moods) == [.cross] && Set(codes) == [KACode("DE")], "\(place)")
        expect(dates["d"] == Date(timeIntervalSince1970: 100) && Set(blobs) == [Data([1, 2])], "\(place)")
        expect(decimals["one"]! == Decimal128(number: 1) && decimals.keys == ["n", "one"], "\(place)")
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

    @Test(arguments: [false, true])
    func `Codable encodes and decodes all kinds, managed and not`(managed: Bool) throws {
        let realm = try realm()
        let object = KACoded()
        object.fill()
        if managed { try realm.write { realm.add(object) } }
        let data = try JSONEncoder().encode(object)
        let decoded = try JSONDecoder().decode(KACoded.self, from: data)
        decoded.check("decoded")
        expect(decoded.id == nil)
        decoded.id = .calm
        decoded.friend = object
        decoded.friends["f"] = object
        try realm.write { realm.add(decoded, update: .modified) }
        decoded.check("added")
        let again = try JSONDecoder().decode(KACoded.self, from: JSONEncoder().encode(decoded))
        again.check("again")
        again.friend?.check("friend")
        again.friends["f"]??.check("friend in map")
        try kaVerify(realm)
    }

    @Test(
        arguments: [JSONExportOptions.Names.swift, .stored],
        [JSONExportOptions.Links.primaryKeys, .nested]
    )
    func `JSON exports and imports all kinds`(_ names: JSONExportOptions.Names, _ links: JSONExportOptions.Links) throws
    {
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
            expectEqual(other.objects(KACoded.self).count, 2, "\(round)")
            for imported in other.objects(KACoded.self) { imported.check("imported \(round)") }
            let imported = try require(other.object(ofType: KACoded.self, forPrimaryKey: KAMood.cross))
            expect(
                imported.friend?.id == .merry && imported.friends["f"]??.id == .merry && imported.friends["n"]! == nil
            )
            try kaVerify(other)
        }
        try expectEqual(
            other.objects(KACoded.self).sorted(by: \.id).jsonData(options: options),
            realm.objects(KACoded.self).sorted(by: \.id).jsonData(options: options)
        )
        let bad = #"[{"id":"calm","partMap":{"a":{"name":5}}}]"#
        let error = #expect(throws: JSONError.self) { try other.importJSON(from: Data(bad.utf8), into: KACoded.self) }
        expect("\(error!)".contains("name"), "\(error!)")
        for bad in [
            #"[{"id":"sad"}]"#, #"[{"id":"calm","moods":["sad"]}]"#, #"[{"id":"calm","codes":["long one"]}]"#,
            #"[{"id":"calm","gradeMap":{"a":7}}]"#, #"[{"id":"calm","anyMap":{"a.b":7}}]"#,
        ] {
            #expect(throws: JSONError.self, "\(bad)") { try other.importJSON(from: Data(bad.utf8), into: KACoded.self) }
        }
        expectEqual(other.objects(KACoded.self).count, 2)
    }

    @Test
    func `optional enum keys and mapped enum properties work, and conditions on them, too`() throws {
        let realm = try realm()
        try realm.write {
            realm.create(KACoded.self, value: ["mood": "cross"])
            realm.create(KACoded.self, value: ["id": KAMood.merry, "the_mood": KAMood.merry])
            realm.create(KACoded.self, value: ["id": NSNull(), "anys": [1]] as [String: Any], update: .modified)
        }
        let all = realm.objects(KACoded.self)
        expect(all.count == 2 && all.where { $0.id == nil }.first?.anys.count == 1)
        expectEqual(realm.object(ofType: KACoded.self, forPrimaryKey: KAMood?.none)?.mood, .cross)
        expectEqual(realm.object(ofType: KACoded.self, forPrimaryKey: "merry")?.mood, .merry)
        expect(all.where { $0.mood == .merry }.count == 1 && all.sorted(byKeyPath: "the_mood").first?.mood == .cross)
        expectEqual(realm.dynamicObjects("KACoded").where { $0["the_mood", as: String.self] == "merry" }.count, 1)
        #expect(throws: Realm.Error.self) { try realm.write { realm.create(KACoded.self, value: ["id": "merry"]) } }
        #expect(throws: Realm.Error.self) { try realm.write { realm.create(KACoded.self) } }
        try kaVerify(realm)
    }

    @Test
    func `two classes with one Swift name link to each other, by property and mixed value`() throws {
        let realm = try realm([KAOuter.KATwin.self, KAInner.KATwin.self])
        let inner = KAInner.KATwin()
        let outer = KAOuter.KATwin()
        outer.other = inner
        outer.any = .object(inner)
        try realm.write { realm.add(outer) }
        expect(outer.other == inner && outer.any.object(KAInner.KATwin.self) == inner)
        expect(outer.any.object(KAOuter.KATwin.self) == nil)
        expect(inner.twins.first == outer && inner.anyTwins.first == outer)
        expectEqual(realm.dynamicObjects("inner_twin").count, 1)
        expectEqual(realm.objects(KAOuter.KATwin.self).where { $0.any == .object(inner) }.count, 1)
        expectEqual(realm.object(ofType: KAInner.KATwin.self, forPrimaryKey: UUID?.none), inner)
        try realm.write {
            outer.any = .object(outer)
            expect(inner.anyTwins.isEmpty)
        }
        try kaVerify(realm)
        let other = try self.realm([KAOuter.KATwin.self, KAInner.KATwin.self])
        try other.write { other.create(KAOuter.KATwin.self, value: outer, update: .modified) }
        let copy = try require(other.objects(KAOuter.KATwin.self).first)
        expect(copy.any.object(KAOuter.KATwin.self) == copy && copy.other?.twins.first == copy)
        try kaVerify(other)
    }
}
