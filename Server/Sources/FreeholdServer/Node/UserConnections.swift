import FreeholdSyncCore
import Synchronization

/// The connections of each user. Any thread may use it.
///
/// A connection counts from the moment at which its user is known until the machine has ended it. A connection that was closed while
/// messages of its user wait for the store therefore still counts.
final class UserConnections: Sendable {
    private let counts = Mutex<[SyncString: Int]>([:])
    private let most: Int

    /// - Parameter most: The number of connections that a user may have.
    init(most: Int) { self.most = most }

    /// Counts a connection of a user.
    ///
    /// - Returns: A Boolean value that indicates whether the user may have one more.
    func enter(_ user: SyncString) -> Bool {
        counts.withLock { counts in
            guard counts[user, default: 0] < most else { return false }
            counts[user, default: 0] += 1
            return true
        }
    }

    /// Removes a connection of a user from the count.
    func leave(_ user: SyncString) {
        counts.withLock { counts in
            guard let count = counts[user] else { return }
            counts[user] = count > 1 ? count - 1 : nil
        }
    }

    /// The users that have connections.
    var names: Set<SyncString> { counts.withLock { Set($0.keys) } }

    /// Returns the number of a user's connections.
    func count(of user: SyncString) -> Int { counts.withLock { $0[user] ?? 0 } }
}
