import Foundation
import FreeholdEngine
import Testing
import TestScript

/// Plain files with random damage, in a child process that performs every operation on them.
///
/// A throwing call returns or throws. A call that can't throw ends the process with one known message. Everything else
/// is a failure: a trap, a signal, an end without a message, twenty seconds in one stage, four gigabytes of memory.
struct `Damaged files` {
    /// Each is tried in four stages.
    private static var seeds: Range<UInt64> {
        let first = UInt64(ProcessInfo.processInfo.environment["FREEHOLD_SEED"] ?? "") ?? 1
        return first..<first + UInt64(TestBudget.cases(6, soak: 5000))
    }

    /// The progress of a child process.
    private struct Progress {
        var seed: UInt64
        var stage = ""
        var damage = ""
        var isOver = false
        /// Its output in this stage.
        var words: [String] = []
    }

    private static let stages = ["check", "copy", "write", "read"]

    @Test(arguments: [40, 1000]) func `damaged files are reported by errors and by one message`(clusterSpan: Int) throws
    {
        let folder = try ChildFolder()
        let path = folder.file("sample.realm")
        try DamageSample.make(path, clusterSpan: clusterSpan, people: 45)
        let database = try Database.open(at: path, options: DamageSample.options(clusterSpan: clusterSpan))
        try require(database.snapshot().verify() == [])
        var results: [String: Int] = [:]
        var next = Progress(seed: Self.seeds.lowerBound)
        while next.seed < Self.seeds.upperBound {
            guard let end = try run(path, folder, from: next, &results) else { break }
            let place = "span \(clusterSpan), seed \(end.progress.seed), \(end.progress.stage): \(end.progress.damage)"
            let words = end.progress.words.joined(separator: " | ")
            let isSaid = words.contains("invalidDatabase: The file is damaged")
            results["\(end.progress.stage): ended", default: 0] += 1
            expect(end.progress.stage == "read" && isSaid, "\(place): ended by \(-end.code): \(words.prefix(500))")
            let done = Self.stages.firstIndex(of: end.progress.stage) ?? 3
            next =
                done + 1 < Self.stages.count
                ? Progress(seed: end.progress.seed, stage: Self.stages[done + 1])
                : Progress(seed: end.progress.seed + 1)
        }
        print("span \(clusterSpan), seeds \(Self.seeds):")
        for (result, count) in results.sorted(by: { $0.key < $1.key }) { print("  \(result): \(count)") }
        let stages = results.values.reduce(0, +)
        expect(TestBudget.isSpent("DamagedFileFuzzTests", cases: stages, of: Self.seeds.count * Self.stages.count))
    }

    /// - Returns: The stage in which the child ended, or `nil` if it completed all stages.
    private func run(
        _ path: String,
        _ folder: ChildFolder,
        from first: Progress,
        _ results: inout [String: Int]
    ) throws -> (progress: Progress, code: Int32)? {
        let child = try ChildProcess(
            ["damage", path, folder.path, String(first.seed), String(Self.seeds.upperBound)],
            environment: ["DAMAGE_FROM": first.stage, "SWIFT_BACKTRACE": "enable=no"]
        )
        var progress = first
        while let line = child.readLine() {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            if words.count == 3, let seed = UInt64(words[0]), Self.stages.contains(words[1]) {
                progress = Progress(seed: seed, stage: words[1], damage: words[2])
            } else if line.hasPrefix("= ") {
                results["\(progress.stage): \(line.dropFirst(2).prefix(40))", default: 0] += 1
                progress.isOver = true
            } else {
                progress.words.append(line)
            }
        }
        let code = child.wait()
        if code == 0 { return nil }
        try require(!progress.isOver, "ended by \(code) between two stages: \(progress.words)")
        return (progress, code)
    }
}
