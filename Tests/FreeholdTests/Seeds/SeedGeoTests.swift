import Foundation
import Testing

import Freehold

// "Define a Geospatial Object": classes of the shape that GeoJSON has for a point, and queries that take them as places.

private enum CSharp {
    class CustomGeoPoint: SeedEmbedded {
        @Persisted(mapTo: "coordinates") var Coordinates: List<Double>
        @Persisted(mapTo: "type") private var PointType = "Point"

        convenience init(_ latitude: Double, _ longitude: Double) {
            self.init()
            Coordinates.append(longitude)
            Coordinates.append(latitude)
        }
    }

    class Company: SeedObject {
        @Persisted(primaryKey: true, mapTo: "_id") private(set) var Id = UUID()
        @Persisted var Location: CustomGeoPoint?
    }
}

private enum Dart {
    class MyGeoPoint: SeedEmbedded {
        // These two properties are required to persist places.
        @Persisted var type = "Point"
        @Persisted var coordinates: List<Double>

        var lon: Double {
            get { coordinates[0] }
            set { coordinates[0] = newValue }
        }
        var lat: Double {
            get { coordinates[1] }
            set { coordinates[1] = newValue }
        }

        func toGeoPoint() -> GeoPoint? { GeoPoint(latitude: lat, longitude: lon) }
    }

    class Company: SeedObject {
        @Persisted(primaryKey: true) var id: ObjectId
        @Persisted var location: MyGeoPoint?
    }
}

private enum JavaScript {
    class MyGeoPoint: SeedEmbedded {
        @Persisted var type = "Point"
        @Persisted var coordinates: List<Double>

        convenience init(_ long: Double, _ lat: Double) {
            self.init()
            coordinates.append(objectsIn: [long, lat])
        }
    }

    class Company: SeedObject {
        @Persisted(primaryKey: true) var _id = 0
        @Persisted var location: MyGeoPoint?
    }
}

private enum Kotlin {
    class CustomGeoPoint: SeedEmbedded {
        // Name and type required.
        @Persisted var coordinates: List<Double>
        // Name, type, and value required.
        @Persisted private var type = "Point"

        convenience init(latitude: Double, longitude: Double) {
            self.init()
            coordinates.append(longitude)
            coordinates.append(latitude)
        }

        var latitude: Double {
            get { coordinates[1] }
            set { coordinates[1] = newValue }
        }
        var longitude: Double {
            get { coordinates[0] }
            set { coordinates[0] = newValue }
        }
    }

    class Company: SeedObject {
        @Persisted(primaryKey: true) var _id = ObjectId.generate()
        @Persisted var location: CustomGeoPoint?
    }
}

private enum SwiftTab {
    class CustomGeoPoint: SeedEmbedded {
        @Persisted private var type: String = "Point"
        @Persisted private var coordinates: List<Double>

        public var latitude: Double { return coordinates[1] }
        public var longitude: Double { return coordinates[0] }

        convenience init(_ latitude: Double, _ longitude: Double) {
            self.init()
            // Longitude comes first in the coordinates array of a GeoJson document
            coordinates.append(objectsIn: [longitude, latitude])
        }
    }

    class Company: SeedObject {
        @Persisted(primaryKey: true) var _id: Int
        @Persisted var location: CustomGeoPoint?
    }
}

/// Around the documents' first company.
private let seattle = GeoCircle(center: (47.6, -122.33), radius: Distance.kilometers(15)!)!

@Suite("Seeds 003: points as embedded objects")
struct SeedGeoTests {
    @Test
    func `C#: CustomGeoPoint with mapped names and a private type`() throws {
        let file = SeedFile(CSharp.Company.self, CSharp.CustomGeoPoint.self)
        let id = try file.open { realm in
            let company = CSharp.Company()
            company.Location = CSharp.CustomGeoPoint(47.68, -122.35)
            try realm.write { realm.add([company, CSharp.Company()]) }
            expectEqual(realm.schema["CustomGeoPoint"]?.properties.map(\.columnName), ["coordinates", "type"])
            return company.Id
        }
        try file.open { realm in
            let company = try require(realm.object(ofType: CSharp.Company.self, forPrimaryKey: id))
            expectEqual(company.Location.map { Array($0.Coordinates) }, [-122.35, 47.68])
            expectEqual(realm.objects(CSharp.Company.self).where { $0.Location.geoWithin(seattle) }.map(\.Id), [id])
            expectEqual(company.Location?["type"] as? String, "Point")
            try realm.write { company.Location = nil }
            expectEqual(embeddedCount(realm, "CustomGeoPoint"), 0)
        }
    }

