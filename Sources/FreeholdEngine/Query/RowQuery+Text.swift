extension RowQuery {
    /// A query written as text, over the names of tables and columns as they are stored.
    ///
    /// ```swift
    /// let people = snapshot.schema.table(named: "Person")!
    /// let query = try RowQuery("age > %@ AND ANY pets.kind == 'cat' SORT(name ASC) LIMIT(10)", [.int(30)], of: people, in: snapshot)
    /// let keys = query.keys(in: snapshot)
    /// ```
    /// The language is that of Realm's query strings: conditions, then `SORT`, `DISTINCT` and `LIMIT` in any number and order.
    /// The text takes time and memory in proportion to its length, whatever it says, and nests as deeply as a stack of 512 KiB
    /// bears.
    /// - Parameters:
    ///   - arguments: for `%@`, in their order, or for `$0`, `$1` …; links as `.link` or `.objectLink`.
    ///   - view: whose schema names the columns. The query can be run in it, and in later versions of the same schema.
    ///   - table: the table whose objects are asked for.
    ///   - text: the condition, and sorts and the like behind it.
    /// - Throws: what is wrong, and where: the syntax, a name that isn't there, types that can't be compared, an argument too few.
    /// - Complexity: O(text)
    public init(
        _ text: String,
        _ arguments: [Value] = [],
        of table: Table,
        in view: DataView
    ) throws(QueryError) {
        let constants: [Any] = arguments.map { argument in
            if case .link(let key) = argument { key } else { argument }
        }
        let written = try QueryParser.parse(text, arguments: constants)
        let (predicate, stages) = try QueryCompiler(StoredNames(view), table).compile(written)
        self.init(table: table, stages: [.filter(predicate)] + stages)
    }
}
