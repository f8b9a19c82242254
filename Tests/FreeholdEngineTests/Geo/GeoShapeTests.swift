import Foundation
import Testing

@testable import FreeholdEngine

struct GeoShapeTests {
    // MARK: Places

    @Test(
        arguments: [
            (90.0, 180.0, 0.0, true), (-90, -180, 0, true), (0, 0, 8848, true), (-0.0, -0.0, 0, true),
            (90.1, 0, 0, false),
            (-90.1, 0, 0, false), (0, 180.1, 0, false), (0, -180.1, 0, false), (0, 0, -1, false), (.nan, 0, 0, false),
            (0, .nan, 0, false), (0, 0, .nan, false), (.infinity, 0, 0, false), (0, -.infinity, 0, false),
        ] as [(Double, Double, Double, Bool)]
    )
    func `a place has a latitude, a longitude and an altitude in range`(
        _ c: (latitude: Double, longitude: Double, altitude: Double, isPlace: Bool)
    ) {
        let point = GeoPoint(latitude: c.latitude, longitude: c.longitude, altitude: c.altitude)
        expectEqual((point != nil), c.isPlace)
        expectEqual(
            (GeoBox(bottomLeft: (c.latitude, c.longitude), topRight: (90, 0)) != nil),
            (c.isPlace || c.altitude != 0)
        )
    }

    @Test func `distances have four units, and none is negative`() throws {
        let way = try require(Distance.kilometers(6378.1))
        expect(way.radians == 1 && way.asKilometers() == 6378.1 && abs(way.asDegrees() - 57.29577951308232) < 1e-12)
        expect(abs(way.asMiles() - 3963.167) < 0.001)
        expectEqual(Distance.degrees(180)?.radians, .pi)
        let mile = try require(Distance.miles(1))
        expect(abs(mile.asKilometers() - 1.609344) < 1e-12)
        let two = try require(GeoDistance.radians(2))
        expect(two > way)
        for distance in [Distance.kilometers(-1), .miles(-1), .degrees(-1), .radians(-0.001), .radians(.nan)] {
            expect(distance == nil)
        }
        expect(Distance.radians(0) != nil)
    }

    /// Great circles on a sphere of 6,378.1 km, rounded to a kilometre.
    @Test(
        arguments: [
            ("Paris – New York", (48.8567, 2.3508), (40.7128, -74.006), 5844.0),
            ("London – Sydney", (51.5074, -0.1278), (-33.8688, 151.2093), 17013),
            ("Tokyo – Los Angeles, over the antimeridian", (35.6762, 139.6503), (34.0522, -118.2437), 8829),
            ("Quito – Singapore, nearly opposite", (-0.1807, -78.4678), (1.3521, 103.8198), 19751),
            ("pole to pole", (90, 12), (-90, 100), 20037),
            ("a quarter of the equator", (0, 0), (0, 90), 10019),
            ("a pole by two names", (90, 0), (90, 170), 0),
            ("the antimeridian by two names", (10, 180), (10, -180), 0),
        ] as [(String, (Double, Double), (Double, Double), Double)]
    )
    func `distances between known places are right`(
        _ c: (name: String, a: (Double, Double), b: (Double, Double), kilometers: Double)
    ) throws {
        let (a, b) = (try require(GeoPoint(c.a)), try require(GeoPoint(c.b)))
        expect(
            abs(a.distance(to: b).asKilometers() - c.kilometers) < 1,
            "\(c.name): \(a.distance(to: b).asKilometers())"
        )
        expectEqual(a.distance(to: b), b.distance(to: a))
        expectEqual(a.distance(to: a).radians, 0)
    }

