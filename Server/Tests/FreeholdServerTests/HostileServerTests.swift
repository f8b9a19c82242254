import Foundation
import FreeholdCompression
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import FreeholdSync
@testable import FreeholdSyncCore

/// An app and a malicious server, or a program that answers in the server's place on a foreign network.
@Suite(.timeLimit(.minutes(20))) struct HostileServerTests {
    private static let limits = AnswerLimits(headBytes: 64 << 10, bodyBytes: 1 << 20)

    private func ask(
        _ flood: Flood,
        limits: AnswerLimits = limits,
        timeout: TimeInterval = 60
    ) async throws -> (response: RLMResponse, sent: Int) {
        let server = try await HostileServer(flood)
        let transport = SocketTransport(limits: limits)
        let request = RLMRequest(
            method: .POST,
            url: "http://127.0.0.1:\(server.port)/x",
            timeout: timeout,
            body: "{\"password\": \"secret\"}"
        )
        let response = await transport.send(request)
        let sent = await server.end()
        return (response, sent)
    }

    /// Endless answers, each in another part of HTTP.
    static let floods: [Flood] = [
        Flood("HTTP/1.1 200 OK\r\n\r\n", "x"),
        Flood("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"),
        Flood("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", "a"),
        Flood("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n", "a: b\r\n"),
        Flood("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\n\r\n", "x"),
        Flood("HTTP/1.1 401 Unauthorized\r\n\r\n", "x"),
        Flood("HTTP/1.1 200 OK\r\n", "a: b\r\n"),
        Flood("HTTP/1.1 200 OK\r\na: ", "b"),
        Flood("HTTP/1.1 200 ", "O"),
        Flood("", "HTTP/1.1 100 Continue\r\n\r\n"),
        Flood("", "HTTP/1.1 103 Early Hints\r\na: b\r\n\r\n"),
        Flood("", "\r\n"),
        Flood("", "x"),
    ]

    @Test(arguments: floods.indices) func `an answer that never ends is cut off`(_ index: Int) async throws {
        let (response, sent) = try await ask(Self.floods[index])
        #expect(response.httpStatusCode == 0)
        #expect(response.customStatusCode != 0)
        // The client took at most the limit and what the system's buffers hold, which is some MiB.
        #expect(sent < 24 << 20, "\(sent) bytes were taken")
    }

    @Test func `an announced length above the limit ends the request at once`() async throws {
        let (response, sent) = try await ask(Flood("HTTP/1.1 200 OK\r\nContent-Length: 4000000000\r\n\r\n", "x"))
        #expect(response.body == AnswerLimits.tooLong)
        #expect(sent < 24 << 20)
    }

    @Test(arguments: ["gzip", "deflate", "br", "gzip, identity"])
    func `a compressed answer is refused before anything is decompressed`(_ encoding: String) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(encoding)\r\n\r\n"
        let response = try await ask(Flood(head, "\u{1f}x", isEndless: false)).response
        #expect(response.body == AnswerLimits.notAsked)
    }

    @Test func `the time of a request is the time of its whole answer`() async throws {
        let (response, sent) = try await ask(Flood("HTTP/1.1 200 OK\r\n\r\n", "x", pause: 20), timeout: 0.5)
        #expect(response.body == "There was no answer in time.")
        #expect(sent < 1 << 20)
    }

    @Test func `an answer within the limits is taken whole`() async throws {
        for head in [
            "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Encoding: identity\r\nA: b\r\na: c\r\n\r\n",
        ] {
            let response = try await ask(Flood(head, "{\"a\": \"é1\"}", isEndless: false)).response
            #expect(response.customStatusCode == 0)
            #expect(response.httpStatusCode == (head.contains("404") ? 404 : 200))
            #expect(response.body == "{\"a\": \"é1\"}")
        }
    }

    @Test func `a redirection is an answer, and leads nowhere`() async throws {
        let other = try await HostileServer(Flood("HTTP/1.1 200 OK\r\n\r\n", "{}", isEndless: false))
        let head = "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:\(other.port)/\r\n\r\n"
        let response = try await ask(Flood(head, "{}", isEndless: false)).response
        #expect(response.httpStatusCode == 307)
        #expect(other.connections == 0)
        _ = await other.end()
    }

    @Test func `a missing server and one that hangs up are errors`() async throws {
        let server = try await HostileServer(
            Flood("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "x", isEndless: false)
        )
        let request = RLMRequest(method: .GET, url: "http://localhost:\(server.port)/", timeout: 20)
        let transport = SocketTransport()
        let short = await transport.send(request)
        #expect(short.customStatusCode != 0 && short.httpStatusCode == 0, "\(short)")
        _ = await server.end()
        let missing = await transport.send(request)
        #expect(missing.customStatusCode != 0 && !missing.body.contains("NIO"), "\(missing.body)")
        for address in ["", "nonsense", "ftp://x/", "http://", "http://x:99999/"] {
            let none = await transport.send(RLMRequest(method: .GET, url: address))
            #expect(none.customStatusCode != 0, "\(address)")
        }
    }

    @Test(arguments: [false, true])
    func `a message that claims more than the limit, or is longer than it claims, is refused`(_ isLonger: Bool) throws {
        // The codec as the client has it: it knows the length of a compressed message before it inflates the message.
        let codec = MessageCodec(compression: ZlibCompression.shared, limit: 1 << 20)
        let bomb = try #require(ZlibCompression(level: 9).compressed([UInt8](repeating: 0, count: 64 << 20)))
        #expect(bomb.count < 1 << 17)
        var frame: [UInt8] = [MessageKind.pong.rawValue, 1, 0]
        var claimed = isLonger ? 1 << 20 : 64 << 20
        while claimed >= 0x80 {
            frame.append(UInt8(claimed & 0x7F) | 0x80)
            claimed >>= 7
        }
        frame.append(UInt8(claimed))
        let error = #expect(throws: CodecError.self) { try codec.serverMessage(frame + bomb) }
        #expect(error?.code == (isLonger ? .compression : .tooLarge))
    }

    @Test func `addresses are read as URLs have them`() throws {
        let target = try #require(SocketTransport.Target("HTTPS://[::1]:8443/a%20b/c?d=e%26f"))
        #expect([target.host, target.path, target.authority] == ["::1", "/a%20b/c?d=e%26f", "[::1]:8443"])
        #expect(target.isSecure)
        let plain = try #require(SocketTransport.Target("http://example.org"))
        #expect([plain.authority, plain.path] == ["example.org", "/"])
    }
}

