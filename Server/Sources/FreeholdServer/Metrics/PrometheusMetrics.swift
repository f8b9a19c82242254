public import CoreMetrics
import Synchronization

/// A store of swift-metrics' metrics in memory, which writes them in Prometheus' text format.
///
/// - Complexity: O(1) for each recorded value, under a lock of its metric
public final class PrometheusMetrics: MetricsFactory {
    private let metrics = Mutex<[Key: any PrometheusMetric]>([:])

    struct Key: Hashable {
        let label: String
        let dimensions: [String]
    }

    public init() {}

    /// Returns all recorded values in the text format 0.0.4, by rising names, each with its type.
    public func text() -> String {
        let all = metrics.withLock { Array($0) }.sorted {
            ($0.key.label, $0.key.dimensions.description) < ($1.key.label, $1.key.dimensions.description)
        }
        var (text, last) = ("", "")
        for (key, metric) in all {
            let name = Self.name(key.label)
            if name != last { text += "# TYPE \(name) \(metric.type)\n" }
            last = name
            metric.write(name, Self.labels(key.dimensions), to: &text)
        }
        return text
    }

    private func metric<Metric: PrometheusMetric>(
        _ label: String,
        _ dimensions: [(String, String)],
        _ make: () -> Metric
    ) -> Metric {
        metrics.withLock { metrics in
            let key = Key(label: label, dimensions: dimensions.flatMap { [$0.0, $0.1] })
            if let known = metrics[key] as? Metric { return known }
            let new = make()
            metrics[key] = new
            return new
        }
    }

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        metric(label, dimensions) { Total() }
    }

    public func makeFloatingPointCounter(label: String, dimensions: [(String, String)])
        -> any FloatingPointCounterHandler
    {
        metric(label, dimensions) { Total() }
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        metric(label, dimensions) { Level() }
    }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        aggregate ? metric(label, dimensions) { Histogram() } : metric(label, dimensions) { Level() }
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        metric(label, dimensions) { Histogram() }
    }

    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}

    // MARK: Text

    /// Returns the name of a label. Names only have letters, digits and underscores.
    static func name(_ label: String) -> String {
        let name = String(label.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        return name.first?.isNumber == true ? "_" + name : name
    }

    private static func labels(_ dimensions: [String]) -> String {
        stride(from: 0, to: dimensions.count, by: 2).map { index in
            let value = dimensions[index + 1].map { character -> String in
                switch character {
                case "\\": "\\\\"
                case "\"": "\\\""
                case "\n": "\\n"
                default: String(character)
                }
            }
            return "\(name(dimensions[index]))=\"\(value.joined())\""
        }.joined(separator: ",")
    }
}
