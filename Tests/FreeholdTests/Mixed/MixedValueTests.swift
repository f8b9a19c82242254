import Foundation
import Testing

@testable import Freehold

/// Every kind, in every position, unmanaged, managed and reopened.
@Suite("Mixed values of every kind")
struct MixedValueTests {
    /// Each use creates new values, because collections and objects belong to one value.
    static let kinds: [(name: String, make: @Sendable () -> AnyRealmValue)] = [
        ("none", { .none }), ("int", { .int(.min) }), ("bool", { .bool(true) }), ("float", { .float(1.25) }),
        ("double", { .double(-0.1) }), ("string", { .string("日本") }), ("empty string", { .string("") }),
        ("long string", { .string(String(repeating: "s", count: 5000)) }),
        ("data", { .data(Data([0, 255])) }), ("date", { .date(Date(timeIntervalSince1970: 1.5)) }),
        ("objectId", { .objectId(ObjectId("0123456789abcdef01234567")!) }), ("decimal128", { .decimal128("1.5E+20") }),
        ("uuid", { .uuid(UUID(uuidString: "00000000-0000-0000-0000-000000000001")!) }),
        ("object", { .object(MixedTarget("T")) }),
        ("list", { [1, "two", nil, [3.5, ["four": true]]] }), ("empty list", { [] }),
        ("dictionary", { ["a": 1, "b": ["c": nil, "d": [1, 2]]] }), ("empty dictionary", { [:] }),
    ]

    static func kind(_ name: String) -> AnyRealmValue { kinds.first { $0.name == name }!.make() }

    /// Objects are compared by their content, because a reopened realm has other instances.
    static func same(_ a: AnyRealmValue?, _ b: AnyRealmValue) -> Bool {
        if case .object(let x)? = a, case .object(let y) = b {
            return (x as? MixedTarget)?.name == (y as? MixedTarget)?.name
        }
        return a == b
    }

    private func fill(_ holder: MixedHolder, _ name: String, isInSets: Bool) {
        holder.any = Self.kind(name)
        holder.tag = Self.kind(name)
        holder.list.append(objectsIn: [.int(7), Self.kind(name), .none])
        holder.map["k"] = Self.kind(name)
        holder.map["other"] = 7
        if isInSets { holder.set.insert(Self.kind(name)) }
    }

    private func check(_ holder: MixedHolder, _ name: String, isInSets: Bool, _ place: String) {
        let value = Self.kind(name)
        let comment: Comment = "\(name), \(place)"
        expect(Self.same(holder.any, value), comment)
        expect(Self.same(holder.tag, value), comment)
        expect(holder.list.count == 3 && holder.list[0] == 7 && holder.list[2] == .none, comment)
        expect(Self.same(holder.list[1], value), comment)
        expect(Self.same(holder.map["k"], value), comment)
        expect(holder.map["other"] == 7 && holder.map.count == 2, comment)
        if isInSets { expect(holder.set.count == 1 && Self.same(holder.set.first, value), comment) }
    }

    @Test(
        "Values are what was assigned, before and after adding and in the reopened file",
        arguments: kinds.map(\.name)
    )
    func roundTrip(_ name: String) throws {
        let isInSets = !["list", "empty list", "dictionary", "empty dictionary"].contains(name)
        let holder = MixedHolder(1)
        expect(holder.any == .none && holder.list.isEmpty && holder.map.isEmpty)
        fill(holder, name, isInSets: isInSets)
        check(holder, name, isInSets: isInSets, "unmanaged")
        try withNewFile { try roundTrip(holder, name, isInSets, $0) }
    }

