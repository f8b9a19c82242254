/// An area of the earth's surface.
public enum GeoShape: Sendable, Hashable {
    case box(GeoBox)
    case circle(GeoCircle)
    case polygon(GeoPolygon)
}

/// A place: degrees north and east.
public struct GeoPoint: Sendable, Hashable {
    /// -90 … 90.
    public let latitude: Double
    /// -180 … 180.
    public let longitude: Double
    /// Metres; plays no part in queries.
    public let altitude: Double

    /// Nil outside of the ranges, of a negative altitude and of NaN.
    public init?(latitude: Double, longitude: Double, altitude: Double = 0) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude), altitude >= 0 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
    }
}

/// The area between two parallels and two meridians.
public struct GeoBox: Sendable, Hashable {
    public let bottomLeft: GeoPoint
    public let topRight: GeoPoint

    public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
        self.bottomLeft = bottomLeft
        self.topRight = topRight
    }
}

/// All places no farther from the centre than the radius.
public struct GeoCircle: Sendable, Hashable {
    public let center: GeoPoint
    public let radiusInRadians: Double

    /// Nil for a negative radius and NaN.
    public init?(center: GeoPoint, radiusInRadians: Double) {
        guard radiusInRadians >= 0 else { return nil }
        self.center = center
        self.radiusInRadians = radiusInRadians
    }
}

/// The area inside a ring of places and outside of its holes.
public struct GeoPolygon: Sendable, Hashable {
    public let outerRing: [GeoPoint]
    public let holes: [[GeoPoint]]

    /// Nil unless every ring has at least four points and ends where it begins.
    public init?(outerRing: [GeoPoint], holes: [[GeoPoint]] = []) {
        guard ([outerRing] + holes).allSatisfy({ $0.count >= 4 && $0.first == $0.last }) else { return nil }
        self.outerRing = outerRing
        self.holes = holes
    }
}
