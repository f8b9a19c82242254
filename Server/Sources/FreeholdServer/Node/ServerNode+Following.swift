import FreeholdSyncCore
import NIOCore
import Synchronization

/// A change stream over HTTP. It counts as one of the user's connections until the last reference to it is released.
final class Following: Sendable {
    private let node: ServerNode
    private let user: SyncString

    fileprivate init(_ node: ServerNode, _ user: SyncString) { (self.node, self.user) = (node, user) }

    deinit { node.users.leave(user) }
}

extension ServerNode {
    /// Counts a change stream of a user.
    ///
    /// - Returns: `nil` if the user has the maximum number of connections, or if the node has stopped.
    func follow(_ user: SyncString) async -> Following? {
        guard !isStopped.load(ordering: .acquiring), users.enter(user) else { return nil }
        return Following(self, user)
    }
}
