import Foundation
import FreeholdServerStore
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Whole worlds on the store in files, next to the one in memory.
struct JointStoreTests {
    typealias Options = JointWorld.Options

    static let all: [Options] = [
        Options(name: "lists", kinds: [.insert, .insert, .remove, .move, .setElement, .clear, .assign]),
        Options(name: "everything"),
        Options(name: "everything, a failing store and dying nodes", failures: 10, drops: 3, kills: 3),
    ]

    @Test(arguments: all) func `clients end in the state of the store in files`(options: Options) throws {
        for seed in StoreSeeds.seeds("JointStoreTests", count: 2, soak: 500) {
            let store = try TwinStore()
            defer { store.remove() }
            var world = JointWorld(seed: seed, options, store: store)
            world.run()
            if var store = world.store as? TwinStore, world.problems.isEmpty {
                store.reopen()
                store.compare(JointWorld.stream)
                world.problems += store.problems
            }
            if let problem = world.problems.first {
                Issue.record("seed \(seed), \(options): \(problem.prefix(3_000))")
                return
            }
        }
    }
}
