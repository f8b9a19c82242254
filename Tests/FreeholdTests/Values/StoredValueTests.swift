import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

class SVHolder: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var decimal: Decimal128
    @Persisted var decimalOpt: Decimal128?
    @Persisted(indexed: true) var objectId: ObjectId
    @Persisted(indexed: true) var uuid: UUID
    @Persisted var uuidOpt: UUID?
    @Persisted(indexed: true) var date: Date
    @Persisted var dateOpt: Date?
    @Persisted var data: Data
    @Persisted var dataOpt: Data?
    @Persisted var decimals: List<Decimal128>
    @Persisted var dates: List<Date>
    @Persisted var uuids: List<UUID>
    @Persisted var datas: List<Data?>
}

/// The values after they passed through an unmanaged object, a managed one and the file.
@Suite("Values: stored")
struct StoredValueTests {
    /// Sets a property on unmanaged objects, stores them, and returns the values that are read: in the transaction,
    /// after it, and from the reopened file.
    private func roundTrip<T>(_ values: [T], _ property: ReferenceWritableKeyPath<SVHolder, T>) throws -> [[T]] {
        try withNewFile { configuration in
            var configuration = configuration
            configuration.objectTypes = [SVHolder.self]
            var results: [[T]] = []
            func read(_ realm: Realm) -> [T] {
                realm.objects(SVHolder.self).sorted(by: \.id).map { $0[keyPath: property] }
            }
            do {
                let realm = try Realm(configuration: configuration)
                try realm.write {
                    for (id, value) in values.enumerated() {
                        let holder = SVHolder()
                        holder.id = id
                        holder[keyPath: property] = value
                        realm.add(holder)
                    }
                    results.append(read(realm))
                }
                results.append(read(realm))
                // Once more through the managed setter.
                try realm.write {
                    for (id, value) in values.enumerated() {
                        realm.object(ofType: SVHolder.self, forPrimaryKey: id)![keyPath: property] = value
                    }
                }
                results.append(read(realm))
            }
            results.append(read(try Realm(configuration: configuration)))
            return results
        }
    }

    @Test
    func `decimals keep value, sign and every digit; NaN and infinities too`() throws {
        let values: [Decimal128] = [
            "0", "-0", "1.00", "-1234567890.123456789012345678901234", .max, .min, .leastNonzeroMagnitude, .nan,
            .infinity, -.infinity, "9999999999999999999999999999999999",
        ]
        for read in try roundTrip(values, \.decimal) {
            expectEqual(read, values)
            expectEqual(read.map(\.stringValue), values.map(\.stringValue))
        }
        let optional: [Decimal128?] = values + [nil]
        for read in try roundTrip(optional, \.decimalOpt) { expectEqual(read, optional) }
    }

    @Test
    func `dates keep whole nanoseconds and are clamped at the ends`() throws {
        let exact = [
            Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: -0.5), .distantPast, .distantFuture,
            Date(timeIntervalSince1970: 1_700_000_000.125), Date(timeIntervalSinceReferenceDate: 0), Date(),
        ]
        for read in try roundTrip(exact, \.date) { expectEqual(read, exact) }
        let optional: [Date?] = exact + [nil]
        for read in try roundTrip(optional, \.dateOpt) { expectEqual(read, optional) }

