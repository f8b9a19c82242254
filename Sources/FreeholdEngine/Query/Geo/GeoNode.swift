extension Planner {
    /// The objects whose path leads to a place inside the shape.
    func within(_ path: PropertyPath, _ shape: GeoShape, _ table: Table) -> PlanNode {
        ConstantNode(view: view, false)
    }
}
