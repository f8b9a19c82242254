public import CoreMetrics
import Synchronization

/// The metrics of the process in Prometheus' text format. Libraries record them with swift-metrics.
public final class PrometheusText: MetricsFactory {
    private let series = Mutex<[String: [String: Series]]>([:])

    public init() {}

    /// Returns all metrics, in the order of their names.
    public func text() -> String {
        let all = series.withLock { $0 }
        var out = ""
        for (name, byLabels) in all.sorted(by: { $0.key < $1.key }) {
            guard let kind = byLabels.first?.value.kind else { continue }
            out += "# TYPE \(name) \(kind)\n"
            for (labels, series) in byLabels.sorted(by: { $0.key < $1.key }) { out += series.lines(name, labels) }
        }
        return out
    }

    /// Returns the series of a metric. Equal names and labels share one.
    private func series(_ kind: Series.Kind, label: String, dimensions: [(String, String)]) -> Series {
        let name = Self.name(label, kind)
        let labels = dimensions.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        return series.withLock { all in
            if let known = all[name]?[labels], known.kind == kind { return known }
            let new = Series(kind)
            all[name, default: [:]][labels] = new
            return new
        }
    }

    private static func name(_ label: String, _ kind: Series.Kind) -> String {
        switch kind {
        case .counter: name(label) + "_total"
        case .gauge: name(label)
        case .histogram: name(label) + "_seconds"
        case .summary: name(label)
        }
    }

    private static func name(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { out, character in
            switch character {
            case "\\": out += "\\\\"
            case "\"": out += "\\\""
            case "\n": out += "\\n"
            default: out.append(character)
            }
        }
    }

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(.counter, label: label, dimensions: dimensions)
    }

    public func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(.counter, label: label, dimensions: dimensions)
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(.gauge, label: label, dimensions: dimensions)
    }

    public func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        series(aggregate ? .summary : .gauge, label: label, dimensions: dimensions)
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(.histogram, label: label, dimensions: dimensions)
    }

    // Series stay until the end of the process, as Prometheus expects.
    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}
}

/// The values of a metric with certain labels.
private final class Series: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    enum Kind: String { case counter, gauge, summary, histogram }

    /// The upper bounds of a histogram in seconds.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    let kind: Kind
    private let state: Mutex<State>

    private struct State {
        var value = 0.0
        var count = 0
        var buckets: [Int] = []
    }

    init(_ kind: Kind) {
        self.kind = kind
        state = Mutex(State(buckets: kind == .histogram ? Array(repeating: 0, count: Self.bounds.count) : []))
    }

    func increment(by amount: Int64) { increment(by: Double(amount)) }
    func increment(by amount: Double) { state.withLock { $0.value += amount } }
    func decrement(by amount: Double) { increment(by: -amount) }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { state.withLock { $0.value = value } }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        if kind == .gauge { return set(value) }
        state.withLock { state in
            state.value += value
            state.count += 1
            for (index, bound) in Self.bounds.enumerated() where !state.buckets.isEmpty && value <= bound {
                state.buckets[index] += 1
            }
        }
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func reset() { state.withLock { $0.value = 0 } }

    func lines(_ name: String, _ labels: String) -> String {
        let state = state.withLock { $0 }
        let suffix = labels.isEmpty ? "" : "{\(labels)}"
        switch kind {
        case .counter, .gauge: return "\(name)\(suffix) \(Self.number(state.value))\n"
        case .summary, .histogram:
            var out = ""
            let separator = labels.isEmpty ? "" : ","
            if kind == .histogram {
                let bounds = zip(Self.bounds.map(Self.number) + ["+Inf"], state.buckets + [state.count])
                for (bound, count) in bounds {
                    out += "\(name)_bucket{\(labels)\(separator)le=\"\(bound)\"} \(count)\n"
                }
            }
            return out + "\(name)_sum\(suffix) \(state.value)\n\(name)_count\(suffix) \(state.count)\n"
        }
    }

    private static func number(_ value: Double) -> String { Int(exactly: value).map(String.init) ?? String(value) }
}
