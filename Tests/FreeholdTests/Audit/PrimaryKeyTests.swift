import Foundation
import Testing

import Freehold

private enum Keyed {
    class OfInt: Object { @Persisted(primaryKey: true) var key: Int }
    class OfInt8: Object { @Persisted(primaryKey: true) var key: Int8 }
    class OfInt16: Object { @Persisted(primaryKey: true) var key: Int16 }
    class OfInt32: Object { @Persisted(primaryKey: true) var key: Int32 }
    class OfInt64: Object { @Persisted(primaryKey: true) var key: Int64 }
    class OfString: Object { @Persisted(primaryKey: true) var key: String }
    class OfObjectId: Object { @Persisted(primaryKey: true) var key: ObjectId }
    class OfUUID: Object { @Persisted(primaryKey: true) var key: UUID }
    class OfIntOpt: Object { @Persisted(primaryKey: true) var key: Int? }
    class OfInt8Opt: Object { @Persisted(primaryKey: true) var key: Int8? }
    class OfInt16Opt: Object { @Persisted(primaryKey: true) var key: Int16? }
    class OfInt32Opt: Object { @Persisted(primaryKey: true) var key: Int32? }
    class OfInt64Opt: Object { @Persisted(primaryKey: true) var key: Int64? }
    class OfStringOpt: Object { @Persisted(primaryKey: true) var key: String? }
    class OfObjectIdOpt: Object { @Persisted(primaryKey: true) var key: ObjectId? }
    class OfUUIDOpt: Object { @Persisted(primaryKey: true) var key: UUID? }

    static let types: [Object.Type] = [
        OfInt.self, OfInt8.self, OfInt16.self, OfInt32.self, OfInt64.self, OfString.self, OfObjectId.self, OfUUID.self,
        OfIntOpt.self, OfInt8Opt.self, OfInt16Opt.self, OfInt32Opt.self, OfInt64Opt.self, OfStringOpt.self,
        OfObjectIdOpt.self, OfUUIDOpt.self,
    ]

    static func samples(_ type: Object.Type) -> [AnyHashable] {
        switch type.className().dropFirst(2).replacingOccurrences(of: "Opt", with: "") {
        case "Int8": [Int8.min, Int8.max, Int8(0)]
        case "Int16": [Int16.min, Int16.max, Int16(0)]
        case "Int32": [Int32.min, Int32.max, Int32(0)]
        case "Int64": [Int64.min, Int64.max, Int64(0)]
        case "Int": [Int.min, Int.max, 0]
        case "String": ["", "a", "a\0", String(repeating: "k", count: 5_000), String(repeating: "k", count: 5_001)]
        case "ObjectId": [ObjectId(), ObjectId("ffffffffffffffffffffffff")!, ObjectId.generate()]
        default: [UUID(), UUID(uuidString: "00000000-0000-0000-0000-000000000000")!]
        }
    }
}

/// A primary key's class, for the names of tests.
struct KeyedClass: CustomTestStringConvertible, Sendable {
    let index: Int
    var type: Object.Type { Keyed.types[index] }
    var testDescription: String { type.className() }
    static let all = (0..<16).map { KeyedClass(index: $0) }
}

@Suite("Primary keys of every type")
struct PrimaryKeyTests {
    @Test(arguments: KeyedClass.all)
    func `objects are added, found, refused twice and updated by their key`(_ keyed: KeyedClass) throws {
        let type = keyed.type
        let isOptional = type.className().hasSuffix("Opt")
        let realm = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [type])
        )
        var keys: [AnyHashable?] = Keyed.samples(type)
        if isOptional { keys.append(nil) }
        func find(_ key: AnyHashable?) -> Object? {
            key.map { realm.object(ofType: type, forPrimaryKey: $0.base) }
                ?? realm.object(ofType: type, forPrimaryKey: nil as Int?)
        }
        for key in keys { expect(find(key) == nil) }
        try realm.write {
            for key in keys {
                let object = realm.create(type, value: ["key": key as Any])
                expectEqual(find(key), object)
            }
        }
        expect(realm.pendingError == nil)
        for (i, key) in keys.enumerated() {
            let object = try require(find(key))
            expect(object.realm == realm && object == find(key))
            expectEqual(object.hash, find(key)?.hash)
            expectEqual((object["key"] == nil), (key == nil))
            expectEqual(
                thrownCode { _ = try realm.write { realm.create(type, value: [key as Any]) } },
                .duplicatePrimaryKey
            )
            try realm.write {
                expectEqual(realm.create(type, value: ["key": key as Any], update: .modified), object)
                expectEqual(realm.create(type, value: ["key": key as Any], update: .all), object)
            }
            expectEqual(realm.objects(type)[i], object)
        }
        expectEqual(realm.objects(type).count, keys.count)
        try realm.write { realm.delete(find(keys[0])!) }
        expect(find(keys[0]) == nil && find(keys[1]) != nil)
        try realm.write { realm.create(type, value: ["key": keys[0] as Any]) }
        expect(find(keys[0]) != nil)
        if !isOptional {
            expectEqual(
                thrownCode { _ = try realm.write { realm.create(type, value: ["key": NSNull()]) } },
                .missingValue
            )
        }
        expectEqual(thrownCode { try realm.write { find(keys[0])!["key"] = keys[1]!.base } }, .primaryKeyChanged)
        expect(find(keys[0]) != nil)
    }
}
