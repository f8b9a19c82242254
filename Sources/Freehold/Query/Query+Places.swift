public import FreeholdEngine

// Places: embedded objects of the shape that GeoJSON has for a point, with a string `type` that is "Point" and a list of
// doubles `coordinates`, longitude first. Objects of another type, with fewer than two coordinates, or with coordinates
// out of range, are in no shape; nor is null.
//
//     class Place: EmbeddedObject {
//         @Persisted var type = "Point"
//         @Persisted(geoIndexed: true) var coordinates: List<Double>
//     }

extension Query where T: OptionalProtocol, T.Wrapped: EmbeddedObject {
    /// Whether the place lies in a `GeoBox`, `GeoCircle` or `GeoPolygon`.
    ///
    /// ```swift
    /// realm.objects(Company.self).where { $0.location.geoWithin(GeoCircle(center: (48.86, 2.35), radius: .kilometers(5)!)!) }
    /// ```
    /// - Precondition: the embedded class has the shape of a place, and the shape an inside (see `GeoPolygon.validate()`).
    /// - Complexity: O(objects); with an index of places about O(places inside). See <doc:Places>.
    public func geoWithin<Shape: _GeoShape>(_ shape: Shape) -> Query<Bool> { within(shape) }
}

extension Query where T: EmbeddedObject {
    /// Whether the place lies in a `GeoBox`, `GeoCircle` or `GeoPolygon`. See the same of optional objects.
    public func geoWithin<Shape: _GeoShape>(_ shape: Shape) -> Query<Bool> { within(shape) }
}

extension Query where T: RealmCollection, T.Element: EmbeddedObject {
    /// Whether any of the places lies in a `GeoBox`, `GeoCircle` or `GeoPolygon`.
    public func geoWithin<Shape: _GeoShape>(_ shape: Shape) -> Query<Bool> { within(shape) }
}

extension Query where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: EmbeddedObject {
    /// Whether any of the places lies in a `GeoBox`, `GeoCircle` or `GeoPolygon`.
    public func geoWithin<Shape: _GeoShape>(_ shape: Shape) -> Query<Bool> { within(shape) }
}

extension Query {
    private func within(_ shape: some _GeoShape) -> Query<Bool> { Query<Bool>(.within(path, .argument(shape))) }
}
