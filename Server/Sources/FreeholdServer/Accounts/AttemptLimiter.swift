import Crypto
import Foundation
import Synchronization

/// Counts attempts to log in, and the like: by account and by address (of IPv6: by network).
///
/// Nothing is forgotten before its time, so that strangers can't push an account out of a memory that is bounded. While the memory is full,
/// those who aren't in it share what attempts there are: then too many are refused, never too few.
final class AttemptLimiter: Sendable {
    struct Limits: Hashable, Sendable {
        var perAccount = 10
        var perAddress = 60
        var window: TimeInterval = 300
        /// How many accounts are remembered, and how many addresses.
        var entries = 100_000
        /// Among how many counts the others are spread.
        var shared = 4_096
    }

    private let limits: Limits
    private let now: @Sendable () -> Date
    private let tables: Mutex<(accounts: AttemptTable, addresses: AttemptTable)>

    init(_ limits: Limits = Limits(), now: @escaping @Sendable () -> Date) {
        (self.limits, self.now) = (limits, now)
        let accounts = AttemptTable(limits, most: limits.perAccount, isPushed: true)
        let addresses = AttemptTable(limits, most: limits.perAddress, isPushed: false)
        tables = Mutex((accounts, addresses))
    }

    /// Counts before the work is done: attempts at once count, too.
    ///
    /// - Throws: `AccountError.tooMany`
    func attempt(account: String?, address: String) throws {
        let (now, group) = (now().timeIntervalSinceReferenceDate, AddressGroup.name(of: address))
        let crowd = AddressGroup.crowd(of: address)
        let isTaken = tables.withLock { tables in
            guard tables.addresses.take(group, crowd: crowd, now) else { return false }
            return account.map { tables.accounts.take($0, crowd: $0, now) } ?? true
        }
        guard isTaken else { throw AccountError.tooMany }
    }

    /// The account's attempts are forgotten: somebody knew the password.
    func succeeded(account: String) { tables.withLock { $0.accounts.forget(account) } }

    /// Counts that are kept.
    var remembered: Int { tables.withLock { $0.accounts.remembered + $0.addresses.remembered } }
}

/// Counts of one kind of name.
private struct AttemptTable {
    /// Of a name, which may be long.
    private struct Key: Hashable {
        let high: UInt64
        let low: UInt64
    }

    private struct Count {
        var attempts = 0
        /// When all are forgiven.
        var end: TimeInterval = 0

        mutating func take(_ most: Int, _ window: TimeInterval, isPushed: Bool, _ now: TimeInterval) -> Bool {
            // Set back, a clock would lock for longer.
            end = min(end, now + window)
            if end <= now { self = Count(end: now + window) }
            guard attempts < most else { return false }
            attempts += 1
            if isPushed { end = now + window }
            return true
        }
    }

    private let limits: AttemptLimiter.Limits
    private let most: Int
    /// Whether attempts are forgiven a window after the last one; else a window after the first. The first keeps what a password takes exact,
    /// the second doesn't lock an office out that logs in all day.
    private let isPushed: Bool
    private var counts: [Key: Count] = [:]
    private var shared: [Int: Count] = [:]
    /// Before then it isn't worth the time to look for what is over.
    private var nextLook: TimeInterval = 0
    /// Nobody outside knows which names share a count.
    private let secret = SymmetricKey(size: .bits256)

    init(_ limits: AttemptLimiter.Limits, most: Int, isPushed: Bool) {
        (self.limits, self.most, self.isPushed) = (limits, most, isPushed)
    }

    var remembered: Int { counts.count + shared.count }

    /// - Parameter crowd: whose attempts are counted together while the memory is full.
    mutating func take(_ name: String, crowd: String, _ now: TimeInterval) -> Bool {
        let (key, most, window, isPushed) = (key(name), most, limits.window, isPushed)
        if counts[key] == nil { makeRoom(now) }
        if counts[key] != nil { return counts[key, default: Count()].take(most, window, isPushed: isPushed, now) }
        let place = Int(self.key(crowd).low % UInt64(max(limits.shared, 1)))
        if counts.count < limits.entries {
            // What it had of a shared count while there was no room stays taken.
            return counts[key, default: shared[place] ?? Count()].take(most, window, isPushed: isPushed, now)
        }
        return shared[place, default: Count()].take(most, window, isPushed: isPushed, now)
    }

    /// A shared count stays: others have a part in it.
    mutating func forget(_ name: String) { counts[key(name)] = nil }

    private mutating func makeRoom(_ now: TimeInterval) {
        guard counts.count >= limits.entries, now >= nextLook || nextLook > now + 2 else { return }
        nextLook = now + 1
        counts = counts.filter { $0.value.end > now }
        shared = shared.filter { $0.value.end > now }
    }

    private func key(_ name: String) -> Key {
        let code = HMAC<SHA256>.authenticationCode(for: Array(name.utf8), using: secret)
        return code.withUnsafeBytes { bytes in
            Key(
                high: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                low: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
        }
    }
}
