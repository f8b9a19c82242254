import Foundation
import FreeholdCompression
import FreeholdSync
import FreeholdSyncCore
import NIOCore
import NIOPosix
import Synchronization

/// Something that users do to make a server unusable for others.
struct Attack: Sendable {
    typealias Work = @Sendable () async throws -> Void

    let name: String
    /// The number of users that attack together. Each may take a bounded amount of memory.
    var attackers = 1
    /// A Boolean value that indicates whether the normal test run includes this attack.
    var isShort = false
    /// Connects and prepares the bytes to send, before anything is measured. The returned work runs while honest users
    /// are measured, and ends when the connections of the field end.
    let prepare: @Sendable (AttackField) async throws -> Work

    /// All attacks.
    static let all = commits + collections + queries + connections + floods + requests + accounts
}

/// A server under attack, and the connections of the attackers.
final class AttackField: Sendable {
    /// The attackers' thread. With a thread of their own, they delay the server and not the test's honest users.
    static let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    static let codec = MessageCodec(compression: ZlibCompression.shared)

    let port: Int
    /// The divisor of the attack's counts in this run. 1 is a whole attack.
    let divisor: Int
    private let open = Mutex<(closers: [@Sendable () async -> Void], hasLeft: Bool)>(([], false))

    init(port: Int, divisor: Int) { (self.port, self.divisor) = (port, divisor) }

    /// Returns a count divided by the divisor, at least 1.
    func share(_ count: Int) -> Int { max(count / divisor, 1) }

    var hasLeft: Bool { open.withLock { $0.hasLeft } }

    /// Ends all connections.
    func leave() async {
        let closers = open.withLock { open in
            defer { open = ([], true) }
            return open.closers
        }
        for close in closers { await close() }
    }

    private func closing(_ close: @escaping @Sendable () async -> Void) async {
        let isLate = open.withLock { open in
            if !open.hasLeft { open.closers.append(close) }
            return open.hasLeft
        }
        if isLate { await close() }
    }

    // MARK: WebSockets

    /// Returns a connection that was greeted. The client takes compressed messages.
    func greeted(_ user: String = "mallory", keepsMessages: Bool = true) async throws -> RawPeer {
        let peer = try await RawPeer(port: port, group: Self.threads, keepsMessages: keepsMessages)
        await closing { peer.close() }
        try await peer.hello(TestServer.token(user), [.zlib])
        if keepsMessages { _ = try await peer.next { if case .welcome = $0 { true } else { false } } }
        return peer
    }

    /// Returns a device with session 1 in an app.
    func device(_ user: String = "mallory", app: SyncString = "notes") async throws -> AttackDevice {
        let peer = try await greeted(user)
        var bind = Bind(app: app, schema: SchemaClaim(version: 0, hash: .empty))
        if app == "own" { bind.stream = .string(SyncString(user)) }
        try await peer.send(.bind(1, bind))
        let answer = try await peer.next { if case .bound = $0 { true } else { false } }
        guard case .bound(_, let bound)? = answer else { throw HonestFailure(description: "not bound") }
        try await peer.send(.credit(1, bytes: 1 << 40))
        return AttackDevice(peer, bound.file)
    }

    /// Returns a connection to the server, on which nothing was sent yet. The attack writes its bytes itself.
    func raw() async throws -> RawConnection {
        let connection = try await RawConnection(port: port, group: Self.threads)
        await closing { await connection.close() }
        return connection
    }

    /// Returns a WebSocket whose frames the attack makes itself, after `hello`.
    func upgraded(_ user: String = "mallory") async throws -> RawConnection {
        let connection = try await raw()
        let request = [
            "GET /sync HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", "",
        ]
        await connection.send(Array(request.joined(separator: "\r\n").utf8))
        var text = ""
        while !text.contains("\r\n\r\n"), let piece = await connection.next() { text += piece }
        let token = AccessToken(SyncString(try await TestServer.token(user)))
        let hello = try MessageCodec().encode(.hello(Hello(compressions: [], deviceTime: 0, token: token)))
        await connection.send(Self.frame(0x82, hello))
        _ = await connection.next()
        return connection
    }

