import FreeholdEngine
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// The index of views against asking each view.
struct ViewIndexTests {
    private static let name = ObjectName("Item", 1)

    private static func constant(_ random: inout SeededRandom) -> String {
        ["0", "1", "2", "1.0", "1.5", "'a'", "'b'", "'1'", "NULL", "true"].randomElement(using: &random)!
    }

    private static func condition(_ random: inout SeededRandom, depth: Int = 0) -> String {
        let property = ["f", "g", "list"].randomElement(using: &random)!
        switch Int.random(in: 0..<(depth > 2 ? 4 : 8), using: &random) {
        case 0, 1: return "\(property) == \(constant(&random))"
        case 2:
            return
                "\(property) IN {\((0...Int.random(in: 0..<3, using: &random)).map { _ in constant(&random) }.joined(separator: ", "))}"
        case 3: return "\(property) > \(Int.random(in: 0..<3, using: &random))"
        case 4: return "NOT (\(condition(&random, depth: depth + 1)))"
        case 5: return "(\(condition(&random, depth: depth + 1))) OR (\(condition(&random, depth: depth + 1)))"
        default: return "(\(condition(&random, depth: depth + 1))) AND (\(condition(&random, depth: depth + 1)))"
        }
    }

    private static func value(_ random: inout SeededRandom) -> SyncValue {
        let values: [SyncValue] = [
            0, 1, 2, .double(1), .double(1.5), .float(2), .decimal128(Decimal128(lo: 1, hi: 0x3040_0000_0000_0000)),
            "a", "b", "1", .null,
            .bool(true), .list([1, "a"]), .link(name),
        ]
        return values.randomElement(using: &random)!
    }

    private static func fields(_ random: inout SeededRandom) -> [NewField] {
        var fields: [NewField] = []
        for property in ["f", "g"] as [SyncString] where random.chance(80) {
            fields.append(NewField(property, .value(value(&random))))
        }
        if random.chance(50) {
            let values = (0..<Int.random(in: 0..<3, using: &random)).map { _ in value(&random) }
            fields.append(NewField("list", .list(first: 1, values)))
        }
        return fields
    }

    /// A step that creates, changes or deletes an object.
    private static func step(_ random: inout SeededRandom) throws -> StepContents {
        var store = MemoryStore()
        let (merge, ident) = (StreamMerge(MergeRules()), FileIdent(rawValue: 1))
        func commit(_ number: UInt64, _ changes: [Change]) throws {
            let commit = Commit(
                number: number,
                clock: Clock(milliseconds: Int64(number)),
                base: number - 1,
                seen: number > 1 ? [name: number - 1] : [:],
                changes: changes
            )
            _ = try merge.apply(commit, from: ident, now: 1_000, to: &store)
        }
        var last: UInt64 = 0
        if random.chance(80) {
            last = 1
            try commit(1, [.create(name, fields(&random))])
        }
        let before = store.objects[name]
        switch before == nil ? 0 : Int.random(in: 0..<3, using: &random) {
        case 0: try commit(last + 1, [.create(name, fields(&random))])
        case 1: try commit(last + 1, [.set(Place(name, "f"), value(&random), .real)])
        default: try commit(last + 1, [.delete(name, .edit)])
        }
        let cursors = (0...1).map { Cursor(epoch: 7, version: last + $0, hash: .empty) }
        return StepContents(
            StreamStep(
                from: cursors[0],
                to: cursors[1],
                clock: .zero,
                objects: [ObjectStep(name: name, before: before, after: store.objects[name])],
                horizon: 0
            )
        )
    }

    @Test(arguments: CodecSeeds.seeds("ViewIndexTests", count: 12, soak: 4_000))
    func `a view outside of the index's result has no changes`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var (index, views) = (ViewIndex(), [ViewIdentity: View]())
        for number in 0..<40 as Range<UInt64> {
            let queries = (0...Int.random(in: 0..<2, using: &random)).map { _ in
                ClassQuery(
                    className: random.chance(90) ? "Item" : "Other",
                    condition: SyncString(Self.condition(&random))
                )
            }
            let view = View(Queries(version: 1, queries: queries), QueryMatcher())
            expect(view.errors.isEmpty, "\(view.errors)")
            index.insert(SessionKey(connection: number, number: 1), view)
            views[view.identity] = view
        }
        for _ in 0..<50 {
            let contents = try Self.step(&random)
            let concerned = index.concerned(by: contents)
            for (number, view) in views {
                let expected = Self.batches(view, contents)
                if let indices = concerned[number] {
                    expectEqual(Self.batches(view, contents, indices: indices), expected)
                } else {
                    expect(expected.isEmpty, "\(view) and \(contents)")
                }
            }
        }
        for (number, view) in views {
            for key in index.sessions(of: number) {
                expectEqual(index.remove(key, number), index.sessions(of: number).isEmpty)
            }
            expect(!index.contains(view.identity))
        }
        for _ in 0..<20 { expect(index.concerned(by: try Self.step(&random)).isEmpty) }
    }

    @Test func `a change finds the views that name what it holds, and no others`() throws {
        var index = ViewIndex()
        for number in 0..<1_000 as Range<UInt64> {
            let condition = SyncString("owner == \(number) AND f != 3")
            let queries = Queries(version: 1, queries: [ClassQuery(className: "Item", condition: condition)])
            index.insert(SessionKey(connection: number, number: 1), View(queries, QueryMatcher()))
        }
        var store = MemoryStore()
        let (merge, ident) = (StreamMerge(MergeRules()), FileIdent(rawValue: 1))
        let create = Change.create(Self.name, [NewField("owner", .value(17))])
        let commit = Commit(number: 1, clock: Clock(milliseconds: 1), base: 0, seen: [:], changes: [create])
        _ = try merge.apply(commit, from: ident, now: 1_000, to: &store)
        let step = StreamStep(
            from: Cursor(epoch: 7, version: 0, hash: .empty),
            to: Cursor(epoch: 7, version: 1, hash: .empty),
            clock: .zero,
            objects: [ObjectStep(name: Self.name, before: nil, after: store.objects[Self.name])],
            horizon: 0
        )
        expectEqual(index.concerned(by: StepContents(step)).count, 1)
    }

    /// Returns what sessions with a view are sent of a step.
    private static func batches(_ view: View, _ contents: StepContents, indices: [Int]? = nil) -> [ClassBatch] {
        var step = ViewStep(view, indices ?? Array(contents.objects.indices))
        var slice = WorkSlice(steps: .max, objectSteps: .max)
        expect(step.run(contents, &slice))
        return step.batches
    }
}
