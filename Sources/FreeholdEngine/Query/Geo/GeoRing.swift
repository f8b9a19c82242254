#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// An arc of a great circle, shorter than half of the circle.
struct GeoArc {
    let start: SphereVector
    let end: SphereVector
    /// The normal of the arc's plane, of length one. Places on its side are to the left of the arc.
    let normal: SphereVector
    private let chordSquared: Double

    /// The maximum distance from the line at which a place counts as on it, in radians. It allows for the rounding of coordinates.
    static let tolerance = 5e-15

    init(from start: SphereVector, to end: SphereVector) {
        self.start = start
        self.end = end
        normal = start.normal(to: end)
        chordSquared = (end - start).lengthSquared
    }

    /// A Boolean value that indicates whether the ends are opposite each other. Then there isn't a unique shortest arc between them.
    var isUndefined: Bool { (start + end).lengthSquared < 1e-24 }

    var middle: SphereVector { (start + end).normalized }

    /// Returns the sine of the angle between the place and the arc's great circle. It is positive to the left of the arc.
    @inline(__always) func side(_ p: SphereVector) -> Double { normal.dot(p) }

    /// Returns whether a place on the great circle is on the arc.
    private func spans(_ p: SphereVector) -> Bool {
        (p - start).lengthSquared <= chordSquared && (p - end).lengthSquared <= chordSquared && p.dot(start + end) > 0
    }

    @inline(__always)
    func holds(_ p: SphereVector) -> Bool { abs(side(p)) <= Self.tolerance && spans(p) }

    /// Returns whether the inner part of one arc crosses the inner part of the other.
    func crosses(_ other: GeoArc) -> Bool {
        let (a, b) = (side(other.start), side(other.end))
        let (c, d) = (other.side(start), other.side(end))
        guard min(abs(a), abs(b), abs(c), abs(d)) > Self.tolerance, (a < 0) != (b < 0), (c < 0) != (d < 0) else {
            return false
        }
        // Two great circles intersect twice. The intersection on one arc must be the one on the other arc.
        return (start * abs(d) + end * abs(c)).dot(other.start + other.end) > 0
    }

    /// Returns whether the arcs have more than one place in common along their length.
    func overlaps(_ other: GeoArc) -> Bool {
        let shared = [start, end].filter { other.holds($0) } + [other.start, other.end].filter { holds($0) }
        guard let first = shared.first else { return false }
        return shared.contains { ($0 - first).lengthSquared > 4 * Self.tolerance * Self.tolerance }
    }

    /// Returns the distance from a place to the nearest place of the arc, in radians.
    func distance(to p: SphereVector) -> Double {
        if normal.cross(start).dot(p) > 0, end.cross(normal).dot(p) > 0 { return asin(min(1, abs(side(p)))) }
        return min(p.angle(to: start), p.angle(to: end))
    }
}

/// A closed ring of arcs, which divides the earth's surface into an inside and an outside.
struct GeoRing {
    let arcs: [GeoArc]
    private let references: [Reference]
    /// The centre and radius of a circle that contains the inside. The radius is π if no smaller circle is known.
    let bound: (center: SphereVector, radius: Double)

    /// A place whose side of the ring, and of each arc's great circle, is known.
    private struct Reference {
        let place: SphereVector
        let isInside: Bool
        let isLeft: [Bool]
    }

    /// Creates a ring.
    /// - Precondition: the points are a valid ring.
    init(_ points: [GeoPoint]) {
        let vertices = points.dropLast().map { SphereVector($0) }
        let arcs = zip(vertices, vertices[1...] + [vertices[0]]).map { GeoArc(from: $0, to: $1) }
        self.arcs = arcs
        let isInsideLeft = Self.turning(arcs) >= -1e-12
        references = Self.references(arcs, isInsideLeft)
        bound = Self.bound(vertices)
    }

    // MARK: Places

    enum Side { case inside, outside, border }

