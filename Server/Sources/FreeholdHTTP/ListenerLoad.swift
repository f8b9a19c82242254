import Synchronization

/// The number of connections of a listener. Any thread may use it.
final class ListenerLoad: Sendable {
    private let most: Int
    private let connections = Atomic(0)

    init(_ limits: HTTPLimits) { most = limits.connections }

    /// Counts a connection.
    ///
    /// - Returns: `false` if there are too many. It isn't counted then.
    func open() -> Bool {
        if connections.add(1, ordering: .relaxed).newValue <= most { return true }
        close()
        return false
    }

    func close() { connections.subtract(1, ordering: .relaxed) }

    /// A Boolean value that indicates whether connections that wait for a request take room that others need.
    var isHigh: Bool { connections.load(ordering: .relaxed) > most / 2 }
}
