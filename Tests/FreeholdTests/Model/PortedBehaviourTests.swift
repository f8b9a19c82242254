import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

// What code that was written for RealmSwift takes for granted.

class PortNumbers: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var int8: Int8 = 8
    @Persisted var int16: Int16 = 16
    @Persisted var int32: Int32 = 32
    @Persisted var int64: Int64 = 64
    @Persisted var float: Float = 1.5
    @Persisted var double = 2.5
    @Persisted var flag = true
    @Persisted var optInt8: Int8?
    @Persisted var optInt32: Int32? = 3
    @Persisted var list8: List<Int8>
    @Persisted var listOpt16: List<Int16?>
    @Persisted var set32: MutableSet<Int32>
    @Persisted var map64: Map<String, Int64>
    @Persisted var any: AnyRealmValue
    @Persisted var anyList: List<AnyRealmValue>
    @Persisted var mood = PortMood.good
    @Persisted(originProperty: "link") var back: LinkingObjects<PortLink>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

enum PortMood: String, PersistableEnum { case good, bad }

class PortLink: Object {
    @Persisted var link: PortNumbers?
    @Persisted var hub: PortHub?
    @Persisted var text = ""
    @Persisted var wrapped: Map<String, PortWrapper>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class PortPart: EmbeddedObject {
    @Persisted var name = "part"
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct PortWrapper: CustomPersistable, Hashable {
    typealias PersistedType = PortPart
    var name: String
    init(name: String) { self.name = name }
    init(persistedValue: PortPart) { name = persistedValue.name }
    var persistableValue: PortPart { PortPart(value: [name]) }
    init() { name = "none" }
}

/// Only the existence of its objects is stored.
class PortHub: Object {
    @Persisted(originProperty: "hub") var links: LinkingObjects<PortLink>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private let portTypes: [ObjectBase.Type] = [PortNumbers.self, PortLink.self, PortHub.self, PortPart.self]

private func portConfiguration(_ base: Realm.Configuration = newConfiguration()) -> Realm.Configuration {
    var configuration = base
    configuration.objectTypes = portTypes
    return configuration
}

@Suite("Ported code behaves like with RealmSwift")
struct PortedBehaviourTests {
    @Test(arguments: [false, true])
    func `whole numbers that are read by name can be cast to the property's type, and to Int`(managed: Bool) throws {
        let object = PortNumbers(
            value: ["list8": [1, 2], "listOpt16": [3, nil], "set32": [4], "map64": ["a": 5]] as [String: Any]
        )
        let realm = try Realm(configuration: portConfiguration())
        if managed { try realm.write { realm.add(object) } }
        expect(
            object["int8"] as! Int8 == 8 && object["int8"] as! Int == 8 && object.value(forKey: "int8") as! Int8 == 8
        )
        expect(object["int16"] as! Int16 == 16 && object["int32"] as! Int32 == 32 && object["int64"] as! Int64 == 64)
        expect(object["int64"] as? Int == 64 && object["optInt8"] == nil && object["optInt32"] as? Int32 == 3)
        expect(
            object["float"] as? Float == 1.5 && object["double"] as? Double == 2.5 && object["flag"] as? Bool == true
        )
        expectEqual((object["list8"] as? List<Int8>).map { Array($0) }, [1, 2])
        expect(
            object.list8.value(forKey: "self") as! [Int8] == [1, 2] && object.list8.value(forKey: "self").count == 2
        )
        expect(
            object.value(forKeyPath: "list8.@sum.self") as? Int == 3 && object.map64.value(forKey: "a") as? Int64 == 5
        )
        expectEqual(object.set32.value(forKey: "self") as Any? as! Set<Int32>?, [4])
        expectEqual(object.set32.value(forKey: "self") as [AnyObject] as! [Int32], [4])
        let list = List<PortNumbers>()
        list.append(object)
        expect(list.sum(ofProperty: "int8") as Int == 8 && list.max(ofProperty: "int32") as Int32? == 32)
        expect("\(object)".contains("int8 = 8;"))
        guard managed else { return }
        let dynamic = realm.dynamicObjects("PortNumbers")[0]
        expect(dynamic["int8"] as! Int8 == 8 && dynamic.int16 as? Int16 == 16 && dynamic.int64 as? Int == 64)
        expect(dynamic.optInt32 as? Int32 == 3 && dynamic.optInt8 == nil && dynamic["id"] as? NSNumber == 0)
    }

    @Test(arguments: [false, true])
    func `mixed values keep the type of the given number`(managed: Bool) throws {
        let object = PortNumbers()
        let realm = try Realm(configuration: portConfiguration())
        func check(_ object: ObjectBase, _ set: (Any) -> Void, _ get: () -> AnyRealmValue) {
            for (given, wanted) in [
                (Float(2.5), .float(2.5)), (2.5, .double(2.5)), (Int8(3), .int(3)), (true, .bool(true)),
                (NSNumber(value: Float(1.5)), .float(1.5)), (NSNumber(value: 1.5), .double(1.5)),
                (NSNumber(value: 7), .int(7)), (NSNumber(value: false), .bool(false)), (PortMood.bad, .string("bad")),
            ] as [(Any, AnyRealmValue)] {
                set(given)
                let got = get()
                // Numbers are equal across types.
                expectEqual("\(got)", "\(wanted)")
            }
        }
        if managed {
            try realm.write {
                realm.add(object)
                check(object, { object["any"] = $0 }, { object.any })
                check(object, { object["anyList"] = [$0] }, { object.anyList[0] })
                let dynamic = realm.dynamicObjects("PortNumbers")[0]
                check(dynamic, { dynamic["any"] = $0 }, { object.any })
                check(dynamic, { dynamic["anyList"] = [$0] }, { object.anyList[0] })
            }
        } else {
            check(object, { object["any"] = $0 }, { object.any })
            check(object, { object["anyList"] = [$0] }, { object.anyList[0] })
        }
    }

    @Test
    func `a class with only linking objects is stored`() throws {
        try withNewFile { base in
            do {
                let realm = try Realm(configuration: portConfiguration(base))
                try realm.write {
                    let hubs = (0..<1500).map { _ in realm.create(PortHub.self) }
                    realm.create(PortLink.self, value: ["hub": hubs[3]])
                    realm.create(PortLink.self, value: ["hub": hubs[1200]])
                    realm.delete(hubs[7])
                }
                expect(realm.objects(PortHub.self).count == 1499 && realm.verify().isEmpty)
            }
            let realm = try Realm(configuration: portConfiguration(base))
            let hubs = realm.objects(PortHub.self)
            expect(hubs.count == 1499 && hubs.where { $0.links.count == 1 }.count == 2 && hubs[3].links.count == 1)
            expect(hubs[3].objectSchema.properties.isEmpty && hubs[3].objectSchema["links"] != nil)
            try realm.write { realm.delete(hubs) }
            expect(hubs.isEmpty && realm.objects(PortLink.self).allSatisfy { $0.hub == nil } && realm.verify().isEmpty)
        }
    }

    @Test
    func `unmanaged collections are equal if their contents are equal`() throws {
        func list(_ values: Int...) -> List<Int> {
            let list = List<Int>()
            list.append(objectsIn: values)
            return list
        }
        expect(List<Int>() == List<Int>() && list(1, 2) == list(1, 2) && list(1) != list(2) && list(1) != list(1, 1))
        let (a, b) = (Map<String, Int>(), Map<String, Int>())
        expectEqual(a, b)
        a["x"] = 1
        expect(a != b)
        b["x"] = 1
        expectEqual(a, b)
        let (c, d) = (MutableSet<String>(), MutableSet<String>())
        c.insert(objectsIn: ["x", "y"])
        d.insert(objectsIn: ["y", "x"])
        expectEqual(c, d)
        d.insert("z")
        expect(c != d)
        let dog = PortNumbers()
        let (e, f) = (List<PortNumbers>(), List<PortNumbers>())
        e.append(dog)
        f.append(dog)
        expectEqual(e, f)
        f[0] = PortNumbers()
        expect(e != f)
        // Managed collections equal only themselves.
        let realm = try Realm(configuration: portConfiguration())
        let (first, second) = try realm.write {
            (realm.create(PortNumbers.self, value: ["id": 1]), realm.create(PortNumbers.self, value: ["id": 2]))
        }
        expect(first.list8 == first.list8 && first.list8 != second.list8 && first.list8 != List<Int8>())
        expect(
            List<Int8>() != first.list8 && first.set32 != MutableSet<Int32>() && first.map64 != Map<String, Int64>()
        )
        expectEqual(first.map64, realm.objects(PortNumbers.self)[0].map64)
    }

    @Test
    func `a Bool accepts 0 and 1 of every integer type, and no other number`() throws {
        for (given, wanted) in [
            (0, false), (1, true), (Int8(1), true), (NSNumber(value: 0), false), (NSNumber(value: true), true),
            (UInt64(1), true),
        ] as [(Any, Bool)] {
            try expectEqual(PortNumbers(validating: ["flag": given]).flag, wanted)
        }
        for bad in [2, -1, 1.0, "1", NSNumber(value: 2)] as [Any] {
            #expect(throws: Realm.Error.self) { try PortNumbers(validating: ["flag": bad]) }
        }
    }

    @Test
    func `null in a map of custom values that are stored as objects reads as the default`() throws {
        let object = PortLink(
            value: ["text": "kept", "wrapped": ["a": NSNull(), "b": ["name": "n"]]] as [String: Any]
        )
        expect(object.text == "kept" && object.wrapped["b"]?.name == "n" && object.wrapped["a"]?.name == "part")
    }

    @Test
    func `the schema's properties are the stored ones, and linking objects are listed separately`() throws {
        var schema = ObjectSchema(PortNumbers.self)
        expect(!schema.properties.contains { $0.name == "back" } && schema.computedProperties.map(\.name) == ["back"])
        expect(schema.allProperties.count == schema.properties.count + 1 && schema["back"]?.type == .linkingObjects)
        schema.properties.append(Property("extra", .int))
        expectEqual(schema.allProperties.map(\.name).suffix(2), ["extra", "back"])
        expectEqual(PortNumbers.sharedSchema(), ObjectSchema(PortNumbers.self))
        expect(
            Object.sharedSchema() == nil && EmbeddedObject.sharedSchema() == nil && ObjectBase.sharedSchema() == nil
        )
    }

    @Test
    func `dynamic collections of values can be counted; typed objects in mixed values are read by name`() throws {
        let realm = try Realm(configuration: portConfiguration())
        let object = try realm.write { () -> PortNumbers in
            let object = realm.create(PortNumbers.self, value: ["list8": [1, 2], "set32": [3], "map64": ["a": 1]])
            object.any = .object(object)
            return object
        }
        expect(object.dynamicList("list8").count == 2 && object.dynamicMutableSet("set32").count == 1)
        expectEqual(object.dynamicMap("map64").count, 1)
        expectEqual(object.any.dynamicObject?.int8 as? Int8, 8)
        expect(AnyRealmValue.object(PortNumbers()).dynamicObject == nil)
    }

    @Test
    func `aggregates are also returned as NSNumber and NSDate, and an empty mixed list adds up to 0`() throws {
        let realm = try Realm(configuration: portConfiguration())
        try realm.write {
            for id in 1...3 { realm.create(PortNumbers.self, value: ["id": id, "float": Double(id) / 2]) }
        }
        let all = realm.objects(PortNumbers.self)
        expect(all.max(ofProperty: "id") as NSNumber? == 3 && all.sum(ofProperty: "id") as NSNumber == 6)
        expect(all.min(ofProperty: "float") as NSNumber? == 0.5 && all.average(ofProperty: "id") as NSNumber? == 2)
        let list = all[0].list8
        expect(list.max() == nil && list.average() as NSNumber? == nil)
        expect(all[0].anyList.sum().intValue == 0 && List<AnyRealmValue>().sum() == .int(0))
        let sections = all[0].list8.sectioned(by: { $0 > 0 }, ascending: true)
        expect(sections.isEmpty)
    }

    @Test("properties without type names accept the stored forms of enums and custom values")
    func enums() throws {
        let realm = try Realm(configuration: portConfiguration())
        try realm.write {
            let dynamic = realm.dynamicCreate("PortLink", value: ["text": PortMood.bad])
            expectEqual(dynamic.text as? String, "bad")
            expectEqual(realm.create(PortLink.self, value: ["text": PortMood.good]).text, "good")
            let numbers = realm.dynamicCreate("PortNumbers", value: ["mood": PortMood.bad])
            expectEqual(numbers.mood as? String, "bad")
        }
    }

    @Test
    func `an object's realm is available on every thread`() async throws {
        let realm = try Realm(configuration: portConfiguration())
        let object = try realm.write { realm.create(PortLink.self) }
        nonisolated(unsafe) let sent = object
        nonisolated(unsafe) let own = realm
        await withCheckedContinuation { continuation in
            Thread {
                expect(sent.realm == own && PortLink().realm == nil)
                continuation.resume()
            }.start()
        }
        expectEqual(object.realm, realm)
    }

    @Test
    func `a condition finds the first object of an unmanaged list`() throws {
        let list = List<PortNumbers>()
        // All have the same primary key, and one links back to the list's first.
        for i in 0..<5 { list.append(PortNumbers(value: ["int8": i, "any": "x\(i)"])) }
        list[2].any = .object(list[0])
        expect(list.index(matching: "int8 > 2") == 3 && list.index(matching: "int8 == %@", 9) == nil)
        expectEqual(list.index(matching: NSPredicate(format: "any == 'x4'")), 4)
        expectEqual(list.index(matching: { $0.int8 >= 1 && $0.any == "x1" }), 1)
        expect(List<PortNumbers>().index(matching: "int8 == 1") == nil)
        let links = List<PortLink>()
        links.append(PortLink(value: ["link": list[1]]))
        links.append(PortLink(value: ["link": list[4], "text": "t"]))
        expect(links.index(matching: { $0.link.int8 == 4 }) == 1 && links.index(matching: "link.int8 == 1") == 0)
        expect(list.allSatisfy { $0.realm == nil })
    }

    @Test
    func `a file URL with a file as a folder is refused`() {
        let configuration = portConfiguration(Realm.Configuration(fileURL: URL(fileURLWithPath: "/dev/null/foo")))
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        expect(error?.code == .fileOperationFailed && error?.message.contains("is not a directory") == true)
    }

    @Test
    func `errors of a model name its class once, and contain the remedy`() {
        var configuration = newConfiguration()
        configuration.objectTypes = [PortEmpty.self]
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        let text = error.map { "\($0)" } ?? ""
        expect(text.contains("PortEmpty has no @Persisted property. Did you remember to mark them with '@Persisted'?"))
        expectEqual(text.components(separatedBy: "PortEmpty").count, 2, "\(text)")
        expectEqual(error?.localizedDescription.components(separatedBy: "PortEmpty").count, 2)
    }
}

class PortEmpty: Object {
    var name = ""
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
