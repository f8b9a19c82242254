import FreeholdSyncCore
import Metrics

/// The metrics of a node.
struct NodeMetrics: Sendable {
    let connections: Meter
    let sessions: Meter
    let messagesIn: Counter
    let messagesOut: Counter
    let bytesIn: Counter
    let bytesOut: Counter
    let commits: Counter
    let objects: Counter
    let groups: Counter
    let storeFailures: Counter
    let store: Timer
    /// The number of streams whose last write failed.
    let blockedStreams: Meter
    /// 1 if the last write of a stream failed because a disk is full. Otherwise 0.
    let fullDisk: Meter
    let refusedTokens: Counter
    let unreadable: Counter
    let slow: Counter
    let idle: Counter
    let overShare: Counter
    /// The number of kept bytes, by kind.
    let memory: [String: Meter]

    init(_ factory: any MetricsFactory) {
        func counter(_ label: String) -> Counter { Counter(label: label, dimensions: [], factory: factory) }
        connections = Meter(label: "freehold_connections", dimensions: [], factory: factory)
        sessions = Meter(label: "freehold_sessions", dimensions: [], factory: factory)
        messagesIn = counter("freehold_messages_received_total")
        messagesOut = counter("freehold_messages_sent_total")
        bytesIn = counter("freehold_bytes_received_total")
        bytesOut = counter("freehold_bytes_sent_total")
        commits = counter("freehold_commits_total")
        objects = counter("freehold_objects_written_total")
        groups = counter("freehold_groups_total")
        storeFailures = counter("freehold_store_failures_total")
        blockedStreams = Meter(label: "freehold_blocked_streams", dimensions: [], factory: factory)
        fullDisk = Meter(label: "freehold_disk_full", dimensions: [], factory: factory)
        store = Timer(label: "freehold_store_seconds", dimensions: [], factory: factory)
        refusedTokens = counter("freehold_tokens_refused_total")
        unreadable = counter("freehold_unreadable_messages_total")
        slow = counter("freehold_slow_receivers_dropped_total")
        idle = counter("freehold_idle_connections_dropped_total")
        let kinds = MemoryLedger.Kind.allCases.map { "\($0)" } + SessionLedger.Kind.allCases.map { "\($0)" } + ["rows"]
        memory = Dictionary(
            uniqueKeysWithValues: kinds.map { kind in
                (kind, Meter(label: "freehold_memory_bytes", dimensions: [("kind", kind)], factory: factory))
            }
        )
        overShare = counter("freehold_over_share_total")
        note([BlockedStream]())
    }

    /// Records the streams whose last write failed.
    func note(_ blocked: some Collection<BlockedStream>) {
        blockedStreams.set(blocked.count)
        fullDisk.set(blocked.contains(where: \.isDiskFull) ? 1 : 0)
    }
}
