import Foundation

@testable import FreeholdEngine

/// The cities of the world's data, as (latitude, longitude).
enum WorldPlaces {
    static let all: [GeoPoint] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Examples/World/Data/cities.jsonl").standardizedFileURL
        let bytes = try! Data(contentsOf: file)
        return bytes.split(separator: UInt8(ascii: "\n")).map { line in
            GeoPoint(latitude: number("\"latitude\":", line), longitude: number("\"longitude\":", line))!
        }
    }()

    private static func number(_ name: String, _ line: Data) -> Double {
        let start = line.range(of: Data(name.utf8))!.upperBound
        let digits = line[start...].prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") }
        return Double(String(decoding: digits, as: UTF8.self))!
    }
}

/// Random shapes, the same for the same seed.
struct RandomShapes {
    var generator: SeededRandom

    init(seed: UInt64) { generator = SeededRandom(seed: seed) }

    mutating func unit() -> Double { Double.random(in: 0...1, using: &generator) }
    mutating func below(_ n: Int) -> Int { Int.random(in: 0..<n, using: &generator) }

    /// Returns a place that is uniformly distributed, but often near a pole, the antimeridian or a city.
    mutating func point() -> GeoPoint {
        switch below(6) {
        case 0: return GeoPoint(latitude: (below(2) == 0 ? 1 : -1) * (90 - unit() * 3), longitude: unit() * 360 - 180)!
        case 1: return GeoPoint(latitude: unit() * 180 - 90, longitude: (below(2) == 0 ? 1 : -1) * (180 - unit() * 2))!
        case 2, 3: return WorldPlaces.all[below(WorldPlaces.all.count)]
        default: return GeoPoint(latitude: asin(unit() * 2 - 1) * 180 / .pi, longitude: unit() * 360 - 180)!
        }
    }

    /// Returns a circle of any size, from a metre to the whole earth.
    mutating func circle() -> GeoCircle {
        let radius = below(8) == 0 ? unit() * 3.2 : pow(10, -7 + unit() * 7)
        return GeoCircle(center: point(), radiusInRadians: radius)!
    }

    mutating func box() -> GeoBox {
        let (a, b) = (point(), point())
        let size = pow(10, -2 + unit() * 4)
        let top = min(90, a.latitude + size)
        let east =
            below(4) == 0 ? b.longitude : (a.longitude + size > 180 ? a.longitude + size - 360 : a.longitude + size)
        return GeoBox(
            bottomLeft: a,
            topRight: GeoPoint(latitude: top, longitude: min(max(east, -180), 180))!
        )
    }

    /// Around a centre, without crossings: a star, concave more often than not. Its places have rising azimuths.
    mutating func ring(around center: GeoPoint, radius: Double, corners: Int, inner: Double = 0.3) -> [GeoPoint] {
        let turn = unit() * 2 * .pi
        var ring: [GeoPoint] = []
        for i in 0..<corners {
            let azimuth = turn + (Double(i) + unit() * 0.6) * 2 * .pi / Double(corners)
            ring.append(Naive.place(from: center, azimuth: azimuth, distance: radius * (inner + (1 - inner) * unit())))
        }
        if below(2) == 0 { ring.reverse() }
        return ring + [ring[0]]
    }

    mutating func polygon() -> (polygon: GeoPolygon, center: GeoPoint) {
        let center = point()
        let radius = below(4) == 0 ? 0.3 + unit() * 1.1 : pow(10, -5 + unit() * 4.5)
        let corners = 5 + below(12)
        let outer = ring(around: center, radius: radius, corners: corners, inner: 0.6)
        // With five corners or more a chord stays further out than half of the inner radius.
        let holes =
            below(2) == 0 ? [ring(around: center, radius: radius * 0.15, corners: 4 + below(6), inner: 0.5)] : []
        return (GeoPolygon(outerRing: outer, holes: holes)!, center)
    }
}

/// The content of shapes, computed in other ways than the engine's.
enum Naive {
    static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }

    static func haversine(_ a: GeoPoint, _ b: GeoPoint) -> Double {
        let (p, q) = (radians(a.latitude), radians(b.latitude))
        let h = pow(sin((q - p) / 2), 2) + cos(p) * cos(q) * pow(sin(radians(b.longitude - a.longitude) / 2), 2)
        return 2 * asin(min(1, h.squareRoot()))
    }

    /// The place at a distance in a direction.
    static func place(from a: GeoPoint, azimuth: Double, distance: Double) -> GeoPoint {
        let p = radians(a.latitude)
        let latitude = asin(sin(p) * cos(distance) + cos(p) * sin(distance) * cos(azimuth))
        let way = atan2(sin(azimuth) * sin(distance) * cos(p), cos(distance) - sin(p) * sin(latitude))
        var longitude = a.longitude + way * 180 / .pi
        if longitude > 180 { longitude -= 360 }
        if longitude < -180 { longitude += 360 }
        return GeoPoint(latitude: latitude * 180 / .pi, longitude: longitude)!
    }

    /// The direction from a place to another, from north by east.
    static func azimuth(from a: GeoPoint, to b: GeoPoint) -> Double {
        let (p, q, l) = (radians(a.latitude), radians(b.latitude), radians(b.longitude - a.longitude))
        return atan2(sin(l) * cos(q), cos(p) * sin(q) - sin(p) * cos(q) * cos(l))
    }

    static func contains(_ box: GeoBox, _ p: GeoPoint) -> Bool {
        guard p.latitude >= box.bottomLeft.latitude, p.latitude <= box.topRight.latitude else { return false }
        if abs(p.latitude) == 90 { return true }
        func way(_ from: Double, _ to: Double) -> Double { to < from ? to - from + 360 : to - from }
        let width = way(box.bottomLeft.longitude, box.topRight.longitude)
        return [p.longitude, p.longitude + 360, p.longitude - 360].contains {
            $0 >= box.bottomLeft.longitude && $0 - box.bottomLeft.longitude <= width
        }
    }

    /// Tests the place by the number of turns of the ring around it.
    ///
    /// - Precondition: The ring lies in less than half of the earth, around the centre.
    static func contains(_ ring: [GeoPoint], around center: GeoPoint, _ p: GeoPoint) -> Bool {
        guard haversine(center, p) < .pi / 2 else { return false }
        var sum = 0.0
        for (a, b) in zip(ring, ring.dropFirst()) {
            var turn = azimuth(from: p, to: b) - azimuth(from: p, to: a)
            if turn > .pi { turn -= 2 * .pi }
            if turn < -.pi { turn += 2 * .pi }
            sum += turn
        }
        return abs(sum) > .pi
    }

    static func contains(_ polygon: GeoPolygon, around center: GeoPoint, _ p: GeoPoint) -> Bool {
        contains(polygon.outerRing, around: center, p) && !polygon.holes.contains { contains($0, around: center, p) }
    }
}
