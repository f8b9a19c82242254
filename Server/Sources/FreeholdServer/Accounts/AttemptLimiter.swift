import Crypto
package import Foundation
import Synchronization

/// A limiter of log-ins and similar attempts. It counts them by account and by address. For IPv6, it counts them by
/// network.
///
/// No count is removed before its time has passed, so that strangers can't push the count of an account out of the
/// bounded memory. While the memory is full, new names share counts. Too many attempts are refused then, and never too
/// few.
package final class AttemptLimiter: AttemptCounting {
    package struct Limits: Hashable, Sendable {
        package var perAccount = 10
        package var perAddress = 60
        package var window: TimeInterval = 300
        /// The maximum number of accounts with a count, and of addresses with a count.
        var entries = 100_000
        /// The number of shared counts.
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

    /// Counts an attempt. It is called before the work of the attempt, so that simultaneous attempts count as well.
    ///
    /// - Throws: `AccountError.tooMany`
    package func attempt(account: String?, address: String) throws {
        let (now, group) = (now().timeIntervalSinceReferenceDate, AddressGroup.name(of: address))
        let crowd = AddressGroup.crowd(of: address)
        let isTaken = tables.withLock { tables in
            guard tables.addresses.take(group, crowd: crowd, now) else { return false }
            return account.map { tables.accounts.take($0, crowd: $0, now) } ?? true
        }
        guard isTaken else { throw AccountError.tooMany }
    }

    /// Removes the count of an account after a log-in with the right password.
    package func succeeded(account: String) { tables.withLock { $0.accounts.forget(account) } }

    /// The number of counts in memory.
    var remembered: Int { tables.withLock { $0.accounts.remembered + $0.addresses.remembered } }
}

/// The counts of one kind of name.
private struct AttemptTable {
    /// The hash of a name, because names may be long.
    private struct Key: Hashable {
        let high: UInt64
        let low: UInt64
    }

    private struct Count {
        var attempts = 0
        /// The time at which the count ends.
        var end: TimeInterval = 0

        mutating func take(_ most: Int, _ window: TimeInterval, isPushed: Bool, _ now: TimeInterval) -> Bool {
            // If the clock is set back, the count must not last longer than a window.
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
    /// A Boolean value that indicates whether a count ends one window after the last attempt. Otherwise it ends one
    /// window after the first attempt. The former limits guesses of a password exactly. The latter doesn't lock out an
    /// office with log-ins all day.
    private let isPushed: Bool
    private var counts: [Key: Count] = [:]
    private var shared: [Int: Count] = [:]
    /// The time before which ended counts aren't searched again.
    private var nextLook: TimeInterval = 0
    /// A random key, so that clients don't know which names share a count.
    private let secret = SymmetricKey(size: .bits256)

    init(_ limits: AttemptLimiter.Limits, most: Int, isPushed: Bool) {
        (self.limits, self.most, self.isPushed) = (limits, most, isPushed)
    }

    var remembered: Int { counts.count + shared.count }

    /// - Parameter crowd: The group whose attempts are counted together while the memory is full.
    mutating func take(_ name: String, crowd: String, _ now: TimeInterval) -> Bool {
        let (key, most, window, isPushed) = (key(name), most, limits.window, isPushed)
        if counts[key] == nil { makeRoom(now) }
        if counts[key] != nil { return counts[key, default: Count()].take(most, window, isPushed: isPushed, now) }
        let place = Int(self.key(crowd).low % UInt64(max(limits.shared, 1)))
        if counts.count < limits.entries {
            // Attempts in a shared count, from the time when the memory was full, still count.
            return counts[key, default: shared[place] ?? Count()].take(most, window, isPushed: isPushed, now)
        }
        return shared[place, default: Count()].take(most, window, isPushed: isPushed, now)
    }

    /// Removes the count of a name. A shared count stays, because it belongs to other names as well.
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
