import TestRandom
import Testing

@testable import FreeholdEngine

@Suite("CountedTree") struct CountedTreeTests {
    /// A tree and the plain array that it must equal.
    private struct Model {
        let store = CountedTreeBlockStore(segment: 9)
        var tree: CountedTree
        var chunks: [CountedTree.Chunk] = []
        var generator: SeededRandom

        init(capacity: Int, seed: UInt64) {
            tree = CountedTree(segment: 9, capacity: capacity)
            generator = SeededRandom(seed: seed)
        }

        mutating func random(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

        mutating func newChunks(_ count: Int) -> [CountedTree.Chunk] {
            (0..<count).map { _ in (store.allocateBlock(9), random(1..<20)) }
        }

        func start(_ position: Int) -> Int { chunks[..<position].reduce(0) { $0 + $1.count } }

        mutating func replace(_ position: Int, with new: [CountedTree.Chunk]) {
            let index = chunks.isEmpty ? 0 : start(position) + random(0..<chunks[position].count)
            tree.replace(chunkAt: index, with: new, in: store)
            chunks.replaceSubrange(chunks.isEmpty ? 0..<0 : position..<position + 1, with: new)
        }

        mutating func append(_ new: [CountedTree.Chunk]) {
            tree.append(new, in: store)
            chunks += new
        }

        mutating func remove(_ range: Range<Int>) {
            var removed: [UInt64] = []
            tree.removeChunks(in: range, in: store) { removed.append($0) }
            var first = 0
            var left: [CountedTree.Chunk] = []
            for chunk in chunks {
                if first >= range.lowerBound && first + chunk.count <= range.upperBound {
                    expectEqual(removed.first, chunk.block)
                    removed.removeFirst()
                } else {
                    left.append(chunk)
                }
                first += chunk.count
            }
            expect(removed.isEmpty)
            chunks = left
        }

        func contents(from index: Int = 0) -> [[Int]] {
            var result: [[Int]] = []
            tree.forEachChunk(from: index, in: store) { chunk, start, count in
                result.append([Int(chunk), start, count])
                return true
            }
            return result
        }

        func expected(from index: Int = 0) -> [[Int]] {
            var result: [[Int]] = []
            var first = 0
            for chunk in chunks {
                if first + chunk.count > index { result.append([Int(chunk.block), first, chunk.count]) }
                first += chunk.count
            }
            return result
        }
    }

    @Test(arguments: [4, 5, 7, 16])
    func `Random edits give what they give on an array`(capacity: Int) {
        let seed = TestSeed.random(in: 0 ... .max)
        var model = Model(capacity: capacity, seed: seed)
        for step in 0..<1500 {
            // Phases of growing and of shrinking, so that every height is passed in both directions.
            let growing = step / 250 % 2 == 0
            let position = model.chunks.isEmpty ? 0 : model.random(0..<model.chunks.count)
            switch model.random(0..<20) {
            case 0: model.append(model.newChunks(model.random(0..<6)))
            case 1: model.replace(position, with: model.newChunks(model.random(0..<40) / (growing ? 1 : 20)))
            case 2 where !model.chunks.isEmpty:
                model.replace(position, with: [(model.chunks[position].block, model.random(1..<20))])
            case 4:
                let total = model.tree.count
                let lower = model.random(0..<total + 1)
                model.remove(lower..<min(total, lower + model.random(0..<(growing ? 40 : 400))))
            case 3 where !model.chunks.isEmpty: model.replace(growing ? 0 : model.chunks.count - 1, with: [])
            case let choice:
                let count = growing ? (choice < 6 ? 0 : 2) : (choice < 6 ? 2 : 0)
                model.replace(position, with: model.newChunks(count))
            }
            expectEqual(model.tree.checkInvariants(in: model.store), [], "seed \(seed), step \(step)")
            expectEqual(model.tree.count, model.start(model.chunks.count), "seed \(seed), step \(step)")
            if step % 10 == 0 { expectEqual(model.contents(), model.expected(), "seed \(seed), step \(step)") }
            guard model.tree.count > 0 else { continue }
            let index = model.random(0..<model.tree.count)
            let place = model.tree.locate(index, in: model.store)!
            let expected = model.expected(from: index)[0]
            expectEqual([Int(place.chunk), place.start, place.count], expected, "seed \(seed), step \(step)")
            if step % 50 == 0 {
                expectEqual(model.contents(from: index), model.expected(from: index), "seed \(seed), step \(step)")
            }
        }
        var freed: [UInt64] = []
        model.tree.removeAll(in: model.store) { freed.append($0) }
        expectEqual(freed, model.chunks.map(\.block), "seed \(seed)")
        expect(model.store.blocks.isEmpty && model.tree.root == 0 && model.tree.count == 0, "seed \(seed)")
    }

