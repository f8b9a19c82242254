import Foundation
import NIOCore
import NIOPosix

/// A connection of a client, which sends and reads the bytes of HTTP/1.1.
final class HTTPConnection {
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private var waiting = ByteBuffer()

    private init(
        _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.inbound = inbound.makeAsyncIterator()
        self.outbound = outbound
    }

    /// Connects, and closes the connection at the end of the body.
    ///
    /// - Parameter receiveBuffer: The size of the socket's buffer, for clients that read slowly.
    static func open<R>(
        port: Int,
        receiveBuffer: Int? = nil,
        _ body: (HTTPConnection) async throws -> R
    ) async throws -> R {
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        if let receiveBuffer {
            bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: .init(receiveBuffer))
        }
        let channel = try await bootstrap.connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                    wrappingChannelSynchronously: channel,
                    configuration: .init(backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2))
                )
            }
        }
        return try await channel.executeThenClose { inbound, outbound in
            try await body(HTTPConnection(inbound, outbound))
        }
    }

    /// Sends a request with a body of JSON.
    func send(
        _ method: String,
        _ path: String,
        headers: [String: String] = [:],
        body: String = ""
    ) async throws {
        var text = "\(method) \(path) HTTP/1.1\r\nhost: test\r\ncontent-length: \(body.utf8.count)\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        try await outbound.write(ByteBuffer(string: text + "\r\n" + body))
    }

    /// Reads the head of a response.
    func head() async throws -> Answer {
        let lines = try await line(endingWith: "\r\n\r\n").components(separatedBy: "\r\n")
        var answer = Answer(status: Int(lines[0].split(separator: " ")[1]) ?? 0)
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            answer.headers[line[..<colon].lowercased()] = value
        }
        return answer
    }

    /// Reads a response with its body.
    func answer() async throws -> Answer {
        var answer = try await head()
        if let length = answer.headers["content-length"].flatMap({ Int($0) }) {
            while waiting.readableBytes < length { try await more() }
            answer.body = waiting.readString(length: length) ?? ""
        } else if answer.headers["transfer-encoding"] == "chunked" {
            while let chunk = try await chunk() { answer.body += chunk }
        }
        return answer
    }

    func request(
        _ method: String,
        _ path: String,
        headers: [String: String] = [:],
        body: String = ""
    ) async throws -> Answer {
        try await send(method, path, headers: headers, body: body)
        return try await answer()
    }

    /// Reads the next chunk of a body, or `nil` at its end.
    func chunk() async throws -> String? {
        let size = Int(try await line(endingWith: "\r\n"), radix: 16) ?? 0
        while waiting.readableBytes < size + 2 { try await more() }
        let chunk = waiting.readString(length: size) ?? ""
        waiting.moveReaderIndex(forwardBy: 2)
        return size == 0 ? nil : chunk
    }

    private var stream = ""

    /// Reads the next server-sent event, or `nil` at the end of the stream. Comments are skipped if they aren't asked for.
    func event(comments: Bool = false) async throws -> Event? {
        while true {
            while let end = stream.range(of: "\n\n") {
                let lines = stream[..<end.lowerBound].split(separator: "\n").map(String.init)
                stream.removeSubrange(..<end.upperBound)
                var event = Event()
                for line in lines {
                    if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
                    if line.hasPrefix("data: ") { event.data = String(line.dropFirst(6)) }
                }
                if comments || !event.name.isEmpty { return event }
            }
            guard let chunk = try await chunk() else { return nil }
            stream += chunk
        }
    }

    private func line(endingWith end: String) async throws -> String {
        while true {
            let view = waiting.readableBytesView
            if let range = view.firstRange(of: Array(end.utf8)) {
                let line = waiting.readString(length: range.lowerBound - view.startIndex) ?? ""
                waiting.moveReaderIndex(forwardBy: end.utf8.count)
                return line
            }
            try await more()
        }
    }

    private func more() async throws {
        guard var bytes = try await inbound.next(isolation: #isolation) else { throw ConnectionClosed() }
        waiting.writeBuffer(&bytes)
    }
}

/// The server has closed the connection.
struct ConnectionClosed: Error {}

/// A response.
struct Answer {
    var status: Int
    var headers: [String: String] = [:]
    var body = ""

    func decoded<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: Data(body.utf8))
    }
}

/// A server-sent event. A comment has no name.
struct Event {
    var name = ""
    var data = ""

    func decoded<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        try Answer(status: 200, body: data).decoded(type)
    }
}
