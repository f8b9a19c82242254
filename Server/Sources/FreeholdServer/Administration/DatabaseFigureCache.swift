import FreeholdServerStore
import Synchronization

/// The figures of the store's database. They are read at most once in five seconds, however many pages are open, and no page waits for them.
final class DatabaseFigureCache: Sendable {
    /// The result of the last reading.
    enum Reading: Sendable {
        case read(DatabaseFigures)
        /// The database doesn't answer, or has no such figures.
        case failed
    }

    private struct State {
        var reading: Reading?
        var at: ContinuousClock.Instant?
        var isReading = false
    }

    static let age = Duration.seconds(5)

    private let store: any NodeStore
    private let state = Mutex(State())

    init(_ store: any NodeStore) { self.store = store }

    /// The last reading, or `nil` if the store isn't a database or hasn't answered yet. Another reading begins if the last one is old.
    var reading: Reading? {
        let (reading, begins) = state.withLock { state in
            let isOld = state.at.map { $0.duration(to: .now) > Self.age } ?? true
            let begins = isOld && !state.isReading
            if begins { state.isReading = true }
            return (state.reading, begins)
        }
        if begins { Task { await read() } }
        return reading
    }

    private func read() async {
        let reading: Reading?
        do { reading = try await store.databaseFigures().map { .read($0) } } catch { reading = .failed }
        state.withLock { $0 = State(reading: reading, at: .now) }
    }
}
