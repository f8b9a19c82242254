import Foundation
import FreeholdSync
import FreeholdSyncCore
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The commands of an operator on a folder that is damaged, or whose copy wasn't completed.
@Suite(.timeLimit(.minutes(20)), .enabled(if: ServerProcess.isBuilt, "freehold-server isn't built"))
struct BackupTests {
    private let files = FileManager.default

    /// Makes a folder whose apps have three objects each.
    private func folder(_ apps: [String]) async throws -> TestFolder {
        let folder = try ServerProcess.folder()
        let names = apps.map { "\"\($0)\"" }.joined(separator: ",")
        let access = apps.map { "\"\($0)\":{\"access\":\"everyone\"}" }.joined(separator: ",")
        let settings = """
            {"admin":{"port":0},"apps":[\(names)],"app":{\(access)},"tokens":{"secretFile":"token.secret"}}
            """
        try settings
            .write(toFile: "\(folder.path)/server.json", atomically: true, encoding: .utf8)
        let server = try ServerProcess(folder.path)
        for app in apps {
            let client = try await TestClient(port: server.port) { $0.app = SyncString(app) }
            try await client.subscribe()
            for key in 1...3 { try client.create(.int(Int64(key)), ["name": .string("x")]) }
            try await client.session.waitForUpload()
            await client.close()
        }
        await server.end(SIGTERM)
        return folder
    }

    @Test func `a file that can't be read doesn't hide the other streams`() async throws {
        let folder = try await folder(["good", "bad"])
        let path = try #require(
            files.subpaths(atPath: "\(folder.path)/sync/bad")?.first { $0.hasSuffix(".freehold") }
        )
        let damaged = "\(folder.path)/sync/bad/\(path)"
        try Data(repeating: 7, count: 65_536).write(to: URL(filePath: damaged))
        let verified = try ServerProcess.run(["verify", folder.path])
        #expect(verified.status == 1)
        #expect(verified.output.contains("\(damaged)\tdamaged\t"))
        #expect(verified.output.hasSuffix("2 streams, 1 of them damaged.\n"))
        let listed = try ServerProcess.run(["streams", folder.path], takesErrors: true)
        #expect(listed.status == 1)
        #expect(listed.output.contains("good\t-\tcommits=") && listed.output.contains("\(damaged) can't be read"))
        let export = ["export", folder.path, "good", "--class", "Thing"]
        #expect(try ServerProcess.run(export).output.split(separator: "\n").count == 3)
        #expect(try ServerProcess.run(["export", folder.path, "bad", "--class", "Thing"]).status == 1)
        #expect(try ServerProcess.run(["export", folder.path, "none", "--class", "Thing"]).status == 64)
        // A backup that can't be complete doesn't exist.
        #expect(try ServerProcess.run(["backup", folder.path, folder.path + ".backup"]).status == 1)
        let parent = URL(filePath: folder.path).deletingLastPathComponent().path
        let name = URL(filePath: folder.path).lastPathComponent
        #expect(try files.contentsOfDirectory(atPath: parent).filter { $0.hasPrefix(name) } == [name])
    }

    @Test func `a backup that was killed has no name of a backup, and can't be restored`() async throws {
        let folder = try await folder(["test"])
        let target = folder.path + ".backup"
        for number in 0..<2_000 { try Data("x".utf8).write(to: URL(filePath: "\(folder.path)/file \(number)")) }
        var draft = ""
        defer { for path in [target, draft] { try? files.removeItem(atPath: path) } }
        // On a busy machine, the command may end before it is killed.
        for _ in 0..<10 where draft.isEmpty || !files.fileExists(atPath: draft) {
            try? files.removeItem(atPath: target)
            let process = Process()
            process.setCommand([], ServerProcess.program, ["backup", folder.path, target])
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            draft = target + ".\(process.processIdentifier).unfinished"
            // A task would wait for its turn among those of other tests.
            while process.isRunning, !files.fileExists(atPath: draft + "/file 1") { usleep(200) }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        #expect(files.fileExists(atPath: draft) && !files.fileExists(atPath: target))
        let restored = try ServerProcess.run(["restore", draft, folder.path + ".restored"], takesErrors: true)
        #expect(restored.status == 64 && restored.output.contains("wasn't completed"), "\(restored.output)")
        // The next backup isn't disturbed.
        #expect(try ServerProcess.run(["backup", folder.path, target]).status == 0)
        #expect(files.fileExists(atPath: target + "/file 1999"))
    }

    @Test func `a backup has all settings, and no locks, pipes or sockets`() async throws {
        let folder = try await folder(["test"])
        let certificate = "sync.freehold.example.org.pem"
        try Data("a certificate".utf8).write(to: URL(filePath: "\(folder.path)/\(certificate)"))
        #expect(mkfifo("\(folder.path)/pipe", 0o600) == 0)
        let target = folder.path + ".backup"
        defer { try? files.removeItem(atPath: target) }
        #expect(try ServerProcess.run(["backup", folder.path, target]).status == 0)
        #expect(files.contents(atPath: "\(target)/\(certificate)") == Data("a certificate".utf8))
        #expect(!files.fileExists(atPath: "\(target)/pipe"))
        let names = try #require(files.subpaths(atPath: target))
        #expect(names.contains { $0.hasSuffix(".freehold") } && !names.contains { $0.hasSuffix("-lock") })
    }
}
