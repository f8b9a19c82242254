/// The size of the data that a node keeps for its sessions, in bytes: by kind, by user and by app.
///
/// Sizes are estimates. A session's size is calculated again after each change of the session, in constant time.
public struct SessionLedger: Sendable {
    public enum Kind: Int, CaseIterable, Sendable {
        /// The data of the client's bind, the names of requested objects, and the session itself.
        case binds
        /// Conditions in text and compiled form.
        case queries
        /// Commits that weren't answered, and parts of commits.
        case uploads
        /// Messages that are sent in parts, and messages that wait for them.
        case downloads
        /// Objects that were requested from the store.
        case pages
    }

    /// The size of each kind of data, in bytes, in the order of the kinds.
    public private(set) var kinds = Kind.allCases.map { _ in 0 }
    public private(set) var users: [SyncString: Int] = [:]
    /// The part of each user's size that is reserved for answers of the store.
    private(set) var reserved: [SyncString: Int] = [:]
    public private(set) var apps: [SyncString: Int] = [:]
    /// The sum of all kinds.
    public private(set) var bytes = 0
    /// The maximum size of the data for all sessions of one user, in bytes.
    let share: Int
    /// The number of users whose sessions keep more than the share.
    private(set) var usersOverShare = 0

    init(share: Int = .max) { self.share = share }

    public subscript(kind: Kind) -> Int { kinds[kind.rawValue] }

    /// Replaces the bytes of a session.
    mutating func replace(_ old: SessionBytes, by new: SessionBytes, of user: SyncString, _ app: SyncString) {
        for kind in Kind.allCases { kinds[kind.rawValue] += new[kind] - old[kind] }
        let change = new.sum - old.sum
        bytes += change
        let before = users[user] ?? 0
        users[user] = before + change == 0 ? nil : before + change
        if new.pages != old.pages {
            let pages = (reserved[user] ?? 0) + new.pages - old.pages
            reserved[user] = pages == 0 ? nil : pages
        }
        usersOverShare += (before + change > share ? 1 : 0) - (before > share ? 1 : 0)
        apps[app, default: 0] += change
        if apps[app] == 0 { apps[app] = nil }
    }
}

/// The size of the data for one session, in bytes, by kind.
struct SessionBytes: Hashable, Sendable {
    var binds = 0
    var queries = 0
    var uploads = 0
    var downloads = 0
    var pages = 0

    /// The minimum size of a session, which has no messages and no queries.
    static let least = 4 << 10

    var sum: Int { binds + queries + uploads + downloads + pages }

    subscript(kind: SessionLedger.Kind) -> Int {
        switch kind {
        case .binds: binds
        case .queries: queries
        case .uploads: uploads
        case .downloads: downloads
        case .pages: pages
        }
    }
}

extension Session {
    /// The bytes that the node keeps for the session.
    ///
    /// - Complexity: O(1)
    var bytes: SessionBytes {
        var bytes = SessionBytes()
        bytes.binds = SessionBytes.least + bindBytes + heldBytes + fetches.bytes
        // The text and the compiled form, for the present query set and the next one.
        bytes.queries = queryBytes * 8
        bytes.uploads = Int(clamping: uploadDebt) + heavyBytes
        bytes.downloads = outboxBytes
        switch state {
        case .bootstrap(let bootstrap) where bootstrap.isAsked: bytes.pages = ObjectPage.mostBytes
        case .catchingUp: bytes.pages = StreamStep.mostBytes
        default: break
        }
        if case .bootstrap(let bootstrap) = state { bytes.downloads += Int(clamping: bootstrap.waitingBytes) }
        if isFetching { bytes.pages += ObjectPage.mostBytes }
        return bytes
    }
}

extension ServerMachine {
    /// The sizes of the data that the node keeps for sessions.
    public var sessionLedger: SessionLedger { sessions.ledger }

    /// The size of the objects that are remembered for merges, and of the steps of other nodes that are being sent, in bytes.
    public var rememberedBytes: Int { streams.values.reduce(0) { $0 + $1.weights.bytes + $1.stepBytes } }

    /// Returns whether the store may be read for the sessions of a user: whether their data, and the size that is reserved for answers of the store,
    /// is within the user's share.
    ///
    /// While all sessions keep more than the node's bound, the share is the bound divided by the number of users.
    func isWithinShare(_ user: SyncString) -> Bool { isWithinShare(user, leavingOut: [:]) }

    /// Returns whether a user may send more data: whether the data of the user's sessions is within the user's share, without the size that is
    /// reserved for answers of the store. The reserved size isn't counted, because the machine itself decides when it reads. The reads of many
    /// sessions can fill the share, and must not end a session.
    func mayKeepMore(_ user: SyncString) -> Bool { isWithinShare(user, leavingOut: sessions.ledger.reserved) }

    private func isWithinShare(_ user: SyncString, leavingOut reserved: [SyncString: Int]) -> Bool {
        let isFull = sessions.ledger.bytes > configuration.nodeBytes
        guard isFull || sessions.ledger.usersOverShare > 0 else { return true }
        let count = max(sessions.ledger.users.count, 1)
        let part = isFull ? max(configuration.nodeBytes / count, 256 << 10) : .max
        let bytes = (sessions.ledger.users[user] ?? 0) - (reserved[user] ?? 0)
        return bytes <= min(sessions.ledger.share, part)
    }

    /// Ends a session because the sessions of its user keep too many bytes.
    mutating func endOverShare(_ key: SessionKey) {
        end(key, .transient(after: 10_000), "The user's sessions keep too much.")
    }

    /// Continues the waiting sessions of users that are within their share again.
    mutating func resumeStalled() {
        guard !stalled.isEmpty else { return }
        // While the node is full, many users may wait.
        let isFull = sessions.ledger.bytes > configuration.nodeBytes
        // A later time than the pause permits shows that the node's clock was set back.
        let pause: Int64 = 100
        guard !isFull || callersNow >= nextRelief || nextRelief - callersNow > pause else { return }
        if isFull { nextRelief = callersNow &+ pause }
        for user in stalled.sorted() where isWithinShare(user) {
            stalled.remove(user)
            for key in sessions.keys(of: user) { pump(key) }
        }
    }
}

extension ObjectName {
    /// The estimated size of the name in memory, in bytes.
    var estimatedBytes: Int {
        if case .string(let text) = key { 64 + text.string.utf8.count } else { 64 }
    }
}
