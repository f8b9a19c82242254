import FreeholdServerStore
import FreeholdSyncCore
import Synchronization
import Testing

@testable import FreeholdServer

/// The figures of a store's database, as the pages of administrators read them.
@Suite(.timeLimit(.minutes(5))) struct DatabaseFigureCacheTests {
    private struct Away: Error {}

    /// A store whose database answers when the test says so.
    private final class Store: NodeStore {
        private let answers: AsyncStream<DatabaseFigures?>
        let answer: AsyncStream<DatabaseFigures?>.Continuation
        let asked = Atomic(0)

        init() { (answers, answer) = AsyncStream.makeStream() }

        func perform(_ request: ServerStoreRequest, _ answer: @escaping @Sendable (ServerStoreAnswer) -> Void) {
            answer(.failed(.unavailable("no database")))
        }

        func databaseFigures() async throws -> DatabaseFigures? {
            asked.add(1, ordering: .relaxed)
            for await figures in answers {
                guard let figures else { throw Away() }
                return figures
            }
            throw Away()
        }
    }

    private let figures = DatabaseFigures(
        version: "15.1",
        name: "sync",
        bytes: 1 << 30,
        connections: 3,
        mostConnections: 100,
        isReadOnly: false,
        roundTrip: .milliseconds(1)
    )

    @Test func `a page doesn't wait, and many pages ask once`() async throws {
        let store = Store()
        let cache = DatabaseFigureCache(store)
        for _ in 0..<100 { #expect(cache.reading == nil) }
        store.answer.yield(figures)
        while cache.reading == nil { await Task.yield() }
        guard case .read(let read)? = cache.reading else { throw Away() }
        #expect(read == figures)
        #expect(store.asked.load(ordering: .relaxed) == 1)
    }

    @Test func `a database that fails is reported`() async throws {
        let store = Store()
        let cache = DatabaseFigureCache(store)
        store.answer.yield(nil)
        while cache.reading == nil { await Task.yield() }
        guard case .failed? = cache.reading else { throw Away() }
    }
}
