/// An area of the earth's surface.
public enum GeoShape: Sendable, Hashable {
    case box(GeoBox)
    case circle(GeoCircle)
    case polygon(GeoPolygon)
}

/// A type of shape that queries accept: a box, a circle or a polygon.
public protocol _GeoShape: Sendable {
    var _shape: GeoShape { get }
}

extension GeoShape: _GeoShape {
    public var _shape: GeoShape { self }
}

extension GeoBox: _GeoShape {
    public var _shape: GeoShape { .box(self) }
}

extension GeoCircle: _GeoShape {
    public var _shape: GeoShape { .circle(self) }
}

extension GeoPolygon: _GeoShape {
    public var _shape: GeoShape { .polygon(self) }
}

/// The area between two parallels and two meridians, including the borders.
///
/// It reaches from the left meridian eastwards to the right one. If the left one's number is greater, it crosses the antimeridian. Longitudes 180 and
/// -180 are the same meridian. A pole is on every meridian, so it is inside each box that reaches its latitude.
public struct GeoBox: Sendable, Hashable {
    public let bottomLeft: GeoPoint
    public let topRight: GeoPoint

    public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
        self.bottomLeft = bottomLeft
        self.topRight = topRight
    }

    /// Creates a box from two pairs of (latitude, longitude). Returns `nil` if a number is out of range.
    public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
        guard let bottomLeft = GeoPoint(bottomLeft), let topRight = GeoPoint(topRight) else { return nil }
        self.init(bottomLeft: bottomLeft, topRight: topRight)
    }
}

/// All points whose distance from the centre, along the great circle, is at most the radius. A radius of at least half of the circumference includes
/// all points.
public struct GeoCircle: Sendable, Hashable {
    public let center: GeoPoint
    public let radiusInRadians: Double

    /// Returns `nil` if the radius is negative or NaN.
    public init?(center: GeoPoint, radiusInRadians: Double) {
        guard radiusInRadians >= 0 else { return nil }
        self.center = center
        self.radiusInRadians = radiusInRadians
    }

    /// Creates a circle from a pair of (latitude, longitude). Returns `nil` if a number is out of range, or if the radius is negative or NaN.
    public init?(center: (Double, Double), radiusInRadians: Double) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radiusInRadians: radiusInRadians)
    }

    public init(center: GeoPoint, radius: Distance) {
        self.center = center
        radiusInRadians = radius.radians
    }

    /// Creates a circle from a pair of (latitude, longitude). Returns `nil` if a number is out of range.
    public init?(center: (Double, Double), radius: Distance) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radius: radius)
    }
}

/// The area inside a ring of places and outside its holes. The edges are arcs of great circles.
///
/// A ring divides the earth's surface into two parts. The smaller part is its inside, in whichever direction the places are listed. If both parts are
/// equal, the inside is the part to the left. Places on the edges and corners of a ring, including those of holes, belong to the polygon, with a
/// tolerance of about 30 nanometres.
///
/// Rings may touch each other, but they may not cross or share an edge, and a ring may not intersect itself. `validate()` checks this.
public struct GeoPolygon: Sendable, Hashable {
    public let outerRing: [GeoPoint]
    public let holes: [[GeoPoint]]

    /// Returns `nil` unless every ring has at least four places and ends where it begins.
    public init?(outerRing: [GeoPoint], holes: [[GeoPoint]] = []) {
        guard ([outerRing] + holes).allSatisfy({ $0.count >= 4 && $0.first == $0.last }) else { return nil }
        self.outerRing = outerRing
        self.holes = holes
    }

    public init?(outerRing: [GeoPoint], holes: [GeoPoint]...) { self.init(outerRing: outerRing, holes: holes) }

    /// Creates a polygon from pairs of (latitude, longitude). Also returns `nil` if a number is out of range.
    public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]] = []) {
        guard let outer = Self.points(outerRing) else { return nil }
        let inner = holes.compactMap(Self.points)
        guard inner.count == holes.count else { return nil }
        self.init(outerRing: outer, holes: inner)
    }

    public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    private static func points(_ ring: [(Double, Double)]) -> [GeoPoint]? {
        let points = ring.compactMap { GeoPoint($0) }
        return points.count == ring.count ? points : nil
    }
}

// MARK: Text in query strings

extension GeoShape: CustomStringConvertible {
    public var description: String {
        switch self {
        case .box(let box): box.description
        case .circle(let circle): circle.description
        case .polygon(let polygon): polygon.description
        }
    }
}

extension GeoBox: CustomStringConvertible {
    public var description: String { "geoBox(\(bottomLeft), \(topRight))" }
}

extension GeoCircle: CustomStringConvertible {
    public var description: String { "geoCircle(\(center), \(radiusInRadians))" }
}

extension GeoPolygon: CustomStringConvertible {
    public var description: String {
        let rings = ([outerRing] + holes).map { "{" + $0.map(\.description).joined(separator: ", ") + "}" }
        return "geoPolygon(\(rings.joined(separator: ", ")))"
    }
}
