import CoreMetrics
import Synchronization

protocol PrometheusMetric: AnyObject, Sendable {
    var type: String { get }
    func write(_ name: String, _ labels: String, to text: inout String)
}

/// A counter, which only increases.
final class Total: PrometheusMetric, CounterHandler, FloatingPointCounterHandler {
    private let value = Mutex(0.0)

    var type: String { "counter" }
    func increment(by amount: Int64) { value.withLock { $0 += Double(amount) } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func reset() { value.withLock { $0 = 0 } }

    func write(_ name: String, _ labels: String, to text: inout String) {
        text += line(name, labels, value.withLock { $0 })
    }
}

/// A gauge, which increases and decreases.
final class Level: PrometheusMetric, MeterHandler, RecorderHandler {
    private let value = Mutex(0.0)

    var type: String { "gauge" }
    func set(_ new: Int64) { value.withLock { $0 = Double(new) } }
    func set(_ new: Double) { value.withLock { $0 = new } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ new: Int64) { set(new) }
    func record(_ new: Double) { set(new) }

    func write(_ name: String, _ labels: String, to text: inout String) {
        text += line(name, labels, value.withLock { $0 })
    }
}

/// A histogram: for each of some bounds, the number of values up to the bound. Times are in seconds.
final class Histogram: PrometheusMetric, TimerHandler, RecorderHandler {
    static let bounds = [0.000_1, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private struct State {
        var counts = [UInt64](repeating: 0, count: Histogram.bounds.count + 1)
        var sum = 0.0
    }

    private let state = Mutex(State())

    var type: String { "histogram" }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let index = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.counts[index] += 1
            state.sum += value
        }
    }

    func write(_ name: String, _ labels: String, to text: inout String) {
        let state = state.withLock { $0 }
        let prefix = labels.isEmpty ? "" : labels + ","
        var sum: UInt64 = 0
        for (index, count) in state.counts.enumerated() {
            sum += count
            let bound = index < Self.bounds.count ? "\(Self.bounds[index])" : "+Inf"
            text += line(name + "_bucket", prefix + "le=\"\(bound)\"", Double(sum))
        }
        text += line(name + "_sum", labels, state.sum)
        text += line(name + "_count", labels, Double(sum))
    }
}

private func line(_ name: String, _ labels: String, _ value: Double) -> String {
    let number = value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    return labels.isEmpty ? "\(name) \(number)\n" : "\(name){\(labels)} \(number)\n"
}
