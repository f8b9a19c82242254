import Testing

@testable import FreeholdEngine

/// Groups of random rows, compared with groups of plain arrays.
struct GroupTests {
    @Test(arguments: QueryStageTests.shapes)
    func `random groups have the keys, counts and aggregates of their rows`(shape: QueryStageTests.Shape) {
        var db = RandomDatabase(
            seed: shape.seed &+ 900,
            span: shape.span,
            rows: shape.rows,
            dense: shape.isDense,
            partsLog2: Int(shape.seed % 3)
        )
        let naive = NaiveStages(db: db)
        for step in TestBudget.range("GroupTests", usual: 12, soak: 300) {
            let stages = step % 3 == 0 ? [] : (0..<2).map { _ in db.stage() }
            let paths = (0..<Int.random(in: 1...3, using: &db.random)).map { _ in db.orderedKey().path }
            let rows = stages.reduce(naive.all()) { naive.apply($1, to: $0) }
            let groups = RowQuery(table: db.people, stages: stages).groups(by: paths, in: db.view)
            let note: Comment = "seed \(shape.seed) step \(step): \(stages) \(paths)"
            var expected: [(key: [Value], rows: [ObjectKey])] = []
            for row in rows {
                let key = paths.map { naive.value($0, row) ?? .null }
                if let i = expected.firstIndex(where: { Self.areEqual($0.key, key) }) {
                    expected[i].rows.append(row)
                } else {
                    expected.append((key, [row]))
                }
            }
            expected.sort { a, b in
                for (x, y) in zip(a.key, b.key) {
                    let order = Value.compare(x, with: y)
                    if order != 0 { return order < 0 }
                }
                return false
            }
            expectEqual(groups.count, expected.count, note)
            if groups.count != expected.count { return }
            let folded = db.sortKey(types: [.int, .float, .double, .mixed, .decimal128]).path
            // Lists and dictionaries have no order among themselves.
            for i in 0..<groups.count {
                guard let found = expected.first(where: { Self.areEqual($0.key, groups.key(i)) }) else {
                    Issue.record("\(note): no group \(groups.key(i))")
                    return
                }
                if i > 0 {
                    let orders = zip(groups.key(i - 1), groups.key(i)).map { Value.compare($0, with: $1) }
                    expect(orders.first { $0 != 0 } ?? 0 <= 0, note)
                }
                expectEqual(groups.count(i), found.rows.count, note)
                let values = found.rows.compactMap { naive.value(folded, $0) }
                for aggregate in [Aggregate.minimum, .maximum, .sum, .average] {
                    let value = groups.aggregate(aggregate, of: folded, i)
                    let plain = ValueFold.fold(aggregate, values, of: folded.column!.type)
                    expect(Self.isClose(value, plain), "\(note) \(aggregate) \(folded): \(value) \(plain)")
                }
            }
        }
    }

    private static func areEqual(_ a: [Value], _ b: [Value]) -> Bool {
        zip(a, b).allSatisfy { Value.areEqual($0, $1) }
    }

    private static func isClose(_ a: Value, _ b: Value) -> Bool {
        if case .double(let x) = a, case .double(let y) = b, x.isFinite { return abs(x - y) <= 1e-9 * max(1, abs(y)) }
        return Value.areEqual(a, b)
    }

    @Test func `tables of numbers and of bytes count from zero, and keep their content while they grow`() {
        var random = SeededRandom(seed: 3)
        var words = NumberTable()
        var bytes = BytesTable()
        var known: [UInt64: Int32] = [:]
        for _ in 0..<5_000 {
            let word = UInt64.random(in: 0..<2_000, using: &random) &* 0x1_0000_0001
            let expected = known[word] ?? Int32(known.count)
            let isNew = known[word] == nil
            known[word] = expected
            let found = words.code(word)
            expect(found.code == expected && found.isNew == isNew)
            let text = [UInt8](String(repeating: "x", count: Int(word % 23)).utf8) + [UInt8]("\(word)".utf8)
            let text2 = text.withUnsafeBytes { bytes.code($0) }
            expect(text2.code == expected && text2.isNew == isNew)
        }
        expect(words.count == Int32(known.count) && bytes.count == known.count)
        expect([UInt8]().withUnsafeBytes { bytes.code($0) }.isNew)
        expect(![UInt8]().withUnsafeBytes { bytes.code($0) }.isNew)
    }
}
