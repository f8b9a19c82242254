public import FreeholdEngine

// Sorts by the distance of places from a point. `Query+Places.swift` defines places.

extension RealmCollection {
    /// Returns the elements sorted by the distance of their places from a point, the nearest first.
    ///
    /// ```swift
    /// let nearest = companies.sorted(byDistanceFrom: paris, atKeyPath: "location").limited(to: 10)
    /// ```
    ///
    /// Elements whose place is null or isn't valid (see <doc:Places>) are last, in both directions. Elements with equal
    /// distances keep their order. In query strings, the sort is `SORT(distance(location, [2.35, 48.86]) ASC)`.
    ///
    /// - Parameter keyPath: The path to an embedded object that is a place. It may lead through to-one links.
    /// - Parameter ascending: A Boolean value that indicates whether the nearest elements are first.
    /// - Parameter point: The point from which the distances are measured.
    /// - Precondition: The property is a place.
    /// - Complexity: O(1) for the call, and O(n log n) when the results are read. With a following `limited(to:)` and
    ///   an index of places, reading takes about O(places that are as near).
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
    /// Returns the elements sorted by the distance of their places from a point. See
    /// `sorted(byDistanceFrom:atKeyPath:ascending:)`.
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
