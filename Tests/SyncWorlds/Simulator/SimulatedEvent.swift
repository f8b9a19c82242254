@testable import FreeholdSyncCore

/// One thing that happens in a simulated world. All that is random in it comes from its own seed, so a script can lose events and the others stay
/// what they are.
struct SimulatedEvent: CustomStringConvertible, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        // Clients.
        case commit, notify, subscribe, wait, suspend, resume, crash, restart, jumpClock
        // The network: messages of one client, and connections.
        case up, down, drop, dropAfterUpload, cut
        // Nodes and their store.
        case answer, answerLate, loseAnswer, failStore, kill, timers, hint, jumpNode
        // Time and upkeep.
        case pass, passDays, trim
        // What people do with files and stores.
        case copyFile, backUpFile, restoreFile, backUpStore, restoreStore, promoteStandby
        // Administration: a user gets another role; nodes are notified.
        case changeRole, hearOfRoles
        // A program without a file has changes done.
        case submit
        // Several nodes: a step of another node arrives, the store answers a request later than others, and goes back while nodes work.
        case link, hold, release, goBack
    }

    let kind: Kind
    let client: Int
    let seed: UInt64
    var description: String { "\(kind.rawValue) \(client) \(seed)" }

    init(_ kind: Kind, _ client: Int, _ seed: UInt64) { (self.kind, self.client, self.seed) = (kind, client, seed) }
}

/// What kind of world a seed makes. Most invariants hold in all of them, some only where nothing can break them rightfully.
struct SimulatedProfile: Sendable {
    enum Work: Sendable {
        /// All kinds of edits.
        case everything
        /// Values that are never given twice to two properties: nothing may flicker.
        case fields
        /// Inserts, removals and moves: none lost, none doubled.
        case elements
        /// Links to existing, deleted and missing objects: none lost, none doubled, none removed by an author that
        /// didn't see it.
        case links
        /// Increments: each counts once.
        case counters
        /// Objects of a class that takes new objects only.
        case asymmetric
    }

    var name: String
    var work: Work
    var weights: [SimulatedEvent.Kind: Int]
    var refusals = 0
    var refusesWhole = false
    /// A rule of the app that a test gives.
    var forbids: (@Sendable (FileIdent, Commit, ObjectName) -> Bool)?
    var queries = false
    /// Users have roles, which change.
    var hasRoles = false
    /// Every second client's app is of another version of the schema.
    var hasVersions = false
    /// Small messages, windows and chunks.
    var isNarrow = false
    /// The merge is compared with the oracle.
    var hasOracle = false
    /// The number of objects at the beginning.
    var objects = 1
    var steps = 300
    var clients = 3
    /// A test says what happens; nothing happens by itself.
    var isScripted = false
    /// Sessions are always live: no event makes more than one of them read.
    var readsOnce = false
    /// Rules that a test breaks.
    var broken: Set<BrokenRule> = []

    static let usual: [SimulatedEvent.Kind: Int] = [
        .commit: 24, .notify: 6, .up: 20, .down: 20, .answer: 26, .timers: 6, .hint: 5, .pass: 2, .wait: 1,
    ]
    static let rough: [SimulatedEvent.Kind: Int] = [
        .crash: 3, .restart: 1, .jumpClock: 1, .drop: 2, .dropAfterUpload: 1, .cut: 1, .suspend: 1, .resume: 1,
    ]
    static let failing: [SimulatedEvent.Kind: Int] = [
        .answerLate: 3, .loseAnswer: 2, .failStore: 2, .kill: 1, .jumpNode: 1,
    ]

    static func weights(_ parts: [SimulatedEvent.Kind: Int]...) -> [SimulatedEvent.Kind: Int] {
        parts.reduce(into: [:]) { sum, part in sum.merge(part) { $0 + $1 } }
    }

    static let all = usualProfiles + severalNodes

