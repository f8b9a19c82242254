import Foundation
import FreeholdBSON
import FreeholdSyncCore
import NIOCore
import Synchronization

/// The sessions and streams of a node at one moment, for administrators.
struct SessionSnapshot: Sendable {
    /// A session with the name of its client.
    struct Row: Sendable {
        let figures: SessionFigures
        /// The name and version of the client's SDK, as the client sent it.
        let agent: String
    }

    /// The time in milliseconds since 1970.
    let at: Int64
    let rows: [Row]
    let streams: [StreamFigures]

    enum Order: String, CaseIterable {
        case bytes, lag, subscriptions, user, connection

        /// Returns the figure by which sessions are sorted in descending order, or `nil` for an order by names.
        func figure(_ figures: SessionFigures) -> Int? {
            switch self {
            case .bytes: figures.bytes
            case .lag: figures.lag.map { Int(clamping: $0) } ?? -1
            case .subscriptions: figures.subscriptions
            case .connection: -Int(clamping: figures.connection)
            case .user: nil
            }
        }
    }

    /// The filter for the sessions that a reader requests.
    struct Filter {
        var app: String?
        var user: String?
        /// A part of the user's id, the name of the client, or the stream, in lower case.
        var text: String?

        var isEmpty: Bool { app == nil && user == nil && text == nil }

        func accepts(_ row: Row) -> Bool {
            if let app, row.figures.stream.app.string != app { return false }
            if let user, row.figures.user.string != user { return false }
            guard let text else { return true }
            return row.figures.user.string.lowercased().contains(text) || row.agent.lowercased().contains(text)
                || row.figures.stream.shownValue?.lowercased().contains(text) == true
        }
    }

    /// Returns the versions of the schema and the clients of an app's sessions.
    func clients(of app: String) -> [(schemaVersion: UInt64, agent: String)] {
        rows.lazy.filter { $0.figures.stream.app.string == app }.map { ($0.figures.schemaVersion, $0.agent) }
    }

    /// Returns a part of the sessions that the filter accepts, and the number of all of these sessions.
    ///
    /// - Complexity: O(*n* log *n*) for *n* sessions
    func part(_ filter: Filter, by order: Order, offset: Int, limit: Int) -> (rows: [Row], count: Int) {
        let wanted = filter.isEmpty ? Array(rows.indices) : rows.indices.filter { filter.accepts(rows[$0]) }
        let sorted: [Int]
        if order == .user {
            sorted = wanted.sorted { (rows[$0].figures.user, $0) < (rows[$1].figures.user, $1) }
        } else {
            // Rows are large, so pairs of numbers are sorted instead of the rows.
            var pairs = wanted.map { (figure: order.figure(rows[$0].figures) ?? 0, index: $0) }
            pairs.sort { $0.figure == $1.figure ? $0.index < $1.index : $0.figure > $1.figure }
            sorted = pairs.map(\.index)
        }
        return (sorted.dropFirst(offset).prefix(limit).map { rows[$0] }, wanted.count)
    }
}

extension SessionSnapshot.Row {
    var document: BSONValue {
        var fields: BSONDocument = [
            "connection": .int64(Int64(clamping: figures.connection)),
            "session": .int64(Int64(clamping: figures.number.rawValue)),
            "app": .string(figures.stream.app.string),
        ]
        if let value = figures.stream.shownValue { fields["stream"] = .string(value) }
        fields["user"] = .string(figures.user.string.shortened)
        fields["file"] = .int64(Int64(figures.file.rawValue))
        fields["agent"] = .string(agent)
        fields["schemaVersion"] = .int64(Int64(clamping: figures.schemaVersion))
        fields["state"] = .string(figures.state.rawValue)
        fields["subscriptions"] = .int64(Int64(figures.subscriptions))
        fields["lag"] = figures.lag.map { .int64(Int64(clamping: $0)) } ?? .null
        fields["waiting"] = .int64(Int64(figures.waitingCommits))
        fields["bytes"] = .int64(Int64(figures.bytes))
        return .document(fields)
    }
}

/// Creates snapshots of a node's sessions. All readers within about a second share one snapshot, so that they don't slow down the node.
final class SessionSnapshots: Sendable {
    private struct State {
        var latest: (snapshot: SessionSnapshot, made: ContinuousClock.Instant)?
        var running: Task<SessionSnapshot, any Error>?
    }

    private let node: ServerNode
    private let state = Mutex(State())
    private let lifetime: Duration

    init(_ node: ServerNode, lifetime: Duration = .milliseconds(900)) { (self.node, self.lifetime) = (node, lifetime) }

    /// Returns the state of at most 0.9 seconds ago.
    ///
    /// - Throws: An error if the node ends.
    func snapshot() async throws -> SessionSnapshot {
        let (latest, task) = state.withLock { state -> (SessionSnapshot?, Task<SessionSnapshot, any Error>?) in
            if let latest = state.latest, latest.made.duration(to: .now) < lifetime { return (latest.snapshot, nil) }
            if let running = state.running { return (nil, running) }
            let task = Task { try await make() }
            state.running = task
            return (nil, task)
        }
        if let latest { return latest }
        guard let task else { throw CancellationError() }
        return try await task.value
    }

    private func make() async throws -> SessionSnapshot {
        defer { state.withLock { $0.running = nil } }
        let snapshot = try await node.sessionSnapshot()
        state.withLock { $0.latest = (snapshot, .now) }
        return snapshot
    }
}

extension ServerNode {
    /// Returns the sessions and streams of the node.
    ///
    /// - Complexity: O(sessions + streams) on the node's loop
    func sessionSnapshot() async throws -> SessionSnapshot {
        let found = try await loop.submit { () throws -> ([SessionSnapshot.Row], [StreamFigures]) in
            guard !self.isStopped.load(ordering: .acquiring) else { throw ChannelError.ioOnClosedChannel }
            let rows = self.machine.sessionFigures.map { figures in
                SessionSnapshot.Row(figures: figures, agent: self.peers[figures.connection]?.agent ?? "")
            }
            return (rows, self.machine.streamFigures)
        }
        .get()
        return SessionSnapshot(at: Int64(Date().timeIntervalSince1970 * 1_000), rows: found.0, streams: found.1)
    }
}
