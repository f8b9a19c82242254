import FreeholdRealmWire

@testable import TestRealmClient
import Testing

/// A merge of concurrent changesets: the local ones, then the incoming ones, each in their order.
typealias ModelTransformation = (_ local: [ModelEntry], _ incoming: [ModelEntry]) throws -> ModelMergeResult

/// The comparison of a transformation with the model.
///
/// A test passes the transformation as a closure of the module's types:
///
///     OracleComparison.expectSame { local, incoming in
///         // The real merge of `local[n].changeset` (at `local[n].order`) and `incoming[n].changeset`.
///         ModelMergeResult(local: …, incoming: …)
///     }
enum OracleComparison {
    /// Records an issue if a transformation and the model differ: in the pairs of the page of rules, in the recorded merges of
    /// official clients, or in random merges.
    ///
    /// Both have to remove and change the same instructions, or both have to throw.
    ///
    /// - Parameters:
    ///   - entries: The greatest number of changesets of a side. 1 is for a transformation of two changesets.
    ///   - prepare: Changes a changeset before the merge, such as by adding the raw forms of its values.
    static func expectSame(
        test: String = #function,
        entries: Int = 3,
        usual: Int = 1_000,
        soak: Int = 100_000,
        prepare: (Changeset) throws -> Changeset = { $0 },
        transformation: ModelTransformation
    ) throws {
        func prepared(_ entry: ModelEntry) throws -> ModelEntry {
            ModelEntry(try prepare(entry.changeset), order: entry.order)
        }
        for vector in ModelVectors.all {
            let (local, incoming) = (try prepared(vector.local), try prepared(vector.incoming))
            if let difference = difference(local, incoming, transformation: transformation) {
                Issue.record("\(vector.name): \(difference)")
            }
        }
        for merge in try RecordedMerge.all() {
            for (own, other) in [(0, 1), (1, 0)] {
                let (local, incoming) = (try prepared(merge.sides[own].entry), try prepared(merge.sides[other].entry))
                if let difference = difference(local, incoming, transformation: transformation) {
                    Issue.record("recorded merge \(merge.number), side \(own): \(difference)")
                }
            }
        }
        var seeds = SeededRandom(test: test)
        let count = TestBudget.cases(usual, soak: soak)
        var issues = 0
        for number in 0..<count where issues < 10 {
            let seed = seeds.next()
            var options = number.isMultiple(of: 4) ? RandomMerge.Options.pairs : RandomMerge.Options(entries: entries)
            options.hasQuirks = number.isMultiple(of: 3)
            options.hasErasures = number.isMultiple(of: 5)
            let merge = try RandomMerge(seed: seed, options: options)
            let (local, incoming) = (try merge.local.map(prepared), try merge.incoming.map(prepared))
            if let difference = difference(local, incoming, transformation: transformation) {
                Issue.record("random merge \(seed): \(difference)")
                issues += 1
            }
        }
        print("\(test): \(count) random merges compared")
    }

    /// Records an issue if an application of instructions and the model differ, for random merges.
    ///
    /// The closure applies instructions to a file without classes, and returns all objects with keys. It throws if an instruction can't
    /// be applied. In a part of the merges a rule does nothing, so that contradictory instructions occur.
    static func expectSameObjects(
        test: String = #function,
        usual: Int = 500,
        soak: Int = 50_000,
        apply: ([Instruction]) throws -> [WireObject: [WireText: ModelValue]]
    ) throws {
        var seeds = SeededRandom(test: test)
        let count = TestBudget.cases(usual, soak: soak)
        var (issues, failures) = (0, 0)
        for number in 0..<count where issues < 10 {
            var options = RandomMerge.Options()
            options.hasQuirks = number.isMultiple(of: 2)
            options.hasErasures = number.isMultiple(of: 5)
            let merge = try RandomMerge(seed: seeds.next(), options: options)
            var random = SeededRandom(seed: merge.seed)
            var model = ModelMerge(disabled: number.isMultiple(of: 3) ? [random.pick(MergeRule.allCases)] : [])
            guard let result = try? model.merge(local: merge.local, incoming: merge.incoming) else { continue }
            let own = merge.local.flatMap(\.changeset.instructions)
            let instructions = merge.preparation + own + result.incoming.joined()
            let expected = try? ModelWorld().applying(instructions).objects
            let received = try? apply(instructions)
            if expected == nil { failures += 1 }
            if expected != received {
                issues += 1
                Issue.record(
                    """
                    random merge \(merge.seed): \(ModelNotation.text(Array(instructions.dropFirst(RandomMerge.schema.count))))
                    expected \(expected.map { "\($0)" } ?? "an error")
                    received \(received.map { "\($0)" } ?? "an error")
                    """
                )
            }
        }
        print("\(test): \(count) random merges, \(failures) with an instruction that can't be applied")
    }

