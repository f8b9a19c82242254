import Foundation
import Testing

@testable import FreeholdEngine

struct GeoPolygonTests {
    private func polygon(_ rings: [(Double, Double)]...) throws -> GeoPolygon {
        try require(GeoPolygon(outerRing: rings[0], holes: Array(rings.dropFirst())))
    }

    private func contains(_ polygon: GeoPolygon, _ latitude: Double, _ longitude: Double) throws -> Bool {
        try require(GeoRegion(.polygon(polygon))).contains(latitude: latitude, longitude: longitude)
    }

    static let square = [(0.0, 0.0), (0, 10), (10, 10), (10, 0), (0, 0)]

    @Test(
        arguments: [
            (5.0, 5.0, true), (1e-9, 1e-9, true), (-1e-9, 5, false), (5, -1e-9, false), (5, 10 + 1e-9, false),
            // Along the northern edge the great circle runs north of the parallel.
            (10.02, 5, true), (10.06, 5, false), (11, 5, false), (-5, -5, false), (5, 185 - 360, false),
        ] as [(Double, Double, Bool)]
    )
    func `a square contains its inside`(_ c: (latitude: Double, longitude: Double, isInside: Bool)) throws {
        for ring in [Self.square, Self.square.reversed()] {
            try expectEqual(contains(polygon(ring), c.latitude, c.longitude), c.isInside)
        }
    }

    @Test func `corners and edges belong to a polygon, and so do those of its holes`() throws {
        let hole = [(2.0, 2.0), (2, 4), (4, 4), (4, 2), (2, 2)]
        let shape = try polygon(Self.square, hole)
        for (latitude, longitude) in Self.square + hole { expect(try contains(shape, latitude, longitude)) }
        // On the equator and on meridians.
        for (latitude, longitude) in [(0.0, 3.3), (0, 9.999), (7, 0), (2.5, 10), (3, 2), (3.7, 4)] {
            expect(try contains(shape, latitude, longitude))
        }
        expect(try !contains(shape, 3, 3) && !contains(shape, 3.999, 3.999))
        var random = RandomShapes(seed: 31)
        for _ in 0..<100 {
            let (polygon, _) = random.polygon()
            for ring in [polygon.outerRing] + polygon.holes {
                for point in ring { expect(try contains(polygon, point.latitude, point.longitude), "\(polygon)") }
            }
        }
    }

    @Test func `a polygon may go around a pole and across the antimeridian`() throws {
        let arctic = try polygon([(80, 0), (80, 120), (80, -120), (80, 0)])
        expect(try contains(arctic, 90, 0) && contains(arctic, 90, 77) && contains(arctic, 85, 180))
        expect(
            try contains(arctic, 80.1, 1) == false && contains(arctic, 70, 0) == false
                && contains(arctic, -90, 0) == false
        )
        let antarctic = try polygon([(-70, 0), (-70, -90), (-70, 180), (-70, 90), (-70, 0)])
        expect(try contains(antarctic, -90, 5) && contains(antarctic, -75, -180) && contains(antarctic, -75, 180))
        expect(try !contains(antarctic, 90, 5) && !contains(antarctic, -60, 45))
        let atThePole = try polygon([(90, 55), (60, 0), (60, 90), (90, -20)].dropLast() + [(90, 55)])
        expect(try contains(atThePole, 90, 0) && contains(atThePole, 80, 45) && contains(atThePole, 70, 0))
        expect(try !contains(atThePole, 80, -45) && !contains(atThePole, 80, 135))
        let fiji = try polygon([(-20, 175), (-20, -175), (-10, -175), (-10, 175), (-20, 175)])
        expect(
            try contains(fiji, -15, 180) && contains(fiji, -15, -180) && contains(fiji, -15, 179)
                && contains(fiji, -15, -179)
        )
        expect(try !contains(fiji, -15, 0) && !contains(fiji, -15, 174) && !contains(fiji, -15, -174))
        // Over the pole: two edges along a meridian and its continuation.
        let over = try polygon([(80, 10), (80, -170), (70, -90), (80, 10)])
        expect(
            try contains(over, 90, 0) && contains(over, 85, 10) && contains(over, 85, -100) && !contains(over, 85, 60)
        )
    }

