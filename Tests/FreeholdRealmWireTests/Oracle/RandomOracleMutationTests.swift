import Testing

@testable import FreeholdRealmWire
@testable import TestRealmClient

/// Tests that notice each rule: with one rule that does nothing, a pair of the page, a recorded merge or the two orders of random
/// changes have another result.
@Suite("Oracle of the Realm merge: mutations")
struct RandomOracleMutationTests {
    /// How often a disabled rule was noticed.
    private struct Notices {
        var vectors = 0
        var recorded = 0
        /// Random merges that end differently on both sides.
        var squares = 0
        /// Random merges with another result than that of the model.
        var results = 0
    }

    @Test func `each rule is noticed if it does nothing`() throws {
        var notices: [MergeRule: Notices] = [:]
        for vector in ModelVectors.all {
            for rule in try effects(of: [vector.local], [vector.incoming])
            where changesResult(rule, [vector.local], [vector.incoming]) {
                notices[rule, default: Notices()].vectors += 1
            }
        }
        try countRecorded(in: &notices)
        try countRandom(in: &notices)
        for rule in MergeRule.allCases {
            let found = notices[rule] ?? Notices()
            print(
                "without \(rule): pairs \(found.vectors), recorded \(found.recorded), squares \(found.squares), results \(found.results)"
            )
            expect(found.vectors + found.recorded > 0, "\(rule) isn't noticed by pairs and recorded merges")
            // No valid history reaches this rule: each way to a collection in a field removes the addition before.
            if rule == .nestedAddInteger { continue }
            expect(found.results > 0, "\(rule) isn't noticed by random merges")
        }
    }

    private func countRecorded(in notices: inout [MergeRule: Notices]) throws {
        let empty = try RecordedMerge.emptyWorld()
        for merge in try RecordedMerge.all() {
            let start = try merge.startWorld(empty)
            for (own, other) in [(0, 1), (1, 0)] {
                for rule in try effects(of: [merge.sides[own].entry], [merge.sides[other].entry])
                where merge.problem(own: own, other: other, from: start, disabled: [rule]) != nil {
                    notices[rule, default: Notices()].recorded += 1
                }
            }
        }
    }

    private func countRandom(in notices: inout [MergeRule: Notices]) throws {
        let test = "mutations"
        // One seed for all runs, since some rules have few cases.
        var seeds = SeededRandom(seed: 1)
        let count = TestBudget.cases(1_500, soak: 60_000)
        for number in 0..<count {
            var options = number.isMultiple(of: 2) ? RandomMerge.Options.pairs : RandomMerge.Options()
            options.hasErasures = number.isMultiple(of: 5)
            // A moved element with contents and its rule are quirks.
            options.hasQuirks = number.isMultiple(of: 3)
            if options.hasErasures { options.structure = 70 }
            let merge = try RandomMerge(seed: seeds.next(), options: options)
            var ignored: [MergeRule: Int] = [:]
            let isSquare = merge.square(effects: &ignored) == .equal
            for rule in try effects(of: merge.local, merge.incoming) {
                if changesResult(rule, merge.local, merge.incoming) { notices[rule, default: Notices()].results += 1 }
                if isSquare, merge.square(disabled: [rule], effects: &ignored) != .equal {
                    notices[rule, default: Notices()].squares += 1
                }
            }
        }
        print("\(test): \(count) random merges")
    }

    /// Returns the rules that changed instructions of a merge, or all rules if the merge throws.
    private func effects(of local: [ModelEntry], _ incoming: [ModelEntry]) throws -> [MergeRule] {
        var model = ModelMerge()
        guard (try? model.merge(local: local, incoming: incoming)) != nil else { return MergeRule.allCases }
        return Array(model.effects.keys)
    }

    private func changesResult(_ rule: MergeRule, _ local: [ModelEntry], _ incoming: [ModelEntry]) -> Bool {
        OracleComparison.difference(local, incoming) { local, incoming in
            var model = ModelMerge(disabled: [rule])
            return try model.merge(local: local, incoming: incoming)
        } != nil
    }

    @Test func `two removals from a set are compared by raw forms if both have them`() throws {
        func entry(_ value: Payload, _ raw: Changeset.RawForm, ident: UInt64) -> ModelEntry {
            let place = WirePath(object: WireObject(table: "T", key: .int(1)), field: "sm")
            var entry = ModelEntry([.setErase(at: place, value: value)], timestamp: ident, ident: ident)
            entry.changeset.rawForms = [0: raw]
            return entry
        }
        let place = Changeset.RawForm.content(offset: 4, length: 1)
        var model = ModelMerge()
        // Q2: other strings at the same offset are the same for the client, and one string at other offsets isn't.
        let different = try model.merge(
            local: [entry(.string("a"), place, ident: 2)],
            incoming: [entry(.string("b"), place, ident: 3)]
        )
        expectEqual(different.local, [[]])
        let same = try model.merge(
            local: [entry(.string("a"), place, ident: 2)],
            incoming: [entry(.string("a"), .content(offset: 5, length: 1), ident: 3)]
        )
        expectEqual(same.local[0].count, 1)
    }

    @Test func `the comparison of objects reports no difference for the model itself`() throws {
        try OracleComparison.expectSameObjects(usual: 100, soak: 1_000) { instructions in
            try ModelWorld().applying(instructions).objects
        }
    }

    @Test func `the comparison reports no difference for the model itself`() throws {
        try OracleComparison.expectSame(usual: 300, soak: 3_000) { local, incoming in
            var model = ModelMerge()
            return try model.merge(local: local, incoming: incoming)
        }
    }
}
