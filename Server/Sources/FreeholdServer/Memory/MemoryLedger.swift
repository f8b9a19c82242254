import FreeholdSyncCore
import Synchronization

/// The bytes that a node keeps for its connections and requests, by kind and by user.
///
/// Each connection and each request has a ``MemoryAccount``. A user has a share: while all accounts of the user together keep more, nothing is
/// added to any of them. One piece, such as a message, may exceed the share. While the node keeps more than its bound, the share of each user is
/// the bound divided by the number of users, so that a user that keeps little goes on.
///
/// Any thread may use it.
final class MemoryLedger: Sendable {
    /// The kinds of bytes that are counted here. A session's and a stream's bytes are counted by the machine: see `SessionLedger`.
    enum Kind: Int, CaseIterable, Sendable {
        /// Messages that were read and that the machine hasn't handled.
        case messages
        /// Parts of messages that aren't complete.
        case fragments
        /// Bytes that were written and that the other side hasn't taken.
        case unsent
        /// Bodies of HTTP requests.
        case bodies
        /// Documents that HTTP requests have read.
        case documents
    }

    /// Sums of each kind.
    final class Tally: Sendable {
        private final class Sum: Sendable { let bytes = Atomic(0) }

        private let kinds = Kind.allCases.map { _ in Sum() }
        private let all = Sum()

        /// The sum of all kinds.
        var bytes: Int { all.bytes.load(ordering: .relaxed) }

        subscript(kind: Kind) -> Int { kinds[kind.rawValue].bytes.load(ordering: .relaxed) }

        func add(_ bytes: Int, of kind: Kind) {
            kinds[kind.rawValue].bytes.add(bytes, ordering: .relaxed)
            all.bytes.add(bytes, ordering: .relaxed)
        }
    }

    /// The node's sums.
    let node = Tally()
    private let limits: NodeLimits
    private let users = Mutex<[SyncString: (tally: Tally, accounts: Int)]>([:])
    /// The number of users that have accounts.
    private let userCount = Atomic(0)

    /// The share that a user has in any case.
    static let leastShare = 1 << 20

    init(_ limits: NodeLimits) { self.limits = limits }

    /// The bytes that a user's connections and requests may keep now.
    var share: Int {
        let usual = limits.userBytes / 2
        guard node.bytes > limits.nodeBytes else { return usual }
        let count = max(userCount.load(ordering: .relaxed), 1)
        return min(usual, max(limits.nodeBytes / count, Self.leastShare))
    }

    /// Returns the bytes that a user's accounts keep.
    func bytes(of user: SyncString) -> Int { users.withLock { $0[user]?.tally.bytes ?? 0 } }

    /// The bytes that the accounts of each user keep.
    var bytesOfUsers: [SyncString: Int] { users.withLock { $0.mapValues { $0.tally.bytes } } }

    fileprivate func enter(_ user: SyncString) -> Tally {
        users.withLock { users in
            if let known = users[user] {
                users[user] = (known.tally, known.accounts + 1)
                return known.tally
            }
            let tally = Tally()
            users[user] = (tally, 1)
            userCount.add(1, ordering: .relaxed)
            return tally
        }
    }

    fileprivate func leave(_ user: SyncString) {
        users.withLock { users in
            guard let known = users[user] else { return }
            users[user] = known.accounts > 1 ? (known.tally, known.accounts - 1) : nil
            if known.accounts == 1 { userCount.subtract(1, ordering: .relaxed) }
        }
    }
}

/// The bytes that a node keeps for one connection or one request. It gives them back when it is closed or released.
///
/// Any thread may use it.
final class MemoryAccount: Sendable {
    private struct State {
        var bytes = MemoryLedger.Kind.allCases.map { _ in 0 }
        var owner: (user: SyncString, tally: MemoryLedger.Tally)?
        var isClosed = false
    }

    private let ledger: MemoryLedger
    private let state = Mutex(State())

    init(_ ledger: MemoryLedger) { self.ledger = ledger }

    deinit { close() }

    /// Counts the account among those of a user from now on. What a user that isn't known keeps counts for the node only.
    func belong(to user: SyncString) {
        state.withLock { state in
            guard !state.isClosed, state.owner == nil else { return }
            let tally = ledger.enter(user)
            for kind in MemoryLedger.Kind.allCases { tally.add(state.bytes[kind.rawValue], of: kind) }
            state.owner = (user, tally)
        }
    }

    /// Replaces the bytes of a kind.
    ///
    /// - Returns: false if they are more than before, and the user already kept more than the share. They are counted in any case.
    @discardableResult
    func set(_ kind: MemoryLedger.Kind, to bytes: Int) -> Bool {
        state.withLock { set(kind, to: bytes, &$0) }
    }

    /// Adds bytes of a kind, or takes them away.
    ///
    /// - Returns: as `set(_:to:)`
    @discardableResult
    func add(_ bytes: Int, of kind: MemoryLedger.Kind) -> Bool {
        state.withLock { set(kind, to: $0.bytes[kind.rawValue] + bytes, &$0) }
    }

    private func set(_ kind: MemoryLedger.Kind, to bytes: Int, _ state: inout State) -> Bool {
        guard !state.isClosed else { return true }
        let change = max(bytes, 0) - state.bytes[kind.rawValue]
        state.bytes[kind.rawValue] += change
        let isAllowed = change <= 0 || state.owner.map { $0.tally.bytes <= ledger.share } ?? true
        state.owner?.tally.add(change, of: kind)
        ledger.node.add(change, of: kind)
        return isAllowed
    }

    /// The bytes of a kind that the account keeps.
    subscript(kind: MemoryLedger.Kind) -> Int { state.withLock { $0.bytes[kind.rawValue] } }

    /// Returns the bytes of a kind that all accounts of the user keep.
    func bytesOfUser(_ kind: MemoryLedger.Kind) -> Int {
        state.withLock { $0.owner?.tally[kind] ?? $0.bytes[kind.rawValue] }
    }

    /// A Boolean value that indicates whether the user keeps no more than the share.
    var isWithinShare: Bool { state.withLock { $0.owner?.tally.bytes ?? 0 } <= ledger.share }

    /// Gives all bytes back. Nothing is counted afterwards.
    func close() {
        state.withLock { state in
            guard !state.isClosed else { return }
            for kind in MemoryLedger.Kind.allCases { _ = set(kind, to: 0, &state) }
            if let owner = state.owner { ledger.leave(owner.user) }
            state.owner = nil
            state.isClosed = true
        }
    }
}
