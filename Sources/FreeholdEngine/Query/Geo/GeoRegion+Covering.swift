extension GeoRegion {
    /// Returns the numbers of squares that together contain every place of the shape, as ascending ranges. The squares are few enough for look-ups,
    /// and their area isn't much larger than the shape.
    /// - Parameter limit: the approximate number of squares.
    func covering(limit: Int = 64) -> [ClosedRange<Int64>] {
        var found: [GeoCell] = []
        var pending = (0..<6).map { GeoCell(face: $0) }
        // The queue begins with the largest squares.
        var next = 0
        while next < pending.count {
            let cell = pending[next]
            next += 1
            if isFar(cell.center, radius: cell.reach) { continue }
            let bound = cell.bound
            switch relation(bound.center, radius: bound.radius) {
            case .outside: continue
            case .inside: found.append(cell)
            case .partly:
                if cell.level == GeoCell.levels || found.count + pending.count - next + 4 > limit {
                    found.append(cell)
                } else {
                    pending += cell.quarters
                }
            }
        }
        let ranges = found.map(\.numbers).sorted { $0.lowerBound < $1.lowerBound }
        var out: [ClosedRange<Int64>] = []
        for range in ranges {
            if let last = out.last, last.upperBound + 1 == range.lowerBound {
                out[out.count - 1] = last.lowerBound...range.upperBound
            } else {
                out.append(range)
            }
        }
        return out
    }
}
