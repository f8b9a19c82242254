public import FreeholdEngine

// Places by their distance from a point: see Query+Places.swift for what is a place.

extension RealmCollection {
    /// The elements by how far their places are from a point, the nearest first.
    ///
    /// ```swift
    /// let nearest = companies.sorted(byDistanceFrom: paris, atKeyPath: "location").limited(to: 10)
    /// ```
    ///
    /// Elements whose place is null, or isn't one (see <doc:Places>), come last, ascending or not. Elements that are
    /// equally far keep their order. In query strings: `SORT(distance(location, [2.35, 48.86]) ASC)`.
    ///
    /// - Parameter keyPath: An embedded object that is a place, perhaps behind to-one links.
    /// - Parameter ascending: Whether the nearest come first.
    /// - Parameter point: Where distances are measured from.
    /// - Precondition: the property is a place.
    /// - Complexity: O(1); when the results are read, O(n log n); with `limited(to:)` after it and an index of places
    ///   about O(places that are as near).
    public func sorted(
        byDistanceFrom point: GeoPoint,
        atKeyPath keyPath: String,
        ascending: Bool = true
    ) -> Results<Element> {
        let key = WrittenSortKey(NamedPath(trapping: keyPath), ascending: ascending, distanceTo: point)
        return adding("sorted", .sort([key]))
    }
}

extension RealmCollection where Element: KeypathSortable {
    /// The elements by how far their places are from a point: see `sorted(byDistanceFrom:atKeyPath:ascending:)`.
    ///
    /// ```swift
    /// let nearest = companies.sorted(byDistanceFrom: paris, at: \.location).limited(to: 10)
    /// ```
    public func sorted<Place>(
        byDistanceFrom point: GeoPoint,
        at keyPath: KeyPath<Element, Place>,
        ascending: Bool = true
    ) -> Results<Element> {
        sorted(byDistanceFrom: point, atKeyPath: placedName(for: keyPath), ascending: ascending)
    }
}
