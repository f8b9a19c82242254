import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import FreeholdHTTP
@testable import FreeholdServer

/// The time limits of a connection.
struct ResponderTests {
    private typealias Part = HTTPPart<HTTPResponseHead, IOData>
    private static let uri = AccountRequest.root + "app/test/auth/providers/anon-user/login"

    /// A service in place of the accounts' service. It answers when the test says so.
    private struct Service {
        let asked = AsyncStream.makeStream(of: Void.self)
        let answers = AsyncStream.makeStream(of: AccountAnswer.self)
    }

    private static let knowsAnn: @Sendable (HTTPRequestHead) async -> HTTPIdentification = { _ in
        .known(Identity(user: "ann"))
    }

    /// Returns a channel with a connection's handlers.
    ///
    /// - Parameter isKnown: A Boolean value that indicates whether the service identifies users and takes long bodies
    ///   from them.
    private static func channel(_ service: Service, isKnown: Bool = false) async throws -> NIOAsyncTestingChannel {
        let channel = NIOAsyncTestingChannel()
        let login = HTTPRoute(
            .POST,
            "app/{app}/auth/providers/{provider}/login",
            operation: "logIn",
            statuses: [204, 503]
        ) { _ in
            service.asked.continuation.yield()
            for await answer in service.answers.stream { return answer.http }
            return AccountAnswer(.unavailable).http
        }
        let accounts = HTTPGroup(
            root: AccountRequest.root,
            bodyLimit: isKnown ? 16 << 20 : AccountRequest.bodyLimit,
            routes: [login],
            identify: isKnown ? Self.knowsAnn : nil,
            tooLarge: AccountAnswer(.tooLarge).http,
            noRoute: AccountAnswer(.noRoute).http,
            wrongMethod: AccountAnswer(.wrongMethod).http
        )
        let here = HTTPGroup(
            root: "/",
            bodyLimit: nil,
            routes: [HTTPRoute(.GET, "here", operation: "here", statuses: [200]) { _ in HTTPAnswer(body: "here\n") }],
            tooLarge: HTTPAnswer(body: ""),
            noRoute: HTTPAnswer(status: .notFound, body: ""),
            wrongMethod: HTTPAnswer(status: .methodNotAllowed, body: "")
        )
        let application = HTTPApplication(groups: [accounts, here])
        try await channel.testingEventLoop.executeInContext {
            let timer = ConnectionTimer(channel, limit: 10_000)
            let connection = HTTPConnection(application, timer: timer, load: ListenerLoad(HTTPLimits()))
            // The first one ends the connection with the last answer.
            try channel.pipeline.syncOperations.addHandlers([LastAnswer(), connection])
        }
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
        return channel
    }

    private static func send(_ parts: HTTPServerRequestPart..., to channel: NIOAsyncTestingChannel) async throws {
        for part in parts { try await channel.writeInbound(part) }
    }

    private static func head(_ uri: String = uri) -> HTTPServerRequestPart {
        .head(
            HTTPRequestHead(
                version: .http1_1,
                method: .POST,
                uri: uri,
                headers: ["Host": "localhost", "Connection": "close"]
            )
        )
    }

    private static func isClosed(_ channel: NIOAsyncTestingChannel) async -> Bool {
        await channel.testingEventLoop.run()
        return !channel.isActive
    }

    @Test func `a password's hash may take longer than a client may`() async throws {
        let service = Service()
        let channel = try await Self.channel(service)
        try await Self.send(Self.head(), .end(nil), to: channel)
        for await _ in service.asked.stream { break }
        await channel.testingEventLoop.advanceTime(by: .seconds(60))
        #expect(await !Self.isClosed(channel))
        service.answers.continuation.yield(AccountAnswer(204))
        guard case .head(let head) = try await channel.waitForOutboundWrite(as: Part.self) else {
            Issue.record("a head comes first")
            return
        }
        #expect(head.status == .noContent)
        _ = try await channel.waitForOutboundWrite(as: Part.self)
        #expect(await Self.isClosed(channel))
    }

    @Test func `a client that sends slowly loses the connection`() async throws {
        let channel = try await Self.channel(Service())
        try await Self.send(Self.head(), .body(ByteBuffer(string: "{")), to: channel)
        await channel.testingEventLoop.advanceTime(by: .seconds(9))
        #expect(await !Self.isClosed(channel))
        await channel.testingEventLoop.advanceTime(by: .seconds(1))
        #expect(try await Self.status(channel) == .requestTimeout)
        #expect(await Self.isClosed(channel))
    }

    private static func status(_ channel: NIOAsyncTestingChannel) async throws -> HTTPResponseStatus? {
        guard case .head(let head) = try await channel.waitForOutboundWrite(as: Part.self) else { return nil }
        return head.status
    }

