@testable import FreeholdSyncCore

extension SimulatedProfile {
    private static let several: [SimulatedEvent.Kind: Int] = [.link: 8, .hold: 8, .release: 8]

    /// Steps of other nodes, answers that overtake each other, and stores that go back while nodes work.
    static let severalNodes: [SimulatedProfile] = [
        SimulatedProfile(
            name: "several nodes",
            work: .everything,
            weights: weights(usual, several),
            hasOracle: true,
            clients: 5,
            readsOnce: true
        ),
        SimulatedProfile(
            name: "several nodes, rough",
            work: .elements,
            weights: weights(usual, rough, failing, several),
            queries: true
        ),
        SimulatedProfile(
            name: "several nodes, narrow",
            work: .everything,
            weights: weights(usual, rough, failing, several),
            queries: true,
            isNarrow: true,
            hasOracle: true,
            objects: 4
        ),
        SimulatedProfile(
            name: "several nodes, counters",
            work: .counters,
            weights: weights(usual, failing, several, [.submit: 10])
        ),
        SimulatedProfile(
            name: "several nodes, copied files",
            work: .elements,
            weights: weights(usual, rough, several, [.copyFile: 3, .backUpFile: 2, .restoreFile: 2])
        ),
        SimulatedProfile(
            name: "several nodes, cut logs",
            work: .elements,
            weights: weights(usual, rough, several, [.passDays: 4, .trim: 4, .suspend: 3, .resume: 1])
        ),
        SimulatedProfile(
            name: "several nodes, roles",
            work: .everything,
            weights: weights(usual, several, [.changeRole: 3, .hearOfRoles: 4, .drop: 1]),
            queries: true,
            hasRoles: true,
            objects: 5
        ),
        SimulatedProfile(
            name: "elements, stores that go back",
            work: .elements,
            weights: weights(usual, rough, several, [.backUpStore: 3, .goBack: 1])
        ),
        SimulatedProfile(
            name: "counters, stores that go back",
            work: .counters,
            weights: weights(usual, several, [.backUpStore: 3, .goBack: 1, .submit: 5])
        ),
        SimulatedProfile(
            name: "everything, stores that go back",
            work: .everything,
            weights: weights(usual, rough, failing, several, [.backUpStore: 3, .goBack: 1, .submit: 3]),
            queries: true,
            isNarrow: true
        ),
    ]
}
