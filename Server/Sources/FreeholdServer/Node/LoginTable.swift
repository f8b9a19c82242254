import FreeholdSyncCore
import Synchronization

/// The connections of log-ins. Any thread may use it.
final class LoginTable: Sendable {
    fileprivate struct State {
        var peers: [String: [ConnectionNumber: Peer]] = [:]
        var logins: [ConnectionNumber: String] = [:]
    }

    private let state = Mutex(State())

    /// Records the log-in to which a connection's token belongs.
    func note(_ peer: Peer, _ login: String?) {
        state.withLock { state in
            state.remove(peer.number)
            guard let login else { return }
            state.peers[login, default: [:]][peer.number] = peer
            state.logins[peer.number] = login
        }
    }

    /// Removes a connection that is closed.
    func remove(_ number: ConnectionNumber) { state.withLock { $0.remove(number) } }

    var logins: Set<String> { state.withLock { Set($0.peers.keys) } }

    /// - Complexity: O(log-ins, their connections)
    func peers(of logins: Set<String>) -> [Peer] {
        state.withLock { state in logins.flatMap { state.peers[$0].map { Array($0.values) } ?? [] } }
    }
}

extension LoginTable.State {
    fileprivate mutating func remove(_ number: ConnectionNumber) {
        guard let login = logins.removeValue(forKey: number) else { return }
        peers[login]?[number] = nil
        if peers[login]?.isEmpty == true { peers[login] = nil }
    }
}
