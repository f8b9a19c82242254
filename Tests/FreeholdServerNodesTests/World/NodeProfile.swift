@testable import FreeholdServerNodes
@testable import FreeholdSyncCore

/// The faults of a world of nodes, and the rules that a test breaks in it.
struct NodeProfile: Sendable {
    enum Fault: Hashable, CaseIterable, Sendable {
        /// The process ends at once, and starts again.
        case kill
        /// The process is stopped, and continues.
        case pause
        /// Two nodes can't reach each other.
        case cutNodes
        /// A node can't reach the store.
        case cutStore
        /// The node's wall clock jumps.
        case jumpClock
        /// A node drains and starts again.
        case drain
        /// All nodes drain and start again, one after the other.
        case rollingRestart
        /// A connection of a client ends.
        case dropClient
        /// A client with an empty file connects.
        case newClient
        /// A connection between nodes ends.
        case dropLink
        /// A standby that has everything takes over.
        case failOver
        /// A standby that lacks transactions takes over.
        case failOverStale
        /// A standby that lacks transactions takes over, and the old primary continues for some nodes.
        case failOverZombie
    }

    var name: String
    var faults: [Fault: Int] = [:]
    /// How many of a hundred requests to the store are lost before they are executed, after that, or execute after they counted as lost.
    var lostRequests = 0
    /// How many of a hundred messages between nodes are lost or repeated in an open connection.
    var badFrames = 0
    /// How many of a hundred answers of the store arrive later than those to later requests.
    var lateAnswers = 10
    /// The virtual time with faults, and the mean time between two faults, in milliseconds.
    var duration: Int64 = 4_000
    var pace: Int64 = 700
    /// The mean time between two transactions of a client, in milliseconds.
    var work: Int64 = 250
    var submissions = 0
    /// The greatest number of transactions that a standby lacks.
    var lag = 20
    /// The most bytes of a step that is sent over a link.
    var stepBytes = StreamStep.mostBytes
    var broken: Set<NodeRule> = []
    var brokenServer: Set<BrokenRule> = []

    var canLoseHistory: Bool { (faults[.failOverStale] ?? 0) + (faults[.failOverZombie] ?? 0) > 0 }

    /// A Boolean value that indicates whether nodes only drain, and nothing else fails.
    var onlyDrains: Bool {
        lostRequests == 0 && badFrames == 0
            && faults.keys.allSatisfy { [.drain, .rollingRestart, .dropClient].contains($0) }
    }

    static let all: [NodeProfile] = [
        NodeProfile(name: "calm", faults: [.dropClient: 1], pace: 2_000, submissions: 20),
        NodeProfile(name: "crash", faults: [.kill: 4, .dropClient: 1], lostRequests: 1),
        NodeProfile(name: "pause", faults: [.pause: 4, .kill: 1], lostRequests: 1),
        NodeProfile(name: "partition", faults: [.cutNodes: 4, .cutStore: 2, .dropLink: 2, .dropClient: 2]),
        NodeProfile(
            name: "lost",
            faults: [.dropLink: 1, .dropClient: 1, .kill: 1],
            lostRequests: 12,
            lateAnswers: 30,
            submissions: 10
        ),
        NodeProfile(name: "frames", faults: [.dropLink: 2, .dropClient: 1], badFrames: 3, stepBytes: 2_000),
        NodeProfile(name: "drain", faults: [.drain: 3, .rollingRestart: 1, .dropClient: 1], submissions: 10),
        NodeProfile(name: "rolling restart", faults: [.rollingRestart: 1], pace: 1_500, work: 120),
        NodeProfile(name: "jump", faults: [.jumpClock: 4, .kill: 1, .dropLink: 1, .dropClient: 1]),
        NodeProfile(name: "failover", faults: [.failOver: 3, .kill: 1, .cutNodes: 1], lostRequests: 3),
        NodeProfile(
            name: "stale",
            faults: [.failOverStale: 3, .kill: 1, .dropClient: 2, .newClient: 2],
            lostRequests: 1
        ),
        NodeProfile(name: "zombie", faults: [.failOverZombie: 3, .dropClient: 4, .cutNodes: 1]),
        NodeProfile(
            name: "all",
            faults: [
                .kill: 3, .pause: 2, .cutNodes: 2, .cutStore: 1, .jumpClock: 2, .drain: 1, .dropClient: 2, .dropLink: 2,
                .failOver: 1,
            ],
            lostRequests: 4,
            badFrames: 1,
            lateAnswers: 20,
            submissions: 5
        ),
        NodeProfile(
            name: "all, stale",
            faults: [
                .kill: 3, .pause: 2, .cutNodes: 2, .cutStore: 1, .jumpClock: 1, .drain: 1, .dropClient: 3, .dropLink: 2,
                .failOver: 1, .failOverStale: 2, .failOverZombie: 2, .newClient: 2,
            ],
            lostRequests: 3,
            lateAnswers: 20
        ),
    ]

    static func named(_ name: String) -> NodeProfile { all.first { $0.name == name }! }
}
