import FreeholdSync
import FreeholdSyncCore
import NIOCore
import NIOPosix
import Synchronization

/// Runs work, and closes its connection when the work takes longer than the limit, so that the wait ends.
private func limited<Result: Sendable>(
    to limit: Duration,
    _ close: @escaping @Sendable () async -> Void,
    _ work: () async throws -> Result
) async throws -> Result {
    let timer = Task {
        try await Task.sleep(for: limit)
        await close()
    }
    defer { timer.cancel() }
    return try await work()
}

/// A request of an honest user that failed or got a wrong answer.
struct HonestFailure: Error, CustomStringConvertible {
    let description: String
}

/// A device that commits small objects, one after another.
final class HonestDevice: @unchecked Sendable {
    // Only the task that measures uses the device.
    private let port: Int
    private let app: SyncString
    private let user: String
    private var peer: RawPeer?
    private var number: UInt64 = 0
    private var hash = RunningHash.empty

    init(port: Int, app: SyncString, user: String) { (self.port, self.app, self.user) = (port, app, user) }

    /// Sends a commit and waits for its answer. A device without a connection connects first.
    func commit(limit: Duration) async throws {
        do {
            let peer: RawPeer
            if let open = self.peer { peer = open } else { peer = try await connect(limit) }
            number += 1
            let key = PrimaryKey.string(SyncString("\(user)-\(UInt64.random(in: 0 ... .max))"))
            let create = Change.create(ObjectName("Plain", key), [NewField("text", .value("a short text"))])
            let commit = Commit(
                number: number,
                clock: Clock(milliseconds: DeviceClock.shared.now()),
                base: 0,
                changes: [create]
            )
            hash = hash.appending([1], salt: .random(in: 1 ... .max))
            let (upload, number) = (Upload(commits: [UploadedCommit(commit: commit, hash: hash)]), number)
            try await limited(to: limit, { peer.close() }) {
                try await peer.send(.upload(1, upload))
                let answer = try await peer.next { if case .ack(_, let ack) = $0 { ack.last >= number } else { false } }
                guard case .ack(_, let ack)? = answer else { throw HonestFailure(description: "no answer") }
                guard ack.refusals.isEmpty else { throw HonestFailure(description: "refused") }
            }
        } catch {
            leave()
            throw error
        }
    }

    private func connect(_ limit: Duration) async throws -> RawPeer {
        let new = try await RawPeer(port: port)
        peer = new
        (number, hash) = (0, .empty)
        let (token, app) = (try await TestServer.token(user), app)
        try await limited(to: limit, { new.close() }) {
            try await new.hello(token)
            if let fault = try await new.bind(app) { throw HonestFailure(description: "not bound: \(fault)") }
        }
        return new
    }

    func leave() {
        peer?.close()
        peer = nil
    }
}

/// Requests over HTTP, each with a connection of its own.
enum HonestRequest {
    /// Reads a document.
    static func read(port: Int, token: String, limit: Duration) async throws {
        let head = [
            "GET /api/data/v1/app/safe/Doc/1 HTTP/1.1", "Host: localhost", "Authorization: Bearer \(token)",
        ]
        let answer = try await ask(head, [], port: port, limit: limit)
        guard answer == 200 else { throw HonestFailure(description: "\(answer)") }
    }

    /// Logs an account in with its password. Each log-in comes from another address, as with different users.
    static func logIn(port: Int, limit: Duration) async throws {
        let body = Array("{\"username\": \"ann@example.org\", \"password\": \"\(AttackedServer.password)\"}".utf8)
        let address = (0..<3).map { _ in String(UInt8.random(in: 1...250)) }.joined(separator: ".")
        let head = [
            "POST /api/client/v2.0/app/safe/auth/providers/local-userpass/login HTTP/1.1", "Host: localhost",
            "X-Forwarded-For: 10.\(address)", "Content-Length: \(body.count)",
        ]
        let answer = try await ask(head, body, port: port, limit: limit)
        guard answer == 200 else { throw HonestFailure(description: "\(answer)") }
    }

    /// Creates the document that `read` reads.
    static func prepare(port: Int, token: String) async throws {
        let body = Array(#"{"_id": 1, "text": "a short text"}"#.utf8)
        let head = [
            "POST /api/data/v1/app/safe/Doc HTTP/1.1", "Host: localhost", "Authorization: Bearer \(token)",
            "Content-Length: \(body.count)",
        ]
        let answer = try await ask(head, body, port: port, limit: .seconds(60))
        guard answer == 201 else { throw HonestFailure(description: "POST: \(answer)") }
    }

    /// Returns the status of the answer.
    static func ask(_ head: [String], _ body: [UInt8], port: Int, limit: Duration) async throws -> Int {
        let connection = try await RawConnection(port: port)
        return try await limited(to: limit, { await connection.close() }) {
            await connection.send(Array((head + ["Connection: close", "", ""]).joined(separator: "\r\n").utf8) + body)
            let text = await connection.rest()
            guard let status = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
                throw HonestFailure(description: "no answer")
            }
            return status
        }
    }
}

/// The requests of honest users during a measurement: commits in an app that the attackers don't use, commits in the
/// stream that they use, reads over HTTP, and log-ins.
final class HonestTraffic: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case elsewhere = "commit, other app"
        case beside = "commit, same stream"
        case read
        case logIn = "log-in"
    }

    typealias Times = [Kind: Latencies]

    private let port: Int
    private let token: String
    private let devices: [Kind: HonestDevice]
    private let limit: Duration

    /// - Parameter limit: The time after which a request counts as failed.
    init(_ server: AttackedServer, limit: Duration) async throws {
        (port, self.limit) = (server.port, limit)
        token = try await TestServer.token("olga")
        devices = [
            .elsewhere: HonestDevice(port: port, app: "other", user: "otto"),
            .beside: HonestDevice(port: port, app: "notes", user: "nina"),
        ]
        // The server reads the documents of apps a moment after its start.
        var attempts = 0
        while true {
            do {
                try await HonestRequest.prepare(port: port, token: token)
                return
            } catch {
                attempts += 1
                if attempts == 100 { throw error }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Sends requests of each kind until the work ends, but at least one of each.
    func measure(during work: @Sendable () async -> Void) async -> Times {
        let isOver = Flag()
        return await withTaskGroup(of: (Kind, Latencies).self) { group in
            for kind in Kind.allCases { group.addTask { (kind, await self.measure(kind, until: isOver)) } }
            await work()
            isOver.value.store(true, ordering: .releasing)
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    private func measure(_ kind: Kind, until isOver: Flag) async -> Latencies {
        var times = Latencies()
        repeat {
            let start = ContinuousClock.now
            do {
                try await request(kind)
                times.add(start.duration(to: .now))
            } catch {
                let time = start.duration(to: .now)
                times.add(failure: time >= limit ? "no answer in \(limit)" : "\(error)", after: time)
            }
            // Honest users pause between requests, so that they don't load the server.
            try? await Task.sleep(for: kind == .logIn ? .milliseconds(100) : .milliseconds(10))
        } while !isOver.value.load(ordering: .acquiring)
        return times
    }

    private func request(_ kind: Kind) async throws {
        switch kind {
        case .elsewhere, .beside: try await devices[kind]?.commit(limit: limit)
        case .read: try await HonestRequest.read(port: port, token: token, limit: limit)
        case .logIn: try await HonestRequest.logIn(port: port, limit: limit)
        }
    }

    func leave() { for device in devices.values { device.leave() } }

    private final class Flag: Sendable {
        let value = Atomic(false)
    }
}
