import Foundation
import Synchronization

/// Counts attempts to log in, to register and to have mails sent, and refuses more than a limit in five minutes.
///
/// It counts by account and by address; an IPv6 address counts for its network. An attempt that is refused for its account
/// still counts for its address.
final class AttemptLimiter: Sendable {
    struct Limits: Hashable, Sendable {
        var perAccount = 10
        var perAddress = 60
        var window: TimeInterval = 300
        /// How many accounts and addresses are remembered. If there are more, the oldest are forgotten.
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

    /// To be called before the work is done. So attempts that run at the same time count, too.
    ///
    /// - Throws: `AccountError.tooMany`. Such an attempt doesn't count for what refused it.
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

    /// Forgets the account's attempts, because one of them had the right password. Those of the address stay.
    func succeeded(account: String) { counts.withLock { $0[account] = nil } }

    /// Forgets what is over, and a quarter of the rest if that isn't enough.
    private func forget(_ counts: inout [String: Count], _ now: Date) {
        counts = counts.filter { $0.value.end > now }
        guard counts.count >= limits.entries else { return }
        let oldest = counts.sorted { $0.value.end < $1.value.end }.prefix(limits.entries / 4)
        for (name, _) in oldest { counts[name] = nil }
    }
}
