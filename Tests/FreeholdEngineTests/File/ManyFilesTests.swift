import Foundation
import Testing

@testable import FreeholdEngine

/// A server has a file for each of its users.
struct ManyFilesTests {
    /// Returns a value that the system reports for this process: kilobytes, or a count.
    private static func status(_ name: String) -> Int? {
        let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    }

    private static func descriptors() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    /// Opens, writes and reads a number of files, and keeps them open.
    private static func run(_ count: Int) throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let folder = TemporaryFolder()
        let before = (memory: status("VmRSS")!, threads: status("Threads")!, descriptors: descriptors())
        var databases: [Database] = []
        var snapshots: [Snapshot] = []
        for number in 0..<count {
            let database = try Database.open(at: folder.file("\(number).realm"))
            let transaction = try database.beginWrite()
            try transaction.applySchema([TableSpec("T", columns: [ColumnSpec("a", .int)])])
            let table = transaction.schema.table(named: "T")!
            try transaction.set(table.columns[0], transaction.create(table), to: .int(Int64(number)))
            snapshots.append(try transaction.commit())
            databases.append(database)
        }
        let threads = status("Threads")! - before.threads
        let bytes = (status("VmRSS")! - before.memory) * 1024 / count
        let perFile = Double(descriptors() - before.descriptors) / Double(count)
        print("\(count) files: \(threads) threads more, \(bytes) bytes and \(perFile) descriptors each")
        guard threads <= 4, bytes < 512 << 10, perFile <= 6 else { exit(2) }
        for (number, snapshot) in snapshots.enumerated() {
            let table = snapshot.schema.table(named: "T")!
            guard snapshot.value(table.columns[0], ObjectKey(0)) == .int(Int64(number)) else { exit(3) }
        }
        // All of them written to by turns, while all are open.
        for (number, database) in databases.enumerated() {
            let transaction = try database.beginWrite()
            let table = transaction.schema.table(named: "T")!
            try transaction.set(table.columns[0], ObjectKey(0), to: .int(Int64(number) + 1))
            _ = try transaction.commit()
        }
        guard status("Threads")! - before.threads <= 4 else { exit(4) }
    }

    #if os(Linux)
        @Test func `many open files need few threads and little memory`() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                let isLong = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] != nil
                try ManyFilesTests.run(isLong ? 2000 : 300)
            }
            print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
        }
    #endif
}
