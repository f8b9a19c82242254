import Foundation
import Testing

@testable import Freehold

// "Model Unstructured Data".

private enum Dart {
    class EventLog: SeedObject {
        @Persisted(primaryKey: true) var id: ObjectId
        @Persisted var eventType = ""
        @Persisted var timestamp: Date
        @Persisted var userId = ""
        @Persisted var details: AnyRealmValue
    }
}

private enum Mixed {
    class Target: SeedObject {
        @Persisted var name = ""
    }
    class Holder: SeedObject {
        @Persisted var value: AnyRealmValue
        @Persisted(indexed: true) var indexed: AnyRealmValue
        @Persisted var values: List<AnyRealmValue>
        @Persisted var byName: Map<String, AnyRealmValue>
    }
    class Optional: SeedObject {
        @Persisted var value: AnyRealmValue
    }
}

@Suite("Seeds 003: unstructured data")
struct SeedUnstructuredTests {
    private typealias Holder = Mixed.Holder

    @Test
    func `Dart: an event log whose details are a map with nested lists of maps`() throws {
        typealias EventLog = Dart.EventLog
        let file = SeedFile(EventLog.self)
        try file.open { realm in
            let log = EventLog()
            (log.eventType, log.userId) = ("purchase", "user123")
            let laptop: [String: AnyRealmValue] = ["id": .int(1), "name": .string("Laptop"), "price": .double(1_200)]
            let mouse: [String: AnyRealmValue] = ["id": .int(2), "name": .string("Mouse"), "price": .double(49.99)]
            log.details = .fromDictionary([
                "ipAddress": .string("192.168.1.1"),
                "items": .fromArray([.fromDictionary(laptop), .fromDictionary(mouse)]),
                "total": .double(1_249.99),
            ])
            try realm.write { realm.add(log) }
        }
        try file.open { realm in
            let log = realm.objects(EventLog.self)[0]
            let details = try require(log.details.dictionaryValue)
            expect(log.eventType == "purchase" && Set(details.keys) == ["ipAddress", "items", "total"])
            expect(details["ipAddress"]?.stringValue == "192.168.1.1" && details["total"]?.doubleValue == 1_249.99)
            let items = try require(details["items"]?.listValue)
            expectEqual(items.map { $0.dictionaryValue?["name"]?.stringValue }, ["Laptop", "Mouse"])
            // Single elements are found and changed where they are.
            try realm.write {
                items[1].dictionaryValue?["price"] = .double(39.99)
                items.append(.string("a free sample"))
                details["total"] = AnyRealmValue.none
            }
        }
        try file.open { realm in
            let details = try require(realm.objects(EventLog.self)[0].details.dictionaryValue)
            let items = try require(details["items"]?.listValue)
            expect(items.count == 3 && items[1].dictionaryValue?["price"]?.doubleValue == 39.99)
            expect(items[2].stringValue == "a free sample" && details["total"] == AnyRealmValue.none)
            try realm.write { items.remove(at: 0) }
            expect(items.count == 2 && items[0].dictionaryValue?["name"]?.stringValue == "Mouse")
            try realm.write { realm.objects(EventLog.self)[0].details = .none }
            expectEqual(realm.objects(EventLog.self)[0].details, AnyRealmValue.none)
            try realm.write { realm.deleteAll() }
        }
    }

    @Test
    func `JSON of unknown shape goes into a mixed property by create`() throws {
        let file = SeedFile(Dart.EventLog.self)
        let json = #"{"a": [1, "two", 3.5, null, true, {"deep": [[], {}]}], "b": {"c": "d"}}"#
        try file.open { realm in
            let value = try JSONSerialization.jsonObject(with: Data(json.utf8))
            try realm.write { _ = realm.create(Dart.EventLog.self, value: ["details": value]) }
        }
        try file.open { realm in
            let details = try require(realm.objects(Dart.EventLog.self)[0].details.dictionaryValue)
            let a = try require(details["a"]?.listValue)
            expect(a.count == 6 && a[0].intValue == 1 && a[1].stringValue == "two" && a[2].doubleValue == 3.5)
            expect(a[3] == AnyRealmValue.none && a[4].boolValue == true)
            let deep = try require(a[5].dictionaryValue?["deep"]?.listValue)
            expect(deep[0].listValue?.isEmpty == true && deep[1].dictionaryValue?.count == 0)
            expectEqual(details["b"]?.dictionaryValue?["c"]?.stringValue, "d")
        }
    }

