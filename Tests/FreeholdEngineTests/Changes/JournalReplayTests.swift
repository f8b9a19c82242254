import Foundation
import TestScript
import Testing

@testable import FreeholdEngine

/// The journal of random work, replayed on plain dictionaries, says what the database holds at every version.
@Suite struct JournalReplayTests {
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
        return (first..<first + (EngineModelTests.isSoak ? 300 : 8)).map { seed in
            Run(
                seed: seed,
                span: [4, 1000, 3, 16, 65][Int(seed % 5)],
                budget: seed % 2 == 0 ? 20_000 : 64 << 20
            )
        }
    }()

    private static let cursor = "replay"

    /// Adds a cursor, then does the work bit by bit, and compares after each.
    private func follow(
        _ database: () -> Database,
        rounds: Int,
        work: () throws -> Void
    ) throws -> JournalReplay {
        let transaction = try database().beginWrite()
        try transaction.addJournalCursor(Self.cursor)
        let start = try transaction.commit()
        var at = try #require(start.journalCursors.first).position
        var replay = JournalReplay(start)
        for _ in 0..<rounds {
            try work()
            let snapshot = try database().snapshot()
            at = try replay.apply(snapshot, from: at)
            let differences = replay.differences(from: snapshot)
            #expect(differences.isEmpty, "version \(snapshot.version): \(differences.prefix(5).joined(separator: "\n"))")
            guard differences.isEmpty else { break }
            #expect(snapshot.verify() == [])
            if Bool.random() {
                let mover = try database().beginWrite()
                try mover.moveJournalCursor(Self.cursor, to: at)
                _ = try mover.commit()
            }
        }
        return replay
    }

    @Test(arguments: runs) func `tables of all kinds of values, with lists and nested collections`(_ run: Run) throws {
        let folder = TemporaryFolder()
        var driver = try EngineModelDriver(seed: run.seed, path: folder.file(), options: run.options)
        driver.largest = 400
        let replay = try follow({ driver.database }, rounds: EngineModelTests.isSoak ? 40 : 8) {
            try driver.run(transactions: 1, operations: 40)
        }
        #expect(driver.problems.isEmpty, "\(run): \(driver.problems.joined(separator: "\n"))")
        #expect(replay.seen["made"] ?? 0 > 0)
    }

    @Test(arguments: runs) func `graphs of objects and embedded objects, with deletions`(_ run: Run) throws {
        let folder = TemporaryFolder()
        var driver = try GraphDriver(seed: run.seed, path: folder.file(), options: run.options)
        _ = try follow({ driver.database }, rounds: EngineModelTests.isSoak ? 40 : 10) {
            try driver.run(transactions: 1, operations: 60)
        }
        #expect(driver.problems.isEmpty, "\(run): \(driver.problems.joined(separator: "\n"))")
    }

    @Test(arguments: runs) func `sets and dictionaries`(_ run: Run) throws {
        let folder = TemporaryFolder()
        var driver = try SetAndDictionaryDriver(seed: run.seed, path: folder.file(), options: run.options)
        _ = try follow({ driver.database }, rounds: EngineModelTests.isSoak ? 40 : 10) {
            try driver.run(transactions: 1, edits: 40)
        }
        #expect(driver.problems.isEmpty, "\(run): \(driver.problems.joined(separator: "\n"))")
    }
}
