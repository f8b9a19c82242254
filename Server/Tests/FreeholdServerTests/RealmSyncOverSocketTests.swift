import FreeholdRealmWire
import FreeholdSyncCore
import RealmClientSocket
import Testing

@testable import FreeholdServer

/// Official Realm clients over real connections.
@Suite(.timeLimit(.minutes(20))) struct RealmSyncOverSocketTests {
    private static func path(_ token: String, app: String = "test") -> String {
        "/sync/api/client/v2.0/app/\(app)/realm-sync?baas_at=\(token)"
    }

    private static let person = WireObject(table: "Person", key: .int(1))
    private static let schema: [Instruction] = [
        .addTable(
            .init(
                name: "Person",
                kind: .topLevel,
                primaryKey: .init(field: "_id", kind: .int, isNullable: false)
            )
        ),
        .addColumn(.init(table: "Person", field: "name", kind: .string, isNullable: false)),
    ]

    /// A client that is bound and subscribed.
    private static func client(_ server: TestServer, _ user: String) async throws -> RealmClientSocket {
        let socket = try await RealmClientSocket(port: server.port, path: path(try await TestServer.token(user)))
        #expect(socket.status == 101)
        #expect(socket.version == 14)
        try await socket.send(.bind(.init(session: 1, needsIdent: true, schemaVersion: 0, reason: 0)))
        let answer = try await socket.next { if case .ident = $0 { true } else { false } }
        guard case .ident(_, let file)? = answer else { throw CancellationError() }
        let zero = DownloadCursor(server: 0, client: 0)
        let ident = RealmClientMessage.Ident(
            session: 1,
            file: file,
            download: zero,
            latest: LatestVersion(version: 0, salt: 0),
            queryVersion: 0,
            queries: []
        )
        try await socket.send(.ident(ident))
        try await socket.send(.mark(session: 1, number: 1))
        _ = try #require(try await socket.next { if case .mark = $0 { true } else { false } })
        return socket
    }

    private static func upload(
        _ instructions: [Instruction],
        version: UInt64,
        base: UInt64,
        _ socket: RealmClientSocket
    ) async throws {
        let entry = UploadEntry(
            clientVersion: version,
            serverVersion: base,
            timestamp: 300_000_000_000,
            changeset: try Changeset(instructions).encoded()
        )
        let progress = UploadCursor(client: version, server: base)
        try await socket.send(.upload(.init(session: 1, progress: progress, lockedServer: base, entries: [entry])))
    }

    @Test func `official clients declare a schema, upload, and receive the changes of each other`() async throws {
        let server = try await TestServer {
            $0.node.apps["test"]?.served = try? ServedApp("test", AppDocuments(), adoptsAlways: true)
        }
        let first = try await Self.client(server, "ada")
        try await Self.upload(Self.schema, version: 4, base: 0, first)
        let query = [FreeholdRealmWire.ClassQuery(table: "Person", text: "(TRUEPREDICATE)")]
        try await first.send(.query(session: 1, version: 1, queries: query))
        try await first.send(.mark(session: 1, number: 2))
        _ = try #require(try await first.next { $0 == .mark(session: 1, number: 2) })
        let second = try await Self.client(server, "ben")
        try await second.send(.query(session: 1, version: 1, queries: query))
        try await second.send(.mark(session: 1, number: 2))
        _ = try #require(try await second.next { $0 == .mark(session: 1, number: 2) })

        let name = WirePath(object: Self.person, field: "name")
        let write: [Instruction] = [
            .createObject(Self.person), .update(at: name, value: .string("Ada"), mark: .field(isDefault: false)),
        ]
        try await Self.upload(write, version: 8, base: 0, first)
        let answer = try await first.next {
            if case .download(let download) = $0 { download.upload.client >= 8 } else { false }
        }
        #expect(answer != nil)
        let received = try await second.next {
            if case .download(let download) = $0 {
                download.batch == .steady && !download.entries.isEmpty
            } else {
                false
            }
        }
        guard case .download(let download)? = received else { return #expect(Bool(false)) }
        #expect(try Changeset(bytes: download.entries[0].changeset).instructions == write)
        #expect(server.contents[ObjectName("Person", 1)]?["name"] == .value("Ada"))

        // The administrator sees the clients.
        #expect(server.running.node.status.realmClients == ["RealmSync/14.14.0 (Linux) Test/1": 2])

        try await first.send(.ping(timestamp: 5, roundTrip: 0))
        #expect(try await first.next { $0 == .pong(timestamp: 5) } != nil)
        try await first.send(.unbind(session: 1))
        #expect(try await first.next { $0 == .unbound(session: 1) } != nil)
        await first.close()
        await second.close()
        await server.stop()
    }

    @Test func `a connection without a valid token is answered with 401`() async throws {
        let server = try await TestServer()
        let bad = try await TestServer.token("ada", secret: "another secret, which has more than 32 bytes as well")
        for token in ["", "nonsense", bad] {
            let socket = try await RealmClientSocket(port: server.port, path: Self.path(token))
            #expect(socket.status == 401)
            await socket.close()
        }
        let good = try await TestServer.token("ada")
        let unknown = try await RealmClientSocket(port: server.port, path: Self.path(good, app: "other"))
        #expect(unknown.status == 401)
        let old = try await RealmClientSocket(
            port: server.port,
            path: Self.path(good),
            protocols: "com.mongodb.realm-sync#14, com.mongodb.realm-query-sync#7"
        )
        #expect(old.status == 401)
        await server.stop()
    }

    @Test func `a path with more slashes is served, too`() async throws {
        let server = try await TestServer()
        let path = "//sync" + Self.path(try await TestServer.token("ada")).dropFirst("/sync".count)
        let socket = try await RealmClientSocket(port: server.port, path: path)
        #expect(socket.status == 101)
        await socket.close()
        await server.stop()
    }

    @Test func `an unreadable message ends the connection`() async throws {
        let server = try await TestServer()
        let socket = try await RealmClientSocket(
            port: server.port,
            path: Self.path(try await TestServer.token("ada"))
        )
        try await socket.send(Array("nonsense 1 2\n".utf8))
        var code: Int?
        while let next = try await socket.next() { code = next.close ?? code }
        #expect(code == 1002)
        await server.stop()
    }

    @Test func `a client whose token expires is sent to renew it`() async throws {
        let server = try await TestServer { $0.node.limits.idleTimeout = 20_000 }
        let token = try await TestServer.token("ada", expires: 3)
        let socket = try await RealmClientSocket(port: server.port, path: Self.path(token))
        #expect(socket.status == 101)
        var code: Int?
        var number: UInt64 = 0
        while code == nil {
            number += 1
            try? await socket.send(.ping(timestamp: number, roundTrip: 0))
            guard let next = try await socket.next() else { break }
            code = next.close
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(code == 4001)
        await server.stop()
    }
}
