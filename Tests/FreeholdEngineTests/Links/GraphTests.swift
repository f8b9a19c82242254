import Foundation
import Testing

@testable import FreeholdEngine

struct LinkGraphTests {
    typealias Run = EngineModelTests.Run

    static let runs: [Run] = {
        let first = UInt64(ProcessInfo.processInfo.environment["FREEHOLD_SEED"] ?? "") ?? 1
        return (first..<first + (EngineModelTests.isSoak ? 400 : 8)).map { seed in
            let spans = [1000, 4, 3, 1, 2, 16, 7, 1]
            return Run(seed: seed, span: spans[Int(seed % 8)], budget: seed % 2 == 0 ? 20_000 : 64 << 20)
        }
    }()

    @Test(arguments: runs) func `random graphs keep every backlink and every owner`(_ run: Run) throws {
        let folder = TemporaryFolder()
        var options = Database.Options()
        options.clusterSpan = run.span
        options.memoryBudget = run.budget
        options.mapSize = 1 << 30
        var driver = try GraphDriver(seed: run.seed, path: folder.file(), options: options)
        let isSoak = EngineModelTests.isSoak
        try driver.run(transactions: isSoak ? 60 : 8, operations: isSoak ? 120 : 60)
        expect(driver.problems.isEmpty, "\(run): \(driver.problems.joined(separator: "\n"))")
    }
}
