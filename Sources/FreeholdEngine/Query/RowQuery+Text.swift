extension RowQuery {
    /// Creates a query from text. The names are the stored names of tables and columns.
    ///
    /// ```swift
    /// let people = snapshot.schema.table(named: "Person")!
    /// let query = try RowQuery("age > %@ AND ANY pets.kind == 'cat' SORT(name ASC) LIMIT(10)", [.int(30)], of: people, in: snapshot)
    /// let keys = query.keys(in: snapshot)
    /// ```
    /// The language is that of Realm's query strings: conditions, followed by `SORT`, `DISTINCT` and `LIMIT` in any number and order. Parsing takes
    /// time and memory proportional to the length of the text, and its nesting is limited so that a stack of 512 KiB suffices.
    /// - Parameters:
    ///   - arguments: the values for `%@`, in their order, or for `$0`, `$1` …. Links are `.link` or `.objectLink`.
    ///   - view: a view whose schema has the columns. The query can be run in this view, and in later versions with the same schema.
    ///   - table: the table of the objects.
    ///   - text: the condition, followed by sorts and other stages.
    /// - Throws: `QueryError` with the position of the error: wrong syntax, an unknown name, types that can't be compared, or a missing argument.
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
