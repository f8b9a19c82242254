extension RowQuery {
    /// Returns the ids of the tables whose objects its stages read, including its own table.
    package func tables(of schema: DatabaseSchema) -> Set<Int> {
        var tree = WatchTree(table)
        for step in Pipeline(self).steps {
            switch step {
            case .filter(let condition): tree.add(condition)
            case .sort(let keys): for key in keys { tree.add(key) }
            case .distinct(let paths): for path in paths { tree.add(path) }
            case .window: break
            }
        }
        tree.add(Pipeline(self).predicate)
        var ids = Set(tree.nodes.map(\.tableID))
        // All classes can have links to the object.
        if tree.nodes.contains(where: \.incoming) { ids.formUnion(schema.tables.map(\.id)) }
        return ids
    }
}
