import Foundation
import Testing

@testable import Freehold

@Suite("Increments: properties")
struct IncrementTests {
    @Test(arguments: [false, true])
    func `every integer type is incremented, managed and not`(managed: Bool) throws {
        try withCounters(managed: managed) { object in
            expect(object.increment(\.int, by: 5) == 5 && object.increment(\.int, by: -7) == -2 && object.int == -2)
            expect(object.increment(\.int8, by: 100) == 100 && object.increment(\.int8, by: 27) == 127)
            expect(object.increment(\.int8, by: -128) == -1 && object.int8 == -1)
            expect(object.increment(\.int16, by: .max) == .max && object.int16 == .max)
            expect(object.increment(\.int32, by: .min) == .min && object.int32 == .min)
            expect(object.increment(\.int64, by: 1 << 40) == 1 << 40 && object.int64 == 1 << 40)
            expectEqual(object.increment(\.int), -1)
            expect(object.increment(\.int, by: 0) == -1 && object.int == -1)
        }
    }

    @Test(arguments: [false, true])
    func `every optional integer type is incremented, and nil stays nil`(managed: Bool) throws {
        try withCounters(managed: managed) { object in
            expect(object.increment(\.optionalInt, by: 5) == nil && object.optionalInt == nil)
            expect(object.increment(\.optionalInt8, by: 5) == nil && object.optionalInt8 == nil)
            expect(object.increment(\.optionalInt16, by: 5) == nil && object.optionalInt16 == nil)
            expect(object.increment(\.optionalInt32, by: 5) == nil && object.optionalInt32 == nil)
            expect(object.increment(\.optionalInt64, by: 5) == nil && object.optionalInt64 == nil)
            (object.optionalInt, object.optionalInt8, object.optionalInt16) = (1, 2, 3)
            (object.optionalInt32, object.optionalInt64) = (4, 5)
            expect(object.increment(\.optionalInt, by: 5) == 6 && object.optionalInt == 6)
            expect(object.increment(\.optionalInt8, by: -5) == -3 && object.optionalInt8 == -3)
            expect(object.increment(\.optionalInt16, by: 5) == 8 && object.optionalInt16 == 8)
            expect(object.increment(\.optionalInt32, by: 5) == 9 && object.optionalInt32 == 9)
            expect(object.increment(\.optionalInt64) == 6 && object.optionalInt64 == 6)
        }
    }

    @Test(arguments: [false, true])
    func `a property is incremented by its name in Swift or in the file`(managed: Bool) throws {
        try withCounters(managed: managed) { object in
            expect(object.increment("int", by: 3) == 3 && object.int == 3)
            expect(object.increment("int8", by: -3) == -3 && object.int8 == -3)
            expect(object.increment("optionalInt") == nil && object.optionalInt == nil)
            object.optionalInt16 = 7
            expect(object.increment("optionalInt16") == 8 && object.optionalInt16 == 8)
            expect(object.increment("renamed") == 1 && object.increment("stored_as") == 2 && object.renamed == 2)
            expectEqual(object.increment(\.renamed), 3)
        }
    }

    @Test(arguments: [false, true])
    func `embedded objects, and targets of links, are incremented`(managed: Bool) throws {
        try withCounters(managed: managed) { object in
            object.tally = IncrementTally()
            object.tallies.append(IncrementTally())
            object.other = IncrementCounters(2)
            expect(object.tally!.increment(\.count, by: 2) == 2 && object.tally!.count == 2)
            expect(object.increment(\.tally!.count, by: 2) == 4 && object.tally!.count == 4)
            expect(object.increment(\.tally!.last) == nil)
            object.tally!.last = 9
            expect(object.increment(\.tally!.last) == 10 && object.tally!.last == 10)
            expect(object.tallies[0].increment("count", by: 6) == 6 && object.tallies[0].count == 6)
            expect(object.increment(\.other!.int8, by: 6) == 6 && object.other!.int8 == 6)
        }
    }

    @Test("dynamic objects are incremented, with and without a class in Swift")
    func dynamicObjects() throws {
        let configuration = incrementConfiguration()
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.add(IncrementCounters(1)) }
        let dynamic = try require(realm.dynamicObjects("IncrementCounters").first)
        try realm.write {
            expect(dynamic.increment("int", by: 3) == 3 && dynamic.increment("optionalInt") == nil)
            dynamic.optionalInt = 4
            expect(dynamic.increment("optionalInt") == 5 && dynamic["optionalInt"] as? Int == 5)
        }
        expectEqual(thrownCode { try realm.write { _ = dynamic.increment("int8", by: 128) } }, .invalidValue)
        expectEqual(realm.objects(IncrementCounters.self).first?.int8, 0)

