import FreeholdSyncCore
import NIOCore

/// The connected users, and their log-ins.
extension ServerNode {
    func connectedUsers() async throws -> Set<String> {
        Set(users.names.map(\.string))
    }

    /// The log-ins that connections were opened with.
    func logins() async throws -> Set<String> { seats.logins.union(loginTable.logins) }

    /// Ends the connections that were opened with these log-ins, which have ended.
    ///
    /// - Complexity: O(log-ins, their connections)
    func end(_ logins: Set<String>) async throws {
        seats.end(logins)
        followed.wake()
        for peer in loginTable.peers(of: logins) { peer.channel.eventLoop.execute { peer.end(ifOf: logins) } }
    }
}