    private func roundTrip(_ holder: MixedHolder, _ name: String, _ isInSets: Bool, _ given: Realm.Configuration) throws
    {
        var configuration = given
        configuration.objectTypes = mixedConfiguration().objectTypes
        try {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                realm.add(holder)
                check(holder, name, isInSets: isInSets, "inside the transaction")
                let second = realm.create(MixedHolder.self, value: ["id": 2])
                expectEqual(second.any, .none)
                fill(second, name, isInSets: isInSets)
            }
            for found in realm.objects(MixedHolder.self) { check(found, name, isInSets: isInSets, "managed") }
            let copy = MixedHolder(value: holder)
            check(copy, name, isInSets: isInSets, "copied")
        }()
        let realm = try Realm(configuration: configuration)
        try expectEqual(realm.core.database.snapshot().verify(), [])
        let found = try require(realm.object(ofType: MixedHolder.self, forPrimaryKey: 1))
        check(found, name, isInSets: isInSets, "reopened")
        try realm.write {
            found.any = .string("new")
            found.tag = .none
            found.list[1] = .bool(false)
            found.map["k"] = nil
            found.set.removeAll()
        }
        expect(found.any == "new" && found.tag.isNull && found.list[1] == false && found.map["k"] == nil)
        try expectEqual(realm.core.database.snapshot().verify(), [])
        try realm.write { realm.deleteAll() }
        try expectEqual(realm.core.database.snapshot().verify(), [])
    }

    @Test
    func `accessors return values of their own type only`() {
        for (name, make) in Self.kinds {
            let value = make()
            expectEqual((value.intValue != nil), (name == "int"), "\(name)")
            expectEqual((value.boolValue != nil), (name == "bool"), "\(name)")
            expectEqual((value.floatValue != nil), (name == "float"), "\(name)")
            expectEqual((value.doubleValue != nil), (name == "double"), "\(name)")
            expectEqual((value.stringValue != nil), name.hasSuffix("string"), "\(name)")
            expectEqual((value.dataValue != nil), (name == "data"), "\(name)")
            expectEqual((value.dateValue != nil), (name == "date"), "\(name)")
            expectEqual((value.objectIdValue != nil), (name == "objectId"), "\(name)")
            expectEqual((value.decimal128Value != nil), (name == "decimal128"), "\(name)")
            expectEqual((value.uuidValue != nil), (name == "uuid"), "\(name)")
            expectEqual((value.object(MixedTarget.self) != nil), (name == "object"), "\(name)")
            expect(value.object(MixedHolder.self) == nil, "\(name)")
            expectEqual((value.listValue != nil), name.hasSuffix("list"), "\(name)")
            expectEqual((value.dictionaryValue != nil), name.hasSuffix("dictionary"), "\(name)")
            expectEqual(value.isNull, (name == "none"), "\(name)")
        }
        expectEqual(AnyRealmValue(), .none)
    }

    @Test
    func `create accepts plain data, and values of any type by name`() throws {
        let realm = try mixedRealm()
        let uuid = UUID()
        try realm.write {
            let holder = realm.create(
                MixedHolder.self,
                value: [
                    "id": 1, "any": ["n": 1, "deep": [["x": 2.5], nil, "s"] as [Any?]] as [String: Any],
                    "list": [1, true, "two", uuid, NSNull(), [1]] as [Any],
                    "map": ["a": [1], "b": NSNull()] as [String: Any],
                    "set": [1, 1.0, "1"] as [Any], "tag": NSNumber(value: true),
                ] as [String: Any]
            )
            expectEqual(holder.any, ["n": 1, "deep": [["x": 2.5], nil, "s"]])
            expectEqual(Array(holder.list), [1, true, "two", .uuid(uuid), nil, [1]])
            expect(holder.map["a"] == [1] && holder.map["b"] == AnyRealmValue.none && holder.map.count == 2)
            expectEqual(holder.set.count, 2)
            expectEqual(holder.tag, true)
            holder["any"] = ["a", 2] as [Any]
            expectEqual(holder.any, ["a", 2])
            expectEqual((holder["any"] as? List<AnyRealmValue>)?.count, 2)
            holder["any"] = nil
            expect(holder.any == .none && holder["any"] == nil)
            holder["any"] = 5
            expectEqual(holder["any"] as? Int, 5)
            holder.setValue(Data([1]), forKey: "any")
            expectEqual(holder.value(forKey: "any") as? Data, Data([1]))
        }
        expectEqual(
            thrownCode {
                try realm.write {
                    _ = realm.create(MixedHolder.self, value: ["id": 2, "any": DispatchTimeInterval.never])
                }
            },
            .invalidValue
        )
        expectEqual(realm.objects(MixedHolder.self).count, 1)
    }

    @Test
    func `plain data is converted in both directions`() throws {
        let plain = try require(AnyRealmValue(["a": [1, nil, "x"] as [Any?], "b": 2.5] as [String: Any?])?.plain)
        let dictionary = try require(plain as? [String: Any?])
        let list = try require(dictionary["a"] as? [Any?])
        expect(list.count == 3 && list[1] == nil)
        let (number, text) = (list[0] as? Int, list[2] as? String)
        expect(number == 1 && text == "x")
        expectEqual(dictionary["b"] as? Double, 2.5)
        expectEqual(AnyRealmValue(nil), AnyRealmValue.none)
        expectEqual(AnyRealmValue(NSNull()), AnyRealmValue.none)
        expectEqual(AnyRealmValue(UInt8(3)), .int(3))
        expectEqual(AnyRealmValue(NSNumber(value: 2.5)), .double(2.5))
        expect(AnyRealmValue(DispatchTimeInterval.never) == nil)
        expect(AnyRealmValue([1, DispatchTimeInterval.never] as [Any]) == nil)
        expect(AnyRealmValue(UInt64.max) == nil)
    }

    @Test
    func `an optional mixed value is refused when a realm is opened`() {
        for type in [MixedOptional.self, MixedOptionalList.self] as [ObjectBase.Type] {
            var configuration = newConfiguration()
            configuration.objectTypes = [type]
            let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
            expect(error?.code == .invalidSchema && error?.message.contains("must not be optional") == true, "\(type)")
        }
    }

    @Test
    func `every kind is encoded as JSON and decoded again, as far as JSON distinguishes types`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let value: AnyRealmValue = [
            "bool": true, "int": 1, "null": nil, "double": 1.5, "string": "s", "list": [1, [2]], "empty": [:],
            "decimal": .decimal128("1.5"), "id": .objectId(ObjectId("0123456789abcdef01234567")!),
            "uuid": .uuid(UUID(uuidString: "00000000-0000-0000-0000-000000000001")!), "data": .data(Data([1, 2])),
            "date": .date(Date(timeIntervalSinceReferenceDate: 3)),
        ]
        let text = String(decoding: try encoder.encode(value), as: UTF8.self)
        expectEqual(
            text,
            #"{"bool":true,"data":"AQI=","date":3,"decimal":"1.5","double":1.5,"empty":{},"#
                + #""id":"0123456789abcdef01234567","int":1,"list":[1,[2]],"null":null,"string":"s","#
                + #""uuid":"00000000-0000-0000-0000-000000000001"}"#
        )
        let decoded = try JSONDecoder().decode(AnyRealmValue.self, from: Data(text.utf8))
        expectEqual(decoded.dictionaryValue?["list"], [1, [2]])
        expect(decoded.dictionaryValue?["bool"] == true && decoded.dictionaryValue?["double"] == 1.5)
        expect(decoded.dictionaryValue?["null"] == AnyRealmValue.none && decoded.dictionaryValue?["empty"] == [:])
        expect(decoded.dictionaryValue?["data"] == "AQI=" && decoded.dictionaryValue?["date"] == 3)
        #expect(throws: EncodingError.self) { try encoder.encode(AnyRealmValue.object(MixedTarget("x"))) }
    }
}
