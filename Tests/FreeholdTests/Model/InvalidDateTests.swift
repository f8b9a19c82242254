import Foundation
import Testing

@testable import Freehold

class DatedThing: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var date = Date(timeIntervalSince1970: 0)
    @Persisted var maybe: Date?
    @Persisted var dates: List<Date>
    @Persisted var set: MutableSet<Date>
    @Persisted var map: Map<String, Date>
    @Persisted var any: AnyRealmValue
    @Persisted var anys: List<AnyRealmValue>
}

/// A date that is NaN or infinite isn't a moment.
@Suite("Dates without a time")
struct InvalidDateTests {
    static let dates = [Double.nan, .infinity, -.infinity]

    private func realm() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [DatedThing.self]
            )
        )
    }

    private func date(_ interval: Double) -> Date { Date(timeIntervalSinceReferenceDate: interval) }

    /// All ways of assigning a date to a managed object.
    private func assignments(_ bad: Date) -> [(String, (Realm, DatedThing) -> Void)] {
        [
            ("property", { $1.date = bad }),
            ("optional", { $1.maybe = bad }),
            ("name", { $1["date"] = bad }),
            ("KVC", { $1.setValue(bad, forKey: "maybe") }),
            ("append", { $1.dates.append(bad) }),
            ("append many", { $1.dates.append(objectsIn: [Date(), bad]) }),
            ("replace", { $1.dates[0] = bad }),
            ("insert", { $1.set.insert(bad) }),
            ("map", { $1.map["a"] = bad }),
            ("merge", { $1.map.merge([("b", bad)]) { $1 } }),
            ("mixed", { $1.any = .date(bad) }),
            ("mixed list", { $1.any = .fromArray([.fromArray([.date(bad)])]) }),
            ("mixed dictionary", { $1.any = .fromDictionary(["a": .date(bad)]) }),
            ("list of mixed", { $1.anys.append(.date(bad)) }),
            ("create", { realm, _ in realm.create(DatedThing.self, value: ["id": 2, "date": bad] as [String: Any]) }),
            (
                "create a list",
                { realm, _ in realm.create(DatedThing.self, value: ["id": 2, "dates": [bad]] as [String: Any]) }
            ),
            (
                "create a mixed value",
                { realm, _ in realm.create(DatedThing.self, value: ["id": 2, "any": ["x": bad]] as [String: Any]) }
            ),
            (
                "update",
                { realm, _ in
                    realm.create(DatedThing.self, value: ["id": 1, "maybe": bad] as [String: Any], update: .modified)
                }
            ),
            (
                "add",
                { realm, _ in
                    let new = DatedThing()
                    new.id = 2
                    new.date = bad
                    realm.add(new)
                }
            ),
            (
                "add an optional",
                { realm, _ in
                    let new = DatedThing()
                    new.id = 2
                    new.maybe = bad
                    realm.add(new)
                }
            ),
            (
                "add collections",
                { realm, _ in
                    let new = DatedThing()
                    new.id = 2
                    new.set.insert(bad)
                    realm.add(new)
                }
            ),
            (
                "add a mixed value",
                { realm, _ in
                    let new = DatedThing()
                    new.id = 2
                    new.any = .date(bad)
                    realm.add(new)
                }
            ),
        ]
    }

    @Test(arguments: dates)
    func `every way of storing an invalid date makes the write throw`(interval: Double) throws {
        let realm = try realm()
        try realm.write {
            realm.create(DatedThing.self, value: ["id": 1, "dates": [Date(timeIntervalSince1970: 5)]] as [String: Any])
        }
        let thing = realm.objects(DatedThing.self)[0]
        for (name, assign) in assignments(date(interval)) {
            let error = #expect(throws: Realm.Error.self, "\(name)") { try realm.write { assign(realm, thing) } }
            expectEqual(error?.code, .invalidValue, "\(name): \(error?.message ?? "")")
            expect(realm.objects(DatedThing.self).count == 1 && thing.date.timeIntervalSince1970 == 0, "\(name)")
            expect(
                Array(thing.dates) == [Date(timeIntervalSince1970: 5)] && thing.set.isEmpty && thing.map.isEmpty,
                "\(name)"
            )
            expect(thing.maybe == nil && thing.any == .none && thing.anys.isEmpty, "\(name)")
        }
    }

    @Test(arguments: dates)
    func `queries refuse an invalid date`(interval: Double) throws {
        let realm = try realm()
        let bad = date(interval)
        for (query, arguments) in [
            ("date == %@", [bad]), ("date > %@", [bad]), ("maybe IN %@", [[Date(), bad]]), ("any == %@", [bad]),
            ("date BETWEEN %@", [[bad, Date()]]), ("ANY dates == %@", [bad]),
        ] as [(String, [Any])] {
            #expect(throws: (any Error).self, "\(query)") {
                let predicate = NSPredicate(format: query, argumentArray: arguments)
                _ = try realm.objects(DatedThing.self).filter(validating: predicate).count
            }
        }
    }

    @Test
    func `unmanaged objects accept an invalid date, and dates at the ends of the range are stored`() throws {
        let thing = DatedThing()
        thing.date = date(.nan)
        thing.any = .date(date(.infinity))
        expect(thing.date.timeIntervalSinceReferenceDate.isNaN)
        expectEqual(DatedThing(value: thing).any, .date(date(.infinity)))
        expect(thing.any != .date(Date.distantFuture))
        let realm = try realm()
        try realm.write {
            realm.create(
                DatedThing.self,
                value: ["id": 1, "dates": [Date.distantPast, Date.distantFuture]] as [String: Any]
            )
        }
        expectEqual(Array(realm.objects(DatedThing.self)[0].dates), [.distantPast, .distantFuture])
    }
}
