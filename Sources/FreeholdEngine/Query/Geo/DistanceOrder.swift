// The order of places by their distance from a point.

extension DistanceKey {
    /// Returns the distance in radians as a double, or `nil` if the object isn't a place.
    func value(_ key: ObjectKey, in view: DataView) -> Value? {
        guard let (longitude, latitude) = view.coordinates(columns.coordinates, key),
            case .string("Point") = view.value(columns.type, key),
            let place = GeoPoint(latitude: latitude, longitude: longitude)
        else { return nil }
        return .double(point.distance(to: place).radians)
    }
}

extension QuerySource {
    /// Returns the nearest `limit` of the matching objects. The function searches circles around the point with the index of places, each wider than
    /// the last, until one contains enough objects. Returns `nil` if such an index doesn't exist, or if there are too few places.
    func nearest(_ sort: [SortKey], limit: Int) -> [ObjectKey]? {
        guard limit > 0, sort[0].ascending, let distance = sort[0].distance,
            distance.columns.coordinates.indexKind == .places
        else { return nil }
        let planner = Planner(view: view)
        let node = planner.node(predicate, table)
        let cursor = PathCursor(sort[0], in: view)
        let total = view.count(table)
        // The first radius assumes that the places are evenly distributed over the earth. It is larger than necessary if they are close together.
        var radius = Self.radius(ofShare: 4 * Double(limit) / Double(Swift.max(1, total)))
        while radius < 3 {
            // The circle is slightly enlarged, because the test at its edge isn't exact.
            guard let circle = GeoCircle(center: distance.point, radiusInRadians: radius * 1.001),
                let access = planner.placesAccess(
                    sort[0].path,
                    GeoTest(distance.columns, in: .circle(circle)),
                    in: table
                ), choice == .indexes || access.estimate <= total / 4
            else { return nil }
            uses?.note(access)
            let keys = access.keys().filter { key in
                guard case .double(let way)? = cursor.value(key.raw), way <= radius else { return false }
                return node.test(key)
            }
            if keys.count >= limit {
                // The keys are sorted because the table returns its objects in ascending order of keys.
                return RowSorter(view: view, sort: sort).sorted(.keys(keys.sorted()), limit: limit)
            }
            radius *= keys.isEmpty ? 4 : 2
        }
        return nil
    }

    /// Returns the radius, in radians, of the circle with this share of the earth's surface.
    private static func radius(ofShare share: Double) -> Double {
        share >= 1 ? .pi : 2 * share.squareRoot()
    }
}
