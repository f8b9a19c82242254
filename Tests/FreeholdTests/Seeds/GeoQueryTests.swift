import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

class GQPlace: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted(geoIndexed: true) var coordinates: List<Double>

    convenience init(_ latitude: Double, _ longitude: Double) {
        self.init()
        coordinates.append(objectsIn: [longitude, latitude])
    }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Like the other class, with other names and a default value.
class GQMapped: EmbeddedObject {
    @Persisted(mapTo: "type") private var kind = "Point"
    @Persisted(geoIndexed: true, mapTo: "coordinates") var numbers = List<Double>()

    convenience init(_ latitude: Double, _ longitude: Double) {
        self.init()
        numbers.append(objectsIn: [longitude, latitude])
    }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// No place: its coordinates are strings.
class GQNoPlace: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<String>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class GQCompany: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var location: GQPlace?
    @Persisted var mapped: GQMapped?
    @Persisted var branches: List<GQPlace>
    @Persisted var offices: Map<String, GQPlace?>
    @Persisted var wrong: GQNoPlace?
    @Persisted var parent: GQCompany?
    @Persisted(originProperty: "parent") var children: LinkingObjects<GQCompany>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private func geoRealm() throws -> Realm {
    try seedRealm(GQCompany.self, GQPlace.self, GQMapped.self, GQNoPlace.self)
}

@Suite("Queries by place")
struct GeoQueryTests {
    static let cities: [(name: String, latitude: Double, longitude: Double)] = [
        ("Paris", 48.8567, 2.3508), ("Versailles", 48.8049, 2.1204), ("London", 51.5074, -0.1278),
        ("Suva", -18.1416, 178.4419), ("Apia", -13.8333, -171.7667), ("Pole", 90, 0), ("Quito", -0.1807, -78.4678),
    ]

    private func filled() throws -> Realm {
        let realm = try geoRealm()
        try realm.write {
            var last: GQCompany?
            for city in Self.cities {
                let company = GQCompany()
                company.name = city.name
                company.location = GQPlace(city.latitude, city.longitude)
                company.mapped = GQMapped(city.latitude, city.longitude)
                company.branches.append(GQPlace(city.latitude, city.longitude))
                company.branches.append(GQPlace(10, 10))
                company.offices["x"] = GQPlace(city.latitude, city.longitude)
                company.parent = last
                realm.add(company)
                last = company
            }
            let nowhere = GQCompany()
            nowhere.name = "Nowhere"
            realm.add(nowhere)
        }
        return realm
    }

    private func names(_ results: Results<GQCompany>) -> [String] { results.map(\.name) }

    @Test func `circles, boxes and polygons find objects through links, lists, maps and inverse links`() throws {
        let realm = try filled()
        let companies = realm.objects(GQCompany.self)
        let radius = try require(Distance.kilometers(50))
        let paris = try require(GeoCircle(center: (48.8567, 2.3508), radius: radius))
        let near = ["Paris", "Versailles"]
        expectEqual(names(companies.where { $0.location.geoWithin(paris) }), near)
        expectEqual(names(companies.where { $0.mapped.geoWithin(paris) }), near)
        expectEqual(names(companies.where { $0.branches.geoWithin(paris) }), near)
        expectEqual(names(companies.where { $0.offices.geoWithin(paris) }), near)
        expectEqual(names(companies.where { $0.parent.location.geoWithin(paris) }), ["Versailles", "London"])
        expectEqual(names(companies.where { $0.children.location.geoWithin(paris) }), ["Paris"])
        expectEqual(names(companies.where { !$0.location.geoWithin(paris) }).count, Self.cities.count - 1)
        expectEqual(names(companies.where { $0.location.geoWithin(paris) && $0.name != "Paris" }), ["Versailles"])
        expectEqual(companies.where { $0.location.geoWithin(paris) }.count, 2)

        let pacific = try require(GeoBox(bottomLeft: (-20, 170), topRight: (-10, -170)))
        expectEqual(names(companies.where { $0.location.geoWithin(pacific) }), ["Suva", "Apia"])
        let arctic = try require(GeoPolygon(outerRing: [(80, 0), (80, 120), (80, -120), (80, 0)]))
        expectEqual(names(companies.where { $0.location.geoWithin(arctic) }), ["Pole"])
        let holed = try require(
            GeoPolygon(
                outerRing: [(40, -10), (40, 10), (55, 10), (55, -10), (40, -10)],
                holes: [(48, 2), (48, 3), (49, 3), (49, 2), (48, 2)]
            )
        )
        expectEqual(names(companies.where { $0.location.geoWithin(holed) }), ["London"])
    }

