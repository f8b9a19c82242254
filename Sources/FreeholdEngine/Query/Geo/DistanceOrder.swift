// Places by their distance from a point.

extension DistanceKey {
    /// Radians as a double; nil of what is no place.
    func value(_ key: ObjectKey, in view: DataView) -> Value? {
        guard let (longitude, latitude) = view.coordinates(columns.coordinates, key),
            case .string("Point") = view.value(columns.type, key),
            let place = GeoPoint(latitude: latitude, longitude: longitude)
        else { return nil }
        return .double(point.distance(to: place).radians)
    }
}

extension QuerySource {
    /// Returns the nearest `limit` of the matching objects, through the index of places: circles around the point are looked into, each wider than
    /// the last, until one holds so many. Nil where there is no such index, or too few places.
    func nearest(_ sort: [SortKey], limit: Int) -> [ObjectKey]? {
        guard limit > 0, sort[0].ascending, let distance = sort[0].distance,
            distance.columns.coordinates.indexKind == .places
        else { return nil }
        let planner = Planner(view: view)
        let node = planner.node(predicate, table)
        let cursor = PathCursor(sort[0], in: view)
        let total = view.count(table)
        // As if the places were all over the earth; where they are close together, the circle is wider than it need be.
        var radius = Self.radius(ofShare: 4 * Double(limit) / Double(Swift.max(1, total)))
        while radius < 3 {
            // The circle's edge is no place to be exact at.
            guard let circle = GeoCircle(center: distance.point, radiusInRadians: radius * 1.001),
                let access = planner.placesAccess(
                    sort[0].path,
                    GeoTest(distance.columns, in: .circle(circle)),
                    table
                ), choice == .indexes || access.estimate <= total / 4
            else { return nil }
            let keys = access.keys().filter { key in
                guard case .double(let way)? = cursor.value(key.raw), way <= radius else { return false }
                return node.test(key)
            }
            if keys.count >= limit {
                // By rising keys, as the table itself gives them.
                return RowSorter(view: view, sort: sort).sorted(.keys(keys.sorted()), limit: limit)
            }
            radius *= keys.isEmpty ? 4 : 2
        }
        return nil
    }

    /// Of the circle that is so much of the earth's surface.
    private static func radius(ofShare share: Double) -> Double {
        share >= 1 ? .pi : 2 * share.squareRoot()
    }
}
