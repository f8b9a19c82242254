#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// A point of the earth's surface as a vector of length one from its centre. Neither the poles nor the antimeridian are special
/// in this form. Sums, products and directions are vectors of this type, too, of any length.
struct SphereVector: Hashable {
    var x: Double
    var y: Double
    var z: Double

    @inline(__always)
    init(_ x: Double, _ y: Double, _ z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// Equal points give equal vectors: longitudes 180 and -180 do, and all longitudes at a pole.
    init(latitude: Double, longitude: Double) {
        if latitude == 90 || latitude == -90 {
            self.init(0, 0, latitude < 0 ? -1 : 1)
            return
        }
        let north = latitude * (.pi / 180)
        let east = (longitude == -180 ? 180 : longitude) * (.pi / 180)
        let radius = cos(north)
        self.init(radius * cos(east), radius * sin(east), sin(north))
    }

    init(_ point: GeoPoint) { self.init(latitude: point.latitude, longitude: point.longitude) }

    @inline(__always) static func + (a: Self, b: Self) -> Self { Self(a.x + b.x, a.y + b.y, a.z + b.z) }
    @inline(__always) static func - (a: Self, b: Self) -> Self { Self(a.x - b.x, a.y - b.y, a.z - b.z) }
    @inline(__always) static func * (a: Self, s: Double) -> Self { Self(a.x * s, a.y * s, a.z * s) }
    @inline(__always) static prefix func - (a: Self) -> Self { Self(-a.x, -a.y, -a.z) }

    @inline(__always) func dot(_ b: Self) -> Double { x * b.x + y * b.y + z * b.z }

    @inline(__always)
    func cross(_ b: Self) -> Self { Self(y * b.z - z * b.y, z * b.x - x * b.z, x * b.y - y * b.x) }

    @inline(__always) var lengthSquared: Double { dot(self) }
    var length: Double { lengthSquared.squareRoot() }

    /// Zero stays zero.
    var normalized: Self {
        let length = length
        return length > 0 ? self * (1 / length) : self
    }

    /// Returns the direction at right angles to both, exact also for places that lie close together.
    func normal(to b: Self) -> Self { (self + b).cross(b - self).normalized }

    /// 0 … π, exact at both ends.
    func angle(to b: Self) -> Double { 2 * atan2((self - b).length, (self + b).length) }

    /// Degrees.
    var latitude: Double { atan2(z, (x * x + y * y).squareRoot()) * (180 / .pi) }
    var longitude: Double { atan2(y, x) * (180 / .pi) }
}
