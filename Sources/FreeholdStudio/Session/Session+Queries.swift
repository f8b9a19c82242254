import FreeholdEngine

extension StudioSession {
    static let queryHandlers: [String: Handler] = [
        "open": Handler { session, request, answer in try session.open(request, answer) },
        "rows": Handler { session, request, _ in try session.rows(request) },
        "place": Handler { session, request, answer in try session.place(request, answer) },
        "seen": Handler { session, request, _ in
            session.cursors[try request.number("cursor")]?.acknowledge()
            session.deliver()
            return [:]
        },
        "close": Handler { session, request, _ in
            session.cursors[try request.number("cursor")] = nil
            return [:]
        },
        "pause": Handler { session, _, _ in
            session.pause()
            return [:]
        },
        "resume": Handler { session, _, _ in
            try session.resume()
            return [:]
        },
    ]

    // MARK: Opening

    private struct Opened: @unchecked Sendable {
        // It is Sendable because it is created on one thread and then used on another one only.
        let compiled: TableQuery.Compiled
        let rows: FollowedRows
        let duration: Duration
    }

    private func open(_ request: StudioRequest, _ answer: Answer) throws -> StudioJSON? {
        let query = try TableQuery(request)
        let place = try request.optionalText("table")
        let flag = beginOpening(place)
        guard cursors.count < Self.mostCursors else {
            throw StudioError(.limit, "A page has at most \(Self.mostCursors) open queries.")
        }
        let uses = indexUses
        try work(answer, flag: flag) { view, facts in
            let clock = ContinuousClock()
            let start = clock.now
            let compiled = try query.compiled(in: view, facts, uses)
            let rows = FollowedRows(compiled, in: view)
            return Opened(compiled: compiled, rows: rows, duration: clock.now - start)
        } finish: { session, opened in
            guard session.isNewest(flag, of: place) else {
                throw StudioError(.cancelled, "A newer query replaced this one.")
            }
            return try session.add(opened, query, place)
        }
        return nil
    }

    private func add(_ opened: Opened, _ query: TableQuery, _ place: String?) throws(StudioError) -> StudioJSON {
        var rows = opened.rows
        let (_, view, _) = try shown()
        guard rows.snapshot.schemaRevision == view.schemaRevision else {
            throw StudioError(.cancelled, "The classes of the file have changed meanwhile.")
        }
        catchUp(&rows)
        guard cursors.values.reduce(rows.keyBytes, { $0 + $1.keyBytes }) <= Self.mostKeyBytes else {
            throw StudioError(.limit, "The open queries of this page have too many objects together.")
        }
        let number = nextNumber()
        cursors[number] = Cursor(number, query, place: place, compiled: opened.compiled, rows: rows)
        return [
            "cursor": .int(number), "count": .int(rows.count), "version": .int(view.version),
            "class": .string(opened.compiled.table.name), "took": .milliseconds(opened.duration),
            "columns": .array(opened.compiled.columns.map { .string($0.name) }),
        ]
    }

    func cursor(_ request: StudioRequest) throws(StudioError) -> Cursor {
        let number = try request.number("cursor")
        guard let cursor = cursors[number] else { throw StudioError(.notFound, "There is no open query \(number).") }
        return cursor
    }

    // MARK: Rows

    private func rows(_ request: StudioRequest) throws -> StudioJSON {
        let range = try request.range(limit: 500)
        let isWindow = request.body["window"]?.flag ?? true
        let cursor = try cursor(request)
        return try read { view, facts in
            let rows = cursor.read(range, isWindow: isWindow, in: view, facts)
            return [
                "version": .int(view.version), "count": .int(cursor.count), "from": .int(range.lowerBound),
                "rows": rows,
            ]
        }
    }

    private func place(_ request: StudioRequest, _ answer: Answer) throws -> StudioJSON? {
        let key = ObjectKey(Int64(try request.number("key")))
        let rows = try cursor(request).rows
        try work(answer) { _, _ in
            rows?.position(of: key)
        } finish: { _, position in
            ["index": .whole(position)]
        }
        return nil
    }

    // MARK: Hidden pages

    private func pause() {
        isPaused = true
        for cursor in cursors.values { cursor.release() }
        current = nil
    }

    private func resume() throws(StudioError) {
        guard isPaused else { return }
        isPaused = false
        guard file != nil else { return }
        _ = try shown()
        for cursor in cursors.values { rerun(cursor) }
        advance()
    }
}

extension TableQuery {
    /// - Throws: `StudioError` with the code `invalid`.
    init(_ request: StudioRequest) throws(StudioError) {
        className = try request.optionalText("class") ?? ""
        text = try request.optionalText("query") ?? ""
        arguments = try request.optionalList("arguments") ?? []
        columns = try request.optionalTexts("columns")
        for element in try request.optionalList("sort") ?? [] {
            guard let pair = element.elements, pair.count == 2, let path = pair[0].text,
                let order = pair[1].text, order == "asc" || order == "desc"
            else { throw StudioError(.invalid, "A sort is a list of pairs of a path and 'asc' or 'desc'.") }
            sort.append((path, order == "asc"))
        }
        if let owner = request.optional("of") {
            guard let name = owner["class"]?.text, let key = owner["key"]?.int, let property = owner["property"]?.text
            else {
                throw StudioError(.invalid, "The collection of a query has a class, a key and a property.")
            }
            origin = .collection(class: name, key: ObjectKey(Int64(key)), property: property)
        }
    }
}
