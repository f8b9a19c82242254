import FreeholdSyncCore
import NIOCore
import Synchronization

/// Somebody who follows a stream over HTTP. It counts among the user's connections as long as somebody holds it.
final class Following: Sendable {
    private let node: ServerNode
    private let user: SyncString

    fileprivate init(_ node: ServerNode, _ user: SyncString) { (self.node, self.user) = (node, user) }

    deinit { node.users.leave(user) }
}

extension ServerNode {
    /// - Returns: nil if the user has as many connections as a user may have, or the node ends.
    func follow(_ user: SyncString) async -> Following? {
        guard !isStopped.load(ordering: .acquiring), users.enter(user) else { return nil }
        return Following(self, user)
    }
}
