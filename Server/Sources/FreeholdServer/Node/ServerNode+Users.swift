import FreeholdSyncCore
import NIOCore

/// Who is connected.
extension ServerNode {
    func connectedUsers() async throws -> Set<String> {
        Set(users.names.map(\.string))
    }

    /// The log-ins that connections were opened with.
    func logins() async throws -> Set<String> { seats.logins.union(loginTable.logins) }

    /// Ends the connections that were opened with log-ins which aren't any more.
    ///
    /// - Complexity: O(log-ins, their connections)
    func end(_ logins: Set<String>) async throws {
        seats.end(logins)
        followed.wake()
        for peer in loginTable.peers(of: logins) { peer.channel.eventLoop.execute { peer.end(ifOf: logins) } }
    }
}
