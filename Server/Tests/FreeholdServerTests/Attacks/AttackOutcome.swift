import Foundation

/// The bounds that a server keeps for its honest users while it is attacked.
struct AttackBounds: Sendable {
    /// The factor by which the 99th percentile of an honest request's time may grow.
    var factor: Double
    /// The 99th percentile that is always allowed. Times below it depend on the scheduler.
    var floor: Duration
    /// The greatest 99th percentile. A log-in computes the hash of a password, and may take twice its quiet time.
    var ceiling: Duration
    /// The memory that each attacker may take, in bytes.
    var memory = 64 << 20
    /// The memory that all users share, in bytes: the objects that a node remembers. An attacker may fill this memory,
    /// and the node keeps it.
    var shared = 64 << 20
    /// The memory beside `shared` that may stay after the attackers left, in bytes. The allocator keeps it for reuse.
    var slack = 16 << 20
    /// The time within which everything is released.
    var release = Duration.seconds(60)
    /// The duration of the attack.
    var window: Duration

    /// The bounds of `docs/sync-security.md`, which hold for release builds.
    static let promised = AttackBounds(
        factor: 5,
        floor: .milliseconds(100),
        ceiling: .milliseconds(500),
        window: .seconds(10)
    )

    /// The bounds of debug builds, in which work takes about twenty times as long. An attack that stops the server for
    /// other users still exceeds these bounds.
    static let debug = AttackBounds(
        factor: 20,
        floor: .milliseconds(1_500),
        ceiling: .milliseconds(5_000),
        memory: 128 << 20,
        slack: 32 << 20,
        window: .seconds(5)
    )

    /// The bounds of the normal test run, in which other tests use the processor at the same time.
    static let short = AttackBounds(
        factor: 1_000,
        floor: .seconds(8),
        ceiling: .seconds(8),
        memory: 256 << 20,
        slack: 64 << 20,
        release: .seconds(20),
        window: .milliseconds(1_500)
    )

    /// Returns the greatest 99th percentile of a kind of requests.
    func limit(_ kind: HonestTraffic.Kind, quiet: Latencies) -> Duration {
        let quiet = quiet.p99
        let grown = max(quiet * factor, floor)
        return min(grown, kind == .logIn ? max(ceiling, quiet * 2) : ceiling)
    }
}

/// The effect of an attack on a server and its honest users.
struct AttackOutcome: Sendable {
    let name: String
    let attackers: Int
    let quiet: HonestTraffic.Times
    var attacked: HonestTraffic.Times = [:]
    var memoryBefore = 0
    var memoryPeak = 0
    var memoryAfter = 0
    var diskGrowth = 0
    /// The time until everything was released. `nil` if that took too long.
    var released: Duration?
    /// The times of honest users after the attackers left.
    var afterwards: HonestTraffic.Times = [:]

    /// Returns the figures that exceed the bounds, as texts.
    func problems(_ bounds: AttackBounds) -> [String] {
        var problems: [String] = []
        for kind in HonestTraffic.Kind.allCases {
            guard let quiet = quiet[kind], let times = attacked[kind] else { continue }
            let limit = bounds.limit(kind, quiet: quiet)
            if times.p99 > limit {
                problems.append("\(kind.rawValue): p99 \(Self.text(times.p99)), quiet \(Self.text(quiet.p99))")
            }
            // One request of a hundred may exceed a limit of a busy server.
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

    /// Returns the row of the times without an attack.
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
