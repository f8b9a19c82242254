import FreeholdServerStore
import FreeholdSyncCore
import CoreMetrics

/// A class of an app whose objects are handed on. Touched by the ``IngestService`` only.
final class IngestOutlet {
    struct Key: Hashable, Sendable {
        let app: SyncString
        let className: SyncString
    }

    let key: Key
    let settings: SinkSettings
    let metrics: SinkMetrics
    /// Of all streams.
    private(set) var waiting = 0
    private(set) var isHolding = false

    init(_ key: Key, _ settings: SinkSettings, _ metrics: SinkMetrics) {
        (self.key, self.settings, self.metrics) = (key, settings, metrics)
    }

    /// - Returns: whether uploads have to be held, or needn't be any more, unlike before.
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

    /// Nothing is handed on any more.
    func end() {
        metrics.waiting.set(0)
        metrics.holding.set(0)
    }
}

/// A stream's objects of such a class. Touched by the ``IngestService`` only.
final class IngestLane {
    struct Key: Hashable, Sendable {
        let stream: StreamName
        let className: SyncString
    }

    enum State {
        /// Nothing is known to wait.
        case idle
        /// It waits for others to let go of what they have open.
        case queued
        case working
        /// It failed, and waits until it tries again.
        case pausing
    }

    let key: Key
    let outlet: IngestOutlet
    var state = State.idle
    /// Made when it first works.
    var pump: IngestPump?
    var sink: (any IngestSink)?
    /// Whether the pump may hold files open.
    var isOpen = false
    /// When it last became idle; greater is later.
    var lastUse: UInt64 = 0
    /// Objects came since it looked.
    var isWoken = false
    var waiting = 0
    /// How many wait is being looked up, and has to be again.
    var isCounting = false
    var isCountOld = false
    var failures = 0
    /// Batches since it opened its files.
    var batches = 0
    /// As they were counted last.
    var delivered: Int64 = 0
    var givenUp = 0
    var task: Task<Void, Never>?

    init(_ key: Key, _ outlet: IngestOutlet) { (self.key, self.outlet) = (key, outlet) }
}
