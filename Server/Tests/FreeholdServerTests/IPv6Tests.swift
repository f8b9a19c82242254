import Foundation
import FreeholdSync
import FreeholdSyncCore
import NIOCore
import NIOPosix
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@testable import FreeholdServer

private enum IPv6 {
    static let isThere: Bool = {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        guard let channel = try? bootstrap.bind(host: "::1", port: 0).wait() else { return false }
        try? channel.close().wait()
        return true
    }()
}

/// A server with an IPv6 address. The address is in brackets where a port may follow.
@Suite(.timeLimit(.minutes(20)), .enabled(if: IPv6.isThere, "this machine has no ::1"))
struct IPv6Tests {
    @Test(arguments: ["::1", "[::1]"]) func `clients and the administrator find a server at ::1`(_ host: String)
        async throws
    {
        let server = try await TestServer { ($0.host, $0.administratorHost) = (host, host) }
        let endpoint = try #require(SyncEndpoint("ws://[::1]:\(server.port)"))
        let (a, b) = (
            try await TestClient(port: server.port, endpoint: endpoint),
            try await TestClient(port: server.port, user: "bob", endpoint: endpoint)
        )
        try await a.subscribe()
        try await b.subscribe()
        try a.create(1, ["name": "x"])
        try await expectConvergence(server, [a, b])
        let port = try #require(server.running.administratorPort)
        for name in ["::1", "[::1]"] {
            #expect(try await AdministratorClient.get("/status", host: name, port: port, within: 60).status == 200)
        }
        await a.close()
        await b.close()
        await server.stop()
    }

    @Test(arguments: ["::1", "[::1]"]) func `in development ::1 is this machine`(_ host: String) async throws {
        let server = try await AccountProbe { ($0.isDevelopment, $0.host) = (true, host) }
        let request = [
            "GET \(AccountProbe.path)/app/test/location HTTP/1.1", "Host: [::1]:\(server.port)",
            "Origin: http://[::1]:5173",
        ]
        let answer = try await RawConnection.ask(request, host: "::1", port: server.port)
        #expect(answer.status == 200)
        #expect(answer.text.contains("\"http://[::1]:\(server.port)\""))
        #expect(answer.text.contains("\"ws://[::1]:\(server.port)/sync\""))
        let client = try await TestClient(
            port: server.port,
            token: "user:ann",
            endpoint: SyncEndpoint("ws://[::1]:\(server.port)")
        )
        try await client.subscribe()
        await client.close()
        await server.stop()
    }

    @Test(arguments: ["[::2]", "[::]", "[127.0.0.1]", "[localhost]", "[::1", "::1]", "[]"])
    func `what isn't loopback isn't in brackets, either`(_ host: String) {
        var settings = ServerSettings(node: NodeConfiguration(apps: ["test": NodeApp()]))
        settings.isDevelopment = true
        settings.host = host
        #expect(throws: SettingsError.self) { try settings.checked() }
        (settings.host, settings.administratorHost) = ("::1", host)
        #expect(throws: SettingsError.self) { try settings.checked() }
    }

    @Test(arguments: [
        ("::1", "[::1]:80"), ("[::1]", "[::1]:80"), ("127.0.0.1", "127.0.0.1:80"), ("localhost", "localhost:80"),
    ]) func `addresses stand in brackets before a port`(_ host: String, _ text: String) {
        #expect(ServerSettings.authority(host, 80) == text)
    }

    @Test(.enabled(if: ServerProcess.isBuilt, "freehold-server isn't built"), arguments: ["::1", "[::1]"])
    func `the program says where it listens so that it can be opened`(_ host: String) async throws {
        let folder = try ServerProcess.folder()
        let server = try ServerProcess(folder.path, ["--host", host])
        let place = "[::1]:\(server.port)"
        #expect(server.line == "Freehold listens at ws://\(place)/sync\nApps connect to http://\(place)\n")
        await server.end(SIGTERM)
    }
}
