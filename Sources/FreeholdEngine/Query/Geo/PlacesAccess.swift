extension Planner {
    /// The objects that an index of places finds for the shape; nil where the path leads to none.
    func placesAccess(_ path: PropertyPath, _ shape: GeoShape, _ table: Table) -> (any IndexAccess)? { nil }
}