    @Test func `the inside is the smaller side; of two halves the left`() throws {
        let north = try polygon([(0, 0), (0, 120), (0, -120), (0, 0)])
        expect(
            try contains(north, 45, 45) && !contains(north, -45, 45) && contains(north, 0, 60) && contains(north, 90, 0)
        )
        let south = try polygon([(0, 0), (0, -120), (0, 120), (0, 0)])
        expect(try contains(south, -45, 45) && !contains(south, 45, 45) && contains(south, 0, 60))
        // Nearly a half, of either one.
        for ring in [[(-1.0, 0.0), (-1, 120), (-1, -120), (-1, 0)], [(-1, 0), (-1, -120), (-1, 120), (-1, 0)]] {
            expect(try contains(polygon(ring), -80, 0) && !contains(polygon(ring), 80, 0))
        }
        // A band along most of the equator, which no half of the earth contains.
        let longitudes = stride(from: -160.0, through: 160, by: 20)
        let band = longitudes.map { (10.0, $0) } + longitudes.reversed().map { (-10.0, $0) } + [(10.0, -160.0)]
        let belt = try polygon(band)
        for longitude in stride(from: -155.0, through: 155, by: 10) {
            expect(try contains(belt, 0, longitude) && contains(belt, -9, longitude) && !contains(belt, 20, longitude))
        }
        expect(
            try !contains(belt, 0, 170) && !contains(belt, 0, 180) && !contains(belt, 90, 0) && !contains(belt, -90, 0)
        )
    }

    @Test(arguments: [41, 42, 43, 44] as [UInt64])
    func `random polygons with holes contain the places with a winding number above zero`(seed: UInt64) throws {
        var random = RandomShapes(seed: seed)
        for round in 0..<60 {
            let (polygon, center) = random.polygon()
            try polygon.validate()
            let region = try require(GeoRegion(.polygon(polygon)))
            let radius = polygon.outerRing.map { Naive.haversine(center, $0) }.max()!
            for _ in 0..<40 {
                let reach = random.below(4) == 0 ? random.unit() * .pi : radius * 1.2 * random.unit()
                let p = Naive.place(from: center, azimuth: random.unit() * 2 * .pi, distance: reach)
                expectEqual(
                    region.contains(latitude: p.latitude, longitude: p.longitude),
                    Naive.contains(polygon, around: center, p),
                    "seed \(seed) round \(round): \(polygon) \(p)"
                )
            }
        }
    }

    @Test func `polygons contain those of 34,006 cities with a winding number above zero`() throws {
        var random = RandomShapes(seed: 51)
        for round in 0..<4 {
            let center = WorldPlaces.all[random.below(34_006)]
            let ring = random.ring(around: center, radius: round == 0 ? 1.2 : 0.3, corners: 9)
            let hole = random.ring(around: center, radius: 0.02, corners: 5)
            let polygon = try require(GeoPolygon(outerRing: ring, holes: round % 2 == 0 ? [] : [hole]))
            guard (try? polygon.validate()) != nil else { continue }
            let region = try require(GeoRegion(.polygon(polygon)))
            let near = WorldPlaces.all.filter { Naive.haversine(center, $0) < 1.5 }
            for city in near.prefix(6000) {
                expectEqual(
                    region.contains(latitude: city.latitude, longitude: city.longitude),
                    Naive.contains(polygon, around: center, city)
                )
            }
        }
    }

    // MARK: Validity

