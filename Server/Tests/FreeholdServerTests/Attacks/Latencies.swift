/// The times of requests of one kind.
struct Latencies: Sendable {
    private var times: [Duration] = []
    /// The number of requests that failed or had no answer, by the reason.
    private(set) var failures: [String: Int] = [:]

    var count: Int { times.count }
    var failed: Int { failures.values.reduce(0, +) }

    mutating func add(_ time: Duration) { times.append(time) }

    /// Adds a request that failed. Its time counts as well, because a user waited that long.
    mutating func add(failure reason: String, after time: Duration) {
        times.append(time)
        failures[reason, default: 0] += 1
    }

    /// Returns the time that a share of the requests didn't exceed.
    func quantile(_ share: Double) -> Duration {
        let sorted = times.sorted()
        guard !sorted.isEmpty else { return .zero }
        return sorted[min(Int((Double(sorted.count) * share).rounded(.up)), sorted.count) - 1]
    }

    var median: Duration { quantile(0.5) }
    var p99: Duration { quantile(0.99) }
}

extension Duration {
    var milliseconds: Double {
        Double(components.seconds) * 1_000 + Double(components.attoseconds) / 1e15
    }
}
