import ArgumentParser
import Foundation
import FreeholdRealmWire
import FreeholdSync
import FreeholdSyncCore
import RealmClientSocket

/// Measures official Realm clients: a bootstrap, the time of one change to another client, and uploads.
struct Realm: AsyncParsableCommand {
    @Option(help: "Objects of the bootstrap.") var objects = 200_000
    @Option(help: "Objects that a client creates, 1,000 a changeset.") var creates = 20_000
    @Option(help: "Changes to another client.") var count = 1_000
    @Option(help: "Connections that do nothing, each with a session. Their memory is measured with --pid.") var idle = 0
    @Option(help: "The process of the server.") var pid: Int?
    @OptionGroup var server: MeasuredServer

    func run() async throws { try await server.measure { try await run(port: $0) } }

    private func run(port: Int) async throws {
        if idle > 0 { return try await measureIdle(port) }
        // A client of Freehold makes the objects, and with them the class.
        let maker = Uploader(0, max(objects / 500, 1), 500, app: server.app(0))
        await maker.run(SyncClient().transport(to: FreeholdServerBench.endpoint(port), user: "maker"))

        var first = try await RealmBenchClient(port, "\(server.app(0))", user: "ada")
        let started = ContinuousClock.now
        let bytes = try await first.subscribe()
        let seconds = started.duration(to: .now) / .seconds(1)
        print(
            "a bootstrap of \(objects) objects: \(String(format: "%.2f", seconds)) s, \(Int(Double(objects) / seconds)) objects/s, \(bytes / max(objects, 1)) bytes each"
        )

        let second = try await RealmBenchClient(port, "\(server.app(0))", user: "ben", subscribes: true)
        var times: [Double] = []
        for round in 0..<count {
            let begun = ContinuousClock.now
            try await first.upload([
                .update(
                    at: WirePath(object: RealmBenchClient.object(500), field: "size"),
                    // Another value than that of the object, which would change nothing.
                    value: .int(Int64(1_000 + round)),
                    mark: .field(isDefault: false)
                )
            ])
            try await second.receiveDownload()
            times.append(begun.duration(to: .now) / .milliseconds(1))
        }
        print(
            "a change to another official client, \(count) one after the other: \(FreeholdServerBench.quantiles(times))"
        )

        let begun = ContinuousClock.now
        for part in 0..<creates / 1_000 {
            try await first.upload(
                (0..<1_000).flatMap { index -> [Instruction] in
                    let object = RealmBenchClient.object(1_000_000_000 + Int64(part * 1_000 + index))
                    return [
                        .createObject(object),
                        .update(
                            at: WirePath(object: object, field: "name"),
                            value: .string("thing"),
                            mark: .field(isDefault: false)
                        ),
                        .update(
                            at: WirePath(object: object, field: "size"),
                            value: .int(Int64(index)),
                            mark: .field(isDefault: false)
                        ),
                    ]
                }
            )
        }
        try await first.receiveAnswers()
        print("\(creates) creates acknowledged: \(String(format: "%.2f", begun.duration(to: .now) / .seconds(1))) s")
        await first.close()
        await second.close()
    }

    private func measureIdle(_ port: Int) async throws {
        guard let pid else { throw ValidationError("--idle needs --pid, the process of the server.") }
        let before = Idle.resident(pid)
        var clients: [RealmBenchClient] = []
        for index in 0..<idle {
            clients.append(try await RealmBenchClient(port, "\(server.app(0))", user: "r\(index)", subscribes: true))
        }
        let after = Idle.resident(pid)
        print("\(idle) idle official clients: \((after - before) * 1_024 / idle) bytes each")
        for client in clients { await client.close() }
    }
}

/// An official client without a file.
private struct RealmBenchClient {
    private let socket: RealmClientSocket
    private var version: UInt64 = 8
    private var marks: UInt64 = 1
    /// The version of the server up to which the client has received everything. Uploads name it as their base.
    private var base: UInt64 = 0

    /// Connects, and binds a session.
    init(_ port: Int, _ app: String, user: String, subscribes: Bool = false) async throws {
        socket = try await RealmClientSocket(
            port: port,
            path: "/sync/api/client/v2.0/app/\(app)/realm-sync?baas_at=user:\(user)"
        )
        guard socket.version > 0 else { throw ValidationError("The server refused the connection: \(socket.status).") }
        try await socket.send(.bind(.init(session: 1, needsIdent: true, schemaVersion: 0, reason: 0)))
        guard case .ident(_, let file)? = try await socket.next(where: { if case .ident = $0 { true } else { false } })
        else { throw ValidationError("The server gave no ident.") }
        let ident = RealmClientMessage.Ident(
            session: 1,
            file: file,
            download: DownloadCursor(server: 0, client: 0),
            latest: LatestVersion(version: 0, salt: 0),
            queryVersion: 0,
            queries: []
        )
        try await socket.send(.ident(ident))
        if subscribes { _ = try await subscribe() }
    }

    static func object(_ key: Int64) -> WireObject { WireObject(table: "Thing", key: .int(key)) }

    /// Subscribes to all objects, and returns the number of bytes of their download. Frames aren't decoded.
    mutating func subscribe() async throws -> Int {
        let query = FreeholdRealmWire.ClassQuery(table: "Thing", text: "(TRUEPREDICATE)")
        try await socket.send(.query(session: 1, version: 1, queries: [query]))
        return try await mark()
    }

    /// Waits until the server has sent everything, and returns the number of bytes.
    private mutating func mark() async throws -> Int {
        marks += 1
        try await socket.send(.mark(session: 1, number: marks))
        let wanted = Array("mark 1 \(marks)\n".utf8)
        let download = Array("download ".utf8)
        var (bytes, last) = (0, [UInt8]())
        while let (opcode, body) = await socket.nextFrame() {
            if opcode == 8 || body.starts(with: Array("error".utf8)) {
                throw ValidationError("The server ended the session: \(String(decoding: body, as: UTF8.self))")
            }
            if body == wanted {
                try note(last)
                return bytes
            }
            if body.starts(with: download) { last = body }
            bytes += body.count
        }
        throw ValidationError("The connection ended.")
    }

    /// Notes the position of a download.
    private mutating func note(_ frame: [UInt8]) throws {
        guard !frame.isEmpty,
            case .download(let download) = try RealmMessageCodec(version: socket.version, compression: ClientZlib())
                .serverMessage(frame)
        else { return }
        base = max(base, download.download.server)
    }

    /// Uploads a changeset.
    mutating func upload(_ instructions: [Instruction]) async throws {
        version += 1
        let entry = UploadEntry(
            clientVersion: version,
            serverVersion: base,
            timestamp: UInt64(Date().timeIntervalSince1970 * 1_000) - 1_420_070_400_000,
            changeset: try Changeset(instructions).encoded()
        )
        let progress = UploadCursor(client: version, server: base)
        try await socket.send(.upload(.init(session: 1, progress: progress, lockedServer: 0, entries: [entry])))
    }

    func receiveDownload() async throws {
        let download = try await socket.next {
            if case .download(let download) = $0 { !download.entries.isEmpty } else { false }
        }
        guard download != nil else { throw ValidationError("The connection ended.") }
    }

    /// Waits until all uploads are answered.
    func receiveAnswers() async throws {
        let last = version
        let answer = try await socket.next {
            if case .download(let download) = $0 { download.upload.client >= last } else { false }
        }
        guard answer != nil else { throw ValidationError("The connection ended.") }
    }

    func close() async { await socket.close() }
}
