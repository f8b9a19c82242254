import Foundation
import TestScript
import Testing

@testable import FreeholdEngine

/// Replays the journal of random work on plain dictionaries, and compares them with the database at every version.
struct JournalReplayTests {
    struct Run: CustomStringConvertible, Sendable {
        let seed: UInt64
        let span: Int
        let budget: Int
        var description: String { "seed \(seed), span \(span), budget \(budget)" }

        var options: Database.Options {
            var options = Database.Options()
            options.clusterSpan = span
            options.memoryBudget = budget
            options.mapSize = 1 << 30
            return options
        }
    }

    static let runs: [Run] = {
        let first = UInt64(ProcessInfo.processInfo.environment["FREEHOLD_SEED"] ?? "") ?? 1
        return (first..<first + UInt64(TestBudget.cases(5, soak: 300))).map { seed in
            Run(
                seed: seed,
                span: [4, 1000, 3, 16, 65][Int(seed % 5)],
                budget: seed % 2 == 0 ? 20_000 : 64 << 20
            )
        }
    }()

    /// Adds a cursor, then does the work bit by bit, and compares after each.
    private func follow(_ database: () -> Database, rounds: Int, work: () throws -> Void) throws -> JournalReplay {
        var follower = try JournalFollower(database())
        for round in 0..<rounds {
            try work()
            let snapshot = try database().snapshot()
            let differences = try follower.differences(from: snapshot)
            try require(differences == [], "version \(snapshot.version)")
            expectEqual(snapshot.verify(), [])
            if round % 3 == 1 { try follower.move(in: database()) }
        }
        return follower.replay
    }

    @Test(arguments: runs)
    func `the journal describes tables of all kinds of values, with lists and nested collections`(_ run: Run) throws {
        let folder = TemporaryFolder()
        var driver = try EngineModelDriver(seed: run.seed, path: folder.file(), options: run.options)
        driver.largest = 400
        let replay = try follow({ driver.database }, rounds: TestBudget.cases(6, soak: 40)) {
            try driver.run(transactions: 1, operations: 40)
        }
        expect(driver.problems.isEmpty, "\(run): \(driver.problems.joined(separator: "\n"))")
        expect(replay.seen["made"] ?? 0 > 0)
    }

    @Test(arguments: runs) func `the journal describes graphs of objects and embedded objects, with deletions`(
        _ run: Run
    ) throws {
        let folder = TemporaryFolder()
        var driver = try GraphDriver(seed: run.seed, path: folder.file(), options: run.options)
        _ = try follow({ driver.database }, rounds: TestBudget.cases(6, soak: 40)) {
            try driver.run(transactions: 1, operations: 60)
        }
        expect(driver.problems.isEmpty, "\(run): \(driver.problems.joined(separator: "\n"))")
    }

    @Test(arguments: runs) func `the journal describes sets and dictionaries`(_ run: Run) throws {
        let folder = TemporaryFolder()
        var driver = try SetAndDictionaryDriver(seed: run.seed, path: folder.file(), options: run.options)
        _ = try follow({ driver.database }, rounds: TestBudget.cases(6, soak: 40)) {
            try driver.run(transactions: 1, edits: 40)
        }
        expect(driver.problems.isEmpty, "\(run): \(driver.problems.joined(separator: "\n"))")
    }
}