    private static let usualProfiles: [SimulatedProfile] = [
        SimulatedProfile(name: "calm", work: .everything, weights: usual, hasOracle: true),
        SimulatedProfile(name: "rough", work: .everything, weights: weights(usual, rough), hasOracle: true),
        SimulatedProfile(name: "failing", work: .everything, weights: weights(usual, failing), hasOracle: true),
        SimulatedProfile(
            name: "narrow",
            work: .everything,
            weights: weights(usual, rough, failing),
            queries: true,
            isNarrow: true,
            hasOracle: true
        ),
        SimulatedProfile(
            name: "refusing",
            work: .everything,
            weights: weights(usual, rough),
            refusals: 15,
            isNarrow: true,
            hasOracle: true
        ),
        SimulatedProfile(
            name: "refusing whole commits",
            work: .everything,
            weights: weights(usual, rough),
            refusals: 10,
            refusesWhole: true,
            hasOracle: true
        ),
        SimulatedProfile(name: "fields", work: .fields, weights: weights(usual, rough, failing), isNarrow: true),
        SimulatedProfile(name: "elements", work: .elements, weights: weights(usual, rough, failing)),
        SimulatedProfile(
            name: "elements, cut logs",
            work: .elements,
            weights: weights(usual, rough, [.passDays: 4, .trim: 4, .suspend: 3, .resume: 1])
        ),
        SimulatedProfile(
            name: "everything, cut logs",
            work: .everything,
            weights: weights(usual, rough, [.passDays: 4, .trim: 4, .suspend: 3, .resume: 1, .submit: 5]),
            queries: true
        ),
        SimulatedProfile(
            name: "elements, copied files",
            work: .elements,
            weights: weights(usual, rough, [.copyFile: 2, .backUpFile: 2, .restoreFile: 2])
        ),
        SimulatedProfile(
            name: "everything, copied files",
            work: .everything,
            weights: weights(usual, rough, failing, [.copyFile: 2, .backUpFile: 2, .restoreFile: 2])
        ),
        SimulatedProfile(
            name: "counters, copied files",
            work: .counters,
            weights: weights(usual, rough, failing, [.copyFile: 2, .backUpFile: 2, .restoreFile: 2])
        ),
        SimulatedProfile(
            name: "counters, submissions",
            work: .counters,
            weights: weights(usual, rough, failing, [.submit: 10])
        ),
        SimulatedProfile(
            name: "counters, replaced stores",
            work: .counters,
            weights: weights(usual, rough, [.backUpStore: 2, .restoreStore: 1, .promoteStandby: 1, .submit: 5])
        ),
        SimulatedProfile(
            name: "elements, replaced stores",
            work: .elements,
            weights: weights(usual, rough, [.backUpStore: 2, .restoreStore: 1, .promoteStandby: 1])
        ),
        SimulatedProfile(
            name: "everything, replaced stores",
            work: .everything,
            weights: weights(usual, rough, failing, [.backUpStore: 2, .restoreStore: 1, .promoteStandby: 1]),
            isNarrow: true
        ),
        SimulatedProfile(name: "links", work: .links, weights: weights(usual, rough, failing), queries: true),
        SimulatedProfile(
            name: "links, cut logs",
            work: .links,
            weights: weights(usual, rough, [.passDays: 4, .trim: 4, .suspend: 3, .resume: 1]),
            queries: true,
            isNarrow: true
        ),
        SimulatedProfile(
            name: "links, copied files",
            work: .links,
            weights: weights(usual, rough, [.copyFile: 2, .backUpFile: 2, .restoreFile: 2])
        ),
        SimulatedProfile(
            name: "bootstraps",
            work: .everything,
            weights: weights(usual, rough, failing, [.drop: 3, .trim: 1, .passDays: 1]),
            queries: true,
            isNarrow: true,
            objects: 12
        ),
        SimulatedProfile(
            name: "roles",
            work: .everything,
            weights: weights(usual, [.changeRole: 3, .hearOfRoles: 4, .drop: 1]),
            queries: true,
            hasRoles: true,
            objects: 5
        ),
        SimulatedProfile(
            name: "roles, narrow",
            work: .everything,
            weights: weights(usual, rough, failing, [.changeRole: 3, .hearOfRoles: 4, .drop: 2]),
            queries: true,
            hasRoles: true,
            isNarrow: true,
            objects: 8
        ),
        SimulatedProfile(
            name: "roles, cut logs",
            work: .everything,
            weights: weights(
                usual,
                rough,
                [.changeRole: 3, .hearOfRoles: 4, .passDays: 3, .trim: 3, .suspend: 3, .resume: 1]
            ),
            queries: true,
            hasRoles: true,
            objects: 5
        ),
        SimulatedProfile(
            name: "versions",
            work: .everything,
            weights: weights(usual, rough, failing),
            queries: true,
            hasVersions: true,
            objects: 3
        ),
        SimulatedProfile(
            name: "versions, narrow",
            work: .everything,
            weights: weights(usual, rough, failing, [.drop: 2]),
            queries: true,
            hasVersions: true,
            isNarrow: true,
            objects: 5
        ),
        SimulatedProfile(
            name: "versions and roles",
            work: .everything,
            weights: weights(usual, rough, [.changeRole: 3, .hearOfRoles: 4, .drop: 2]),
            queries: true,
            hasRoles: true,
            hasVersions: true,
            objects: 4
        ),
        SimulatedProfile(name: "asymmetric", work: .asymmetric, weights: weights(usual, rough, failing)),
        SimulatedProfile(
            name: "all at once",
            work: .everything,
            weights: weights(
                usual,
                rough,
                failing,
                [
                    .passDays: 2, .trim: 2, .copyFile: 1, .backUpFile: 1, .restoreFile: 1, .backUpStore: 1,
                    .restoreStore: 1, .promoteStandby: 1, .submit: 3,
                ]
            ),
            refusals: 5,
            queries: true,
            isNarrow: true
        ),
    ]

    func script(_ seed: UInt64) -> [SimulatedEvent] {
        var random = SeededRandom(seed: seed)
        var bag: [SimulatedEvent.Kind] = []
        for kind in SimulatedEvent.Kind.allCases {
            let weight = (weights[kind] ?? 0) + (kind == .subscribe && queries ? 2 : 0)
            bag += Array(repeating: kind, count: weight)
        }
        return (0..<steps).map { _ in
            SimulatedEvent(
                bag[Int.random(in: bag.indices, using: &random)],
                .random(in: 0..<clients, using: &random),
                random.next() >> 32
            )
        }
    }
}
