#if PostgreSQL
    import Dispatch
    import Foundation
    import FreeholdCompression
    import PostgresProcess
    import Testing

    @testable import FreeholdPostgresStore
    @testable import FreeholdSyncCore
    @testable import SyncWorlds
    @testable import TestRandom

    enum StoreSeeds {
        /// `FREEHOLD_SEED` repeats one.
        static func seeds(_ test: String, count: Int, soak: Int) -> [UInt64] {
            let environment = ProcessInfo.processInfo.environment
            if let seed = environment["FREEHOLD_SEED"].flatMap({ UInt64($0) }) { return [seed] }
            let count = TestBudget.cases(count, soak: soak)
            let first = TestSeed.random(in: 0..<1 << 40)
            print("\(test): FREEHOLD_SEED=\(first) and the \(count - 1) after it")
            return Array(first..<first + UInt64(count))
        }
    }

    extension PostgresStore {
        /// Opens a store whose tables are in a schema of their own.
        ///
        /// - Parameter schema: By default a new one.
        static func opened(
            schema: String? = nil,
            address: String? = nil,
            _ configure: (inout Options) -> Void = { _ in }
        ) async throws -> PostgresStore {
            let server = try #require(PostgresServer.shared)
            var options = Options(address: address ?? server.address())
            options.schema = schema ?? "test_\(UInt64.random(in: 0 ... .max))"
            options.name = options.schema
            options.compression = ZlibCompression.shared
            (options.writers, options.readers, options.noteDelay, options.longList) = (1, 1, 0, 1)
            configure(&options)
            return try await open(options)
        }

        /// Ends the connections, and drops the tables.
        func remove() {
            close()
            _ = try? PostgresServer.shared?.sql(
                "SET client_min_messages = error; DROP SCHEMA \"\(options.schema)\" CASCADE"
            )
        }

        /// Does a request, and waits for the answer.
        func answer(_ request: ServerStoreRequest) -> ServerStoreAnswer {
            let box = AnswerBox()
            perform(request) { box.set($0) }
            return box.wait()
        }

        func answer(_ stream: StreamName, _ kind: ServerStoreRequest.Kind) -> ServerStoreAnswer {
            answer(ServerStoreRequest(stream, kind))
        }
    }

    /// An answer that a thread waits for.
    final class AnswerBox: @unchecked Sendable {
        private let isThere = DispatchSemaphore(value: 0)
        private var answer: ServerStoreAnswer?

        func set(_ answer: ServerStoreAnswer) {
            self.answer = answer
            isThere.signal()
        }

        func wait() -> ServerStoreAnswer {
            isThere.wait()
            return answer ?? .failed(.unknown)
        }
    }

    /// A store in PostgreSQL beside the one in memory: each request goes to both, and the answers have to be the same.
    struct PostgresTwin: WorldStore {
        var memory: MemoryServerStore
        let store: PostgresStore
        private(set) var problems: [String] = []
        private var comparison = StoreComparison()

        init(_ store: PostgresStore) {
            memory = MemoryServerStore(epoch: store.epoch)
            self.store = store
        }

        func contents(of stream: StreamName) -> [ObjectName: MergedObject] { memory.contents(of: stream) }
        func head(of stream: StreamName) -> StreamHead { memory.head(of: stream) }
        func files(of stream: StreamName) -> [FileIdent: FileRow] { memory.files(of: stream) }
        func ingested(of stream: StreamName) -> [ObjectName: [NewField]] { memory.ingested(of: stream) }
        func reopen() {}

        mutating func perform(_ request: ServerStoreRequest) -> ServerStoreAnswer {
            let head = memory.head(of: request.stream)
            let expected = memory.perform(request)
            let answer = store.answer(request)
            if let difference = comparison.difference(answer, expected, to: request, at: head, &memory) {
                problems.append("\(request.kind): \(difference)")
            }
            return expected
        }

        /// Reads everything of a stream, and compares.
        mutating func compare(_ stream: StreamName) {
            for kind in StoreComparison.questions(about: stream, &memory) {
                _ = perform(ServerStoreRequest(stream, kind))
            }
        }
    }

    /// Runs a body that blocks on a thread of its own, and not on those of tasks, which a store needs for its answers.
    func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
#endif
