import Dispatch
import Metrics

/// The metrics of the calls of a hook.
struct HookMetrics: Sendable {
    let calls: Counter
    /// The number of calls without a result: the hook can't be reached, answers too late, or its answer isn't valid.
    let failures: Counter
    let time: Timer

    init(app: String, hook: String, _ factory: any MetricsFactory) {
        let dimensions = [("app", app), ("hook", hook)]
        calls = Counter(label: "freehold_hook_calls_total", dimensions: dimensions, factory: factory)
        failures = Counter(label: "freehold_hook_failures_total", dimensions: dimensions, factory: factory)
        time = Timer(label: "freehold_hook_seconds", dimensions: dimensions, factory: factory)
    }

    /// Counts a call, and measures its time.
    func measure<Result>(_ call: () async throws -> Result) async rethrows -> Result {
        calls.increment()
        let started = DispatchTime.now().uptimeNanoseconds
        defer { time.recordNanoseconds(Int64(DispatchTime.now().uptimeNanoseconds - started)) }
        return try await call()
    }
}
