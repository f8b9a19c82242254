import FreeholdServerStore
import FreeholdSyncCore
import CoreMetrics

/// An asymmetric class of an app with a sink. Only the ``IngestService`` uses it.
final class IngestOutlet {
    struct Key: Hashable, Sendable {
        let app: SyncString
        let className: SyncString
    }

    let key: Key
    let settings: SinkSettings
    let metrics: SinkMetrics
    /// The number of waiting objects of all streams.
    private(set) var waiting = 0
    private(set) var isHolding = false
    /// The numbers of objects that were delivered and given up, and of failures, since the settings apply.
    var delivered: Int64 = 0
    var givenUp = 0
    var failures = 0
    /// The last error, and its time in milliseconds since 1970.
    var lastError: (text: String, at: Int64)?

    init(_ key: Key, _ settings: SinkSettings, _ metrics: SinkMetrics) {
        (self.key, self.settings, self.metrics) = (key, settings, metrics)
    }

    /// Changes the number of waiting objects.
    ///
    /// - Returns: A Boolean value that indicates whether the change makes it necessary to hold uploads, or to stop
    ///   holding them.
    func changeWaiting(by difference: Int) -> Bool {
        waiting = max(waiting + difference, 0)
        metrics.waiting.set(waiting)
        let most = settings.mostWaiting
        let holds = isHolding ? waiting > most - max(most / 4, 1) : waiting >= most
        guard holds != isHolding else { return false }
        isHolding = holds
        metrics.holding.set(holds ? 1 : 0)
        return true
    }

    /// Resets the metrics when the objects of the class no longer have a sink.
    func end() {
        metrics.waiting.set(0)
        metrics.holding.set(0)
    }
}

/// The objects of such a class in one stream. Only the ``IngestService`` uses it.
final class IngestLane {
    struct Key: Hashable, Sendable {
        let stream: StreamName
        let className: SyncString
    }

    enum State {
        /// No waiting objects are known.
        case idle
        /// It waits until other lanes close their files.
        case queued
        case working
        /// A delivery failed. It waits before it tries again.
        case pausing
    }

    let key: Key
    let outlet: IngestOutlet
    var state = State.idle
    /// The pump. It is created at the first delivery.
    var pump: IngestPump?
    var sink: (any IngestSink)?
    /// A Boolean value that indicates whether the pump may have open files.
    var isOpen = false
    /// A number that orders lanes by the time at which they last became idle. Later times have greater numbers.
    var lastUse: UInt64 = 0
    /// A Boolean value that indicates whether objects were added since the store was last read.
    var isWoken = false
    var waiting = 0
    /// `isCounting` is true while waiting objects are counted. `isCountOld` is true if they have to be counted again.
    var isCounting = false
    var isCountOld = false
    var failures = 0
    /// The number of batches since it opened its files.
    var batches = 0
    /// The last values of the pump's and the sink's counters.
    var delivered: Int64 = 0
    var givenUp = 0
    var task: Task<Void, Never>?

    init(_ key: Key, _ outlet: IngestOutlet) { (self.key, self.outlet) = (key, outlet) }
}
