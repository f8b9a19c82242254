import FreeholdSyncCore
import Testing

@testable import FreeholdServer

/// Frames that a client may not send, and answers to pings.
@Suite(.timeLimit(.minutes(20))) struct WebSocketFrameTests {
    private static let request = [
        "GET /sync HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket",
        "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", "",
    ]

    /// Returns a frame.
    ///
    /// - Parameters:
    ///   - head: The first byte: FIN, the reserved bits and the opcode.
    private static func frame(_ head: UInt8, _ data: [UInt8], isMasked: Bool = true) -> [UInt8] {
        var bytes = [head]
        let mask: [UInt8] = isMasked ? [1, 2, 3, 4] : []
        let flag: UInt8 = isMasked ? 0x80 : 0
        if data.count < 126 {
            bytes.append(flag | UInt8(data.count))
        } else {
            bytes += [flag | 126, UInt8(data.count >> 8), UInt8(data.count & 0xFF)]
        }
        bytes += mask
        return bytes + data.enumerated().map { isMasked ? $0.element ^ mask[$0.offset % 4] : $0.element }
    }

    private static func hello() async throws -> [UInt8] {
        let token = AccessToken(SyncString(try await TestServer.token("ann")))
        return try MessageCodec().encode(.hello(Hello(compressions: [], deviceTime: 0, token: token)))
    }

    private static func upgraded(_ server: TestServer) async throws -> RawConnection {
        let connection = try await RawConnection(port: server.port)
        await connection.send(Array(request.joined(separator: "\r\n").utf8))
        var text = ""
        while !text.contains("\r\n\r\n"), let piece = await connection.next() { text += piece }
        #expect(text.hasPrefix("HTTP/1.1 101 "))
        return connection
    }

    private static let frames: [(UInt8, Bool)] = [
        (0x82, false), (0xC2, true), (0xA2, true), (0x92, true), (0x89, false), (0xC9, true), (0x88, false),
    ]

    @Test(arguments: frames)
    func `a frame without a mask or with reserved bits ends the connection`(_ head: UInt8, _ isMasked: Bool)
        async throws
    {
        let server = try await TestServer()
        let connection = try await Self.upgraded(server)
        let isControl = head & 0x08 != 0
        let data = isControl ? [] : try await Self.hello()
        await connection.send(Self.frame(head, data, isMasked: isMasked))
        _ = await connection.rest()
        #expect(server.metric("freehold_unreadable_messages_total") == 1)
        #expect(server.running.node.status.sessions == 0)
        await server.stop()
    }

    @Test func `a frame with a mask and without reserved bits is read`() async throws {
        let server = try await TestServer()
        let connection = try await Self.upgraded(server)
        await connection.send(Self.frame(0x89, Array("are you there".utf8)))
        var text = ""
        while !text.contains("are you there"), let piece = await connection.next() { text += piece }
        #expect(server.metric("freehold_unreadable_messages_total") == 0)
        await connection.close()
        await server.stop()
    }

    @Test func `only the newest ping is answered while a client takes no answers`() async throws {
        let server = try await TestServer()
        let connection = try await Self.upgraded(server)
        await connection.send(Self.frame(0x82, try await Self.hello()))
        _ = await connection.next()
        try await connection.setReading(false)
        // More bytes than the buffers of both sockets. Once the last bytes are written, the server has read most of the
        // pings.
        let count = 200_000
        func ping(_ number: Int) -> String {
            let text = "\(number)."
            return String(repeating: "p", count: 120 - text.utf8.count) + text
        }
        for start in stride(from: 0, to: count, by: 10_000) {
            var bytes: [UInt8] = []
            for number in start..<start + 10_000 { bytes += Self.frame(0x89, Array(ping(number).utf8)) }
            await connection.send(bytes)
        }
        try await connection.setReading(true)
        var (text, answers) = ("", 0)
        let last = "p\(count - 1)."
        while !text.contains(last), let piece = await connection.next() {
            text = String(text.suffix(200)) + piece
            answers += piece.utf8.count { $0 == UInt8(ascii: ".") }
        }
        #expect(text.contains(last))
        #expect(answers < count, "\(answers) answers to \(count) pings")
        await connection.close()
        await server.stop()
    }
}