    @Test func `shapes are written as in query strings`() throws {
        let point = try require(GeoPoint(latitude: 1.5, longitude: -2, altitude: 100))
        expectEqual(point.description, "[-2.0, 1.5]")
        let box = try require(GeoBox(bottomLeft: (1, 2), topRight: (3, 4)))
        expectEqual(GeoShape.box(box).description, "geoBox([2.0, 1.0], [4.0, 3.0])")
        let circle = try require(GeoCircle(center: point, radiusInRadians: 0.25))
        expectEqual(GeoShape.circle(circle).description, "geoCircle([-2.0, 1.5], 0.25)")
        let polygon = try require(
            GeoPolygon(
                outerRing: [(0, 0), (0, 9), (9, 9), (0, 0)],
                holes: [(1, 2), (1, 3), (2, 3), (1, 2)]
            )
        )
        expectEqual(
            GeoShape.polygon(polygon).description,
            "geoPolygon({[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 0.0]}, {[2.0, 1.0], [3.0, 1.0], [3.0, 2.0], [2.0, 1.0]})"
        )
    }

    @Test func `shapes without a meaning aren't created`() throws {
        let point = try require(GeoPoint(latitude: 0, longitude: 0))
        expect(GeoCircle(center: point, radiusInRadians: -0.1) == nil)
        expect(GeoCircle(center: point, radiusInRadians: .nan) == nil)
        expect(GeoCircle(center: (91, 0), radiusInRadians: 1) == nil)
        expect(GeoCircle(center: (0, 0), radiusInRadians: 0) != nil)
        let kilometer = try require(Distance.kilometers(1))
        expect(GeoCircle(center: (0, 200), radius: kilometer) == nil)
        expect(GeoPolygon(outerRing: [point, point, point]) == nil)
        expect(GeoPolygon(outerRing: [(0, 0), (0, 1), (1, 1), (1, 0)]) == nil)
        expect(GeoPolygon(outerRing: [(0, 0), (0, 1), (1, 100), (0, 0)], holes: [(0, 0)]) == nil)
        expect(GeoPolygon(outerRing: [(0, 0), (0, 181), (1, 1), (0, 0)]) == nil)
    }

    // MARK: Boxes

    private func region(_ shape: GeoShape) throws -> GeoRegion { try require(GeoRegion(shape)) }

    private func region(_ center: GeoPoint, _ radius: Double) throws -> GeoRegion {
        let circle = try require(GeoCircle(center: center, radiusInRadians: radius))
        return try region(.circle(circle))
    }

    @Test(
        arguments: [
            // Bottom left, top right, place: each (latitude, longitude).
            ((0, 0), (10, 10), (5, 5), true), ((0, 0), (10, 10), (0, 0), true), ((0, 0), (10, 10), (10, 10), true),
            ((0, 0), (10, 10), (10.0000001, 5), false), ((0, 0), (10, 10), (5, -0.0000001), false),
            ((0, 170), (10, -170), (5, 180), true), ((0, 170), (10, -170), (5, -180), true),
            ((0, 170), (10, -170), (5, 175), true), ((0, 170), (10, -170), (5, -175), true),
            ((0, 170), (10, -170), (5, 0), false), ((0, -170), (10, 170), (5, 0), true),
            ((0, -170), (10, 170), (5, 180), false), ((0, -180), (10, -170), (5, 180), true),
            ((0, 170), (10, 180), (5, -180), true), ((0, 180), (10, -180), (5, 180), true),
            ((0, 180), (10, -180), (5, -180), true), ((0, 180), (10, -180), (5, 0), false),
            ((-90, -180), (90, 180), (12, 34), true), ((-90, -180), (90, 180), (90, 180), true),
            ((80, 10), (90, 20), (90, 15), true), ((80, 10), (90, 20), (90, -100), true),
            ((80, 10), (89.9, 20), (90, 15), false), ((-90, 10), (-80, 20), (-90, 170), true),
            ((80, 10), (90, 20), (85, 21), false), ((5, 5), (5, 5), (5, 5), true), ((5, 5), (5, 9), (5, 7), true),
        ] as [((Double, Double), (Double, Double), (Double, Double), Bool)]
    )
    func `boxes contain their borders, cross the antimeridian and contain poles`(
        _ c: (low: (Double, Double), high: (Double, Double), place: (Double, Double), isInside: Bool)
    ) throws {
        let box = try require(GeoBox(bottomLeft: c.low, topRight: c.high))
        try expectEqual(region(.box(box)).contains(latitude: c.place.0, longitude: c.place.1), c.isInside)
    }

