import Foundation
import Testing

@testable import FreeholdHTTP
@testable import FreeholdServer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The client gets the answer even if it sends more than the server reads.
@Suite(.timeLimit(.minutes(20))) struct LingeringCloseTests {
    private static let login = AccountProbe.path + "/app/test/auth/providers/anon-user/login"

    private static func head(_ line: String, _ headers: String...) -> [UInt8] {
        Array(
            (["\(line) HTTP/1.1", "Host: localhost", "Connection: close"] + headers + ["", ""]).joined(
                separator: "\r\n"
            ).utf8
        )
    }

    private static let requests: [(name: String, bytes: [UInt8], status: Int)] = [
        ("a body that is too long", head("POST \(login)", "Content-Length: 300000"), 413),
        ("a body that comes too slowly", head("POST \(login)", "Content-Length: 60000"), 408),
        ("a request with bytes behind it", head("GET /health") + Array("and more".utf8), 200),
        ("two lengths", head("POST \(login)", "Content-Length: 2", "Content-Length: 40"), 400),
        ("no HTTP", Array("nonsense\r\n\r\n".utf8), 400),
        ("a token that is wrong", head("POST /api/data/v1/app/test/Note", "Content-Length: 300000"), 401),
        ("a path that isn't", head("PUT /nothing", "Content-Length: 300000"), 405),
    ]

    /// Returns the answer to a client that sends all its bytes before it reads.
    ///
    /// - Parameter time: The time between `bytes` and `more`, in milliseconds. The server answers within it.
    ///
    /// - Parameter time: when the server has answered, in milliseconds.
    private static func ask(
        _ bytes: [UInt8],
        _ port: Int,
        time: UInt32,
        more: [UInt8]
    ) async -> (text: String, code: Int32) {
        await BlockingSocket.run(port) { socket in
            socket.send(bytes)
            usleep(time * 1_000)
            for start in stride(from: 0, to: more.count, by: 32 << 10) {
                socket.send(Array(more[start..<min(start + 32 << 10, more.count)]))
                usleep(30_000)
            }
            return socket.rest()
        }
    }

    @Test func `the answer isn't lost with what the server doesn't read`() async throws {
        let server = try await AccountProbe { $0.node.limits.greetingTimeout = 4_000 }
        let more = [UInt8](repeating: UInt8(ascii: "x"), count: 300_000)
        await withTaskGroup(of: Void.self) { group in
            for (name, bytes, status) in Self.requests {
                group.addTask {
                    let time: UInt32 = status == 408 ? 4_500 : 500
                    let answer = await Self.ask(bytes, server.port, time: time, more: more)
                    #expect(answer.code == 0, "\(name): the connection was reset")
                    #expect(answer.text.hasPrefix("HTTP/1.1 \(status) "), "\(name): \(answer.text)")
                }
            }
        }
        await server.stop()
    }

    @Test func `the administrator's answer isn't lost either`() async throws {
        let server = try await TestServer()
        let port = try #require(server.running.administratorPort)
        let more = [UInt8](repeating: UInt8(ascii: "x"), count: 300_000)
        let answer = await Self.ask(Self.head("GET /status") + Array("and more".utf8), port, time: 500, more: more)
        #expect(answer.code == 0)
        #expect(answer.text.hasPrefix("HTTP/1.1 200 "))
        await server.stop()
    }

    @Test func `a client that is silent after its answer isn't waited for`() async throws {
        let server = try await AccountProbe()
        let (text, time) = await BlockingSocket.run(server.port) { socket in
            socket.send(Self.head("GET /health"))
            let text = socket.rest().text
            let clock = ContinuousClock()
            let start = clock.now
            // The client sends nothing for longer than the server waits. Its next bytes cause the reset.
            usleep(3_500_000)
            while socket.send([0]), clock.now - start < .seconds(30) { usleep(50_000) }
            return (text, clock.now - start)
        }
        #expect(text.hasSuffix("alive\n"))
        #expect(time < .seconds(8))
        await server.stop()
    }

    @Test func `a client that goes on sending is closed when its time is over`() async throws {
        let server = try await AccountProbe { $0.node.limits.greetingTimeout = 1_500 }
        let time = await BlockingSocket.run(server.port) { socket in
            let clock = ContinuousClock()
            let start = clock.now
            socket.send(Self.head("GET /health"))
            while socket.send([0]), clock.now - start < .seconds(60) { usleep(20_000) }
            return clock.now - start
        }
        #expect((.milliseconds(1_000) ..< .seconds(30)).contains(time))
        await server.stop()
    }

    @Test func `a client that sends much is closed before its time is over`() async throws {
        let server = try await AccountProbe { $0.node.limits.greetingTimeout = 240_000 }
        let sent = await BlockingSocket.run(server.port) { socket in
            socket.send(Self.head("GET /health"))
            let piece = [UInt8](repeating: 0, count: 1 << 20)
            var sent = 0
            while sent < 4 * LingeringClose.mostDropped, socket.send(piece) { sent += piece.count }
            return sent
        }
        #expect(sent >= LingeringClose.mostDropped / 2)
        #expect(sent < 2 * LingeringClose.mostDropped)
        await server.stop()
    }

    @Test func `a server that ends doesn't wait for clients that were answered`() async throws {
        let server = try await AccountProbe { $0.node.limits.greetingTimeout = 240_000 }
        let connection = try await RawConnection(port: server.port)
        await connection.send(Self.head("GET /health") + [0])
        #expect(try #require(await connection.next()).hasPrefix("HTTP/1.1 200 "))
        let time = await ContinuousClock().measure { await server.stop() }
        #expect(time < .seconds(30))
        await connection.close()
    }
}

/// A connection that reads on demand, unlike those of NIO.
private struct BlockingSocket {
    private let descriptor: Int32

    /// Runs the body with a new connection, on a thread of its own.
    static func run<Value: Sendable>(
        _ port: Int,
        _ body: @escaping @Sendable (BlockingSocket) -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                let socket = BlockingSocket(port)
                let value = body(socket)
                _ = close(socket.descriptor)
                continuation.resume(returning: value)
            }
            thread.start()
        }
    }

    private init(_ port: Int) {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        precondition(code == 0, "connect: \(errno)")
    }

    /// Sends bytes.
    ///
    /// - Returns: `false` if the server has closed the connection.
    @discardableResult func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            #if canImport(Darwin)
                let flags: Int32 = 0
            #else
                let flags = Int32(MSG_NOSIGNAL)
            #endif
            let count = rest.withUnsafeBytes {
                #if canImport(Glibc)
                    Glibc.send(descriptor, $0.baseAddress, $0.count, flags)
                #elseif canImport(Musl)
                    Musl.send(descriptor, $0.baseAddress, $0.count, flags)
                #else
                    Darwin.send(descriptor, $0.baseAddress, $0.count, flags)
                #endif
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads until the server closes the connection.
    ///
    /// - Returns: The text, and the error code of the system. The code is 0 after an orderly close.
    func rest() -> (text: String, code: Int32) {
        var (bytes, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 4_096))
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return (String(decoding: bytes, as: UTF8.self), count == 0 ? 0 : errno) }
            bytes += buffer[..<count]
        }
    }
}
