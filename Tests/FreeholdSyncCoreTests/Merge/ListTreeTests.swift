import Foundation
import TestRandom
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// The list tree against arrays, by edits at old versions.
struct ListTreeTests {
    /// Each version's list as plain values, which are all different.
    private struct Model {
        var tree = ListTree()
        var versions: [[Int64]] = [[]]
        var next: [UInt32: OwnNumber] = [:]
        var fresh: Int64 = 0
        var horizon = 0

        var version: StreamVersion { StreamVersion(versions.count - 1) }
        var values: [Int64] { tree.contents.map { if case .value(.int(let value)) = $0 { value } else { -1 } } }

        func author(_ ident: UInt32, seen: Int) -> Author {
            let clock = Clock(milliseconds: Int64(versions.count))
            return Author(
                stamp: Stamp(clock: clock, ident: FileIdent(rawValue: ident)),
                version: version + 1,
                seen: StreamVersion(seen)
            )
        }
    }

    private static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["FREEHOLD_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let first = TestSeed.random(in: 0..<1 << 40)
        let count = TestBudget.cases(6, soak: 500)
        print("ListTreeTests: FREEHOLD_SEED=\(first) and the \(count - 1) after it")
        return Array(first..<first + UInt64(count))
    }

    @Test(arguments: [false, true])
    func `edits that name elements of old versions apply to them, and nothing else changes`(trims: Bool) {
        let seeds = Self.seeds
        var cases = 0
        for seed in seeds {
            cases += 1
            var random = SeededRandom(seed: seed)
            var model = Model()
            for _ in 0..<400 {
                step(&model, &random)
                model.versions.append(model.values)
                if trims, random.chance(3) {
                    model.horizon = Int(model.version)
                    model.tree.trim(horizon: model.version)
                    expectEqual(model.values, model.versions.last, "seed \(seed)")
                }
                if random.chance(10) { model.tree.checkInvariants() }
            }
            model.tree.checkInvariants()
            let kept = model.versions.count - model.horizon
            for position in TestBudget.sample(of: kept, usual: 150, using: &random) {
                let version = model.horizon + position
                let values = model.versions[version]
                model.tree.count(at: StreamVersion(version))
                let found = (0..<values.count + 1).map { model.tree.slot(at: $0, version: StreamVersion(version)) }
                expect(found.last == .some(nil) && found.dropLast().allSatisfy { $0 != nil }, "seed \(seed)")
                let last = model.versions.last!
                for (slot, value) in zip(found.compactMap(\.self), values) {
                    let element = model.tree.moved[slot] ?? slot
                    expectEqual(model.tree.isAlive(element), last.contains(value), "seed \(seed)")
                    if model.tree.isAlive(element) {
                        expectEqual(model.tree.value(element), .int(value), "seed \(seed)")
                    }
                }
            }
        }
        expect(TestBudget.isSpent("ListTreeTests", cases: cases, of: seeds.count))
    }