        var byHand = Realm.Configuration(inMemoryIdentifier: "freehold-increment-\(UUID().uuidString)")
        byHand.schema = Schema([
            ObjectSchema("Page", properties: [Property("visits", .int), Property("likes", .int, optional: true)])
        ])
        let other = try Realm(configuration: byHand)
        try other.write {
            let page = other.dynamicCreate("Page", value: ["visits": 1])
            expect(page.increment("visits", by: .max) == .min && page.increment("likes") == nil)
        }
        expectEqual(other.dynamicObjects("Page").first?.visits as? Int, .min)
    }

    @Test(arguments: [false, true])
    func `sums of 64 bits wrap around`(managed: Bool) throws {
        try withCounters(managed: managed) { object in
            (object.int, object.int64, object.optionalInt) = (.max, .min, .max)
            expect(object.increment(\.int) == .min && object.int == .min)
            expect(object.increment(\.int64, by: -1) == .max && object.int64 == .max)
            expect(object.increment(\.optionalInt, by: .max) == -2 && object.optionalInt == -2)
            object.ints.append(.max)
            object.byName["a"] = .min
            expectEqual(object.ints.increment(at: 0, by: 2), .min + 1)
            expectEqual(object.byName.increment("a", by: -1), .max)
        }
    }

    @Test
    func `a sum that a narrower type can't represent is thrown by the write, which changes nothing`() throws {
        let realm = try incrementRealm()
        let object = IncrementCounters(1)
        (object.int8, object.optionalInt16, object.int32) = (120, -32_768, 7)
        object.int8s.append(-128)
        object.int16sByName["a"] = .max
        try realm.write { realm.add(object) }
        let adds: [(property: String, add: (IncrementCounters) -> Void)] = [
            ("int8", { expectEqual($0.increment(\.int8, by: 8), 120) }),
            ("int8", { expectEqual($0.increment("int8", by: 8), 120) }),
            ("int8", { expectEqual($0.increment("int8", by: .max), 120) }),
            ("optionalInt16", { expectEqual($0.increment(\.optionalInt16, by: -1), -32_768) }),
            ("int32", { expectEqual($0.increment(\.int32, by: .max), 7) }),
            ("int8s", { expectEqual($0.int8s.increment(at: 0, by: -1), -128) }),
            ("int16sByName", { expectEqual($0.int16sByName.increment("a"), .max) }),
        ]
        for (property, add) in adds {
            let error = #expect(throws: Realm.Error.self) {
                try realm.write {
                    object.int = 5
                    add(object)
                }
            }
            expect(error?.code == .invalidValue && error?.className == "IncrementCounters")
            expect(error?.property == property && error?.message.contains("Declare a wider type") == true)
            expect(object.int == 0 && object.int8 == 120 && object.optionalInt16 == -32_768 && object.int32 == 7)
            expect(object.int8s[0] == -128 && object.int16sByName["a"] == .max)
        }
    }

    @Test
    func `an increment of a primary key is thrown by the write`() throws {
        let realm = try incrementRealm()
        let object = IncrementCounters(1)
        object.increment(\.id, by: 3)
        expectEqual(object.id, 4)
        try realm.write { realm.add(object) }
        var kept: Int?
        expectEqual(thrownCode { try realm.write { kept = object.increment(\.id) } }, .primaryKeyChanged)
        expectEqual(kept, 4)
        expectEqual(thrownCode { try realm.write { _ = object.increment("id", by: -1) } }, .primaryKeyChanged)
        try realm.write { expectEqual(object.increment(\.id, by: 0), 4) }
        expectEqual(object.id, 4)
    }

    @Test
    func `indexes find the sum, and a unique one refuses an existing one`() throws {
        let realm = try incrementRealm()
        try realm.write {
            for i in 0..<50 {
                let object = IncrementCounters(i)
                realm.add(object)
                object.indexed = i
                if i > 0 { object.optionalIndexed = i }
            }
        }
        let all = realm.objects(IncrementCounters.self)
        try realm.write {
            for object in all {
                object.increment(\.indexed, by: 1000)
                object.increment(\.optionalIndexed, by: -1000)
            }
        }
        expectEqual(all.where { $0.indexed == 7 }.count, 0)
        expectEqual(all.where { $0.indexed == 1007 }.map(\.id), [7])
        expectEqual(all.where { $0.optionalIndexed == -993 }.map(\.id), [7])
        expectEqual(all.where { $0.optionalIndexed == nil }.map(\.id), [0])
        expectEqual(realm.verify(), [])

        let seat = IncrementSeat(1, 1)
        try realm.write { realm.add([seat, IncrementSeat(1, 2)]) }
        expectEqual(thrownCode { try realm.write { _ = seat.increment(\.number) } }, .uniqueConstraint)
        expectEqual(seat.number, 1)
        try realm.write { seat.increment(\.number, by: 2) }
        expectEqual(realm.objects(IncrementSeat.self).where { $0.row == 1 && $0.number == 3 }.count, 1)
    }

    @Test(arguments: [false, true])
    func `an object of a subclass is incremented as an object of any of its classes`(managed: Bool) throws {
        let realm = try incrementRealm()
        let box = IncrementBox(1, 2)
        realm.beginWrite()
        if managed { realm.add(box) }
        let seat: IncrementSeat = box
        expect(seat.increment(\.number) == 3 && box.increment(\.number) == 4 && box.increment(\.price, by: 9) == 9)
        expectEqual(seat.increment(\IncrementSeat.row), 2)
        let object: Object = box
        expectEqual(object.increment("price", by: -8), 1)
        expect(box.row == 2 && box.number == 4 && box.price == 1)
        try realm.commitWrite()
    }

    @Test
    func `an object that the same write created or updated is incremented`() throws {
        let realm = try incrementRealm()
        try realm.write {
            let object = realm.create(IncrementCounters.self, value: ["id": 1, "indexed": 5])
            expect(object.increment(\.indexed, by: 2) == 7 && object.increment(\.int) == 1)
            realm.create(IncrementCounters.self, value: ["id": 1, "int": 40], update: .modified)
            expectEqual(object.increment(\.int, by: 2), 42)
        }
        expectEqual(realm.objects(IncrementCounters.self).where { $0.indexed == 7 && $0.int == 42 }.count, 1)
        expectEqual(realm.verify(), [])
    }

    @Test
    func `properties are incremented by name in a migration`() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("freehold-\(UUID().uuidString).realm")
        var configuration = Realm.Configuration(fileURL: url, objectTypes: incrementTypes)
        defer { _ = try? Realm.deleteFiles(for: configuration) }
        try withExtendedLifetime(try Realm(configuration: configuration)) { realm in
            try realm.write { realm.add(IncrementCounters(1)) }
        }
        configuration.schemaVersion = 1
        configuration.migrationBlock = { migration, _ in
            migration.enumerateObjects(ofType: "IncrementCounters") { _, new in
                expect(new!.increment("int", by: 5) == 5 && new!.increment("optionalInt") == nil)
            }
        }
        let migrated = try Realm(configuration: configuration)
        expectEqual(migrated.objects(IncrementCounters.self).first?.int, 5)
    }

    @Test
    func `projections increment the projected property`() throws {
        let realm = try incrementRealm()
        let object = IncrementCounters(1)
        let unmanaged = IncrementProjection(projecting: object)
        expect(unmanaged.increment(\.visits, by: 2) == 2 && unmanaged.increment(\.counted) == nil)
        try realm.write { realm.add(object) }
        let projection = try require(realm.objects(IncrementProjection.self).first)
        try realm.write {
            expect(projection.increment(\.visits, by: 3) == 5 && projection.increment(\.perhaps) == nil)
            expect(projection.increment(\.counted) == nil)
            object.tally = IncrementTally()
            expectEqual(projection.increment(\.counted, by: 4), 4)
        }
        expect(object.int == 5 && object.tally?.count == 4)
    }

    @Test(arguments: ["mixed", "double", "grade", "ints", "tally"])
    func `increments of mixed values, doubles, enums and collections are refused`(name: String) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [name] in
            try withCounters(managed: true) { $0.increment(name) }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("IncrementCounters.\(name) isn't an integer"), "\(message)")
    }
}
