import Synchronization

/// The number of connections of a listener, in total and for each address. Any thread may use it.
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
    /// - Parameter address: The address of the client, without a port, or `nil` if the client has no address.
    /// - Returns: `false` if too many connections are open. The connection isn't counted then, and has to be closed.
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

    /// Subtracts a connection that `open` has counted.
    func close(from address: String?) {
        let network = network(of: address)
        state.withLock { state in
            state.connections -= 1
            guard let network, let count = state.networks[network] else { return }
            state.networks[network] = count == 1 ? nil : count - 1
        }
    }

    /// A Boolean value that indicates whether more than half of the allowed connections are open. Connections aren't kept for further requests then,
    /// so that new clients can connect.
    var isHigh: Bool { state.withLock { $0.connections > most / 2 } }

    /// Returns the network of an address. All addresses of a network are counted together. Returns `nil` for a trusted proxy, because its connections
    /// belong to many clients.
    private func network(of address: String?) -> [UInt8]? {
        guard let address, !proxies.trusts(address) else { return nil }
        return TrustedProxies.network(of: address)
    }
}
