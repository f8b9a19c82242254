import FreeholdEngine

extension Results {
    /// Runs the query and returns how it was run: the indexes that were used or a scan of all objects, the number of
    /// visited objects, and the duration.
    ///
    /// ```swift
    /// print(realm.objects(Person.self).where { $0.name == "Anna" }.explain())
    /// // index on 'Person.name': about 3 expected, 3 looked at, 3 found
    /// // 3 objects, 3 rows looked at, 0.012 ms
    /// ```
    /// Names are those in the file.
    ///
    /// - Complexity: That of the query, which runs even if its results are already known.
    public func explain() -> QueryPlan { query.explain() }
}
