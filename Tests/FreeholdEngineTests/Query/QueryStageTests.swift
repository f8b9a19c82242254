import Testing

@testable import FreeholdEngine

/// Stages in written order, against the same done to plain arrays.
struct QueryStageTests {
    struct Shape: Sendable, CustomTestStringConvertible {
        var seed: UInt64
        var span: Int
        var rows: Int
        var isDense = true
        var testDescription: String { "seed \(seed), span \(span), \(rows) rows" }
    }

    static let shapes = [
        Shape(seed: 1, span: 4, rows: 30), Shape(seed: 2, span: 16, rows: 90, isDense: false),
        Shape(seed: 3, span: 100, rows: 250), Shape(seed: 4, span: 1000, rows: 300, isDense: false),
        Shape(seed: 5, span: 5, rows: 0), Shape(seed: 6, span: 3, rows: 60),
    ]

    @Test(arguments: shapes)
    func `random stages on a table have the same result as on an array`(shape: Shape) {
        check(shape, steps: TestBudget.cases(25, soak: 600)) { naive, _ in (.table, naive.all()) }
    }

    @Test(arguments: shapes)
    func `random stages on a list with repeats have the same result as on an array`(shape: Shape) {
        check(shape, steps: TestBudget.cases(25, soak: 600)) { naive, random in
            let all = naive.all()
            let keys = (0..<Int.random(in: 0..<60, using: &random)).compactMap { _ in all.randomElement(using: &random)
            }
            return (.keys(keys), keys)
        }
    }

    private func check(
        _ shape: Shape,
        steps: Int,
        _ source: (NaiveStages, inout SeededRandom) -> (RowQuery.Source, [ObjectKey])
    ) {
        var db = RandomDatabase(
            seed: shape.seed &+ 500,
            span: shape.span,
            rows: shape.rows,
            dense: shape.isDense,
            partsLog2: Int(shape.seed % 3)
        )
        let naive = NaiveStages(db: db)
        for step in 0..<steps {
            let (origin, keys) = source(naive, &db.random)
            let stages = (0..<Int.random(in: 0...5, using: &db.random)).map { _ in db.stage() }
            let expected = stages.reduce(keys) { naive.apply($1, to: $0) }
            let query = RowQuery(table: db.people, source: origin, stages: stages)
            let note: Comment = "seed \(shape.seed) step \(step): \(stages)"
            expectEqual(query.keys(in: db.view), expected, note)
            expectEqual(query.count(in: db.view), expected.count, note)
            expectEqual(query.first(in: db.view), expected.first, note)
            let path = db.sortKey(types: [.int, .double, .mixed, .timestamp]).path
            for aggregate in [Aggregate.minimum, .maximum, .sum, .average] {
                if path.column!.type == .timestamp, aggregate == .sum || aggregate == .average { continue }
                let values = expected.compactMap { naive.value(path, $0) }
                let folded = ValueFold.fold(aggregate, values, of: path.column!.type)
                let found = query.aggregate(aggregate, of: path, in: db.view)
                expect(isClose(found, folded), "\(note) \(aggregate) \(path): \(found) \(folded)")
            }
        }
    }

    private func isClose(_ a: Value, _ b: Value) -> Bool {
        if case .double(let x) = a, case .double(let y) = b, x.isFinite { return abs(x - y) <= 1e-9 * max(1, abs(y)) }
        return Value.areEqual(a, b)
    }

    @Test func `a window of a window is one window`() {
        let all = Array(0..<20)
        let limits: [Int?] = [nil, 0, 1, 4, 30]
        let windows = [0, 2, 7, 25].flatMap { offset in limits.map { Window(offset: offset, limit: $0) } }
        for first in windows {
            for second in windows {
                let expected = second.slice(first.slice(all))
                let both = first.then(second)
                expect(both.slice(all) == expected && both.count(of: 20) == expected.count, "\(first) \(second)")
            }
        }
        expectEqual(Window(offset: .max).then(Window(offset: .max)).count(of: 9), 0)
        expect(Window(offset: 2, limit: .max).end == nil && Window(limit: -5).count(of: 9) == 0)
    }