    func side(_ p: SphereVector) -> Side {
        // The path to the reference must not be too short, and must not be half of the circumference.
        let far = references.first { p.cross($0.place).lengthSquared > 1e-4 }
        let reference = far ?? references[0]
        let plane = p.cross(reference.place)
        let middle = p + reference.place
        var isInside = reference.isInside
        var before = plane.dot(arcs[0].start) >= 0
        for i in arcs.indices {
            let arc = arcs[i]
            let height = arc.side(p)
            if abs(height) <= GeoArc.tolerance, arc.holds(p) { return .border }
            let after = plane.dot(arc.end) >= 0
            if before != after, (height > 0) != reference.isLeft[i] {
                let (a, b) = (abs(plane.dot(arc.start)), abs(plane.dot(arc.end)))
                if (arc.start * b + arc.end * a).dot(middle) > 0 { isInside.toggle() }
            }
            before = after
        }
        return isInside ? .inside : .outside
    }

    /// Returns the distance from a place to the ring itself, in radians.
    func distance(to p: SphereVector) -> Double { arcs.reduce(.pi) { min($0, $1.distance(to: p)) } }

    // MARK: Creation

    /// Returns the sum of the angles by which the ring turns to the left, which is 2π minus the area to its left.
    private static func turning(_ arcs: [GeoArc]) -> Double {
        var sum = 0.0
        for i in arcs.indices {
            let (arc, next) = (arcs[i], arcs[(i + 1) % arcs.count])
            let turn = atan2(arc.normal.cross(next.normal).dot(arc.end), arc.normal.dot(next.normal))
            sum += turn
        }
        return sum
    }

    /// Arbitrary directions for reference places. They are chosen so that one great circle can't make two of them unusable.
    private static let candidates = (0..<64).map { i in
        // The directions form a spiral from pole to pole.
        let z = 0.9873 - 1.9731 * (Double(i) * 0.618034).truncatingRemainder(dividingBy: 1)
        let turn = 0.7391 + 2.39996323 * Double(i)
        let radius = (1 - z * z).squareRoot()
        return SphereVector(x: radius * cos(turn), y: radius * sin(turn), z: z).normalized
    }

    private static func references(_ arcs: [GeoArc], _ isInsideLeft: Bool) -> [Reference] {
        var found: [Reference] = []
        for place in candidates {
            if let other = found.first, place.cross(other.place).lengthSquared < 0.1 { continue }
            guard let reference = reference(place, arcs, isInsideLeft: isInsideLeft) else { continue }
            found.append(reference)
            if found.count == 2 { break }
        }
        return found
    }

    /// Returns `nil` if the place is too close to an arc's great circle to determine its side reliably.
    private static func reference(_ place: SphereVector, _ arcs: [GeoArc], isInsideLeft: Bool) -> Reference? {
        let sides = arcs.map { $0.side(place) }
        guard sides.allSatisfy({ abs($0) > 1e-9 }) else { return nil }
        // The path leads from the place to the middle of an arc. At its end, the place is on the same side of the arc as at its start.
        let start = arcs.indices.max {
            arcs[$0].start.angle(to: arcs[$0].end) < arcs[$1].start.angle(to: arcs[$1].end)
        }!
        let goal = arcs[start].middle
        let plane = place.cross(goal)
        guard plane.lengthSquared > 1e-6 else { return nil }
        var isInside = (sides[start] > 0) == isInsideLeft
        for i in arcs.indices where i != start {
            let (a, b) = (plane.dot(arcs[i].start), plane.dot(arcs[i].end))
            guard (a >= 0) != (b >= 0), (arcs[i].side(goal) > 0) != (sides[i] > 0) else { continue }
            if (arcs[i].start * abs(b) + arcs[i].end * abs(a)).dot(place + goal) > 0 { isInside.toggle() }
        }
        return Reference(place: place, isInside: isInside, isLeft: sides.map { $0 > 0 })
    }

    private static func bound(_ vertices: [SphereVector]) -> (SphereVector, Double) {
        let center = vertices.reduce(SphereVector(x: 0, y: 0, z: 0), +).normalized
        let radius = vertices.reduce(0) { max($0, center.angle(to: $1)) }
        // A circle with a radius of less than a quarter of the circumference contains the arcs between its places, and therefore the smaller part.
        return center.lengthSquared > 0.5 && radius < 1.57 ? (center, radius) : (SphereVector(x: 0, y: 0, z: 1), .pi)
    }
}
