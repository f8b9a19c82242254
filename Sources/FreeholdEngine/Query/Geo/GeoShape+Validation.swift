extension GeoShape {
    /// Checks that the shape is valid.
    /// - Throws: `QueryError` (`.constant`) with a description of the problem. A query with such a shape throws the same error.
    /// - Complexity: O(n log n) for polygons with n places in their rings. O(n²) if all edges overlap in longitude, or for polygons with holes.
    public func validate() throws(QueryError) {
        switch self {
        case .box(let box): try box.validate()
        case .circle: break
        case .polygon(let polygon): try polygon.validate()
        }
    }

    /// Returns an error whose message doesn't name the shape.
    static func invalid(_ message: String) -> QueryError { QueryError(.constant, message) }
}

extension GeoBox {
    /// - Throws: `QueryError` if the top is below the bottom.
    public func validate() throws(QueryError) {
        guard bottomLeft.latitude <= topRight.latitude else {
            throw GeoShape.invalid(
                "A geoBox's top (latitude \(topRight.latitude)) lies below its bottom (latitude \(bottomLeft.latitude))."
            )
        }
    }
}

extension GeoPolygon {
    /// - Throws: `QueryError` if a ring intersects itself, if two neighbouring places are opposite each other, if an edge occurs twice, or if a hole
    ///   isn't inside the outer ring and outside the other holes.
    public func validate() throws(QueryError) {
        let rings = [outerRing] + holes
        for (i, ring) in rings.enumerated() { try Self.check(ring, Self.name(i)) }
        guard !holes.isEmpty else { return }
        let made = rings.map { GeoRing($0) }
        for i in made.indices {
            for j in made.indices where j > i {
                try Self.check(made[i], named: Self.name(i), against: made[j], named: Self.name(j))
            }
        }
        for i in made.indices.dropFirst() {
            guard Self.places(of: made[i]).allSatisfy({ made[0].side($0) != .outside }) else {
                throw GeoShape.invalid("A geoPolygon's \(Self.name(i)) lies outside of its outer ring.")
            }
            for j in made.indices.dropFirst() where j != i {
                guard Self.places(of: made[i]).allSatisfy({ made[j].side($0) != .inside }) else {
                    throw GeoShape.invalid("A geoPolygon's \(Self.name(i)) lies inside its \(Self.name(j)).")
                }
            }
        }
    }

    private static func name(_ ring: Int) -> String { ring == 0 ? "outer ring" : "hole \(ring)" }

    private static func places(of ring: GeoRing) -> [SphereVector] { ring.arcs.flatMap { [$0.start, $0.middle] } }

    // MARK: Single rings

    private static func check(_ ring: [GeoPoint], _ name: String) throws(QueryError) {
        var seen: [SphereVector: Int] = [:]
        for (i, point) in ring.dropLast().enumerated() {
            if let first = seen.updateValue(i, forKey: SphereVector(point)) {
                throw GeoShape.invalid("Places \(first) and \(i) of a geoPolygon's \(name) are the same, \(point).")
            }
        }
        guard seen.count >= 3 else {
            throw GeoShape.invalid("A geoPolygon's \(name) has fewer than three different places.")
        }
        let arcs = zip(ring, ring.dropFirst()).map { GeoArc(from: SphereVector($0), to: SphereVector($1)) }
        if let i = arcs.firstIndex(where: { $0.isUndefined }) {
            throw GeoShape.invalid(
                "Places \(i) and \(i + 1) of a geoPolygon's \(name) are opposite each other, so that no edge joins them."
            )
        }
        try check(arcs, ring, name: name)
    }

    /// Checks the edges of one ring, which may meet only where one ends and the next begins. The edges are sorted by their west–east extent, so that
    /// distant edges aren't compared.
    private static func check(_ arcs: [GeoArc], _ ring: [GeoPoint], name: String) throws(QueryError) {
        func meet(_ i: Int, _ j: Int) -> Bool {
            let (a, b) = (arcs[i], arcs[j])
            if (i + 1) % arcs.count == j { return b.holds(a.start) || a.holds(b.end) }
            if (j + 1) % arcs.count == i { return a.holds(b.start) || b.holds(a.end) }
            return a.crosses(b) || a.holds(b.start) || a.holds(b.end) || b.holds(a.start) || b.holds(a.end)
        }
        let spans = arcs.map { GeoExtent($0) }
        let order = arcs.indices.sorted { spans[$0].low.x < spans[$1].low.x }
        for (at, i) in order.enumerated() {
            for j in order[(at + 1)...] {
                if spans[j].low.x > spans[i].high.x { break }
                guard spans[i].overlaps(spans[j]), meet(i, j) else { continue }
                let (first, second) = (min(i, j), max(i, j))
                throw GeoShape.invalid(
                    "Edges \(first) and \(second) of a geoPolygon's \(name) meet: from \(ring[first]) to "
                        + "\(ring[first + 1]), and from \(ring[second]) to \(ring[second + 1])."
                )
            }
        }
    }

    // MARK: Two rings

    private static func check(_ a: GeoRing, named nameA: String, against b: GeoRing, named nameB: String)
        throws(QueryError)
    {
        let spans = b.arcs.map { GeoExtent($0) }
        for arc in a.arcs {
            let span = GeoExtent(arc)
            for (j, other) in b.arcs.enumerated() where span.overlaps(spans[j]) {
                if arc.crosses(other) {
                    throw GeoShape.invalid("A geoPolygon's \(nameA) and \(nameB) cross.")
                }
                if arc.overlaps(other) {
                    throw GeoShape.invalid(
                        "A geoPolygon's \(nameA) and \(nameB) have an edge, or part of one, in common."
                    )
                }
            }
        }
    }
}

/// A cuboid that contains an arc.
private struct GeoExtent {
    let low: SphereVector
    let high: SphereVector

    init(_ arc: GeoArc) {
        // The maximum height of the arc above its chord.
        let rise = 1 - (arc.start + arc.end).length / 2 + 1e-14
        low = SphereVector(
            x: min(arc.start.x, arc.end.x) - rise,
            y: min(arc.start.y, arc.end.y) - rise,
            z: min(arc.start.z, arc.end.z) - rise
        )
        high = SphereVector(
            x: max(arc.start.x, arc.end.x) + rise,
            y: max(arc.start.y, arc.end.y) + rise,
            z: max(arc.start.z, arc.end.z) + rise
        )
    }

    func overlaps(_ other: GeoExtent) -> Bool {
        low.x <= other.high.x && other.low.x <= high.x && low.y <= other.high.y && other.low.y <= high.y
            && low.z <= other.high.z && other.low.z <= high.z
    }
}
