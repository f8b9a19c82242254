import Foundation
import FreeholdBSON
import FreeholdServerStore
import FreeholdSyncCore
import ServerTestRandom
import Testing

@testable import FreeholdServer

@Suite("Objects in files of JSON lines", .timeLimit(.minutes(20)))
struct FileSinkTests {
    @Test
    func `each object is a line, files follow one another, and a restart goes on`() async throws {
        let (folder, source) = (try SinkFolder(), MemorySource())
        for round in 0..<4 {
            source.add(Int64(round * 50)..<Int64(round * 50 + 50))
            try await IngestPump.files(source, folder).drain()
            #expect(try folder.keys() == Array(0..<Int64(round * 50 + 50)))
        }
        let files = try folder.names().filter { $0.hasSuffix(".jsonl") }
        #expect(files.count > 3 && files[0] == "reading-00000001.jsonl")
        for file in files.dropLast() {
            let size = try #require(
                try FileManager.default.attributesOfItem(atPath: folder.path + "/" + file)[.size] as? Int
            )
            #expect(size <= 2_000)
        }
        let first = try String(contentsOfFile: folder.path + "/" + files[0], encoding: .utf8).split(separator: "\n")[0]
        #expect(first == #"{"_id":0,"text":"größe 0","value":0.0}"#)
    }

    /// Stops a pump at a call to the disk, and lets another pump continue. Returns a Boolean value that indicates
    /// whether the first pump reached that call.
    private func survive(_ death: Int, share: Int, keys: Int64 = 60) async throws -> Bool {
        let (folder, source) = (try SinkFolder(), MemorySource())
        source.add(0..<keys / 2)
        let disk = FaultyDisk(.init(death: death, share: share))
        try? await IngestPump.files(source, folder, disk).drain()
        source.add(keys / 2..<keys)
        try await IngestPump.files(source, folder).drain()
        #expect(try folder.keys() == Array(0..<keys), "death at \(death), \(share) %")
        return disk.count > death
    }

    @Test(arguments: [0, 1, 50, 99, 100])
    func `a death at any call to the disk loses nothing and doubles nothing`(_ share: Int) async throws {
        var death = 0
        while try await survive(death, share: share) { death += 1 }
        #expect(death >= 20)
    }

    @Test
    func `many deaths in a row`() async throws {
        var random = SeededRandom(test: "deaths of a file sink")
        for _ in 0..<(isSoak ? 300 : 6) {
            let (folder, source) = (try SinkFolder(), MemorySource())
            var next: Int64 = 0
            for _ in 0..<30 {
                let count = Int64.random(in: 0...20, using: &random)
                source.add(next..<next + count)
                next += count
                let disk = FaultyDisk(
                    .init(death: Int.random(in: 0...40, using: &random), share: Int.random(in: 0...100, using: &random))
                )
                try? await IngestPump.files(source, folder, disk, rememberedKeys: 20).drain()
            }
            try await IngestPump.files(source, folder, rememberedKeys: 20).drain()
            #expect(try folder.keys() == Array(0..<next))
        }
    }

    @Test(arguments: [false, true])
    func `a full disk leaves no torn line; when there is room again, all goes on`(_ cutFails: Bool) async throws {
        for first in [0, 1, 2, 3, 5, 8, 13, 21] {
            let (folder, source) = (try SinkFolder(), MemorySource())
            source.add(0..<100)
            let disk = FaultyDisk(.init(full: first..<first + 25, cutFails: cutFails))
            let pump = try IngestPump.files(source, folder, disk)
            let task = Task { try await pump.run() }
            while await pump.status.delivered < 100 { try await Task.sleep(for: .milliseconds(2)) }
            task.cancel()
            try await task.value
            #expect(try folder.keys() == Array(0..<100), "full at \(first)")
            #expect(await pump.status.lastFailure == nil)
        }
    }

    @Test
    func `a full disk is said`() async throws {
        let (folder, source) = (try SinkFolder(), MemorySource())
        source.add(0..<10)
        let disk = FaultyDisk(.init(full: 0..<1_000_000))
        let pump = try IngestPump.files(source, folder, disk)
        let task = Task { try await pump.run() }
        while await pump.status.failures < 3 { try await Task.sleep(for: .milliseconds(2)) }
        #expect(await pump.status.lastFailure?.contains("No space left") == true)
        task.cancel()
        try await task.value
        #expect(try folder.keys().isEmpty)
    }

    @Test
    func `an object with a known key is left out, whichever batch contains it`() async throws {
        let (folder, source) = (try SinkFolder(), MemorySource())
        source.add([1, 2, 2, 3])
        try await IngestPump.files(source, folder).drain()
        source.add([3, 1, 4])
        try await IngestPump.files(source, folder).drain()
        #expect(try folder.keys() == [1, 2, 3, 4])
    }

    @Test
    func `after a store was put back, new objects arrive and old ones aren't doubled`() async throws {
        var random = SeededRandom(test: "restored stores")
        for _ in 0..<(isSoak ? 200 : 20) {
            let (folder, source) = (try SinkFolder(), MemorySource())
            var (next, expected): (Int64, [Int64]) = (0, [])
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                let count = Int64.random(in: 1...9, using: &random)
                source.add(next..<next + count)
                expected += next..<next + count
                next += count
                if random.chance(70) { try await IngestPump.files(source, folder).drain() }
            }
            try await IngestPump.files(source, folder).drain()
            source.goBack(to: Int.random(in: 0..<source.version, using: &random))
            // New rows get the numbers of rows that were delivered before.
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                source.add(next..<next + 3)
                expected += next..<next + 3
                next += 3
            }
            let pump = try IngestPump.files(source, folder)
            try await pump.drain()
            #expect(await pump.status.replacements == 1)
            #expect(try folder.keys() == expected)
        }
    }

    @Test(
        "a ledger that is lost doubles nothing that is among the keys at the end; files that were taken away stay away"
    )
    func lostFiles() async throws {
        let (folder, source) = (try SinkFolder(), MemorySource())
        source.add(0..<100)
        try await IngestPump.files(source, folder).drain()
        try FileManager.default.removeItem(atPath: folder.path + "/ledger")
        source.add(100..<110)
        try await IngestPump.files(source, folder).drain()
        #expect(try folder.keys() == Array(0..<110))
        let files = try folder.names().filter { $0.hasSuffix(".jsonl") }
        for file in files.dropLast() { try FileManager.default.removeItem(atPath: folder.path + "/" + file) }
        let left = try folder.keys()
        source.add(110..<150)
        try await IngestPump.files(source, folder).drain()
        #expect(try folder.keys() == left + Array(110..<150))
    }

    @Test("foreign text behind the last line is cut, and foreign changes of counted lines are errors")
    func foreignWrites() async throws {
        let (folder, source) = (try SinkFolder(), MemorySource())
        source.add(0..<5)
        try await IngestPump.files(source, folder).drain()
        let path = folder.path + "/reading-00000001.jsonl"
        var data = try Data(contentsOf: URL(filePath: path))
        try (data + Data("{\"_id\": 9".utf8)).write(to: URL(filePath: path))
        source.add(5..<7)
        try await IngestPump.files(source, folder).drain()
        #expect(try folder.keys() == Array(0..<7))
        data = try Data(contentsOf: URL(filePath: path))
        try data.dropLast(3).write(to: URL(filePath: path))
        source.add(7..<9)
        await #expect(throws: IngestFailure.self) { try await IngestPump.files(source, folder).drain() }
    }

    @Test(
        "names that can't be those of files are refused",
        arguments: ["", "a/b", "..", "ä", "a b", String(repeating: "x", count: 300)]
    )
    func names(_ name: String) {
        #expect(throws: IngestFailure.self) { try FileSink("folder", name: name) }
    }
}