    @Test(arguments: [0, 1, 4, 5, 16, 17, 65, 300])
    func `a tree has full nodes, whether it was built at once or chunk by chunk`(chunks: Int) {
        var model = Model(capacity: 4, seed: 1)
        let all = model.newChunks(chunks)
        model.chunks = all
        model.tree = CountedTree.make(segment: 9, chunks: all, in: model.store, capacity: 4)
        let nodes = model.store.blocks.count
        expect(model.contents() == model.expected() && model.tree.checkInvariants(in: model.store) == [])
        expectEqual(model.store.written, nodes)

        var other = Model(capacity: 4, seed: 1)
        for chunk in other.newChunks(chunks) { other.append([chunk]) }
        expect(other.contents() == model.expected() && other.tree.checkInvariants(in: other.store) == [])
        expectEqual(other.store.blocks.count, nodes)
    }

    @Test
    func `an edit writes a few nodes, and none if nothing changes`() {
        var model = Model(capacity: CountedTree.defaultCapacity, seed: 2)
        model.append(model.newChunks(200_000))
        expect(model.store.largest <= 4080)
        let height = 3
        model.store.written = 0
        let middle = model.chunks[100_000]
        model.replace(100_000, with: [middle])
        expectEqual(model.store.written, 0)
        model.replace(100_000, with: [(middle.block, middle.count + 1)])
        expectEqual(model.store.written, height)
        model.store.written = 0
        // The nodes were full, so this splits one on each level.
        model.replace(100_000, with: model.newChunks(2))
        expect(model.store.written <= 2 * height + 1)
        model.store.written = 0
        model.replace(50_000, with: [])
        expect(model.store.written <= 2 * height)
        expectEqual(model.tree.checkInvariants(in: model.store), [])
        expectEqual(model.contents(from: model.tree.count - 1), model.expected(from: model.tree.count - 1))
    }

    @Test(arguments: [0, 1, 2])
    func `removals from either end or the middle free every node`(from end: Int) {
        var model = Model(capacity: 4, seed: 3)
        model.append(model.newChunks(200))
        while !model.chunks.isEmpty {
            model.replace([0, model.chunks.count / 2, model.chunks.count - 1][end], with: [])
            expectEqual(model.tree.checkInvariants(in: model.store), [])
        }
        expect(model.store.blocks.isEmpty && model.tree.root == 0)
        model.replace(0, with: model.newChunks(3))
        expectEqual(model.contents(), model.expected())
    }

    @Test
    func `removing a long run writes few nodes`() {
        var model = Model(capacity: CountedTree.defaultCapacity, seed: 7)
        model.append(model.newChunks(20_000))
        model.store.written = 0
        model.remove(model.start(1000)..<model.start(19_000))
        expect(model.store.written < 3 * 60)
        expect(model.tree.checkInvariants(in: model.store) == [] && model.contents() == model.expected())
        model.remove(0..<model.tree.count)
        expect(model.store.blocks.isEmpty && model.tree.root == 0)
    }

    @Test
    func `a walk stops at the caller's request, and has no elements beyond the end`() {
        var model = Model(capacity: 4, seed: 4)
        model.append(model.newChunks(50))
        var visited = 0
        model.tree.forEachChunk(in: model.store) { _, _, _ in
            visited += 1
            return visited < 7
        }
        expectEqual(visited, 7)
        expect(model.contents(from: model.tree.count).isEmpty)
    }

    @Test
    func `A tree is found again by its root and count`() {
        var model = Model(capacity: 4, seed: 5)
        model.append(model.newChunks(50))
        model.tree = CountedTree(segment: 9, root: model.tree.root, count: model.tree.count, capacity: 4)
        expectEqual(model.contents(), model.expected())
    }

    @Test
    func `Damage is reported`() {
        var model = Model(capacity: 4, seed: 6)
        model.append(model.newChunks(50))
        let sound = model.tree
        expectEqual(CountedTree(segment: 9, root: 0, count: 1).checkInvariants(in: model.store).count, 1)
        expectEqual(CountedTree(segment: 9, root: 99_999, count: 1).checkInvariants(in: model.store).count, 1)
        expect(
            !CountedTree(segment: 9, root: sound.root, count: 1, capacity: 4).checkInvariants(in: model.store).isEmpty
        )
        for number in model.store.blocks.keys.sorted() {
            let bytes = Array(model.store.block(9, number)!)
            for position in bytes.indices {
                var damaged = bytes
                damaged[position] ^= 1
                damaged.withUnsafeBytes { model.store.putBlock(9, number, bytes: $0) }
                // The caller determines a chunk's number. All other damage must be noticed.
                let isChunkNumber = bytes[0] == 0 && position >= 8 && position < 8 + 8 * Int(bytes[2])
                expect(
                    isChunkNumber || !sound.checkInvariants(in: model.store).isEmpty,
                    "block \(number), byte \(position)"
                )
            }
            bytes.withUnsafeBytes { model.store.putBlock(9, number, bytes: $0) }
        }
        expectEqual(sound.checkInvariants(in: model.store), [])
    }
}