        let far = [1e30, -1e30].map { Date(timeIntervalSinceReferenceDate: $0) }
        let clamped = [Date(Timestamp.max), Date(Timestamp.min)]
        for read in try roundTrip(far, \.date) { expectEqual(read, clamped) }
        // Near 2001 a Date is finer than a nanosecond; what is stored is the nearest one.
        let fine = Date(timeIntervalSinceReferenceDate: 0.123_456_789_4)
        for read in try roundTrip([fine], \.date) {
            expectEqual(read, [Date(timeIntervalSinceReferenceDate: 0.123_456_789)])
            expectEqual(Timestamp(read[0]).nanoseconds, 123_456_789)
        }
    }

    @Test
    func `an unmanaged object keeps any Date`() {
        let holder = SVHolder()
        holder.date = Date(timeIntervalSinceReferenceDate: .nan)
        expect(holder.date.timeIntervalSinceReferenceDate.isNaN)
        holder.date = Date(timeIntervalSinceReferenceDate: 0.123_456_789_4)
        expectEqual(holder.date.timeIntervalSinceReferenceDate, 0.123_456_789_4)
    }

    @Test
    func `ObjectIds, UUIDs and data keep their bytes`() throws {
        let ids = [ObjectId(), .generate(), ObjectId("ffffffffffffffffffffffff")]
        for read in try roundTrip(ids, \.objectId) { expectEqual(read, ids) }
        let uuids = [UUID(), UUID(uuidString: "00000000-0000-0000-0000-000000000000")!]
        for read in try roundTrip(uuids, \.uuid) { expectEqual(read, uuids) }
        let optional: [UUID?] = uuids + [nil]
        for read in try roundTrip(optional, \.uuidOpt) { expectEqual(read, optional) }
        let datas = [Data(), Data([0]), Data((0...255).map { UInt8($0) }), Data(repeating: 7, count: 100_000)]
        for read in try roundTrip(datas, \.data) { expectEqual(read, datas) }
        // A slice, whose indices don't begin at zero.
        let slice = Data([1, 2, 3, 4])[2...]
        for read in try roundTrip([slice], \.data) { expectEqual(read, [Data([3, 4])]) }
        let optionalData: [Data?] = datas + [nil]
        for read in try roundTrip(optionalData, \.dataOpt) { expectEqual(read, optionalData) }
    }

    @Test
    func `results sort decimals by value, dates by time, UUIDs and ids by unsigned bytes`() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [SVHolder.self])
        )
        let decimals: [Decimal128] = [.nan, -.infinity, "-1", "0", "0.10", "0.2", "1E+40", .infinity]
        let uuids = (0..<8).map { UUID(uuidString: "\($0 * 2)\($0)000000-0000-0000-0000-0000000000ff") ?? UUID() }
        let datas: [Data?] = [nil, Data(), Data([0]), Data([1]), Data([1, 0]), Data([127]), Data([128]), Data([255])]
        let dates = (0..<8).map { Date(timeIntervalSince1970: Double($0) * 1e9 - 3e9) }
        let sortedUUIDs = uuids.sorted { $0.uuidString < $1.uuidString }
        try realm.write {
            for place in (0..<8).shuffled() {
                let holder = SVHolder()
                holder.id = place
                holder.decimal = decimals[place]
                holder.uuid = sortedUUIDs[place]
                holder.objectId = ObjectId(String(repeating: "0\(place)", count: 12))!
                holder.dataOpt = datas[place]
                holder.date = dates[place]
                realm.add(holder)
            }
        }
        let all = realm.objects(SVHolder.self)
        for key in ["decimal", "uuid", "objectId", "date"] {
            expectEqual(all.sorted(byKeyPath: key).map(\.id), Array(0..<8), "\(key)")
            expectEqual(all.sorted(byKeyPath: key, ascending: false).map(\.id), (0..<8).reversed(), "\(key)")
        }
        expectEqual(all.where { $0.decimal == "0.1" }.map(\.id), [4])
        expectEqual(all.where { $0.decimal > 0 }.count, 4)
        expectEqual(all.where { $0.date > dates[5] }.count, 2)
        expectEqual(all.where { $0.uuid == sortedUUIDs[3] }.map(\.id), [3])
        expectEqual(all.where { $0.dataOpt == Data([1, 0]) }.map(\.id), [4])
    }

    @Test
    func `lists store them exactly, managed and unmanaged`() throws {
        try withNewFile { configuration in
            var configuration = configuration
            configuration.objectTypes = [SVHolder.self]
            let holder = SVHolder()
            holder.decimals.append(objectsIn: ["1.10", .nan, .max])
            holder.dates.append(objectsIn: [.distantPast, Date(timeIntervalSince1970: 1.25)])
            let uuid = UUID()
            holder.uuids.append(uuid)
            holder.datas.append(objectsIn: [nil, Data(), Data([9])])
            func check(_ holder: SVHolder) {
                expectEqual(Array(holder.decimals), ["1.1", .nan, .max])
                expectEqual(Array(holder.dates), [.distantPast, Date(timeIntervalSince1970: 1.25)])
                expect(Array(holder.uuids) == [uuid] && Array(holder.datas) == [nil, Data(), Data([9])])
            }
            check(holder)
            do {
                let realm = try Realm(configuration: configuration)
                try realm.write {
                    realm.add(holder)
                    check(holder)
                }
                check(holder)
            }
            check(try Realm(configuration: configuration).objects(SVHolder.self).first!)
        }
    }
}