    // MARK: Circles

    @Test func `even a small circle contains its centre, and a large one the whole earth`() throws {
        var random = RandomShapes(seed: 11)
        for _ in 0..<300 {
            let (a, b) = (random.point(), random.point())
            let point = try region(a, 0)
            expect(point.contains(latitude: a.latitude, longitude: a.longitude))
            expectEqual(point.contains(latitude: b.latitude, longitude: b.longitude), (a == b))
            for radius in [Double.pi, 4, .infinity] {
                let all = try region(a, radius)
                expect(all.contains(latitude: b.latitude, longitude: b.longitude))
                expect(
                    all.contains(
                        latitude: -a.latitude,
                        longitude: a.longitude > 0 ? a.longitude - 180 : a.longitude + 180
                    )
                )
            }
        }
    }

    @Test func `a circle's border is where its radius says, from a millimetre to nearly all of the earth`() throws {
        var random = RandomShapes(seed: 12)
        for _ in 0..<200 {
            let center = random.point()
            let radius = random.below(2) == 0 ? pow(10, -10 + random.unit() * 10) : .pi - pow(10, -3 * random.unit())
            let region = try region(center, radius)
            for _ in 0..<4 {
                let azimuth = random.unit() * 2 * .pi
                // Near the ends a coordinate's own rounding counts.
                let margin = 4e-15 + radius * 1e-9
                let inner = Naive.place(from: center, azimuth: azimuth, distance: radius - 1e-13 - margin)
                let outer = Naive.place(from: center, azimuth: azimuth, distance: radius + 1e-13 + margin)
                let (near, far) = (center.distance(to: inner).radians, center.distance(to: outer).radians)
                if near < radius - 1e-14 {
                    expect(region.contains(latitude: inner.latitude, longitude: inner.longitude))
                }
                if far > radius + 1e-14 {
                    expect(!region.contains(latitude: outer.latitude, longitude: outer.longitude))
                }
            }
        }
    }

    @Test func `coordinates out of range are in no shape`() throws {
        let all = try region(try require(GeoPoint(latitude: 0, longitude: 0)), 4)
        let earth = try require(GeoBox(bottomLeft: (-90, -180), topRight: (90, 180)))
        let box = try region(.box(earth))
        for (latitude, longitude) in [(91.0, 0.0), (0, 181), (.nan, 0), (0, .nan), (.infinity, 0), (-91, 0)] {
            expect(!all.contains(latitude: latitude, longitude: longitude))
            expect(!box.contains(latitude: latitude, longitude: longitude))
        }
    }

    // MARK: The world's cities

    @Test(arguments: [21, 22, 23] as [UInt64])
    func `boxes and circles agree with haversine and a plain comparison on 34,006 cities`(seed: UInt64) throws {
        var random = RandomShapes(seed: seed)
        let cities = WorldPlaces.all
        expectEqual(cities.count, 34_006)
        for _ in 0..<3 {
            let circle = random.circle()
            let inCircle = try region(.circle(circle))
            let wrong = cities.filter {
                inCircle.contains(latitude: $0.latitude, longitude: $0.longitude)
                    != (Naive.haversine(circle.center, $0) <= circle.radiusInRadians)
            }
            // A city at the centre is 0 or a rounding away.
            expect(
                wrong.allSatisfy { abs(Naive.haversine(circle.center, $0) - circle.radiusInRadians) < 1e-12 },
                "seed \(seed), \(circle)"
            )
            let box = random.box()
            let inBox = try region(.box(box))
            expect(
                cities.allSatisfy {
                    inBox.contains(latitude: $0.latitude, longitude: $0.longitude) == Naive.contains(box, $0)
                },
                "seed \(seed), \(box)"
            )
        }
    }
}
