#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// A point of the earth's surface as a unit vector from its centre. In this form, the poles and the antimeridian aren't special cases. Sums, products
/// and directions have this type, too, with any length.
struct SphereVector: Hashable {
    var x: Double
    var y: Double
    var z: Double

    @inline(__always)
    init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// Creates the vector of a point. Equal points have equal vectors: longitudes 180 and -180 are equal, and all longitudes at a pole are equal.
    init(latitude: Double, longitude: Double) {
        if latitude == 90 || latitude == -90 {
            self.init(x: 0, y: 0, z: latitude < 0 ? -1 : 1)
            return
        }
        let north = latitude * (.pi / 180)
        let east = (longitude == -180 ? 180 : longitude) * (.pi / 180)
        let radius = cos(north)
        self.init(x: radius * cos(east), y: radius * sin(east), z: sin(north))
    }

    init(_ point: GeoPoint) { self.init(latitude: point.latitude, longitude: point.longitude) }

    @inline(__always) static func + (a: Self, b: Self) -> Self { Self(x: a.x + b.x, y: a.y + b.y, z: a.z + b.z) }
    @inline(__always) static func - (a: Self, b: Self) -> Self { Self(x: a.x - b.x, y: a.y - b.y, z: a.z - b.z) }
    @inline(__always) static func * (a: Self, s: Double) -> Self { Self(x: a.x * s, y: a.y * s, z: a.z * s) }
    @inline(__always) static prefix func - (a: Self) -> Self { Self(x: -a.x, y: -a.y, z: -a.z) }

    @inline(__always) func dot(_ b: Self) -> Double { x * b.x + y * b.y + z * b.z }

    @inline(__always)
    func cross(_ b: Self) -> Self { Self(x: y * b.z - z * b.y, y: z * b.x - x * b.z, z: x * b.y - y * b.x) }

    @inline(__always) var lengthSquared: Double { dot(self) }
    var length: Double { lengthSquared.squareRoot() }

    /// The vector with length one. Zero remains zero.
    var normalized: Self {
        let length = length
        return length > 0 ? self * (1 / length) : self
    }

    /// Returns the direction that is perpendicular to both vectors. It is exact also for places that are close together.
    func normal(to b: Self) -> Self { (self + b).cross(b - self).normalized }

    /// Returns the angle, 0 … π, which is exact at both ends.
    func angle(to b: Self) -> Double { 2 * atan2((self - b).length, (self + b).length) }

    /// The latitude in degrees.
    var latitude: Double { atan2(z, (x * x + y * y).squareRoot()) * (180 / .pi) }
    var longitude: Double { atan2(y, x) * (180 / .pi) }
}
