import Foundation
import Testing

@testable import FreeholdEngine

/// Prints nanoseconds a row at a million rows. Run in release with `FREEHOLD_LONG=1`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["FREEHOLD_LONG"] != nil))
struct QueryTimingTests {
    static func column(_ table: Int, _ index: Int, _ name: String, _ type: ColumnType, target: Int? = nil) -> Column {
        Column(
            id: index,
            index: index,
            tableID: table,
            name: name,
            type: type,
            isOptional: false,
            collection: .none,
            targetTableID: target,
            indexKind: .none,
            isPrimaryKey: false,
            firstSegment: UInt32((table * 16 + index) * 8)
        )
    }

    @Test func `a million rows`() {
        var random = SeededRandom(seed: 42)
        let rows = 1_000_000
        let first = ["Anna", "Bert", "Carla", "Dieter", "Emil", "Franka", "Gustav", "Hanna"]
        let people = Table(
            id: 0,
            name: "P",
            columns: [
                Self.column(0, 0, "name", .string), Self.column(0, 1, "age", .int), Self.column(0, 2, "score", .double),
                Self.column(0, 3, "active", .bool), Self.column(0, 4, "dog", .link, target: 1),
                Self.column(0, 5, "id", .int), Self.column(0, 6, "wide", .int),
            ],
            firstSegment: 4096,
            nextColumnID: 16
        )
        let dogs = Table(
            id: 1,
            name: "D",
            columns: [Self.column(1, 0, "age", .int)],
            firstSegment: 4104,
            nextColumnID: 16
        )
        let data = MemoryView.TableData()
        data.rows = (0..<rows).map { i in
            let name = first.randomElement(using: &random)! + String(Int.random(in: 0..<1_000_000, using: &random))
            return [
                .string(name), .int(.random(in: 0..<100, using: &random)), .double(.random(in: 0..<1, using: &random)),
                .bool(.random(using: &random)), .link(ObjectKey(.random(in: 0..<100_000, using: &random))),
                .int(Int64(i)), .int(Int64.random(in: .min ... .max, using: &random)),
            ]
        }
        let dogData = MemoryView.TableData()
        dogData.rows = (0..<100_000).map { _ in [.int(.random(in: 0..<15, using: &random))] }
        let view = MemoryView(
            schema: DatabaseSchema(tables: [people, dogs]),
            clusterSpan: 1000,
            tables: [0: data, 1: dogData]
        )
        view.build()
        let columns = people.columns
        guard case .string(let someName) = data.rows[777]![0] else { return }
        let path = { PropertyPath(columns[$0]) }
        func time(_ name: String, _ goal: Double, _ body: () -> Int) {
            var times: [Double] = []
            var result = 0
            for _ in 0..<5 {
                let start = ContinuousClock.now
                result = body()
                let d = (ContinuousClock.now - start).components
                times.append((Double(d.seconds) * 1e9 + Double(d.attoseconds) / 1e9) / Double(rows))
            }
            times.sort()
            print("\(name): \(times[2]) ns/row (min \(times[0])), goal \(goal), result \(result)")
        }
        func count(_ name: String, _ goal: Double, _ p: FreeholdEngine.Predicate) {
            time(name, goal) { RowQuery(table: people, predicate: p).count(in: view) }
        }
        count("age > 50", 1.5, .comparison(path(1), .greater, .int(50)))
        count("wide > 0 (8 bytes)", 1.5, .comparison(path(6), .greater, .int(0)))
        count("name ==", 4, .comparison(path(0), .equal, .string(someName)))
        count("name CONTAINS", 15, .string(path(0), .contains, pattern: "a12"))
        count("name CONTAINS one letter", 15, .string(path(0), .contains, pattern: "a"))
        count("name CONTAINS[c]", 20, .string(path(0), .contains, pattern: "NA12", ignoringCase: true))
        count("name BEGINSWITH", 6, .string(path(0), .beginsWith, pattern: "Ann"))
        count("name BEGINSWITH[c]", 8, .string(path(0), .beginsWith, pattern: "ANNA1", ignoringCase: true))
        count(
            "three ANDed",
            4,
            .and([
                .comparison(path(1), .greater, .int(50)), .comparison(path(2), .less, .double(0.5)),
                .comparison(path(3), .equal, .bool(true)),
            ])
        )
        count("dog.age > 5", 30, .comparison(PropertyPath(columns: [columns[4], dogs.columns[0]]), .greater, .int(5)))
        time("sum int", 1) {
            if case .int(let x) = RowQuery(table: people).sum(of: columns[1], in: view) { Int(x) } else { 0 }
        }
        time("sum wide int", 1) {
            if case .int(let x) = RowQuery(table: people).sum(of: columns[6], in: view) { Int(x) } else { 0 }
        }
        time("sum double", 1) {
            if case .double(let x) = RowQuery(table: people).sum(of: columns[2], in: view) { Int(x) } else { 0 }
        }
        time("keys age > 50", 5) {
            RowQuery(table: people, predicate: .comparison(path(1), .greater, .int(50))).keys(in: view).count
        }
        time("sort by string", 1130) { Int(RowQuery(table: people, sort: [SortKey(columns[0])]).keys(in: view)[5].raw) }
        time("sort by age", 174) { Int(RowQuery(table: people, sort: [SortKey(columns[1])]).keys(in: view)[5].raw) }
        time("sort by wide int", 174) {
            Int(RowQuery(table: people, sort: [SortKey(columns[6])]).keys(in: view)[5].raw)
        }
        time("filter, sort by string, 100", 40) {
            RowQuery(
                table: people,
                predicate: .comparison(path(1), .greater, .int(50)),
                sort: [SortKey(columns[0])],
                limit: 100
            )
            .keys(in: view).count
        }
        time("grouped by age: sum of doubles", 20) {
            let groups = RowQuery(table: people).groups(by: [path(1)], in: view)
            return (0..<groups.count).reduce(0) { total, i in
                if case .double(let x) = groups.aggregate(.sum, of: path(2), i) { total + Int(x) } else { total }
            }
        }
        time("grouped by age, filtered: sum of ints", 20) {
            let some = RowQuery(table: people, predicate: .comparison(path(3), .equal, .bool(true)))
            let groups = some.groups(by: [path(1)], in: view)
            return (0..<groups.count).reduce(0) { total, i in
                if case .int(let x) = groups.aggregate(.sum, of: path(5), i) { total &+ Int(x) } else { total }
            }
        }
        time("grouped by name (about 900,000)", 400) { RowQuery(table: people).groups(by: [path(0)], in: view).count }
        time("grouped by dog.age and active", 40) {
            let dogAge = PropertyPath(columns: [columns[4], dogs.columns[0]])
            return RowQuery(table: people).groups(by: [dogAge, path(3)], in: view).count
        }
        time("distinct ages", 20) {
            RowQuery(table: people, stages: [.distinct([path(1)])]).keys(in: view).count
        }
        time("sort by dog.age, 100", 100) {
            let dogAge = SortKey([columns[4], dogs.columns[0]])
            return RowQuery(table: people, sort: [dogAge], limit: 100).keys(in: view).count
        }
    }
}
