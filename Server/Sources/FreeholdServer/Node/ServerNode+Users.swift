import FreeholdSyncCore
import NIOCore

/// Who is connected.
extension ServerNode {
    func connectedUsers() async throws -> Set<String> {
        Set(users.names.map(\.string))
    }

    /// The log-ins that connections were opened with.
    func logins() async throws -> Set<String> {
        var logins = seats.logins
        for group in try await peersByLoop() {
            let found = group[0].channel.eventLoop.submit { group.compactMap { $0.identity?.login } }
            logins.formUnion(try await found.get())
        }
        return logins
    }

    /// Ends the connections that were opened with log-ins which aren't any more.
    func end(_ logins: Set<String>) async throws {
        seats.end(logins)
        for group in try await peersByLoop() {
            group[0].channel.eventLoop.execute { for peer in group { peer.end(ifOf: logins) } }
        }
    }

    private func peersByLoop() async throws -> [[Peer]] {
        try await loop.submit {
            Array(Dictionary(grouping: self.peers.values, by: { ObjectIdentifier($0.channel.eventLoop) }).values)
        }
        .get()
    }
}