    /// Returns a channel whose service has identified the user.
    private static func known(_ service: Service) async throws -> NIOAsyncTestingChannel {
        let channel = try await channel(service, isKnown: true)
        try await send(head(), to: channel)
        // The identification runs in a task of its own. Once its result has arrived, the time limit counts again.
        for _ in 0..<1_000 {
            try await Task.sleep(for: .milliseconds(2))
            await channel.testingEventLoop.run()
        }
        return channel
    }

    @Test func `a long body has time as long as it flows`() async throws {
        let service = Service()
        let channel = try await Self.known(service)
        let chunk = ByteBuffer(bytes: [UInt8](repeating: 0x20, count: 10_000))
        for _ in 0..<20 {
            try await Self.send(.body(chunk), to: channel)
            await channel.testingEventLoop.advanceTime(by: .seconds(9))
            #expect(await !Self.isClosed(channel))
        }
        try await Self.send(.end(nil), to: channel)
        for await _ in service.asked.stream { break }
        service.answers.continuation.yield(AccountAnswer(204))
        #expect(try await Self.status(channel) == .noContent)
    }

    @Test(arguments: [true, false]) func `a long body that trickles or stops gets the status 408`(doesStop: Bool)
        async throws
    {
        let channel = try await Self.known(Service())
        try await Self.send(.body(ByteBuffer(bytes: [UInt8](repeating: 0x20, count: 10_000))), to: channel)
        if doesStop {
            await channel.testingEventLoop.advanceTime(by: .seconds(10))
        } else {
            for _ in 0..<3 {
                await channel.testingEventLoop.advanceTime(by: .seconds(9))
                try await Self.send(.body(ByteBuffer(string: "x")), to: channel)
            }
        }
        #expect(try await Self.status(channel) == .requestTimeout)
        #expect(await Self.isClosed(channel))
    }

    @Test func `a fast beginning doesn't pay for a body that trickles`() async throws {
        let channel = try await Self.known(Service())
        try await Self.send(.body(ByteBuffer(bytes: [UInt8](repeating: 0x20, count: 4 << 20))), to: channel)
        for _ in 0..<4 {
            await channel.testingEventLoop.advanceTime(by: .seconds(6))
            try await Self.send(.body(ByteBuffer(string: "x")), to: channel)
        }
        #expect(try await Self.status(channel) == .requestTimeout)
        #expect(await Self.isClosed(channel))
    }

    @Test func `the end of a request without its head is answered`() async throws {
        let channel = try await Self.channel(Service())
        try await Self.send(.end(nil), to: channel)
        #expect(try await Self.status(channel) == .badRequest)
        #expect(await Self.isClosed(channel))
    }

    /// `LingeringCloseTests` test that the answer arrives before the close.
    @Test func `a body that is too long ends the connection`() async throws {
        let channel = try await Self.channel(Service())
        let chunk = ByteBuffer(bytes: [UInt8](repeating: 0x20, count: 40_000))
        try await Self.send(Self.head(), .body(chunk), .body(chunk), to: channel)
        #expect(try await Self.status(channel) == .payloadTooLarge)
        #expect(await Self.isClosed(channel))
    }

    private static func ask(_ headers: HTTPHeaders = [:], _ channel: NIOAsyncTestingChannel) async throws {
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/here", headers: ["Host": "localhost"])
        head.headers.add(contentsOf: headers)
        try await Self.send(.head(head), .end(nil), to: channel)
        for await _ in AsyncStream<Void>(unfolding: { () }) {
            await channel.testingEventLoop.run()
            guard let part = try await channel.readOutbound(as: Part.self) else { continue }
            if case .end = part { return }
        }
    }

    @Test func `an answer ends the connection of a client that wants it`() async throws {
        let channel = try await Self.channel(Service())
        try await Self.ask(["Connection": "close"], channel)
        #expect(await Self.isClosed(channel))
    }

    @Test func `a connection waits for further requests, and not without end`() async throws {
        let channel = try await Self.channel(Service())
        for _ in 0..<3 {
            try await Self.ask([:], channel)
            await channel.testingEventLoop.advanceTime(by: .seconds(59))
            #expect(await !Self.isClosed(channel))
        }
        await channel.testingEventLoop.advanceTime(by: .seconds(1))
        #expect(await Self.isClosed(channel))
    }

    @Test func `a request on a connection that has waited has its own time`() async throws {
        let channel = try await Self.channel(Service())
        try await Self.ask([:], channel)
        await channel.testingEventLoop.advanceTime(by: .seconds(50))
        try await Self.send(Self.head(), .body(ByteBuffer(string: "{")), to: channel)
        await channel.testingEventLoop.advanceTime(by: .seconds(9))
        #expect(await !Self.isClosed(channel))
        await channel.testingEventLoop.advanceTime(by: .seconds(1))
        #expect(try await Self.status(channel) == .requestTimeout)
        #expect(await Self.isClosed(channel))
    }
}
