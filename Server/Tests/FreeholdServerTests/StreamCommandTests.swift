import Foundation
import FreeholdSync
import FreeholdSyncCore
import Testing

/// The output of the commands about streams.
@Suite(.timeLimit(.minutes(20)), .enabled(if: ServerProcess.isBuilt, "freehold-server isn't built"))
struct StreamCommandTests {
    @Test func `streams are shown with what they hold, and each can be exported`() async throws {
        let folder = try ServerProcess.folder()
        #expect(try ServerProcess.run(["streams", folder.path]).status != 0)
        let server = try ServerProcess(folder.path)
        let a = try await TestClient(port: server.port)
        try await a.subscribe()
        for key in 1...3 { try a.create(.int(Int64(key)), ["name": .string("x")]) }
        try await a.session.waitForUpload()
        await a.close()
        await server.end(SIGTERM)
        let text = try ServerProcess.run(["streams", folder.path]).output
        #expect(text.hasPrefix("test\t-\tcommits="))
        #expect(text.contains("files=1"))
        #expect(try ServerProcess.run(["streams", folder.path, "--app", "other"]).output.isEmpty)
        let verified = try ServerProcess.run(["verify", folder.path])
        #expect(verified.status == 0)
        #expect(verified.output == "1 streams, 0 of them damaged.\n")
        #expect(
            try ServerProcess.run(["export", folder.path, "test", "--class", "Thing"]).output.split(separator: "\n")
                .count == 3
        )
        #expect(
            try ServerProcess.run(["export", folder.path, "test", "--stream", "ann", "--class", "Thing"]).status != 0
        )
    }

    @Test func `a user's stream is exported by the user's name`() async throws {
        let folder = try TestFolder()
        try TestServer.secret.write(toFile: "\(folder.path)/token.secret", atomically: true, encoding: .utf8)
        let settings = """
            {"admin":{"port":0},"apps":["test"],"app":{"test":{"access":"own-stream"}},"tokens":{"secretFile":"token.secret"}}
            """
        try settings.write(toFile: "\(folder.path)/server.json", atomically: true, encoding: .utf8)
        let server = try ServerProcess(folder.path)
        let a = try await TestClient(port: server.port) { $0.stream = .string("ann") }
        try await a.subscribe()
        try a.create(.int(1), ["name": .string("hers")])
        try await a.session.waitForUpload()
        await a.close()
        await server.end(SIGTERM)
        #expect(try ServerProcess.run(["streams", folder.path]).output.hasPrefix("test\tann\t"))
        let text = try ServerProcess.run(["export", folder.path, "test", "--stream", "ann", "--class", "Thing"]).output
        #expect(text.contains("hers"))
        #expect(try ServerProcess.run(["export", folder.path, "test", "--class", "Thing"]).status != 0)
    }
}