    @Test
    func `Dart: MyGeoPoint with lon and lat that read and write the coordinates`() throws {
        let file = SeedFile(Dart.Company.self, Dart.MyGeoPoint.self)
        try file.open { realm in
            try realm.write {
                _ = realm.create(Dart.Company.self, value: ["location": ["coordinates": [-122.35, 47.68]]])
            }
        }
        try file.open { realm in
            let place = try require(realm.objects(Dart.Company.self)[0].location)
            expect(place.type == "Point" && place.lon == -122.35 && place.lat == 47.68)
            expectEqual(place.toGeoPoint(), GeoPoint(latitude: 47.68, longitude: -122.35))
            let box = try require(place.toGeoPoint().map { GeoBox(bottomLeft: $0, topRight: $0) })
            expectEqual(realm.objects(Dart.Company.self).where { $0.location.geoWithin(box) }.count, 1)
            try realm.write { place.lat = 48 }
            expectEqual(Array(place.coordinates), [-122.35, 48])
            expectEqual(place.objectSchema.properties.map(\.name), ["type", "coordinates"])
        }
    }

    @Test
    func `JavaScript, TypeScript: two companies and their places`() throws {
        let file = SeedFile(JavaScript.Company.self, JavaScript.MyGeoPoint.self)
        try file.open { realm in
            try realm.write {
                _ = realm.create(
                    JavaScript.Company.self,
                    value: ["_id": 6, "location": JavaScript.MyGeoPoint(-122.35, 47.68)] as [String: Any]
                )
                _ = realm.create(
                    JavaScript.Company.self,
                    value: ["_id": 9, "location": JavaScript.MyGeoPoint(-121.85, 47.9)] as [String: Any]
                )
            }
        }
        try file.open { realm in
            let companies = realm.objects(JavaScript.Company.self)
            expectEqual(
                companies.map { $0.location.map { Array($0.coordinates) } },
                [[-122.35, 47.68], [-121.85, 47.9]]
            )
            expectEqual(companies.where { $0.location.type == "Point" }.count, 2)
            expectEqual(companies.where { $0.location.geoWithin(seattle) }.map(\._id), [6])
            let both = try require(
                GeoPolygon(
                    outerRing: [(47.5, -122.5), (47.5, -121.5), (48, -121.5), (48, -122.5), (47.5, -122.5)]
                )
            )
            expectEqual(companies.where { $0.location.geoWithin(both) }.count, 2)
            try realm.write { realm.delete(companies[0]) }
            expectEqual(embeddedCount(realm, "MyGeoPoint"), 1)
        }
    }

    @Test
    func `Kotlin: CustomGeoPoint with ignored latitude and longitude`() throws {
        let file = SeedFile(Kotlin.Company.self, Kotlin.CustomGeoPoint.self)
        try file.open { realm in
            let company = Kotlin.Company()
            company.location = Kotlin.CustomGeoPoint(latitude: 47.68, longitude: -122.35)
            try realm.write { realm.add(company) }
            expectEqual(realm.schema["CustomGeoPoint"]?.properties.map(\.name), ["coordinates", "type"])
        }
        try file.open { realm in
            expectEqual(realm.objects(Kotlin.Company.self).where { $0.location.geoWithin(seattle) }.count, 1)
            let place = try require(realm.objects(Kotlin.Company.self)[0].location)
            try realm.write { (place.latitude, place.longitude) = (1, 2) }
            expect(Array(place.coordinates) == [2, 1] && place["type"] as? String == "Point")
        }
    }

    @Test
    func `Swift: CustomGeoPoint, longitude first`() throws {
        let file = SeedFile(SwiftTab.Company.self, SwiftTab.CustomGeoPoint.self)
        try file.open { realm in
            let company = SwiftTab.Company()
            company.location = SwiftTab.CustomGeoPoint(47.68, -122.35)
            try realm.write { realm.add(company) }
        }
        try file.open { realm in
            expectEqual(realm.objects(SwiftTab.Company.self).where { $0.location.geoWithin(seattle) }.count, 1)
            let company = realm.objects(SwiftTab.Company.self)[0]
            expect(company.location?.latitude == 47.68 && company.location?.longitude == -122.35)
            expectEqual((company.location?["coordinates"] as? List<Double>).map { Array($0) }, [-122.35, 47.68])
            try realm.write { company.location = SwiftTab.CustomGeoPoint(1, 2) }
            expect(company.location?.latitude == 1 && embeddedCount(realm, "CustomGeoPoint") == 1)
            try realm.write { realm.delete(company) }
            expectEqual(embeddedCount(realm, "CustomGeoPoint"), 0)
        }
    }
}
