import Foundation
import TestScript
import Testing

@testable import FreeholdEngine

/// Crashes of a machine while a file with a commit log is written. The data file and the log are rebuilt as a crash
/// could leave them, each with unsynced writes lost and reordered. They must open as before or after the commit in
/// flight.
@Suite(.enabled(if: Interposer.isAvailable, "needs a C compiler and LD_PRELOAD"))
struct CommitLogCrashTests {
    static let isSoak = TestBudget.isSoak
    /// The entries of a record after which the usual run checks images.
    static let entriesARecord = 30
    static let transactions = isSoak ? 60 : 9
    static let imagesAPoint = isSoak ? 8 : 1
    static let seeds: [UInt64] = isSoak ? Array(1...8) : [1, 6]
    /// A capacity with a checkpoint every few commits, and one without checkpoints.
    static let capacities = [64 << 10, 1 << 20]

    struct Case: CustomTestStringConvertible {
        let seed: UInt64
        let capacity: Int
        /// Files of seeds over 5 are encrypted.
        var isEncrypted: Bool { seed > 5 }
        var testDescription: String { "seed \(seed), a log of \(capacity >> 10) KiB" }

        var variables: [String: String] {
            var out = [Script.logVariable: "\(capacity)"]
            if isEncrypted { out[Script.encryptedVariable] = "1" }
            return out
        }

        func options(withLog: Bool) -> Database.Options {
            var options = Database.Options()
            options.commitLog = withLog
            options.commitLogCapacity = capacity
            if isEncrypted { options.encryptionKey = Script.key }
            return options
        }
    }

    static let cases = seeds.flatMap { seed in capacities.map { Case(seed: seed, capacity: $0) } }

    @Test(arguments: cases)
    func `a file and its log that are cut at any write open as before or after the commit`(test: Case) throws {
        let folder = try ChildFolder()
        let path = folder.file("recorded.realm")
        let first = try ChildProcess(["transactions", path, "\(test.seed)", "5"], environment: test.variables)
        expectEqual(first.readLines().last, "5")
        expectEqual(first.wait(), 0)
        expect(!FileManager.default.fileExists(atPath: path + CommitLogFile.suffix), "the last to close removes it")
        let base = try bytes(path)
        let record = try Interposer.record(
            folder,
            ["transactions", path, "\(test.seed)", "\(Self.transactions)"],
            path,
            test.variables
        )
        let durable = record.events.filter { if case .durableWrite = $0 { true } else { false } }
        expect(durable.isEmpty, "no root is synced by itself")
        try check(record, (base, nil), acknowledged: 5, test, folder)
    }

    @Test(arguments: cases)
    func `a new file and its log that are cut at any write open, or are refused before the first commit`(test: Case)
        throws
    {
        let folder = try ChildFolder()
        let path = folder.file("recorded.realm")
        let record = try Interposer.record(folder, ["transactions", path, "\(test.seed)", "3"], path, test.variables)
        try check(record, ([], nil), acknowledged: 0, test, folder)
    }

    @Test(arguments: cases)
    func `a crash while the log is replayed loses nothing`(test: Case) throws {
        let folder = try ChildFolder()
        let path = folder.file("recorded.realm")
        let child = try ChildProcess(["writer", path, "\(test.seed)"], environment: test.variables)
        var acknowledged: Int64 = 0
        while acknowledged < 9 { acknowledged = child.readLine().flatMap { Int64($0) } ?? acknowledged }
        child.kill()
        for line in child.readLines() { acknowledged = Int64(line) ?? acknowledged }
        expectEqual(child.wait(), -SIGKILL)
        let base = (data: try bytes(path), log: try bytes(path + CommitLogFile.suffix) as [UInt8]?)
        // It may have been killed between a commit and saying so.
        let copy = folder.file("copy.realm")
        try write(base, to: copy)
        var played = 0
        let killed = try look(copy, test.options(withLog: false), "\(test), killed", &played)
        expect(killed.transaction == acknowledged || killed.transaction == acknowledged + 1)
        acknowledged = killed.transaction
        let record = try Interposer.record(folder, ["transactions", path, "\(test.seed)", "1"], path, test.variables)
        try check(record, base, acknowledged: acknowledged, test, folder)
    }

    /// Each thread has its own number. No number that was acknowledged to a thread is lost, no matter which thread
    /// flushed it.
    @Test(arguments: capacities)
    func `commits that share flushes are durable when they return`(capacity: Int) throws {
        let test = Case(seed: 1, capacity: capacity)
        let folder = try ChildFolder()
        let path = folder.file("recorded.realm")
        let threads = 4
        let record = try Interposer.record(folder, ["threads", path, "\(threads)", "6"], path, test.variables)
        var generator = SeededRandom(test: "CommitLogCrashTests.threads")
        let chosen = Self.chosen(record, using: &generator)
        var disks = SimulatedDisks([], log: nil)
        // The numbers in each image. Many entries leave the same files.
        var known: [Int: [Int64: Int64]] = [:]
        var told = [Int64](repeating: -1, count: threads)
        var opened = 0
        var cases = 0
        for (position, entry) in record.entries.enumerated() {
            disks.record(entry.isLog, entry.event)
            if case .said(let lines) = entry.event {
                for line in lines.split(separator: "\n") {
                    let words = line.split(separator: " ").compactMap { Int64($0) }
                    if words.count == 2 { told[Int(words[0])] = words[1] }
                }
            }
            guard told.contains(where: { $0 >= 0 }), chosen.contains(position) else { continue }
            cases += 1
            for image in disks.images(random: Self.imagesAPoint, using: &generator) {
                let hash = Self.hash(image)
                if let numbers = known[hash] {
                    for (thread, number) in told.enumerated() {
                        let found = numbers[Int64(thread)] ?? -1
                        expect(found >= number, "after entry \(position), told \(told): \(found) of \(thread)")
                    }
                    continue
                }
                let copy = folder.file("image-\(opened).realm")
                try write(image, to: copy)
                defer { for suffix in ["", "-lock", ".writer", CommitLogFile.suffix] { unlink(copy + suffix) } }
                opened += 1
                let place = "a log of \(capacity), after entry \(position) of \(record.entries.count), told \(told)"
                do {
                    let database = try Database.open(at: copy, options: test.options(withLog: false))
                    let snapshot = try database.snapshot()
                    expectEqual(snapshot.verify(), [], "\(place)")
                    let found = State(snapshot)
                    known[hash] = found.entries.mapValues { Int64($0.number) }
                    for (thread, number) in told.enumerated() {
                        let entry = found.entries[Int64(thread)]
                        expect((entry?.number ?? -1) >= number, "\(place): \(entry?.number ?? -1) of \(thread)")
                    }
                } catch {
                    Issue.record("\(place): \(error)")
                }
            }
        }
        print("threads: \(record.entries.count) entries, \(opened) images")
        expect(TestBudget.isSpent("CommitLogCrashTests.threads", cases: cases, of: min(chosen.count, 10)))
    }

