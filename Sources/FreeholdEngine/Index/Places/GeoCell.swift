#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// A square of the grid that the index of places uses.
///
/// The earth is projected onto a cube. Each side is halved 30 times in both directions, down to squares of about a centimetre. The number of a place
/// consists of the side (0 … 5), followed by one bit for each direction of each halving. The places of any square therefore have consecutive numbers.
/// The poles (in the middle of two sides) and the antimeridian aren't special cases.
///
/// The numbers are stored in files and never change.
struct GeoCell: Equatable {
    static let levels = 30

    /// The side of the cube: 0, +x; 1, +y; 2, +z; 3, -x; 4, -y; 5, -z.
    let face: Int
    /// The level: 0 for a whole side, 30 for the smallest square.
    let level: Int
    /// The position on the side, in squares of the level.
    let column: Int
    let row: Int
    private let spanX: Span
    private let spanY: Span

    /// Creates the square of a whole side.
    init(face: Int) { self.init(face: face, level: 0, column: 0, row: 0, spanX: .side, spanY: .side) }

    private init(face: Int, level: Int, column: Int, row: Int, spanX: Span, spanY: Span) {
        self.face = face
        self.level = level
        self.column = column
        self.row = row
        self.spanX = spanX
        self.spanY = spanY
    }

    /// Returns the number of the smallest square around a place.
    static func number(_ p: SphereVector) -> Int64 {
        let (x, y, z) = (abs(p.x), abs(p.y), abs(p.z))
        let face: Int
        let (u, v): (Double, Double)
        if x >= y, x >= z {
            face = p.x >= 0 ? 0 : 3
            (u, v) = (p.y / x, p.z / x)
        } else if y >= z {
            face = p.y >= 0 ? 1 : 4
            (u, v) = (p.x / y, p.z / y)
        } else {
            face = p.z >= 0 ? 2 : 5
            (u, v) = (p.x / z, p.y / z)
        }
        return Int64(face) << 60 | Int64(spread(position(u)) << 1 | spread(position(v)))
    }

    /// Returns the position in 0 ..< 2³⁰ for -1 … 1, scaled so that the squares have similar sizes on the sphere.
    private static func position(_ u: Double) -> UInt64 {
        let s = 0.5 + atan(u) * (2 / .pi)
        return UInt64(min(max(s * Double(1 << levels), 0), Double(1 << levels - 1)))
    }

    /// Returns the value with a zero inserted before each bit.
    private static func spread(_ value: UInt64) -> UInt64 {
        var v = value
        v = (v | v << 16) & 0x0000_FFFF_0000_FFFF
        v = (v | v << 8) & 0x00FF_00FF_00FF_00FF
        v = (v | v << 4) & 0x0F0F_0F0F_0F0F_0F0F
        v = (v | v << 2) & 0x3333_3333_3333_3333
        return (v | v << 1) & 0x5555_5555_5555_5555
    }

    /// The range of the numbers of all places in the square.
    var numbers: ClosedRange<Int64> {
        let bits = Int64(Self.spread(UInt64(column)) << 1 | Self.spread(UInt64(row)))
        let shift = Int64(2 * (Self.levels - level))
        let first = Int64(face) << 60 | bits << shift
        return first...(first | (1 << shift - 1))
    }

    var quarters: [GeoCell] {
        let (columns, rows) = ([column << 1, column << 1 | 1], [row << 1, row << 1 | 1])
        let (spansX, spansY) = (spanX.halves(columns, level: level + 1), spanY.halves(rows, level: level + 1))
        return (0..<4).map {
            GeoCell(
                face: face,
                level: level + 1,
                column: columns[$0 >> 1],
                row: rows[$0 & 1],
                spanX: spansX[$0 >> 1],
                spanY: spansY[$0 & 1]
            )
        }
    }

    private func vector(u: Double, v: Double) -> SphereVector {
        let sign = face < 3 ? 1.0 : -1.0
        return switch face % 3 {
        case 0: SphereVector(x: sign, y: u, z: v).normalized
        case 1: SphereVector(x: u, y: sign, z: v).normalized
        default: SphereVector(x: u, y: v, z: sign).normalized
        }
    }

    var center: SphereVector { vector(u: spanX.middle, v: spanY.middle) }

    /// An upper bound of the distance of a place in the square from the square's centre: half an edge in each direction. No edge is longer than it
    /// would be in the middle of a side.
    var reach: Double { .pi / 2 / Double(1 << level) }

    /// The centre and radius of a circle around the square.
    var bound: (center: SphereVector, radius: Double) {
        let center = center
        var chordSquared = 0.0
        for (u, v) in [
            (spanX.low, spanY.low), (spanX.high, spanY.low), (spanX.low, spanY.high), (spanX.high, spanY.high),
        ] {
            chordSquared = max(chordSquared, (center - vector(u: u, v: v)).lengthSquared)
        }
        // The result is at least the angle, for chords up to half a side of the cube.
        return (center, chordSquared.squareRoot() * (1 + chordSquared / 20) + 1e-14)
    }

    /// The edges and the middle of a square in one direction, on the side of the cube.
    private struct Span: Equatable {
        let low: Double
        let middle: Double
        let high: Double

        static let side = Span(low: -1, middle: 0, high: 1)

        /// - Parameter places: the positions of the halves, in squares of the next level, which is `level`.
        func halves(_ places: [Int], level: Int) -> [Span] {
            let size = Double(1 << level)
            func middle(_ place: Int) -> Double { tan(((Double(place) + 0.5) / size - 0.5) * (.pi / 2)) }
            return [
                Span(low: low, middle: middle(places[0]), high: self.middle),
                Span(low: self.middle, middle: middle(places[1]), high: high),
            ]
        }
    }
}
