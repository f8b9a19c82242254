import Foundation
import TestRandom
import Testing

@testable import FreeholdEngine

/// Columns with only default values have no leaves. Snapshots remember from version to version that a leaf is missing.
struct AbsentLeafTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [false, true])
    func `each version has its own leaves, even if they were read before they existed`(inMemory: Bool) throws {
        let seed =
            ProcessInfo.processInfo.environment["FREEHOLD_SEED"].flatMap { UInt64($0) }
            ?? TestSeed.random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        var options = Database.Options()
        options.clusterSpan = 16
        let database =
            inMemory
            ? try Database.inMemory(identifier: "absent-\(seed)", options: options)
            : try Database.open(at: folder.file("absent.realm"), options: options)
        var expected: [[Bool]] = []
        let first = try database.beginWrite()
        try first.applySchema([
            TableSpec(
                "A",
                columns: [ColumnSpec("a", .bool), ColumnSpec("b", .bool), ColumnSpec("to", .link, target: "A")]
            )
        ])
        _ = try first.commit()
        var versions: [(snapshot: Snapshot, expected: [[Bool]])] = []
        func check(_ snapshot: Snapshot, _ expected: [[Bool]]) {
            let table = snapshot.schema.tables[0]
            for (row, values) in expected.enumerated() {
                for column in 0..<2 {
                    expectEqual(
                        snapshot.readBool(table.columns[column], ObjectKey(Int64(row))),
                        values[column],
                        "seed \(seed)"
                    )
                }
            }
            for column in 0..<2 {
                let query = RowQuery(
                    table: table,
                    predicate: .comparison(PropertyPath(table.columns[column]), .equal, .bool(true))
                )
                expectEqual(query.count(in: snapshot), expected.filter { $0[column] }.count, "seed \(seed)")
            }
        }
        for _ in 0..<150 {
            let transaction = try database.beginWrite()
            let table = transaction.schema.tables[0]
            if expected.count < 2000, Bool.random(using: &random) {
                for _ in 0..<Int.random(in: 1...40, using: &random) {
                    _ = try transaction.create(table)
                    expected.append([false, false])
                }
            }
            if !expected.isEmpty, Int.random(in: 0..<3, using: &random) > 0 {
                let row = Int.random(in: 0..<expected.count, using: &random)
                let column = Int.random(in: 0..<2, using: &random)
                expected[row][column].toggle()
                try transaction.set(table.columns[column], ObjectKey(Int64(row)), to: .bool(expected[row][column]))
            }
            versions.append((try transaction.commit(), expected))
            if versions.count > 6 { versions.remove(at: Int.random(in: 0..<6, using: &random)) }
            let look = versions.randomElement(using: &random)!
            check(look.snapshot, look.expected)
            if Int.random(in: 0..<5, using: &random) == 0 { check(try database.snapshot(), expected) }
        }
        for version in versions { check(version.snapshot, version.expected) }
    }
}
