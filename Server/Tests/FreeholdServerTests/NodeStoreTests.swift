import Dispatch
import FreeholdEngine
import FreeholdServerStore
import FreeholdSyncCore
import Logging
import NIOCore
import ServerTestRandom
import Synchronization
import Testing

@testable import FreeholdServer

/// What `NodeStore` promises, and what a node makes of the worst that it allows.
@Suite(.timeLimit(.minutes(20))) struct NodeStoreTests {
    private static func stream(_ number: Int) -> StreamName {
        StreamName(app: "test", value: .string(SyncString("\(number)")))
    }

    /// A store like a database behind a pool: several connections, answers that are late, repeated or unknown.
    private final class PooledStore: NodeStore {
        private struct State {
            var memory = MemoryServerStore(epoch: 7)
            var random: SeededRandom
            /// Requests whose connection was cut and that are executed later.
            var late: [StreamName: [ServerStoreRequest]] = [:]
        }

        let isCalm = Atomic(false)
        private let state: Mutex<State>
        private let queue = StreamQueue(width: 4)
        private let answers = DispatchQueue(label: "answers", attributes: .concurrent)

        init(_ random: SeededRandom) { state = Mutex(State(random: random)) }

        func perform(_ request: ServerStoreRequest, _ answer: @escaping @Sendable (ServerStoreAnswer) -> Void) {
            let isCalm = isCalm.load(ordering: .relaxed)
            queue.add(request.stream) { [self] in
                let (result, count, delay) = state.withLock { state -> (ServerStoreAnswer, Int, Int) in
                    let chance = isCalm ? 100 : Int.random(in: 0..<100, using: &state.random)
                    let delay = Int.random(in: 0..<3, using: &state.random)
                    if chance < 20, let late = state.late.removeValue(forKey: request.stream) {
                        for request in late { _ = state.memory.perform(request) }
                    }
                    switch chance {
                    case 0..<8:
                        _ = state.memory.perform(request)
                        return (.failed(.unknown), 1, delay)
                    case 8..<14:
                        // Only a commit can't hurt later: the head has moved then, or it hasn't.
                        if case .commit = request.kind { state.late[request.stream, default: []].append(request) }
                        return (.failed(.unknown), 1, delay)
                    case 14..<18: return (.failed(.unavailable("test")), 1, delay)
                    default: return (state.memory.perform(request), chance < 60 ? 2 : 1, delay)
                    }
                }
                for _ in 0..<count {
                    answers.asyncAfter(deadline: .now() + .milliseconds(delay)) { answer(result) }
                }
            }
        }

        func contents(_ stream: StreamName) -> [ObjectName: MergedObject] {
            state.withLock { $0.memory.contents(of: stream) }
        }

        func files(_ stream: StreamName) -> Int { state.withLock { $0.memory.files(of: stream).count } }
    }

    private static func server(_ store: any NodeStore) async throws -> RunningServer {
        var app = NodeApp(access: .everyone)
        app.streams = Set((0..<4).map { SyncString("\($0)") })
        var settings = ServerSettings(node: NodeConfiguration(apps: ["test": app]))
        (settings.port, settings.administratorPort, settings.threads) = (0, nil, 1)
        settings.tokens.keys = [.secret(TestServer.secret)]
        settings.node.writers = WriterSecrets(secret: "a secret of the tests")
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return try await RunningServer.start(settings, store: store, logger: logger)
    }

    @Test func `submissions are executed once on a pool whose answers are late, repeated or unknown`() async throws {
        let random = SeededRandom(test: "submissions are executed once on a pool")
        let store = PooledStore(random)
        // Two nodes on one store.
        let servers = [try await Self.server(store), try await Self.server(store)]
        typealias Outcome = (stream: Int, key: Int64, isDone: Bool)
        var outcomes: [Outcome] = []
        await withTaskGroup(of: [Outcome].self) { group in
            for task in 0..<8 {
                let (stream, node) = (task % 4, servers[task / 4].node)
                group.addTask {
                    var outcomes: [Outcome] = []
                    for number in 0..<12 {
                        let key = Int64(task * 100 + number)
                        let change = Change.create(ObjectName("Note", .int(key)), [NewField("n", .value(.int(1)))])
                        let submission = Submission(stream: Self.stream(stream), user: "ann", changes: [change])
                        let outcome = try? await node.submit(submission).get()
                        let isDone = if case .done(_, let refusals)? = outcome { refusals.isEmpty } else { false }
                        outcomes.append((stream, key, isDone))
                    }
                    return outcomes
                }
            }
            for await some in group { outcomes += some }
        }
        store.isCalm.store(true, ordering: .relaxed)
        for (stream, key, isDone) in outcomes where isDone {
            let object = store.contents(Self.stream(stream))[ObjectName("Note", .int(key))]
            #expect(object?.contents["n"] == .value(.int(1)), "\(key) isn't stored")
        }
        #expect(outcomes.count { $0.isDone } > 48)
        for stream in 0..<4 { #expect(store.files(Self.stream(stream)) == 1) }
        for server in servers { await server.stop(after: 0) }
    }

    @Test func `a request of one stream that takes long delays no other stream`() async throws {
        let folder = try TestFolder()
        let files = try FileServerStore(at: folder.path, epoch: 7)
        let store = FileNodeStore(files, width: 2)
        func answer(_ number: Int, _ kind: ServerStoreRequest.Kind) async -> ServerStoreAnswer {
            await withCheckedContinuation { done in
                store.perform(ServerStoreRequest(Self.stream(number), kind)) { done.resume(returning: $0) }
            }
        }
        let secret = SecretHash(FileSecret(high: 1, low: 2))
        for number in 0..<4 { _ = await answer(number, .openWriter(secret)) }
        // A writer of another process occupies the file of the first stream.
        let database = try Database.open(at: files.path(of: Self.stream(0)))
        let (held, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        DispatchQueue(label: "writer").async {
            let transaction = try? database.beginWrite()
            held.signal()
            release.wait()
            transaction?.cancel()
        }
        await withCheckedContinuation { done in
            DispatchQueue.global().async {
                held.wait()
                done.resume()
            }
        }
        let isOpen = Atomic(false)
        let waiting = Task {
            let file = await answer(0, .makeFile(user: "ann", secret: secret, parents: [], clock: .zero))
            let wasOpen = isOpen.load(ordering: .acquiring)
            #expect(wasOpen)
            return file
        }
        let behind = Task { await answer(0, .read(RowQuery())) }
        for number in 1..<4 {
            for _ in 0..<20 {
                let page = ServerStoreRequest.Kind.page(class: "Note", after: nil, at: 0, objects: 10)
                guard case .page = await answer(number, page) else {
                    Issue.record("no page")
                    continue
                }
            }
            guard case .file = await answer(number, .makeFile(user: "ann", secret: secret, parents: [], clock: .zero))
            else {
                Issue.record("no file")
                continue
            }
        }
        isOpen.store(true, ordering: .releasing)
        release.signal()
        guard case .file = await waiting.value, case .rows = await behind.value else {
            Issue.record("the first stream has no answers")
            return
        }
    }
}
