import Foundation
import FreeholdBSON
import FreeholdServerStore
import FreeholdSync
import FreeholdSyncCore
import Testing

@testable import FreeholdServer

/// Streams without any write, and streams that an app doesn't have.
@Suite(.timeLimit(.minutes(20))) struct MissingStreamTests {
    private static let schema = SchemaClaim(version: 0, hash: .empty)

    @Test(arguments: [NodeApp.Access.everyone, .ownStream]) func `reading by HTTP makes no stream`(
        _ access: NodeApp.Access
    ) async throws {
        let folder = try TestFolder()
        let files = try FileServerStore(at: folder.path, epoch: 7)
        let app = AccountApp(id: "test", allowsAnonymous: true, emailPassword: .autoConfirm, access: access)
        let server = try await AccountProbe(app: app, sync: FileNodeStore(files))
        let login = try await server.loginAnonymous()
        let (user, token) = (try #require(login["user_id"]), try #require(login["access_token"]))
        func ask(_ path: String) async throws -> AccountProbe.Answer {
            try await server.send("GET", "/api/data/v1/app/test" + path, bytes: [], token: token)
        }
        #expect(try await ask("/Note").body == ["documents": []])
        #expect(try await ask("/Note/1").status == 404)
        #expect(try await ask("/Note?stream=\(user)").status == (access == .ownStream ? 200 : 403))
        for name in ["other", "..", "%2E%2E%2Fx", ""] {
            #expect(try await ask("/Note?stream=\(name)").status == 403)
            #expect(try await ask("/$changes?stream=\(name)").status == 403)
        }
        let changes = try await RawConnection(port: server.port)
        let request = [
            "GET /api/data/v1/app/test/$changes HTTP/1.1", "Host: localhost", "Authorization: Bearer \(token)", "", "",
        ]
        await changes.send(Array(request.joined(separator: "\r\n").utf8))
        var text = ""
        while !text.contains(": here"), let piece = await changes.next() { text += piece }
        #expect(text.contains(" 200 ") && text.contains(": here"))
        #expect(try files.streams().isEmpty)
        await changes.close()
        await server.stop()
    }

    @Test func `a stream is bound that the app has, and no other`() async throws {
        var shared = NodeApp(access: .everyone)
        shared.streams = ["team"]
        let apps: [SyncString: NodeApp] = ["test": NodeApp(access: .everyone), "shared": shared]
        let server = try await TestServer { $0.node.apps = apps }
        let binds: [Wish] = [
            ("test", nil, true), ("test", .string("team"), false), ("test", .string("ann"), false),
            ("test", .int(1), false), ("shared", nil, true), ("shared", .string("team"), true),
            ("shared", .string("other"), false), ("shared", .int(1), false),
        ]
        try await Self.expect(binds, port: server.port)
        await server.stop()
    }

    @Test(.enabled(if: ServerProcess.isBuilt, "freehold-server isn't built"))
    func `settings name streams that an app has`() async throws {
        let folder = try ServerProcess.folder()
        let settings = """
            {"admin":{"port":0},"apps":["test"],"app":{"test":{"access":"everyone","streams":["team"]}},
            "tokens":{"secretFile":"token.secret"}}
            """
        try settings.write(toFile: folder.path + "/server.json", atomically: true, encoding: .utf8)
        let server = try ServerProcess(folder.path)
        let binds: [Wish] = [
            ("test", nil, true), ("test", .string("team"), true), ("test", .string("other"), false),
        ]
        try await Self.expect(binds, port: server.port)
        await server.end(SIGTERM)
        #expect(try ServerProcess.run(["streams", folder.path]).output.split(separator: "\n").count == 2)
    }

    private typealias Wish = (app: SyncString, stream: SyncValue?, isGood: Bool)

    /// Binds one session after another.
    private static func expect(_ binds: [Wish], port: Int) async throws {
        let token = try await TestServer.token("ann")
        // A connection has ten seconds for its token, and a busy machine may take longer.
        var greeted: RawPeer?
        for _ in 0..<10 where greeted == nil {
            let peer = try await RawPeer(port: port)
            try? await peer.hello(token)
            if case .welcome? = try await peer.next() { greeted = peer }
        }
        let peer = try #require(greeted, "no welcome")
        for (index, bind) in binds.enumerated() {
            let number = SessionNumber(rawValue: UInt32(index + 1))
            try await peer.send(.bind(number, Bind(app: bind.app, stream: bind.stream, schema: schema)))
            var (isBound, fault): (Bool, SyncFault?) = (false, nil)
            while !isBound, fault == nil, let answer = try await peer.next() {
                if case .bound = answer { isBound = true }
                fault = answer.fault
            }
            #expect(isBound == bind.isGood, "\(bind)")
            #expect(fault == (bind.isGood ? nil : .forbidden), "\(bind)")
        }
        peer.close()
    }
}