    static let invalid: [(name: String, rings: [[(Double, Double)]], words: String)] = [
        ("a bow tie", [[(0, 0), (10, 10), (10, 0), (0, 10), (0, 0)]], "Edges 0 and 2"),
        ("a place twice", [[(0, 0), (0, 5), (5, 5), (0, 5), (5, 0), (0, 0)]], "Places 1 and 3"),
        ("a spike", [[(0, 0), (0, 10), (0, 5), (5, 5), (0, 0)]], "meet"),
        ("nothing but a line", [[(0, 0), (0, 10), (0, 20), (0, 0)]], "meet"),
        ("two places", [[(0, 0), (0, 10), (0, 0), (0, 0)]], "are the same"),
        ("one place", [[(5, 5), (5, 5), (5, 5), (5, 5)]], "are the same"),
        ("a pole by two names", [[(90, 0), (80, 0), (90, 50), (80, 50), (90, 0)]], "are the same"),
        ("the antimeridian by two names", [[(0, 180), (5, 175), (0, -180), (-5, 175), (0, 180)]], "are the same"),
        ("opposite places", [[(0, 0), (0, 180), (45, 90), (0, 0)]], "opposite"),
        ("opposite poles", [[(90, 0), (-90, 0), (0, 90), (90, 0)]], "opposite"),
        ("a corner on an edge", [[(0, 0), (0, 10), (10, 10), (0, 5), (10, 0), (0, 0)]], "meet"),
        ("a hole outside", [square, [(20, 20), (20, 21), (21, 21), (20, 20)]], "hole 1 lies outside"),
        ("a hole across the border", [square, [(5, 5), (5, 15), (6, 15), (5, 5)]], "outer ring and hole 1 cross"),
        ("a hole that shares an edge", [square, [(0, 0), (0, 10), (5, 5), (0, 0)]], "in common"),
        ("a hole that shares part of an edge", [square, [(0, 2), (0, 8), (5, 5), (0, 2)]], "in common"),
        ("a hole as large as all", [square, square], "in common"),
        ("a hole around all", [square, [(-5, -5), (-5, 15), (15, 15), (15, -5), (-5, -5)]], "hole 1 lies outside"),
        (
            "crossing holes", [square, [(2, 2), (2, 5), (5, 5), (2, 2)], [(3, 1), (3, 6), (4, 6), (3, 1)]],
            "hole 1 and hole 2 cross"
        ),
        (
            "a hole in a hole", [square, [(1, 1), (1, 9), (9, 9), (9, 1), (1, 1)], [(4, 4), (4, 5), (5, 5), (4, 4)]],
            "hole 2 lies inside its hole 1"
        ),
        ("a hole that meets itself", [square, [(1, 1), (5, 5), (5, 1), (1, 5), (1, 1)]], "geoPolygon's hole 1 meet"),
    ]

    @Test(arguments: invalid.indices)
    func `invalid polygons are refused with the reason`(_ i: Int) throws {
        let c = Self.invalid[i]
        let polygon = try require(GeoPolygon(outerRing: c.rings[0], holes: Array(c.rings.dropFirst())))
        let error = #expect(throws: QueryError.self, "\(c.name)") { try polygon.validate() }
        expect(
            error?.code == .constant && error?.message.contains(c.words) == true,
            "\(c.name): \(error?.message ?? "")"
        )
        expect(GeoRegion(.polygon(polygon)) == nil)
    }

    @Test(
        arguments: [
            [square, [(2, 2), (2, 5), (5, 5), (2, 2)], [(6, 6), (6, 8), (8, 8), (6, 6)]],
            // Rings may touch.
            [square, [(0, 0), (2, 1), (1, 2), (0, 0)]], [square, [(0, 5), (2, 4), (2, 6), (0, 5)]],
            [square, [(2, 2), (2, 5), (5, 5), (2, 2)], [(5, 5), (5, 8), (8, 8), (5, 5)]],
            [[(0, 0), (0, 90), (90, 0), (0, 0)]], [[(89, 0), (89, 90), (89, 180), (89, -90), (89, 0)]],
            [[(0, 0), (1e-7, 0), (1e-7, 1e-7), (0, 0)]], [[(-89, -180), (0, 60), (0, -60), (-89, -180)]],
        ] as [[[(Double, Double)]]]
    )
    func `rings that touch, are tiny or large are fine`(_ rings: [[(Double, Double)]]) throws {
        let polygon = try require(GeoPolygon(outerRing: rings[0], holes: Array(rings.dropFirst())))
        try polygon.validate()
    }

    @Test func `a box upside down is refused`() throws {
        let box = try require(GeoBox(bottomLeft: (10, 0), topRight: (9, 5)))
        #expect(throws: QueryError.self) { try GeoShape.box(box).validate() }
    }

    @Test func `a ring of thousands of places is checked and used quickly`() throws {
        let ring = (0..<2000).map { i -> (Double, Double) in
            let turn = Double(i) * 2 * .pi / 2000
            return ((5 + cos(40 * turn)) * sin(turn), 100 + (5 + cos(40 * turn)) * cos(turn))
        }
        let shape = try polygon(ring + [ring[0]])
        try shape.validate()
        expect(try contains(shape, 0, 100) && !contains(shape, 0, 107) && contains(shape, 3.9, 100))
    }
}