    @Test(arguments: [100, 101])
    func `Collections of mixed values nest up to 100 levels, and no further`(_ depth: Int) throws {
        func nested(_ levels: Int) -> AnyRealmValue {
            var value = AnyRealmValue.string("bottom")
            for i in 0..<levels { value = i % 2 == 0 ? .fromArray([value]) : .fromDictionary(["k": value]) }
            return value
        }
        let file = SeedFile(Holder.self, Mixed.Target.self)
        try file.open { realm in
            let holder = Holder()
            let code = thrownCode {
                try realm.write {
                    realm.add(holder)
                    holder.value = nested(depth)
                }
            }
            expectEqual(code, (depth > 100 ? .limitExceeded : nil))
            expectEqual(realm.objects(Holder.self).count, (depth > 100 ? 0 : 1))
        }
        guard depth == 100 else { return }
        try file.open { realm in
            var value = realm.objects(Holder.self)[0].value
            for _ in 0..<100 { value = value.listValue?[0] ?? value.dictionaryValue?["k"] ?? AnyRealmValue.none }
            expectEqual(value.stringValue, "bottom")
        }
    }

    @Test
    func `Nested collections are live: one accessor sees what another one wrote`() throws {
        let realm = try seedRealm(Holder.self, Mixed.Target.self)
        let holder = Holder()
        try realm.write {
            realm.add(holder)
            holder.value = .fromArray([.int(1), .fromArray([.int(2)])])
        }
        let (outer, inner) = (holder.value.listValue!, holder.value.listValue![1].listValue!)
        try realm.write {
            holder.value.listValue?[1].listValue?.append(.int(3))
            outer.insert(.string("first"), at: 0)
        }
        expect(inner.map(\.intValue) == [2, 3] && outer.count == 3 && outer[2].listValue?.count == 2)
        try realm.write { holder.value = .int(5) }
        expect(outer.isInvalidated && inner.isInvalidated)
    }

    @Test
    func `each kind of value is stored, distinguished and indexed`() throws {
        let file = SeedFile(Holder.self, Mixed.Target.self)
        let (id, uuid, date) = (ObjectId.generate(), UUID(), Date(timeIntervalSince1970: 5))
        let values: [AnyRealmValue] = [
            .none, .int(5), .bool(true), .float(1.5), .double(2.5), .string("s"), .data(Data([1, 2])), .date(date),
            .objectId(id), .decimal128(Decimal128("12.5")), .uuid(uuid),
        ]
        try file.open { realm in
            try realm.write {
                for value in values {
                    let holder = Holder()
                    holder.value = value
                    holder.indexed = value
                    holder.values.append(objectsIn: values)
                    holder.byName["v"] = value
                    realm.add(holder)
                }
            }
        }
        try file.open { realm in
            let holders = realm.objects(Holder.self)
            for (holder, value) in zip(holders, values) {
                expect(holder.value == value && holder.indexed == value && holder.byName["v"] == value)
                expectEqual(Array(holder.values), values)
                expectEqual(holders.where { $0.indexed == value }.map(\.value), [value], "\(value)")
                expectEqual(holders.where { $0.value == value }.count, 1, "\(value)")
            }
            expectEqual(realm.schema["Holder"]?["indexed"]?.isIndexed, true)
        }
    }

    @Test
    func `A mixed value can link to an object; the object's deletion leaves null`() throws {
        let realm = try seedRealm(Holder.self, Mixed.Target.self)
        let (holder, target) = (Holder(), Mixed.Target(value: ["name": "t"]))
        try realm.write {
            realm.add(holder)
            holder.value = .object(target)
            holder.byName["t"] = .object(target)
            holder.indexed = .fromArray([.object(target)])
        }
        expect(holder.value.object(Mixed.Target.self)?.name == "t" && target.realm == realm)
        try realm.write { realm.delete(target) }
        expect(holder.value == AnyRealmValue.none && holder.byName["t"] == AnyRealmValue.none)
        expectEqual(holder.indexed.listValue.map { Array($0) }, [AnyRealmValue.none])
    }
}
