import Foundation
import FreeholdEngine
import FreeholdStudio
import Synchronization

@testable import FreeholdStudioServer

/// A server of Studio with one file, for tests.
final class StudioProcess: Sendable {
    let server: StudioServer
    let folder: URL
    let path: String
    private let lines: Lines

    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    /// The lines that the server wrote to the terminal.
    var reported: [String] { lines.all.withLock { $0 } }

    var host: String { "127.0.0.1:\(server.port)" }
    var origin: String { "http://\(host)" }
    var hello: String { "{\"hello\":\"\(server.key.text)\",\"protocol\":1}" }

    /// - Parameters:
    ///   - writes: A Boolean value that indicates whether the file may be changed.
    ///   - greetingTime: The time in which a page sends its key. On a busy machine, tests need more of it than pages.
    init(writes isWritable: Bool = false, greetingTime: Duration = .seconds(60)) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("studio-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appendingPathComponent("app.realm").path
        let database = try Database.open(at: path)
        let write = try database.beginWrite()
        try write.applySchema([TableSpec("Secret", columns: [ColumnSpec("text", .string)])])
        let table = write.schema.table(named: "Secret")!
        try write.set(table.columns[0], try write.create(table), to: .string("the stored secret"))
        _ = try write.commit()
        var options = StudioOptions(temporaryFolder: folder.path)
        options.files = [path]
        options.isWritable = isWritable
        let lines = Lines()
        server = try await StudioServer.start(
            StudioProgram(options),
            greetingTime: greetingTime,
            report: { line in lines.all.withLock { $0.append(line) } }
        )
        (self.folder, self.lines) = (folder, lines)
    }

    func end() async {
        await server.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Sends a request with a head of its own.
    ///
    /// - Returns: The status of the answer, or 0 without an answer, and its whole text.
    func ask(
        _ line: String,
        _ headers: [String] = [],
        host: String? = nil,
        body: String = ""
    ) async throws -> (status: Int, text: String) {
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        let head = ["\(line) HTTP/1.1", "Host: \(host ?? self.host)"] + headers + length
        return try await RawConnection.ask(head, Array(body.utf8), port: server.port)
    }
}

/// A WebSocket whose bytes a test writes itself.
final class RawSocket: Sendable {
    private let connection: RawConnection
    private let received = Mutex("")

    private init(_ connection: RawConnection) { self.connection = connection }

    /// Asks for the upgrade.
    ///
    /// - Returns: The socket, or the status of the refusal.
    static func open(
        _ process: StudioProcess,
        origin: String?,
        host: String? = nil,
        path: String = "/socket"
    ) async throws -> (socket: RawSocket?, status: Int) {
        try await open(port: process.server.port, origin: origin, host: host ?? process.host, path: path)
    }

    static func open(
        port: Int,
        origin: String?,
        host: String,
        path: String = "/socket"
    ) async throws -> (socket: RawSocket?, status: Int) {
        let connection = try await RawConnection(port: port)
        var lines = [
            "GET \(path) HTTP/1.1", "Host: \(host)", "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        if let origin { lines.append("Origin: \(origin)") }
        await connection.send(Array((lines + ["", ""]).joined(separator: "\r\n").utf8))
        let socket = RawSocket(connection)
        guard await socket.reads("\r\n\r\n") else { return (nil, 0) }
        let status = socket.text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return (status == 101 ? socket : nil, status)
    }

    /// Everything that was received.
    var text: String { received.withLock { $0 } }

    /// Reads until a text was received. Returns false at the end of the connection.
    func reads(_ wanted: String) async -> Bool {
        while !text.contains(wanted) {
            guard let piece = await connection.next() else { return false }
            received.withLock { $0 += piece }
        }
        return true
    }

    /// Reads until the server closes the connection.
    func rest() async -> String {
        while let piece = await connection.next() { received.withLock { $0 += piece } }
        return text
    }

    func send(_ text: String) async { await send(frame: 0x81, Array(text.utf8)) }

    /// Sends one frame.
    ///
    /// - Parameter first: The first byte, which contains the opcode.
    func send(frame first: UInt8, _ payload: [UInt8], isMasked: Bool = true) async {
        let mask: UInt8 = isMasked ? 0x80 : 0
        var bytes = [first]
        switch payload.count {
        case ..<126: bytes.append(mask | UInt8(payload.count))
        case ..<65_536: bytes += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        default: bytes += [mask | 127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) }
        }
        // A mask of zeros leaves the bytes as they are.
        if isMasked { bytes += [0, 0, 0, 0] }
        await connection.send(bytes + payload)
    }

    func close() async { await connection.close() }
}
