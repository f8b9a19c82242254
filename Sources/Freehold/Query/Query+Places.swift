public import FreeholdEngine

// A place is an embedded object with the structure of a point in GeoJSON: a string `type` with the value "Point" and a
// list of doubles `coordinates`, longitude first. Null, objects of another type, objects with fewer than two
// coordinates, and objects with coordinates out of range are in no shape.
//
//     class Place: EmbeddedObject {
//         @Persisted var type = "Point"
//         @Persisted(geoIndexed: true) var coordinates: List<Double>
//     }

extension Query where T: OptionalProtocol, T.Wrapped: EmbeddedObject {
    /// Matches if the place is inside a `GeoBox`, `GeoCircle` or `GeoPolygon`.
    ///
    /// ```swift
    /// realm.objects(Company.self).where { $0.location.geoWithin(GeoCircle(center: (48.86, 2.35), radius: .kilometers(5)!)!) }
    /// ```
    /// - Precondition: The embedded class has the structure of a place, and the shape has an inside (see
    ///   `GeoPolygon.validate()`).
    /// - Complexity: O(objects), or about O(places inside) with an index of places. See <doc:Places>.
    public func geoWithin<Shape: _GeoShape>(_ shape: Shape) -> Query<Bool> { within(shape) }
}

extension Query where T: EmbeddedObject {
    /// Matches if the place is inside a `GeoBox`, `GeoCircle` or `GeoPolygon`. See the same method for optional
    /// objects.
    public func geoWithin<Shape: _GeoShape>(_ shape: Shape) -> Query<Bool> { within(shape) }
}

extension Query where T: RealmCollection, T.Element: EmbeddedObject {
    /// Matches if any of the places is inside a `GeoBox`, `GeoCircle` or `GeoPolygon`.
    public func geoWithin<Shape: _GeoShape>(_ shape: Shape) -> Query<Bool> { within(shape) }
}

extension Query where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: EmbeddedObject {
    /// Matches if any of the places is inside a `GeoBox`, `GeoCircle` or `GeoPolygon`.
    public func geoWithin<Shape: _GeoShape>(_ shape: Shape) -> Query<Bool> { within(shape) }
}

extension Query {
    private func within(_ shape: some _GeoShape) -> Query<Bool> { Query<Bool>(.within(path, .argument(shape))) }
}
