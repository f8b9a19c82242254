import Foundation
import FreeholdEngine

/// The commits that a session has received, with the times at which it received them.
struct SeenCommits {
    private struct Seen {
        let version: UInt64
        let at: Int64
    }

    private static let most = 1_000
    /// The least time between two pushes, in milliseconds.
    private static let pushInterval: Int64 = 250

    private var seen: [Seen] = []
    private var own: Set<UInt64> = []
    private var first: UInt64 = 0
    private var lastPush: Int64 = 0

    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    /// The time at which the newest commit was received, in milliseconds since 1970.
    var newest: Int64? { seen.last?.at }

    mutating func begin(at version: UInt64) { first = version }

    /// Adds the commits after one version up to another.
    mutating func add(_ records: [ChangeRecord]?, from old: UInt64, to new: UInt64) {
        let now = Self.now
        let oldest = new > UInt64(Self.most) ? max(old, new - UInt64(Self.most)) : old
        for version in (oldest + 1)...max(new, oldest + 1) where version <= new {
            seen.append(Seen(version: version, at: now))
        }
        if seen.count > Self.most { seen.removeFirst(seen.count - Self.most) }
    }

    mutating func noteOwn(_ version: UInt64) { own.insert(version) }
    func isOwn(_ version: UInt64) -> Bool { own.contains(version) }
    func time(of version: UInt64) -> Int64? { seen.last { $0.version == version }?.at }

    /// Returns the push about new commits, unless the last push was just sent.
    mutating func push() -> StudioJSON? {
        let now = Self.now
        guard let newest = seen.last, now - lastPush >= Self.pushInterval else { return nil }
        lastPush = now
        let rate = seen.reversed().prefix { now - $0.at < 1_000 }.count
        return ["push": "commits", "newest": .int(newest.version), "at": .int(newest.at), "rate": .int(rate)]
    }
}