    /// Returns a frame with a mask of zeros, which leaves the bytes as they are.
    ///
    /// - Parameters:
    ///   - head: The first byte: FIN, the reserved bits and the opcode.
    ///   - length: The length that the frame announces, if it isn't that of the bytes.
    static func frame(_ head: UInt8, _ data: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = length ?? data.count
        var bytes = [head]
        switch length {
        case ..<126: bytes.append(0x80 | UInt8(length))
        case ..<65_536: bytes += [0xFE, UInt8(length >> 8), UInt8(length & 0xFF)]
        default:
            bytes.append(0xFF)
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(length >> shift & 0xFF)) }
        }
        return bytes + [0, 0, 0, 0] + data
    }

    // MARK: HTTP

    /// Returns the head and body of a request.
    func request(
        _ method: String,
        _ path: String,
        body: [UInt8] = [],
        user: String? = "mallory",
        address: String = "203.0.113.9",
        headers: [String] = []
    ) async throws -> [UInt8] {
        var lines =
            ["\(method) \(path) HTTP/1.1", "Host: localhost", "X-Forwarded-For: \(address)", "Connection: close"]
            + headers
        if let user { lines.append("Authorization: Bearer \(try await TestServer.token(user))") }
        if !body.isEmpty || method != "GET" { lines.append("Content-Length: \(body.count)") }
        return Array((lines + ["", ""]).joined(separator: "\r\n").utf8) + body
    }

    /// Sends a request and waits for the end of its answer.
    @discardableResult
    func ask(_ request: [UInt8]) async throws -> String {
        let connection = try await raw()
        await connection.send(request)
        let text = await connection.rest()
        return text
    }

    /// Sends requests until the attackers leave, some at a time.
    func flood(_ parallel: Int, _ make: @escaping @Sendable (Int) async throws -> [UInt8]) async {
        let next = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<parallel {
                group.addTask {
                    while !self.hasLeft, !Task.isCancelled {
                        let number = next.value.wrappingAdd(1, ordering: .relaxed).oldValue
                        guard let request = try? await make(number) else { return }
                        do { try await self.ask(request) } catch { try? await Task.sleep(for: .milliseconds(20)) }
                    }
                }
            }
        }
    }

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    /// Writes documents to the app `docs`.
    func write(documents: [String]) async throws {
        let body = Array("[\(documents.joined(separator: ","))]".utf8)
        let text = try await ask(request("POST", "/api/data/v1/app/docs/Doc?mode=upsert", body: body))
        guard text.contains(" 201 ") else { throw HonestFailure(description: String(text.prefix(300))) }
    }
}

/// A device of an attacker.
final class AttackDevice: @unchecked Sendable {
    // Only one task at a time uses the device.
    let peer: RawPeer
    let file: FileIdentity?
    private var number: UInt64 = 0
    private var hash = RunningHash.empty

    init(_ peer: RawPeer, _ file: FileIdentity?) { (self.peer, self.file) = (peer, file) }

    /// Returns the frame of the next commit, compressed.
    func commit(
        _ changes: [Change],
        seen: [ObjectName: StreamVersion] = [:],
        base: StreamVersion = 0,
        clock: Clock = Clock(milliseconds: DeviceClock.shared.now())
    ) throws -> [UInt8] {
        try AttackField.codec.encode(.upload(1, Upload(commits: [next(changes, seen: seen, base: base, clock: clock)])))
    }

    /// Returns the frames of the parts of one commit.
    func split(_ parts: [[Change]], isComplete: Bool = true) throws -> [[UInt8]] {
        let clock = Clock(milliseconds: DeviceClock.shared.now())
        (number, hash) = (number + 1, hash.appending([1], salt: .random(in: 1 ... .max)))
        return try parts.enumerated().map { index, changes in
            let commit = Commit(number: number, clock: clock, base: 0, changes: changes)
            let part = UploadedCommit.Part(index: UInt32(index), isLast: isComplete && index == parts.count - 1)
            let upload = Upload(commits: [UploadedCommit(commit: commit, hash: hash, part: part)])
            return try AttackField.codec.encode(.upload(1, upload))
        }
    }

    /// Returns the frame of many commits, each of one change.
    func singles(_ changes: [Change], clock: Clock = Clock(milliseconds: DeviceClock.shared.now())) throws -> [UInt8] {
        let commits = changes.map { next([$0], clock: clock) }
        return try AttackField.codec.encode(.upload(1, Upload(commits: commits)))
    }

    private func next(
        _ changes: [Change],
        seen: [ObjectName: StreamVersion] = [:],
        base: StreamVersion = 0,
        clock: Clock
    ) -> UploadedCommit {
        (number, hash) = (number + 1, hash.appending([1], salt: .random(in: 1 ... .max)))
        let commit = Commit(number: number, clock: clock, base: base, seen: seen, changes: changes)
        return UploadedCommit(commit: commit, hash: hash)
    }

    /// Waits for the answers to all commits so far.
    func settle() async throws {
        let last = number
        let answer = try await peer.next { if case .ack(_, let ack) = $0 { ack.last >= last } else { false } }
        if answer == nil { throw HonestFailure(description: "no answer") }
    }

    /// Sends commits and waits for their answers.
    func write(_ changes: [Change]) async throws {
        try await peer.send(commit(changes))
        try await settle()
    }
}

/// Changes as attacks make them.
enum Made {
    static func object(_ className: SyncString, _ key: PrimaryKey, _ fields: [(SyncString, SyncValue)]) -> Change {
        .create(ObjectName(className, key), fields.map { NewField($0.0, .value($0.1)) })
    }

    static func text(_ count: Int, _ letter: Character = "a") -> SyncString {
        SyncString(String(repeating: letter, count: count))
    }

    static func queries(_ version: UInt64, _ className: SyncString, _ conditions: [String]) -> ClientMessage {
        let queries = conditions.map { ClassQuery(className: className, condition: SyncString($0)) }
        return .queries(1, Queries(version: version, queries: queries))
    }
}
