import Foundation
import FreeholdBSON
import FreeholdHTTP
import FreeholdSyncCore
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import Testing

@testable import FreeholdServer

/// HTTP/2 over TLS, by ALPN.
@Suite(.timeLimit(.minutes(20))) struct HTTP2Tests {
    /// A connection of HTTP/2.
    private struct Client {
        let channel: any Channel
        let streams: NIOHTTP2Handler.StreamMultiplexer

        struct Answer: Sendable {
            var status = 0
            var headers: HTTPHeaders = [:]
            var body = ""
        }

        init(port: Int, trusts certificates: String) async throws {
            let context = try WireClient.context(certificates, ["h2"])
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            let promise = loop.makePromise(of: NIOHTTP2Handler.StreamMultiplexer.self)
            let bootstrap = ClientBootstrap(group: loop).channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                    promise.succeed(
                        try pipeline.configureHTTP2Pipeline(
                            mode: .client,
                            connectionConfiguration: .init(),
                            streamConfiguration: .init()
                        ) { $0.eventLoop.makeSucceededVoidFuture() }
                    )
                }
            }
            channel = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
            streams = try await promise.futureResult.get()
        }

        func ask(
            _ method: HTTPMethod,
            _ path: String,
            _ headers: HTTPHeaders = [:],
            body: [UInt8] = []
        ) async throws -> Answer {
            let promise = channel.eventLoop.makePromise(of: Answer.self)
            let stream: any Channel
            do {
                stream = try await streams.createStreamChannel { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers([
                            HTTP2FramePayloadToHTTP1ClientCodec(httpProtocol: .https), Collector(promise),
                        ])
                    }
                }.get()
            } catch {
                promise.fail(error)
                return try await promise.futureResult.get()
            }
            var all: HTTPHeaders = ["Host": "localhost"]
            all.add(contentsOf: headers)
            let head = HTTPRequestHead(version: .http2, method: method, uri: path, headers: all)
            stream.write(HTTPClientRequestPart.head(head), promise: nil)
            if !body.isEmpty {
                stream.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
            }
            stream.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
            return try await promise.futureResult.get()
        }

        func close() async { try? await channel.close() }

        private final class Collector: ChannelInboundHandler {
            typealias InboundIn = HTTPClientResponsePart
            private let promise: EventLoopPromise<Answer>
            private var answer = Answer()

            init(_ promise: EventLoopPromise<Answer>) { self.promise = promise }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                switch unwrapInboundIn(data) {
                case .head(let head): (answer.status, answer.headers) = (Int(head.status.code), head.headers)
                case .body(let bytes): answer.body += String(buffer: bytes)
                case .end: promise.succeed(answer)
                }
            }
            func channelInactive(context: ChannelHandlerContext) {
                // An answer before the end of its request ends with a reset stream.
                if answer.status > 0 { promise.succeed(answer) } else { promise.fail(ChannelError.eof) }
            }
            func errorCaught(context: ChannelHandlerContext, error: any Error) {
                if answer.status > 0 { promise.succeed(answer) } else { promise.fail(error) }
                context.close(promise: nil)
            }
        }
    }

    private static func server(
        _ files: TLSFiles,
        _ change: @Sendable (inout ServerSettings) -> Void = { _ in }
    ) async throws -> AccountProbe {
        try await AccountProbe { settings in
            settings.tls = ServerSettings.TLS(certificates: files.certificates, key: files.key)
            change(&settings)
        }
    }

    private static let login = AccountProbe.path + "/app/test/auth/providers/anon-user/login"

    @Test func `accounts and documents are answered in HTTP 2, many at once`() async throws {
        let files = try TLSFiles()
        defer { files.remove() }
        let server = try await Self.server(files)
        let client = try await Client(port: server.port, trusts: files.certificates)
        let login = try await client.ask(.POST, Self.login, body: Array("{}".utf8))
        #expect(login.status == 200)
        #expect(login.headers["Connection"].isEmpty && login.headers["X-Request-ID"].count == 1)
        let token = try #require(try BSONDocument(extendedJSON: login.body)["access_token"]?.stringValue)
        // More reads at once would keep more than the user's share.
        for _ in 0..<5 {
            try await withThrowingTaskGroup { group in
                for index in 0..<40 {
                    group.addTask {
                        let headers: HTTPHeaders = index % 4 == 0 ? ["Authorization": "Bearer \(token)"] : [:]
                        let answer = try await client.ask(.GET, "/api/data/v1/app/test/Note", headers)
                        #expect(answer.status == (index % 4 == 0 ? 200 : 401))
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(try await client.ask(.GET, "/nothing").status == 404)
        #expect(try await client.ask(.GET, "/health").body == "alive\n")
        await client.close()
        await server.stop()
    }

    @Test func `a body that is too large for its route is refused, and the connection goes on`() async throws {
        let files = try TLSFiles()
        defer { files.remove() }
        let server = try await Self.server(files)
        let client = try await Client(port: server.port, trusts: files.certificates)
        for size in [70_000, 1 << 20] {
            let answer = try await client.ask(.POST, Self.login, body: [UInt8](repeating: 0x20, count: size))
            #expect(answer.status == 413)
        }
        #expect(try await client.ask(.POST, Self.login, body: Array("{}".utf8)).status == 200)
        await client.close()
        await server.stop()
    }

    @Test(arguments: [["http/1.1"], [], ["h2c", "http/1.1"]]) func `a client without HTTP 2 is answered in HTTP 1`(
        _ protocols: [String]
    ) async throws {
        let files = try TLSFiles()
        defer { files.remove() }
        let server = try await Self.server(files)
        let client = try await WireClient(port: server.port, tls: files.certificates, protocols: protocols)
        for _ in 0..<3 { #expect(try await client.ask("GET /health").text == "alive\n") }
        await client.close()
        await server.stop()
    }

    @Test func `a server that drains ends connections of HTTP 2`() async throws {
        let files = try TLSFiles()
        defer { files.remove() }
        let server = try await Self.server(files)
        let client = try await Client(port: server.port, trusts: files.certificates)
        #expect(try await client.ask(.GET, "/health").status == 200)
        let time = await ContinuousClock().measure { await server.running.stop(after: 600_000) }
        #expect(time < .seconds(300))
        try await client.channel.closeFuture.get()
    }

    @Test func `new connections get a new certificate, and open ones go on`() async throws {
        let files = try TLSFiles()
        defer { files.remove() }
        let hello = HTTPRoute(.GET, "hello", operation: "hello", statuses: [200]) { _ in HTTPAnswer(body: "hello") }
        let contexts = try TLSContexts(certificates: files.certificates, key: files.key)
        let server = try await HTTPFixture([hello], tls: contexts)
        let old = try Data(contentsOf: URL(filePath: files.certificates))
        let saved = files.folder.appending(path: "old.pem").path
        try old.write(to: URL(filePath: saved))
        let (first, second) = (
            try await WireClient(port: server.port, tls: saved),
            try await Client(port: server.port, trusts: saved)
        )
        #expect(try await first.ask("GET /hello").text == "hello")
        #expect(try await second.ask(.GET, "/hello").body == "hello")
        try files.renew(at: .now.addingTimeInterval(10))
        #expect(try contexts.reload())
        let third = try await WireClient(port: server.port, tls: files.certificates)
        #expect(try await third.ask("GET /hello").text == "hello")
        let misled = try await WireClient(port: server.port, tls: saved)
        await misled.send("GET /hello")
        #expect(await misled.answer() == nil)
        #expect(try await first.ask("GET /hello").text == "hello")
        #expect(try await second.ask(.GET, "/hello").body == "hello")
        for client in [first, third, misled] { await client.close() }
        await second.close()
        await server.stop()
    }

    // MARK: Floods

    private static func frame(_ type: UInt8, _ flags: UInt8, stream: Int, _ payload: [UInt8] = []) -> [UInt8] {
        let length = payload.count
        var bytes: [UInt8] = [UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, flags]
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(stream >> shift & 0xFF)) }
        return bytes + payload
    }

    private static let preface: [UInt8] = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, 0, stream: 0)

    /// The fields of `GET https://localhost/health`.
    private static let fields: [UInt8] = {
        var fields: [UInt8] = [0x82, 0x87, 0x04, 7]
        fields += Array("/health".utf8)
        fields += [0x01, 9]
        return fields + Array("localhost".utf8)
    }()

    /// A field that is literal and not indexed.
    private static func field(_ name: String, bytes: Int) -> [UInt8] {
        var length: [UInt8] = [0x7F]
        var rest = bytes - 127
        while rest >= 128 {
            length.append(UInt8(rest & 0x7F | 0x80))
            rest >>= 7
        }
        length.append(UInt8(rest))
        var field: [UInt8] = [0x00, UInt8(name.utf8.count)]
        field += Array(name.utf8)
        field += length
        return field + [UInt8](repeating: 0x61, count: bytes)
    }

    private static func repeated(_ count: Int, _ make: (Int) -> [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in 0..<count { bytes += make(index) }
        return bytes
    }

    private static func floods() -> [(name: String, bytes: [UInt8])] {
        let head: [UInt8] = frame(1, 1, stream: 1, fields)
        let post: [UInt8] = frame(1, 4, stream: 1, [0x83] + fields.dropFirst())
        let resets = repeated(2_000) { index in
            var bytes = frame(1, 5, stream: 2 * index + 1, fields)
            bytes += frame(3, 0, stream: 2 * index + 1, [0, 0, 0, 8])
            return bytes
        }
        let endless = head + repeated(2_000) { _ in frame(9, 0, stream: 1, field("a", bytes: 200)) }
        let empty = head + repeated(2_000) { _ in frame(9, 0, stream: 1) }
        var large = head + repeated(3) { _ in frame(9, 0, stream: 1, field("a", bytes: 16_000)) }
        large += frame(9, 4, stream: 1, field("a", bytes: 16_000))
        let ping = [UInt8](repeating: 1, count: 8)
        return [
            ("streams that are reset at once", resets), ("a head without end", endless),
            ("empty pieces of a head", empty), ("a head of 64 KiB", large),
            ("pings", repeated(5_000) { _ in frame(6, 0, stream: 0, ping) }),
            ("settings", repeated(5_000) { _ in frame(4, 0, stream: 0) }),
            ("empty pieces of a body", post + repeated(2_000) { _ in frame(0, 0, stream: 1) }),
            ("frames of no stream", repeated(2_000) { _ in frame(0, 0, stream: 9, [1, 2, 3]) }),
            ("no frames", [UInt8](repeating: 0xFF, count: 100_000)),
        ]
    }

    @Test func `a flood ends its connection, and the server goes on`() async throws {
        let files = try TLSFiles()
        defer { files.remove() }
        let server = try await Self.server(files)
        for (name, bytes) in Self.floods() {
            let attacker = try await WireClient(port: server.port, tls: files.certificates, protocols: ["h2"])
            await attacker.send(Self.preface + bytes)
            // The connection ends, or the test never does.
            _ = await attacker.rest()
            let honest = try await Client(port: server.port, trusts: files.certificates)
            #expect(try await honest.ask(.GET, "/health").status == 200, "\(name)")
            await honest.close()
        }
        await server.stop()
    }

    @Test func `more open streams than allowed end the connection`() async throws {
        let files = try TLSFiles()
        defer { files.remove() }
        let (gate, open) = AsyncStream<Void>.makeStream()
        let (begins, begin) = AsyncStream<Void>.makeStream()
        let slow = HTTPRoute(.GET, "health", operation: "slow", statuses: [200]) { _ in
            begin.yield()
            for await _ in gate { break }
            return HTTPAnswer(body: "done")
        }
        let contexts = try TLSContexts(certificates: files.certificates, key: files.key)
        let server = try await HTTPFixture([slow], tls: contexts) { $0.limits.streamsPerConnection = 4 }
        let client = try await WireClient(port: server.port, tls: files.certificates, protocols: ["h2"])
        await client.send(Self.preface)
        // The settings of the server, which count once they are acknowledged.
        #expect(await client.next() != nil)
        await client.send(Self.frame(4, 1, stream: 0))
        await client.send(Self.repeated(4) { Self.frame(1, 5, stream: 2 * $0 + 1, Self.fields) })
        var count = 0
        for await _ in begins {
            count += 1
            if count == 4 { break }
        }
        await client.send(Self.frame(1, 5, stream: 9, Self.fields))
        _ = await client.rest()
        open.finish()
        await server.stop()
    }
}
