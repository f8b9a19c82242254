/// A place on the earth, given by its latitude (degrees north) and longitude (degrees east).
///
/// ```swift
/// let paris = GeoPoint(latitude: 48.8567, longitude: 2.3508)!
/// let newYork = GeoPoint(latitude: 40.7128, longitude: -74.006)!
/// paris.distance(to: newYork).asKilometers()  // 5,844
/// ```
/// Shapes consist of places. A property can't have this type. A model stores an embedded object in the form of a GeoJSON point: a string `type`,
/// which is "Point", and a list of doubles `coordinates` with the longitude first.
public struct GeoPoint: Sendable, Hashable {
    /// The latitude in degrees, -90 … 90.
    public let latitude: Double
    /// The longitude in degrees, -180 … 180.
    public let longitude: Double
    /// The altitude in metres. Queries ignore it.
    public let altitude: Double

    /// Returns `nil` if a number is out of range or NaN, or if the altitude is negative.
    public init?(latitude: Double, longitude: Double, altitude: Double = 0) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude), altitude >= 0 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
    }

    /// Creates a place from a pair of (latitude, longitude).
    init?(_ degrees: (Double, Double)) { self.init(latitude: degrees.0, longitude: degrees.1) }

    /// Returns the distance along the great circle, without the altitudes.
    public func distance(to other: GeoPoint) -> Distance {
        Distance(unchecked: SphereVector(self).angle(to: SphereVector(other)))
    }
}

extension GeoPoint: CustomStringConvertible {
    /// The place as in query strings, with the longitude first.
    public var description: String { "[\(longitude), \(latitude)]" }
}

/// A distance on the earth's surface, stored as the angle at the earth's centre.
///
/// As in RealmSwift, the radius of the earth is 6,378.1 km. A length on the surface therefore has an error of up to about half a percent.
public struct Distance: Sendable, Hashable, Comparable {
    private static let earthRadiusInKilometers = 6378.1
    private static let kilometersPerMile = 1.609344

    public let radians: Double

    init(unchecked radians: Double) { self.radians = radians }

    /// Returns `nil` for negative numbers and NaN, like the three functions below.
    public static func radians(_ radians: Double) -> Distance? { radians >= 0 ? Distance(unchecked: radians) : nil }
    public static func degrees(_ degrees: Double) -> Distance? { .radians(degrees * .pi / 180) }
    public static func kilometers(_ kilometers: Double) -> Distance? { .radians(kilometers / earthRadiusInKilometers) }
    public static func miles(_ miles: Double) -> Distance? { .kilometers(miles * kilometersPerMile) }

    public func asKilometers() -> Double { radians * Self.earthRadiusInKilometers }
    public func asMiles() -> Double { asKilometers() / Self.kilometersPerMile }
    public func asDegrees() -> Double { radians * 180 / .pi }

    public static func < (a: Distance, b: Distance) -> Bool { a.radians < b.radians }
}

/// The name of ``Distance`` in the libraries for other languages.
public typealias GeoDistance = Distance
