import Foundation
import Synchronization

/// Counts attempts to log in, and the like: by account and by address (of IPv6: by network), in windows of five minutes.
final class AttemptLimiter: Sendable {
    struct Limits: Hashable, Sendable {
        var perAccount = 10
        var perAddress = 60
        var window: TimeInterval = 300
        /// What is remembered. More is forgotten, the oldest first.
        var entries = 20_000
    }

    private struct Count {
        var attempts = 0
        let end: Date
    }

    private let limits: Limits
    private let now: @Sendable () -> Date
    private let counts = Mutex<[String: Count]>([:])

    init(_ limits: Limits = Limits(), now: @escaping @Sendable () -> Date) { (self.limits, self.now) = (limits, now) }

    /// Counts before the work is done: attempts at once count, too.
    ///
    /// - Throws: `AccountError.tooMany`
    func attempt(account: String?, address: String) throws {
        let (now, group) = (now(), AddressGroup.name(of: address))
        try counts.withLock { counts in
            if counts.count >= limits.entries { forget(&counts, now) }
            let names = [("address/" + group, limits.perAddress)] + (account.map { [($0, limits.perAccount)] } ?? [])
            for (name, limit) in names {
                var count = counts[name] ?? Count(end: now.addingTimeInterval(limits.window))
                if count.end <= now { count = Count(end: now.addingTimeInterval(limits.window)) }
                guard count.attempts < limit else { throw AccountError.tooMany }
                count.attempts += 1
                counts[name] = count
            }
        }
    }

    /// The account's attempts are forgotten: somebody knew the password.
    func succeeded(account: String) { counts.withLock { $0[account] = nil } }

    private func forget(_ counts: inout [String: Count], _ now: Date) {
        counts = counts.filter { $0.value.end > now }
        guard counts.count >= limits.entries else { return }
        let oldest = counts.sorted { $0.value.end < $1.value.end }.prefix(limits.entries / 4)
        for (name, _) in oldest { counts[name] = nil }
    }
}
