import Dispatch
import Metrics
import Synchronization

/// The metrics of the views that programs read with SQL, and of the inbox into which they write.
final class SQLMetrics: Sendable {
    enum Work: String { case views, inbox, trim }

    private let factory: any MetricsFactory
    /// The apps whose rows waited at the last look.
    private let late = Mutex<Set<String>>([])

    init(_ factory: any MetricsFactory) { self.factory = factory }

    /// Counts a failure of work that is repeated.
    func failed(_ work: Work) {
        Counter(label: "freehold_sql_failures_total", dimensions: [("task", work.rawValue)], factory: factory)
            .increment()
    }

    // MARK: Views

    /// Records an update of the views and of the JSON of an app.
    func updated(_ app: String, since start: DispatchTime) {
        let label = "freehold_sql_update_seconds"
        Timer(label: label, dimensions: [("app", app)], factory: factory).recordNanoseconds(Self.time(since: start))
    }

    /// Records whether the views and the JSON of an app have the form that its settings and classes require.
    func note(_ app: String, isCurrent: Bool) {
        Meter(label: "freehold_sql_outdated", dimensions: [("app", app)], factory: factory).set(isCurrent ? 0 : 1)
    }

    // MARK: The inbox

    /// Counts rows that have a result.
    func count(_ app: String, rows: Int, refused: Int) {
        let dimensions = [("app", app)]
        Counter(label: "freehold_inbox_rows_total", dimensions: dimensions, factory: factory).increment(by: rows)
        Counter(label: "freehold_inbox_refused_rows_total", dimensions: dimensions, factory: factory)
            .increment(by: refused)
    }

    /// Records the time that a batch of rows took.
    func applied(_ app: String, since start: DispatchTime) {
        let label = "freehold_inbox_batch_seconds"
        Timer(label: label, dimensions: [("app", app)], factory: factory).recordNanoseconds(Self.time(since: start))
    }

    /// Records the ages of the oldest rows that waited at a look at all streams, by app, in milliseconds.
    func look(_ ages: [String: Int64]) {
        let earlier = late.withLock { late in
            defer { late = Set(ages.keys) }
            return late
        }
        for app in earlier.union(ages.keys) {
            Meter(label: "freehold_inbox_lag_seconds", dimensions: [("app", app)], factory: factory)
                .set(Double(ages[app] ?? 0) / 1_000)
        }
    }

    private static func time(since start: DispatchTime) -> Int64 {
        Int64(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds)
    }
}
