import FreeholdServerStore
import FreeholdSyncCore
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import FreeholdServer

/// What change streams over HTTP read of the store.
@Suite(.timeLimit(.minutes(20))) struct FollowerTests {
    private static let stream = StreamName(app: "test")

    /// Counts the requests of a store.
    private final class CountingStore: NodeStore {
        let files: FileServerStore
        private let base: FileNodeStore
        private let counted = Mutex<[String: Int]>([:])
        let folder: TestFolder

        init() throws {
            folder = try TestFolder()
            files = try FileServerStore(at: folder.path, epoch: 7)
            base = FileNodeStore(files)
        }

        func perform(_ request: ServerStoreRequest, _ answer: @escaping @Sendable (ServerStoreAnswer) -> Void) {
            let kind =
                switch request.kind {
                case .step: "step"
                case .read: "read"
                default: "other"
                }
            counted.withLock { $0[kind, default: 0] += 1 }
            base.perform(request, answer)
        }

        var counts: [String: Int] { counted.withLock { $0 } }
        var all: Int { counts.values.reduce(0, +) }
    }

    private struct Server {
        let store: CountingStore
        let metrics = PrometheusMetrics()
        let running: RunningServer

        init() async throws {
            store = try CountingStore()
            var settings = ServerSettings(node: NodeConfiguration(apps: ["test": NodeApp(access: .everyone)]))
            (settings.port, settings.administratorPort, settings.threads) = (0, nil, 1)
            settings.tokens.keys = [.secret(TestServer.secret)]
            settings.node.limits.greetingTimeout = 60_000
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            running = try await RunningServer.start(settings, store: store, logger: logger, metrics: metrics)
        }

        /// Creates an object.
        func commit(_ key: Int64) async throws {
            let change = Change.create(ObjectName("Note", .int(key)), [NewField("n", .value(.int(key)))])
            let submission = Submission(stream: FollowerTests.stream, user: "ann", changes: [change])
            guard case .done = try await running.node.submit(submission).get() else {
                Issue.record("not done")
                return
            }
        }

        func follow(_ user: String = "ann") async throws -> Events {
            try await Events(running.port, try await TestServer.token(user))
        }

        /// Waits until the metrics show all requests of the store.
        func measuresAll() async throws -> Bool {
            for _ in 0..<200 where measured != store.all { try await Task.sleep(for: .milliseconds(20)) }
            return measured == store.all
        }

        /// The number of requests of the store that the metrics show.
        var measured: Int {
            let name = "freehold_store_seconds_count "
            let line = metrics.text().split(separator: "\n").first { $0.hasPrefix(name) }
            return line.flatMap { Int($0.dropFirst(name.count)) } ?? 0
        }
    }

    /// A change stream.
    private final class Events: Sendable {
        private let channel: any Channel
        private let stream: AsyncStream<String>

        init(_ port: Int, _ token: String) async throws {
            let (stream, source) = AsyncStream<String>.makeStream()
            self.stream = stream
            channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).channelInitializer {
                channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Lines(source)) }
            }.connect(host: "127.0.0.1", port: port).get()
            let head = """
                GET /api/data/v1/app/test/$changes HTTP/1.1\r
                Host: localhost\r
                Authorization: Bearer \(token)\r
                \r

                """
            try await channel.writeAndFlush(ByteBuffer(string: head))
        }

        /// Waits for a line that begins with a text.
        func wait(for prefix: String) async throws {
            for await line in stream where line.hasPrefix(prefix) { return }
            Issue.record("the stream ended before '\(prefix)'")
        }

        func close() async { try? await channel.close() }

        private final class Lines: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            private let source: AsyncStream<String>.Continuation
            private var text: [UInt8] = []

            init(_ source: AsyncStream<String>.Continuation) { self.source = source }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                text += unwrapInboundIn(data).readableBytesView
                while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                    source.yield(String(decoding: text[..<end], as: UTF8.self))
                    text.removeFirst(end + 1)
                }
            }

            func channelInactive(context: ChannelHandlerContext) { source.finish() }
        }
    }

    @Test func `one read serves 40 followers of a stream, and idle ones read the head once a second together`()
        async throws
    {
        let server = try await Server()
        try await server.commit(1)
        var followers: [Events] = []
        for index in 0..<40 {
            let events = try await server.follow(index % 2 == 0 ? "ann" : "ben")
            try await events.wait(for: ": here")
            followers.append(events)
        }
        for key in 2...4 as ClosedRange<Int64> {
            let before = server.store.counts
            try await server.commit(key)
            for events in followers { try await events.wait(for: "data: ") }
            #expect(server.store.counts["step", default: 0] - before["step", default: 0] == 1)
        }
        let before = server.store.all
        try await Task.sleep(for: .seconds(5))
        #expect(server.store.all - before <= 8)
        #expect(try await server.measuresAll())
        for events in followers { await events.close() }
        await server.running.stop(after: 0)
    }

    @Test func `a commit of another process reaches followers, and one that doesn't read delays none`() async throws {
        let server = try await Server()
        try await server.commit(1)
        let (slow, quick) = (try await server.follow(), try await server.follow())
        for events in [slow, quick] { try await events.wait(for: ": here") }
        var other = LocalNode(server.store.files, app: "test", ServerApp())
        for key in 10..<40 as Range<Int64> {
            let change = Change.create(ObjectName("Note", .int(key)), [])
            guard case .done = other.submit(Submission(stream: Self.stream, user: "", changes: [change])) else {
                Issue.record("not done")
                return
            }
        }
        for _ in 10..<40 { try await quick.wait(for: "data: ") }
        for _ in 10..<40 { try await slow.wait(for: "data: ") }
        for events in [slow, quick] { await events.close() }
        await server.running.stop(after: 0)
    }

    @Test func `followers share what was read, and each has its own position`() async throws {
        let server = try await Server()
        let node = server.running.node
        for key in 1...30 as ClosedRange<Int64> { try await server.commit(key) }
        let followed = node.followed.enter(Self.stream, node)
        let start = await node.head(of: Self.stream)
        followed.note(try #require(start).cursor)
        let before = server.store.counts["step", default: 0]
        func walk() async -> [StreamVersion] {
            var (cursor, versions) = (Cursor(epoch: 7, version: 0, hash: .empty), [StreamVersion]())
            while followed.isBehind(cursor) {
                guard case .step(let step?) = await followed.step(after: cursor) else { break }
                cursor = step.to
                versions.append(cursor.version)
            }
            return versions
        }
        await withTaskGroup(of: [StreamVersion].self) { group in
            for _ in 0..<20 { group.addTask { await walk() } }
            for await versions in group { #expect(versions == Array(1...30)) }
        }
        // Each step is read once, unless a task fell so far behind that it isn't kept any more.
        #expect(server.store.counts["step", default: 0] - before < 30 * 20)
        #expect(followed.counts.steps <= 16)
        // A task that is cancelled doesn't wait.
        let cursor = try #require(await node.head(of: Self.stream)).cursor
        let waiting = Task { await followed.wait(at: cursor, until: .max) }
        while followed.counts.waiting == 0 { await Task.yield() }
        waiting.cancel()
        await waiting.value
        #expect(followed.counts.waiting == 0)
        // The next commit ends the wait.
        let next = Task { await followed.wait(at: cursor, until: .max) }
        while followed.counts.waiting == 0 { await Task.yield() }
        try await server.commit(31)
        await next.value
        node.followed.leave(Self.stream)
        await server.running.stop(after: 0)
    }

    @Test func `reads over HTTP are measured`() async throws {
        let server = try await Server()
        try await server.commit(1)
        let before = server.measured
        for _ in 0..<3 { #expect(await server.running.node.head(of: Self.stream) != nil) }
        #expect(server.measured == before + 3)
        #expect(try await server.measuresAll())
        await server.running.stop(after: 0)
    }

    @Test func `the secret of submissions depends on the server's secret and the stream`() {
        let (one, two) = (WriterSecrets(secret: "one"), WriterSecrets(secret: "two"))
        let streams = [
            StreamName(app: "a"), StreamName(app: "b"), StreamName(app: "a", value: .string("")),
            StreamName(app: "a", value: .string("1")), StreamName(app: "a", value: .int(1)),
        ]
        let secrets = streams.flatMap { [one.secret(of: $0), two.secret(of: $0)] }
        #expect(Set(secrets).count == 10)
        // It may never change: the file of all earlier submissions has it.
        #expect(WriterSecrets(secret: "one").secret(of: streams[3]) == one.secret(of: streams[3]))
    }
}
