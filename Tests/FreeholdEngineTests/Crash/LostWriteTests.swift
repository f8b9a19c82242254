import Foundation
import FreeholdEngine
import Testing
import TestScript

/// Crashes of a machine before writes have reached the disk. A process records its writes and syncs. The test then
/// creates the files that a crash at each point could leave, with unsynced writes lost and reordered. Each file must
/// open as before or after the commit in flight.
@Suite(.enabled(if: Interposer.isAvailable, "needs a C compiler and LD_PRELOAD"))
struct LostWriteTests {
    static let isSoak = TestBudget.isSoak
    static let transactions = isSoak ? 40 : 12
    static let imagesAPoint = isSoak ? 8 : 1
    static let seeds: [UInt64] = isSoak ? Array(1...8) : [1, 2, 6]
    /// Files of seeds over 5 are encrypted.
    private func options(_ seed: UInt64) -> Database.Options {
        var options = Database.Options()
        if seed > 5 { options.encryptionKey = Script.key }
        return options
    }

    private func environment(_ seed: UInt64) -> [String: String] {
        seed > 5 ? [Script.encryptedVariable: "1"] : [:]
    }

    @Test(arguments: seeds)
    func `a file that is cut at any write opens as before or after the commit`(seed: UInt64) throws {
        let folder = try ChildFolder()
        let path = folder.file("recorded.realm")
        // A file with some transactions.
        let first = try ChildProcess(["transactions", path, String(seed), "5"], environment: environment(seed))
        expectEqual(first.readLines().last, "5")
        expectEqual(first.wait(), 0)
        let base = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))

        let record = try Interposer.record(
            folder,
            ["transactions", path, String(seed), String(Self.transactions)],
            path,
            environment(seed)
        )
        try check(record, from: base, acknowledged: 5, seed: seed, folder)
        let recorded = record.events.filter { if case .said = $0 { false } else { true } }.count
        expect(recorded >= Self.transactions * 3, "each commit writes, syncs and writes the root")
    }

    @Test(arguments: [UInt64(3), 9])
    func `a crash loses only the last grouped commits, and the file is complete`(seed: UInt64) throws {
        let folder = try ChildFolder()
        let path = folder.file("recorded.realm")
        let first = try ChildProcess(["transactions", path, "\(seed)", "5"], environment: environment(seed))
        expectEqual(first.readLines().last, "5")
        expectEqual(first.wait(), 0)
        let base = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let record = try Interposer.record(
            folder,
            ["grouped", path, "\(seed)", "\(Self.transactions)"],
            path,
            environment(seed)
        )
        try check(record, from: base, acknowledged: 5, seed: seed, folder)
        let durable = record.events.filter { if case .durableWrite = $0 { true } else { false } }
        expect(durable.isEmpty, "roots aren't synced one by one")
    }

    /// A crash before the sync of LMDB's first pages can leave only a part of them. Such a file is empty, and is
    /// refused instead of used as a new one.
    @Test(arguments: [UInt64(5), 7])
    func `a new file that is cut at any write opens, or is refused untouched before the first commit`(seed: UInt64)
        throws
    {
        let folder = try ChildFolder()
        let path = folder.file("recorded.realm")
        let record = try Interposer.record(folder, ["transactions", path, "\(seed)", "2"], path, environment(seed))
        try check(record, from: [], acknowledged: 0, seed: seed, folder)
    }

    private func check(
        _ record: WriteRecord,
        from base: [UInt8],
        acknowledged: Int64,
        seed: UInt64,
        _ folder: ChildFolder
    ) throws {
        let script = Script(seed: seed)
        var generator = SeededRandom(test: "LostWriteTests")
        // The transaction in each image. Many entries leave the same file.
        var known: [Int: Int64] = [:]
        var cases = 0
        var states: [Int64: State] = [:]
        var state = State()
        states[0] = state
        while state.transaction < acknowledged + Int64(Self.transactions) + 1 {
            state.apply(script.steps(state.transaction + 1, on: state))
            states[state.transaction] = state
        }

        var disk = SimulatedDisk(base)
        var acknowledged = acknowledged
        var committed = acknowledged
        var opened = 0
        var refused = 0
        var isCreated = !base.isEmpty
        for (position, event) in record.events.enumerated() {
            disk.record(event)
            // The creating commit's root.
            if case .durableWrite = event { isCreated = true }
            if case .said(let line) = event {
                if let number = Int64(line) { acknowledged = number }
                if let number = line.split(separator: " ").last.flatMap({ Int64($0) }) { committed = number }
            }
            cases += 1
            for image in disk.images(random: Self.imagesAPoint, using: &generator) {
                var hasher = Hasher()
                image.withUnsafeBytes { hasher.combine(bytes: $0) }
                let hash = hasher.finalize()
                if let found = known[hash] {
                    expect(
                        found >= acknowledged && found <= committed + 1,
                        "seed \(seed), after entry \(position), \(acknowledged) acknowledged: found \(found)"
                    )
                    continue
                }
                let copy = folder.file("image-\(opened).realm")
                try Data(image).write(to: URL(fileURLWithPath: copy))
                defer { for suffix in ["", "-lock", ".writer"] { unlink(copy + suffix) } }
                opened += 1
                let place =
                    "seed \(seed), after entry \(position) of \(record.events.count), \(acknowledged) acknowledged"
                do {
                    let database = try Database.open(at: copy, options: options(seed))
                    let snapshot = try database.snapshot()
                    expectEqual(snapshot.verify(), [], "\(place)")
                    let found = State(snapshot)
                    expect(
                        found.transaction >= acknowledged && found.transaction <= committed + 1,
                        "\(place): found \(found.transaction)"
                    )
                    if let expected = states[found.transaction] {
                        expectEqual(found, expected, "\(place): \(found.differences(from: expected))")
                    }
                    known[hash] = found.transaction
                } catch  where !isCreated && error.code == .invalidDatabase {
                    refused += 1
                    try expectEqual(Data(contentsOf: URL(fileURLWithPath: copy)), Data(image), "\(place)")
                } catch {
                    Issue.record("\(place): \(error)")
                }
            }
        }
        expect(TestBudget.isSpent("LostWriteTests, seed \(seed)", cases: cases, of: record.events.count))
        print("seed \(seed): \(record.events.count) recorded entries, \(opened) images, \(refused) refused")
    }
}

