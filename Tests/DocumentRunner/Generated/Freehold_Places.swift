// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/Places.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold

enum Freehold_Places_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Places.md", line: 11)
class Place: EmbeddedObject { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Places_1" };
    @Persisted private var type = "Point"
    @Persisted(geoIndexed: true) private var coordinates: List<Double>

    var latitude: Double { coordinates[1] }
    var longitude: Double { coordinates[0] }

    convenience init(latitude: Double, longitude: Double) {
        self.init()
        coordinates.append(objectsIn: [longitude, latitude])
    }
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Places.md", line: 24)
class Shop: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Places_1" };
    @Persisted(primaryKey: true) var name: String
    @Persisted var location: Place?
    @Persisted var branches: List<Place>
}
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Places.md", line: 23)

#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Places.md", line: 29)

let realm = try Realm()
let nearParis = GeoCircle(center: (48.8567, 2.3508), radius: .kilometers(50)!)!
let shops = realm.objects(Shop.self).where { $0.location.geoWithin(nearParis) }
let same = realm.objects(Shop.self).filter("location geoWithin geoCircle([2.3508, 48.8567], %@)", nearParis.radiusInRadians)
let third = realm.objects(Shop.self).filter("location geoWithin %@", nearParis)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Places.md", line: 38)
try realm.write {
    for (name, latitude, longitude) in [("Paris", 48.85, 2.35), ("London", 51.5, -0.12)] {
        let shop = Shop()
        shop.name = name
        shop.location = Place(latitude: latitude, longitude: longitude)
        realm.add(shop)
    }
}
for result in [shops, same, third] { check(result.map(\.name) == ["Paris"]) }
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Places.md", line: 59)
let paris = GeoPoint(latitude: 48.8567, longitude: 2.3508)!
let nearest = realm.objects(Shop.self).sorted(byDistanceFrom: paris, at: \.location).limited(to: 10)
let same = realm.objects(Shop.self).filter("TRUEPREDICATE SORT(distance(location, [2.3508, 48.8567]) ASC) LIMIT(10)")
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Places.md", line: 65)
for result in [nearest, same] { check(result.map(\.name) == ["Paris", "London"]) }
#sourceLocation()
}}}}
}
