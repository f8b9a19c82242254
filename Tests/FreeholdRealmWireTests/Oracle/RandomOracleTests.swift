import FreeholdRealmWire

@testable import TestRealmClient
import Testing

@Suite("Oracle of the Realm merge")
struct RandomOracleTests {
    @Test(arguments: ModelVectors.all)
    func `the pairs of the page of rules have their results`(_ vector: ModelVectors.Vector) {
        var model = ModelMerge()
        let result = Result { try model.merge(local: [vector.local], incoming: [vector.incoming]) }
        let expected = vector.localAfter.map { ModelMergeResult(local: [$0], incoming: [vector.incomingAfter!]) }
        let text = OracleComparison.difference([vector.local], [vector.incoming]) { _, _ in
            guard let expected else { throw ModelError("An error") }
            return expected
        }
        expect((try? result.get()) == expected, "\(text ?? "")")
    }

    @Test func `the mirror image of a pair has the mirrored result`() {
        for vector in ModelVectors.all {
            var model = ModelMerge()
            let result = try? model.merge(local: [vector.incoming], incoming: [vector.local])
            let expected = vector.localAfter.map { ModelMergeResult(local: [vector.incomingAfter!], incoming: [$0]) }
            expect(result == expected, "\(vector.name)")
        }
    }

    @Test func `the model predicts each recorded side`() throws {
        let empty = try RecordedMerge.emptyWorld()
        var (predicted, sides) = (0, 0)
        for merge in try RecordedMerge.all() {
            let start = try merge.startWorld(empty)
            for (own, other) in [(0, 1), (1, 0)] {
                sides += 1
                let problem = merge.problem(own: own, other: other, from: start)
                if let problem {
                    Issue.record("merge \(merge.number), side \(own): \(problem)")
                } else {
                    predicted += 1
                }
            }
        }
        print("recorded sides predicted: \(predicted) of \(sides)")
        expectEqual(sides, 1_734)
        expectEqual(predicted, 1_734)
    }

    @Test func `both orders of two random actions lead to the same world`() throws {
        try expectSquares("pairs of actions", options: .pairs, usual: 1_200, soak: 400_000)
    }

    @Test func `both orders of random changesets lead to the same world`() throws {
        try expectSquares("changesets", options: RandomMerge.Options(), usual: 600, soak: 200_000)
    }

    @Test func `both orders of erasures of classes and fields lead to the same world or to a missing field`() throws {
        let options = RandomMerge.Options(entries: 1, actions: 1, structure: 70, hasErasures: true)
        try expectSquares("erasures", options: options, usual: 600, soak: 50_000) { result in
            // Edits of an erased field remain, and can't be applied (Q3).
            result == .failed("The field is missing")
        }
    }

    /// Cases in which two official clients end differently: the preparation, and the changes of both sides.
    @Test(arguments: [
        // Q1: a moved element with contents.
        [
            "I le[0]=ObjectValue ps=0; I le[1]=ObjectValue ps=1; I le[2]=ObjectValue ps=2", "M le[0]→1 ps=3",
            "U le[0].a=5",
        ],
        // Q4: an embedded object of a dictionary that both sides put.
        ["U n=1", "U de.k=ObjectValue; U de.k.a=1", "U de.k=ObjectValue; U de.k.s=b"],
        // The clear of a dictionary's entry, and an earlier removal of the entry.
        ["U dm.q=Dict", "U dm.q=Erased", "C dm.q dict"],
        // No rule changes the index of the clear of a list's element.
        ["I lm[0]=0 ps=0", "I lm[0]=1 ps=1", "I lm[1]=List ps=1; C lm[1] list; I lm[1][0]=7 ps=0"],
        ["I lm[0]=0 ps=0; I lm[1]=List ps=1", "E lm[0] ps=2", "C lm[1] list; I lm[1][0]=7 ps=0"],
    ])
    func `known divergences of official clients are divergences of the model`(_ steps: [String]) throws {
        let merge = try RandomMerge(start: steps[0], earlier: steps[1], later: steps[2])
        var effects: [MergeRule: Int] = [:]
        let result = merge.square(effects: &effects)
        print("\(steps): \(result)")
        expect(result != .equal && result != .badMerge, "\(result)")
    }

