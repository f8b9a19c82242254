import Testing

@testable import FreeholdRealmWire

@Suite("Realm wire: random differences")
struct RandomDifferenceTests {
    @Test func `the difference of two random states turns one into the other`() throws {
        var seeds = SeededRandom(test: "RandomDifferenceTests.states")
        for _ in TestBudget.range("RandomDifferenceTests.states", usual: 100, soak: 20_000) {
            let seed = seeds.next()
            var writer = RandomWriter(random: SeededRandom(seed: seed))
            var first = WireState(schema: try Golden.schema())
            _ = try writer.write(to: &first, changes: 40)
            var second = first
            _ = try writer.write(to: &second, changes: writer.random.pick([1, 5, 60]))
            for (from, to) in [(first, second), (second, first)] {
                var repaired = from
                let difference = from.difference(to: to)
                try ChangesetValidator(version: 14).apply(difference, to: &repaired)
                expect(repaired.difference(to: to).isEmpty, "seed \(seed)")
                expect(!difference.instructions.contains { if case .clear = $0 { true } else { false } })
                var absolute = from
                let objects = Array(Set(from.objects + to.objects)).sorted { ($0.table, $0.key) < ($1.table, $1.key) }
                try ChangesetValidator(version: 14).apply(to.absoluteRepair(of: objects), to: &absolute)
                expect(absolute.hasSameObjects(as: to), "seed \(seed)")
            }
        }
    }
}
