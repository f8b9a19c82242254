extension Planner {
    /// The objects whose string has the words.
    func fullText(_ path: PropertyPath, _ query: FullTextQuery, _ table: Table) -> PlanNode {
        ConstantNode(view: view, false)
    }
}
