import FreeholdServerStore
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// The simulator's worlds on the store in files, next to the one in memory. Replacements of a store by a backup are
/// only tested with the one in memory.
struct SimulatedStoreTests {
    static let names = [
        "failing", "narrow", "refusing whole commits", "links, cut logs", "everything, cut logs",
        "everything, copied files", "bootstraps", "asymmetric",
    ]

    @Test(arguments: names) func `simulated worlds come to rest on the store in files`(name: String) throws {
        var profile = try require(SimulatedProfile.all.first { $0.name == name })
        profile.steps = 150
        for seed in StoreSeeds.seeds("SimulatedStoreTests", count: 1, soak: 200) {
            let store = try TwinStore()
            defer { store.remove() }
            var world = SimulatedWorld(seed: seed, profile, store: store)
            world.play(profile.script(seed))
            if var store = world.store as? TwinStore, world.problems.isEmpty {
                store.reopen()
                store.compare(SimulatedWorld.stream)
                world.problems += store.problems
            }
            if let problem = world.problems.first {
                Issue.record("seed \(seed), \(name): \(problem.prefix(3_000))")
                return
            }
        }
    }
}