/// An answer that consists of a beginning and a text that is repeated.
struct Flood: Sendable {
    let head: String
    let text: String
    let isEndless: Bool
    /// The pause between pieces, in milliseconds.
    let pause: Int64

    init(_ head: String, _ text: String, isEndless: Bool = true, pause: Int64 = 0) {
        (self.head, self.text, self.isEndless, self.pause) = (head, text, isEndless, pause)
    }
}

/// A server that answers the first bytes of a connection with a flood, and counts the bytes that the system took.
private final class HostileServer: Sendable {
    private let channel: any Channel
    private let state = Mutex(State())

    private struct State {
        var connections: [any Channel] = []
        var sent = 0
    }

    init(_ flood: Flood) async throws {
        let holder = Holder()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FloodHandler(flood, holder))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        holder.server.withLock { $0 = self }
    }

    final class Holder: Sendable { let server = Mutex<HostileServer?>(nil) }

    var port: Int { channel.localAddress!.port! }
    var connections: Int { state.withLock { $0.connections.count } }

    func add(_ channel: any Channel) { state.withLock { $0.connections.append(channel) } }
    func count(_ bytes: Int) { state.withLock { $0.sent += bytes } }

    /// Waits until the clients have closed their connections. Returns the number of bytes that were sent.
    func end() async -> Int {
        for connection in state.withLock({ $0.connections }) { try? await connection.closeFuture.get() }
        try? await channel.close()
        return state.withLock { $0.sent }
    }
}

private final class FloodHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let flood: Flood
    private let holder: HostileServer.Holder
    private var hasBegun = false

    init(_ flood: Flood, _ holder: HostileServer.Holder) { (self.flood, self.holder) = (flood, holder) }

    func channelActive(context: ChannelHandlerContext) {
        holder.server.withLock { $0 }?.add(context.channel)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasBegun else { return }
        hasBegun = true
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: flood.head)), promise: nil)
        guard flood.isEndless else {
            let channel = context.channel
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: flood.text))).whenComplete { _ in
                channel.close(promise: nil)
            }
            return
        }
        let count = flood.pause > 0 ? 1 : max((64 << 10) / flood.text.utf8.count, 1)
        let piece = ByteBuffer(string: String(repeating: flood.text, count: count))
        Self.more(holder.server.withLock { $0 }, context.channel, piece, pause: flood.pause)
    }

    private static func more(_ server: HostileServer?, _ channel: any Channel, _ piece: ByteBuffer, pause: Int64) {
        channel.eventLoop.scheduleTask(in: .milliseconds(pause)) {
            channel.writeAndFlush(piece).whenSuccess {
                server?.count(piece.readableBytes)
                more(server, channel, piece, pause: pause)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