    /// Cases of section 6.4: the preparation, the earlier changes, the later ones, and the instructions that lead to the same end.
    @Test(arguments: [
        ["EO T:1", "CO T:1; U i=1; EO T:1", "CO T:1", "EO T:1"],
        ["U i=0", "EO T:1; CO T:1; U i=1; EO T:1; CO T:1; U i=11", "EO T:1; CO T:1; U i=2", "U i=2"],
        [
            "U dm.key=42", "U dm.key=Erased; U dm.a=123; U dm.b=Hello; U dm.c=45",
            "U dm.key=Erased; U dm.b=World; U dm.d=1", "U dm.a=123; U dm.b=World; U dm.c=45; U dm.d=1",
        ],
        [
            "C sm set", "S+ sm 999; S+ sm Hello; S+ sm 123",
            "S+ sm 999; S+ sm World; S+ sm 456; S- sm 999; S+ sm 999; S- sm 999",
            "S+ sm Hello; S+ sm 123; S+ sm World; S+ sm 456",
        ],
        [
            "I li[0]=1 ps=0; I li[1]=2 ps=1", "C li list; I li[0]=3 ps=0; I li[1]=4 ps=1",
            "C li list; I li[0]=5 ps=0; I li[1]=6 ps=1", "I li[0]=5 ps=0; I li[1]=6 ps=1",
        ],
        [
            "U x=null", "U x=List; I x[0]=a ps=0; I x[1]=b ps=1", "U x=List; I x[0]=c ps=0; I x[1]=d ps=1",
            "U x=List; I x[0]=a ps=0; I x[1]=b ps=1; I x[2]=c ps=2; I x[3]=d ps=3",
        ],
        [
            "U x=null", "U x=Dict; U x.key1=a; U x.key2=b", "U x=Dict; U x.key2=y; U x.key3=z",
            "U x=Dict; U x.key1=a; U x.key2=y; U x.key3=z",
        ],
        ["U x=null", "U x=Dict; U x.k=1", "U x=List; I x[0]=a ps=0", "U x=List; I x[0]=a ps=0"],
        ["U x=null", "U x=List; I x[0]=a ps=0", "U x=Dict; U x.k=1", "U x=Dict; U x.k=1"],
        ["U x=Dict", "U x=List", "U x.key=42", "U x=List"],
        ["U x=Dict", "U x.key=42", "U x=List", "U x=List"],
        ["U x=List; I x[0]=1 ps=0; I x[1]=2 ps=1", "I x[2]=3 ps=2", "U x=value", "U x=value"],
        ["U x=List; I x[0]=1 ps=0; I x[1]=2 ps=1", "U x=value", "I x[2]=3 ps=2", "U x=value"],
        [
            "U x=List", "I x[0]=1 ps=0; I x[1]=2 ps=1; C x list; I x[0]=3 ps=0", "U x=Dict; U x.key1=42",
            "U x=Dict; U x.key1=42",
        ],
        [
            "U x=Dict", "U x=List; I x[0]=1 ps=0; C x list; I x[0]=2 ps=0", "U x=List; I x[0]=4 ps=0",
            "U x=List; I x[0]=2 ps=0",
        ],
        ["U x=null", "U x=null dflt", "U x=-6 dflt", "U x=-6"],
        ["U x=42", "U x=Dict; U x.key1=1; C x dict; U x.key2=2", "A x+1", "U x=Dict; U x.key2=2"],
    ])
    func `the stories of the page of rules end as it says`(_ steps: [String]) throws {
        let merge = try RandomMerge(start: steps[0], earlier: steps[1], later: steps[2])
        var effects: [MergeRule: Int] = [:]
        expectEqual(merge.square(effects: &effects), .equal)
        var model = ModelMerge()
        let result = try model.merge(local: merge.local, incoming: merge.incoming)
        let end = try merge.localWorld.applying(Array(result.incoming.joined()))
        expectEqual(end, try RandomMerge.emptyWorld.applying(ModelNotation.instructions(steps[3])))
    }

    private func expectSquares(
        _ test: String,
        options: RandomMerge.Options,
        usual: Int,
        soak: Int,
        _ isExpected: (SquareResult) -> Bool = { _ in false }
    ) throws {
        var seeds = SeededRandom(test: test)
        let count = TestBudget.cases(usual, soak: soak)
        var effects: [MergeRule: Int] = [:]
        var results: [String: Int] = [:]
        var issues = 0
        for _ in 0..<count {
            let merge = try RandomMerge(seed: seeds.next(), options: options)
            let result = merge.square(effects: &effects)
            results["\(result)".prefix { $0 != "(" }.description, default: 0] += 1
            if result != .equal, !isExpected(result), issues < 5 {
                issues += 1
                Issue.record(
                    "\(merge.seed): \(result): \(OracleComparison.text(merge.local)) <> \(OracleComparison.text(merge.incoming))"
                )
            }
        }
        print("\(test): \(results)")
        print(
            "\(test), effects of rules: \(effects.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key) \($0.value)" })"
        )
    }
}

extension RecordedMerge {
    /// Returns the difference between the model's prediction of a side and the recording, or `nil`.
    func problem(own: Int, other: Int, from start: ModelWorld, disabled: Set<MergeRule> = []) -> String? {
        do {
            var model = ModelMerge(disabled: disabled)
            let result = try model.merge(local: [sides[own].entry], incoming: [sides[other].entry])
            var world = try start.applying(sides[own].entry.changeset.instructions)
            try world.apply(Array(result.incoming.joined()))
            guard let end = sides[own].end else { return world.objects[object] == nil ? nil : "The object is present" }
            guard let fields = world.objects[object] else { return "The object is missing" }
            for (field, expected) in end {
                let value = fields[field].map(world.visible)
                if value != expected {
                    return "\(field) is \(value.map { "\($0)" } ?? "missing") instead of \(expected)"
                }
            }
            return nil
        } catch { return "\(error)" }
    }
}

extension RandomMerge {
    /// Creates a case from the notation of instructions.
    fileprivate init(start: String, earlier: String, later: String) throws {
        let start = try RandomMerge.emptyWorld.applying(ModelNotation.instructions(start))
        let (own, other) = (ModelNotation.instructions(earlier), ModelNotation.instructions(later))
        self.init(
            seed: 0,
            start: start,
            local: [ModelEntry(own, timestamp: 1, ident: 2)],
            incoming: [ModelEntry(other, timestamp: 2, ident: 3)],
            localWorld: try start.applying(own),
            incomingWorld: try start.applying(other)
        )
    }
}
