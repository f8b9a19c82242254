import FreeholdEngine

extension Results {
    /// Runs the query and tells how: which indexes were used or that all objects were scanned, how many were looked at,
    /// and how long it took.
    ///
    /// ```swift
    /// print(realm.objects(Person.self).where { $0.name == "Anna" }.explain())
    /// // index on 'Person.name': about 3 expected, 3 looked at, 3 found
    /// // 3 objects, 3 rows looked at, 0.012 ms
    /// ```
    /// Names are those in the file. - Complexity: that of the query, which is run whatever is known of its results.
    public func explain() -> QueryPlan { query.explain() }
}
