import FreeholdEngine

extension StudioSession {
    static let resultHandlers: [String: Handler] = [
        "plan": Handler { session, request, answer in try session.plan(request, answer) },
        "sum": Handler { session, request, answer in try session.sum(request, answer) },
        "facets": Handler { session, request, answer in try session.facets(request, answer) },
        "condition": Handler { session, request, _ in try session.condition(request) },
        "copy": Handler { session, request, answer in try session.copy(request, answer) },
        "complete": Handler { session, request, _ in
            let (name, text, at) = (try request.text("class"), try request.text("text"), try request.number("at"))
            return try session.read { _, facts in try QueryCompletion(facts: facts).words(text, at: at, in: name) }
        },
        "parse": Handler { session, request, _ in
            let query = try TableQuery(request, textIn: "text")
            return try session.read { view, facts in QueryColours.json(query, in: view, facts) }
        },
    ]

    // MARK: Plans

    private func plan(_ request: StudioRequest, _ answer: Answer) throws -> StudioJSON? {
        let cursor = try cursor(request)
        let compiled = Unshared(cursor.compiled)
        try work(answer) { view, _ in
            var query = compiled.value.query
            if case .collection(let column, let key) = compiled.value.origin {
                query.source = .keys(view.listLinks(column, key))
            }
            return QueryPlanFacts.json(query.explain(in: view), for: query, in: view)
        } finish: { _, plan in
            plan
        }
        return nil
    }

    // MARK: Sums

    /// Returns a query for the rows of a cursor, or for the rows in ranges of positions of the cursor, and the number
    /// of these rows.
    private func objects(_ cursor: Cursor, _ ranges: [Range<Int>]?) throws(StudioError) -> (RowQuery, count: Int) {
        let table = cursor.compiled.table
        guard let rows = cursor.rows else { throw StudioError(.cancelled, "The query is running again.") }
        if ranges == nil, cursor.compiled.isWhole { return (RowQuery(table: table, stages: []), rows.count) }
        var keys: [ObjectKey] = []
        for range in ranges ?? [0..<rows.count] { keys += rows.keys(range) }
        return (RowQuery(table: table, source: .keys(keys), stages: []), keys.count)
    }

    private func sum(_ request: StudioRequest, _ answer: Answer) throws -> StudioJSON? {
        let cursor = try cursor(request)
        let (query, count) = try objects(cursor, try request.ranges())
        let names = try request.optionalTexts("columns")
        let table = cursor.compiled.table
        try work(answer) { view, facts in
            let columns = try names?.map { try facts.column($0, of: table) } ?? table.columns
            return ColumnSums(view: view, facts: facts).json(query, count: count, columns)
        } finish: { _, sums in
            sums
        }
        return nil
    }

    private func facets(_ request: StudioRequest, _ answer: Answer) throws -> StudioJSON? {
        let cursor = try cursor(request)
        let name = try request.text("property")
        let table = cursor.compiled.table
        guard let rows = cursor.rows else { throw StudioError(.cancelled, "The query is running again.") }
        try work(answer) { view, facts in
            try Facets(view: view, facts: facts).json(rows, try facts.column(name, of: table), table)
        } finish: { _, facets in
            facets
        }
        return nil
    }

    // MARK: Cells

    private func condition(_ request: StudioRequest) throws -> StudioJSON {
        let isNegated = try request.flag("not")
        return try read { view, facts in
            let (table, key) = try target(request, in: view, facts)
            let column = try facts.column(try request.text("property"), of: table)
            guard let text = CellCondition(view: view).text(column, of: key, isNegated: isNegated) else {
                throw StudioError(.invalid, "The query language has no condition for this value.")
            }
            return ["query": .string(text)]
        }
    }

    private static let mostCopied = 10_000
    private static let mostCopiedBytes = 4 << 20

    private func copy(_ request: StudioRequest, _ answer: Answer) throws -> StudioJSON? {
        let cursor = try cursor(request)
        guard let format = RowFormat(rawValue: try request.text("format")) else {
            throw StudioError(.invalid, "There is no form of this name.")
        }
        let (table, names) = (cursor.compiled.table, try request.optionalTexts("columns"))
        guard let rows = cursor.rows else { throw StudioError(.cancelled, "The query is running again.") }
        let ranges = try request.ranges() ?? [0..<rows.count]
        guard ranges.reduce(0, { $0 + $1.clamped(to: 0..<rows.count).count }) <= Self.mostCopied else {
            throw StudioError(.tooLarge, "At most \(Self.mostCopied) rows can be copied. Export the result.")
        }
        let keys = ranges.flatMap { rows.keys($0) }
        try work(answer) { view, facts in
            let columns = try names?.map { try facts.column($0, of: table) } ?? table.columns
            let writer = RowWriter(view: view, facts: facts, table: table, columns: columns, format: format)
            // A single cell is copied without quotation marks and separators.
            if format == .text, keys.count == 1, columns.count == 1 {
                return (ObjectText(view: view, facts: facts).cell(columns[0], of: keys[0]), 1)
            }
            var text = format == .text ? "" : writer.head
            for (i, key) in keys.enumerated() {
                text += writer.row(key, isFirst: i == 0)
                guard text.utf8.count <= Self.mostCopiedBytes else {
                    throw StudioError(.tooLarge, "At most 4 MiB can be copied. Export the result.")
                }
            }
            return (text + writer.tail, keys.count)
        } finish: { _, copied in
            ["text": .string(copied.0), "rows": .int(copied.1)]
        }
        return nil
    }
}

/// A value that one thread passes to another thread. The first thread doesn't use it afterwards.
struct Unshared<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension TableQuery {
    /// Creates a query from a request.
    ///
    /// - Parameter name: The name of the member of the request that has the text of the query.
    init(_ request: StudioRequest, textIn name: String) throws(StudioError) {
        className = try request.text("class")
        text = try request.text(name)
        arguments = try request.optionalList("arguments") ?? []
    }
}