    @Test func `key paths are names with dots and one element each`() throws {
        try expectEqual(NamedPath(keyPath: "a.b").steps, [.name("a"), .name("b")])
        try expectEqual(NamedPath(keyPath: "a['x.y]'].b").steps, [.name("a"), .place(.key("x.y]")), .name("b")])
        try expectEqual(NamedPath(keyPath: "a[k]").steps, [.name("a"), .place(.key("k"))])
        try expectEqual(NamedPath(keyPath: "a[2][\"q\"]").steps, [.name("a"), .place(.index(2)), .place(.key("q"))])
        for bad in ["", ".", "a.", ".a", "a..b", "a[", "a[]", "a['x", "a['x'", "a]b", "a[0]b", "@count", "a.@max"] {
            #expect(throws: QueryError.self, "\(bad)") { try NamedPath(keyPath: bad) }
        }
    }
}

/// Applies stages to arrays.
struct NaiveStages {
    let db: RandomDatabase
    private let evaluator: NaiveEvaluator

    init(db: RandomDatabase) {
        self.db = db
        evaluator = NaiveEvaluator(view: db.view)
    }

    func all() -> [ObjectKey] { db.view.keys(db.people) }

    /// Returns `nil` behind a null link.
    func value(_ path: PropertyPath, _ key: ObjectKey) -> Value? {
        var object = key
        for case .link(let link) in path.steps {
            guard case .link(let target) = db.view.value(link, object) else { return nil }
            object = target
        }
        if let place = path.subscripts.first {
            let all = db.view.listValues(path.column!, object)
            guard case .index(let i) = place, i < all.count else { return .null }
            return all[i]
        }
        return db.view.value(path.column!, object)
    }

    func apply(_ stage: Stage, to keys: [ObjectKey]) -> [ObjectKey] {
        switch stage {
        case .filter(let predicate): return keys.filter { evaluator.holds(predicate, $0, db.people) }
        case .limit(let n): return Array(keys.prefix(n))
        case .offset(let n): return Array(keys.dropFirst(n))
        case .distinct(let paths):
            var seen: [[Value]] = []
            return keys.filter { key in
                let values = paths.map { value($0, key) }
                guard !values.contains(where: { $0 == nil }) else { return false }
                let found = values.map { $0! }
                if seen.contains(where: { zip($0, found).allSatisfy { Value.areEqual($0, $1) } }) { return false }
                seen.append(found)
                return true
            }
        case .sort(let sort):
            return keys.indices.sorted { i, j in
                for key in sort {
                    let c = compare(keys[i], keys[j], key)
                    if c != 0 { return c < 0 }
                }
                return i < j
            }.map { keys[$0] }
        }
    }

    private func compare(_ a: ObjectKey, _ b: ObjectKey, _ key: SortKey) -> Int {
        let c: Int
        switch (value(key.path, a), value(key.path, b)) {
        case (nil, nil): c = 0
        case (nil, _): c = 1
        case (_, nil): c = -1
        case (let x?, let y?): c = Value.compare(x, with: y)
        }
        return key.ascending ? c : -c
    }
}

extension RandomDatabase {
    mutating func sortKey(types: [ColumnType]) -> SortKey {
        while true {
            let key = sortKey()
            if types.contains(key.path.column!.type) { return key }
        }
    }

    /// Sometimes of an element of a list.
    mutating func orderedKey() -> SortKey {
        var key = sortKey()
        if Int.random(in: 0..<5, using: &random) == 0 {
            let table = view.schema.table(id: key.path.column!.tableID)!
            let lists = table.columns.filter { $0.collection == .list && $0.type != .link }
            key.path.column = lists.randomElement(using: &random)!
            key.path.subscripts = [.index(.random(in: 0..<3, using: &random))]
        }
        return key
    }

    mutating func stage() -> Stage {
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1, 2: .filter(predicate(depth: 1))
        case 3, 4, 5: .sort((0..<Int.random(in: 1...3, using: &random)).map { _ in orderedKey() })
        case 6, 7: .distinct((0..<Int.random(in: 1...2, using: &random)).map { _ in orderedKey().path })
        case 8: .limit(.random(in: 0..<40, using: &random))
        default: .offset(.random(in: 0..<12, using: &random))
        }
    }
}
