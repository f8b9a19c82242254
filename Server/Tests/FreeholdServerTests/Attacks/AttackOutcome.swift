import Foundation

/// What a server owes its honest users while it is attacked.
struct AttackBounds: Sendable {
    /// The factor by which the 99th percentile of an honest request may grow.
    var factor: Double
    /// The time that the 99th percentile may have without regard to the quiet value: below it, the scheduler decides.
    var floor: Duration
    /// The most that the 99th percentile may be. A log-in, which costs a password's hash, may take twice its quiet value.
    var ceiling: Duration
    /// The memory that each attacker may take, in bytes.
    var memory = 64 << 20
    /// The memory that all users share, in bytes: the objects that a node remembers. An attacker may fill it, and it stays.
    var shared = 64 << 20
    /// The memory that may stay beside that after the attackers left, in bytes: what the allocator keeps to use it again.
    var slack = 16 << 20
    /// The time after which everything is released.
    var release = Duration.seconds(60)
    /// How long the attackers attack.
    var window: Duration

    /// The bounds of `docs/sync-security.md`, which hold for release builds.
    static let promised = AttackBounds(
        factor: 5,
        floor: .milliseconds(100),
        ceiling: .milliseconds(500),
        window: .seconds(10)
    )

    /// The bounds of debug builds, whose work takes some twenty times as long. An attack that stops the server for other
    /// users still exceeds them.
    static let debug = AttackBounds(
        factor: 20,
        floor: .milliseconds(1_500),
        ceiling: .milliseconds(5_000),
        memory: 128 << 20,
        slack: 32 << 20,
        window: .seconds(5)
    )

    /// The bounds of the usual run of the tests, beside which other tests use the processor.
    static let short = AttackBounds(
        factor: 1_000,
        floor: .seconds(8),
        ceiling: .seconds(8),
        memory: 256 << 20,
        slack: 64 << 20,
        release: .seconds(20),
        window: .milliseconds(1_500)
    )

    /// Returns the most that the 99th percentile of a kind of requests may be.
    func limit(_ kind: HonestTraffic.Kind, quiet: Latencies) -> Duration {
        let quiet = quiet.p99
        let grown = max(quiet * factor, floor)
        return min(grown, kind == .logIn ? max(ceiling, quiet * 2) : ceiling)
    }
}

/// What an attack did to a server and its honest users.
struct AttackOutcome: Sendable {
    let name: String
    let attackers: Int
    let quiet: HonestTraffic.Times
    var attacked: HonestTraffic.Times = [:]
    var memoryBefore = 0
    var memoryPeak = 0
    var memoryAfter = 0
    var diskGrowth = 0
    /// The time until everything was released, or `nil` if that took too long.
    var released: Duration?
    /// What honest users found after the attackers left.
    var afterwards: HonestTraffic.Times = [:]

    /// Returns what is worse than the bounds, and by how much.
    func problems(_ bounds: AttackBounds) -> [String] {
        var problems: [String] = []
        for kind in HonestTraffic.Kind.allCases {
            guard let quiet = quiet[kind], let times = attacked[kind] else { continue }
            let limit = bounds.limit(kind, quiet: quiet)
            if times.p99 > limit {
                problems.append("\(kind.rawValue): p99 \(Self.text(times.p99)), quiet \(Self.text(quiet.p99))")
            }
            // One of a hundred may meet a limit of a server that is busy.
            if times.failed * 100 > times.count {
                problems.append("\(kind.rawValue): \(times.failed) of \(times.count) failed, \(times.failures)")
            }
            if let later = afterwards[kind], later.failed == later.count {
                problems.append("\(kind.rawValue): fails after the attackers left, \(later.failures)")
            }
        }
        let grown = memoryPeak - memoryBefore
        if grown > bounds.memory * attackers + bounds.shared { problems.append("memory grew by \(grown >> 20) MiB") }
        if released == nil {
            problems.append("not released: \((memoryAfter - memoryBefore) >> 20) MiB after \(bounds.release)")
        }
        return problems
    }

    // MARK: The table

    static let header: String = {
        let kinds = HonestTraffic.Kind.allCases.map { column("\($0.rawValue): p50, p99, failed", 32) }
        let titles =
            [column("attack", 44)] + kinds + [column("MiB before, peak, after", 24), column("disk MiB", 9), "released"]
        return titles.joined(separator: " | ")
    }()

    /// Returns the row of the quiet server.
    var quietRow: String {
        ([Self.column("(quiet)", 44)] + HonestTraffic.Kind.allCases.map { Self.figures(quiet[$0]) }).joined(
            separator: " | "
        )
    }

    var row: String {
        let kinds = HonestTraffic.Kind.allCases.map { Self.figures(attacked[$0]) }
        let memory = [memoryBefore, memoryPeak, memoryAfter].map { "\($0 >> 20)" }.joined(separator: ", ")
        let rest = [
            Self.column(memory, 24), Self.column("\(diskGrowth >> 20)", 9), released.map(Self.text) ?? "no",
        ]
        return ([Self.column(name, 44)] + kinds + rest).joined(separator: " | ")
    }

    private static func figures(_ times: Latencies?) -> String {
        guard let times else { return column("", 32) }
        return column("\(text(times.median)), \(text(times.p99)), \(times.failed)/\(times.count)", 32)
    }

    private static func text(_ time: Duration) -> String {
        let milliseconds = time.milliseconds
        return milliseconds < 10
            ? String(format: "%.1f ms", milliseconds)
            : milliseconds < 10_000 ? "\(Int(milliseconds)) ms" : "\(Int(milliseconds / 1_000)) s"
    }

    private static func column(_ text: String, _ width: Int) -> String {
        text.padding(toLength: max(width, text.count), withPad: " ", startingAt: 0)
    }
}