    /// One edit at a random version, and what must be true of it.
    private func step(_ model: inout Model, _ random: inout SeededRandom) {
        let seen =
            random.chance(60) ? Int(model.version) : Int.random(in: model.horizon...Int(model.version), using: &random)
        let ident = UInt32.random(in: 1...3, using: &random)
        let author = model.author(ident, seen: seen)
        let old = model.versions[seen]
        let before = model.values
        let first = model.next[ident, default: 1]
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<6:
            // Positions are often near the last one, so that runs are created.
            let index =
                random.chance(50) ? (random.chance(50) ? 0 : old.count) : Int.random(in: 0...old.count, using: &random)
            let count = Int.random(in: 1...3, using: &random)
            let values = (0..<count).map { model.fresh + Int64($0) }
            let gap = Gap(
                after: index > 0 ? .confirmed(index - 1) : nil,
                before: index < old.count ? .confirmed(index) : nil
            )
            expectEqual(model.tree.insert(values.map(SyncValue.int), first: first, gap, author), .done)
            model.next[ident] = first + OwnNumber(count)
            model.fresh += Int64(count)
            let after = model.values
            let place = after.firstIndex(of: values[0])!
            expectEqual(Array(after[place..<place + count]), values)
            expectEqual(after.filter { !values.contains($0) }, before)
            if index > 0, let left = after.firstIndex(of: old[index - 1]), model.tree.moved.isEmpty {
                expect(left < place)
            }
            if index < old.count, let right = after.firstIndex(of: old[index]), model.tree.moved.isEmpty {
                expect(place < right)
            }
        case 6..<8 where !old.isEmpty:
            let index = Int.random(in: 0..<old.count, using: &random)
            expectEqual(model.tree.remove([.confirmed(index)], author), .done)
            expectEqual(model.values, before.filter { $0 != old[index] })
        case 8 where !old.isEmpty:
            let (index, aim) = (
                Int.random(in: 0..<old.count, using: &random), Int.random(in: 0...old.count, using: &random)
            )
            let gap = Gap(
                after: aim > 0 ? .confirmed(aim - 1) : nil,
                before: aim < old.count ? .confirmed(aim) : nil
            )
            expectEqual(model.tree.move(.confirmed(index), gap, number: first, author), .done)
            model.next[ident] = first + 1
            expectEqual(model.values.filter { $0 != old[index] }, before.filter { $0 != old[index] })
            expect(Set(model.values) == Set(before) && model.values.count == before.count)
        default:
            guard random.chance(10) else { break }
            expectEqual(model.tree.clear(hidden: [], author), .done)
            expect(model.values.allSatisfy { !old.contains($0) })
        }
    }

    @Test func `a name that never existed, and a used number, are malformed and change nothing`() {
        var model = Model()
        let author = model.author(1, seen: 0)
        let end = Gap(after: nil, before: nil)
        expectEqual(model.tree.insert([1, 2, 3], first: 5, end, author), .done)
        for (first, count) in [(5, 1), (7, 1), (4, 2), (3, 9), (UInt64.max, 1)] {
            let values = [SyncValue](repeating: 0, count: count)
            expectEqual(model.tree.insert(values, first: first, end, author), .malformed)
        }
        for reference: ElementReference in [.own(4), .own(8), .confirmed(0), .confirmed(-1), .confirmed(.max)] {
            expectEqual(model.tree.remove([.own(5), reference], author), .malformed)
            expectEqual(model.tree.clear(hidden: [reference], author), .malformed)
            expectEqual(model.tree.move(.own(5), Gap(after: reference, before: nil), number: 1, author), .malformed)
        }
        expectEqual(model.values, [1, 2, 3])
        expectEqual(model.tree.insert([0], first: 4, Gap(after: nil, before: .own(5)), author), .done)
        expectEqual(model.values, [0, 1, 2, 3])
    }

    @Test func `typing forward and backward makes one block, one span and one leaf`() {
        for isBackward in [false, true] {
            var tree = ListTree()
            for number in 1...1_000 as ClosedRange<UInt64> {
                let stamp = Stamp(clock: Clock(milliseconds: Int64(number)), ident: FileIdent(rawValue: 1))
                let author = Author(stamp: stamp, version: number, seen: 0)
                let beside = number > 1 ? ElementReference.own(number - 1) : nil
                let gap = isBackward ? Gap(after: nil, before: beside) : Gap(after: beside, before: nil)
                expectEqual(tree.insert([.int(Int64(number))], first: number, gap, author), .done)
            }
            expect(tree.blocks.count == 2 && tree.leaves.count == 1 && tree.leaves[0].spans.count == 1)
            let values = (1...1_000).map { MergedContent.value(.int($0)) }
            expectEqual(tree.contents, (isBackward ? values.reversed() : values))
            tree.count(at: 500)
            expectEqual(tree.slot(at: 0, version: 500)?.offset, (isBackward ? 499 : 0))
            expect(tree.slot(at: 500, version: 500) == nil)
        }
    }
}

extension ListTree {
    /// Checks that every slot is in one span, and that the homes and summaries are right.
    func checkInvariants() {
        var slots = [Int](repeating: 0, count: blocks.count)
        for (index, leaf) in leaves.enumerated() {
            var alive = 0
            for span in leaf.spans {
                slots[Int(span.block)] += Int(span.count)
                if span.died == .max { alive += Int(span.count) }
                let own = Slot(block: span.block, offset: span.start)
                expectEqual(locate(own).leaf, index)
                expectEqual(locate(Slot(block: span.block, offset: span.start + span.count - 1)).leaf, index)
            }
            expectEqual(leaf.summary.alive, alive)
            expect(groups[Int(leaf.group)].leaves.contains(Int32(index)))
        }
        for group in groups {
            expectEqual(group.summary.alive, group.leaves.reduce(0) { $0 + leaves[Int($1)].summary.alive })
        }
        expectEqual(order.flatMap { groups[Int($0)].leaves }.sorted(), leaves.indices.map(Int32.init))
        for (index, block) in blocks.enumerated().dropFirst() {
            expect(slots[index] == Int(block.count) && block.values.count == Int(block.count))
            expectEqual(block.depth, blocks[Int(block.parent.block)].depth + 1)
        }
    }
}
