import Metrics

/// The metrics of the delivery of a class's objects to a sink.
struct SinkMetrics: Sendable {
    let delivered: Counter
    let waiting: Meter
    let failures: Counter
    let givenUp: Counter
    let holding: Meter

    init(app: String, className: String, _ factory: any MetricsFactory) {
        let dimensions = [("app", app), ("class", className)]
        func counter(_ label: String) -> Counter { Counter(label: label, dimensions: dimensions, factory: factory) }
        delivered = counter("freehold_sink_delivered_objects_total")
        waiting = Meter(label: "freehold_sink_waiting_objects", dimensions: dimensions, factory: factory)
        failures = counter("freehold_sink_failures_total")
        givenUp = counter("freehold_sink_given_up_objects_total")
        holding = Meter(label: "freehold_sink_holding_uploads", dimensions: dimensions, factory: factory)
    }
}
