import Testing

@testable import FreeholdEngine

struct QueryModelTests {
    static let shapes: [(seed: UInt64, span: Int, rows: Int, dense: Bool, parts: Int)] = [
        (1, 4, 30, false, 0), (2, 4, 31, true, 1), (3, 16, 100, false, 2), (4, 100, 250, true, 0),
        (5, 1000, 300, false, 0), (6, 130, 400, true, 3), (7, 5, 0, true, 0), (8, 64, 200, false, 1),
    ]

    @Test(arguments: shapes)
    func `random predicates find the same objects as a plain evaluator`(
        shape: (seed: UInt64, span: Int, rows: Int, dense: Bool, parts: Int)
    ) {
        var db = RandomDatabase(
            seed: shape.seed,
            span: shape.span,
            rows: shape.rows,
            dense: shape.dense,
            partsLog2: shape.parts
        )
        let naive = NaiveEvaluator(view: db.view)
        for step in 0..<(shape.rows > 200 ? 25 : 100) {
            let predicate = db.predicate(depth: 2)
            let expected = naive.keys(db.people, predicate)
            let query = RowQuery(table: db.people, predicate: predicate)
            let found = query.keys(in: db.view)
            expectEqual(found, expected, "seed \(shape.seed) step \(step): \(predicate)")
            expectEqual(query.count(in: db.view), expected.count)
            expectEqual(query.first(in: db.view), expected.first)
            if found != expected { return }
            for key in naive.keys(db.people, .constant(true)).prefix(5) {
                expectEqual(query.matches(key, in: db.view), expected.contains(key), "seed \(shape.seed) \(predicate)")
            }
            var limited = query
            limited.stages.append(.limit(3))
            expectEqual(limited.keys(in: db.view), Array(expected.prefix(3)))
        }
    }

    @Test(arguments: shapes)
    func `sorting and limits give the same order as a comparison of values`(
        shape: (seed: UInt64, span: Int, rows: Int, dense: Bool, parts: Int)
    ) {
        var db = RandomDatabase(
            seed: shape.seed &+ 100,
            span: shape.span,
            rows: shape.rows,
            dense: shape.dense,
            partsLog2: shape.parts
        )
        let naive = NaiveEvaluator(view: db.view)
        for step in TestBudget.range("QueryModelTests.sort", usual: 15, soak: 400) {
            let sort = (0..<Int.random(in: 1...3, using: &db.random)).map { _ in db.sortKey() }
            let predicate = db.predicate(depth: 0)
            let query = RowQuery(table: db.people, predicate: predicate, sort: sort)
            let matches = naive.keys(db.people, predicate)
            let expected = matches.indices.sorted { i, j in
                for key in sort {
                    let c = db.compare(matches[i], matches[j], key)
                    if c != 0 { return c < 0 }
                }
                return i < j
            }.map { matches[$0] }
            expectEqual(query.keys(in: db.view), expected, "seed \(shape.seed) step \(step): \(sort)")
            for limit in [0, 1, 7, 1000] {
                let limited = RowQuery(table: db.people, predicate: predicate, sort: sort, limit: limit)
                expectEqual(limited.keys(in: db.view), Array(expected.prefix(limit)), "seed \(shape.seed) step \(step)")
            }
            expectEqual(query.first(in: db.view), expected.first)
        }
    }

    @Test(arguments: shapes)
    func `aggregates agree with a fold of the values`(
        shape: (seed: UInt64, span: Int, rows: Int, dense: Bool, parts: Int)
    ) {
        var db = RandomDatabase(
            seed: shape.seed &+ 200,
            span: shape.span,
            rows: shape.rows,
            dense: shape.dense,
            partsLog2: shape.parts
        )
        let naive = NaiveEvaluator(view: db.view)
        for step in TestBudget.range("QueryModelTests.aggregates", usual: 4, soak: 80) {
            let predicate = step == 0 ? .constant(true) : db.predicate(depth: 1)
            let query = RowQuery(table: db.people, predicate: predicate)
            let matches = naive.keys(db.people, predicate)
            for column in db.people.columns
            where [.int, .float, .double, .decimal128, .timestamp, .mixed].contains(column.type) {
                if column.collection != .none { continue }
                let values = matches.map { db.view.value(column, $0) }
                let note: Comment = "seed \(shape.seed) step \(step) \(column)"
                expectEqual(query.min(of: column, in: db.view), naive.fold(.minimum, values), note)
                expectEqual(query.max(of: column, in: db.view), naive.fold(.maximum, values), note)
                if column.type == .timestamp { continue }
                expect(
                    close(query.sum(of: column, in: db.view), naive.fold(.sum, values, column.type == .mixed)),
                    note
                )
                expect(
                    close(query.average(of: column, in: db.view), naive.fold(.average, values, column.type == .mixed)),
                    note
                )
            }
        }
    }

    private func close(_ a: Value, _ b: Value) -> Bool {
        if case .double(let x) = a, case .double(let y) = b, x.isFinite { return abs(x - y) <= 1e-9 * max(1, abs(y)) }
        return a == b || Value.compare(a, with: b) == 0
    }
}

extension RandomDatabase {
    func compare(_ a: ObjectKey, _ b: ObjectKey, _ key: SortKey) -> Int {
        func end(_ start: ObjectKey) -> Value? {
            var object = start
            for case .link(let link) in key.path.steps {
                guard case .link(let target) = view.value(link, object) else { return nil }
                object = target
            }
            return view.value(key.path.column!, object)
        }
        let c: Int
        switch (end(a), end(b)) {
        case (nil, nil): c = 0
        case (nil, _): c = 1
        case (_, nil): c = -1
        case (let x?, let y?): c = Value.compare(x, with: y)
        }
        return key.ascending ? c : -c
    }

    mutating func sortKey() -> SortKey {
        var path: [Column] = []
        var table = people
        while path.count < 2, Int.random(in: 0..<4, using: &random) == 0 {
            let link = table.columns.filter { $0.type == .link && $0.collection == .none }.randomElement(
                using: &random
            )!
            path.append(link)
            table = view.schema.table(id: link.targetTableID!)!
        }
        path.append(table.columns.filter { $0.collection == .none }.randomElement(using: &random)!)
        return SortKey(path, ascending: .random(using: &random))
    }

    mutating func predicate(depth: Int) -> FreeholdEngine.Predicate {
        var made = RandomPredicates(schema: view.schema, random: random)
        defer { random = made.random }
        return made.predicate(people, depth: depth)
    }
}
