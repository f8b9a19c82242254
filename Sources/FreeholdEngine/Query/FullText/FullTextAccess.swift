extension Planner {
    /// The objects that a full-text index finds for the words; nil where the column has none.
    func fullTextAccess(_ path: PropertyPath, _ query: FullTextQuery, _ table: Table) -> (any IndexAccess)? { nil }
}