/// The library that records a process's writes, compiled by the test where the machine can.
enum Interposer {
    static let isAvailable: Bool = {
        #if os(Linux)
            compiler != nil
        #else
            false
        #endif
    }()

    private static let compiler: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        for name in ["cc", "gcc", "clang"] {
            for folder in folders where FileManager.default.isExecutableFile(atPath: "\(folder)/\(name)") {
                return "\(folder)/\(name)"
            }
        }
        return nil
    }()

    /// Runs the child with its writes to `file` recorded.
    static func record(
        _ folder: ChildFolder,
        _ arguments: [String],
        _ file: String,
        _ environment: [String: String] = [:]
    ) throws -> WriteRecord {
        let child = try start(folder, arguments, file, environment)
        _ = child.readLines()
        guard child.wait() == 0 else { throw ChildProcess.Failure(description: "the recorded child failed") }
        return try WriteRecord(contentsOf: folder.file("record"))
    }

    /// Starts the process.
    ///
    /// - Parameters:
    ///   - file: The path of the file whose writes are recorded, or `nil` for none.
    ///   - killedAt: The number of commits' roots after which the process is killed, before it can acknowledge the last
    ///     of them.
    static func start(
        _ folder: ChildFolder,
        _ arguments: [String],
        _ file: String?,
        _ environment: [String: String] = [:],
        killedAt: Int? = nil
    ) throws -> ChildProcess {
        var variables = environment
        variables["LD_PRELOAD"] = try library(folder)
        if let file {
            variables["FREEHOLD_RECORD"] = folder.file("record")
            variables["FREEHOLD_RECORD_FILE"] = file
        }
        if let killedAt { variables["FREEHOLD_KILL_AT"] = "\(killedAt)" }
        return try ChildProcess(arguments, environment: variables)
    }

    /// Compiled with the folder's first child.
    private static func library(_ folder: ChildFolder) throws -> String {
        let library = folder.file("interposer.so")
        if FileManager.default.fileExists(atPath: library) { return library }
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Interposer/interposer.c").standardizedFileURL.path
        let arguments = ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"]
        guard try ChildProcess(executable: compiler!, arguments).wait() == 0 else {
            throw ChildProcess.Failure(description: "the interposer doesn't compile")
        }
        return library
    }
}
