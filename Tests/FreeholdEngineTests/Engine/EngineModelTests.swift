import Foundation
import TestScript
import Testing

@testable import FreeholdEngine

struct EngineModelTests {
    static let isSoak = TestBudget.isSoak

    struct Run: CustomStringConvertible, Sendable {
        let seed: UInt64
        let span: Int
        let budget: Int
        var isEncrypted = false
        var description: String {
            "seed \(seed), span \(span), budget \(budget)\(isEncrypted ? ", encrypted" : "")"
        }
    }

    static let runs: [Run] = {
        let first = UInt64(ProcessInfo.processInfo.environment["FREEHOLD_SEED"] ?? "") ?? 1
        func run(_ seed: UInt64, isEncrypted: Bool) -> Run {
            let spans = [1000, 4, 3, 16, 65, 1000, 7, 1]
            let budget = seed % 2 == 0 ? 20_000 : 64 << 20
            return Run(seed: seed, span: spans[Int(seed % 8)], budget: budget, isEncrypted: isEncrypted)
        }
        return (first..<first + (isSoak ? 400 : 8)).map { run($0, isEncrypted: false) }
            + (first + 1000..<first + 1000 + (isSoak ? 100 : 4)).map { run($0, isEncrypted: true) }
    }()

    @Test(arguments: runs) func `random operations have the same result as on the model`(_ run: Run) throws {
        let folder = TemporaryFolder()
        var options = Database.Options()
        options.clusterSpan = run.span
        options.memoryBudget = run.budget
        options.mapSize = 1 << 30
        if run.isEncrypted {
            options.encryptionKey = Script.key
            options.openedBytesKept = 50_000
        }
        var driver = try EngineModelDriver(seed: run.seed, path: folder.file(), options: options)
        if !Self.isSoak { driver.largest = 400 }
        try driver.run(transactions: Self.isSoak ? 40 : 6, operations: Self.isSoak ? 120 : 40)
        expect(driver.problems.isEmpty, "\(run): \(driver.problems.joined(separator: "\n"))")
    }
}
