import FreeholdHTTP
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Testing

/// A connection on which a test writes bytes and reads answers of HTTP/1.1. One task uses it.
final class WireClient {
    struct Answer {
        var status: Int
        var headers: [(name: String, value: String)] = []
        var body: [UInt8] = []

        subscript(name: String) -> String? { headers.first { $0.name == name.lowercased() }?.value }
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    private let channel: any Channel
    private var pieces: AsyncStream<[UInt8]>.Iterator
    private var buffer: [UInt8] = []

    /// - Parameters:
    ///   - tls: The file of the certificate that the client trusts, if the connection is encrypted.
    ///   - protocols: The protocols that the client offers by ALPN.
    ///   - address: The address from which the client connects.
    init(port: Int, tls: String? = nil, protocols: [String] = [], from address: String = "127.0.0.1") async throws {
        let (stream, source) = AsyncStream<[UInt8]>.makeStream()
        let context = try tls.map { try Self.context($0, protocols) }
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).channelInitializer {
            channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                if let context {
                    try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                }
                try pipeline.addHandler(Reader(source))
            }
        }.bind(to: SocketAddress(ipAddress: address, port: 0)).connect(host: "127.0.0.1", port: port).get()
        pieces = stream.makeAsyncIterator()
    }

    static func context(_ certificates: String, _ protocols: [String]) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(certificates))
        configuration.applicationProtocols = protocols
        return try NIOSSLContext(configuration: configuration)
    }

    func send(_ bytes: [UInt8]) async { try? await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// Sends a request without a body, or with one whose length it adds.
    func send(_ line: String, _ headers: [String] = [], _ body: String = "") async {
        var lines = ["\(line) HTTP/1.1", "Host: localhost"] + headers
        if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
        await send(Array(((lines + ["", ""]).joined(separator: "\r\n") + body).utf8))
    }

    /// Stops reading, or goes on.
    func setReading(_ reads: Bool) async throws { try await channel.setOption(.autoRead, value: reads).get() }

    func close() async { try? await channel.close() }

    /// Returns the next bytes, or `nil` at the end of the connection.
    func next() async -> [UInt8]? {
        if !buffer.isEmpty {
            defer { buffer = [] }
            return buffer
        }
        return await pieces.next(isolation: nil)
    }

    /// Returns the bytes until the server closes the connection.
    func rest() async -> [UInt8] {
        var all: [UInt8] = []
        while let piece = await next() { all += piece }
        return all
    }

    /// Sends a request and returns its answer.
    func ask(_ line: String, _ headers: [String] = [], _ body: String = "") async throws -> Answer {
        await send(line, headers, body)
        return try #require(await answer(hasBody: !line.hasPrefix("HEAD ")))
    }

    /// Returns the next answer that isn't a `100 Continue`, or `nil` if the connection ends before it is complete.
    func answer(hasBody: Bool = true) async -> Answer? {
        guard let head = await line(endingWith: "\r\n\r\n") else { return nil }
        let lines = head.split(separator: "\r\n").map(String.init)
        var answer = Answer(status: lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            answer.headers.append((parts[0].lowercased(), String(parts[1].drop { $0 == " " })))
        }
        if (100..<200).contains(answer.status) {
            return answer.status == 101 ? answer : await self.answer(hasBody: hasBody)
        }
        guard hasBody else { return answer }
        if answer["transfer-encoding"] == "chunked" {
            // The end of a line is one character.
            while let size = await line(endingWith: "\r\n") {
                guard let count = Int(size.dropLast(), radix: 16), let piece = await take(count) else { return nil }
                _ = await take(2)
                if count == 0 { return answer }
                answer.body += piece
            }
            return nil
        }
        guard let body = await take(answer["content-length"].flatMap { Int($0) } ?? 0) else { return nil }
        answer.body = body
        return answer
    }

    private func line(endingWith end: String) async -> String? {
        let end = Array(end.utf8)
        while true {
            if let range = buffer.firstRange(of: end) {
                defer { buffer.removeFirst(range.upperBound) }
                return String(decoding: buffer[..<range.upperBound], as: UTF8.self)
            }
            guard let piece = await pieces.next(isolation: nil) else { return nil }
            buffer += piece
        }
    }

    private func take(_ count: Int) async -> [UInt8]? {
        while buffer.count < count {
            guard let piece = await pieces.next(isolation: nil) else { return nil }
            buffer += piece
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let source: AsyncStream<[UInt8]>.Continuation

        init(_ source: AsyncStream<[UInt8]>.Continuation) { self.source = source }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            source.yield(Array(unwrapInboundIn(data).readableBytesView))
        }
        func channelInactive(context: ChannelHandlerContext) { source.finish() }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

/// A listener with routes of a test's own.
final class HTTPFixture: Sendable {
    let listener: HTTPListener
    var port: Int { listener.port }

    init(
        _ routes: [HTTPRoute],
        tls: TLSContexts? = nil,
        bodyLimit: Int? = 64 << 20,
        _ change: (inout HTTPApplication) -> Void = { _ in }
    ) async throws {
        let group = HTTPGroup(
            root: "/",
            bodyLimit: bodyLimit,
            routes: routes,
            tooLarge: HTTPAnswer(status: .payloadTooLarge, body: "too large"),
            noRoute: HTTPAnswer(status: .notFound, body: "nothing"),
            wrongMethod: HTTPAnswer(status: .methodNotAllowed, body: "another method")
        )
        var application = HTTPApplication(groups: [group])
        // A busy machine takes its time.
        application.limits.requestTimeout = 60_000
        change(&application)
        listener = try await HTTPListener.listen(
            application,
            host: "127.0.0.1",
            port: 0,
            tls: tls,
            group: MultiThreadedEventLoopGroup.singleton
        )
    }

    func stop() async {
        await listener.close()
        await listener.drain(within: 0)
    }
}