    private static func difference(
        _ local: ModelEntry,
        _ incoming: ModelEntry,
        transformation: ModelTransformation
    ) -> String? {
        difference([local], [incoming], transformation: transformation)
    }

    /// Returns a description of the difference between a transformation and the model, or `nil`.
    static func difference(
        _ local: [ModelEntry],
        _ incoming: [ModelEntry],
        transformation: ModelTransformation
    ) -> String? {
        var model = ModelMerge()
        let expected = Result { try model.merge(local: local, incoming: incoming) }
        let result = Result { try transformation(local, incoming) }
        switch (expected, result) {
        case (.success(let expected), .success(let result)) where expected == result: return nil
        case (.failure, .failure): return nil
        default:
            return """
                \(text(local)) <> \(text(incoming))
                expected \(text(expected))
                received \(text(result))
                """
        }
    }

    /// Returns a short text about changesets.
    static func text(_ entries: [ModelEntry]) -> String {
        entries.map { entry in
            "(\(entry.order.timestamp), \(entry.order.ident)) \(ModelNotation.text(entry.changeset.instructions))"
        }.joined(separator: " / ")
    }

    private static func text(_ result: Result<ModelMergeResult, any Error>) -> String {
        switch result {
        case .failure(let error): "\(error)"
        case .success(let result):
            result.local.map(ModelNotation.text).joined(separator: " / ") + " <> "
                + result.incoming.map(ModelNotation.text).joined(separator: " / ")
        }
    }
}

/// The result of both orders of a random merge.
enum SquareResult: Equatable {
    case equal
    /// Both sides end with different worlds.
    case different
    /// The merge throws on both sides.
    case badMerge
    /// A side can't apply the changed instructions, or only one side's merge throws.
    case failed(String)
}

extension RandomMerge {
    /// Merges on both sides, and compares the worlds: own changes and then the received ones, in both orders.
    func square(disabled: Set<MergeRule> = [], effects: inout [MergeRule: Int]) -> SquareResult {
        var (merge, mirrored) = (ModelMerge(disabled: disabled), ModelMerge(disabled: disabled))
        let first = Result { try merge.merge(local: local, incoming: incoming) }
        let second = Result { try mirrored.merge(local: incoming, incoming: local) }
        for (rule, count) in merge.effects { effects[rule, default: 0] += count }
        switch (first, second) {
        case (.failure, .failure): return .badMerge
        case (.success(let first), .success(let second)):
            do {
                let here = try localWorld.applying(Array(first.incoming.joined()))
                let there = try incomingWorld.applying(Array(second.incoming.joined()))
                guard here == there else { return .different }
                // The stored forms of the own changes lead to the same world, too.
                let again = try incomingWorld.applying(Array(first.local.joined()))
                return again == here ? .equal : .failed("The form of the local changes leads to another world")
            } catch { return .failed("\(error)") }
        case (.failure(let error), _), (_, .failure(let error)): return .failed("One side: \(error)")
        }
    }
}
