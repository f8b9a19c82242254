import Foundation
import FreeholdEngine
import TestRandom
import Testing

@testable import Freehold

class DistancePlace: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted(geoIndexed: true) var coordinates: List<Double>
}

class DistancePlainPlace: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>
}

class DistanceShop: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var kind = 0
    @Persisted var place: DistancePlace?
    @Persisted var plain: DistancePlainPlace?
    @Persisted var owner: DistanceShop?
    @Persisted var branches: List<DistancePlace>
    @Persisted var named: Map<String, DistancePlace?>
}

@Suite("Places by distance")
struct DistanceSortTests {
    static let paris = GeoPoint(latitude: 48.8567, longitude: 2.3508)!

    static func realm() throws -> Realm {
        var configuration = newConfiguration()
        configuration.objectTypes = [DistanceShop.self, DistancePlace.self, DistancePlainPlace.self]
        return try Realm(configuration: configuration)
    }

    @discardableResult
    private func add(_ realm: Realm, _ id: Int, _ latitude: Double?, _ longitude: Double, type: String = "Point")
        -> DistanceShop
    {
        let shop = realm.create(DistanceShop.self, value: ["id": id])
        guard let latitude else { return shop }
        shop.place = DistancePlace(value: [type, [longitude, latitude]])
        shop.plain = DistancePlainPlace(value: [type, [longitude, latitude]])
        shop.named["k"] = DistancePlace(value: [type, [longitude, latitude]])
        return shop
    }

    private func ids(_ found: Results<DistanceShop>) -> [Int] { found.map(\.id) }

    @Test
    func `the nearest objects are first, and those without a place last`() throws {
        let realm = try Self.realm()
        try realm.write {
            add(realm, 1, nil, 0)
            add(realm, 2, 51.5, -0.13)
            add(realm, 3, 48.8, 2.12)
            add(realm, 4, 48.8, 2.12, type: "Elsewhere")
            add(realm, 5, -18, 178)
            add(realm, 6, 48.8, 2.12)
            add(realm, 7, 95, 2)
            realm.create(DistanceShop.self, value: ["id": 8]).owner = realm.object(
                ofType: DistanceShop.self,
                forPrimaryKey: 3
            )
        }
        let all = realm.objects(DistanceShop.self)
        for isWriting in [false, true] {
            if isWriting { realm.beginWrite() }
            expectEqual(ids(all.sorted(byDistanceFrom: Self.paris, at: \.place)), [3, 6, 2, 5, 1, 4, 7, 8])
            expectEqual(
                ids(all.sorted(byDistanceFrom: Self.paris, at: \.plain, ascending: false)),
                [5, 2, 3, 6, 1, 4, 7, 8]
            )
            expectEqual(ids(all.sorted(byDistanceFrom: Self.paris, atKeyPath: "named['k']")).prefix(4), [3, 6, 2, 5])
            expectEqual(all.sorted(byDistanceFrom: Self.paris, at: \.owner?.place).first?.id, 8)
            expectEqual(ids(all.filter("id > 1 SORT(distance(place, [2.3508, 48.8567]) ASC) LIMIT(2)")), [3, 6])
            expectEqual(
                ids(all.filter("id > 1 SORT(distance(place, %@) DESC, id DESC) LIMIT(4)", Self.paris)),
                [5, 2, 6, 3]
            )
            expectEqual(
                ids(all.where { $0.id < 6 }.sorted(byDistanceFrom: Self.paris, at: \.place).limited(to: 1)),
                [3]
            )
            if isWriting { realm.cancelWrite() }
        }
        let plan = all.sorted(byDistanceFrom: Self.paris, at: \.place).explain().description
        expect(plan.contains("distance of place"), "\(plan)")
    }

    @Test
    func `a distance without exactly one valid place is an error`() throws {
        let all = try Self.realm().objects(DistanceShop.self)
        for text in [
            "TRUEPREDICATE SORT(distance(id, [1, 2]) ASC)", "TRUEPREDICATE SORT(distance(owner, [1, 2]) ASC)",
            "TRUEPREDICATE SORT(distance(branches, [1, 2]) ASC)", "TRUEPREDICATE SORT(distance(place, [1, 200]) ASC)",
            "TRUEPREDICATE SORT(distance(place) ASC)", "TRUEPREDICATE SORT(distance(place, 5) ASC)",
            "TRUEPREDICATE SORT(distance(place, [1, 2])",
        ] {
            #expect(throws: QueryError.self, "\(text)") { try all.filter(validating: text) }
        }
    }