    @Test func `results follow edits of the coordinates`() throws {
        let realm = try filled()
        let box = try require(GeoBox(bottomLeft: (60, 0), topRight: (70, 20)))
        let found = realm.objects(GQCompany.self).where { $0.location.geoWithin(box) }
        expect(found.isEmpty)
        let quito = try require(realm.object(ofType: GQCompany.self, forPrimaryKey: "Quito"))
        try realm.write {
            quito.location?.coordinates[0] = 10
            expect(found.isEmpty)
            quito.location?.coordinates[1] = 65
            expectEqual(names(found), ["Quito"])
        }
        expectEqual(names(found), ["Quito"])
        try realm.write { quito.location?.type = "Polygon" }
        expect(found.isEmpty)
        try realm.write { quito.location?.type = "Point" }
        expectEqual(found.count, 1)
        try realm.write { quito.location?.coordinates.removeLast() }
        expect(found.isEmpty)
        try realm.write { quito.location = GQPlace(61, 1) }
        expectEqual(found.count, 1)
        realm.beginWrite()
        realm.delete(quito)
        expect(found.isEmpty)
        realm.cancelWrite()
        expectEqual(found.count, 1)
        expectEqual((realm.core.view as? Snapshot)?.verify(), [])
    }

    @Test func `the elements of one object's list are asked by themselves`() throws {
        let realm = try filled()
        let paris = try require(realm.object(ofType: GQCompany.self, forPrimaryKey: "Paris"))
        let circle = try require(GeoCircle(center: (10, 10), radiusInRadians: 0.01))
        expectEqual(paris.branches.where { $0.geoWithin(circle) }.map { $0.coordinates[0] }, [10])
    }

    @Test func `shapes are arguments of conditions written by name`() throws {
        let realm = try filled()
        let compiler = QueryCompiler(try require(realm.core.table(named: "GQCompany")))
        let box = try require(GeoBox(bottomLeft: (48, 2), topRight: (49, 3)))
        let shapes: [any Sendable] = [box, GeoShape.box(box)]
        for shape in shapes {
            for path in ["location", "mapped", "branches"] {
                let predicate = try compiler.predicate(.within(NamedPath().appending(path), .argument(shape)))
                let query = FreeholdEngine.RowQuery(table: compiler.cls.table, predicate: predicate)
                expectEqual(query.count(in: realm.core.view), 2)
            }
        }
    }

    @Test(arguments: ["name", "parent", "wrong", "location.type", "location.coordinates", "children"])
    func `paths that don't lead to places are refused`(_ path: String) throws {
        let realm = try geoRealm()
        let compiler = QueryCompiler(try require(realm.core.table(named: "GQCompany")))
        let circle = try require(GeoCircle(center: (10, 10), radiusInRadians: 0.01))
        let error = #expect(throws: QueryError.self) {
            try compiler.predicate(.within(NamedPath().appending(path), .argument(circle)))
        }
        expectEqual(error?.code, .type)
        expectEqual(error?.message.contains("geoWithin"), true)
    }

