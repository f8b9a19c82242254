/// A place on the earth: degrees north and east.
///
/// ```swift
/// let paris = GeoPoint(latitude: 48.8567, longitude: 2.3508)!
/// let newYork = GeoPoint(latitude: 40.7128, longitude: -74.006)!
/// paris.distance(to: newYork).asKilometers()  // 5,844
/// ```
/// Shapes are made of places; no property can be of this type. What a model stores is an embedded object of the shape
/// that GeoJSON has for a point: a string `type` that is "Point" and a list of doubles `coordinates`, longitude first.
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

    /// From (latitude, longitude).
    init?(_ degrees: (Double, Double)) { self.init(latitude: degrees.0, longitude: degrees.1) }

    /// Returns the way along the great circle, altitudes aside.
    public func distance(to other: GeoPoint) -> Distance {
        Distance(unchecked: SphereVector(self).angle(to: SphereVector(other)))
    }
}

extension GeoPoint: CustomStringConvertible {
    /// As in query strings: longitude first.
    public var description: String { "[\(longitude), \(latitude)]" }
}

/// A distance on the earth's surface, kept as the angle at its centre.
///
/// The radius of the earth is taken as 6,378.1 km, as RealmSwift does: so a length of the surface is right to about
/// half a percent.
public struct Distance: Sendable, Hashable, Comparable {
    private static let earthRadiusInKilometers = 6378.1
    private static let kilometersPerMile = 1.609344

    public let radians: Double

    init(unchecked radians: Double) { self.radians = radians }

    /// Nil for negative numbers and NaN, as the three below.
    public static func radians(_ radians: Double) -> Distance? { radians >= 0 ? Distance(unchecked: radians) : nil }
    public static func degrees(_ degrees: Double) -> Distance? { .radians(degrees * .pi / 180) }
    public static func kilometers(_ kilometers: Double) -> Distance? { .radians(kilometers / earthRadiusInKilometers) }
    public static func miles(_ miles: Double) -> Distance? { .kilometers(miles * kilometersPerMile) }

    public func asKilometers() -> Double { radians * Self.earthRadiusInKilometers }
    public func asMiles() -> Double { asKilometers() / Self.kilometersPerMile }
    public func asDegrees() -> Double { radians * 180 / .pi }

    public static func < (a: Distance, b: Distance) -> Bool { a.radians < b.radians }
}

/// The name that other languages' libraries have for ``Distance``.
public typealias GeoDistance = Distance
