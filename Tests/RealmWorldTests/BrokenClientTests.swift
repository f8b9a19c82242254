import Testing

@testable import FreeholdRealmWire
@testable import TestRealmClient

/// Official clients whose merge lacks a rule: the server's prediction is wrong, which a world notices. All clients end equal,
/// because the server writes objects as a whole.
@Suite("Realm worlds: mutations")
struct BrokenClientTests {
    /// The rules that changes of objects reach in a world.
    ///
    /// R17 isn't among them: the server never moves elements, so that two moves don't meet. Recorded merges compare it.
    static let rules: [MergeRule] = [
        .nestedEraseObject, .nestedUpdate, .nestedInsert, .nestedErase, .nestedEraseShift, .nestedClear, .r4, .r5, .r6,
        .r7,
        .r13, .r14, .r15, .r16, .r18, .r19, .r20, .r21, .r22, .r24, .r25, .r26,
    ]

    /// All fields of the class A.
    private static let fields: Set<WireText> = [
        "s", "n", "o", "m", "d", "b", "li", "ls", "lm", "si", "ss", "di", "dm", "lk", "ll", "sl", "dl", "e", "le", "de",
    ]

    /// Returns histories that reach a rule often.
    private static func options(of rule: MergeRule) -> RealmWorld.Options {
        var options = RealmWorld.Options(name: "without \(rule)")
        options.broken = [rule]
        options.keys = (1, 2)
        (options.steps, options.commits) = (300, 50)
        func direct(_ fields: Set<WireText>, _ kinds: Set<LocalChange.Kind>) {
            options.omitted = Self.fields.subtracting(fields)
            options.kinds = kinds
            options.keys = (1, 1)
            options.deletions = 1
        }
        switch rule {
        case .nestedErase: direct(["le"], [.remove, .insert, .set, .add])
        case .r7: direct(["n"], [.set, .add])
        case .r15: direct(["li"], [.move, .set, .insert])
        case .r16: direct(["li"], [.move, .insert])
        case .r20: direct(["li", "ls"], [.move, .remove, .insert])
        case .r22:
            direct(["m", "dm"], [.set, .removeAll])
            options.nesting = 60
        case .r24:
            direct(["li", "di"], [.removeAll, .insert, .set])
            options.distrusts = 200
        case .r4, .r5, .nestedEraseObject:
            options.deletions = 30
            options.omitted = ["li", "ls", "m", "lm", "dm", "e", "le", "de", "di"]
        case .r25:
            direct(["si", "ss"], [.member, .removeAll])
            options.distrusts = 100
        case .r26: direct(["si", "ss", "sl"], [.member])
        case .r13, .r14, .r18, .r19, .r21:
            options.omitted = [
                "m", "lm", "dm", "s", "o", "d", "b", "e", "de", "di", "si", "ss", "lk", "sl", "dl", "le", "ll",
            ]
            options.deletions = 1
        case .nestedInsert, .nestedEraseShift:
            options.omitted = [
                "li", "ls", "m", "dm", "s", "o", "d", "b", "e", "de", "di", "si", "ss", "lk", "sl", "dl", "ll",
            ]
            options.deletions = 1
        case .nestedUpdate, .nestedClear:
            options.omitted = ["s", "o", "d", "b", "e", "de", "si", "ss", "lk", "sl", "dl", "ll", "le"]
        default: break
        }
        return options
    }

    @Test(arguments: rules)
    func `a world notices that a client lacks a rule, and ends equal`(_ rule: MergeRule) throws {
        let options = Self.options(of: rule)
        let most = UInt64(TestBudget.cases(24, soak: 400))
        for seed in 1...most {
            var world = try RealmWorld(seed: seed, options)
            try world.run()
            expectEqual(world.problems, [], "seed \(seed)")
            guard world.mispredicted > 0 else { continue }
            print("BrokenClientTests: without \(rule), seed \(seed) shows something else than predicted")
            return
        }
        Issue.record("No world notices that a client lacks \(rule).")
    }

    /// No change of an object meets R12, so that these clients merge like the official one.
    @Test(arguments: [MergeRule.nestedErase, .nestedInsert, .r4, .r7, .r15, .r22, .r24, .r25])
    func `a world notices nothing if no rule is missing`(_ rule: MergeRule) throws {
        var options = Self.options(of: rule)
        options.broken = [.r12]
        for seed in 1...UInt64(TestBudget.cases(2, soak: 50)) {
            var world = try RealmWorld(seed: seed, options)
            try world.run()
            expectEqual(world.problems, [], "seed \(seed)")
            expectEqual(world.mispredicted, 0, "seed \(seed)")
        }
    }
}
