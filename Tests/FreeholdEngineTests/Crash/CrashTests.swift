import Foundation
import TestScript
import Testing

@testable import FreeholdEngine

/// A writer is killed at random moments. Each time the file must open and verify, and contain every transaction whose
/// commit had returned. It may contain the one in flight, as a whole.
struct CrashTests {
    /// 54 kills in every run of the tests, spread over files; 5,000 in a soak.
    static let killsAFile = TestBudget.cases(11, soak: 1000)
    static let seeds: [UInt64] = {
        guard let seed = ProcessInfo.processInfo.environment["FREEHOLD_SEED"] else { return [1, 2, 3, 4, 5, 6] }
        return [UInt64(seed) ?? 1]
    }()

    /// The transactions of even seeds have so little memory that they spill into LMDB's before they end; files of seeds
    /// over 4 are encrypted.
    @Test(arguments: seeds)
    func `a killed writer loses no acknowledged transaction`(seed: UInt64) throws {
        let isEncrypted = seed > 4
        var options = Database.Options()
        if isEncrypted { options.encryptionKey = Script.key }
        let environment = isEncrypted ? [Script.encryptedVariable: "1"] : [:]
        let kills = isEncrypted ? Self.killsAFile / 2 : Self.killsAFile
        let folder = try ChildFolder()
        let path = folder.file("crash.realm")
        let script = Script(seed: seed)
        var random = SystemRandomNumberGenerator()
        var expected = State()
        var killedInCommit = 0
        var cases = 0
        // Other processes journal what they commit, whole or not at all.
        var follower: JournalFollower?

        for round in 0..<kills {
            let budget = seed % 2 == 0 ? ["20000"] : []
            let child = try ChildProcess(["writer", path, String(seed)] + budget, environment: environment)
            var acknowledged = expected.transaction
            func note(_ line: String?) { acknowledged = line.flatMap { Int64($0) } ?? acknowledged }
            // Most die while they write; some before they have opened the file.
            if round % 10 != 0 {
                expectEqual(child.readLine(), "ready")
                for _ in 0..<Int.random(in: 0..<4, using: &random) { note(child.readLine()) }
            }
            usleep(UInt32.random(in: 0..<20_000, using: &random))
            child.kill()
            cases += 1
            for line in child.readLines() { note(line) }
            expectEqual(child.wait(), -SIGKILL)

            let database = try Database.open(at: path, options: options)
            let snapshot = try database.snapshot()
            let breaches = snapshot.verify()
            expectEqual(breaches, [], "seed \(seed), round \(round)")
            let found = State(snapshot)
            expect(
                found.transaction == acknowledged || found.transaction == acknowledged + 1,
                "seed \(seed), round \(round): \(acknowledged) acknowledged, \(found.transaction) found"
            )
            if found.transaction > acknowledged { killedInCommit += 1 }
            while expected.transaction < found.transaction {
                expected.apply(script.steps(expected.transaction + 1, on: expected))
            }
            try require(found == expected, "seed \(seed), round \(round): \(found.differences(from: expected))")
            if follower == nil {
                follower = try JournalFollower(database)
            } else {
                let differences = try follower!.differences(from: snapshot)
                try require(differences == [], "seed \(seed), round \(round)")
                if round % 7 == 0 { try follower!.move(in: database) }
            }
        }
        expect(TestBudget.isSpent("CrashTests, seed \(seed)", cases: cases, of: kills))
        print(
            "seed \(seed): \(kills) kills, \(expected.transaction) transactions, "
                + "\(killedInCommit) found that weren't acknowledged"
        )
    }
}