    @Test(arguments: [
        UInt64(ProcessInfo.processInfo.environment["FREEHOLD_SEED"] ?? "") ?? TestSeed.random(in: 0 ... .max), 3,
    ])
    func `random places, with and without the index, are in the order of their distances`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let realm = try Self.realm()
        try realm.write {
            for id in 0..<400 {
                let isNear = Bool.random(using: &random)
                let latitude: Double =
                    isNear ? 48 + Double.random(in: -1...1, using: &random) : .random(in: -90...90, using: &random)
                let longitude: Double =
                    isNear ? 2 + Double.random(in: -1...1, using: &random) : .random(in: -180...180, using: &random)
                let rounded = (latitude.rounded(), longitude.rounded())
                let shop =
                    id % 17 == 0
                    ? add(realm, id, nil, 0)
                    : add(realm, id, id % 3 == 0 ? rounded.0 : latitude, id % 3 == 0 ? rounded.1 : longitude)
                shop.kind = id % 4
            }
        }
        let all = realm.objects(DistanceShop.self)
        let rounds = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] == nil ? 8 : 400
        var cases = 0
        for _ in 0..<rounds {
            cases += 1
            let point = GeoPoint(
                latitude: .random(in: -90...90, using: &random),
                longitude: .random(in: -180...180, using: &random)
            )!
            let from = Bool.random(using: &random) ? point : Self.paris
            let kind = Int.random(in: 0..<5, using: &random)
            let shops = all.where { $0.kind != kind }
            let expected = shops.map { shop -> (Double, Int) in
                guard let place = shop.place else { return (.infinity, shop.id) }
                let at = GeoPoint(latitude: place.coordinates[1], longitude: place.coordinates[0])!
                return (from.distance(to: at).radians, shop.id)
            }.sorted { $0 < $1 }.map { $0.1 }
            expectEqual(ids(shops.sorted(byDistanceFrom: from, at: \.place)), expected, "seed \(seed)")
            expectEqual(ids(shops.sorted(byDistanceFrom: from, at: \.plain)), expected, "seed \(seed)")
            for limit in [1, 3, 10, 50, 399] {
                let first = Array(expected.prefix(limit))
                expectEqual(
                    ids(shops.sorted(byDistanceFrom: from, at: \.place).limited(to: limit)),
                    first,
                    "seed \(seed)"
                )
                expectEqual(
                    ids(shops.sorted(byDistanceFrom: from, at: \.plain).limited(to: limit)),
                    first,
                    "seed \(seed)"
                )
            }
        }
        print("DistanceSortTests: FREEHOLD_SEED=\(seed), \(cases) orders")
        expectEqual(cases, rounds)
    }

    @Test
    func `observed results keep the order`() async throws {
        let realm = try Self.realm()
        try realm.write { for id in 0..<5 { add(realm, id, Double(id * 10), 2) } }
        let frozen = realm.objects(DistanceShop.self)
            .sorted(byDistanceFrom: GeoPoint(latitude: 0, longitude: 2)!, at: \.place).freeze()
        expectEqual(frozen.count, 5)
        let place = ObservingQueue(realm.configuration)
        try place.run { realm in
            let point = GeoPoint(latitude: 0, longitude: 2)!
            place.tokens.append(
                realm.objects(DistanceShop.self).sorted(byDistanceFrom: point, at: \.place).observe { change in
                    switch change {
                    case .initial(let shops), .update(let shops, _, _, _): place.note("\(Array(shops.map(\.id)))")
                    case .error: break
                    }
                }
            )
        }
        try await place.waitFor(1)
        try place.run { realm in
            try realm.write { realm.object(ofType: DistanceShop.self, forPrimaryKey: 4)!.place!.coordinates[1] = 1 }
            realm.refresh()
        }
        try await place.waitFor(2)
        expectEqual(place.told, ["[0, 1, 2, 3, 4]", "[0, 4, 1, 2, 3]"])
        place.end()
    }
}
