import Foundation
import FreeholdBSON
import FreeholdSyncCore
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import FreeholdServer

/// A temporary folder that is removed with the object.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("freehold-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A clock that shows a fixed time until a test advances it.
final class TestClock: Sendable {
    private let time = Mutex(Date())
    var now: Date { time.withLock { $0 } }
    func advance(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

/// A mailer that keeps the mails for the test.
final class TestMailer: Mailer {
    private let stream: AsyncStream<AccountMail>
    private let sent: AsyncStream<AccountMail>.Continuation

    init() { (stream, sent) = AsyncStream.makeStream() }

    func send(_ mail: AccountMail) async throws { sent.yield(mail) }

    func next() async throws -> AccountMail {
        var iterator = stream.makeAsyncIterator()
        return try #require(await iterator.next())
    }
}

/// A server with accounts, and requests to it.
final class AccountProbe: Sendable {
    static let path = "/api/client/v2.0"

    let home: AccountHome
    let clock: TestClock
    let mailer = TestMailer()
    let running: RunningServer
    let store: any AccountStorage

    var folder: TestFolder { home.folder }
    /// The file, for tests of it.
    var file: AccountStore { get throws { try #require(store as? AccountStore) } }

    var port: Int { running.port }
    var address: String { "http://127.0.0.1:\(port)" }

    /// - Parameters:
    ///   - home: The accounts of an earlier server, or of another one.
    ///   - clock: The clock of the server. Accounts in PostgreSQL have it, too, unless it is missing.
    init(
        _ place: AccountPlace = .file,
        home: AccountHome? = nil,
        folder: TestFolder? = nil,
        clock: TestClock = TestClock(),
        app: AccountApp = AccountApp(
            id: "test",
            allowsAnonymous: true,
            emailPassword: .autoConfirm,
            access: .everyone
        ),
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        limits: AttemptLimiter.Limits = AttemptLimiter.Limits(perAddress: 10_000),
        sync: (any NodeStore)? = nil,
        storeTimeout: TimeInterval = 600,
        hooks: HookCaller.Limits = HookCaller.Limits(),
        _ change: @Sendable (inout ServerSettings) -> Void = { _ in }
    ) async throws {
        let home = try home ?? AccountHome(place, folder: folder)
        let folder = home.folder
        (self.home, self.clock) = (home, clock)
        store = try await home.open(clock)
        if try await store.app(app.id) == nil { try await store.createApp(app) }
        var settings = ServerSettings(node: NodeConfiguration(apps: [:]))
        (settings.port, settings.administratorPort, settings.threads) = (0, nil, 1)
        settings.node.limits.greetingTimeout = 60_000
        // On a busy machine, peers can be silent for minutes.
        settings.node.limits.idleTimeout = 1_200_000
        var accounts = ServerSettings.Accounts(folder: folder.path)
        accounts.mailer = mailer
        accounts.change = { options in
            (options.now, options.limits, options.passwordRounds) = ({ clock.now }, limits, 1 << 10)
            (options.storeTimeout, options.hooks) = (storeTimeout, hooks)
        }
        if home.place == .postgres { accounts.storage = store }
        settings.accounts = accounts
        change(&settings)
        let sync = sync ?? QueuedServerStore(MemoryServerStore(epoch: 7))
        running = try await RunningServer.start(settings, store: sync, logger: logger)
    }

    func stop() async { await running.stop(after: 0) }

    struct Answer: Sendable {
        var status: Int
        var body: BSONValue
        var code: String? { self["error_code"] }
        subscript(name: String) -> String? { body.documentValue?[name]?.stringValue }
    }

    /// - Parameter path: The path behind `AccountProbe.path`.
    func send(
        _ method: String,
        _ path: String,
        _ body: BSONDocument? = nil,
        token: String? = nil
    ) async throws -> Answer {
        let text = try body?.extendedJSON() ?? ""
        return try await send(method, Self.path + path, bytes: Array(text.utf8), token: token)
    }

    func send(_ method: String, _ uri: String, bytes: [UInt8], token: String? = nil) async throws -> Answer {
        var head = "\(method) \(uri) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: \(bytes.count)\r\n"
        head += "Connection: close\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        return try Self.answer(try await raw(Array((head + "\r\n").utf8) + bytes))
    }

    /// Sends bytes and returns everything that the server sends until it closes the connection.
    func raw(_ bytes: [UInt8]) async throws -> [UInt8] {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: [UInt8].self)
        let channel = try await ClientBootstrap(group: loop).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(Collector(promise))
            }
        }.connect(host: "127.0.0.1", port: port).get()
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
        return try await promise.futureResult.get()
    }

    /// Sends bytes and closes the connection without reading the answer.
    func drop(_ bytes: [UInt8]) async throws {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        let channel = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
        // The server may hang up first.
        try? await channel.writeAndFlush(ByteBuffer(bytes: bytes))
        try? await channel.close()
    }

    static func answer(_ bytes: [UInt8]) throws -> Answer {
        let text = String(decoding: bytes, as: UTF8.self)
        let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let body = text.range(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? ""
        return Answer(status: status, body: (try? BSONValue(extendedJSON: body)) ?? .null)
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let promise: EventLoopPromise<[UInt8]>
        private var bytes: [UInt8] = []

        init(_ promise: EventLoopPromise<[UInt8]>) { self.promise = promise }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += unwrapInboundIn(data).readableBytesView
        }
        func channelInactive(context: ChannelHandlerContext) { promise.succeed(bytes) }
        // Bytes that arrived before the other side reset the connection count.
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

/// The requests of users: to register, to log in, to renew tokens.
extension AccountProbe {
    private static let providers = "/app/test/auth/providers"

    @discardableResult
    func register(_ email: String, _ password: String = "a long password") async throws -> Answer {
        try await userpass("register", ["email": .string(email), "password": .string(password)])
    }

    func userpass(_ action: String, _ body: BSONDocument, token: String? = nil) async throws -> Answer {
        try await send("POST", Self.providers + "/local-userpass/" + action, body, token: token)
    }

    func login(_ email: String, _ password: String = "a long password") async throws -> Answer {
        try await userpass("login", ["username": .string(email), "password": .string(password)])
    }

    func login(key: String) async throws -> Answer {
        try await send("POST", Self.providers + "/api-key/login", ["key": .string(key)])
    }

    func loginAnonymous() async throws -> Answer { try await send("POST", Self.providers + "/anon-user/login", [:]) }

    func profile(_ token: String?) async throws -> Answer { try await send("GET", "/auth/profile", token: token) }

    func renew(_ token: String?) async throws -> Answer { try await send("POST", "/auth/session", token: token) }
}
