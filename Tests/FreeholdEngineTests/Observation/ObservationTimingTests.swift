import Foundation
import Testing

@testable import FreeholdEngine

/// Prints what it costs to follow one commit of 100 changes, by size of the result. Run in release with
/// `FREEHOLD_LONG=1`.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["FREEHOLD_LONG"] != nil))
struct ObservationTimingTests {
    /// Returns the microseconds of processor time of this thread, because other processes may use the machine.
    private static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    @Test(arguments: [1_000, 100_000, 1_000_000]) func `one commit of 100 changes`(rows: Int) throws {
        var random = SeededRandom(seed: 7)
        let folder = TemporaryFolder()
        let database = try Database.open(at: folder.file())
        let setup = try database.beginWrite()
        try setup.applySchema([
            TableSpec(
                "P",
                columns: [
                    ColumnSpec("age", .int), ColumnSpec("name", .string), ColumnSpec("dog", .link, target: "D"),
                    ColumnSpec("score", .double),
                ]
            ),
            TableSpec("D", columns: [ColumnSpec("age", .int)]),
            TableSpec("L", columns: [ColumnSpec("all", .link, collection: .list, target: "P")]),
        ])
        let people = try require(setup.schema.table(named: "P"))
        let dogs = try require(setup.schema.table(named: "D"))
        let lists = try require(setup.schema.table(named: "L"))
        let c = people.columns
        func name() -> Value { .string("name \(Int.random(in: 0..<1_000_000, using: &random))") }
        for _ in 0..<rows {
            let key = try setup.create(dogs)
            try setup.set(dogs.columns[0], key, to: .int(.random(in: 0..<15, using: &random)))
        }
        func create(_ transaction: WriteTransaction) throws {
            let key = try transaction.create(people)
            try transaction.set(c[0], key, to: .int(.random(in: 0..<100, using: &random)))
            try transaction.set(c[1], key, to: name())
            try transaction.set(c[2], key, to: .link(ObjectKey(.random(in: 0..<Int64(rows), using: &random))))
            try transaction.set(c[3], key, to: .double(.random(in: 0..<1, using: &random)))
        }
        for _ in 0..<rows { try create(setup) }
        let owner = try setup.create(lists)
        try setup.listInsert(lists.columns[0], owner, at: 0, values: setup.keys(people).map { .link($0) })
        let first = try setup.commit()

        let age = PropertyPath(c[0])
        let dogAge = PropertyPath(columns: [c[2], dogs.columns[0]])
        let grown = FreeholdEngine.Predicate.comparison(age, .greater, .int(9))
        let byName = SortKey(c[1])
        let cases: [(String, RowQuery, WatchedPaths)] = [
            ("table", RowQuery(table: people, stages: []), .deep),
            ("table, shallow", RowQuery(table: people, stages: []), .shallow),
            ("filter", RowQuery(table: people, predicate: grown), .deep),
            ("filter over link", RowQuery(table: people, predicate: .comparison(dogAge, .greater, .int(1))), .deep),
            ("sort", RowQuery(table: people, sort: [byName]), .deep),
            ("filter, sort", RowQuery(table: people, predicate: grown, sort: [SortKey(c[3]), byName]), .deep),
            ("sort over link", RowQuery(table: people, sort: [SortKey(dogAge)]), .deep),
            ("filter, sort, limit", RowQuery(table: people, predicate: grown, sort: [byName], limit: 100), .deep),
            ("key path over link", RowQuery(table: people, sort: [byName]), .paths([dogAge])),
            ("sort, distinct", RowQuery(table: people, stages: [.sort([byName]), .distinct([age])]), .deep),
        ]
        var observed = cases.map { ObservedQuery($0.1, watching: $0.2, in: first) }
        var collection = ObservedCollection(lists.columns[0], of: owner, in: first)
        let log = ChangeLog(database)
        var last = first
        var times = [[Double]](repeating: [], count: cases.count + 3)
        for _ in 0..<21 {
            let transaction = try database.beginWrite()
            let live = transaction.count(people)
            for _ in 0..<60 {
                let key = transaction.key(at: .random(in: 0..<live, using: &random), in: people)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: try transaction.set(c[0], key, to: .int(.random(in: 0..<100, using: &random)))
                case 1: try transaction.set(c[1], key, to: name())
                default:
                    let dog = transaction.readLink(c[2], key)!
                    try transaction.set(dogs.columns[0], dog, to: .int(.random(in: 0..<15, using: &random)))
                }
            }
            for _ in 0..<20 { try create(transaction) }
            for _ in 0..<20 {
                transaction.delete(people, transaction.key(at: .random(in: 0..<live - 20, using: &random), in: people))
            }
            func note(_ i: Int, _ body: () throws -> Void) rethrows {
                let start = Self.threadTime()
                try body()
                times[i].append(Self.threadTime() - start)
            }
            var next = last
            try note(cases.count) { next = try transaction.commit() }
            var changes = VersionChanges(from: 0, to: 0)
            note(cases.count + 1) { changes = log.changes(from: last, to: next) }
            for i in cases.indices {
                note(i) { _ = observed[i].advance(to: next, changes) }
            }
            note(cases.count + 2) { _ = collection.advance(to: next, changes) }
            last = next
        }
        for (i, at) in cases.enumerated() {
            expectEqual(observed[i].keys.array, at.1.keys(in: last))
            expectEqual(Set(observed[i].keys).count, observed[i].keys.count)
        }
        let names = cases.map(\.0) + ["commit", "changes", "list of all"]
        for (name, all) in zip(names, times) {
            let sorted = all.sorted()
            print("\(rows) rows, \(name): median \(Int(sorted[sorted.count / 2])) µs, worst \(Int(sorted.last!)) µs")
        }
    }
}
