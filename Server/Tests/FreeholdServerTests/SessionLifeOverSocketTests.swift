import Foundation
import Synchronization
import Testing

/// The memory of a client process with repeated log-ins and log-outs, each with its own connections.
@Suite(.timeLimit(.minutes(20)), .enabled(if: ServerProcess.isBuilt, "freehold-server isn't built"))
struct SessionLifeOverSocketTests {
    @Test func `a round of log-in, open, write, upload, close and log-out leaves nothing in memory`() async throws {
        let isSoak = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] != nil
        let rounds = isSoak ? 300 : 6
        let folder = try ServerProcess.folder()
        let made = [
            ["app", "create", folder.path, "history", "--email-password", "auto-confirm", "--access", "everyone"],
            ["app", "set", folder.path, "history", "--adopt-schemas", "on"],
        ]
        for command in made { #expect(try ServerProcess.run(command).status == 0) }
        let server = try ServerProcess(folder.path)
        let sizes = Mutex<[Int]>([])
        let (lines, line) = AsyncStream<Void>.makeStream()
        let client = try ClientProcess(
            ["http://127.0.0.1:\(server.port)", "\(folder.path)/client", "\(rounds)", "life"],
            // With several memory pools of glibc's threads, the memory grows by some KiB in each round although nothing
            // is kept.
            variables: ["MALLOC_ARENA_MAX": "1"]
        ) { text in
            guard text.hasPrefix("M "), let size = Int(text.dropFirst(2)) else { return }
            let count = sizes.withLock { sizes in
                sizes.append(size)
                return sizes.count
            }
            if count == rounds { line.finish() }
        }
        for await _ in lines {}
        await client.end()
        await server.end(SIGTERM)
        let all = sizes.withLock { $0 }
        let half = rounds / 2
        let growth = Double(all[rounds - 1] - all[half]) / Double(rounds - 1 - half)
        print("anonymous KiB a round, of the second half: \(growth), after \(all.last ?? 0)")
        #expect(all.count == rounds)
        if isSoak { #expect(growth < 1, "\(all)") }
    }
}
