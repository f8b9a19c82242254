import Synchronization

/// What the connections of a listener take together. Any thread may use it.
final class ListenerLoad: Sendable {
    private let limits: NodeLimits
    private let connections = Atomic(0)
    private let bodies = Atomic(0)

    init(_ limits: NodeLimits) { self.limits = limits }

    /// Counts a connection, whatever it is for.
    ///
    /// - Returns: false if there are too many; then it doesn't count.
    func open() -> Bool {
        if connections.add(1, ordering: .relaxed).newValue <= limits.connections { return true }
        close()
        return false
    }

    func close() { connections.subtract(1, ordering: .relaxed) }

    /// Counts bytes of a body that waits.
    ///
    /// - Parameter isLong: large bodies of users that have others leave room for small ones, such as log-ins, and for other users.
    /// - Returns: false if there is no room; then they don't count.
    func takeBody(_ bytes: Int, isLong: Bool) -> Bool {
        let most = isLong ? limits.bodyBytes / 4 * 3 : limits.bodyBytes
        if bodies.add(bytes, ordering: .relaxed).newValue <= most { return true }
        giveBody(bytes)
        return false
    }

    func giveBody(_ bytes: Int) { bodies.subtract(bytes, ordering: .relaxed) }

    /// Of bodies that wait.
    var bodyBytes: Int { bodies.load(ordering: .relaxed) }
}
