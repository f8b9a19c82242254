#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// A shape that is prepared for the test of many places.
struct GeoRegion {
    private enum Form {
        case box
        case circle(center: SphereVector, radius: Double, chordSquared: Double)
        case polygon(GeoRing, holes: [GeoRing])
    }

    private let form: Form
    /// The parallels and meridians around the shape. For a box, they are the shape itself.
    private let bounds: GeoBounds

    /// Returns `nil` for an invalid shape.
    init?(_ shape: GeoShape) {
        do throws(QueryError) { try shape.validate() } catch { return nil }
        switch shape {
        case .box(let box):
            form = .box
            bounds = GeoBounds(
                south: box.bottomLeft.latitude,
                north: box.topRight.latitude,
                west: box.bottomLeft.longitude,
                east: box.topRight.longitude
            )
        case .circle(let circle):
            let center = SphereVector(circle.center)
            let radius = min(circle.radiusInRadians, .pi)
            // The length of the chord, through the earth, to places at the distance of the radius. If the radius exceeds a quarter of the
            // circumference, the chord is measured from the opposite place, because chords from the centre hardly grow near there.
            let half = radius <= .pi / 2 ? sin(radius / 2) : cos(radius / 2)
            form = .circle(center: center, radius: radius, chordSquared: radius == .pi ? 0 : 4 * half * half)
            bounds = GeoBounds(center: center, radius: radius)
        case .polygon(let polygon):
            let outer = GeoRing(polygon.outerRing)
            form = .polygon(outer, holes: polygon.holes.map { GeoRing($0) })
            bounds = GeoBounds(center: outer.bound.center, radius: outer.bound.radius)
        }
    }

    /// Returns whether a place is inside the shape. Numbers that aren't a place are outside.
    @inline(__always)
    func contains(latitude: Double, longitude: Double) -> Bool {
        guard bounds.contains(latitude: latitude, longitude: longitude) else { return false }
        if case .box = form { return true }
        return contains(SphereVector(latitude: latitude, longitude: longitude))
    }

    private func contains(_ p: SphereVector) -> Bool {
        switch form {
        case .box: return bounds.contains(latitude: p.latitude, longitude: p.longitude)
        case .circle(let center, let radius, let chordSquared):
            if radius <= .pi / 2 { return (p - center).lengthSquared <= chordSquared }
            return (p + center).lengthSquared >= chordSquared
        case .polygon(let outer, let holes):
            return outer.side(p) != .outside && !holes.contains { $0.side(p) == .inside }
        }
    }

    // MARK: Areas

    /// Returns whether a circle is outside the shape. The test is fast and may return false for circles that are near the shape.
    func isFar(_ center: SphereVector, radius: Double) -> Bool {
        let (middle, reach): (SphereVector, Double)
        switch form {
        case .box: return false
        case .circle(let center, let radius, _): (middle, reach) = (center, radius)
        case .polygon(let outer, _): (middle, reach) = outer.bound
        }
        // The chord through the earth is shorter than the arc.
        return (middle - center).lengthSquared > (reach + radius) * (reach + radius)
    }

    enum Relation { case outside, partly, inside }

    /// Returns the position of a small circle relative to the shape. The result may be `partly` also for circles that are wholly inside or outside.
    func relation(_ center: SphereVector, radius: Double) -> Relation {
        switch form {
        case .box: return bounds.relation(GeoBounds(center: center, radius: radius))
        case .circle(let middle, let reach, _):
            let distance = middle.angle(to: center)
            return distance > reach + radius ? .outside : distance + radius < reach ? .inside : .partly
        case .polygon(let outer, let holes):
            let (middle, reach) = outer.bound
            if middle.angle(to: center) > reach + radius { return .outside }
            if outer.distance(to: center) <= radius { return .partly }
            if outer.side(center) == .outside { return .outside }
            for hole in holes {
                if hole.distance(to: center) <= radius { return .partly }
                if hole.side(center) == .inside { return .outside }
            }
            return .inside
        }
    }
}

/// The area between two parallels and two meridians. It reaches from the western meridian eastwards to the eastern one, across the antimeridian if
/// the western number is greater.
struct GeoBounds {
    let south: Double
    let north: Double
    let west: Double
    let east: Double

    init(south: Double, north: Double, west: Double, east: Double) {
        self.south = south
        self.north = north
        self.west = west
        self.east = east
    }

    /// Creates the bounds of a circle.
    init(center: SphereVector, radius: Double) {
        let margin = 1e-12
        let (latitude, longitude) = (center.latitude, center.longitude)
        let reach = (radius + margin) * (180 / .pi)
        let (south, north) = (latitude - reach, latitude + reach)
        guard south > -90, north < 90 else {
            self.init(south: max(south, -90), north: min(north, 90), west: -180, east: 180)
            return
        }
        // The meridian through the centre and a meridian that touches the circle form a triangle with a right angle at the point of contact.
        let ratio = sin(radius + margin) / cos(latitude * (.pi / 180))
        let width = ratio < 1 ? asin(ratio) * (180 / .pi) + 1e-9 : 180
        guard width < 180 else {
            self.init(south: south, north: north, west: -180, east: 180)
            return
        }
        let (west, east) = (longitude - width, longitude + width)
        self.init(
            south: south,
            north: north,
            west: west < -180 ? west + 360 : west,
            east: east > 180 ? east - 360 : east
        )
    }

    @inline(__always)
    func contains(latitude: Double, longitude: Double) -> Bool {
        guard latitude >= south, latitude <= north, latitude >= -90, latitude <= 90, longitude >= -180,
            longitude <= 180
        else { return false }
        if longitude >= west, longitude <= east { return true }
        if west > east, longitude >= west || longitude <= east { return true }
        return isOnBorder(latitude: latitude, longitude: longitude)
    }

    /// Returns whether the place is on the border as a pole, which is on every meridian, or on the antimeridian, which has two numbers.
    @inline(never)
    private func isOnBorder(latitude: Double, longitude: Double) -> Bool {
        if latitude == 90 || latitude == -90 { return true }
        return (longitude == 180 && west == -180) || (longitude == -180 && east == 180)
    }

    private var width: Double { west <= east ? east - west : east - west + 360 }

    /// Returns the degrees from one longitude eastwards to another, in 0 ..< 360.
    private static func eastwards(from a: Double, to b: Double) -> Double {
        let way = b - a
        return way < 0 ? way + 360 : way
    }

    func relation(_ other: GeoBounds) -> GeoRegion.Relation {
        guard other.south <= north, other.north >= south else { return .outside }
        // An area around a pole touches every meridian.
        let reachesPole = other.north >= 90 || other.south <= -90
        if width < 360, other.width < 360, !reachesPole {
            let start = Self.eastwards(from: west, to: other.west)
            if start > width, start + other.width < 360 { return .outside }
            let isInside = start <= width && start + other.width <= width
            guard isInside else { return .partly }
        } else if width < 360 {
            return .partly
        }
        return other.south >= south && other.north <= north ? .inside : .partly
    }
}