    /// Returns positions that are spread over a record. The first entry, the last one, and those around a flush of the data file
    /// or the end of a log are among them.
    private static func chosen(_ record: WriteRecord, using random: inout SeededRandom) -> Set<Int> {
        let borders = record.entries.indices.filter { index in
            let entry = record.entries[index]
            return switch entry.event {
            case .unlink, .folderSync, .durableWrite: true
            case .syncBegins, .syncEnds: !entry.isLog
            default: false
            }
        }
        let count = record.entries.count
        let near = borders.flatMap { [$0, $0 + 1] }
        return Set(TestBudget.sample(of: count, usual: entriesARecord, borders: near, using: &random))
    }

    private static func hash(_ image: (data: [UInt8], log: [UInt8]?)) -> Int {
        var hasher = Hasher()
        image.data.withUnsafeBytes { hasher.combine(bytes: $0) }
        hasher.combine(image.log?.count)
        image.log?.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    private func write(_ image: (data: [UInt8], log: [UInt8]?), to path: String) throws {
        try Data(image.data).write(to: URL(fileURLWithPath: path))
        if let log = image.log { try Data(log).write(to: URL(fileURLWithPath: path + CommitLogFile.suffix)) }
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private func check(
        _ record: WriteRecord,
        _ base: (data: [UInt8], log: [UInt8]?),
        acknowledged: Int64,
        _ test: Case,
        _ folder: ChildFolder
    ) throws {
        let script = Script(seed: test.seed)
        var generator = SeededRandom(test: "CommitLogCrashTests")
        let chosen = Self.chosen(record, using: &generator)
        // The transaction in each image. Many entries leave the same files.
        var known: [Int: Int64] = [:]
        var cases = 0
        var states: [Int64: State] = [:]
        var state = State()
        states[0] = state
        while state.transaction < acknowledged + Int64(Self.transactions) + 2 {
            state.apply(script.steps(state.transaction + 1, on: state))
            states[state.transaction] = state
        }
        var disks = SimulatedDisks(base.data, log: base.log)
        var acknowledged = acknowledged
        var opened = 0
        var played = 0
        var refused = 0
        var isCreated = !base.data.isEmpty
        for (position, entry) in record.entries.enumerated() {
            disks.record(entry.isLog, entry.event)
            if case .durableWrite = entry.event { isCreated = true }
            if case .said(let line) = entry.event { acknowledged = Int64(line) ?? acknowledged }
            guard chosen.contains(position) else { continue }
            cases += 1
            for image in disks.images(random: Self.imagesAPoint, using: &generator) {
                let hash = Self.hash(image)
                if let found = known[hash] {
                    expect(
                        found >= acknowledged && found <= acknowledged + 1,
                        "\(test), after entry \(position), \(acknowledged) acknowledged: found \(found)"
                    )
                    continue
                }
                let copy = folder.file("image-\(opened).realm")
                try write(image, to: copy)
                defer { for suffix in ["", "-lock", ".writer", CommitLogFile.suffix] { unlink(copy + suffix) } }
                opened += 1
                let place =
                    "\(test), after entry \(position) of \(record.entries.count), \(acknowledged) acknowledged"
                do {
                    let found = try look(copy, test.options(withLog: Bool.random(using: &generator)), place, &played)
                    expect(
                        found.transaction >= acknowledged && found.transaction <= acknowledged + 1,
                        "\(place): found \(found.transaction)"
                    )
                    let expected = try require(states[found.transaction])
                    expectEqual(found, expected, "\(place): \(found.differences(from: expected))")
                    known[hash] = found.transaction
                } catch let error as EngineError where !isCreated && error.code == .invalidDatabase {
                    refused += 1
                } catch {
                    Issue.record("\(place): \(error)")
                }
            }
        }
        expect(TestBudget.isSpent("CommitLogCrashTests, \(test)", cases: cases, of: chosen.count))
        print("\(test): \(record.entries.count) entries, \(opened) images, \(played) played, \(refused) refused")
    }

    private func look(
        _ path: String,
        _ options: Database.Options,
        _ place: String,
        _ played: inout Int
    ) throws -> State {
        let descriptor = open(path, O_RDONLY)
        if case .set = CommitLogMark.read(descriptor) { played += 1 }
        close(descriptor)
        let database = try Database.open(at: path, options: options)
        let snapshot = try database.snapshot()
        expectEqual(snapshot.verify(), [], "\(place)")
        return State(snapshot)
    }
}
