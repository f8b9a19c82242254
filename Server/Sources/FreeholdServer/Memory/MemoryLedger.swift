import FreeholdSyncCore
import Synchronization

/// The memory that a node uses for its connections and requests, in bytes, by kind and by user.
///
/// Each connection and each request has a ``MemoryAccount``. A user has a share: while all accounts of the user
/// together use more, no further bytes are added to them. One piece, such as a message, may exceed the share. While the
/// node uses more than its limit, the share of each user is the limit divided by the number of users, so that users
/// with little memory can continue.
///
/// Any thread may use it.
final class MemoryLedger: Sendable {
    /// The kinds of bytes that are counted here. The machine counts the bytes of sessions and streams: see
    /// `SessionLedger`.
    enum Kind: Int, CaseIterable, Sendable {
        /// Messages that were read and that the machine hasn't handled yet.
        case messages
        /// Parts of incomplete messages.
        case fragments
        /// Bytes that were written and that the other side hasn't received yet.
        case unsent
        /// Bodies of HTTP requests.
        case bodies
        /// Documents that HTTP requests have read.
        case documents
    }

    /// The sums of each kind.
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

    /// The sums of the node.
    let node = Tally()
    private let limits: NodeLimits
    private let users = Mutex<[SyncString: (tally: Tally, accounts: Int)]>([:])
    /// The number of users with accounts.
    private let userCount = Atomic(0)

    /// The minimum share of a user, in bytes.
    static let leastShare = 1 << 20

    init(_ limits: NodeLimits) { self.limits = limits }

    /// The number of bytes that the connections and requests of a user may use now.
    var share: Int {
        let usual = limits.userBytes / 2
        guard node.bytes > limits.nodeBytes else { return usual }
        let count = max(userCount.load(ordering: .relaxed), 1)
        return min(usual, max(limits.nodeBytes / count, Self.leastShare))
    }

    /// Returns the number of bytes that a user's accounts use.
    func bytes(of user: SyncString) -> Int { users.withLock { $0[user]?.tally.bytes ?? 0 } }

    /// The number of bytes that the accounts of each user use.
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

/// The memory that a node uses for one connection or one request. It is released when the account is closed or
/// deinitialised.
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

    /// Assigns the account to a user. Before that, its bytes only count for the node.
    func belong(to user: SyncString) {
        state.withLock { state in
            guard !state.isClosed, state.owner == nil else { return }
            let tally = ledger.enter(user)
            for kind in MemoryLedger.Kind.allCases { tally.add(state.bytes[kind.rawValue], of: kind) }
            state.owner = (user, tally)
        }
    }

    /// Replaces the number of bytes of a kind.
    ///
    /// - Returns: `false` if the number has increased, and the user already used more than the share. The bytes are
    ///   counted in both cases.
    @discardableResult
    func set(_ kind: MemoryLedger.Kind, to bytes: Int) -> Bool {
        state.withLock { set(kind, to: bytes, &$0) }
    }

    /// Adds bytes of a kind. A negative number removes bytes.
    ///
    /// - Returns: `false` in the same case as `set(_:to:)`.
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

    /// The number of bytes of a kind that the account uses.
    subscript(kind: MemoryLedger.Kind) -> Int { state.withLock { $0.bytes[kind.rawValue] } }

    /// Returns the number of bytes of a kind that all accounts of the user use.
    func bytesOfUser(_ kind: MemoryLedger.Kind) -> Int {
        state.withLock { $0.owner?.tally[kind] ?? $0.bytes[kind.rawValue] }
    }

    /// A Boolean value that indicates whether the user uses at most the share.
    var isWithinShare: Bool { state.withLock { $0.owner?.tally.bytes ?? 0 } <= ledger.share }

    /// Releases all bytes. No bytes are counted afterwards.
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
