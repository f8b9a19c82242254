#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// An arc of a great circle, shorter than half of it.
struct GeoArc {
    let start: SphereVector
    let end: SphereVector
    /// Of length one; places on its side lie to the left of the arc.
    let normal: SphereVector
    private let chordSquared: Double

    /// How far from the line a place may lie that counts as on it, in radians: the rounding of coordinates.
    static let tolerance = 5e-15

    init(_ start: SphereVector, _ end: SphereVector) {
        self.start = start
        self.end = end
        normal = start.normal(to: end)
        chordSquared = (end - start).lengthSquared
    }

    /// A Boolean value that indicates whether the ends lie opposite each other, so that no shortest way leads from one to the other.
    var isUndefined: Bool { (start + end).lengthSquared < 1e-24 }

    var middle: SphereVector { (start + end).normalized }

    /// Returns the sine of the angle between the place and the arc's great circle; positive to the left.
    @inline(__always) func side(_ p: SphereVector) -> Double { normal.dot(p) }

    /// Returns whether the place, that lies on the great circle, lies on the arc.
    private func spans(_ p: SphereVector) -> Bool {
        (p - start).lengthSquared <= chordSquared && (p - end).lengthSquared <= chordSquared && p.dot(start + end) > 0
    }

    @inline(__always)
    func holds(_ p: SphereVector) -> Bool { abs(side(p)) <= Self.tolerance && spans(p) }

    /// Returns whether the inside of one arc crosses the inside of the other.
    func crosses(_ other: GeoArc) -> Bool {
        let (a, b) = (side(other.start), side(other.end))
        let (c, d) = (other.side(start), other.side(end))
        guard min(abs(a), abs(b), abs(c), abs(d)) > Self.tolerance, (a < 0) != (b < 0), (c < 0) != (d < 0) else {
            return false
        }
        // Two great circles meet twice: the place on the one arc must be that on the other.
        return (start * abs(d) + end * abs(c)).dot(other.start + other.end) > 0
    }

    /// Returns whether one lies along the other for more than a place.
    func overlaps(_ other: GeoArc) -> Bool {
        let shared = [start, end].filter { other.holds($0) } + [other.start, other.end].filter { holds($0) }
        guard let first = shared.first else { return false }
        return shared.contains { ($0 - first).lengthSquared > 4 * Self.tolerance * Self.tolerance }
    }

    /// Radians from a place to the nearest of the arc.
    func distance(to p: SphereVector) -> Double {
        if normal.cross(start).dot(p) > 0, end.cross(normal).dot(p) > 0 { return asin(min(1, abs(side(p)))) }
        return min(p.angle(to: start), p.angle(to: end))
    }
}

/// A closed ring of arcs, which parts the earth in an inside and an outside.
struct GeoRing {
    let arcs: [GeoArc]
    private let references: [Reference]
    /// A circle that holds the inside: centre and radius; the radius is π where there is none smaller.
    let bound: (center: SphereVector, radius: Double)

    /// A place of which it is known on which side of the ring it lies, and of each arc's great circle.
    private struct Reference {
        let place: SphereVector
        let isInside: Bool
        let isLeft: [Bool]
    }

    /// - Precondition: a valid ring.
    init(_ points: [GeoPoint]) {
        let vertices = points.dropLast().map { SphereVector($0) }
        let arcs = zip(vertices, vertices[1...] + [vertices[0]]).map { GeoArc($0, $1) }
        self.arcs = arcs
        let isInsideLeft = Self.turning(arcs) >= -1e-12
        references = Self.references(arcs, isInsideLeft)
        bound = Self.bound(vertices)
    }

    // MARK: Places

    enum Side { case inside, outside, border }

    func side(_ p: SphereVector) -> Side {
        // The way to the reference must be neither too short nor half around the earth.
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

    /// Radians from a place to the ring itself.
    func distance(to p: SphereVector) -> Double { arcs.reduce(.pi) { min($0, $1.distance(to: p)) } }

    // MARK: Making

    /// Returns the sum of the angles by which the ring turns to the left: 2π less the area to its left.
    private static func turning(_ arcs: [GeoArc]) -> Double {
        var sum = 0.0
        for i in arcs.indices {
            let (arc, next) = (arcs[i], arcs[(i + 1) % arcs.count])
            let turn = atan2(arc.normal.cross(next.normal).dot(arc.end), arc.normal.dot(next.normal))
            sum += turn
        }
        return sum
    }

    /// Directions of no significance, two of which no great circle can spoil together.
    private static let candidates = (0..<64).map { i in
        // A spiral from pole to pole.
        let z = 0.9873 - 1.9731 * (Double(i) * 0.618034).truncatingRemainder(dividingBy: 1)
        let turn = 0.7391 + 2.39996323 * Double(i)
        let radius = (1 - z * z).squareRoot()
        return SphereVector(radius * cos(turn), radius * sin(turn), z).normalized
    }

    private static func references(_ arcs: [GeoArc], _ isInsideLeft: Bool) -> [Reference] {
        var found: [Reference] = []
        for place in candidates {
            if let other = found.first, place.cross(other.place).lengthSquared < 0.1 { continue }
            guard let reference = reference(place, arcs, isInsideLeft) else { continue }
            found.append(reference)
            if found.count == 2 { break }
        }
        return found
    }

    /// Nil where the place lies too near to an arc's great circle to tell its side for sure.
    private static func reference(_ place: SphereVector, _ arcs: [GeoArc], _ isInsideLeft: Bool) -> Reference? {
        let sides = arcs.map { $0.side(place) }
        guard sides.allSatisfy({ abs($0) > 1e-9 }) else { return nil }
        // From the place to the middle of an arc: on arrival it is on that side of the arc that the place is.
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
        let center = vertices.reduce(SphereVector(0, 0, 0), +).normalized
        let radius = vertices.reduce(0) { max($0, center.angle(to: $1)) }
        // A circle of less than a quarter around holds the arcs between its places, and then the smaller part.
        return center.lengthSquared > 0.5 && radius < 1.57 ? (center, radius) : (SphereVector(0, 0, 1), .pi)
    }
}
