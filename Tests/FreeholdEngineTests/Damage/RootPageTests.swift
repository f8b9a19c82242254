import CFreeholdLMDB
import Foundation
import TestScript
import Testing

@testable import FreeholdEngine

/// Numbers of LMDB's root pages that can't be.
struct `Damaged root pages` {
    private let folder = TemporaryFolder()

    /// A file with free pages, and its expected content.
    private func fill(_ path: String) throws -> State {
        try Script(seed: 1).commit(1...3, to: try Database.open(at: path))
    }

    private func use<R>(_ image: TreeImage, _ body: (String) throws -> R) throws -> R {
        let path = folder.file("image.realm")
        try Data(image.bytes).write(to: URL(fileURLWithPath: path))
        defer { for suffix in ["", "-lock", ".writer"] { unlink(path + suffix) } }
        return try body(path)
    }

    /// A bit of a number of one of the two trees.
    private struct Bit {
        let tree: Int
        let field: String
        let offset: Int
        let bit: Int

        var name: String { "\(tree == 24 ? "free pages" : "blocks"): \(field), bit \(bit)" }

        /// Depth, pages and entries.
        static let all: [Bit] = [24, 72].flatMap { tree in
            [
                ("depth", 6, 16), ("branch pages", 8, 64), ("leaf pages", 16, 64), ("overflow pages", 24, 64),
                ("entries", 32, 64),
            ]
            .flatMap { field in
                (0..<field.2).map { Bit(tree: tree, field: field.0, offset: field.1, bit: $0) }
            }
        }
    }

    @Test func `a root page with a flipped bit in a number is reported, and a write fails or is right`() throws {
        var random = SeededRandom(test: "RootPageTests")
        let path = folder.file()
        let state = try fill(path)
        var next = state
        next.apply(Script(seed: 1).steps(4, on: state))
        let image = try TreeImage(path)
        var (refused, written) = (0, 0)
        let traps = Bit.all.indices.filter { Bit.all[$0].bit == 63 }
        let sample = TestBudget.sample(of: Bit.all.count, usual: 40, borders: traps, using: &random)
        for bit in sample.map({ Bit.all[$0] }) {
            var damaged = image
            damaged.bytes[TreeImage.root(image.newest) + bit.tree + bit.offset + bit.bit / 8] ^= 1 << UInt8(bit.bit % 8)
            let problems = try use(damaged) { path in
                do throws(EngineError) { return try Database.open(at: path).snapshot().verify() } catch {
                    return [error.message]
                }
            }
            expect(!problems.isEmpty, "\(bit.name): not seen by verify")
            try use(damaged) { path in
                do {
                    _ = try Script(seed: 1).commit(4...4, to: try Database.open(at: path), from: state)
                    expectEqual(State(try Database.open(at: path).snapshot()), next, "\(bit.name)")
                    written += 1
                } catch {
                    expectEqual((error as? EngineError)?.code, .invalidDatabase, "\(bit.name): \(error)")
                    refused += 1
                }
            }
        }
        print("\(refused) refused, \(written) written")
        expect(refused > written)
        expect(TestBudget.isSpent("RootPageTests", cases: refused + written, of: sample.count))
    }

    @Test(arguments: [0, 1, 1 << 31, 1 << 62, .max, .min, -1])
    func `impossible numbers in a root page give no bound of the pages`(count: Int) {
        var demand = PageDemand()
        demand.notePut(9000, pageSize: 4096)
        demand.noteRemoval()
        let fields: [WritableKeyPath<MDB_stat, Int>] = [\.ms_branch_pages, \.ms_leaf_pages, \.ms_overflow_pages]
        for field in fields {
            for isFree in [false, true] {
                var (main, free) = (MDB_stat(), MDB_stat())
                if isFree { free[keyPath: field] = count } else { main[keyPath: field] = count }
                let bound = demand.pageBound(main, free: free, of: 100)
                // Overflow pages of blocks don't bound the number.
                expectEqual(bound != nil, (0...100).contains(count) || (!isFree && field == \.ms_overflow_pages))
                if let bound { expect(bound < 1000) }
            }
        }
        var deep = MDB_stat()
        deep.ms_depth = .max
        expect(demand.pageBound(deep, free: MDB_stat(), of: 100) == nil)
    }

    // MARK: Pairs

    private func code(_ image: TreeImage) throws -> EngineError.Code? {
        try use(image) { path in
            FreeholdEngineTests.code { () throws(EngineError) in _ = try Database.open(at: path).snapshot() }
        }
    }

    @Test func `root pages of versions that aren't neighbours are refused`() throws {
        let path = folder.file()
        _ = try fill(path)
        let image = try TreeImage(path)
        try expectEqual(code(image), nil)
        // It has the same parity, and is large enough for what is subtracted.
        let version = image.version(image.newest) + 100
        let pairs: [(newest: UInt64, other: UInt64)] = [
            // Simulates that the write of the newest root was lost, or that an older root was put back.
            (version - 40, version - 1), (version - 4, version - 1),
            // The root of the version before is older than that.
            (version, version - 3), (version, version - 7), (version, 0), (0, version - 1), (version + 2, version - 1),
            (version + 1 << 40, version - 1),
        ]
        for pair in pairs {
            var damaged = image
            damaged.set(pair.newest, at: TreeImage.root(image.newest) + 128)
            damaged.set(pair.other, at: TreeImage.root(1 - image.newest) + 128)
            let before = damaged.bytes
            try expectEqual(code(damaged), .invalidDatabase, "\(pair)")
            try use(damaged) { path in
                _ = try? Database.open(at: path)
                try expectEqual(TreeImage(path).bytes, before)
            }
        }
    }

    @Test func `root pages of equal versions are refused, unless the file is new`() throws {
        let path = folder.file()
        _ = try fill(path)
        var image = try TreeImage(path)
        for version in [image.version(image.newest), image.version(1 - image.newest), 0] {
            for page in 0..<2 { image.set(version, at: TreeImage.root(page) + 128) }
            try expectEqual(code(image), .invalidDatabase, "both have version \(version)")
        }
        let new = folder.file("new.realm")
        try StorageEnvironment.open(path: new).close()
        let empty = try TreeImage(new)
        expect(empty.version(0) == 0 && empty.version(1) == 0)
        try expectEqual(code(empty), nil)
    }

    @Test(arguments: [1 << 46, 1 << 40, 1 << 35, 1 << 47 - 1] as [UInt64])
    func `root pages with a last page that no process can map are refused`(page: UInt64) throws {
        let path = folder.file()
        _ = try fill(path)
        var image = try TreeImage(path)
        for root in 0..<2 { image.set(page, at: TreeImage.root(root) + 120) }
        try expectEqual(code(image), .invalidDatabase)
    }
}
