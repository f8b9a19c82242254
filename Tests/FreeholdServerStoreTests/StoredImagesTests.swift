import FreeholdServerStore
import TestRandom
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// The before-images of groups of commits, against the objects that they were written from. `FREEHOLD_SEED` repeats a
/// history.
struct StoredImagesTests {
    typealias Options = HistoryGenerator.Options

    @Test(arguments: HistoryComparisonTests.all)
    func `images are read as they were written, also without the groups`(options: Options) throws {
        let seeds = StoreSeeds.seeds("StoredImagesTests", count: 2, soak: 300)
        var (cases, differences) = (0, 0)
        for seed in seeds {
            cases += 1
            var random = SeededRandom(seed: seed)
            var writer = StoredImages.Writer(nil, longList: 1)
            var log: [StreamVersion: StoredImages] = [:]
            func stored(_ version: StreamVersion) throws -> StoredImages { try require(log[version]) }
            for entry in try Self.entries(seed, options) {
                if random.chance(10) { writer = StoredImages.Writer(nil, longList: 1) }
                let images = try StoredImages(writer.bytes(entry), nil)
                log[entry.version] = images
                if images.root != nil { differences += 1 }
                expectEqual(images.names, entry.changes.map(\.name), "seed \(seed)")
                let whole = try StoredImages(images.wholeBytes(nil, earlier: stored), nil)
                expect(whole.root == nil)
                for (index, change) in entry.changes.enumerated() {
                    let image = try images.object(index, horizon: 0, earlier: stored)
                    expectEqual(image, change.object, "seed \(seed), version \(entry.version)")
                    let copy = try whole.object(index, horizon: 0) { _ in throw Unneeded() }
                    expectEqual(copy, change.object, "seed \(seed), version \(entry.version)")
                }
            }
        }
        if options.name == "lists" { expect(differences > 20, "only \(differences) have differences") }
        expect(TestBudget.isSpent("StoredImagesTests, \(options)", cases: cases, of: seeds.count))
    }

    /// Commits that each change the objects that an event of a history changes.
    private static func entries(_ seed: UInt64, _ options: Options) throws -> [LogEntry] {
        var generator = HistoryGenerator(seed: seed, options)
        generator.run()
        var stream = MergedStream(generator.history.rules)
        var entries: [LogEntry] = []
        var before = stream.store.objects
        for event in generator.history.events {
            _ = try stream.apply(event)
            let changed = stream.store.objects.filter { before[$0.key]?.changed != $0.value.changed }.keys.sorted()
            entries.append(
                LogEntry(
                    version: StreamVersion(entries.count) + 1,
                    hash: .empty,
                    clock: .zero,
                    time: 0,
                    author: PartName(.me, 1),
                    changes: changed.map { BeforeImage(name: $0, object: before[$0]) }
                )
            )
            before = stream.store.objects
        }
        return entries
    }

    private struct Unneeded: Error {}
}
