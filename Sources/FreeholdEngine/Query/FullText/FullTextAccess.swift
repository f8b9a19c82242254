extension Planner {
    /// Returns the access through a full-text index to the objects with the words. Returns `nil` if the column doesn't have such an index, or if the
    /// search has only exclusions.
    func fullTextAccess(_ path: PropertyPath, _ query: FullTextQuery, in table: Table) -> (any IndexAccess)? {
        guard path.isPlain, let column = path.column else { return nil }
        guard let step = path.steps.first else {
            guard let search = FullTextSearch(view, column, query: query), let estimate = search.estimate() else {
                return nil
            }
            return FullTextAccess(search: search, table: table, estimate: estimate)
        }
        guard case .link(let link) = step, link.type == .link,
            let target = link.targetTableID.flatMap({ view.schema.table(id: $0) }),
            let targets = fullTextAccess(PropertyPath(Array(path.steps.dropFirst()), column), query, in: target)
        else { return nil }
        return BacklinksAccess(view: view, table: table, link: link, targets: targets, check: nil)
    }
}

/// An access to the objects whose string has words.
struct FullTextAccess: IndexAccess {
    let search: FullTextSearch
    let table: Table
    let estimate: Int

    /// The estimated time of the search for a phrase in one object's text, in nanoseconds. Short ASCII texts take 120.
    private static let phrase = 300.0

    var cost: Double {
        let words = Double(search.query.included.reduce(0) { $0 + $1.words.count } + search.query.excluded.count)
        let isChecked = search.query.included.contains { !$0.isSingle }
        return words * AccessCost.descent + Double(estimate)
            * (words * AccessCost.entry + (isChecked ? Self.phrase : AccessCost.entry))
    }
    var isExact: Bool { true }
    var operation: QueryPlan.Operation { .fullText }
    var index: QueryIndex? { QueryIndex(search.column, of: table) }
    var subject: String { "\(table.name).\(search.column.name)" }

    func keys() -> [ObjectKey] { search.keys() }
}
