import Foundation
import FreeholdBSON
import FreeholdServer
import FreeholdServerStore
import ServerTestRandom
import Synchronization
import TestReceiver
import Testing

@testable import FreeholdSyncCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A server's store in files, and the process that delivers its objects.
private struct Workshop {
    static let child = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]))
        .deletingLastPathComponent().appendingPathComponent("freehold-sinkchild")
    static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: child.path) }

    let folder: SinkFolder
    var storePath: String { folder.path + "/store" }
    private(set) var count: Int64 = 0

    init() throws {
        folder = try SinkFolder()
        try FileManager.default.createDirectory(atPath: storePath, withIntermediateDirectories: true)
    }

    /// Commits this number of objects.
    mutating func ingest(_ number: Int64) throws {
        let store = try FileServerStore(at: storePath, epoch: 1)
        let stream = StreamName(app: "shop")
        guard case .bind(let answer) = store.perform(.init(stream, .bind(FileQuery(ident: nil, acknowledged: 0))))
        else {
            throw NotDone()
        }
        var next = answer.head
        next.version += 1
        next.hash = next.hash.appending(Array("\(next.version)".utf8))
        var commit = StoreCommit(expected: answer.head, head: next)
        commit.entries = [
            LogEntry(
                stored: next.version,
                hash: next.hash,
                clock: next.clock,
                time: 0,
                author: PartName(FileIdent(rawValue: 1), next.version),
                changes: []
            )
        ]
        for key in count..<count + number {
            let fields = [
                NewField("text", .value(.string(SyncString("object \(key)")))), NewField("value", .value(.int(key))),
            ]
            commit.ingested[ObjectName("Reading", .int(key))] = fields
        }
        guard case .done = store.perform(.init(stream, .commit(commit))) else { throw NotDone() }
        count += number
    }

    struct NotDone: Error {}

    func start(_ arguments: [String]) throws -> Process {
        let process = Process()
        process.executableURL = Self.child
        process.arguments = [arguments[0], storePath, folder.path] + arguments.dropFirst()
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Lets the process run for the time, and kills it.
    func runAndKill(_ arguments: [String], after time: Duration) async throws {
        let process = try start(arguments)
        try await Task.sleep(for: time)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func finish(_ arguments: [String]) throws {
        let process = try start(arguments + ["--once"])
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}

@Suite(
    "Processes that are killed while they hand objects on",
    .timeLimit(.minutes(20)),
    .enabled(if: Workshop.isBuilt, "freehold-sinkchild isn't built")
)
struct KillTests {
    @Test
    func `files have each object once`() async throws {
        var random = SeededRandom(test: "killed file sinks")
        var workshop = try Workshop()
        var seen: [Int] = []
        for _ in 0..<(isSoak ? 200 : 15) {
            try workshop.ingest(Int64.random(in: 1...400, using: &random))
            try await workshop.runAndKill(["file"], after: .milliseconds(Int.random(in: 20...300, using: &random)))
            seen.append((try? workshop.folder.keys().count) ?? -1)
        }
        try workshop.finish(["file"])
        let keys = try workshop.folder.keys()
        #expect(keys == Array(0..<workshop.count))
        // Some kills happened in the middle of the work.
        #expect(Set(seen).count > 2, "\(seen)")
    }

    @Test
    func `a receiver gets each object, and again only under the same key`() async throws {
        var random = SeededRandom(test: "killed hook sinks")
        var workshop = try Workshop()
        let receiver = try await Receiver { number, _ in number % 7 == 3 ? .cut(takes: true) : .status(200) }
        for _ in 0..<(isSoak ? 200 : 10) {
            try workshop.ingest(Int64.random(in: 1...400, using: &random))
            try await workshop.runAndKill(
                ["hook", receiver.address],
                after: .milliseconds(Int.random(in: 20...400, using: &random))
            )
        }
        // A cut request is a failure, which ends a process with `--once`.
        for _ in 0..<100 {
            let process = try workshop.start(["hook", receiver.address, "--once"])
            process.waitUntilExit()
            if process.terminationStatus == 0 { break }
        }
        var bodies: [String: [UInt8]] = [:]
        var keys: [Int64] = []
        for request in receiver.requests {
            let key = try #require(request.headers["idempotency-key"])
            if let known = bodies.updateValue(request.body, forKey: key) {
                #expect(known == request.body)
                continue
            }
            for line in String(decoding: request.body, as: UTF8.self).split(separator: "\n") {
                keys.append(try #require(BSONDocument(extendedJSON: String(line))["_id"]?.asInt64()))
            }
        }
        #expect(keys == Array(0..<workshop.count))
        await receiver.close()
    }
}
