import Synchronization

/// The number of connections of a listener, also by address. Any thread may use it.
final class ListenerLoad: Sendable {
    private struct State {
        var connections = 0
        var networks: [[UInt8]: Int] = [:]
    }

    private let most: Int
    private let mostPerAddress: Int
    private let proxies: TrustedProxies
    private let state = Mutex(State())

    init(_ limits: HTTPLimits, proxies: TrustedProxies = .none) {
        (most, mostPerAddress, self.proxies) = (limits.connections, limits.effectiveConnectionsPerAddress, proxies)
    }

    /// Counts a connection.
    ///
    /// - Parameter address: The address of the client, without a port. `nil` if it has none.
    /// - Returns: `false` if there are too many. It isn't counted then.
    func open(from address: String?) -> Bool {
        let network = network(of: address)
        return state.withLock { state in
            guard state.connections < most else { return false }
            if let network {
                let count = state.networks[network] ?? 0
                if state.connections >= most / 2, count >= mostPerAddress { return false }
                state.networks[network] = count + 1
            }
            state.connections += 1
            return true
        }
    }

    /// Forgets a connection that was counted.
    func close(from address: String?) {
        let network = network(of: address)
        state.withLock { state in
            state.connections -= 1
            guard let network, let count = state.networks[network] else { return }
            state.networks[network] = count == 1 ? nil : count - 1
        }
    }

    /// A Boolean value that indicates whether connections that wait for a request take room that others need.
    var isHigh: Bool { state.withLock { $0.connections > most / 2 } }

    /// Returns the network that counts as one address. A trusted proxy has the connections of many clients and isn't counted.
    private func network(of address: String?) -> [UInt8]? {
        guard let address, !proxies.trusts(address) else { return nil }
        return TrustedProxies.network(of: address)
    }
}
