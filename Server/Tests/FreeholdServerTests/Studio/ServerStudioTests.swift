import Foundation
import FreeholdHTTP
import FreeholdStudio
import FreeholdStudioServer
import NIOHTTP1
import Synchronization
import Testing

@testable import FreeholdServer
@testable import FreeholdServerStudio

/// The program behind the page of a sync server.
@Suite(.timeLimit(.minutes(20))) struct ServerStudioTests {
    /// The messages that a session sends.
    private final class Messages: Sendable {
        private let stream: AsyncStream<[UInt8]>
        private let sent: AsyncStream<[UInt8]>.Continuation

        init() { (stream, sent) = AsyncStream.makeStream() }

        func add(_ bytes: [UInt8]) { sent.yield(bytes) }

        func next() async throws -> StudioJSON {
            var iterator = stream.makeAsyncIterator()
            return try StudioJSON(parsing: try #require(await iterator.next()))
        }
    }

    private func host(_ probe: AdministratorProbe, writes: Bool = false, key: AdministratorKey? = nil) -> ServerHost {
        ServerHost(probe.options(key: key, writes: writes))
    }

    private func ask(_ host: ServerHost, _ text: String) async throws -> StudioJSON {
        let messages = Messages()
        let session = host.open { messages.add($0) }
        defer { session.close() }
        session.receive(Array(text.utf8)) {}
        return try await messages.next()
    }

    @Test func `a page reads what the server has, by the requests of administrators`() async throws {
        let probe = try await AdministratorProbe(rules: AdministratorProbe.owners)
        let ann = try await probe.user("ann")
        let host = host(probe)
        #expect(host.welcome["welcome"]?["server"]?["folder"] == "/srv/test")
        #expect(try await ask(host, #"{"id": 1, "do": "overview"}"#)["ok"]?["ready"] == true)
        let users = try await ask(host, #"{"id": 2, "do": "users", "app": "test", "text": "ann@"}"#)
        #expect(users["ok"]?["users"]?.elements?.first?["id"]?.text == ann.id)
        for name in ["sessions", "streams", "refusals", "conflicts", "resets", "sinks", "logs"] {
            let answer = try await ask(host, "{\"id\": 3, \"do\": \"\(name)\"}")
            #expect(answer["ok"]?.members != nil, "\(name)")
        }
        await probe.server.stop()
        let error = try await ask(host, #"{"id": 4, "do": "overview"}"#)["error"]
        #expect(error?["message"]?.text?.contains("No server answers") == true)
    }

    @Test func `without --write nothing changes, except dry runs, which change nothing`() async throws {
        let probe = try await AdministratorProbe()
        let ann = try await probe.user("ann")
        let reader = host(probe)
        for (name, kind) in ServerRequest.kinds.sorted(by: { $0.key < $1.key }) where kind.changes {
            let request: [StudioJSON.Member] = [
                .init("id", 1), .init("do", .string(name)), .init("app", "test"), .init("user", .string(ann.id)),
                .init("class", "Note"), .init("key", "1"), .init("body", "{}"), .init("data", "{}"),
            ]
            let answer = try await ask(reader, StudioJSON.object(request).written)
            #expect(answer["error"]?["code"] == "readOnly", "\(name)")
            // Only some kinds have dry runs.
            guard !kind.parameters.contains("dry") else { continue }
            let dry = try await ask(reader, StudioJSON.object(request + [.init("dry", true)]).written)
            #expect(dry["error"]?["code"] == "readOnly", "\(name)")
        }
        let dry: StudioJSON = [
            "id": 1, "do": "pushRules", "app": "test", "dry": true, "body": .string(AdministratorProbe.owners),
        ]
        #expect(try await ask(reader, dry.written)["ok"]?["pushed"] == false)
        #expect(try await probe.server.store.user(ann.id)?.isDisabled == false)
        #expect(try await probe.server.store.documents(of: "test").rules == nil)
        let disable = "{\"id\": 1, \"do\": \"disableUser\", \"app\": \"test\", \"user\": \"\(ann.id)\"}"
        #expect(try await ask(host(probe, writes: true), disable)["ok"]?["done"] == true)
        #expect(try await probe.server.store.user(ann.id)?.isDisabled == true)
        await probe.server.stop()
    }

    @Test func `a program that listens at the port of a server doesn't receive the key`() async throws {
        let heads = Heads()
        let impostor = try await HTTPFixture([
            HTTPRoute(.GET, "admin/v1/proof/{number}", operation: "proof", statuses: [200]) { request in
                heads.add(request.head)
                return HTTPAnswer(body: "{\"proof\": \"\(String(repeating: "0", count: 64))\"}")
            },
            HTTPRoute(.GET, "admin/v1/overview", operation: "overview", statuses: [200]) { request in
                heads.add(request.head)
                return HTTPAnswer(body: "{}")
            },
        ])
        let key = AdministratorKey(secret: "a secret of more than thirty-two bytes")
        let options = ServerHost.Options(
            host: "127.0.0.1",
            port: impostor.port,
            key: key,
            name: "test",
            folder: "/srv/test",
            administrator: "ops"
        )
        let answer = try await ask(ServerHost(options), #"{"id": 1, "do": "overview"}"#)
        #expect(answer["error"]?["code"] == "permission")
        #expect(heads.all.count == 1)
        #expect(!heads.all.contains { "\($0)".contains(key.text) })
        await impostor.stop()
    }

    @Test(arguments: ["overview", "disableUser"])
    func `a server that doesn't answer in time is busy`(_ name: String) async throws {
        let key = AdministratorKey(secret: "a secret of more than thirty-two bytes")
        let (forever, end) = AsyncStream<Void>.makeStream()
        let slow = try await HTTPFixture([
            HTTPRoute(.GET, "admin/v1/proof/{number}", operation: "proof", statuses: [200]) { request in
                let number = request.head.uri.split(separator: "/").last.map(String.init) ?? ""
                return HTTPAnswer(body: "{\"proof\": \"\(key.proof(of: number))\"}")
            },
            HTTPRoute(.GET, "admin/v1/overview", operation: "overview", statuses: [200]) { _ in
                for await _ in forever {}
                return HTTPAnswer(body: "{}")
            },
            HTTPRoute(.POST, "admin/v1/users/{app}/{user}/disable", operation: "disable", statuses: [200]) { _ in
                for await _ in forever {}
                return HTTPAnswer(body: "{}")
            },
        ])
        var options = ServerHost.Options(
            host: "127.0.0.1",
            port: slow.port,
            key: key,
            name: "test",
            folder: "/srv/test",
            administrator: "ops"
        )
        (options.isWritable, options.patience) = (true, 3)
        let request = "{\"id\": 1, \"do\": \"\(name)\", \"app\": \"test\", \"user\": \"ann\"}"
        let error = try await ask(ServerHost(options), request)["error"]
        #expect(error?["code"] == "busy")
        let text = try #require(error?["message"]?.text)
        #expect(text.hasPrefix("The server at 127.0.0.1:\(slow.port) didn't answer within 3 s."))
        // Only a change may still be made.
        #expect(text.contains("may still") == (name == "disableUser"))
        end.finish()
        await slow.stop()
    }

    private final class Heads: Sendable {
        private let heads = Mutex<[HTTPRequestHead]>([])

        var all: [HTTPRequestHead] { heads.withLock { $0 } }
        func add(_ head: HTTPRequestHead) { heads.withLock { $0.append(head) } }
    }

    @Test func `messages that aren't requests are answered with errors`() async throws {
        let probe = try await AdministratorProbe(hasClasses: false)
        let host = host(probe, writes: true)
        let long = String(repeating: "x", count: 20_000)
        let messages = [
            "", "[]", "{}", #"{"do": 1}"#, #"{"id": -1, "do": "overview2"}"#, #"{"id": 1, "do": "users"}"#,
            #"{"id": 1, "do": "users", "app": {}}"#, #"{"id": 1, "do": "users", "app": ""}"#,
            #"{"id": 1, "do": "setUserData", "app": "test", "user": "x", "data": 5}"#,
            "{\"id\": 1, \"do\": \"sessions\", \"text\": \"\(long)\"}", String(repeating: "[", count: 10_000),
        ]
        for message in messages {
            #expect(try await ask(host, message)["error"]?["message"]?.text?.isEmpty == false, "\(message.prefix(40))")
        }
        // Names with characters of paths stay one part of the path.
        let odd = try await ask(host, #"{"id": 1, "do": "user", "app": "test", "user": "../../overview?x=1#&"}"#)
        #expect(odd["error"]?["code"] == "notFound")
        await probe.server.stop()
    }

    @Test func `another secret, or a page without Studio's key, sees nothing`() async throws {
        let probe = try await AdministratorProbe()
        let stranger = host(probe, key: AdministratorKey(secret: "the secret of another folder, 32 bytes long"))
        let answer = try await ask(stranger, #"{"id": 1, "do": "overview"}"#)
        #expect(answer["ok"] == nil)
        #expect(answer["error"]?["code"] == "permission")

        let studio = try await StudioServer.start(host(probe))
        let host = "127.0.0.1:\(studio.port)"
        let opened = try await RawSocket.open(port: studio.port, origin: "http://\(host)", host: host)
        let page = try #require(opened.socket)
        await page.send("{\"hello\": \"\(StudioKey().text)\", \"protocol\": 1}")
        await page.send(#"{"id": 1, "do": "overview"}"#)
        let text = await page.rest()
        #expect(text.contains("refused"))
        #expect(!text.contains("connections"))
        await studio.close()
        await probe.server.stop()
    }
}