    @Test func `other arguments than shapes are refused, and invalid shapes`() throws {
        let realm = try geoRealm()
        let compiler = QueryCompiler(try require(realm.core.table(named: "GQCompany")))
        let location = NamedPath().appending("location")
        #expect(throws: QueryError.self) { try compiler.predicate(.within(location, .argument("Paris"))) }
        let point = try require(GeoPoint(latitude: 1, longitude: 2))
        #expect(throws: QueryError.self) { try compiler.predicate(.within(location, .argument(point))) }
        let bowTie = try require(GeoPolygon(outerRing: [(0, 0), (10, 10), (10, 0), (0, 10), (0, 0)]))
        let error = #expect(throws: QueryError.self) { try compiler.predicate(.within(location, .argument(bowTie))) }
        expectEqual(error?.message.contains("Edges 0 and 2"), true)
    }

    @Test func `shapes can't be stored: conversions refuse them`() throws {
        let realm = try geoRealm()
        let point = try require(GeoPoint(latitude: 1, longitude: 2))
        let box = GeoBox(bottomLeft: point, topRight: point)
        let circle = try require(GeoCircle(center: point, radiusInRadians: 1))
        let shapes: [Any] = [point, box, circle, GeoShape.box(box)]
        for shape in shapes {
            #expect(throws: (any Error).self) {
                try realm.write { _ = realm.create(GQCompany.self, value: ["name": "A", "location": shape]) }
            }
        }
        expect(realm.objects(GQCompany.self).isEmpty)
    }

    @Test func `places far from each other are measured`() throws {
        let paris = try require(GeoPoint(latitude: 48.8567, longitude: 2.3508))
        let london = try require(GeoPoint(latitude: 51.5074, longitude: -0.1278))
        let way: Freehold.Distance = paris.distance(to: london)
        expect(abs(way.asKilometers() - 344) < 1)
        expectEqual(GeoDistance.kilometers(1)?.radians, Distance.kilometers(1)?.radians)
    }

    @Test func `an index of places stands in the schema, by hand, too, and only where it makes sense`() throws {
        let realm = try geoRealm()
        expectEqual(realm.schema["GQPlace"]?["coordinates"]?.index, .places)
        expectEqual(realm.schema["GQMapped"]?.properties.map(\.index), [.none, .places])
        expectEqual(realm.core.view.schema.table(named: "GQMapped")?.column(named: "coordinates")?.indexKind, .places)
        func problem(_ properties: [Property], embedded: Bool = true) -> String {
            let owner = ObjectSchema("GQOwner", properties: [Property("link", .object, objectClassName: "GQHand")])
            let place = ObjectSchema("GQHand", isEmbedded: embedded, properties: properties)
            var configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
            configuration.schema = Schema([owner, place])
            do {
                _ = try Realm(configuration: configuration)
                return ""
            } catch { return "\(error)" }
        }
        let type = Property("type", .string)
        func list(_ name: String, _ of: PropertyType = .double) -> Property {
            var property = Property(name, of, collection: .list)
            property.index = .places
            return property
        }
        expectEqual(problem([type, list("coordinates")]), "")
        expect(problem([type, list("coordinates")], embedded: false).contains("isn't embedded"))
        expect(problem([type, list("coordinates", .float)]).contains("only List<Double>"))
        expect(problem([type, list("position")]).contains("stored as, coordinates"))
        expect(problem([list("coordinates")]).contains("stored as, type"))
    }

    @Test(
        arguments: [
            GeoPoint.self, GeoBox.self, GeoCircle.self, GeoPolygon.self, GeoShape.self, Distance.self, GeoPoint?.self,
        ] as [Any.Type]
    )
    func `no property can be of a shape, a place or a distance`(type: Any.Type) {
        // The value of a property wrapper has to conform to this protocol. Without it, such a declaration doesn't
        // compile.
        expect(!(type is any _Persistable.Type))
        expect(!(type is any RealmCollectionValue.Type))
        let number: Any.Type = Double.self
        expect(number is any _Persistable.Type && number is any RealmCollectionValue.Type)
    }
}
