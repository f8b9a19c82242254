import Foundation
import FreeholdEngine
import FreeholdServerStore
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Values of every kind, also where no column fits.
struct ValueComparisonTests {
    enum Kind: String, CaseIterable {
        case development, schema, nothing
    }

    /// Some properties with the types of `RandomValues`, and some with other types.
    private static let schema: [TableSpec] = [
        TableSpec(
            "Thing",
            columns: [
                ColumnSpec("_id", .int), ColumnSpec("p1", .bool), ColumnSpec("p2", .int, indexed: true),
                ColumnSpec("p3", .float, optional: true), ColumnSpec("p4", .double), ColumnSpec("p5", .string),
                ColumnSpec("p6", .string, optional: true), ColumnSpec("p7", .timestamp, optional: true),
                ColumnSpec("p10", .decimal128), ColumnSpec("p11", .link, optional: true, target: "Person"),
                ColumnSpec("p12", .mixed), ColumnSpec("p13", .mixed), ColumnSpec("l2", .int, collection: .list),
                ColumnSpec("l11", .link, collection: .list, target: "Thing"),
                ColumnSpec("s5", .string, collection: .set), ColumnSpec("s11", .mixed, collection: .set),
                ColumnSpec("d2", .int, optional: true, collection: .dictionary),
                ColumnSpec("e0", .link, optional: true, target: "Inner"),
                ColumnSpec("embeddedList", .link, collection: .list, target: "Inner"),
                ColumnSpec("embeddedMap", .link, optional: true, collection: .dictionary, target: "Inner"),
            ],
            primaryKey: "_id"
        ),
        TableSpec(
            "Person",
            columns: [ColumnSpec("_id", .string), ColumnSpec("p5", .string, optional: true), ColumnSpec("p4", .mixed)],
            primaryKey: "_id"
        ),
        TableSpec(
            "Inner",
            columns: [
                ColumnSpec("p2", .int, optional: true), ColumnSpec("p5", .string),
                ColumnSpec("e1", .link, optional: true, target: "Inner"),
            ],
            isEmbedded: true
        ),
    ]

    @Test(arguments: Kind.allCases) func `values are read to the bit, with any set of columns`(kind: Kind) throws {
        let seeds = StoreSeeds.seeds("ValueComparisonTests", count: 2, soak: 1_000)
        var cases = 0
        for seed in seeds {
            var options = TwinStore.small
            options.mode = kind == .development ? .development : .schema
            let schemas: [SyncString: [TableSpec]] = kind == .schema ? ["app": Self.schema] : [:]
            let store = try TwinStore(schemas: schemas, options: options)
            defer { store.remove() }
            var rules = MergeRules()
            rules.createOnly = seed % 2 == 0 ? ["é"] : []
            var driver = StreamDriver(store, rules)
            var values = RandomValues(seed: seed)
            var random = SeededRandom(seed: seed &+ 1)
            for step in 1...TestBudget.cases(30, soak: 60) {
                let contents = driver.store.contents(of: StreamDriver.stream)
                let version = driver.store.head(of: StreamDriver.stream).version
                let changes = values.changes(contents)
                let seen = Dictionary(changes.map { ($0.object, version) }) { first, _ in first }
                let commit = Commit(
                    number: UInt64(step),
                    clock: Clock(milliseconds: Int64(step) * 50),
                    base: version,
                    seen: seen,
                    changes: changes
                )
                driver.commit([(FileIdent(rawValue: 1), commit, now: Int64(step) * 50)])
                driver.ask(&random)
                if random.chance(5) { driver.store.reopen() }
                if random.chance(4) {
                    let times = ServerStoreRequest.Kind.trim(log: Int64(step) * 25, horizon: Int64(step) * 20)
                    _ = driver.store.perform(ServerStoreRequest(StreamDriver.stream, times))
                }
                if !driver.store.problems.isEmpty { break }
            }
            driver.store.compare(StreamDriver.stream)
            driver.store.reopen()
            driver.store.compare(StreamDriver.stream)
            if let problem = driver.store.problems.first {
                Issue.record("seed \(seed), \(kind): \(problem.prefix(3_000))")
                return
            }
            let database = try Database.open(at: driver.store.file.path(of: StreamDriver.stream))
            try expectEqual(database.snapshot().verify(), [], "seed \(seed), \(kind)")
            cases += 1
        }
        expect(TestBudget.isSpent("ValueComparisonTests, \(kind)", cases: cases, of: seeds.count))
    }
}
